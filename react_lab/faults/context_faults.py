"""Faults C1 and C2: what the next prompt shows of the past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..records import Step
from .definition import Moment, fault
from .schedules import EveryTime

#: How much text the context fault adds to each step, in characters.
PADDING = 60_000
_LINE = "(log) request served, nothing to report. "


@fault(
    seam="context",
    id="C1",
    recovery="A visible trim policy keeps the prompt inside the window, or a budget ends the run.",
    evidence=("AgentBench CLE", "kern-ai PR#20"),
    schedule=EveryTime(),
)
def window_overflow(steps: Sequence[Step], moment: Moment) -> Sequence[Step]:
    """Past steps drag so much text along that the prompt outgrows the model's window."""
    padding = _LINE * (PADDING // len(_LINE))
    return [_padded(step, padding) for step in steps]


@fault(
    seam="context",
    id="C2",
    recovery="The repeat guard remembers what the prompt has lost and reminds the model of it.",
    evidence=("MAST FM-1.4",),
)
def history_lost(steps: Sequence[Step], moment: Moment) -> Sequence[Step]:
    """The prompt no longer shows any past step."""
    return []


def _padded(step: Step, padding: str) -> Step:
    longer = tuple(replace(o, text=f"{o.text} {padding}") for o in step.observations)
    return replace(step, observations=longer)


CONTEXT_FAULTS = (window_overflow, history_lost)
