"""The fault matrix: every fault over all tasks and seeds, with and without each defence.

    python tests/benchmarks/bench_faults.py                    20 tasks, 20 seeds
    python tests/benchmarks/bench_faults.py --tasks 5 --seeds 3
    python tests/benchmarks/bench_faults.py --full             every fault by every defence

Prints three tables. The exit status is 1 when a run crashed or did something unsafe, a
recoverable fault was recovered from in less than 95 % of the runs in which it fired, or a
defence made no difference. The model is simulated: the figures say how this loop answers
a fault, not how often real models make it. Its temper is gullible: it obeys what its
Observations say, unless a rule marks them as data.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from react_lab.agent import Agent, run_agent
from react_lab.evals.tasks import ABSTAIN, Task, check_answer, tasks_in
from react_lab.faults import (
    CATALOGUE,
    DEFENCES,
    Defence,
    Fault,
    Tally,
    Trial,
    run_batch,
    spread,
    tally,
    with_all_defences,
    without_defence,
)
from react_lab.faults.batch import defences_label
from react_lab.llm.simulated import SimulatedLLM
from react_lab.toolbox.demo import demo_agent

#: Share of runs that must recover where recovery is possible.
MUST_RECOVER = 0.95
#: A task whose right answer is to say that there is none.
UNKNOWN = Task("unknown", "missing", "?", ABSTAIN)
Cells = dict[tuple[str, str], Tally]


def main() -> int:
    """Run the matrix and print it; return 0 when every goal is met."""
    options = _options()
    tasks = list(tasks_in(options.language)[: options.tasks])
    started = time.perf_counter()
    on = _tally(tasks, options.seeds, CATALOGUE, ((),))
    solved = sum(_solves(task) for task in tasks)
    print(
        f"{len(tasks)} tasks ({solved} solved without a fault), {options.seeds} seeds, simulated model"
    )
    print("\nAll defences on\n")
    missed = print_all_on(on)
    print("\nEach defence switched off, with those that stand in front of it\n")
    idle = print_defences(tasks, options.seeds)
    if options.full:
        print_matrix(tasks, options.seeds, on)
    print(f"\n{time.perf_counter() - started:.0f} seconds")
    print(
        f"below the goal: {', '.join(missed) or 'none'}; no difference: {', '.join(idle) or 'none'}"
    )
    return 1 if missed or idle else 0


def print_all_on(cells: Cells) -> list[str]:
    """Print a row for each fault; return the faults that miss the goal."""
    print(f"{'fault':<28} fired  recovered  at cost  wrong  stop  crash  unsafe  goal")
    missed = []
    for fault in CATALOGUE:
        cell = cells[fault.id, defences_label(())]
        met = meets_goal(fault, cell)
        missed += [] if met else [fault.id]
        print(_row(fault, cell), fault.expected if met else f"MISSED {fault.expected}")
    return missed


def print_defences(tasks: list[Task], seeds: int) -> list[str]:
    """Print what gets worse without each defence; return those without which nothing does."""
    idle = []
    for defence in DEFENCES.values():
        faults = [fault for fault in CATALOGUE if fault.id in defence.answers]
        without = defence.behind, (*defence.behind, defence.name)
        cells = _tally(tasks, seeds, faults, without)
        worse = list(_worse(faults, cells, *map(defences_label, without)))
        worse += [] if faults else _worse_without_fault(tasks, defence)
        idle += [] if worse else [defence.name]
        print(f"{defence.name:<24} {'; '.join(worse) or 'NO DIFFERENCE'}")
    return idle


def print_matrix(tasks: list[Task], seeds: int, on: Cells) -> None:
    """Print recovered/fired for every fault and every defence switched off."""
    off = [(name,) for name in DEFENCES]
    cells = on | _tally(tasks, seeds, CATALOGUE, off)
    labels = [defences_label(names) for names in ((), *off)]
    print("\nRecovered of fired, a column for each defence that is off\n")
    print(f"{'':<4}", *(f"{number:>7}" for number in range(len(labels))))
    for fault in CATALOGUE:
        row = (cells[fault.id, label] for label in labels)
        print(f"{fault.id:<4}", *(f"{f'{c.recovered}/{c.trials}':>7}" for c in row))
    print("\n".join(f"{number:>3} {label}" for number, label in enumerate(labels)))


def meets_goal(fault: Fault, cell: Tally) -> bool:
    """Tell whether a fault was answered as it should be with all defences on."""
    if cell.verdicts.get("crash") or cell.verdicts.get("unsafe action") or not cell.trials:
        return False
    if fault.expected == "recovered":
        return cell.recovered >= MUST_RECOVER * cell.trials
    wanted = "safe stop" if fault.expected == "safe stop" else "wrong answer"
    return cell.verdicts.get(wanted, 0) > 0 and (wanted == "wrong answer" or not cell.harmful)


def _worse(faults: list[Fault], cells: Cells, on: str, off: str) -> Iterator[str]:
    for fault in faults:
        difference = cells[fault.id, off].worse_than(cells[fault.id, on])
        if difference:
            before = cells[fault.id, on]
            yield f"{fault.id} {before.recovered}/{before.trials} -> {difference}"


def _worse_without_fault(tasks: list[Task], defence: Defence) -> list[str]:
    """Say how many tasks are solved with and without a defence that needs no fault to show."""
    solved = []
    for names in (defence.behind, (*defence.behind, defence.name)):
        agent = without_defence(with_all_defences(_agent(0, tasks)), *names)
        runs = [(task, run_agent(agent, task.question)) for task in tasks]
        solved.append(sum(check_answer(task, run.answer) for task, run in runs))
    before, after = solved
    return [f"no fault: {before}/{len(tasks)} -> {after}/{len(tasks)}"] if after < before else []


def _agent(seed: int, tasks: list[Task]) -> Agent:
    return demo_agent(llm=SimulatedLLM("gullible", seed), language=tasks[0].language)


def _tally(tasks: list[Task], seeds: int, faults, off) -> Cells:  # type: ignore[no-untyped-def]
    trials: Iterator[Trial] = run_batch(
        lambda seed: _agent(seed, tasks),
        tasks,
        faults,
        seeds=range(seeds),
        off=off,
        plan=spread,
        check=check_answer,
        admits=partial(check_answer, UNKNOWN),
    )
    return tally(trials)


def _solves(task: Task) -> bool:
    return check_answer(task, run_agent(_agent(0, [task]), task.question).answer)


def _row(fault: Fault, cell: Tally) -> str:
    counts = [
        cell.trials,
        cell.recovered,
        *(
            cell.verdicts.get(name, 0)
            for name in (
                "recovered at extra cost",
                "wrong answer",
                "safe stop",
                "crash",
                "unsafe action",
            )
        ),
    ]
    widths = 5, 9, 7, 5, 4, 5, 6
    numbers = "  ".join(f"{count:>{width}}" for count, width in zip(counts, widths, strict=True))
    return f"{fault.id:<4} {fault.name:<23} {numbers} "


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--language", choices=("en", "zh"), default="en")
    parser.add_argument("--full", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
