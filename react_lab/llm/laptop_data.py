"""What the small real model wrote, recorded: shown by notebook 10 where it is not installed.

Two files of JSON Lines in `data/`, each with a first line about model, date and settings.
`smollm2_135m_runs.jsonl` holds whole runs of built-in tasks in several ways of asking, made
by `tests/benchmarks/record_laptop.py`; whether an answer is right is what `check_answer`
says of it today. `smollm2_135m_kinds.jsonl` holds single replies by the kind of what they
are, some good and most not.

>>> laptop_about()["model"]
'smollm2-135m'
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ..errors import UsageError

_RUNS, _KINDS = "smollm2_135m_runs.jsonl", "smollm2_135m_kinds.jsonl"


@dataclass(frozen=True)
class LaptopStep:
    """Hold one recorded turn; `error` is the format error's code, "" where it was readable."""

    messages: int
    prompt_tokens: int
    completion_tokens: int
    last_message: str
    reply: str
    finish_reason: str
    well_formed: bool
    error: str
    repairs: tuple[str, ...]
    observation: str


@dataclass(frozen=True)
class LaptopRun:
    """Hold one recorded run of a built-in task."""

    mode: str
    task: str
    question: str
    answer: str | None
    right: bool
    stop_reason: str
    steps: tuple[LaptopStep, ...]


@dataclass(frozen=True)
class LaptopReply:
    """Hold one recorded reply, by the kind of what it is."""

    kind: str
    mode: str
    question: str
    temperature: float
    stop_sent: bool
    finish_reason: str
    reply: str


@dataclass(frozen=True)
class LaptopCounts:
    """Count the runs of one way of asking."""

    mode: str
    runs: int
    first_well_formed: int
    right: int
    mean_steps: float


def laptop_about() -> Mapping[str, Any]:
    """Return model, file, server, date, settings and ways of asking of the recorded runs."""
    return dict(_load(_RUNS)[0]["about"])


def laptop_runs(mode: str | None = None) -> tuple[LaptopRun, ...]:
    """Return the recorded runs, of one way of asking or all; raise UsageError for no such way."""
    _check(mode, list(laptop_about()["modes"]), "mode")
    return tuple(_run(line) for line in _load(_RUNS)[1:] if mode in (None, line["mode"]))


def laptop_counts() -> tuple[LaptopCounts, ...]:
    """Count well-formed first replies, right answers and steps for each way of asking."""
    return tuple(_count(mode, laptop_runs(mode)) for mode in laptop_about()["modes"])


def laptop_replies(kind: str | None = None) -> tuple[LaptopReply, ...]:
    """Return recorded replies, of one kind or all; raise UsageError for no such kind."""
    lines = _load(_KINDS)
    _check(kind, list(lines[0]["about"]["counts"]), "kind")
    return tuple(LaptopReply(**line) for line in lines[1:] if kind in (None, line["kind"]))


def laptop_kinds() -> Mapping[str, int]:
    """Return how often each kind came among all replies recorded, the commonest first."""
    return dict(_load(_KINDS)[0]["about"]["counts"])


def _run(line: Mapping[str, Any]) -> LaptopRun:
    steps = (LaptopStep(**(step | {"repairs": tuple(step["repairs"])})) for step in line["steps"])
    return LaptopRun(**{**line, "steps": tuple(steps)})


def _count(mode: str, runs: tuple[LaptopRun, ...]) -> LaptopCounts:
    return LaptopCounts(
        mode,
        len(runs),
        sum(run.steps[0].well_formed for run in runs),
        sum(run.right for run in runs),
        sum(len(run.steps) for run in runs) / max(1, len(runs)),
    )


def _check(given: str | None, known: list[str], what: str) -> None:
    if given is not None and given not in known:
        raise UsageError(f"no {what} {given!r}: choose from {', '.join(known)}")


@cache
def _load(name: str) -> tuple[dict[str, Any], ...]:
    text = (files(__package__) / "data" / name).read_text("utf-8")
    return tuple(json.loads(line) for line in text.split("\n") if line)
