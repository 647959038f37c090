"""Keep which exercises were passed, in a small local file; nothing is ever sent.

The file is `.react_lab_progress.json` in the current folder, or the path in the
environment variable REACT_LAB_PROGRESS. It keeps the best outcome of each exercise and is
not written before something was attempted.

`progress("01")` shows one notebook as its cells stand now, in this kernel, and never reads
the file, so a stored notebook prints the same on every machine. `progress()` shows all
notebooks with the best outcomes kept in the file.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .records import Outcome
from .registry import load_exercises, notebooks

_RANK: dict[Any, int] = {"not attempted": 0, "not yet": 1, "passed": 2}
_session: dict[str, str] = {}


@dataclass(frozen=True)
class Progress:
    """Hold rows of (number, title, minutes, outcome) as a table."""

    rows: tuple[tuple[str, str, int, str], ...]

    @property
    def passed(self) -> int:
        """Return how many exercises were passed."""
        return sum(row[3] == "passed" for row in self.rows)

    def __repr__(self) -> str:
        lines = [
            f"{n}  {title:<34} {mins:>3} min  {outcome}" for n, title, mins, outcome in self.rows
        ]
        return "\n".join([*lines, self._summary()])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("exercise", "title", "minutes", "outcome"))
        rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows)
        caption = f"<caption>{self._summary()}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def _summary(self) -> str:
        return f"{self.passed} of {len(self.rows)} passed"


def _cell(value: object) -> str:
    return f"<td>{html.escape(str(value))}</td>"


def progress(notebook: str | None = None) -> Progress:
    """Return a table: of one notebook as it stands now, or of all with their best outcomes."""
    outcomes = load() if notebook is None else _session
    chosen = notebooks() if notebook is None else (notebook,)
    return Progress(
        tuple(
            (e.id, e.title, e.minutes, outcomes.get(e.id, "not attempted"))
            for number in chosen
            for e in load_exercises(number)
        )
    )


def load() -> dict[str, str]:
    """Return {exercise: best outcome}; what cannot be read counts as not attempted."""
    return {number: str(kept) for number, kept in _read(_file()).items() if kept in list(_RANK)}


def remember(number: str, outcome: Outcome) -> None:
    """Keep an outcome: the last one for this session, the best one in the file.

    A folder that cannot be written to is no error.
    """
    _session[number] = outcome
    if _RANK[outcome] == 0:
        return
    with contextlib.suppress(OSError), _alone(_file()) as path:
        kept = _read(path)
        if _RANK[outcome] > _RANK.get(str(kept.get(number)), 0):
            _write(path, {**kept, number: outcome})


def _file() -> Path:
    return Path(os.environ.get("REACT_LAB_PROGRESS") or ".react_lab_progress.json")


def _read(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _write(path: Path, kept: dict[str, Any]) -> None:
    """Replace the file in one move; one that could not be read is kept beside it."""
    if path.exists() and not _read(path):
        path.replace(path.with_name(f"{path.name}.broken"))
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        partial.write_text(json.dumps(kept, indent=1, sort_keys=True), "utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[Path]:
    """Wait until no other notebook writes, so that two of them do not lose an outcome."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f"{path.name}.lock")
    for _ in range(30):
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            time.sleep(0.01)  # after 0.3 seconds it was left behind by a killed kernel
    try:
        yield path
    finally:
        lock.unlink(missing_ok=True)
