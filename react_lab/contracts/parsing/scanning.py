"""Go through a reply once, from mark to mark, and cut it into parts.

Values are read as soon as they are met, so that what stands inside them is never taken for
a mark. Each step moves forward, and what cannot be closed is looked for only once: the time
is linear in the text.
"""

from __future__ import annotations

import re

from .acting import read_action, read_given
from .names import is_finish, resolve
from .openings import read_opening
from .parts import Part, Reply
from .python_calls import read_python
from .repairs import Refused
from .tagging import read_calls, read_closing, read_mark, read_turn
from .vocabulary import (
    DANGLING,
    EVENT,
    EVENT_HERE,
    FENCE_LINE,
    KIND_OF_LABEL,
    LINE,
    PLAIN,
    PYTHON_CALL,
    REPLY_ENDS,
    fold_label,
)

#: A reply with more marks than this is no step.
MAX_MARKS = 100
_DEDENTED = re.compile(rf"{LINE}[^\W_]")
_THOUGHT_ENDS = re.compile(rf"{LINE}[ \t]*+</think(?:ing)?>", re.IGNORECASE)
_CODE_CALL = re.compile(r"(?:print\()?(?P<name>[^\W\d][\w.]{0,80})\(")
_MORE_CODE = re.compile(r"\s*+[^\s`~<#]")
_DEDENT = re.compile(r"\n {0,3}\S")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\Z")


def scan(reply: Reply) -> int:
    """Cut a reply into its parts; return how many marks were met."""
    here, marks = True, 0
    while reply.position < reply.end and marks < MAX_MARKS:
        if here and reply.position == reply.visible_from:
            read_opening(reply)
        event = EVENT_HERE.match(reply.text, reply.position) if here else None
        event = event or EVENT.search(reply.text, reply.position, reply.end)
        if event is None:
            break
        marks, before = marks + 1, reply.position
        here = _handle(reply, event)
        if reply.position <= before:
            reply.position = max(event.end(), before + 1)
    _cut_dangling(reply)
    reply.finished()
    return marks


def _handle(reply: Reply, event: re.Match[str]) -> bool:
    """Handle a mark; tell whether what follows counts as the start of a line."""
    kind = event.lastgroup or ""
    if kind.startswith("closing"):
        return read_closing(reply, event.end())
    if kind.startswith(("ends", "starts")):
        return read_turn(reply, reply.after_blanks(event.start()), event.end())
    if kind == "markup":
        return read_mark(reply, event.end())
    readers = {"fence": _fence, "loose": _loose}
    return readers.get(kind, _label)(reply, event)


def _pass(reply: Reply, event: re.Match[str]) -> bool:
    reply.position = event.end()
    return False


def _label(reply: Reply, event: re.Match[str]) -> bool:
    kind = KIND_OF_LABEL.get(
        fold_label(event["name"] or event["boxed"] or event["ticked"]), "other"
    )
    label, prefix = event.start(), _prefix(event)
    headed = event["bare"] is None or set(prefix) & set("#*_") or kind == "observation"
    if not headed or _is_example(reply, label, prefix) or not _counts(reply, event, kind):
        return _pass(reply, event)
    if kind == "observation" and reply.notes.allows("invented_observation"):
        return reply.stop(label, "invented_observation")
    part = reply.begin("other" if kind == "observation" else kind, label, _behind(reply, event))
    if kind == "answer":
        return _answer(reply, part)
    if kind == "action":
        read_action(reply, part)
    elif kind == "input":
        read_given(reply, part)
    return reply.current.kind == "tail"


def _prefix(event: re.Match[str]) -> str:
    """Return what stands before the name of a label on its line."""
    name = next(group for group in ("name", "boxed", "ticked") if event[group])
    return event[0][: event.start(name) - event.start()]


def _counts(reply: Reply, event: re.Match[str], kind: str) -> bool:
    """Tell whether a label counts; note one that is not in its plain form."""
    if kind == "other" or (event[0][-1] in ":：" and event[0][:-1] in PLAIN[kind]):
        return True
    if not reply.notes.allows("label_form"):
        return False
    reply.notes.add("label_form", *event.span(), PLAIN[kind][0] + ":")
    return True


def _behind(reply: Reply, event: re.Match[str]) -> int:
    """Return where a label's content begins: behind the markdown that opened before it."""
    opened = re.search(r"[*_]{1,3}$", _prefix(event).rstrip()[-3:])
    if opened is None or not event["name"] or event["trim"].strip():
        return event.end()
    closed = re.compile(r"[ \t]{0,3}" + re.escape(opened[0])).match(reply.text, event.end())
    return closed.end() if closed else event.end()


def _answer(reply: Reply, part: Part) -> bool:
    """Take the rest as the answer, unless it turns out to have been thought."""
    closing = _THOUGHT_ENDS.search(reply.text, part.start)
    if closing and "<think" not in reply.text[part.start : closing.start()].lower():
        return reply.forget(closing.end())
    reply.position = reply.end
    return False


def _loose(reply: Reply, event: re.Match[str]) -> bool:
    """Cut at an Observation in any spelling, but only behind an action."""
    if reply.current.kind in ("input", "action", "tail") and reply.notes.allows(
        "invented_observation"
    ):
        return reply.stop(event.start(), "invented_observation")
    return _pass(reply, event)


# --- examples: an indented block or a fence inside a thought


def _is_example(reply: Reply, label: int, prefix: str) -> bool:
    """Tell whether a label stands in an indented block inside a thought."""
    indent = len(prefix) - len(prefix.lstrip(" \t"))
    deep = indent >= 4 or "\t" in prefix[:indent]
    if (
        not deep
        or reply.current.kind not in ("thought", "prose")
        or not reply.notes.allows("quoted_example")
    ):
        return False
    before = reply.text[max(0, label - 400) : label]
    first = reply.after_blanks(0)
    if first >= label or first - (reply.text.rfind("\n", 0, first) + 1) >= indent:
        return False
    goes_on = reply.example >= 0 and not _DEDENT.search(reply.text, reply.example, label)
    if goes_on or _BLANK_LINE.search(before) or _returns(reply, label):
        reply.example = label
        reply.notes.add("quoted_example", label, label + len(prefix))
        return True
    return False


def _returns(reply: Reply, at: int) -> bool:
    """Tell whether unindented words without a label follow an indented line."""
    found = _DEDENTED.search(reply.text, at)
    return found is not None and EVENT_HERE.match(reply.text, found.start()) is None


def _fence(reply: Reply, event: re.Match[str]) -> bool:
    """Leave out a fence inside a thought; one that ends the reply may hold the step."""
    line_end = reply.line_end(event.end())
    reply.position = line_end
    language = reply.text[event.end() : line_end].strip()
    if language in ("tool_output", "observation") and reply.notes.allows("invented_observation"):
        return reply.stop(event.start(), "invented_observation")
    if reply.current.kind not in ("thought", "prose", "other", "channel"):
        return False
    closing = None if "fence" in reply.unclosed else FENCE_LINE.search(reply.text, line_end)
    if closing is None:
        reply.unclosed.add("fence")
    elif not REPLY_ENDS.match(reply.text, closing.end()) and reply.notes.allows("quoted_example"):
        return reply.skip(event.start(), closing.end(), "quoted_example")
    _fenced_call(reply, event.start(), reply.after_blanks(line_end))
    return False


def _fenced_call(reply: Reply, label: int, at: int) -> None:
    """Read a call in a fence that ends the reply; labels in it count as elsewhere."""
    if reply.broken or not reply.notes.allows("native_call"):
        return
    if reply.text.startswith(("{", "["), at):
        part = reply.begin("call", label, at)
        read_calls(reply, part, at)
        if part.refused and part.refused.code == "missing_action":  # data, no call
            reply.parts.remove(part)
            reply.broken = False
    elif _CODE_CALL.match(reply.text, at):
        _fenced_code(reply, label, at)


def _fenced_code(reply: Reply, label: int, at: int) -> None:
    part = Part("call", label, at)
    try:
        found = read_python(reply.text, at, reply.tools, reply.notes)
        if found is None:
            return
        part.calls, part.end = found
        _refuse_more_code(reply, part.end)
    except Refused as refused:
        reply.parts.append(part)
        reply.fail(part, refused)
        return
    reply.parts.append(part)
    reply.notes.add("native_call", at, part.end)
    reply.begin("tail", part.end, part.end)


def _refuse_more_code(reply: Reply, at: int) -> None:
    if not _MORE_CODE.match(reply.text, at) or REPLY_ENDS.match(reply.text, at):
        return
    found = PYTHON_CALL.search(reply.text[at : at + 2000])
    second = found and (resolve(found[1], reply.tools) or is_finish(found[1], reply.tools))
    raise Refused("multiple_actions" if second else "invalid_input")


def _cut_dangling(reply: Reply) -> None:
    """Cut half an Observation label at the very end."""
    if reply.current.kind == "answer" or not reply.notes.allows("dangling_stop"):
        return
    tail = reply.text[max(0, reply.end - 60) : reply.end]
    found = DANGLING.search(tail)
    if found and (found.start() or len(tail) == reply.end):
        reply.stop(reply.end - len(tail) + found.start(), "dangling_stop")
