"""Read one JSON-like value and say where it ends: strictly, else with named deviations.

Strict JSON comes first, in `strict_json`; what it refuses is read by `loose_json`.

>>> read_value("{'a': 1,} and more", 0).value
{'a': 1}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...records import Repair
from .loose_json import Reader
from .strict_json import Invalid, Truncated, read_strict

#: the parameters of a tool and their types
Params = Mapping[str, str]
#: the parameters of each tool
Signatures = Mapping[str, Params]


@dataclass(slots=True)
class Value:
    """Hold a value, where it stood, and the deviations that were read over."""

    value: Any
    start: int
    end: int
    repairs: list[Repair]


def read_value(text: str, start: int, off: frozenset[str] = frozenset()) -> Value:
    """Read the value at `start`; raise Truncated or Invalid.

    Repairs named in `off` are not made.
    """
    try:
        return Value(*read_strict(text, start), [])
    except Invalid:
        return _read_loose(text, start, off)


def _read_loose(text: str, start: int, off: frozenset[str]) -> Value:
    reader = Reader(text, off)
    try:
        value, end = reader.value(start, 0)
    except (Truncated, Invalid):
        if "mixed_quotes" in off or not ("“" in text or "”" in text):
            raise
        reader = Reader(text, off, mixed=True)
        value, end = reader.value(start, 0)
    return Value(value, start, end, reader.repairs)


def typed(raw: str, kind: str) -> Any:
    """Read the text of a tag as the parameter's type asks; a string stays as it is."""
    if kind == "string":
        return raw
    try:
        value, _, end = read_strict(raw.strip(), 0)
    except Invalid:
        return raw
    return value if end == len(raw.strip()) else raw
