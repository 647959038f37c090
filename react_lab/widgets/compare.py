"""CompareRuns: two runs side by side, and where they part (notebooks 06 and 09)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from ..errors import UsageError
from ..records import Run
from ..views.compare import (
    Pair,
    aligned,
    compare_html,
    compare_text,
    first_difference,
    pair_html,
    pair_text,
)
from ..views.escape import isolated
from .base import Parts, Shell, code_html, notice_html, style_sheet

VIEWS = ("Overview", "This step")


class CompareRuns(Shell):
    """Show two runs: steps aligned, the first difference, prompt and reply diffs, totals.

    The state: `step` (from 1) and `view` (a name of `VIEWS`). It opens at the first step
    that differs.
    """

    step = traitlets.Int(1)
    view = traitlets.Enum(VIEWS, "Overview")

    def __init__(self, a: Run, b: Run) -> None:
        self.a, self.b = a, b
        self.pairs = aligned(a, b)
        found = first_difference(a, b)
        super().__init__(step=found.number if found else 1)
        self._build(Parts())
        self._connect()

    @property
    def differing(self) -> list[int]:
        """Return the numbers of the steps that differ."""
        return [pair.number for pair in self.pairs if pair.differs]

    @property
    def pair(self) -> Pair | None:
        """Return the selected pair; None where both runs are empty."""
        return self.pairs[self.step - 1] if self.pairs else None

    def next_difference(self) -> None:
        """Select the next step that differs."""
        self._move([n for n in self.differing if n > self.step][:1], "after")

    def previous_difference(self) -> None:
        """Select the last step before that differs."""
        self._move([n for n in self.differing if n < self.step][-1:], "before")

    def code(self) -> str:
        """Return the line that shows the same without the widget."""
        if self.view == "Overview":
            return "print(compare_text(a, b))"
        return f"print(pair_text(aligned(a, b)[{self.step - 1}]))"

    def to_text(self) -> str:
        """Return what is shown as text."""
        if self.view == "Overview" or self.pair is None:
            return compare_text(self.a, self.b)
        return f"step {self.step}\n{pair_text(self.pair)}"

    def to_html(self) -> str:
        """Return the comparison and the diffs of the selected step."""
        pair = f"<p><b>Step {self.step}</b></p>{pair_html(self.pair)}" if self.pair else ""
        return f"<div>{compare_html(self.a, self.b)}{pair}</div>"

    def __repr__(self) -> str:
        return f"CompareRuns({len(self.a.steps)} and {len(self.b.steps)} steps, {len(self.differing)} differ)"

    def _move(self, found: list[int], where: str) -> None:
        if not found:
            raise UsageError(f"no step {where} step {self.step} differs")
        self.step, self.view = found[0], "This step"

    def _build(self, parts: Parts) -> None:
        actions: dict[str, Callable[[], Any]] = {
            "Previous difference": self.previous_difference,
            "Next difference": self.next_difference,
        }
        self.buttons = parts.actions({name: self.safely(act) for name, act in actions.items()})
        self.slider = parts.slider("Step", max(1, len(self.pairs)), self.step)
        self.views = parts.choices(VIEWS, "Show", "choices")
        self.page = parts.html(self._page(), "page")
        self.box = parts.box((self.buttons, self.slider, self.views, self.page), "compare")

    def _connect(self) -> None:
        self.slider.observe(self.safely(self._slide), "value")
        self.views.observe(
            self.safely(lambda change: self.set_trait("view", change["new"])), "value"
        )
        self.observe(self._draw, ["step", "view", "notice"])

    def _slide(self, change: dict[str, Any]) -> None:
        if change["new"] != self.step:
            self.step, self.view = change["new"], "This step"

    def _draw(self, change: Any = None) -> None:
        self.slider.value, self.views.value = self.step, self.view
        self.page.value = self._page()

    def _page(self) -> str:
        if self.view == "Overview" or self.pair is None:
            shown = compare_html(self.a, self.b)
        else:
            differs = self.pair.differs or "nothing"
            shown = f"<div><b>Step {self.step}</b> · differs in: {isolated(differs)}</div>{pair_html(self.pair)}"
        scrolled = f'<div class="react-lab-scroll" tabindex="0">{shown}</div>'
        return f"{style_sheet()}{notice_html(self.notice)}{scrolled}{code_html(self.code())}"
