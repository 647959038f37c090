"""The decision what to reply: reactions to the last Observation first, then the plan.

Each function is one rule or one step of `rules`; the first that has something to say wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import notes
from .chains import lookup_term
from .choosing import choose, write_arguments
from .common import common_answer
from .history import Round
from .injection import instruction_to_obey
from .knowledge import rounds_about
from .memory import invented_answer
from .plan import Absent, Ask, Plan, resolve_all
from .results import LABELS_INSIDE, earlier_result, has_hint, is_empty, is_error
from .turn import Turn
from .writing import Reply


def decide(turn: Turn) -> Reply:
    """Decide what to reply."""
    reactions = (
        _lost,
        _obey,
        _repeat_mistake,
        _outside,
        _repeat_round,
        _remember,
    )
    for react in reactions:
        if reply := react(turn):
            return reply
    assert turn.plan is not None
    return _go_on(turn, turn.plan)


def _lost(turn: Turn) -> Reply | None:
    """R12: the question fell out of the window."""
    if turn.conversation.question:
        return None
    return Reply(turn.say("forgot"), (), turn.say("lost", text=turn.conversation.last[:120] or "-"))


def _obey(turn: Turn) -> Reply | None:
    """R14: an instruction inside an Observation."""
    if "observations_are_data" in turn.setup.rules:
        return None
    if not turn.dice.happens("obedience", turn.temper.obedience_to_data):
        return None
    found = instruction_to_obey(turn.rounds, turn.setup.tools)
    return replace(found, thought=turn.say("obeying")) if found else None


def _repeat_mistake(turn: Turn) -> Reply | None:
    """R8: the same again after an error that does not say what was wrong."""
    last = turn.last
    if not last or not is_error(last.heard or "") or not last.said and not last.tool:
        return None
    if last.tool and not _missing(turn):
        return None
    rate = turn.temper.exact_error if turn.corrected else turn.temper.vague_error
    if not turn.dice.happens("same mistake", rate):
        return None
    native = turn.setup.form.dialect == "native"
    return _again(turn, last, "again") if native and last.tool else Reply(verbatim=last.said)


def _again(turn: Turn, item: Round, why: str) -> Reply:
    args = (
        item.args if isinstance(item.args, Mapping) else {"input": item.args} if item.args else {}
    )
    thought = f"{_about_last(turn)} {turn.say(why)}".strip() if why == "check" else turn.say(why)
    return Reply(thought, ((item.tool, args),))


def _outside(turn: Turn) -> Reply | None:
    if answer := notes.answered_before(turn.conversation.question.split("\n")[0], turn.notes):
        return Reply(turn.say("noted"), (), answer)
    known = common_answer(turn.conversation.question, turn.setup.language, turn.setup.tools)
    if known:
        return Reply(turn.say("easy"), (), known)
    return None if turn.plan else Reply(turn.say("no_script"), (), turn.say("outside"))


def _repeat_round(turn: Turn) -> Reply | None:
    """R5 and R11: labels inside the last Observation; or a temper that repeats itturn."""
    last = turn.last
    if not last or not last.tool:
        return None
    careful = "no_repeat" in turn.setup.rules
    if turn.dice.happens("same call", turn.temper.same_call * (0.3 if careful else 1)):
        return _again(turn, last, "check")
    heard = last.heard or ""
    if is_error(heard) or not LABELS_INSIDE.search(heard):
        return None
    first = sum(item.call == last.call for item in turn.rounds) == 1
    rate = turn.temper.label_confusion if first else 0.0 if careful else turn.temper.looping
    return _again(turn, last, "open") if turn.dice.happens("label confusion", rate) else None


def _remember(turn: Turn) -> Reply | None:
    """R9: an answer from memory where nothing asks for a tool."""
    if "tool_first" in turn.setup.rules or turn.rounds or not turn.first_asks:
        return None
    rate = turn.temper.memory_answer if turn.setup.tools else 1.0
    return _invent(turn) if turn.dice.happens("memory", rate) else None


def _invent(turn: Turn) -> Reply:
    assert turn.plan is not None
    return Reply(turn.say("memory"), (), invented_answer(turn.plan, turn.dice))


def _find(turn: Turn, ask: Ask) -> str | None:
    return turn.notes.get(notes.key(ask)) or turn.knowledge.find(ask)


def _missing(turn: Turn) -> bool:
    try:
        return not turn.plan or bool(resolve_all(turn.plan.parts, lambda ask: _find(turn, ask))[1])
    except Absent:
        return True


def _go_on(turn: Turn, plan: Plan) -> Reply:
    try:
        values, missing = resolve_all(plan.parts, lambda ask: _find(turn, ask))
        if not missing:
            return _finish(turn, plan, values)
        if turn.conversation.last_call:
            return _best_so_far(turn, missing[0])
        return _ask(turn, missing)
    except Absent as absent:
        named = turn.name(absent.ask)
        return Reply(turn.say("gone", fact=named), (), turn.say("not_found", fact=named))


def _best_so_far(turn: Turn, ask: Ask) -> Reply:
    good = [item.heard for item in turn.rounds if item.tool and not is_error(item.heard or "")]
    found = "; ".join(text for text in good if text and not is_empty(text))
    answer = turn.say("unfinished", found=found) if found else turn.say("nothing")
    return Reply(turn.say("gone", fact=turn.name(ask)), (), answer)


def _ask(turn: Turn, missing: Sequence[Ask]) -> Reply:
    at_once = len(missing) if turn.setup.form.dialect == "native" else 1
    calls = [call for ask in missing[:at_once] if (call := _call(turn, turn.knowledge.meant(ask)))]
    if calls:
        return Reply(_thought(turn, missing[0]), tuple(calls))
    if "tool_first" not in turn.setup.rules:
        return _invent(turn)
    named = turn.name(missing[0])
    return Reply(turn.say("no_tool", fact=named), (), turn.say("cannot", fact=named))


def _call(turn: Turn, ask: Ask) -> tuple[str, Mapping[str, Any]] | None:
    about = rounds_about(ask, turn.rounds)
    if ask.kind == "entity" and any(not is_empty(item.heard or "") for item in about):
        ask, about = Ask("lookup", {"term": lookup_term(ask.slots["relation"])}), []
    hinted = bool(about) and has_hint(about[-1].heard or "")
    tried = [
        r.tool
        for r in about
        if not is_error(r.heard or "") and (hinted or not is_empty(r.heard or ""))
    ]
    name = choose(ask, turn.setup.tools, tried, turn.temper, turn.dice)
    if hinted and name in tried:
        ask = _otherwise(turn, ask)
    return (name, write_arguments(ask, turn.setup.tools[name], turn.rounds)) if name else None


def _otherwise(turn: Turn, ask: Ask) -> Ask:
    """R7: after an empty result with a hint, another keyword; without one, give up."""
    keywords = ask.slots.get("query", "").split()
    if len(keywords) < 2:
        raise Absent(ask)
    return replace(ask, slots={**ask.slots, "query": max(keywords, key=len)})


def _thought(turn: Turn, ask: Ask) -> str:
    summing = ask.kind == "sum" and turn.rounds
    need = turn.say("summed") if summing else turn.say("need", fact=turn.name(ask))
    return f"{_about_last(turn)} {need}".strip()


def _about_last(turn: Turn) -> str:
    heard = turn.last.heard if turn.last else None
    if not turn.last or heard is None:
        return ""
    if is_error(heard):
        return turn.say("corrected")
    if "summarise_first" in turn.setup.rules:
        return turn.say("told", text=earlier_result(heard)[:160])
    what = next(
        (turn.name(a) for a in turn.knowledge.seen if turn.last in rounds_about(a, turn.rounds)),
        "",
    )
    return turn.say("shows", what=what or earlier_result(heard)[:60].rstrip(".。 "))


def _finish(turn: Turn, plan: Plan, values: Sequence[str]) -> Reply:
    if check := _needless_check(turn):
        return check
    return Reply(f"{_about_last(turn)} {turn.say('enough')}".strip(), (), plan.answer(values))


def _needless_check(turn: Turn) -> Reply | None:
    """R10: one more look where nothing says to answer at once."""
    good = [item for item in turn.rounds if item.tool and not is_error(item.heard or "")]
    if "answer_soon" in turn.setup.rules or len(good) > len(turn.knowledge.seen) or not good:
        return None
    if not turn.dice.happens("extra check", turn.temper.extra_check):
        return None
    return _again(turn, replace(good[-1], args=_written_otherwise(good[-1].args)), "check")


def _written_otherwise(args: Mapping[str, Any] | str) -> Mapping[str, Any] | str:
    if isinstance(args, str):
        return args
    return {
        name: value
        if not isinstance(value, str)
        else f"({value})"
        if re.search(r"\d [-+*/]", value)
        else value.lower()
        for name, value in args.items()
    }
