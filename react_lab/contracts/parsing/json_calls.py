"""Find the calls that a JSON value writes, whatever its keys are called.

>>> calls_in_json({"name": "search", "arguments": {"query": "x"}}, {"search": {"query": "string"}})
[Call(name='search', args={'query': 'x'}, answer=None, thought='')]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .names import resolve
from .values import Signatures

_NAME_KEYS = (
    "action tool name tool_name function function_name recipient_name action_name toolName".split()
)
_ARG_KEYS = (
    "action_input arguments args parameters tool_input input params kwargs tool_args tool_arguments"
    " action_args function_args actionInput toolInput".split()
)
_ANSWER_KEYS = (
    "final_answer",
    "final answer",
    "finalAnswer",
    "Final Answer",
    "final_response",
    "answer",
    "response",
)
_NESTED = "tool_call tool_calls function_call functionCall function action actions call calls command tool_uses".split()
_THOUGHTS = ("thought", "thoughts", "reasoning")
#: calls behind these are not read
MOST_CALLS = 50


@dataclass(frozen=True)
class Call:
    """Hold a written call: a name, arguments (None where missing), an answer beside it."""

    name: str | None
    args: Any = None
    answer: Any = None
    thought: str = ""


def calls_in_json(value: Any, tools: Signatures) -> list[Call]:
    """Return the calls that a JSON value writes; none where it is no call."""
    if isinstance(value, list):
        inner = [calls_in_json(item, tools) for item in value[:MOST_CALLS]]
        return [call for calls in inner for call in calls] if all(inner) else []
    if not isinstance(value, dict):
        return []
    thought = str(next((value[key] for key in _THOUGHTS if value.get(key)), ""))
    written = (value[key] for key in _ANSWER_KEYS if value.get(key) is not None)
    answers = [Call(None, None, a, thought) for a in written if not calls_in_json(a, tools)][:1]
    for key in _NESTED:
        nested = value.get(key)
        if isinstance(nested, dict | list) and (found := calls_in_json(nested, tools)):
            return [*found, *answers]
    name_key = next((k for k in _NAME_KEYS if isinstance(value.get(k), str)), None)
    if name_key is None:
        known = {*_THOUGHTS, *_ANSWER_KEYS, *_NAME_KEYS, *_ARG_KEYS, "type"}
        return answers if set(value) <= known else []
    call = _flat_call(value, name_key, tools, thought)
    return [call, *answers] if call else []


def _flat_call(
    value: dict[str, Any], name_key: str, tools: Signatures, thought: str
) -> Call | None:
    name = value[name_key]
    args_key = next((key for key in _ARG_KEYS if key in value and key != name_key), None)
    if args_key is not None:
        return Call(name, value[args_key], None, thought)
    params = tools.get(resolve(name, tools) or "", {})
    beside = {key: item for key, item in value.items() if key in params and key != name_key}
    if name_key == "name" and not beside and set(value) - {"name", "type", "id"}:
        return None
    return Call(name, beside or None, None, thought)
