"""Decide what a reply says: one action, an answer, or an error (notebook 04).

The scanner has cut the reply into parts. Most decisions are refusals: where two readings
are possible and one of them acts, it is an error.
"""

from __future__ import annotations

import re
from typing import Any

from ...records import Action, FormatError, Parsed
from ..feedback import explain
from .names import resolve
from .outline import kept_text, spans_of, thought_of
from .parts import Part, Reply
from .repairs import Notes, Refused
from .scanning import MAX_MARKS, scan
from .shaping import shape
from .steps import Found, Step, StepReader, clean_answer
from .strict import read_canonical
from .strict_json import Invalid, Truncated
from .values import Signatures, read_value
from .vocabulary import AFTER_TURN, TURN

_VISIBLE = re.compile(r"[^\s\u200b-\u200f\u2060\ufeff`~]")
_EMPTY_FENCE = re.compile(r"(?:```+|~~~+)\w{0,12}")
_INLINE_STEP = re.compile(
    r"(?<![\"'“‘`「\w])action[ \t]*+[:：][ \t]*+(?P<name>[\w.\-`*]{1,80})[ \t;,.|]*+"
    r"action[ _]input[ \t]*+[:：][ \t]*+(?=\{)",
    re.IGNORECASE,
)
INLINE_ANSWER = re.compile(
    r"(?:final answer[*_]{0,2}[ \t]{0,3}[:：][*_]{0,2}|最终答案[ \t]{0,3}[:：])", re.IGNORECASE
)


def parse_reply(
    text: str,
    tools: Any,
    *,
    off: frozenset[str] = frozenset(),
    dialect: str = "lines",
    language: str = "en",
) -> Parsed:
    """Read a reply; never raise, whatever the text.

    `tools` is {name: {parameter: type}} or an object with such `signatures`. `off` switches
    repairs off by name. `dialect` and `language` choose the shape that an error shows; all
    dialects are read.

    >>> parse_reply("Action: search('fjords')", {"search": {"query": "string"}}).actions
    (Action(tool='search', args='fjords', call_id=None),)
    """
    signatures: Signatures = getattr(tools, "signatures", tools)
    quick = read_canonical(text, signatures)
    if quick is not None:
        return quick
    reply = Reply(text, signatures, Notes(text, off))
    found, error = Found(), None
    try:
        found = _decide(reply, scan(reply))
    except Refused as refused:
        said = explain(
            refused.code,
            quote=refused.quote,
            tools=signatures,
            dialect=dialect,
            language=language,
            tool=_meant(reply),
        )
        error = FormatError(refused.code, said)
    return Parsed(
        thought_of(reply, found),
        (found.action,) if found.action else (),
        found.answer,
        error,
        tuple(reply.notes.repairs.values()),
        spans_of(reply),
        kept_text(reply),
    )


def _decide(reply: Reply, marks: int) -> Found:
    """Return the one action or the answer; raise Refused otherwise."""
    if not _says_anything(reply):
        raise Refused("missing_action" if _hides_something(reply) else "empty_output")
    steps = steps_of(reply)
    if marks >= MAX_MARKS:
        raise Refused("multiple_actions" if steps else "missing_action")
    answer = next((part for part in reply.parts if part.kind == "answer"), None)
    if not steps and answer is None:
        return _without_marks(reply)
    return _together(reply, steps, answer)


def _meant(reply: Reply) -> str:
    """Return the tool that the first action names, for an error's example; "" if none is known."""
    action = next((part for part in reply.parts if part.kind in ("action", "call")), None)
    return resolve(reply.named(action), reply.tools) or "" if action else ""


def _says_anything(reply: Reply) -> bool:
    """Tell whether anything is left that is neither hidden nor noise."""
    position = 0
    for start, end in [*sorted(reply.ignored), (reply.end, reply.end)]:
        if start > position and _shows(reply.text[position:start]):
            return True
        position = max(position, end)
    return False


def _shows(text: str) -> bool:
    return _VISIBLE.search(_EMPTY_FENCE.sub("", TURN.sub("", text))) is not None


def _hides_something(reply: Reply) -> bool:
    return bool(reply.reasoning) or (reply.end < len(reply.text) and _shows(reply.text))


def steps_of(reply: Reply) -> list[Step]:
    """Pair each action with the input that belongs to it."""
    steps: list[Step] = []
    for part in reply.parts:
        last = steps[-1] if steps else None
        if part.kind in ("action", "call"):
            if not (last and _stutters(reply, last, part)):
                steps.append(Step(action=part))
        elif part.kind == "input":
            if last and last.wants_input:
                last.given = part
            elif last and last.given and reply.content(last.given) == reply.content(part):
                reply.notes.add("repeated_call", part.label, part.end)
            else:
                steps.append(Step(given=part))
    return steps


def _stutters(reply: Reply, step: Step, part: Part) -> bool:
    """Tell whether an Action line only says again what the one before it said."""
    before = step.action
    if before is None or step.given or before.calls or part.calls or part.refused:
        return False
    name = reply.first_line(part.start, part.end)
    if not name or name != reply.first_line(before.start, before.end):
        return False
    reply.notes.add("repeated_call", part.label, part.end)
    return True


def _together(reply: Reply, steps: list[Step], answer: Part | None) -> Found:
    """Read all steps and the answer; refuse what does not go together."""
    reader = StepReader(reply)
    quote = reader.quote(steps[0]) if steps else ""
    _refuse_different_tools(reader, steps)
    if any(step.action is None for step in steps):
        if answer is None:
            raise Refused("multiple_actions" if len(steps) > 1 else "missing_action", quote)
        steps = [step for step in steps if step.action]
    if answer and any(reader.acts(step) for step in steps):
        raise Refused("action_and_answer", quote)
    found = [item for step in steps for item in reader.read(step)]
    if answer:
        return Found(answer=_answer(reply, answer))
    actions = [item for item in found if item.action]
    if not found:
        raise Refused("missing_action", quote)
    if not actions:
        return found[0]
    if len(actions) < len(found):
        raise Refused("action_and_answer", quote)
    return _one(reply, actions, reader.quote(steps[-1]))


def _refuse_different_tools(reader: StepReader, steps: list[Step]) -> None:
    named = [reader.written(step) for step in steps if step.action and step.action.kind == "action"]
    known = {name for written in named if (name := resolve(written, reader.tools))}
    if len(known) > 1:
        raise Refused("multiple_actions", ", ".join(sorted(known)))


def _one(reply: Reply, found: list[Found], quote: str) -> Found:
    """Return the only call; the same call again is one call."""
    keyed = [_keyed(item.action, reply.tools) for item in found if item.action]
    if any(other != keyed[0] for other in keyed[1:]):
        raise Refused("multiple_actions", quote)
    if len(found) > 1:
        reply.notes.add("repeated_call", reply.parts[-1].label, reply.parts[-1].end)
    return found[0]


def _keyed(action: Action, tools: Signatures) -> tuple[str, Any]:
    """Give a bare text its parameter's name, so that two calls can be compared."""
    if isinstance(action.args, str):
        return action.tool, {next(iter(tools[action.tool]), ""): action.args}
    return action.tool, action.args


# --- a reply without labelled steps


def _without_marks(reply: Reply) -> Found:
    """Look for a step on one line, an answer inside a line, and a channel's answer."""
    plain = [part for part in reply.parts if part.kind in ("thought", "prose", "channel")]
    for part in plain:
        if step := _INLINE_STEP.search(reply.text, part.start, part.end):
            return _inline_step(reply, step)
    for part in plain:
        if found := INLINE_ANSWER.search(reply.text, part.start, part.end):
            reply.notes.add("inline_answer", *found.span())
            reply.parts.append(Part("answer", found.start(), found.end(), reply.end))
            part.end = found.start()
            return Found(answer=_answer(reply, reply.parts[-1]))
    channel = next((part for part in plain if part.kind == "channel"), None)
    if channel:
        return Found(answer=_answer(reply, channel))
    raise Refused("missing_action", next(filter(None, map(reply.content, plain)), ""))


def _inline_step(reply: Reply, step: re.Match[str]) -> Found:
    name = resolve(step["name"], reply.tools)
    if name is None:
        raise Refused("unknown_tool", step[0])
    try:
        value = read_value(reply.text, step.end(), reply.notes.off)
    except Truncated:
        raise Refused("truncated", step[0]) from None
    except Invalid:
        raise Refused("invalid_input", step[0]) from None
    if reply.text[value.end : reply.end].strip(" \r\n`*.;"):
        raise Refused("missing_action", step[0])
    reply.notes.add("one_line_step", *step.span())
    span = step.end(), value.end
    return Found(Action(name, shape(value.value, reply.tools[name], reply.notes, span)))


def _answer(reply: Reply, part: Part) -> str:
    """Return an answer without the turn token that ends it."""
    if part.refused:
        raise part.refused
    for token in TURN.finditer(reply.text, part.start, part.end):
        if AFTER_TURN.match(reply.text, token.end()) and reply.notes.allows("end_of_turn"):
            reply.notes.add("end_of_turn", token.start(), part.end)
            part.end = token.start()
            break
    return clean_answer(reply.text[part.start : part.end])
