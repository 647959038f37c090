"""The loop against a bare one: goals G1 (time a step), G3 (growth), G4 (memory), G5 (import).

    python tests/benchmarks/bench_loop.py              about 20 seconds
    python tests/benchmarks/bench_loop.py --rounds 5

Model and tool are instant, so all time is the loop's own. `bare` is the loop of notebook 01
with one regex and a list of messages; it has no records, no validation and no guards. Times
are CPU times, medians over interleaved rounds, ratios within one run. The exit status is 1
when a goal is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from react_lab import Agent, Completion, Message, Run, TokenBudget, run_agent, tool
from react_lab.guards import FormatErrorLimit, PrematureFinish, RepeatLimit, StepLimit

HEAVY = ("httpx", "pydantic", "numpy", "IPython", "ipywidgets", "matplotlib")
REPLY = 'Thought: one more.\nAction: add\nAction Input: {{"a": {n}, "b": 1}}'
ACTION = re.compile(r"^Action: (\w+)\nAction Input: (.*)$", re.MULTILINE)
FINAL = re.compile(r"^Final Answer: (.*)$", re.MULTILINE)


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def replies(steps: int) -> list[str]:
    """Return the replies of a run of that many steps, no two calls alike."""
    return [*(REPLY.format(n=n) for n in range(steps - 1)), "Final Answer: done"]


def bare_loop(question: str, model: Callable[[list[dict[str, str]]], str], tools: Any) -> str:
    """Run the smallest loop there is."""
    messages = [{"role": "user", "content": question}]
    while True:
        reply = model(messages)
        messages.append({"role": "assistant", "content": reply})
        if answer := FINAL.search(reply):
            return answer[1]
        found = ACTION.search(reply)
        assert found is not None
        result = tools[found[1]](**json.loads(found[2]))
        messages.append({"role": "user", "content": f"Observation: {result}"})


class Instant:
    """Give reply number k to a prompt of k earlier replies, without looking at the text."""

    def __init__(self, steps: int) -> None:
        self.replies = replies(steps)

    def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        """Return the reply whose turn it is."""
        return Completion(self.replies[(len(messages) - 2) // 2])


def whole_agent(steps: int, timeout: float | None = None) -> Agent:
    """Return an agent with every guard on, none of which fires."""
    guards = (
        StepLimit(steps + 1),
        FormatErrorLimit(3),
        RepeatLimit(3),
        TokenBudget(10**12),
        PrematureFinish(),
    )
    return Agent(Instant(steps), [tool(timeout=timeout)(add)], guards=guards)


def whole_run(agent: Agent) -> Run:
    """Run the kit's loop and make sure that it did all its work."""
    run = run_agent(agent, "Count.")
    assert run.answer == "done"
    return run


def time_bare(steps: int) -> float:
    """Return the CPU microseconds a step of the bare loop."""
    script = replies(steps)
    return clocked(lambda: bare_loop("Count.", lambda m: script[len(m) // 2], {"add": add}), steps)


def time_whole(steps: int, timeout: float | None = None) -> float:
    """Return the CPU microseconds a step of the kit's loop."""
    agent = whole_agent(steps, timeout)
    return clocked(lambda: whole_run(agent), steps)


def clocked(action: Callable[[], Any], steps: int) -> float:
    """Run an action a few times and return CPU microseconds a step."""
    action()
    gc.collect()
    times = 2_000 // steps
    started = time.process_time()
    for _ in range(times):
        action()
    return (time.process_time() - started) / times / steps * 1e6


def peak_mib(steps: int) -> float:
    """Return the peak of Python's memory during a run, all of whose prompts are then read."""
    agent = whole_agent(steps)
    whole_run(whole_agent(3))
    gc.collect()
    tracemalloc.start()
    run = whole_run(agent)
    assert len(run.messages(step=steps)) == 2 * steps
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def import_seconds(code: str) -> float:
    """Return the CPU seconds of a Python process that runs `code`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interleaved(rounds: int, *measures: Callable[[], float]) -> list[float]:
    """Return the median of each measure, taken in turn so that load hits all alike."""
    taken = [[measure() for measure in measures] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*taken, strict=True)]


def report(goal: str, what: str, value: float, must: float, unit: str = "x") -> bool:
    """Print a line and return whether the goal is met."""
    print(
        f"{goal}  {what:<52} {value:7.2f} {unit:<4} must {must:g}  {'ok' if value <= must else 'MISSED'}"
    )
    return value <= must


def main() -> int:
    """Measure, print, and return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    bare, short, long, threaded = interleaved(
        rounds,
        lambda: time_bare(100),
        lambda: time_whole(100),
        lambda: time_whole(500),
        lambda: time_whole(100, timeout=30.0),
    )
    print(f"CPU a step: bare {bare:.1f}, whole {short:.1f} at 100 and {long:.1f} at 500 steps,")
    print(f"  {threaded:.1f} with the default time-out, which runs each tool in a thread")
    met = [
        report("G1", "whole loop over bare loop, 100 steps", short / bare, 15),
        report("G3", "time a step at 500 over at 100 steps", long / short, 1.3),
        report("G4", "peak memory of a 500-step run", peak_mib(500), 2, "MiB"),
        report("G4", "peak of 1,000 steps over 500", peak_mib(1_000) / peak_mib(500), 2.2),
    ]
    print(f"    with the default time-out (no goal): {threaded / bare:.1f} x")
    found = f"import sys, react_lab; sys.exit(any(m in sys.modules for m in {HEAVY}))"
    python, kit = interleaved(
        rounds, lambda: import_seconds("pass"), lambda: import_seconds("import react_lab")
    )
    met.append(report("G5", "import react_lab over bare Python", kit / python, 4))
    subprocess.run([sys.executable, "-c", found], check=True, cwd=Path(__file__).parents[2])
    print(f"    none of {', '.join(HEAVY)} is loaded by it")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
