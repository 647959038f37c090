"""What stands behind an Action or an Action Input label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .call_syntax import HEAD, read_arguments
from .inputs import read_structured
from .json_calls import Call
from .names import is_finish, resolve
from .parts import Part, Reply
from .repairs import Refused
from .tagging import kind_of_markup, read_calls
from .vocabulary import EVENT_HERE, FENCE_BEFORE, KIND_OF_LABEL, TAG, fold_label

_ANSWER = {"answer": "string"}  # the parameters of finish(...)
_JSON_CALL = re.compile(r"\{(?!\{?\s?[\w.\- ]{1,80}\})|\[\s*+\{")
_QUOTES = re.compile(r"[`*\"' ]{0,4}+")
_BESIDE = re.compile(
    r"(?P<name>[\w.\-`*\"' ]{1,80}?)(?:[ \t*]{0,3}[;,|.]?[ \t]{1,3}\*{0,2}(?i:action[ _-]?input|行动输入)\*{0,2}[ \t]{0,3}"
    r"[:：]\*{0,2}|[ \t]{0,3}[:,]?[ \t]{0,3})\s{0,8}(?:`{3,9}+\w{0,10}\s{0,4})?(?=\{)"
)
_CODE = re.compile(r"\s*+(?:[+*/%\[(](?![*/])|\.\w)")
_CALLED = re.compile(r"([^\W\d][\w.\-]{0,80}) ?[(\[]")


def read_action(reply: Reply, part: Part) -> None:
    """Read what an Action label names: a native call, a call, a tool with its JSON, a name."""
    at = _content(reply, part.start)
    if at < 0 or reply.broken:
        return
    again = EVENT_HERE.match(reply.text, at)
    if again and again["name"] and KIND_OF_LABEL[fold_label(again["name"])] == "action":
        at = reply.after_blanks(again.end())  # the label is stuttered
    part.start = reply.position = at
    if not (_native(reply, part, at) or _called(reply, part, at) or _beside(reply, part, at)):
        reply.position = at


def read_given(reply: Reply, part: Part) -> None:
    """Read what an Action Input label gives, if it is more than a bare text."""
    at = -1 if reply.broken else _content(reply, part.start)
    if at < 0:
        return
    part.start = reply.position = at
    try:
        part.given = read_structured(reply.text, at, _params(reply), reply.notes)
    except Refused as refused:
        reply.fail(part, refused)
        return
    if part.given:
        part.end = part.given.end
        reply.begin("tail", part.end, part.end)


def _content(reply: Reply, at: int) -> int:
    """Return where a label's content begins, perhaps on a later line; -1 for none."""
    start = reply.after_blanks(at)
    if start >= reply.end:
        return -1
    if "\n" in reply.text[at:start] or "\r" in reply.text[at:start]:
        event = EVENT_HERE.match(reply.text, start)
        if event and not event["fence"] and event["markup"] is None:
            return -1
    return start


def _params(reply: Reply) -> Mapping[str, str]:
    """Return the parameters of the tool that was named last."""
    action = next((part for part in reply.parts[-4:][::-1] if part.kind == "action"), None)
    if action is None:
        return {}
    end = action.end if action.end >= 0 else reply.current.label
    name = resolve(reply.first_line(action.start, end), reply.tools)
    return reply.tools[name] if name else _ANSWER


def _native(reply: Reply, part: Part, at: int) -> bool:
    fence = FENCE_BEFORE.match(reply.text, at)
    start = fence.end() if fence else at
    tag = TAG.match(reply.text, start)
    if tag and f"</{tag['name']}" not in reply.text and tag["name"] in reply.tools:
        return False  # `<search>`: a name in angle brackets
    if kind_of_markup(reply, start) != "call" and not _JSON_CALL.match(reply.text, start):
        return False
    if not reply.notes.allows("native_call"):
        reply.fail(part, Refused("invalid_input"))
    else:
        read_calls(reply, part, start)
    return True


def _called(reply: Reply, part: Part, at: int) -> bool:
    """Read `tool(args)` or `tool[text]`; brackets behind a blank may be but a remark."""
    quotes = _QUOTES.match(reply.text, at)
    head = HEAD.match(reply.text, quotes.end() if quotes else at)
    if head is None or not reply.notes.allows("call_syntax"):
        return False
    name = resolve(head["name"], reply.tools)
    if name is None and not is_finish(head["name"], reply.tools):
        return False
    try:
        args, end = _arguments(reply, head, name)
    except Refused as refused:
        if head["blank"] and refused.code == "invalid_input":
            return False
        reply.fail(part, refused)
        return True
    quoted = reply.text[head.end() : head.end() + 1] in ("'", '"', "“")
    if head["blank"] and head["open"] != "[" and isinstance(args, str) and not quoted:
        return False
    part.calls, part.end = [Call(name or head["name"], args)], end
    reply.notes.add("call_syntax", head.start(), end)
    _rest_of_line(reply, part, end)
    return True


def _arguments(reply: Reply, head: re.Match[str], name: str | None) -> tuple[Any, int]:
    at = head.start("open")
    if name is not None:
        return read_arguments(reply.text, at, reply.tools[name], reply.notes)
    try:
        return read_arguments(reply.text, at, _ANSWER, reply.notes)
    except Refused as refused:  # an answer may hold anything up to its bracket
        end = reply.text.find({"[": "]", "(": ")", "（": "）"}[reply.text[at]], at)
        if refused.code == "truncated" or end < 0:
            raise
        return reply.text[at + 1 : end], end + 1


def _rest_of_line(reply: Reply, part: Part, at: int) -> None:
    """Refuse code and a second call behind a call; other words are ignored."""
    rest = reply.text[at : min(reply.line_end(at), at + 2000)]
    if _CODE.match(rest):
        reply.fail(part, Refused("invalid_input"))
        return
    for found in _CALLED.finditer(rest):
        if resolve(found[1], reply.tools) or is_finish(found[1], reply.tools):
            reply.fail(part, Refused("multiple_actions"))
            return
    reply.begin("tail", at, at)


def _beside(reply: Reply, part: Part, at: int) -> bool:
    """Read `tool, Action Input: {...}` and `tool {...}` on the Action line."""
    beside = _BESIDE.match(reply.text, at)
    if (
        beside is None
        or not resolve(beside["name"], reply.tools)
        or not reply.notes.allows("one_line_step")
    ):
        return False
    part.end = beside.end("name")
    reply.notes.add("one_line_step", part.label, beside.end())
    read_given(reply, reply.begin("input", part.end, beside.end()))
    return True
