"""What a tag or a token at the start of a line means: thinking, quotation, call or answer."""

from __future__ import annotations

import re
from collections.abc import Callable

from .notations import read_markup
from .parts import Part, Reply
from .repairs import Refused
from .vocabulary import (
    AFTER_TURN,
    CLOSING_MARKS,
    EVENT_HERE,
    KIND_OF_MARK,
    KIND_OF_TAG,
    MARK,
    REPLY_ENDS,
    TAG,
    TURN,
)

_VISIBLE = re.compile(r"[^\s\u200b-\u200f\u2060\ufeff`~]")
_EVERYONE = re.compile(r"(?:>>>|<\|recipient\|>\s?)all\b\s{0,2}(?:<\|content\|>)?")
_LINE_ENDS = re.compile(r"[ \t]*+(?:[\n\r<]|\Z)")


def kind_of_markup(reply: Reply, at: int) -> str:
    """Return what kind of mark stands at a position; "" for none that is known."""
    if mark := MARK.match(reply.text, at):
        return KIND_OF_MARK[mark[0]]
    tag = TAG.match(reply.text, at)
    if tag is None:
        return ""
    if tag["name"] in reply.tools and tag["after"] == ">":
        return "call"
    kind = KIND_OF_TAG.get(tag["name"].lower(), "")
    return kind if kind == "call" or tag["after"] == ">" else ""


def read_mark(reply: Reply, at: int) -> bool:
    """Handle the mark at a position; tell whether a line counts as beginning behind it."""
    kind = kind_of_markup(reply, at)
    if kind != "observation" and (turn := TURN.match(reply.text, at)):
        return read_turn(reply, at, turn.end())
    handler = _HANDLERS.get(kind, _unknown)
    if not reply.notes.allows(_REPAIRS.get(kind, "quoted_example")):
        reply.position = at + 1
        return False
    return handler(reply, at)


def _closer(reply: Reply, at: int) -> tuple[str, int, int]:
    """Return what closes the mark at a position, where its content begins and ends.

    The end is -1 if nothing closes it; that is looked for only once.
    """
    tag, mark = TAG.match(reply.text, at), MARK.match(reply.text, at)
    if mark:
        closer, start = CLOSING_MARKS[mark[0]], mark.end()
    else:
        assert tag is not None
        closer, start = f"</{reply.text[at + 1 : tag.end('name')]}>", tag.end()
    if closer in reply.unclosed:
        return closer, start, -1
    found = re.compile(re.escape(closer), re.IGNORECASE).search(reply.text, start)
    if found is None:
        reply.unclosed.add(closer)
    return closer, start, found.start() if found else -1


def _reasoning(reply: Reply, at: int) -> bool:
    closer, start, end = _closer(reply, at)
    if closer == "</thought>" and end >= 0:
        return _thought(reply, at, start, end, end + len(closer))
    stop = len(reply.text) if end < 0 else end + len(closer)
    reply.reasoning.append((at, stop))
    if not _VISIBLE.search(reply.text, reply.visible_from, at):
        reply.visible_from = stop
    return reply.skip(at, stop, "reasoning_block")


def _thought(reply: Reply, at: int, start: int, end: int, stop: int) -> bool:
    reply.begin("thought", at, start).end = end
    reply.begin("prose", stop, stop)
    return True


def _quotation(reply: Reply, at: int) -> bool:
    closer, start, end = _closer(reply, at)
    if end < 0:
        reply.position = start
        return False
    return reply.skip(at, end + len(closer), "quoted_example")


def _unknown(reply: Reply, at: int) -> bool:
    """Leave out a tagged block inside a thought; one that ends the reply may hold the step."""
    tag = TAG.match(reply.text, at)
    if tag and tag["after"] == ">" and reply.current.kind in ("thought", "prose"):
        closer, _, end = _closer(reply, at)
        if end >= 0 and not REPLY_ENDS.match(reply.text, end + len(closer)):
            return reply.skip(at, end + len(closer), "quoted_example")
    reply.position = tag.end() if tag else at + 1
    return False


def _observation(reply: Reply, at: int) -> bool:
    return reply.stop(at, "invented_observation")


def _answer(reply: Reply, at: int) -> bool:
    closer, start, end = _closer(reply, at)
    part = reply.begin("answer", at, start)
    if end < 0:
        reply.fail(part, Refused("truncated"))
        reply.position = reply.end
        return False
    part.end = end
    reply.begin("tail", end + len(closer), end + len(closer))
    return True


def _call(reply: Reply, at: int) -> bool:
    if everyone := _EVERYONE.match(reply.text, at):
        reply.begin("answer", at, everyone.end())
        reply.position = reply.end
    elif reply.broken:
        reply.position = at + 1
        return False
    else:
        read_calls(reply, reply.begin("call", at, at), at)
    return True


def read_calls(reply: Reply, part: Part, at: int) -> None:
    """Read native calls into a part."""
    part.kind = "call"
    try:
        part.calls, part.end = read_markup(reply.text, at, reply.tools, reply.notes)
    except Refused as refused:
        reply.fail(part, refused)
        return
    reply.notes.add("native_call", at, part.end)
    reply.begin("tail", part.end, part.end)


_HANDLERS: dict[str, Callable[[Reply, int], bool]] = {
    "reasoning": _reasoning,
    "quotation": _quotation,
    "observation": _observation,
    "answer": _answer,
    "call": _call,
}
_REPAIRS = {
    "reasoning": "reasoning_block",
    "quotation": "quoted_example",
    "observation": "invented_observation",
    "call": "native_call",
    "answer": "",
}


def read_closing(reply: Reply, end: int) -> bool:
    """Forget all before a closing tag that was never opened: it was thinking.

    With words behind it on its line the tag is only mentioned.
    """
    closes = _LINE_ENDS.match(reply.text, end) or EVENT_HERE.match(reply.text, end)
    if closes and reply.notes.allows("reasoning_block"):
        return reply.forget(end)
    reply.position = end
    return False


def read_turn(reply: Reply, at: int, end: int) -> bool:
    """Skip a turn token before the reply; cut at one behind it."""
    if not reply.notes.allows("end_of_turn"):
        reply.position = end
        return False
    if not _VISIBLE.search(reply.text, reply.visible_from, at):
        reply.notes.add("end_of_turn", at, end)
        reply.ignored.append((at, end))
        reply.position = reply.visible_from = end
        if len(reply.parts) == 1:
            reply.parts[0].start = reply.parts[0].label = end
        return True
    if reply.current.kind == "tail" or AFTER_TURN.match(reply.text, end):
        return reply.stop(at, "end_of_turn")
    reply.position = end
    return False
