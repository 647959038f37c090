"""The forks of a run as a tree: who was forked from whom, where, and what was changed.

>>> first = Run("2 + 2?", stop_reason="max_steps")
>>> second = Run("2 + 2?", stop_reason="cancelled", parent=first, forked_at=1, change="reply")
>>> print(tree_text([second]))
0 run: 0 steps, max_steps
└─ 1 fork at step 1, changed reply: 0 steps, cancelled
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..records import Run
from .escape import isolated, one_line
from .run import counted


@dataclass(frozen=True, slots=True)
class Branch:
    """Hold a run, its number in the tree and how deep it stands."""

    number: int
    depth: int
    run: Run


def branches(runs: Iterable[Run]) -> list[Branch]:
    """Return the runs and all their parents as a tree, parents before their forks."""
    known: dict[int, Run] = {}
    for run in runs:
        line = []
        node: Run | None = run
        while node is not None and id(node) not in known:
            line.append(node)
            node = node.parent
        known |= {id(found): found for found in reversed(line)}
    return _ordered(list(known.values()))


def tree_text(runs: Iterable[Run], selected: Run | None = None) -> str:
    """Return the tree, a line a run; the selected one is marked."""
    return "\n".join(_line(branch, selected) for branch in branches(runs)) or "(no run yet)"


def tree_html(runs: Iterable[Run], selected: Run | None = None) -> str:
    """Return the tree as HTML."""
    rows = "".join(_row(branch, selected) for branch in branches(runs))
    return rows or "<div>(no run yet)</div>"


def describe_run(run: Run) -> str:
    """Say in a few words where a run came from and how it ended."""
    origin = "run"
    if run.parent is not None:
        origin = f"fork at step {run.forked_at}, {_change(run.change)}"
    answer = "" if run.answer is None else f", answer: {one_line(run.answer, 80)}"
    return (
        f"{origin}: {counted(len(run.steps), 'step')}, {run.stop_reason or 'still running'}{answer}"
    )


def _change(change: str) -> str:
    return one_line(change if " " in change or not change else f"changed {change}", 80)


def _line(branch: Branch, selected: Run | None) -> str:
    indent = "   " * (branch.depth - 1) + "└─ " if branch.depth else ""
    mark = "  <- selected" if branch.run is selected else ""
    return f"{indent}{branch.number} {describe_run(branch.run)}{mark}"


def _row(branch: Branch, selected: Run | None) -> str:
    chosen = branch.run is selected
    text = f"{branch.number} {isolated(describe_run(branch.run))}{' ◀ selected' if chosen else ''}"
    return f'<div style="margin-left:{24 * min(branch.depth, 20)}px">{f"<b>{text}</b>" if chosen else text}</div>'


def _ordered(runs: Sequence[Run]) -> list[Branch]:
    children: dict[int | None, list[Run]] = {}
    for run in runs:
        children.setdefault(None if run.parent is None else id(run.parent), []).append(run)
    numbers = {id(run): number for number, run in enumerate(runs)}
    found: list[Branch] = []
    waiting = [(run, 0) for run in reversed(children.get(None, []))]
    while waiting:
        run, depth = waiting.pop()
        found.append(Branch(numbers[id(run)], depth, run))
        waiting += [(child, depth + 1) for child in reversed(children.get(id(run), []))]
    return found
