"""Read calls in the notations that models were trained on: tags, tokens, bare JSON.

A native call counts only at the top level: JSON as the whole output, a tag at the start
of a line, a fence that ends the output.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from .values import Invalid, Truncated, read_value

_NAME_KEYS = (
    "action",
    "tool",
    "name",
    "tool_name",
    "function",
    "function_name",
    "recipient_name",
    "action_name",
)
_ARG_KEYS = (
    "action_input",
    "arguments",
    "args",
    "parameters",
    "tool_input",
    "input",
    "params",
    "kwargs",
    "tool_args",
    "tool_arguments",
    "action_args",
    "function_args",
)
_ANSWER_KEYS = ("final_answer", "answer", "final answer", "response", "final_response")
_NESTED = ("tool_call", "function_call", "function", "action", "tool_calls", "call")


@dataclass(frozen=True)
class Call:
    """Hold a written call: a name, the arguments (None where missing), an answer beside it."""

    name: Any
    args: Any
    answer: Any = None
    thought: str = ""


def calls_in_json(value: Any) -> list[Call] | None:
    """Return the calls that a JSON value writes; None where it is no call."""
    if isinstance(value, list):
        inner = [calls_in_json(item) for item in value]
        return [c for calls in inner if calls for c in calls] if value and all(inner) else None
    if not isinstance(value, dict):
        return None
    thought = value.get("thought") or value.get("thoughts") or value.get("reasoning") or ""
    for key in _NESTED:
        nested = value.get(key)
        if isinstance(nested, (dict, list)) and (found := calls_in_json(nested)):
            return found
    answer = next((value[k] for k in _ANSWER_KEYS if k in value), None)
    name_key = next((k for k in _NAME_KEYS if isinstance(value.get(k), str)), None)
    if name_key is None:
        meta = set(value) - {"thought", "thoughts", "reasoning", "type"}
        return (
            [Call(None, None, answer, str(thought))]
            if answer is not None and len(meta) == 1
            else None
        )
    args_key = next((k for k in _ARG_KEYS if k in value), None)
    extra = set(value) - {
        name_key,
        args_key,
        "thought",
        "thoughts",
        "reasoning",
        "type",
        "id",
        "index",
        "call_id",
        "status",
        *_ANSWER_KEYS,
    }
    if args_key is None and extra:
        return (
            None
            if name_key == "name"
            else [Call(value[name_key], {k: value[k] for k in extra}, answer, str(thought))]
        )
    return [Call(value[name_key], value.get(args_key) if args_key else None, answer, str(thought))]


_TAG_OPEN = re.compile(
    r"^[ \t]*(?:[*_`]{0,3}action[*_`]{0,3}[:：][ \t]*)?(?P<open><tool_call>|<tool_calls>|<function_call>|<function_calls>|<functioncall>|<\|tool_call\|>|<\|tool_calls?_(?:section_)?begin\|>|<｜tool▁calls?▁begin｜>|<｜DSML｜function_calls>|<minimax:tool_call>|<tools?>|<\|python_tag\|>|<\|action_start\|>(?:<\|plugin\|>)?|<function_calls>|<\|START_ACTION\|>|\[TOOL_CALLS\]|<function=|<function\s+name=|<invoke\s+name=|<｜DSML｜invoke|<action>|<tool>|<\|channel\|>commentary|>>>)",
    re.MULTILINE | re.IGNORECASE,
)
_INVOKE = re.compile(
    r"<(?:antml:|｜DSML｜)?(?:invoke|function|tool)\s+name=[\"']?([^\"'>\s]{1,80})[\"']?\s{0,9}>|<function=([^>\s]{1,80})>",
    re.IGNORECASE,
)
_PARAM = re.compile(
    r"<(?:antml:|｜DSML｜)?(?:parameter|param|arg)(?:\s{1,9}name=|=)[\"']?([^\"'>\s]{1,80})[\"']?([^>]{0,200})>",
    re.IGNORECASE,
)
_ARG_KEY = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>", re.DOTALL)
_BEGIN_NAMED = re.compile(
    r"(?:<\|tool_call_begin\|>|<｜tool▁call▁begin｜>)\s*(?:function<｜tool▁sep｜>)?([\w.\-]+)(?::\d+)?\s*(?:<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|\n```(?:json)?\n?)"
)
_MISTRAL = re.compile(r"\[TOOL_CALLS\]\s*([\w.\-]+)\s*(?:\[CALL_ID\][\w-]*)?\[ARGS\]")
_HARMONY = re.compile(
    r"<\|channel\|>commentary\s+to=(?:functions\.)?([\w.\-]+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
_ACTION_TAG = re.compile(
    r"<(action|tool|tool_name)>\s*([^<]*?)\s*</\1>\s*(?:<(action_input|input|arguments|args|parameters|tool_input|action-input)>)?",
    re.IGNORECASE,
)


class Unreadable(Exception):
    """Say that a native notation was opened and holds no readable call."""


def calls_in_tags(text: str) -> tuple[list[Call], int] | None:
    """Return the calls written in tags and where the first begins; None without any.

    Raise Truncated where a call stops inside a value, Unreadable where nothing can be read.
    """
    opening = _TAG_OPEN.search(text)
    if opening is None:
        return None
    start = opening.start("open")
    body = text[start:]
    for reader in (_named, _invokes, _action_tags, _glm, _json_in_tags):
        calls = reader(body)
        if calls:
            return calls, start
    if opening["open"].lower() in ("<tools>", "<tool>", ">>>"):
        return None
    raise Unreadable


def _named(body: str) -> list[Call]:
    calls, position = [], 0
    pattern = next((p for p in (_BEGIN_NAMED, _MISTRAL, _HARMONY) if p.search(body)), None)
    while pattern is not None and (head := pattern.search(body, position)):
        value = read_value(body, _next(body, head.end()))
        calls.append(Call(head[1], value.value))
        position = value.end
    return calls


def _invokes(body: str) -> list[Call]:
    calls, position = [], 0
    while head := _INVOKE.search(body, position):
        name, position = head[1] or head[2], head.end()
        at = _next(body, position)
        if body[at : at + 1] == "{":
            value = read_value(body, at)
            calls.append(Call(name, value.value))
            position = value.end
            continue
        args, position = _params(body, position)
        calls.append(Call(name, args))
    return calls


def _params(body: str, position: int) -> tuple[dict[str, Any], int]:
    args: dict[str, Any] = {}
    following = _INVOKE.search(body, position)
    limit = following.start() if following else len(body)
    while head := _PARAM.search(body, position, limit):
        end = re.compile(
            r"</(?:antml:|｜DSML｜)?(?:parameter|param|arg)(?:=[^>]*)?>", re.IGNORECASE
        ).search(body, head.end())
        if end is None:
            raise Truncated
        args[head[1]] = _typed(body[head.end() : end.start()], 'string="true"' in head[2])
        position = end.end()
    return args, position


def _typed(raw: str, is_string: bool) -> Any:
    text = raw.strip("\n") if "\n" in raw else raw
    if is_string:
        return raw
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if not isinstance(value, str) else text


def _action_tags(body: str) -> list[Call]:
    calls, position = [], 0
    while head := _ACTION_TAG.search(body, position):
        if head[2][:1] in "{[":
            return []
        position = head.end()
        if not head[3]:
            calls.append(Call(head[2], None))
            continue
        end = body.lower().find(f"</{head[3].lower()}>", position)
        at = _next(body, position)
        if body[at : at + 1] in ("{", "["):
            value = read_value(body, at)
            calls.append(Call(head[2], value.value))
            position = value.end
            continue
        if end < 0:
            raise Truncated
        calls.append(Call(head[2], body[position:end].strip()))
        position = end
    return calls


def _glm(body: str) -> list[Call]:
    head = re.match(r"<tool_call>\s*([\w.\-]+)\s*<arg_key>", body)
    if head is None:
        return []
    blocks = re.split(r"<tool_call>", body)[1:]
    return [_glm_block(block) for block in blocks]


def _glm_block(block: str) -> Call:
    args: dict[str, Any] = {}
    position = 0
    while key := _ARG_KEY.search(block, position):
        end = block.find("</arg_value>", key.end())
        if end < 0:
            raise Truncated
        args[key[1].strip()] = _typed(block[key.end() : end], False)
        position = end
    return Call(block.split("<", 1)[0].strip(), args)


def _json_in_tags(body: str) -> list[Call]:
    calls: list[Call] = []
    position = 0
    while (at := _first_of(body, "{[", position)) >= 0 and len(calls) < 50:
        if body[at] == "[" and body.startswith("[TOOL_CALLS]", at):
            position = at + len("[TOOL_CALLS]")
            continue
        try:
            value = read_value(body, at)
        except Invalid:
            break
        found = calls_in_json(value.value)
        if not found:
            break
        calls += found
        position = value.end
        between = re.match(r"\s*(?:</?[^<>\n]{1,40}>|[\s,;|])*", body[position:])
        rest = body[position + (between.end() if between else 0) :]
        if rest[:1] not in ("{", "["):
            break
    return calls


def _first_of(text: str, characters: str, start: int) -> int:
    found = re.compile(f"[{re.escape(characters)}]").search(text, start)
    return found.start() if found else -1


def _next(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
