"""Run a learner's object so that nothing it does can stop the notebook.

Exceptions (SystemExit too) are caught, prints are kept, a loop without end is given up at
the deadline and its thread ended. Comparing and showing the result happen behind the same
wall, since a learner's object can have an `__eq__` or a `__repr__` of its own. One thing
stays open: a single call into C that holds Python's lock, such as `9**9**9`, cannot be
stopped from inside the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import io
import re
import reprlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..tools.running import DeadlineExceeded, call_with_deadline

LONGEST = 300
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_brief = reprlib.Repr()
_brief.maxlevel, _brief.maxlong, _brief.maxother, _brief.maxstring = 6, 80, LONGEST, LONGEST
_brief.maxtuple = _brief.maxlist = _brief.maxdict = _brief.maxset = _brief.maxfrozenset = 20


@dataclass(frozen=True)
class Tried:
    """Hold what one call gave: a result as text, or an exception, or neither in time."""

    same: bool = False
    got: str = ""
    error: BaseException | None = None
    in_time: bool = True


def try_out(call: Callable[[], Any], expected: Any, seconds: float) -> Tried:
    """Run `call` for at most `seconds` and compare its result with `expected`."""
    thread = _Thread()
    # Redirected here and not in the thread: one that never ends would never put it back.
    with contextlib.redirect_stdout(thread.printed), contextlib.redirect_stderr(thread.printed):
        try:
            tried: Tried = call_with_deadline(lambda: thread.run(call, expected), seconds)
        except DeadlineExceeded:
            thread.end()
            return Tried(in_time=False)
    return tried


class _Enough(SystemExit):
    """End an abandoned thread; `threading` passes over SystemExit in silence."""


class _Printed(io.StringIO):
    """Keep the first 10,000 characters of what is printed."""

    def write(self, text: str) -> int:
        return super().write(text) if self.tell() < 10_000 else len(text)


class _Thread:
    def __init__(self) -> None:
        self.printed, self.over, self.ident = _Printed(), threading.Event(), 0

    def run(self, call: Callable[[], Any], expected: Any) -> Tried:
        self.ident = threading.get_ident()
        try:
            got = call()
            return Tried(same(got, expected), described(got, expected, self.printed.getvalue()))
        except BaseException as error:
            return Tried(error=error)
        finally:
            self.over.set()

    def end(self) -> None:
        """Raise in the thread, a few times: a bare `except:` swallows the first."""
        for _ in range(5):
            if self.over.wait(0.01):
                return
            raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
            raise_in(ctypes.c_ulong(self.ident), ctypes.py_object(_Enough))


def same(got: Any, expected: Any) -> bool:
    """Compare strictly: True is no 1, a list no tuple, a subclass not its base."""
    if expected is None or isinstance(expected, bool) or isinstance(got, bool):
        return got is expected
    if isinstance(expected, int | float):
        return isinstance(got, int | float) and bool(got == expected)
    return type(got) is type(expected) and bool(expected == got)


def described(got: Any, expected: Any, printed: str) -> str:
    """Show a result, and say in brackets what is odd about its kind."""
    text = short(got)
    if inspect.iscoroutine(got):
        got.close()
        return "a coroutine (write def, not async def)"
    if inspect.isgenerator(got):
        return f"a generator (return {_kind(expected)}: nothing in it has run yet)"
    if inspect.isroutine(got):
        return f"{text} (a function: call it, with its brackets)"
    if got is None and printed and expected is not None:
        return f"{text} (it printed something: return it instead)"
    if got is None or expected is None or type(got) is type(expected):
        return text
    return f"{text} ({_kind(got)}; expected is {_kind(expected)})"


def _kind(value: Any) -> str:
    name = "None" if value is None else type(value).__name__
    article = "" if value is None else "an " if name[0] in "aeiou" else "a "
    return article + name


def short(value: Any, limit: int = LONGEST) -> str:
    """Write a value in at most about `limit` characters, the same in every process."""
    try:
        if isinstance(value, str | bytes):
            text = repr(value[:limit])
        else:
            text = _ADDRESS.sub("", _brief.repr(value))
    except Exception as error:
        return f"{_kind(value)} whose repr raises {type(error).__name__}"
    size = len(value) if isinstance(value, str | bytes | list | tuple | Mapping) else 0
    unit = "characters" if isinstance(value, str | bytes) else "items"
    cut = len(text) > limit + 20 or size > (limit if unit == "characters" else 20)
    return f"{text[: limit + 20]}... ({size:,} {unit})" if cut and size else text[: limit + 20]


def line_of(error: BaseException, attempt: Any) -> int | None:
    """Return the line of the learner's own cell that an exception passed last, or None."""
    code = code_of(attempt)
    trace, found = error.__traceback__, None
    while trace is not None:
        if code is not None and trace.tb_frame.f_code.co_filename == code.co_filename:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def code_of(attempt: Any) -> Any:
    """Return the code object of a function, of a tool's function or of a class's method."""
    if isinstance(attempt, type):
        methods = (inspect.unwrap(m) for m in vars(attempt).values() if inspect.isfunction(m))
        return next((method.__code__ for method in methods), None)
    plain = getattr(attempt, "function", attempt)
    return getattr(plain, "__code__", None)
