"""Write the example call of an error message, with the values that the tool's docstring gives.

A docstring gives a value in the line of a parameter ("one product, such as lamp") or in the
description ("Example: product lamp, quantity 2.").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .definition import Tool

_GENERIC = {"integer": 3, "number": 2.5, "boolean": True, "array": [], "object": {}}
_NAMES = {int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
# A value ends where its part of the sentence ends; what brackets hold is never cut.
_TEXT = r"((?:\([^)]*\)|\[[^]]*\]|\{[^}]*\}|[^()（）\[\]{}])+?)"
_VALUE = _TEXT + r"(?=[,;，；。、)）]|\.(?:\s|$)|\sor\s|$)"
_SUCH_AS = re.compile(rf"(?:such as|for example|e\.g\.|例如|比如)[:：,，]?\s*{_VALUE}")


def example(tool: Tool) -> str:
    """Write a call's input that would be accepted, from the docstring and the schema."""
    names = tool.required or tuple(tool.params)[:1]
    return json.dumps({name: _value(tool, name) for name in names}, ensure_ascii=False)


def _value(tool: Tool, name: str) -> Any:
    part, kind = tool.schema["properties"][name], tool.params[name]
    if listed := part.get("examples") or part.get("enum"):
        return listed[0]
    typed = (_typed(text, kind) for text in _told(tool, name, part.get("description", "")))
    return next((value for value in typed if value not in (None, "")), _GENERIC.get(kind, "..."))


def _told(tool: Tool, name: str, note: str) -> Iterator[str]:
    """Yield the values that a parameter's line and the description give."""
    named = rf"(?:.*?[,，] ?)?{re.escape(name)}[ =:：]+"
    lead = f"(?:{named})?" if len(tool.params) == 1 else named
    in_description = re.compile(rf"(?:Example|例如)[:：] ?{lead}{_VALUE}")
    yield from _SUCH_AS.findall(note)[:1]
    yield from in_description.findall(tool.description)[:1]


def _typed(text: str, kind: str) -> Any:
    """Return the text as a value of this JSON type, or None where it is none."""
    if kind not in _GENERIC:
        return text.strip(" \"'`“”「」")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if kind in (_NAMES.get(type(value)), "number" * (type(value) is int)) else None
