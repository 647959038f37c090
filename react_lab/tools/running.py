"""Run a function with a deadline, so that a hung tool cannot hang the run.

A thread of our own and not a ThreadPoolExecutor: the executor's threads are joined when
Python exits, so one hung tool would keep the process alive for ever.
"""

from __future__ import annotations

import asyncio
import ctypes
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from ..errors import TransientFailure

#: Exceptions of a tool that are worth another try.
RETRIED = (TransientFailure, ConnectionError)
#: False in a browser's Python, where time-outs are off.
THREADS_AVAILABLE = sys.platform not in ("emscripten", "wasi")
#: Seconds that Ctrl-C waits at most: a lock cannot be interrupted on Windows.
TURN = 0.1


class DeadlineExceeded(Exception):
    """Say that a call was given up; its thread is abandoned."""


@dataclass(slots=True)
class Call:
    """Hold one call of a tool; `made` counts how often the function was really called."""

    function: Callable[..., Any]
    args: dict[str, Any]
    timeout: float | None
    tries: int
    made: int = 0

    def result(self) -> Any:
        """Return the function's result, or raise what it raised the last time."""
        return self._once() if self.tries == 1 else self._retried()

    def _once(self) -> Any:
        self.made += 1
        if self.timeout is not None:
            return call_with_deadline(self._call, self.timeout)
        return self._call()

    def _call(self) -> Any:
        value = self.function(**self.args)
        return finish(value) if hasattr(value, "__await__") else value

    def _retried(self) -> Any:
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

        retrying = Retrying(
            stop=stop_after_attempt(self.tries),
            retry=retry_if_exception_type(RETRIED),
            wait=wait_exponential(multiplier=0.01, max=1.0),
            reraise=True,
        )
        return retrying(self._once)


class _Worker:
    """Serve one caller at a time, until None is put into the inbox."""

    def __init__(self) -> None:
        self.inbox: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self.outbox: SimpleQueue[tuple[Any, BaseException | None] | None] = SimpleQueue()
        self.called = False
        self.deadline: float | None = None
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._serve, name="react_lab-tool", daemon=True)
        self.thread.start()

    def call(self, function: Callable[[], Any]) -> None:
        """Hand a function over; what came of it is put into the outbox."""
        self.called = True
        self.inbox.put(function)

    def abandon(self) -> None:
        """Give the thread up; a Python loop in it is interrupted, a blocked call is not."""
        # Under the lock, so that the interrupt never reaches a thread that is past its call:
        # it would hit its last clean-up, or another thread that has got its number since.
        with self.lock:
            if self.called:
                interrupt(self.thread)
        self.inbox.put(None)

    def _serve(self) -> None:
        here.worker = self
        # The interrupt may come just before or behind the function: then it ends the thread.
        with suppress(SystemExit):
            while (function := self.inbox.get()) is not None:
                outcome: tuple[Any, BaseException | None]
                try:
                    outcome = function(), None
                except BaseException as error:
                    outcome = None, error
                with self.lock:
                    self.called = False
                self.outbox.put(outcome)
                del function, outcome


def interrupt(thread: threading.Thread) -> None:
    """Raise SystemExit in a running thread, at its next step in Python."""
    identity = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(SystemExit))


_idle: deque[_Worker] = deque()
#: `here.worker` is the worker whose thread this is.
here = threading.local()


def call_with_deadline(function: Callable[[], Any], seconds: float | None) -> Any:
    """Return function(), or raise its exception, or DeadlineExceeded after `seconds`.

    None waits as long as it takes, in another thread all the same.
    """
    if not THREADS_AVAILABLE:
        return function()
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
    worker.deadline = seconds
    worker.call(function)
    try:
        result, error = _wait(worker.outbox, seconds)
    except BaseException as stopped:
        worker.abandon()
        if isinstance(stopped, Empty):
            raise DeadlineExceeded from None
        raise
    _idle.append(worker)
    if error is not None:
        raise error
    return result


def _wait(outbox: SimpleQueue[Any], seconds: float | None) -> Any:
    """Wait in short turns: where a lock cannot be interrupted, Ctrl-C is seen between two."""
    ends = math.inf if seconds is None else time.monotonic() + seconds
    while True:
        try:
            outcome = outbox.get(timeout=max(0.0, min(TURN, ends - time.monotonic())))
        except Empty:
            if time.monotonic() >= ends:
                raise
        else:
            if outcome is None:  # a simulated hang outlasts the deadline
                raise Empty
            return outcome


def finish(awaitable: Any) -> Any:
    """Run an async function's result to its end, also inside a notebook's running loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_wait_for(awaitable))
    return call_with_deadline(lambda: asyncio.run(_wait_for(awaitable)), None)


async def _wait_for(awaitable: Any) -> Any:
    return await awaitable
