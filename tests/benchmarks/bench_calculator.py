"""The calculator under hostile expressions, and its speed beside Python's own `eval`.

    python tests/benchmarks/bench_calculator.py

Each hostile expression must be refused with the one exception type within 10 ms of CPU
time and 2 MiB of memory. The exit status is 1 when one is not.
"""

from __future__ import annotations

import sys
import time
import timeit
import tracemalloc
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from test_toolbox_calculator import HOSTILE  # noqa: E402

from react_lab.toolbox import CalculatorError, calculate  # noqa: E402

MOST_SECONDS, MOST_BYTES = 0.010, 2 * 2**20
ORDINARY = "3 * 14.90 + (2 * 24.50) / 4"


def refused(expression: str) -> bool:
    """Tell whether an expression ends in the one exception type."""
    try:
        calculate(expression)
    except CalculatorError:
        return True
    except BaseException:
        return False
    return False


def cost(expression: str) -> tuple[bool, float, int]:
    """Return whether it was refused, the least CPU seconds of three tries, the peak bytes."""
    seconds = []
    for _ in range(3):
        started = time.process_time()
        right = refused(expression)
        seconds.append(time.process_time() - started)
    tracemalloc.start()
    refused(expression)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return right, min(seconds), peak


def main() -> int:
    """Print a line for each expression; return 1 when a bound is broken."""
    broken = 0
    print(f"{'expression':<44} {'refused':>7} {'ms':>7} {'KiB':>7}")
    for expression in HOSTILE:
        right, seconds, peak = cost(expression)
        good = right and seconds <= MOST_SECONDS and peak <= MOST_BYTES
        broken += not good
        shown = repr(expression)[:42]
        print(
            f"{shown:<44} {'yes' if right else 'NO':>7} {seconds * 1e3:7.2f} {peak / 1024:7.0f}{'' if good else '  <--'}"
        )
    own, python = (
        min(timeit.repeat(call, timer=time.process_time, number=2000, repeat=5)) / 2000
        for call in (lambda: calculate(ORDINARY), lambda: eval(ORDINARY))
    )
    print(f"\n{ORDINARY}: {own * 1e6:.0f} microseconds, {own / python:.1f} times eval")
    print(f"{len(HOSTILE)} hostile expressions, {broken} over a bound")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
