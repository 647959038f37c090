"""Read the endpoint's own tool calls: name, arguments and id, each of which may be broken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..records import Action, ErrorCode, Repair, ToolCall
from .parsing.inputs import InputError, read_input
from .parsing.names import resolve
from .parsing.strict_json import Invalid, read_strict

Signatures = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class ReadCall:
    """Hold a call as read; where `error` is a code, the arguments are the text as it came."""

    action: Action
    repairs: tuple[Repair, ...] = ()
    error: ErrorCode | None = None


def read_calls(calls: Sequence[ToolCall], tools: Signatures) -> tuple[ReadCall, ...]:
    """Read calls in the order asked; each gets an id of its own.

    >>> read_calls([ToolCall("", "add", '{"a": 1}')], {"add": {"a": "integer"}})[0].action
    Action(tool='add', args={'a': 1}, call_id='call_1')
    """
    ids = _own_ids(calls)
    return tuple(_read(call, own, tools) for call, own in zip(calls, ids, strict=True))


def _own_ids(calls: Sequence[ToolCall]) -> Iterator[str]:
    """Yield the ids; a missing or doubled one is replaced, or a result could not find its call."""
    taken: set[str] = set()
    for number, call in enumerate(calls, 1):
        own = call.id.strip() or f"call_{number}"
        while own in taken:
            own = f"{own}_{number}"
        taken.add(own)
        yield own


def _read(call: ToolCall, own_id: str, tools: Signatures) -> ReadCall:
    repairs = [] if own_id == call.id else [Repair("call_id", call.id, own_id)]
    name = resolve(call.name, tools) or call.name.strip()
    if name != call.name:
        repairs.append(Repair("tool_name", call.name, name))
    used: list[str] = []
    try:
        args = _arguments(call.arguments, tools.get(name), used)
    except InputError as error:
        return ReadCall(Action(name, call.arguments, own_id), tuple(repairs), error.code)
    made = json.dumps(args, ensure_ascii=False)
    repairs += [Repair(repair, call.arguments[:200], made[:200]) for repair in dict.fromkeys(used)]
    return ReadCall(Action(name, args, own_id), tuple(repairs))


def _arguments(text: str, params: Mapping[str, str] | None, used: list[str]) -> Any:
    value = _strict(text.strip())
    if isinstance(value, dict) and (params is None or not value or set(value) <= set(params)):
        return value
    if params is None:  # no such tool: the toolbox says so, whatever the arguments are
        return {}
    args = read_input(text, params, frozenset(), used)
    if value is None and not used:
        used.append("extra_text" if isinstance(args, dict) and text.strip() else "bare_text")
    return args


def _strict(text: str) -> Any:
    """Return the one JSON value that a text is, or None; as strict as with a call in text."""
    try:
        value, _, end = read_strict(text, 0)
    except Invalid:
        return None
    return value if end == len(text) else None
