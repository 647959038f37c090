"""When to ask again, and how long to wait first.

A loop of ten lines. The library that the tools use for this would need as many, and costs
a twentieth of a call's time even where nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from .problems import EndpointError

#: The longest wait before the next try, in seconds, whatever Retry-After says.
LONGEST_WAIT = 30.0
#: The wait before the first repetition where no header names one; it doubles each time.
FIRST_WAIT = 0.5
Result = TypeVar("Result")


class Patience(Protocol):
    """Say how often to ask again, and how to tell and spend time, in seconds."""

    retries: int
    sleep: Callable[[float], None]
    clock: Callable[[], float]


def keep_trying(
    patience: Patience, attempt: Callable[[], Result], deadline: float
) -> tuple[Result, tuple[str, ...]]:
    """Return the result of the first attempt that works, and a note for each that did not.

    Raise the last error when it is not transient, when the tries are used up, or when the
    wait would pass the deadline.
    """
    failures: list[str] = []
    while True:
        try:
            return attempt(), tuple(failures)
        except EndpointError as error:
            wait = wait_before(error, len(failures))
            too_late = patience.clock() + wait >= deadline
            if not error.transient or too_late or len(failures) >= patience.retries:
                raise
            failures.append(f"asked again: {error}")
        patience.sleep(wait)


def wait_before(error: EndpointError, repetitions: int) -> float:
    """Return how long to wait before the next try, in seconds."""
    asked: float | None = getattr(error, "retry_after", None)
    return min(LONGEST_WAIT, FIRST_WAIT * 2**repetitions if asked is None else asked)


def seconds_to_wait(retry_after: str, now: float) -> float | None:
    """Read a Retry-After header: seconds or a date; None where it is neither.

    `now` is in seconds since 1970.

    >>> seconds_to_wait("2.5", now=0), seconds_to_wait("Thu, 01 Jan 1970 00:00:09 GMT", now=4)
    (2.5, 5.0)
    """
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
