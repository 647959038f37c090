"""A deterministic stand-in for a language model that reacts to what a learner builds.

Read it in this order: `temper` (the numbers), `rules` (what causes what), `prompt` and
`history` (reading), `english` (planning), `knowledge`, `choosing`, `turn` (deciding),
`writing` and `slips`, `model`.
"""

from .model import SimulatedLLM
from .rules import RULES, Rule
from .temper import TEMPERS, Temper

__all__ = ["RULES", "TEMPERS", "Rule", "SimulatedLLM", "Temper"]
