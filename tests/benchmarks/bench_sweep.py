"""G7: a sweep of 200 tasks of four calls of 50 ms, eight and sixty-four at a time.

    python tests/benchmarks/bench_sweep.py

The calls of a task follow each other, so no sweep can be quicker than ceil(200 / workers)
times 0.2 s. Must: 90 % of that floor with 8 workers; under 1.4 s with 64 and never slower
than with 8; as many connections as workers.
"""

from __future__ import annotations

import math
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from bench_client import bench_server, connections

from react_lab.agent import Agent, run_agent
from react_lab.guards import StepLimit
from react_lab.llm import OpenAICompatibleLLM
from react_lab.tools import tool

TASKS, CALLS, PAUSE = 200, 4, 0.05


@tool(timeout=None)
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


def sweep(base_url: str, workers: int) -> float:
    """Run all tasks; return the seconds it took."""
    agent = Agent(OpenAICompatibleLLM(base_url, "m", ""), [add], guards=(StepLimit(CALLS),))
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        runs = list(pool.map(lambda _: run_agent(agent, "What is 1 + 2?"), range(TASKS)))
    assert all(len(run.steps) == CALLS for run in runs), {run.detail for run in runs}
    return time.perf_counter() - started


def measure(workers: int) -> tuple[float, float, float, int]:
    """Return the best seconds of three sweeps, the floor, CPU seconds and the connections."""
    floor = math.ceil(TASKS / workers) * CALLS * PAUSE
    with bench_server(PAUSE) as base_url:
        started = time.process_time()
        seconds = min(sweep(base_url, workers) for _ in range(3))
        return seconds, floor, (time.process_time() - started) / 3, connections(base_url)


def main() -> int:
    took = {}
    good = True
    for workers in (8, 64):
        seconds, floor, busy, opened = measure(workers)
        took[workers] = seconds
        print(
            f"{workers:3} workers: {seconds:5.2f} s, floor {floor:.2f} s ({floor / seconds:.0%}), "
            f"{busy:.2f} s of CPU, {opened} connections"
        )
        good = good and opened == workers and (workers != 8 or floor / seconds >= 0.9)
    print("must: 90 % of the floor with 8 workers, under 1.4 s with 64")
    return 0 if good and took[64] < min(1.4, took[8]) else 1


if __name__ == "__main__":
    sys.exit(main())
