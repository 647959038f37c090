"""What a fault is, and how to write your own (notebook 07).

A fault is a function that gets what came through a seam and returns what arrives at the
other side, or raises. Four seams: `reply` (the text of a reply), `transport` (the whole
`Completion`), `tool` (a tool's result), `context` (the steps the next prompt shows).
A fault that returns what it was given has not fired.

>>> @fault(seam="reply")
... def shouting(text, moment):
...     '''The model shouts.'''
...     return text.upper()
>>> shouting
Fault(shouting, at the reply: The model shouts.)
"""

from __future__ import annotations

import inspect
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import UsageError
from ..records import Action, Message
from .schedules import Occasion, Once, Schedule

Seam = Literal["reply", "transport", "tool", "context"]
Expected = Literal["recovered", "safe stop", "not detected"]
SEAMS: tuple[Seam, ...] = ("reply", "transport", "tool", "context")


@dataclass(frozen=True, slots=True)
class Firing:
    """Say that a fault fired: where, and the text before and after, shortened."""

    fault: str
    step: int
    tool: str = ""
    before: str = ""
    after: str = ""


class Firings:
    """Collect what fired during one run; safe to use from several threads.

    `planted` holds calls that a fault wrote where nobody must run them; `hung` says that
    what fired was a tool that did not come back. A new run (step 1 again) clears it all.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forget everything, for the next run."""
        with self._lock:
            self.step = 1
            self.fired: list[Firing] = []
            self.planted: list[Action] = []
            self.hung = False
            self._keys: dict[str, int] = {}

    def begin_step(self, step: int) -> None:
        """Note which step the run is at; step 1 begins a new run."""
        if step == 1:
            self.clear()
        self.step = step

    def occasion(self, fault: str, tool: str = "", key: str = "") -> Occasion:
        """Return the occasion that is now, with a key no other occasion of the run has."""
        with self._lock:
            number = self._keys[key] = self._keys.get(key, 0) + 1
            fired = sum(firing.fault == fault for firing in self.fired)
            return Occasion(self.step, fired, tool, f"{key}#{number}")

    def add(self, firing: Firing) -> None:
        """Record a firing."""
        with self._lock:
            self.fired.append(firing)

    @property
    def count(self) -> int:
        """Return how often a fault really fired in this run."""
        return len(self.fired)

    @property
    def steps(self) -> tuple[int, ...]:
        """Return the steps at which a fault fired."""
        return tuple(firing.step for firing in self.fired)

    def __repr__(self) -> str:
        where = ", ".join(f"{f.fault} at step {f.step}" for f in self.fired)
        return f"Firings({where or 'nothing fired'})"


@dataclass
class Moment:
    """Tell a fault where it is: step, tool, arguments, prompt, and a seeded generator.

    `named` says that the schedule is for this tool alone.
    """

    step: int
    random: random.Random
    log: Firings
    fault: str = ""
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    messages: Sequence[Message] = ()
    stop: Sequence[str] = ()
    named: bool = False

    def plant(self, tool: str, args: Mapping[str, Any] | str) -> None:
        """Remember a call that nobody must run, so that running it can be noticed."""
        args = args if isinstance(args, str) else dict(args)
        self.log.planted.append(Action(tool, args))

    def fire(self, before: object = "", after: object = "") -> None:
        """Record that the fault fired; called for you unless the fault waits."""
        firing = Firing(self.fault, self.step, self.tool, short(before), short(after))
        self.log.add(firing)


Change = Callable[[Any, Moment], Any]


@dataclass(frozen=True)
class Fault:
    """Hold one way to break a run.

    `explanation` is one sentence; `recovery` says what should happen; `expected` is the
    outcome on the fault's own `schedule` with all defences on; `evidence` names public
    reports as repository#number.
    """

    id: str
    name: str
    explanation: str
    seam: Seam
    change: Change = field(repr=False, compare=False)
    recovery: str = ""
    expected: Expected = "recovered"
    evidence: tuple[str, ...] = ()
    schedule: Schedule = Once()

    def __post_init__(self) -> None:
        if self.seam not in SEAMS:
            raise UsageError(f"unknown seam {self.seam!r}: choose from {', '.join(SEAMS)}")

    def __repr__(self) -> str:
        label = self.id if self.id == self.name else f"{self.id} {self.name}"
        return f"Fault({label}, at the {self.seam}: {self.explanation})"


def fault(*, seam: Seam, id: str = "", **details: Any) -> Callable[[Change], Fault]:
    """Make a Fault of a function `change(value, moment)`; its docstring explains it."""

    def make(change: Change) -> Fault:
        name = change.__name__.strip("_")
        text = " ".join((inspect.getdoc(change) or name).split())
        return Fault(id or name, name, text, seam, change, **details)

    return make


def short(value: object, limit: int = 400) -> str:
    """Return a value as text of at most about `limit` characters."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else f"{text[:limit]} ... ({len(text):,} characters)"
