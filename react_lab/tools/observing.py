"""Make a tool's result into text that is safe to put into a prompt.

One line, so that it can never be taken for the model's own labels; cut in the middle
with a marker that says how much is missing; an empty result says so.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice
from typing import Any

from .messages import say

#: Terminal sequences (ECMA-48), control and bidirectional marks, halves of characters.
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_HIDDEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
SEPARATOR = " | "
#: Items taken from a generator, which may have no end.
LONGEST_STREAM = 1_000


def result_text(value: Any) -> str:
    """Write a result as text: a string as it is, containers as JSON, the rest as its str.

    The text is the same in every process: sets are sorted, addresses are left out.
    """
    if isinstance(value, str):
        return value
    if type(value) is int or type(value) is float:
        return repr(value)
    if value is None:
        return ""
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    plain = _as_plain(value)
    if isinstance(plain, str):
        return plain
    try:
        return json.dumps(plain, ensure_ascii=False, default=_as_plain)
    except (TypeError, ValueError, RecursionError):
        return _ADDRESS.sub("", str(value))


def _as_plain(value: Any) -> Any:
    """Turn an object into something JSON can hold; a text where nothing better is known."""
    if isinstance(value, bool | int | float | list | tuple | dict):
        return value
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Iterator):
        return list(islice(value, LONGEST_STREAM))
    # pydantic models, then arrays and data frames
    for method in ("model_dump", "tolist", "to_dict"):
        if callable(convert := getattr(value, method, None)) and not isinstance(value, type):
            return convert()
    return _ADDRESS.sub("", str(value))


def is_empty(value: Any, text: str) -> bool:
    """Tell whether a result holds nothing: None, blank text, an empty container."""
    return not text or text.isspace() or text in ("[]", "{}") and not isinstance(value, str)


def shown_text(text: str, limit: int, language: str = "en", *, one_line: bool = True) -> str:
    """Return a text flattened, and cut to `limit` characters plus the marker.

    Of a very long text only both ends are looked at, so that its size costs nothing.
    """
    if len(text) > 20 * limit:
        start = flatten(text[: 2 * limit], one_line=one_line)
        end = flatten(text[-2 * limit :], one_line=one_line)
        return _cut(start, end, len(text), limit, language)
    flat = flatten(text, one_line=one_line)
    return flat if len(flat) <= limit else _cut(flat, flat, len(flat), limit, language)


def _cut(start: str, end: str, total: int, limit: int, language: str) -> str:
    head, tail = start[: limit * 2 // 3], end[-(limit // 3) :]
    if head.endswith(("\n", "\n|", "\n| ")):
        head = head.rstrip("\n| ")
    return head + say("cut", language, left_out=total - len(head) - len(tail), total=total) + tail


def shorten(text: str, limit: int, language: str = "en") -> str:
    """Keep the head and the tail of a long text, with a marker between."""
    return text if len(text) <= limit else _cut(text, text, len(text), limit, language)


def flatten(text: str, *, one_line: bool = True) -> str:
    """Join lines with a bar, or put a bar before each, so that no line starts with a label."""
    if one_line and text.isprintable():
        return text.strip()
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    clean = _HIDDEN.sub(" ", _ESCAPE.sub("", text)) if not text.isprintable() else text
    lines = [line for line in map(str.strip, clean.splitlines()) if line]
    return SEPARATOR.join(lines) if one_line else "\n".join(f"| {line}" for line in lines)
