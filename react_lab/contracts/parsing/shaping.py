"""Bring a value that was read into the shape of arguments, or refuse it.

Only what has one reading is taken off: a lone wrapper key, a list around one object, one
layer of encoding.
"""

from __future__ import annotations

from typing import Any

from .bare import one_text
from .repairs import Notes, Refused
from .strict_json import Invalid, read_strict
from .values import Params

WRAPPERS = frozenset(
    "args input parameters arguments kwargs action_input tool_input params".split()
)


def shape(value: Any, params: Params, notes: Notes, span: tuple[int, int]) -> Any:
    """Take off a wrapper key, a one-element list or one layer of encoding; else refuse."""
    if isinstance(value, str):
        inner = _decoded(value, params, notes, span)
        return one_text(value, params) if inner is None else _unwrapped(inner, params, notes, span)
    if (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], dict)
        and notes.allows("one_element_list")
    ):
        notes.add("one_element_list", *span)
        value = value[0]
    if not isinstance(value, dict):
        raise Refused("invalid_input")
    return _unwrapped(value, params, notes, span)


def _decoded(
    value: str, params: Params, notes: Notes, span: tuple[int, int]
) -> dict[str, Any] | None:
    """Decode an object that was written as a string, unless the string itself is the input."""
    if value.lstrip()[:1] != "{" or not notes.allows("double_encoded"):
        return None
    try:
        inner, _, end = read_strict(value.strip(), 0)
    except Invalid:
        return None
    foreign = list(params.values()) == ["string"] and not set(inner) <= set(params)
    if not isinstance(inner, dict) or end != len(value.strip()) or foreign:
        return None
    notes.add("double_encoded", *span, value)
    return inner


def _unwrapped(
    value: dict[str, Any], params: Params, notes: Notes, span: tuple[int, int]
) -> dict[str, Any]:
    if len(value) != 1 or not notes.allows("wrapper_key"):
        return value
    key, inner = next(iter(value.items()))
    if key not in WRAPPERS or key in params:
        return value
    if isinstance(inner, str):
        inner = _decoded(inner, params, notes, span)
    if not isinstance(inner, dict):
        return value
    notes.add("wrapper_key", *span)
    return inner
