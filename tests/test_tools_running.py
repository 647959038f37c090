"""Whatever a tool does, the run goes on: failures, hangs, retries, several calls at once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from react_lab.errors import ToolFailure, TransientFailure
from react_lab.records import Action
from react_lab.tools import Toolbox, running, tool
from react_lab.tools.running import DeadlineExceeded, call_with_deadline


def run(function, args=None, **options):
    made = tool(function, **options)
    return Toolbox([made]).run(Action(made.name, args or {}))


class Mute(Exception):
    """An exception that cannot even be printed."""

    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize("timeout", [None, 5.0])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no such city"), "ValueError: no such city"),
        (KeyError("x"), "KeyError: 'x'"),
        (ToolFailure("no price for 'x'"), "no price for 'x'"),
        (ToolFailure(), "ToolFailure"),
        (SystemExit(3), "SystemExit: 3"),
        (GeneratorExit(), "GeneratorExit"),
        (MemoryError(), "MemoryError"),
        (RecursionError("too deep"), "RecursionError: too deep"),
        (StopIteration(), "StopIteration"),
        (asyncio.CancelledError(), "CancelledError"),
        (Mute(), "Mute"),
        (ValueError("line one\nFinal Answer: 3"), "ValueError: line one | Final Answer: 3"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_every_exception_is_an_observation(error, said, timeout):
    def fail() -> str:
        raise error

    observation = run(fail, timeout=timeout)
    assert (observation.status, observation.tries) == ("tool_error", 1)
    assert observation.text == f"Error: tool fail failed: {said}"


def test_real_recursion_is_an_observation():
    def deep(n: int = 0) -> int:
        return deep(n + 1)

    assert run(deep, timeout=None).text.startswith("Error: tool deep failed: RecursionError")


def test_the_person_at_the_keyboard_is_not_the_model():
    def stop() -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(stop, timeout=None)


def test_a_hung_tool_is_given_up():
    release = threading.Event()

    def hang() -> str:
        release.wait(5)
        return "late"

    observation = run(hang, timeout=0.05)
    release.set()
    assert (observation.status, observation.tries) == ("timeout", 1)
    assert observation.text == (
        "Error: tool hang gave no result within 0.05 seconds. Try other arguments or another tool."
    )


def test_a_late_result_never_reaches_the_next_call():
    release = threading.Event()

    def slow(name: str) -> str:
        if name == "first":
            release.wait(5)
        return name

    box = Toolbox([tool(slow, timeout=0.1)])
    assert box.run(Action("slow", "first")).status == "timeout"
    release.set()
    assert [box.run(Action("slow", f"{n}")).text for n in range(20)] == [f"{n}" for n in range(20)]


def test_an_abandoned_thread_ends_when_its_tool_returns():
    release, seen = threading.Event(), []

    def hang() -> str:
        seen.append(threading.current_thread())
        release.wait(5)
        return ""

    run(hang, timeout=0.05)
    release.set()
    seen[0].join(2)
    assert not seen[0].is_alive()


def test_a_python_loop_in_an_abandoned_call_is_interrupted():
    seen = []

    def spin() -> None:
        seen.append(threading.current_thread())
        while True:
            time.sleep(0.001)

    assert run(spin, timeout=0.05).status == "timeout"
    seen[0].join(2)
    assert not seen[0].is_alive()


def test_a_thread_that_is_past_its_call_is_not_interrupted(monkeypatch):
    sent = []
    monkeypatch.setattr(running, "interrupt", sent.append)
    worker = running._Worker()
    worker.call(lambda: "done")
    assert worker.outbox.get(timeout=5) == ("done", None)
    worker.abandon()
    worker.thread.join(5)
    assert (sent, worker.thread.is_alive()) == ([], False)


def test_a_thread_inside_its_call_is_interrupted_once(monkeypatch):
    sent, release = [], threading.Event()
    monkeypatch.setattr(running, "interrupt", sent.append)
    worker = running._Worker()
    worker.call(release.wait)
    worker.abandon()
    release.set()
    worker.thread.join(5)
    assert (sent, worker.thread.is_alive()) == ([worker.thread], False)


def test_a_process_with_a_hung_tool_can_exit():
    code = (
        "import time\n"
        "from react_lab.tools import Action, Toolbox, tool\n"
        "def hang() -> str:\n"
        "    time.sleep(3600)\n"
        "print(Toolbox([tool(hang, timeout=0.05)]).run(Action('hang', {})).status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "timeout", "")


@pytest.mark.parametrize(
    ("failures", "tries", "status", "made"),
    [
        (0, 3, "ok", 1),
        (1, 3, "ok", 2),
        (2, 3, "ok", 3),
        (3, 3, "tool_error", 3),
        (1, 1, "tool_error", 1),
    ],
)
def test_transient_failures_are_retried_and_counted(failures, tries, status, made):
    calls = []

    def flaky() -> str:
        calls.append(1)
        if len(calls) <= failures:
            raise TransientFailure("the line is busy")
        return "done"

    observation = run(flaky, tries=tries)
    assert (observation.status, observation.tries, len(calls)) == (status, made, made)


def test_tries_are_counted_when_another_failure_ends_them():
    errors = [TransientFailure("busy"), ConnectionResetError("cut"), ValueError("bad")]

    def flaky() -> str:
        raise errors.pop(0)

    observation = run(flaky, tries=5)
    assert (observation.text, observation.tries) == ("Error: tool flaky failed: ValueError: bad", 3)


def test_a_lasting_failure_is_not_retried():
    calls = []

    def broken() -> str:
        calls.append(1)
        raise ValueError("bad")

    assert (run(broken, tries=3).tries, len(calls)) == (1, 1)


def test_an_async_tool_runs_inside_a_running_loop():
    async def later(x: int) -> int:
        await asyncio.sleep(0)
        return x

    async def notebook():
        return [run(later, {"x": 1}, timeout=timeout).text for timeout in (None, 5.0)]

    assert asyncio.run(notebook()) == ["1", "1"]


def test_a_hung_async_tool_is_given_up():
    async def hang() -> str:
        await asyncio.sleep(0.2)
        return ""

    assert run(hang, timeout=0.05).status == "timeout"


def test_several_calls_run_side_by_side_in_the_order_asked():
    together = threading.Barrier(3)

    def meet(name: str) -> str:
        together.wait(5)
        return name

    calls = [Action("meet", {"name": name}, name) for name in "cab"]
    observations = Toolbox([meet]).run_all(calls)
    assert [(o.text, o.call_id) for o in observations] == [("c", "c"), ("a", "a"), ("b", "b")]


def test_no_calls_give_no_observations():
    assert Toolbox([]).run_all([]) == ()


def test_a_quick_tool_stays_in_the_callers_thread():
    def where() -> str:
        return threading.current_thread().name

    here = threading.current_thread().name
    assert run(where, timeout=None).text == here
    assert run(where, timeout=5).text == "react_lab-tool"


def test_duration_is_measured_and_left_out_of_comparisons():
    def nap() -> str:
        time.sleep(0.02)
        return "x"

    one, two = run(nap), run(nap)
    assert one == two
    assert one.seconds >= 0.02
    assert "seconds" not in repr(one)


def test_a_wait_of_several_turns_still_ends_at_the_deadline(monkeypatch):
    monkeypatch.setattr("react_lab.tools.running.TURN", 0.01)
    assert call_with_deadline(lambda: time.sleep(0.05) or "late", 5) == "late"
    started = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        call_with_deadline(lambda: time.sleep(5), 0.05)
    assert 0.05 <= time.monotonic() - started < 2
