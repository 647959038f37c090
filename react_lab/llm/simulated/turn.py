"""One turn: everything that was read, and the decision what to reply."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...records import Message
from . import chinese, english, notes
from .history import Conversation, Round, read_conversation, within_window
from .knowledge import Knowledge
from .plan import Ask, Plan, resolve_all
from .prompt import Setup, read_form, read_setup
from .results import is_error
from .temper import Dice, Temper
from .wording import fact, phrase

#: What makes an error exact: it names a label, a tool, a parameter or what went wrong.
_EXACT = re.compile(
    r"action|final.?answer|json|parameter|argument|\btool\b|empty|cut off|truncat|quote|<\w+>|\{|参数|工具|为空|空的|截断|引号|最终答案|行动",
    re.IGNORECASE,
)


def read_turn(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], temper: Temper, seed: int
) -> Turn:
    """Read a prompt into everything that the next reply depends on."""
    whole = read_conversation(messages)
    setup = read_setup(whole.setup, tools, whole.question)
    if setup.form.dialect == "prose" and is_error(whole.last):
        setup = replace(setup, form=read_form(whole.last))
    if whole.numbered:
        setup = replace(setup, form=replace(setup.form, numbered=True))
    number = whole.rounds[-1].number + 1 if whole.rounds else 1
    return Turn(
        within_window(whole, temper.window), setup, temper, Dice(seed, whole.question, number)
    )


@dataclass(frozen=True)
class Turn:
    """Hold one turn: what was read, and the temper and dice to react with."""

    conversation: Conversation
    setup: Setup
    temper: Temper
    dice: Dice

    @property
    def rounds(self) -> tuple[Round, ...]:
        """Return the rounds it can see."""
        return self.conversation.rounds

    @property
    def last(self) -> Round | None:
        """Return the last round, or None."""
        return self.rounds[-1] if self.rounds else None

    @property
    def corrected(self) -> bool:
        """Tell whether the last Observation said exactly what was wrong."""
        heard = self.conversation.last
        return is_error(heard) and _EXACT.search(heard) is not None

    @cached_property
    def notes(self) -> Mapping[str, str]:
        """Return what the prompt says it knows already."""
        below = self.conversation.question.partition("\n")[2]
        return notes.read_notes(f"{self.setup.notes}\n{below}", self._understand)

    @cached_property
    def plan(self) -> Plan | None:
        """Return the plan for the question, or None."""
        asked = self.conversation.question
        first = asked.split("\n")[0]
        return self._understand(notes.fill_in_steps(first, asked)) or self._understand(asked)

    def _understand(self, question: str) -> Plan | None:
        if self.setup.language == "zh":
            return chinese.understand(question)
        return english.understand(question)

    @cached_property
    def knowledge(self) -> Knowledge:
        """Return what it has learned."""
        return Knowledge(self.rounds, self.temper, self.dice, self.setup.rules)

    def say(self, key: str, **values: str) -> str:
        """Fill in a phrase of its language."""
        return phrase(key, self.setup.language, **values)

    def name(self, ask: Ask) -> str:
        """Name a fact in its language."""
        return fact(self.setup.language, ask.kind, ask.want, ask.slots)

    @cached_property
    def first_asks(self) -> list[Ask]:
        """Return what the question needs first."""
        return resolve_all(self.plan.parts, lambda ask: None)[1] if self.plan else []
