"""Schedules: when a fault fires. Frozen, without state, so that a run can be repeated.

A schedule is asked at every occasion (a reply, a tool call, a prompt) and looks only at
what it is told: the step, how often the fault has fired, which tool is concerned.

>>> AtStep(2).fires(Occasion(step=1)), AtStep(2).fires(Occasion(step=2))
(False, True)
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from ..errors import UsageError

if TYPE_CHECKING:
    from ..records import Run


@dataclass(frozen=True, slots=True)
class Occasion:
    """Describe a moment at which a fault could fire.

    `step` counts from 1; `fired` is how often this fault has fired in this run; `tool` is
    the tool concerned, or ""; `key` tells occasions of one run apart.
    """

    step: int = 1
    fired: int = 0
    tool: str = ""
    key: str = ""


class Schedule(Protocol):
    """Decide whether a fault fires."""

    def fires(self, occasion: Occasion) -> bool:
        """Tell whether the fault fires at this occasion."""


@dataclass(frozen=True, slots=True)
class Once:
    """Fire at the first occasion where the fault can change anything."""

    def fires(self, occasion: Occasion) -> bool:
        """Fire until it has fired once."""
        return occasion.fired == 0


@dataclass(frozen=True, slots=True)
class AtStep:
    """Fire once: at step `step` (counted from 1), or the first after it where it can."""

    step: int

    def __post_init__(self) -> None:
        _at_least_one("step", self.step)

    def fires(self, occasion: Occasion) -> bool:
        """Fire once from the step on."""
        return occasion.step >= self.step and occasion.fired == 0


@dataclass(frozen=True, slots=True)
class FirstN:
    """Fire at the first `n` occasions."""

    n: int = 2

    def __post_init__(self) -> None:
        _at_least_one("n", self.n)

    def fires(self, occasion: Occasion) -> bool:
        """Fire until it has fired n times."""
        return occasion.fired < self.n


@dataclass(frozen=True, slots=True)
class EveryTime:
    """Fire at every occasion."""

    def fires(self, occasion: Occasion) -> bool:
        """Fire."""
        return True


@dataclass(frozen=True, slots=True)
class WithProbability:
    """Fire with probability `p`; the same seed makes the same choices again."""

    p: float
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise UsageError(f"p must lie between 0 and 1, got {self.p}")

    def fires(self, occasion: Occasion) -> bool:
        """Draw from a generator seeded by the occasion alone."""
        return random.Random(f"{self.seed}:{occasion.step}:{occasion.key}").random() < self.p


@dataclass(frozen=True, slots=True)
class OnlyTool:
    """Fire as `when` says, but only where tool `tool` is concerned."""

    tool: str
    when: Schedule = EveryTime()

    def fires(self, occasion: Occasion) -> bool:
        """Ask the inner schedule for this tool only."""
        return occasion.tool == self.tool and self.when.fires(occasion)


Place = Literal["early", "middle", "late"]


def at(place: Place, clean_run: Run) -> AtStep:
    """Return the schedule for the first, the middle or the last step of a clean run."""
    length = max(1, len(clean_run.steps))
    steps = {"early": 1, "middle": (length + 1) // 2, "late": length}
    if place not in steps:
        raise UsageError(f"unknown place {place!r}: choose from {', '.join(steps)}")
    return AtStep(steps[place])


def _at_least_one(name: str, value: int) -> None:
    if value < 1:
        raise UsageError(f"{name} must be at least 1, got {value}")
