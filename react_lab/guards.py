"""Guards: rules that stop a run or nudge the model (notebook 05).

A guard is asked with the run so far and the draft of the next step (sent, received and
read, but not yet acted on). It returns nothing, a `Nudge` (told to the model instead of
running the tool) or a `Stop`. The loop asks all of them: the first Stop ends the run, the
first Nudge replaces the tool call. Adding a rule never touches the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .errors import UsageError
from .records import Action, Run, Step, StopReason

TEXTS = {
    "en": {
        "repeat": "You made this same call at step {step} and got: {text} Use that result, or do something else.",
        "premature": "Use a tool before you answer: no tool has returned anything yet.",
    },
    "zh": {
        "repeat": "你在第 {step} 步已经做过同样的调用，结果是：{text} 请使用该结果，或换一种做法。",
        "premature": "回答之前请先使用工具：目前还没有任何工具返回结果。",
    },
}


@dataclass(frozen=True, slots=True)
class Nudge:
    """Tell the model something instead of running its tool."""

    text: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run; with `run_tools` the step's tool is still run, so that it is not lost."""

    reason: StopReason
    detail: str
    run_tools: bool = False


class Guard(Protocol):
    """Look at the run and the draft of its next step."""

    def check(self, run: Run, draft: Step) -> Nudge | Stop | None:
        """Return what to do, or None."""


@dataclass(frozen=True)
class StepLimit:
    """End the run at step `limit`, after its tool has run."""

    limit: int = 8

    def __post_init__(self) -> None:
        _at_least_one("limit", self.limit)

    def check(self, run: Run, draft: Step) -> Stop | None:
        """Stop at the last allowed step."""
        if len(run.steps) + 1 < self.limit:
            return None
        return Stop("max_steps", f"no answer within {self.limit} steps", run_tools=True)


@dataclass(frozen=True)
class TokenBudget:
    """End the run once `tokens` (prompt and completion together) have been spent."""

    tokens: int

    def __post_init__(self) -> None:
        _at_least_one("tokens", self.tokens)

    def check(self, run: Run, draft: Step) -> Stop | None:
        """Stop when this step's tokens reach the budget."""
        spent = run.usage.total + draft.usage.total
        if spent < self.tokens:
            return None
        return Stop("token_budget", f"{spent:,} of {self.tokens:,} tokens spent", run_tools=True)


@dataclass(frozen=True)
class FormatErrorLimit:
    """End the run after `limit` format errors in a row; any good step starts the count anew."""

    limit: int = 3

    def __post_init__(self) -> None:
        _at_least_one("limit", self.limit)

    def check(self, run: Run, draft: Step) -> Stop | None:
        """Stop when this and the steps before it could not be read."""
        if draft.parsed.error is None or len(run.steps) + 1 < self.limit:
            return None
        recent = run.steps[len(run.steps) + 1 - self.limit :]
        if any(step.parsed.error is None for step in recent):
            return None
        return Stop("format_errors", f"{self.limit} in a row, the last: {draft.parsed.error.code}")


@dataclass(frozen=True)
class RepeatLimit:
    """Remind at the second identical call, end the run at call number `limit`.

    Only the last `window` steps count, so a cycle A-B-A-B is seen too. A call that failed
    may be tried again (it counts, but is not nudged). Tools named in `repeatable` are free.
    """

    limit: int = 3
    window: int = 10
    repeatable: frozenset[str] = frozenset({"clock"})
    language: str = "en"

    def __post_init__(self) -> None:
        _at_least_one("limit", self.limit)
        _at_least_one("window", self.window)

    def check(self, run: Run, draft: Step) -> Nudge | Stop | None:
        """Compare the draft's calls with those of the last steps."""
        actions = draft.parsed.actions
        tools = {action.tool for action in actions}
        if tools <= self.repeatable:  # also where nothing is called
            return None
        first = max(0, len(run.steps) - self.window)
        recent = enumerate(run.steps[first:], first + 1)
        same = [number for number, step in recent if _same_calls(step.parsed.actions, actions)]
        if not same:
            return None
        if len(same) + 1 >= self.limit:
            called = ", ".join(sorted(tools))
            times = f"{len(same) + 1} times with the same arguments"
            return Stop("repeated_action", f"{called} called {times}")
        return self._remind(run, same)

    def _remind(self, run: Run, same: Sequence[int]) -> Nudge | None:
        for number in same:
            step = run.steps[number - 1]
            if any(o.status in ("ok", "empty") for o in step.observations):
                text = TEXTS[self.language]["repeat"].format(step=number, text=step.observation)
                return Nudge(text.replace("\n", " | "))
        return None


@dataclass(frozen=True)
class PrematureFinish:
    """Refuse an answer before any tool has returned, at most `times` times."""

    times: int = 1
    language: str = "en"

    def check(self, run: Run, draft: Step) -> Nudge | None:
        """Nudge when there is an answer and nothing to base it on."""
        if draft.parsed.answer is None:
            return None
        if any(o.status in ("ok", "empty") for s in run.steps for o in s.observations):
            return None
        nudged = sum(step.guard == type(self).__name__ for step in run.steps)
        return Nudge(TEXTS[self.language]["premature"]) if nudged < self.times else None


def default_guards(language: str = "en") -> tuple[Guard, ...]:
    """Return the guards an agent has unless told otherwise: 8 steps, 3 format errors, 3 repeats."""
    return StepLimit(8), FormatErrorLimit(3), RepeatLimit(3, language=language)


def _same_calls(calls: Sequence[Action], others: Sequence[Action]) -> bool:
    """Compare tools and arguments, but not the ids of the calls, which always differ."""
    if len(calls) != len(others) or calls[0].args != others[0].args:
        return False  # in a hurry: this is asked for each of the last steps, at each step
    pairs = zip(calls, others, strict=True)
    return all(a.tool == b.tool and a.args == b.args for a, b in pairs)


def _at_least_one(name: str, value: int) -> None:
    if value < 1:
        raise UsageError(f"{name} must be at least 1, got {value}")
