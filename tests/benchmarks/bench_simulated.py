"""Replies a second of the simulated model, at the prompts of the built-in tasks.

    python tests/benchmarks/bench_simulated.py               all tasks, all contracts
    python tests/benchmarks/bench_simulated.py --replies 2000

Exit status 1 below the goal of 1,000 replies a second. Times are processor time, so that
other work on the machine matters less.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from react_lab.agent import run_agent
from react_lab.contracts import TextContract
from react_lab.evals.tasks import tasks_in
from react_lab.llm import SimulatedLLM
from react_lab.records import Message
from react_lab.toolbox import demo_agent

GOAL = 1_000


def prompts(dialect: str, language: str) -> list[Sequence[Message]]:
    """Return every prompt that the tasks of a language lead to."""
    contract = TextContract(dialect, language)  # type: ignore[arg-type]
    agent = demo_agent(language, contract=contract)
    runs = [run_agent(agent, task.question) for task in tasks_in(language)]
    return [step.messages for run in runs for step in run.steps]


def replies_a_second(asked: Sequence[Sequence[Message]], replies: int, temper: str) -> float:
    """Return how many replies a second of processor time the prompts get."""
    llm = SimulatedLLM(temper)
    started = time.process_time()
    for number in range(replies):
        llm.complete(asked[number % len(asked)], stop=("\nObservation:",))
    return replies / (time.process_time() - started)


def main() -> int:
    """Print a row for each contract and language; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--replies", type=int, default=1_000, help="replies for each row")
    options = parser.parse_args()
    rates = []
    for dialect in ("lines", "json", "xml"):
        for language in ("en", "zh"):
            asked = prompts(dialect, language)
            rates.append(replies_a_second(asked, options.replies, "sloppy"))
            print(
                f"{dialect:<6} {language}  {len(asked):>3} prompts  {rates[-1]:>7,.0f} replies a second"
            )
    print(f"lowest {min(rates):,.0f}, goal {GOAL:,}")
    return 0 if min(rates) >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
