"""Read one strict JSON value and say where it ends.

It decides its own end, so labels, fences and tags inside a string stay data.

>>> read_strict('{"a": [1]} and more', 0)
({'a': [1]}, 0, 10)
"""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 60


class Truncated(Exception):
    """Say that the text ended inside a value."""


class Invalid(Exception):
    """Say that the text is no value, at `position`."""

    def __init__(self, position: int = 0) -> None:
        super().__init__(position)
        self.position = position


def read_strict(text: str, start: int) -> tuple[Any, int, int]:
    """Read strict JSON at `start`: value, start, end; raise Invalid.

    The same key twice with two values has two readings, and NaN is no JSON: both are
    refused, as is what is nested too deeply.
    """
    try:
        value, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        raise Invalid(start) from None
    if text.count("{", start, end) + text.count("[", start, end) > MAX_DEPTH and too_deep(value):
        raise Invalid(start)
    return value, start, end


def too_deep(value: Any) -> bool:
    """Tell whether a value is nested more than MAX_DEPTH levels."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner = [
            v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list)
        ]
        if not inner:
            return False
        level = [item for items in inner for item in items]
    return True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) and any(found[key] != value for key, value in pairs):
        raise Invalid
    return found


def _refuse(word: str) -> Any:
    raise Invalid


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
