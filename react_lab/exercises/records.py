"""What an exercise and a quiz question consist of."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["not attempted", "not yet", "passed"]


@dataclass(frozen=True)
class Check:
    """Hold one trial of the learner's object.

    `run` gets the object and returns what is compared with `expected`; `shown` describes
    the input; `look` says where in the notebook to look when it fails.
    """

    shown: str
    run: Callable[[Any], Any]
    expected: Any
    look: str


@dataclass(frozen=True)
class Exercise:
    """Hold one exercise; stub, solution and wrong solutions are source text.

    `name` is what the stub defines. Each of `wrong` is a source and a part of the message
    it must get, which no other wrong solution gets. `goal` has at most 60 words.
    """

    id: str
    title: str
    difficulty: Literal["easy", "medium", "hard"]
    minutes: int
    goal: str
    name: str
    stub: str
    checks: tuple[Check, ...]
    hints: tuple[str, str, str]
    solution: str
    wrong: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> Literal["class", "function"]:
        """Say what the stub defines; imports and decorators may stand before it."""
        found = re.search(rf"^class {self.name}\b", self.stub, re.MULTILINE)
        return "class" if found else "function"


@dataclass(frozen=True)
class Question:
    """Hold one quiz question; `options` maps a letter to (text, explanation)."""

    text: str
    options: dict[str, tuple[str, str]]
    right: str
    hint: str


class InputChanged(Exception):
    """Say that the learner's function changed what it was given."""


def calling(*args: Any) -> Callable[[Any], Any]:
    """Return a `Check.run` that calls the function with copies of `args`.

    Raise InputChanged when the function leaves its input changed.

    >>> calling([2, 1])(sorted)
    [1, 2]
    >>> calling([2, 1])(list.sort)
    Traceback (most recent call last):
        ...
    react_lab.exercises.records.InputChanged: [2, 1] became [1, 2]
    """

    def run(attempt: Any) -> Any:
        given = copy.deepcopy(args)
        got = attempt(*given)
        for before, after in zip(args, given, strict=True):
            if before != after:
                raise InputChanged(f"{before!r} became {after!r}")
        return got

    return run
