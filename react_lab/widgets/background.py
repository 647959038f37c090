"""Let a run go on while the page stays free, and stop it at once (notebook 06).

A callback of a widget runs on the kernel's own event loop, so a slow model call there
would freeze every widget. Each step is taken in a thread of its own instead. A stop does
not wait for it: the run ends as cancelled with the steps that were finished, and whatever
the model still answers is dropped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any

from ..agent import Agent, iter_steps
from ..errors import UsageError
from ..records import Run


def start(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start a task on the running event loop; raise UsageError where there is none."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        work.close()
        raise UsageError("no event loop is running here: use the line of code instead") from None
    return loop.create_task(work)


_STOPPED = object()


class StopSign(asyncio.Event):
    """Be an event that any thread may set; make it where the loop runs.

    A kernel may hand one click to its main thread and the next to another, and an event
    that is set in another thread does not wake the loop that waits for it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._home = asyncio.get_running_loop()

    def set(self) -> None:
        """Wake all that wait."""
        self._home.call_soon_threadsafe(super().set)


async def steps_in_background(
    agent: Agent, question: str | Run, stopped: asyncio.Event
) -> AsyncIterator[Run]:
    """Yield what `iter_steps` yields; once `stopped` is set, the cancelled run, and end."""
    run = question if isinstance(question, Run) else Run(question)
    steps = iter_steps(agent, question)
    while not stopped.is_set():
        found = await unless_stopped(stopped, _STOPPED, next, steps, None)
        if found is None:
            return
        if found is _STOPPED:
            break
        run = found
        yield run
    if not run.finished:
        yield replace(run, stop_reason="cancelled", detail="stopped by hand")


async def unless_stopped(
    stopped: asyncio.Event, instead: Any, function: Callable[..., Any], *args: Any
) -> Any:
    """Call a function in a thread; return `instead` once `stopped` is set before it is done."""
    working = asyncio.ensure_future(in_thread(function, *args))
    waiting = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else instead
    finally:
        waiting.cancel()
        working.cancel()


async def in_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in a thread; where there are no threads, call it here."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def call() -> None:
        try:
            result, error = function(*args), None
        except BaseException as raised:
            result, error = None, raised
        _tell(loop, answer, result, error)

    try:
        # A daemon: a model that never answers must not keep the kernel from shutting down.
        threading.Thread(target=call, daemon=True).start()
    except RuntimeError:
        return function(*args)
    return await answer


def _tell(loop: Any, answer: Any, result: Any, error: BaseException | None) -> None:
    def settle() -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the loop has been closed: nobody waits any more
        return
