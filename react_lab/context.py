"""Context policies: which past steps the next prompt shows, whole or shortened (notebook 08).

A policy returns steps, not text: the contract writes them. Returning `steps` itself means
"show all as they are", and lets the loop extend the last prompt instead of building anew.
Failed observations are never dropped or shortened: a model that no longer sees what went
wrong does it again.

>>> first_sentence("Lisbon 24.5 °C, clear. Light wind from the north.")
'Lisbon 24.5 °C, clear. (shortened)'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from .errors import UsageError
from .records import Completion, Message, Messages, Observation, Parsed, Step, Usage

if TYPE_CHECKING:
    from .llm.base import LLM

_SENTENCE = re.compile(r"[.!?](?=\s)|[。！？]")
_SUMMARISE = {
    "en": "Summarise these steps in at most two sentences. Keep every number and name.\n\n{text}",
    "zh": "用最多两句话概括这些步骤，保留所有数字和名称。\n\n{text}",
}
_SUMMARY = {"en": "Summary of earlier steps: {text}", "zh": "先前步骤的概括：{text}"}


class ContextPolicy(Protocol):
    """Choose what the model sees of the past."""

    def select(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Return the steps to show, oldest first."""


@dataclass(frozen=True)
class KeepAll:
    """Show every step as it was."""

    def select(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Return the steps as they are."""
        return steps


@dataclass(frozen=True)
class KeepLast:
    """Show the last `n` steps, and older ones only where something failed."""

    n: int = 3

    def __post_init__(self) -> None:
        _check_window(self.n)

    def select(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Return the window and the failures before it."""
        if len(steps) <= self.n:
            return steps
        return [*filter(failed, steps[: -self.n]), *steps[-self.n :]]


@dataclass(frozen=True)
class FirstSentences:
    """Show the last `n` steps whole, and of older ones the first sentence they observed."""

    n: int = 2

    def __post_init__(self) -> None:
        _check_window(self.n)

    def select(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Return all steps, the older ones shortened."""
        if len(steps) <= self.n:
            return steps
        return [*map(_shortened, steps[: -self.n]), *steps[-self.n :]]


@dataclass(frozen=True)
class Summarise:
    """Show the last `n` steps whole, and of older ones a summary that `llm` writes.

    Older steps are summarised in blocks of `block` steps, each block once: `calls` and
    `usage` tell what that cost. A step that waits for its block to fill is shown whole.
    """

    llm: LLM
    n: int = 2
    block: int = 3
    language: str = "en"
    summaries: dict[str, Completion] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        _check_window(self.n)
        _check_window(self.block)

    @property
    def calls(self) -> int:
        """Return how many summaries the model has written."""
        return len(self.summaries)

    @property
    def usage(self) -> Usage:
        """Return the tokens those calls cost, where the model reported them."""
        return sum((c.usage for c in self.summaries.values() if c.usage), Usage(estimated=False))

    def select(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Return a summary for each full block, the failures in it, and the rest whole."""
        full = max(0, len(steps) - self.n) // self.block * self.block
        if full == 0:
            return steps
        shown: list[Step] = []
        for start in range(0, full, self.block):
            block = steps[start : start + self.block]
            shown += [self._summary(block), *filter(failed, block)]
        return [*shown, *steps[full:]]

    def _summary(self, block: Sequence[Step]) -> Step:
        text = "\n".join(str(step) for step in block if not failed(step))
        if text not in self.summaries:
            asked = Messages([Message("user", _SUMMARISE[self.language].format(text=text))])
            self.summaries[text] = self.llm.complete(asked)
        written = _SUMMARY[self.language].format(text=self.summaries[text].text.strip())
        spoken = Completion("", finish_reason="none")
        return Step(Messages(), spoken, Parsed(), (Observation(written, full=written),))


def failed(step: Step) -> bool:
    """Tell whether a step taught the model something it must not forget: that it failed."""
    return any(o.status not in ("ok", "empty") for o in step.observations)


def first_sentence(text: str) -> str:
    """Return the first sentence, marked as shortened where something was left out."""
    end = _SENTENCE.search(text)
    if end is None or not text[end.end() :].strip():
        return text
    return f"{text[: end.end()]} (shortened)"


def _shortened(step: Step) -> Step:
    if failed(step):
        return step
    short = tuple(replace(o, text=first_sentence(o.text)) for o in step.observations)
    return replace(step, observations=short)


def _check_window(n: int) -> None:
    if n < 1:
        raise UsageError(f"a window must hold at least 1 step, got {n}")
