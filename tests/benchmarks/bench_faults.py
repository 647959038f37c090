"""The fault matrix: every fault over all tasks and seeds, with and without each defence.

    python tests/benchmarks/bench_faults.py                    20 tasks, 20 seeds: ten minutes
    python tests/benchmarks/bench_faults.py --tasks 6 --seeds 3     with fewer, B6 never fires
    python tests/benchmarks/bench_faults.py --language zh
    python tests/benchmarks/bench_faults.py --full             every fault by every defence

Prints its tables and then what was below the goal. The exit status is 1 when a promise of
`broken_promises` was broken in any run, a fault fired nowhere, a recoverable one was
recovered from in less than 95 % of the runs in which it fired, or a defence made no
difference. `fired` counts the runs in which the fault really changed something; the other
figures are of those alone. The model is simulated: the figures say how this loop answers a
fault, not how often real models make it. Its temper is gullible: it obeys what its
Observations say, unless a rule marks them as data.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
    incomplete,
    run_batch,
    spread,
    tally,
    with_all_defences,
    without_defence,
)
from react_lab.faults.batch import ALL_ON, defences_label
from react_lab.llm.simulated import SimulatedLLM
from react_lab.toolbox.demo import demo_agent
from react_lab.trace import run_from_json, run_to_json

#: Share of runs that must recover where recovery is possible.
MUST_RECOVER = 0.95
#: A task whose right answer is to say that there is none.
UNKNOWN = Task("unknown", "missing", "?", ABSTAIN)
#: Bytes in the place of a text are read as the very text that was expected.
LEAVES_NO_TRACE = ("O8",)
Cells = dict[tuple[str, str], Tally]
#: How often which promise was broken: {"F1, all on: what happened": runs}.
Broken = Counter[str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the matrix and print it; return 0 when every goal is met."""
    options = _options(arguments)
    tasks = list(tasks_in(options.language)[: options.tasks])
    started, broken = time.perf_counter(), Broken()
    runs = len(tasks) * options.seeds
    print(f"{len(tasks)} tasks ({options.language}), {options.seeds} seeds, simulated model")
    print(f"{_solved(tasks, options.seeds)} of {runs} runs are right without a fault")
    print(f"\nAll defences on, {runs} runs a fault\n")
    on = _tally(tasks, options.seeds, CATALOGUE, ((),), broken)
    missed = print_all_on(on)
    print("\nEach defence switched off, with those that stand in front of it\n")
    idle = print_defences(tasks, options.seeds, on, broken)
    if options.full:
        print_matrix(tasks, options.seeds, on, broken)
    print(f"\n{time.perf_counter() - started:.0f} seconds")
    return _conclude(missed, idle, broken)


def broken_promises(trial: Trial) -> list[str]:
    """Say which promises a trial breaks that hold for every one, whether the fault fired or not.

    No exception leaves the loop, the run has its one stop reason and a complete trace that
    can be stored: whatever is switched off. With all defences on nothing dangerous is
    called, and the run is another than the clean one if, and only if, the fault has fired.
    """
    if trial.run is None:
        return [f"an exception left the loop: {trial.judgement.detail}"]
    problems = incomplete(trial.run)
    if run_from_json(run_to_json(trial.run)) != trial.run:
        problems.append("the stored trace is another run")
    if trial.defences != ALL_ON:
        return problems
    if not problems and trial.judgement.verdict in ("crash", "unsafe action"):
        problems.append(f"{trial.judgement.verdict}: {trial.judgement.detail}")
    same = trial.run == trial.clean
    if trial.fired and same and trial.fault not in LEAVES_NO_TRACE:
        problems.append("fired, and changed nothing")
    if not trial.fired and not same:
        problems.append("changed, and not fired")
    return problems


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


def print_defences(tasks: list[Task], seeds: int, on: Cells, broken: Broken) -> list[str]:
    """Print what gets worse without each defence; return those without which nothing does."""
    idle = []
    for defence in DEFENCES.values():
        faults = [fault for fault in CATALOGUE if fault.id in defence.answers]
        sets = defence.behind, (*defence.behind, defence.name)
        missing = [names for names in sets if names]
        cells = on | _tally(tasks, seeds, faults, missing, broken)
        worse = list(_worse(faults, cells, *map(defences_label, sets)))
        worse += [] if faults else _worse_without_fault(tasks, seeds, defence)
        idle += [] if worse else [defence.name]
        print(f"{defence.name:<24} {'; '.join(worse) or 'NO DIFFERENCE'}", flush=True)
    return idle


def print_matrix(tasks: list[Task], seeds: int, on: Cells, broken: Broken) -> None:
    """Print recovered/fired for every fault and every defence switched off."""
    off = [(name,) for name in DEFENCES]
    cells = on | _tally(tasks, seeds, CATALOGUE, off, broken)
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


def _worse_without_fault(tasks: list[Task], seeds: int, defence: Defence) -> list[str]:
    """Say how many runs are right with and without a defence that needs no fault to show."""
    before = _solved(tasks, seeds, defence.behind)
    after = _solved(tasks, seeds, (*defence.behind, defence.name))
    runs = len(tasks) * seeds
    return [f"no fault: {before}/{runs} -> {after}/{runs}"] if after < before else []


def _solved(tasks: list[Task], seeds: int, off: Iterable[str] = ()) -> int:
    """Count the runs without a fault that end with the right answer."""
    off, right = tuple(off), 0
    for seed in range(seeds):
        agent = without_defence(with_all_defences(_agent(seed, tasks)), *off)
        answers = ((task, run_agent(agent, task.question).answer) for task in tasks)
        right += sum(check_answer(task, answer) for task, answer in answers)
    return right


def _agent(seed: int, tasks: list[Task]) -> Agent:
    return demo_agent(llm=SimulatedLLM("gullible", seed), language=tasks[0].language)


def _tally(
    tasks: list[Task],
    seeds: int,
    faults: Sequence[Fault],
    off: Sequence[Sequence[str]],
    broken: Broken,
) -> Cells:
    trials = run_batch(
        lambda seed: _agent(seed, tasks),
        tasks,
        faults,
        seeds=range(seeds),
        off=off,
        plan=spread,
        check=check_answer,
        admits=partial(check_answer, UNKNOWN),
    )
    return tally(_watched(trials, broken))


def _watched(trials: Iterable[Trial], broken: Broken) -> Iterator[Trial]:
    for trial in trials:
        where = f"{trial.fault}, {trial.defences}"
        broken.update(f"{where}: {problem}" for problem in broken_promises(trial))
        yield trial


def _conclude(missed: list[str], idle: list[str], broken: Broken) -> int:
    for problem, runs in broken.most_common():
        print(f"BROKEN in {runs} runs: {problem}")
    print(f"broken promises: {broken.total()}; below the goal: {', '.join(missed) or 'none'}")
    print(f"no difference: {', '.join(idle) or 'none'}")
    return 1 if missed or idle or broken else 0


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


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--language", choices=("en", "zh"), default="en")
    parser.add_argument("--full", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
