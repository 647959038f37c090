"""The symptom table: from what you see to what to do (notebook 07).

Every row can be run: `show_symptom(row, agent, task)` switches the row's defences off,
injects its fault and gives the trial in which `row.seen(trial)` is true.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..agent import Agent
from .batch import Check, Trial, try_fault
from .defences import with_all_defences, without_defence
from .schedules import AtStep, EveryTime, Schedule
from .verdicts import ran


@dataclass(frozen=True)
class Symptom:
    """Hold a row: what you see, the likely cause, the defence, and how to reproduce it.

    `off` are the defences to switch off so that the symptom shows; `defence` is the one
    that answers it. `notebook` is where the defence is built.
    """

    see: str
    cause: str
    defence: str
    notebook: str
    fault: str
    off: tuple[str, ...]
    seen: Callable[[Trial], bool] = field(repr=False, compare=False)
    schedule: Schedule | None = None

    @property
    def call(self) -> str:
        """Return the line of Python that reproduces the symptom."""
        when = f", {self.schedule!r}" if self.schedule else ""
        off = "".join(f", {name!r}" for name in self.off)
        base = "with_all_defences(agent)"
        base = f"without_defence({base}{off})" if off else base
        return f"run_agent(inject({base}, {self.fault!r}{when}), question)"


def show_symptom(
    symptom: Symptom, agent: Agent, task: Any, *, seed: int = 0, check: Check | None = None
) -> Trial:
    """Reproduce a row on a task and return the trial."""
    broken = without_defence(with_all_defences(agent), *symptom.off)
    return try_fault(broken, task, symptom.fault, symptom.schedule, seed=seed, check=check)


def describe_symptoms(width: int = 96) -> str:
    """Return the table as text, a block a row."""
    blocks = []
    for symptom in SYMPTOMS:
        lines = [
            f"You see    {symptom.see}",
            f"Cause      {symptom.cause}",
            f"Defence    {symptom.defence} (notebook {symptom.notebook})",
            f"Try        {symptom.call}",
        ]
        blocks.append("\n".join(_wrapped(line, width) for line in lines))
    return "\n\n".join(blocks)


def _wrapped(line: str, width: int) -> str:
    return "\n".join(textwrap.wrap(line, width, subsequent_indent=" " * 11, break_long_words=False))


def _calls(trial: Trial) -> int:
    return sum(len(ran(step)) for step in trial.run.steps) if trial.run else 0


def _stopped(*reasons: str) -> Callable[[Trial], bool]:
    return lambda trial: trial.run is not None and trial.run.stop_reason in reasons


def _verdict(*verdicts: str) -> Callable[[Trial], bool]:
    return lambda trial: trial.judgement.verdict in verdicts


def _tokens(factor: float) -> Callable[[Trial], bool]:
    return lambda t: t.run is not None and t.run.usage.total > factor * t.clean.usage.total


def _same_call_repeated(trial: Trial) -> bool:
    if trial.run is None:
        return False
    calls = [str(action) for step in trial.run.steps for action in ran(step)]
    return any(calls.count(call) >= 3 for call in calls)


def _no_tool_ran(trial: Trial) -> bool:
    return trial.run is not None and trial.run.answer is not None and _calls(trial) == 0


def _errors_in_a_row(trial: Trial) -> bool:
    steps = trial.run.steps if trial.run else ()
    return len(steps) > 3 and all(step.parsed.error for step in steps)


SYMPTOMS: tuple[Symptom, ...] = (
    Symptom(
        "A confident answer with a result that no tool returned.",
        "The model wrote the Observation itself and nothing cut it off.",
        "careful_reading",
        "04",
        "B1",
        ("careful_reading", "premature_finish_guard"),
        _no_tool_ran,
    ),
    Symptom(
        "The model answers at once, from memory.",
        "Nothing asks for a tool result before an answer.",
        "premature_finish_guard",
        "05",
        "B7",
        ("premature_finish_guard",),
        _no_tool_ran,
    ),
    Symptom(
        "The same call stands in the trace again and again.",
        "Nobody told the model that it has made this call before.",
        "repeat_guard",
        "05",
        "B5",
        ("repeat_guard",),
        _same_call_repeated,
    ),
    Symptom(
        "A long run of format errors, step after step.",
        "The model cannot keep the format and nothing counts the failures.",
        "format_error_limit",
        "05",
        "F10",
        ("format_error_limit",),
        _errors_in_a_row,
    ),
    Symptom(
        "Half a sentence, or a cut number, is taken for the answer.",
        "The reply ended at the token limit and finish_reason was not looked at.",
        "finish_reason_check",
        "10",
        "T9",
        ("finish_reason_check",),
        _verdict("wrong answer"),
        AtStep(2),
    ),
    Symptom(
        "A tool is run with arguments that the model only thought about.",
        "The reader took a call out of a reasoning block.",
        "reasoning_dropped",
        "04",
        "F9",
        ("reasoning_dropped",),
        _verdict("unsafe action"),
    ),
    Symptom(
        "The tokens of a run jump after one tool call.",
        "A tool returned a very long text and all of it went into the prompt.",
        "output_limit",
        "03, 08",
        "O4",
        ("output_limit", "window_fit"),
        _tokens(5),
    ),
    Symptom(
        "The run stands still; the cell does not come back.",
        "A tool hangs and has no deadline.",
        "tool_deadline",
        "03",
        "O2",
        ("tool_deadline",),
        _verdict("crash"),
    ),
    Symptom(
        "One bad moment of the network ends the run as llm_error.",
        "A failed call to the model is not made again.",
        "llm_retry",
        "10",
        "T1",
        ("llm_retry",),
        _stopped("llm_error"),
    ),
    Symptom(
        "The first call fails with 400 and names `stop`.",
        "The endpoint does not take stop sequences.",
        "stop_fallback",
        "10",
        "B2",
        ("stop_fallback",),
        _stopped("llm_error"),
    ),
    Symptom(
        "The run ends as max_steps, with no answer, though the results were there.",
        "The model keeps checking and nobody asks it to conclude.",
        "forced_last_turn",
        "05",
        "B9",
        ("forced_last_turn",),
        lambda t: _stopped("max_steps")(t) and t.run is not None and t.run.answer is None,
    ),
    Symptom(
        "Everything looks fine and the answer is wrong.",
        "The data were wrong or old. Nothing in the loop can see that.",
        "none: only a second source",
        "07",
        "O9",
        (),
        _verdict("wrong answer"),
        EveryTime(),
    ),
)
