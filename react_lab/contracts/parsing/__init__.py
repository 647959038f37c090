"""Read free text generously and never dangerously (notebook 04)."""

from .corpus import Score, as_result, load_cases, score_parser
from .reading import parse_reply

__all__ = ["Score", "as_result", "load_cases", "parse_reply", "score_parser"]
