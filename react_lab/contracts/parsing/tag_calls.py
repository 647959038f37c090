"""Read a call that is written in tags: a tag with the name, and one for each parameter.

Such a call has no end of its own, so its closing tag must be there, or more parameters may
have been cut off. Each reader returns the calls and where they end, and raises Truncated or
Invalid.
"""

from __future__ import annotations

import re
from typing import Any

from .json_calls import Call
from .names import resolve
from .repairs import Notes
from .strict_json import Invalid, Truncated
from .values import Params, Signatures, read_value, typed

#: a prefix that some models put before every tag's name
NAMESPACE = r"(?:[\w]{1,20}:|｜DSML｜)?"
_HEAD = re.compile(
    rf"<{NAMESPACE}(?:invoke|function|tool|action|tool_call)(?:=|\s{{1,4}}name\s?=\s?)[\"']?(?P<name>[^\"'<>\s=]{{1,80}})[\"']?\s?>\s*+"
)
_PARAM = re.compile(
    rf"\s*+<{NAMESPACE}(?:parameter|param|arg|argument)(?:=|\s{{1,4}}name\s?=\s?)[\"']?(?P<key>[^\"'<>\s=]{{1,80}})[\"']?(?P<rest>[^<>]{{0,80}})>"
)
_PARAM_END = re.compile(rf"</{NAMESPACE}(?:parameter|param|arg|argument)(?:=[^<>]{{0,80}})?>")
_CHILD = re.compile(r"\s*+<(?P<key>[^\W\d][\w-]{0,80})>")
_PAIR = re.compile(
    r"<(?P<tag>action|tool|tool_name|name|action_name|function_name|function)>\s*+(?P<name>[^<>\n]{1,80}?)\s*+</(?P=tag)>"
    r"(?:\s*+<(?P<input>action_input|tool_input|input|arguments|args|parameters|params|action-input)>\s*+)?"
)
_GLM = re.compile(r"(?P<name>[^\W\d][\w.\-]{0,80}+)\s*+(?=<arg_key>|</tool_call>)")
_GLM_PAIR = re.compile(r"\s*+<arg_key>\s*+(?P<key>[^<>]{1,80}?)\s*+</arg_key>\s*+<arg_value>")


def read_tags(text: str, at: int, tools: Signatures, notes: Notes) -> tuple[list[Call], int] | None:
    """Read the call whose tags begin at `at`; None where no tag of a known kind stands there."""
    if head := _HEAD.match(text, at):
        return _tagged(text, head, tools, notes)
    if pair := _PAIR.match(text, at):
        return _paired(text, pair, tools, notes)
    if glm := _GLM.match(text, at):
        return _glm(text, glm, tools)
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


def _children(text: str, at: int, params: Params) -> tuple[dict[str, Any], int]:
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


def read_tool_tag(text: str, at: int, tools: Signatures) -> tuple[list[Call], int] | None:
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
