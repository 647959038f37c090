"""Language models: one protocol, several kinds (notebooks 00, 01, 07 and 10).

`laptop` is imported by its own name: it starts a process.
"""

from .base import LLM, FunctionLLM
from .openai_compatible import OpenAICompatibleLLM
from .recorded import RecordedLLM, record
from .scripted import ScriptedLLM
from .simulated import TEMPERS, SimulatedLLM, Temper

__all__ = [
    "LLM",
    "TEMPERS",
    "FunctionLLM",
    "OpenAICompatibleLLM",
    "RecordedLLM",
    "ScriptedLLM",
    "SimulatedLLM",
    "Temper",
    "record",
]
