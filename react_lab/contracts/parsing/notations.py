"""Read calls in the notations that models were trained on: JSON, tags, tokens and Python.

This module goes from call to call and hands each to the reader of its notation. JSON decides
its own end; a call in tags must be closed.
"""

from __future__ import annotations

import re

from .json_calls import MOST_CALLS, Call, calls_in_json
from .python_calls import read_python, read_python_list
from .repairs import Notes, Refused
from .strict_json import Invalid, Truncated
from .tag_calls import NAMESPACE, read_tags, read_tool_tag
from .values import Signatures, read_value
from .vocabulary import KIND_OF_MARK, MARK

_CONTAINERS = r"(?i:tool_calls?|tool-call|toolcalls?|function_calls?|functioncalls?|function-call|tool_use|longcat_tool_call|invoke|function|action|tool)"
_TOKENS = (
    r"(?:/?tool_calls?|tool_calls?_(?:section_)?(?:begin|end)|python_(?:tag|start|end)|action_(?:start|end)"
    r"|plugin|interpreter|START_ACTION|END_ACTION|from|recipient|content)"
)
#: what opens, closes and separates calls and says nothing itself
_AROUND = re.compile(
    rf"(?:[\s,;]|</{NAMESPACE}[\w-]{{1,40}}>|<{NAMESPACE}(?!(?:action|tool|function)>\s*+[\w`\"']){_CONTAINERS}>|<\|from\|>assistant|<\|{_TOKENS}\|>"
    r"|<｜tool▁(?:calls?▁(?:begin|end)|sep)｜>|\[TOOL_CALLS\]|<<function>>|functools(?=\[)|>>>|```+\w{0,10})*+"
)
_NAMED = re.compile(
    r"(?:function\s?<｜tool▁sep｜>)?(?P<name>[^\W\d][\w.\-]{0,80}+)(?::\d{1,4})?\s*+(?:\[CALL_ID\][\w-]{1,40})?"
    r"(?:\[ARGS\]|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|<\|content\|>|<\|message\|>)?\s*+(?:```(?:json)?\s*+)?(?=\{)"
)
_LISTED = re.compile(r"\[\s*+[{\"']")


def read_markup(text: str, at: int, tools: Signatures, notes: Notes) -> tuple[list[Call], int]:
    """Read the calls in tags or tokens that begin at `at`; return them and where they end.

    Raise Refused with truncated, invalid_input or missing_action.
    """
    calls: list[Call] = []
    while len(calls) < MOST_CALLS:
        start = _AROUND.match(text, at).end()  # type: ignore[union-attr]
        if (mark := MARK.match(text, start)) and KIND_OF_MARK[mark[0]] == "observation":
            break
        try:
            found = _read_one(text, start, tools, notes)
        except Truncated:
            raise Refused("truncated", text[start : start + 200]) from None
        except Invalid:
            if calls and text[start] == "[" and not _LISTED.match(text, start):
                break  # words in brackets
            raise Refused(
                "multiple_actions" if calls else "invalid_input", text[start : start + 200]
            ) from None
        except Refused as refused:
            if calls and refused.code == "missing_action":  # data behind the call, no second call
                break
            raise
        if found is None:
            break
        calls += found[0]
        at = found[1]
    if not calls:
        raise Refused("invalid_input" if text[start:].strip() else "truncated", text[at : at + 200])
    return calls, at


def _read_one(text: str, at: int, tools: Signatures, notes: Notes) -> tuple[list[Call], int] | None:
    if text.startswith(("{", "["), at):
        return _json(text, at, tools, notes)
    if tagged := read_tags(text, at, tools, notes):
        return tagged
    if named := _NAMED.match(text, at):
        value = read_value(text, named.end(), notes.off)
        return [Call(named["name"], value.value)], value.end
    return read_tool_tag(text, at, tools) or read_python(text, at, tools, notes)


def _json(text: str, at: int, tools: Signatures, notes: Notes) -> tuple[list[Call], int] | None:
    if text[at] == "[" and (listed := read_python_list(text, at, tools, notes)):
        return listed
    value = read_value(text, at, notes.off)
    calls = calls_in_json(value.value, tools)
    if not calls:
        raise Refused("missing_action", text[at : value.end])
    notes.merge(value.repairs)
    return calls, value.end
