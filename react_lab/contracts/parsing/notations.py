"""Read calls in the notations that models were trained on: JSON, tags and tokens.

JSON decides its own end. A call written in tags has no such end, so its closing tag must be
there, or more parameters may have been cut off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .call_syntax import HEAD, read_arguments
from .names import resolve
from .repairs import Notes, Refused
from .values import Invalid, Signatures, Truncated, read_value, typed
from .vocabulary import KIND_OF_MARK, MARK

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
_MOST = 50

_NS = r"(?:[\w]{1,20}:|｜DSML｜)?"
_CONTAINERS = r"(?i:tool_calls?|tool-call|toolcalls?|function_calls?|functioncalls?|function-call|tool_use|longcat_tool_call|invoke|function|action|tool)"
_TOKENS = (
    r"(?:/?tool_calls?|tool_calls?_(?:section_)?(?:begin|end)|python_(?:tag|start|end)|action_(?:start|end)"
    r"|plugin|interpreter|START_ACTION|END_ACTION|from|recipient|content)"
)
#: what opens, closes and separates calls and says nothing itself
_AROUND = re.compile(
    rf"(?:[\s,;]|</{_NS}[\w-]{{1,40}}>|<{_NS}(?!(?:action|tool|function)>\s*+[\w`\"']){_CONTAINERS}>|<\|from\|>assistant|<\|{_TOKENS}\|>"
    r"|<｜tool▁(?:calls?▁(?:begin|end)|sep)｜>|\[TOOL_CALLS\]|<<function>>|functools(?=\[)|>>>|```+\w{0,10})*+"
)
_HEAD = re.compile(
    rf"<{_NS}(?:invoke|function|tool|action|tool_call)(?:=|\s{{1,4}}name\s?=\s?)[\"']?(?P<name>[^\"'<>\s=]{{1,80}})[\"']?\s?>\s*+"
)
_PARAM = re.compile(
    rf"\s*+<{_NS}(?:parameter|param|arg|argument)(?:=|\s{{1,4}}name\s?=\s?)[\"']?(?P<key>[^\"'<>\s=]{{1,80}})[\"']?(?P<rest>[^<>]{{0,80}})>"
)
_PARAM_END = re.compile(rf"</{_NS}(?:parameter|param|arg|argument)(?:=[^<>]{{0,80}})?>")
_CHILD = re.compile(r"\s*+<(?P<key>[^\W\d][\w-]{0,80})>")
_PAIR = re.compile(
    r"<(?P<tag>action|tool|tool_name|name|action_name|function_name|function)>\s*+(?P<name>[^<>\n]{1,80}?)\s*+</(?P=tag)>"
    r"(?:\s*+<(?P<input>action_input|tool_input|input|arguments|args|parameters|params|action-input)>\s*+)?"
)
_NAMED = re.compile(
    r"(?:function\s?<｜tool▁sep｜>)?(?P<name>[^\W\d][\w.\-]{0,80}+)(?::\d{1,4})?\s*+(?:\[CALL_ID\][\w-]{1,40})?"
    r"(?:\[ARGS\]|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|<\|content\|>|<\|message\|>)?\s*+(?:```(?:json)?\s*+)?(?=\{)"
)
_GLM = re.compile(r"(?P<name>[^\W\d][\w.\-]{0,80}+)\s*+(?=<arg_key>|</tool_call>)")
_GLM_PAIR = re.compile(r"\s*+<arg_key>\s*+(?P<key>[^<>]{1,80}?)\s*+</arg_key>\s*+<arg_value>")
_LISTED = re.compile(r"\[\s*+[{\"']")


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
        inner = [calls_in_json(item, tools) for item in value[:_MOST]]
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


def read_markup(text: str, at: int, tools: Signatures, notes: Notes) -> tuple[list[Call], int]:
    """Read the calls in tags or tokens that begin at `at`; return them and where they end.

    Raise Refused with truncated, invalid_input or missing_action.
    """
    calls: list[Call] = []
    while len(calls) < _MOST:
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
    if head := _HEAD.match(text, at):
        return _tagged(text, head, tools, notes)
    if pair := _PAIR.match(text, at):
        return _paired(text, pair, tools, notes)
    if glm := _GLM.match(text, at):
        return _glm(text, glm, tools)
    if named := _NAMED.match(text, at):
        value = read_value(text, named.end(), notes.off)
        return [Call(named["name"], value.value)], value.end
    return _tool_tag(text, at, tools) or read_python(text, at, tools, notes)


def _json(text: str, at: int, tools: Signatures, notes: Notes) -> tuple[list[Call], int] | None:
    if text[at] == "[" and (listed := _python_list(text, at, tools, notes)):
        return listed
    value = read_value(text, at, notes.off)
    calls = calls_in_json(value.value, tools)
    if not calls:
        raise Refused("missing_action", text[at : value.end])
    notes.merge(value.repairs)
    return calls, value.end


def read_python(
    text: str, at: int, tools: Signatures, notes: Notes
) -> tuple[list[Call], int] | None:
    """Read `tool(args)`, perhaps inside `print(...)`; None where no tool of ours is called."""
    printed = text.startswith("print(", at)
    head = HEAD.match(text, at + 6 * printed)
    if head is None or head["open"] == "[":
        return None
    written = head["name"].removesuffix(".call")
    name = resolve(written, tools)
    if name is None and written not in ("final_answer", "finish"):
        return None
    args, end = read_arguments(
        text, head.start("open"), tools.get(name or "", {"answer": "string"}), notes
    )
    if printed and not text.startswith(")", end):
        raise Refused("truncated" if end == len(text) else "invalid_input", text[at:end])
    return [Call(written, args)], end + printed


def _python_list(
    text: str, at: int, tools: Signatures, notes: Notes
) -> tuple[list[Call], int] | None:
    calls: list[Call] = []
    at += 1
    while found := read_python(text, at, tools, notes):
        calls += found[0]
        at = re.compile(r"[\s,]*+").match(text, found[1]).end()  # type: ignore[union-attr]
        if text.startswith("]", at):
            return calls, at + 1
    if calls:
        raise Refused("truncated" if at == len(text) else "invalid_input", text[:200])
    return None


def _tagged(
    text: str, head: re.Match[str], tools: Signatures, notes: Notes
) -> tuple[list[Call], int]:
    at = head.end()
    if text.startswith("{", at):
        value = read_value(text, at, notes.off)
        return [Call(head["name"], value.value)], value.end
    params = tools.get(resolve(head["name"], tools) or "", {})
    args: dict[str, Any] = {}
    while opening := _PARAM.match(text, at):
        closing = _PARAM_END.search(text, opening.end())
        if closing is None:
            raise Truncated
        kind = (
            "string" if 'string="true"' in opening["rest"] else params.get(opening["key"], "string")
        )
        args[opening["key"]] = _content(text[opening.end() : closing.start()], kind)
        at = closing.end()
    return [Call(head["name"], args or None)], _closed(text, at)


def _closed(text: str, at: int) -> int:
    """Return the position behind the closing tag, which must be next."""
    closing = re.compile(r"\s*+</[^<>\n]{1,60}>").match(text, at)
    if closing:
        return closing.end()
    raise Truncated if not text[at:].strip() or text.startswith("\nObserv", at) else Invalid(at)


def _content(raw: str, kind: str) -> Any:
    """Read a tag's content; a line break right behind the tag and before its end is layout."""
    if raw.startswith("\n"):
        raw = raw[1:].removesuffix("\n")
    return typed(raw, kind)


def _paired(
    text: str, pair: re.Match[str], tools: Signatures, notes: Notes
) -> tuple[list[Call], int]:
    if not pair["input"]:
        return [Call(pair["name"])], pair.end()
    params = tools.get(resolve(pair["name"], tools) or "", {})
    at = pair.end()
    if text.startswith(("{", "["), at):
        value = read_value(text, at, notes.off)
        return [Call(pair["name"], value.value)], value.end
    if (child := _CHILD.match(text, at)) and child["key"] in params:
        args, at = _children(text, at, params)
        return [Call(pair["name"], args)], _closed(text, at)
    end = text.find(f"</{pair['input']}>", at)
    if end < 0:
        raise Truncated
    return [Call(pair["name"], text[at:end].strip())], end


def _children(text: str, at: int, params: Mapping[str, str]) -> tuple[dict[str, Any], int]:
    """Read `<param>value</param>`, one for each parameter."""
    args: dict[str, Any] = {}
    while (child := _CHILD.match(text, at)) and child["key"] in params:
        closer = f"</{child['key']}>"
        end = text.find(closer, child.end())
        if end < 0:
            raise Truncated
        args[child["key"]] = _content(text[child.end() : end], params[child["key"]])
        at = end + len(closer)
    return args, at


def _glm(text: str, head: re.Match[str], tools: Signatures) -> tuple[list[Call], int]:
    params = tools.get(resolve(head["name"], tools) or "", {})
    args: dict[str, Any] = {}
    at = head.end()
    while key := _GLM_PAIR.match(text, at):
        end = text.find("</arg_value>", key.end())
        if end < 0:
            raise Truncated
        args[key["key"]] = typed(text[key.end() : end], params.get(key["key"], "string"))
        at = end + len("</arg_value>")
    return [Call(head["name"], args or None)], _closed(text, at)


def _tool_tag(text: str, at: int, tools: Signatures) -> tuple[list[Call], int] | None:
    """Read `<tool><param>value</param></tool>`, where the tag is a tool's own name."""
    head = re.compile(r"<(?P<name>[^\W\d][\w-]{0,80})>\s*+").match(text, at)
    if head is None or head["name"] not in tools:
        return None
    name, params, start = head["name"], tools[head["name"]], head.end()
    if text.startswith("{", start):
        value = read_value(text, start)
        return [Call(name, value.value)], value.end
    args, end = _children(text, start, params)
    if args or text.startswith("</", start):
        return [Call(name, args or None)], _closed(text, end)
    end = text.find(f"</{name}>", start)
    if end < 0:
        raise Truncated
    return [Call(name, text[start:end].strip())], end
