"""How long StepInspector takes to open and to move, and how many messages it sends.

    python tests/benchmarks/bench_inspector.py

Kernel side alone: no page is attached, and the messages are counted instead of sent. Times
are the best of 20, in milliseconds. Goal: at most 10 messages and 500 ms at 1,000 steps.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import comm
from comm.base_comm import BaseComm

from react_lab import Agent, FunctionLLM, Run, run_agent, tool
from react_lab.views.step import PANES
from react_lab.widgets import StepInspector

MESSAGES: list[int] = []


class Counted(BaseComm):
    """Count the messages and their characters instead of sending them."""

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        MESSAGES.append(len(str(data)))


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


def run_of(n: int) -> Run:
    """Return a run of n steps, every tenth with a repair."""

    def reply(messages):
        number = len(messages)
        comma = "," if number % 20 == 0 else ""
        return (
            f'Thought: On to the next.\nAction: double\nAction Input: {{"number": {number}{comma}}}'
        )

    llm = FunctionLLM(lambda m: "Final Answer: end" if len(m) >= 2 * n else reply(m))
    return run_agent(Agent(llm, [double], guards=()), "Count.")


def best(action: Callable[[], object]) -> tuple[float, int, int]:
    """Return the best time in milliseconds, the messages and their characters."""
    times = []
    for _ in range(20):
        MESSAGES.clear()
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return 1000 * min(times), len(MESSAGES), sum(MESSAGES)


def main() -> None:
    comm.create_comm = Counted
    print(f"{'steps':>6}  {'what':<26}{'ms':>9}{'messages':>10}{'characters':>12}")
    for n in (10, 100, 1_000):
        run = run_of(n)
        inspector = StepInspector(run)

        def move(inspector=inspector, n=n):
            inspector.step = inspector.step % n + 1

        rows = {"open": lambda run=run: StepInspector(run)._repr_mimebundle_(), "move": move}
        for pane in PANES:
            if pane != "Scratchpad":
                rows[f"move, {pane}"] = move
        for what, action in rows.items():
            inspector.pane = what.partition(", ")[2] or "Scratchpad"
            inspector.step = n // 2
            milliseconds, messages, size = best(action)
            print(f"{n:>6}  {what:<26}{milliseconds:>9.2f}{messages:>10}{size:>12,}")


if __name__ == "__main__":
    main()
