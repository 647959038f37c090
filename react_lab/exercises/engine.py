"""Check the learner's own object, under protection, with one of three outcomes."""

from __future__ import annotations

import dis
import inspect
import linecache
import time
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from .progress import remember
from .protecting import code_of, line_of, short, try_out
from .records import Check, Exercise, InputChanged, Outcome
from .registry import find_exercise

#: All checks of one exercise together, so that a cell answers within a second.
SECONDS = 0.8
_MISSING: Any = object()
_EMPTY_OPS = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "COPY_FREE_VARS"}
_hints_shown: dict[str, int] = {}


@dataclass(frozen=True)
class Verdict:
    """Hold one of three outcomes and what to say about it."""

    outcome: Outcome
    message: str


def check(number: str, attempt: Any = _MISSING) -> None:
    """Try an exercise's object and print the outcome; never raise for a wrong attempt.

    Raise UsageError for an exercise number that does not exist, and without an object.
    """
    exercise = find_exercise(number)
    if attempt is _MISSING:
        raise UsageError(f'pass your object too: check("{number}", {exercise.name})')
    verdict = judge(exercise, attempt)
    remember(number, verdict.outcome)
    print(f"{number} {exercise.title}: {verdict.outcome}. {verdict.message}")


def judge(exercise: Exercise, attempt: Any) -> Verdict:
    """Return the outcome and what to say; the first check that fails decides."""
    if is_untouched(attempt):
        line = "Write your answer in place of the stub and run the cell again."
        return Verdict("not attempted", line)
    if problem := _misfit(exercise, attempt):
        return Verdict("not yet", problem)
    deadline = time.monotonic() + SECONDS
    for one in exercise.checks:
        left = max(0.05, deadline - time.monotonic())
        verdict = _try(one, attempt, left, first=one is exercise.checks[0])
        if verdict is not None:
            return verdict
    return Verdict("passed", "Well done.")


def is_untouched(attempt: Any) -> bool:
    """Tell whether an object is None, `...`, or has an empty body (`pass`, `return None`)."""
    if attempt is None or attempt is ...:
        return True
    if not isinstance(attempt, type):
        return _is_empty(attempt)
    own = [m for name, m in vars(attempt).items() if inspect.isfunction(m) and name != "__init__"]
    plain = attempt.__bases__ == (object,) and attempt.__module__ != "builtins"
    return plain and all(map(_is_empty, own))


def _is_empty(function: Any) -> bool:
    code = code_of(function)
    if code is None:
        return False
    steps = list(dis.get_instructions(code))
    values = [step.argval for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST")]
    return {step.opname for step in steps} <= _EMPTY_OPS and values[-1] in (None, ...)


def _misfit(exercise: Exercise, attempt: Any) -> str:
    if isinstance(attempt, type) if exercise.kind == "class" else callable(attempt):
        return ""
    return (
        f'check needs the {exercise.kind} itself: check("{exercise.id}", {exercise.name}), without '
        f"brackets after {exercise.name}; it got {short(attempt)}."
    )


def _try(one: Check, attempt: Any, seconds: float, *, first: bool) -> Verdict | None:
    tried = try_out(lambda: one.run(attempt), one.expected, seconds)
    if tried.same:
        return None
    if not tried.in_time:
        return _not_yet(one, f"nothing within {SECONDS} seconds; is there a loop without an end?")
    if tried.error is None:
        return _not_yet(one, tried.got)
    if isinstance(tried.error, InputChanged):
        return _not_yet(one, f"changed input: {tried.error}. Work on a copy.")
    if isinstance(tried.error, NotImplementedError) and first:
        line = "Replace the line that raises NotImplementedError and run the cell again."
        return Verdict("not attempted", line)
    return _not_yet(one, _raised(tried.error, attempt))


def _raised(error: BaseException, attempt: Any) -> str:
    number = line_of(error, attempt)
    try:
        text = f"{type(error).__name__}: {error}".rstrip(": ")
    except Exception:
        text = type(error).__name__
    where = ""
    if number is not None:
        source = linecache.getline(code_of(attempt).co_filename, number).strip()
        where = f" (line {number} of your cell{': ' if source else ''}{source})"
    return f"it raised {text[:300]}{where}"


def _not_yet(one: Check, got: str) -> Verdict:
    lines = (
        f"  input:    {one.shown}",
        f"  got:      {got}",
        f"  expected: {short(one.expected)}",
        f"  look at:  {one.look}",
    )
    return Verdict("not yet", "\n" + "\n".join(lines))


def hint(number: str) -> None:
    """Print the next of three hints; after the third, the third again.

    A new kernel begins with the first one again.
    """
    exercise = find_exercise(number)
    level = min(_hints_shown.get(number, 0), 2)
    _hints_shown[number] = level + 1
    print(f"{number} hint {level + 1} of 3: {exercise.hints[level]}")
    if level == 2:
        print(f'That was the last hint; solution("{number}") shows a worked answer.')


def solution(number: str) -> None:
    """Print a worked answer."""
    print(find_exercise(number).solution.strip())


def exercise_cell(number: str) -> str:
    """Return the source of an exercise's cell: the stub and its check."""
    exercise = find_exercise(number)
    return f'{exercise.stub.strip()}\n\n\ncheck("{number}", {exercise.name})'


def exercise_text(number: str) -> str:
    """Return the Markdown above an exercise's cell."""
    e = find_exercise(number)
    return (
        f"### Exercise {e.id}: {e.title}\n\n*{e.difficulty}, about {e.minutes} minutes.* {e.goal}"
    )
