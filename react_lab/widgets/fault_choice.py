"""What is chosen in FaultLab, as data: a fault, when it fires, and which defences are on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..agent import Agent
from ..faults import (
    DEFENCES,
    AtStep,
    EveryTime,
    FirstN,
    Once,
    OnlyTool,
    Schedule,
    Trial,
    WithProbability,
    find_fault,
    run_batch,
    try_fault,
    with_defences,
)
from ..faults.batch import Check, defences_label

When = Literal["its own", "once", "at step", "first n", "every time", "probability"]
WHEN: tuple[When, ...] = ("its own", "once", "at step", "first n", "every time", "probability")
ANY_TOOL = "any tool"


@dataclass(frozen=True)
class Choice:
    """Hold everything that is chosen; `number` is the step or n, `off` the defences off."""

    fault: str = "F1"
    when: When = "its own"
    number: int = 2
    p: float = 0.5
    seed: int = 0
    tool: str = ANY_TOOL
    off: tuple[str, ...] = ()

    def schedule(self) -> Schedule | None:
        """Return the schedule, or None for the fault's own."""
        made: dict[str, Schedule] = {
            "its own": find_fault(self.fault).schedule,
            "once": Once(),
            "at step": AtStep(self.number),
            "first n": FirstN(self.number),
            "every time": EveryTime(),
            "probability": WithProbability(self.p, self.seed),
        }
        if self.tool != ANY_TOOL:
            return OnlyTool(self.tool, made[self.when])
        return None if self.when == "its own" else made[self.when]

    def defended(self, agent: Agent) -> Agent:
        """Return the agent with the chosen defences on and all others off."""
        return with_defences(agent, [name for name in DEFENCES if name not in self.off])

    def code(self) -> str:
        """Return the Python lines that do the same."""
        off = "".join(f", {name!r}" for name in self.off)
        agent = "with_all_defences(agent)"
        if len(self.off) == len(DEFENCES):
            agent = "with_defences(agent, [])"
        elif off:
            agent = f"without_defence({agent}{off})"
        schedule = self.schedule()
        when = f", {schedule!r}" if schedule else ""
        seed = f", seed={self.seed}" if self.seed else ""
        return f"broken = inject({agent}, {self.fault!r}{when}{seed})\nrun_agent(broken, question)"

    def run(self, agent: Agent, task: Any, *, check: Check | None = None) -> Trial:
        """Run a task once without and once with the fault."""
        return try_fault(
            self.defended(agent),
            task,
            self.fault,
            self.schedule(),
            seed=self.seed,
            check=check,
            defences=defences_label(self.off),
        )

    def batch(
        self, agent: Agent, tasks: Sequence[Any], seeds: int, *, check: Check | None = None
    ) -> Iterator[Trial]:
        """Yield trials of the fault with all defences on and, if it differs, as chosen."""
        return run_batch(
            lambda seed: agent,
            tasks,
            [self.fault],
            seeds=range(self.seed, self.seed + seeds),
            off=list(dict.fromkeys([(), self.off])),
            plan=lambda fault, clean, seed: self.schedule() or fault.schedule,
            check=check,
        )

    def batch_size(self, tasks: Sequence[Any], seeds: int) -> int:
        """Return how many trials such a batch has."""
        return len(tasks) * seeds * (2 if self.off else 1)
