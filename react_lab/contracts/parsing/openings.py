"""What a whole reply may be besides labelled lines: channels, JSON, or a call by name."""

from __future__ import annotations

import re

from .json_calls import Call
from .notations import read_markup
from .parts import Part, Reply
from .repairs import Notes, Refused
from .strict_json import Invalid, Truncated
from .values import read_value
from .vocabulary import FENCE_BEFORE, MARK, TURN

_NAMED = re.compile(r"(?P<name>[\w.\-]{1,80})[ \t]*+\n\s*+(?=\{)")
_WORDS = re.compile(r"[ \t;.,`)\]}]*+[^\W_]")
_RECIPIENT = re.compile(r"to=([\w.\-]{1,80})")
_HEADED = (
    r"\s{0,4}(?P<name>analysis|commentary|final)"
    r"(?P<to>[^<>]{0,120})(?:<\|constrain\|>[^<>]{0,40})?<\|message\|>"
)
_ROLE = r"(?:<\|start\|>)?(?:assistant)?(?P<role>[^<>]{0,80})"
_CHANNEL = re.compile(rf"{_ROLE}(?:<\|channel\|>|\A){_HEADED}")
_NEXT_CHANNEL = re.compile(rf"<\|channel\|>{_HEADED}")
#: the longest role, with what may open it
_LONGEST_ROLE = 100


def read_opening(reply: Reply) -> None:
    """Read what opens the reply, if it is no labelled line."""
    reply.position = reply.after_blanks(reply.position)
    head = _CHANNEL.match(reply.text, reply.position)
    if head and reply.notes.allows("channels"):
        reply.notes.add("channels", *head.span())
        _channels(reply, head)
    elif reply.notes.allows("native_call"):
        _whole_json(reply)


def _channels(reply: Reply, head: re.Match[str] | None) -> None:
    """Read a reply in channels: analysis is thinking, a recipient makes a call."""
    while head is not None:
        following = _next_channel(reply.text, head.end())
        end = following.start() if following else len(reply.text)
        recipient = _RECIPIENT.search(head["role"] + head["to"])
        if head["name"] == "final":
            called = any(part.kind == "call" for part in reply.parts)
            reply.begin("answer" if called else "channel", head.start(), head.end())
            reply.visible_from = reply.position
            return
        if head["name"] == "commentary" and recipient and not reply.broken:
            _channel_call(reply, head, recipient[1])
        else:
            reply.ignored.append((head.start(), end))
        if head["name"] == "analysis":
            reply.reasoning.append((head.start(), end))
        reply.position, head = end, following
    reply.begin("tail", len(reply.text), len(reply.text))


def _next_channel(text: str, at: int) -> re.Match[str] | None:
    """Find the next head; looking for its role only right before its token saves time."""
    found = _NEXT_CHANNEL.search(text, at)
    return found and _CHANNEL.search(text, max(at, found.start() - _LONGEST_ROLE))


def _channel_call(reply: Reply, head: re.Match[str], name: str) -> None:
    part = reply.begin("call", head.start(), head.end())
    try:
        value = read_value(reply.text, reply.after_blanks(head.end()), reply.notes.off)
    except Truncated:
        reply.fail(part, Refused("truncated"))
    except Invalid:
        reply.fail(part, Refused("invalid_input"))
    else:
        part.calls, part.end = [Call(name, value.value)], value.end


def _whole_json(reply: Reply) -> None:
    """Read JSON, a list of calls or `tool` and JSON below it, where it opens the reply.

    Words behind it on the same line mean that it is only quoted.
    """
    text, start = reply.text, reply.position
    fence = FENCE_BEFORE.match(text, start)
    at = fence.end() if fence else start
    if not text.startswith(("{", "["), at) or MARK.match(text, at) or TURN.match(text, at):
        named = _NAMED.match(text, start)
        if named is None or named["name"] not in reply.tools:
            return
        at = start
    part, notes = Part("call", at, at), Notes(text, reply.notes.off)
    try:
        part.calls, part.end = read_markup(text, at, reply.tools, notes)
    except Refused as refused:
        if text[at] == "[" and refused.code != "truncated":
            return
        part.refused, part.end = Refused(refused.code, text[at : at + 200]), at
    if not part.refused and _WORDS.match(text, part.end):
        return
    if part.refused is None:
        notes.add("native_call", at, part.end)
    reply.notes.merge(list(notes.repairs.values()))
    reply.parts.append(part)
    reply.begin("tail", part.end, part.end)
