"""Many runs with faults in them: one trial at a time, so that a caller can watch and stop.

Each trial injects anew, so trials share nothing and the same arguments give the same
trial again. The clean run of a task and seed is made once.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..agent import Agent, run_agent
from ..records import Run
from .catalogue import find_fault
from .defences import DEFENCES, with_all_defences, without_defence
from .definition import Fault, Firing, Firings
from .injecting import inject
from .schedules import Once, Place, Schedule, at
from .verdicts import Judgement, Recovery, judge, recovery_path

Check = Callable[[Any, str], bool]
Admits = Callable[[str], bool]
ALL_ON = "all on"
HARMFUL = ("wrong answer", "crash", "unsafe action")
#: A share must change by this much to count as visible.
VISIBLE = 0.05


Plan = Callable[[Fault, Run, int], Schedule]


@dataclass(frozen=True)
class Trial:
    """Hold one faulted run beside its clean one; `defences` is "all on" or what is off."""

    fault: str
    defences: str
    question: str
    seed: int
    clean: Run
    run: Run | None
    judgement: Judgement
    fired: tuple[Firing, ...] = ()
    clean_right: bool = True

    @property
    def counts(self) -> bool:
        """Tell whether this trial measures recovery: the fault fired, and clean is right."""
        return bool(self.fired) and self.clean_right

    @property
    def recoveries(self) -> tuple[Recovery, ...]:
        """Return what answered the fault."""
        return recovery_path(self.run) if self.run else ()


def own_schedule(fault: Fault, clean: Run, seed: int) -> Schedule:
    """Take the fault's own schedule."""
    return fault.schedule


def spread(fault: Fault, clean: Run, seed: int) -> Schedule:
    """Let a fault that fires once fire early, in the middle or late, by turns of the seed."""
    places: tuple[Place, ...] = ("early", "middle", "late")
    return at(places[seed % 3], clean) if fault.schedule == Once() else fault.schedule


def try_fault(
    agent: Agent,
    task: Any,
    fault: Fault | str,
    schedule: Schedule | None = None,
    *,
    seed: int = 0,
    clean: Run | None = None,
    check: Check | None = None,
    admits: Admits | None = None,
    defences: str = "as given",
) -> Trial:
    """Run a task without and with a fault, and judge.

    `task` is a question or an object with `question`; `check(task, answer)` tells whether
    an answer is right, else it must be that of the clean run; `admits` is as in `judge`.
    """
    question = _question(task)
    clean = clean or run_agent(agent, question)
    log = Firings()
    faulted: Run | Exception
    try:
        faulted = run_agent(inject(agent, fault, schedule, seed=seed, log=log), question)
    except Exception as error:
        faulted = error
    verdict = judge(clean, faulted, task, check=check, admits=admits, log=log)
    run = None if isinstance(faulted, Exception) else faulted
    name = find_fault(fault).id
    right = check is None or check(task, clean.answer or "")
    return Trial(name, defences, question, seed, clean, run, verdict, tuple(log.fired), right)


def run_batch(
    make_agent: Callable[[int], Agent],
    tasks: Sequence[Any],
    faults: Iterable[Fault | str],
    *,
    seeds: Iterable[int] = range(20),
    off: Sequence[Sequence[str]] = ((),),
    plan: Plan = own_schedule,
    check: Check | None = None,
    admits: Admits | None = None,
) -> Iterator[Trial]:
    """Yield a trial for every fault, set of defences, seed and task, in that order.

    `make_agent(seed)` gives the agent of a seed; all defences are switched on, then those
    of one entry of `off` switched off again. `plan` gives the schedule, knowing the clean
    run. A task's clean run has all defences on. Stop by leaving the loop.
    """
    seeds, kept = tuple(seeds), _Kept(make_agent, tasks)
    for fault in map(find_fault, faults):
        for names in map(tuple, off):
            for seed in seeds:
                agent = kept.agent(seed, names)
                for number, task in enumerate(tasks):
                    clean = kept.clean(seed, number)
                    yield try_fault(
                        agent,
                        task,
                        fault,
                        plan(fault, clean, seed),
                        seed=seed,
                        clean=clean,
                        check=check,
                        admits=admits,
                        defences=defences_label(names),
                    )


class _Kept:
    """Make the agents and the clean runs of a batch once each."""

    def __init__(self, make_agent: Callable[[int], Agent], tasks: Sequence[Any]) -> None:
        self.made = functools.cache(make_agent)
        self.tasks = tasks
        self.agents: dict[tuple[int, tuple[str, ...]], Agent] = {}
        self.runs: dict[tuple[int, int], Run] = {}

    def agent(self, seed: int, off: tuple[str, ...] = ()) -> Agent:
        """Return the agent of a seed with all defences on but some."""
        made = self.made(seed)  # often one and the same agent for every seed
        if (id(made), off) not in self.agents:
            self.agents[id(made), off] = without_defence(with_all_defences(made), *off)
        return self.agents[id(made), off]

    def clean(self, seed: int, number: int) -> Run:
        """Return the run of a task with all defences on and no fault."""
        key = id(self.made(seed)), number
        if key not in self.runs:
            self.runs[key] = run_agent(self.agent(seed), _question(self.tasks[number]))
        return self.runs[key]


def defences_label(off: Sequence[str]) -> str:
    """Return how a set of defences is called in tables, by what is switched off."""
    if not off:
        return ALL_ON
    if len(off) == len(DEFENCES):
        return "all off"
    more = f" and {len(off) - 2} more" if len(off) > 3 else ""
    return f"no {', no '.join(off[:2] if more else off)}{more}"


def _question(task: Any) -> str:
    return task if isinstance(task, str) else str(task.question)


def recovery_counts(trials: Iterable[Trial]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return {(fault, defences): (recovered, fired)}; see `Trial.counts` for what counts."""
    fired: Counter[tuple[str, str]] = Counter()
    passed: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        key = trial.fault, trial.defences
        fired[key] += trial.counts
        passed[key] += trial.counts and trial.judgement.passed
    return {key: (passed[key], fired[key]) for key in fired}


@dataclass(frozen=True)
class Tally:
    """Sum up the trials of one fault and one set of defences in which the fault fired."""

    trials: int
    verdicts: Mapping[str, int]
    extra_steps: float
    tokens: float

    @property
    def recovered(self) -> int:
        """Return how many came to the right answer."""
        return self.verdicts.get("recovered", 0) + self.verdicts.get("recovered at extra cost", 0)

    @property
    def harmful(self) -> int:
        """Return how many ended with a wrong answer, a crash or an unsafe action."""
        return sum(self.verdicts.get(name, 0) for name in HARMFUL)

    def worse_than(self, other: Tally) -> str:
        """Say what is visibly worse here than there, or "" when nothing is."""
        if not self.trials or not other.trials:
            return ""
        if self.harmful / self.trials > other.harmful / other.trials + VISIBLE:
            return f"harmful {self.harmful}/{self.trials}"
        if self.recovered / self.trials < other.recovered / other.trials - VISIBLE:
            return f"recovered {self.recovered}/{self.trials}"
        if self.extra_steps > other.extra_steps + 0.5:
            return f"{self.extra_steps - other.extra_steps:+.1f} steps a run"
        if self.tokens > 1.25 * other.tokens:
            return f"{self.tokens / other.tokens:.1f} times the tokens"
        return ""


def tally(trials: Iterable[Trial]) -> dict[tuple[str, str], Tally]:
    """Return {(fault, defences): Tally}; see `Trial.counts` for what counts."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        group = groups.setdefault((trial.fault, trial.defences), [])
        group += [trial] if trial.counts else []
    return {key: _summed(group) for key, group in groups.items()}


def _summed(group: Sequence[Trial]) -> Tally:
    n = max(1, len(group))
    return Tally(
        len(group),
        Counter(trial.judgement.verdict for trial in group),
        sum(trial.judgement.extra_steps for trial in group) / n,
        sum(trial.run.usage.total for trial in group if trial.run) / n,
    )
