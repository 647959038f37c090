"""The simulated model: the rules it follows, and the one method a model needs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import UsageError
from ...records import Completion, Message, ToolCall
from ..base import cut_at_stop, estimate_usage
from . import asides
from .common import common_answer
from .deciding import decide
from .history import is_heard
from .memory import invented_answer, invented_observation
from .rules import rules_table
from .slips import care, full_width, slip_in_call, slip_in_text
from .temper import TEMPERS, Temper
from .turn import Turn, read_turn
from .writing import Reply, write, write_observation

_BLOCKS = re.compile(r"<(format|rules|tools|examples)>.*?</\1>", re.DOTALL)


class SimulatedLLM:
    """Play a language model: a deterministic caricature that reads the prompt it is sent.

    It knows the messages, the stop sequences and the tools passed beside them, and nothing
    else; the same messages and seed give the same reply in any process. `temper` is a name
    from TEMPERS or a Temper, whose numbers say how often it errs. It shows how to measure,
    not what real models do: nothing here was fitted to any. `describe()` prints its numbers.

    >>> SimulatedLLM().complete([Message("user", "What is the capital of France?")]).text
    'I need no tool for this. Paris'

    The rules:
    """

    def __init__(self, temper: str | Temper = "obedient", seed: int = 0) -> None:
        if isinstance(temper, str) and temper not in TEMPERS:
            raise UsageError(
                f"unknown temper {temper!r}: choose from {', '.join(TEMPERS)}, or pass a Temper"
            )
        self.temper = TEMPERS[temper] if isinstance(temper, str) else temper
        self.seed = seed

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the reply to the messages, cut before the first stop sequence."""
        turn = read_turn(messages, tools, self.temper, self.seed)
        aside = answer_aside(messages, turn)
        if aside is not None:
            return self._completion(turn, tools, cut_at_stop(aside, stop), ())
        factor = care(
            examples=turn.setup.examples,
            lead_in=turn.conversation.lead_in,
            corrected=turn.corrected,
        )
        reply = slip_in_call(decide(turn), self.temper, turn.dice, factor)
        if turn.setup.form.dialect == "native":
            return self._completion(turn, tools, native_text(reply), native_calls(reply, turn))
        return self._completion(turn, tools, cut_at_stop(write_on(reply, turn, factor), stop), ())

    def _completion(
        self,
        turn: Turn,
        tools: Sequence[dict[str, Any]],
        text: str,
        calls: tuple[ToolCall, ...],
    ) -> Completion:
        usage = estimate_usage(turn.conversation.tokens, tools, text, calls)
        reason = "tool_calls" if calls else "stop"
        return Completion(text, calls, reason, usage, model=f"simulated-{self.temper.name}")

    def describe(self) -> str:
        """Return the temper's numbers and the rules, as text."""
        return f"{self!r}\n\n{self.temper}\n\n{rules_table()}"

    def __repr__(self) -> str:
        return f"SimulatedLLM({self.temper.name!r}, seed={self.seed})"


SimulatedLLM.__doc__ = f"{SimulatedLLM.__doc__}{rules_table()}"


def answer_aside(messages: Sequence[Message], turn: Turn) -> str | None:
    """Return what it says when asked for a plan, a summary, a review or its confidence (R18)."""
    if not messages or messages[-1].role not in ("user", "system") or is_heard(messages[-1]):
        return None
    formatted = turn.setup.form.dialect != "prose"
    if formatted and len(messages) == 1:
        return None
    last = messages[-1].content
    text = last if formatted or turn.setup.tools else "\n".join(m.content for m in messages)
    kind = asides.requested(_BLOCKS.sub("", text))
    if kind is None:
        return None
    language = turn.setup.language
    if kind == "summary":
        return asides.summarise(last, language)
    if kind == "review":
        return asides.review(last, language)
    question = asides.embedded_question(turn.conversation.question)
    about = replace(turn, conversation=replace(turn.conversation, question=question))
    if kind == "plan":
        return asides.write_plan(about.plan, question, text, language)
    known = common_answer(question, language, turn.setup.tools)
    needs_tool = not known and (about.plan is None or bool(about.first_asks))
    if kind == "route":
        return asides.route(text, needs_tool, language)
    return asides.confidence(text, 0.2 if needs_tool else 0.95, language)


def native_text(reply: Reply) -> str:
    """Return what stands beside native calls, or the answer."""
    return reply.answer if reply.answer is not None else reply.verbatim or reply.thought


def native_calls(reply: Reply, turn: Turn) -> tuple[ToolCall, ...]:
    """Return the calls as an endpoint with native tools would."""
    start = sum(bool(item.tool) for item in turn.rounds)
    return tuple(
        ToolCall(f"call_{start + i}", name, json.dumps(args, ensure_ascii=False))
        for i, (name, args) in enumerate(reply.calls, 1)
    )


def write_on(reply: Reply, turn: Turn, factor: float) -> str:
    """Write a reply and go on as if nobody would stop it (R1)."""
    form, number = turn.setup.form, turn.dice.round
    if reply.verbatim:
        return reply.verbatim
    if form.dialect == "prose" and reply.calls:
        name, args = reply.calls[0]
        return turn.say("prose", fact=", ".join(map(str, args.values())), tool=name)
    text = write(reply, form, number)
    slipped = (
        slip_in_text(reply, text, turn.temper, turn.dice, factor)
        if form.dialect != "prose"
        else text
    )
    if slipped == text and reply.calls and turn.first_asks:
        slipped = f"{text}\n{_imagined(turn)}"
    if (
        turn.setup.language == "zh"
        and form.dialect == "lines"
        and turn.dice.happens("full_width", turn.temper.full_width)
    ):
        slipped = full_width(slipped)
    return _from_opened(slipped, turn.conversation.opened)


def _imagined(turn: Turn) -> str:
    form, number = turn.setup.form, turn.dice.round
    assert turn.plan is not None
    heard = write_observation(invented_observation(turn.first_asks[0], turn.dice), form, number)
    answer = Reply(turn.say("enough"), (), invented_answer(turn.plan, turn.dice))
    return f"{heard}\n{write(answer, form, number + 1)}"


def _from_opened(text: str, opened: str) -> str:
    """Leave out the label that the prompt already ends with."""
    return re.sub(rf"^\s*{opened}[^:：\n]*[:：]", "", text) if opened else text
