"""Intervals for what was measured on a few tasks.

>>> low, high = wilson(16, 20)
>>> f"{low:.2f} to {high:.2f}"
'0.58 to 0.92'
"""

from __future__ import annotations

from math import sqrt

from ..errors import UsageError

#: The normal quantile of a 95 % interval.
Z95 = 1.959963984540054


def wilson(passes: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a rate (Wilson 1927), which never leaves 0 to 1.

    With n = 0 nothing is known: (0, 1). Raise UsageError when passes exceed n.
    """
    if not 0 <= passes <= n:
        raise UsageError(f"passes must lie between 0 and n={n}, got {passes}")
    if n == 0:
        return 0.0, 1.0
    rate, square = passes / n, z * z
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = z * sqrt(rate * (1 - rate) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)
