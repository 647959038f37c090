"""Read free text generously and never dangerously (notebook 04)."""

from .corpus import Score, as_result, load_cases, score_parser
from .reading import parse_reply
from .repairs import REPAIRS
from .strict import parse_naive, parse_strict

__all__ = [
    "REPAIRS",
    "Score",
    "as_result",
    "load_cases",
    "parse_naive",
    "parse_reply",
    "parse_strict",
    "score_parser",
]
