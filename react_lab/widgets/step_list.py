"""The inspector's list: one page of steps as a column of buttons, however long the run is."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ..records import Run, Step
from ..views.badges import badges, has_issue, headline, tokens_badge
from .base import Parts

ROWS = 10
#: The one row of an empty list: the page ignores a row of buttons that becomes empty.
NOTHING = "no step to show"
#: What the list can be cut down to.
FILTERS: dict[str, Callable[[Step], bool]] = {
    "all steps": lambda step: True,
    "issues": has_issue,
    "repaired": lambda step: bool(step.parsed.repairs),
    "tool calls": lambda step: bool(step.parsed.actions),
}


class StepList:
    """Show a page of ten of the steps that pass the filter; a click calls `select`."""

    def __init__(
        self,
        parts: Parts,
        select: Callable[[int], Any],
        run: Run,
        numbers: Sequence[int],
        step: int,
    ) -> None:
        self.select = select
        self.page, index = _page_of(numbers, step)
        self._drawn = [run.steps[number - 1] for number in self.page]
        self.control = parts.choices(self._rows(), role="list", index=index, disabled=not self.page)
        self._drawing = False
        self.control.observe(self._clicked, "index")

    def draw(self, run: Run, numbers: Sequence[int], step: int) -> None:
        """Show the page of `numbers` that holds `step`, or comes before it."""
        page, index = _page_of(numbers, step)
        self._drawing = True
        try:
            with self.control.hold_sync():
                self._draw_page(page, [run.steps[number - 1] for number in page])
                self.control.index = index
        finally:
            self._drawing = False

    def _draw_page(self, page: tuple[int, ...], steps: list[Step]) -> None:
        # Moving within a page sends one number: its labels change only when its steps do.
        same = page == self.page and all(map(operator.is_, steps, self._drawn))
        if not same:
            self.page, self._drawn = page, steps
            self.control.options = self._rows()
            self.control.disabled = not page

    def _rows(self) -> tuple[str, ...]:
        return tuple(map(row, self.page, self._drawn)) or (NOTHING,)

    def _clicked(self, change: dict[str, Any]) -> None:
        if not self._drawing and change["new"] is not None and self.page:
            self.select(self.page[change["new"]])


def _page_of(numbers: Sequence[int], step: int) -> tuple[tuple[int, ...], int | None]:
    before = sum(number <= step for number in numbers)
    first = max(0, before - 1) // ROWS * ROWS
    page = tuple(numbers[first : first + ROWS])
    return page, page.index(step) if step in page else None


def row(number: int, step: Step) -> str:
    """Return a step as the two lines of its button."""
    said = headline(step)
    named = [b.text for b in badges(step) if b.kind != "tool" and not said.startswith(b.text)]
    marks = " · ".join([*named, tokens_badge(step).text])
    return f"{number}  {said[:60]}\n{marks[:110]}"


def passing(run: Run, only: str) -> list[int]:
    """List the numbers of the steps that pass a filter."""
    passes = FILTERS[only]
    return [number for number, step in enumerate(run.steps, 1) if passes(step)]
