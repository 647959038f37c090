"""The controls of FaultLab, without what they do.

Choices are rows of buttons and check boxes: arrow keys in a drop-down move JupyterLab's
cell selection instead of the choice, so there is no drop-down.
"""

from __future__ import annotations

from collections.abc import Iterable

import ipywidgets as widgets

from ..faults import CATALOGUE, DEFENCES, SEAMS
from .fault_choice import ANY_TOOL, WHEN

_GRID = {"grid_template_columns": "repeat(auto-fill, minmax(16em, 1fr))", "width": "100%"}
_NARROW = {"width": "13em"}


class FaultControls:
    """Hold the controls; `panel` is what to show."""

    def __init__(self, tools: Iterable[str], seeds: int) -> None:
        self.seam = _buttons("Seam", SEAMS)
        self.fault = _buttons("Fault", faults_of(SEAMS[0]))
        self.when = _buttons("Fires", WHEN)
        self.number = widgets.BoundedIntText(
            2, min=1, max=99, description="Step or n", layout=_NARROW
        )
        self.p = widgets.BoundedFloatText(
            0.5, min=0, max=1, step=0.1, description="Probability", layout=_NARROW
        )
        self.seed = widgets.BoundedIntText(0, min=0, max=9999, description="Seed", layout=_NARROW)
        self.tool = _buttons("Only", (ANY_TOOL, *tools))
        self.defences = {name: _check_box(name) for name in DEFENCES}
        self.all_on, self.all_off = _button("All on"), _button("All off")
        self.once = _button("Run once", "primary")
        self.seeds = widgets.BoundedIntText(
            seeds, min=1, max=100, description="Seeds", layout=_NARROW
        )
        self.start = _button("Run batch")
        self.stop, self.clear = _button("Stop"), _button("Clear")
        self.progress = widgets.IntProgress(0, description="Batch")
        self.panel = self._panel()
        self.seam.observe(self._show_faults, "value")
        self.all_on.on_click(lambda _: self.set_defences(off=()))
        self.all_off.on_click(lambda _: self.set_defences(off=tuple(DEFENCES)))

    def set_defences(self, off: Iterable[str]) -> None:
        """Switch these defences off and all others on."""
        off = set(off)
        for name, box in self.defences.items():
            box.value = name not in off

    def _panel(self) -> widgets.VBox:
        grid = widgets.GridBox(list(self.defences.values()), layout=_GRID)
        return widgets.VBox(
            [
                self.seam,
                self.fault,
                self.when,
                _row(self.number, self.p, self.seed),
                self.tool,
                _row(widgets.Label("Defences"), self.all_on, self.all_off),
                grid,
                _row(self.once, self.seeds, self.start, self.stop, self.clear, self.progress),
            ]
        )

    def _show_faults(self, change: dict[str, str]) -> None:
        self.fault.options = faults_of(change["new"])


def faults_of(seam: str) -> list[tuple[str, str]]:
    """Return (label, id) of the faults at a seam."""
    return [(f"{fault.id} {fault.name}", fault.id) for fault in CATALOGUE if fault.seam == seam]


def _buttons(name: str, options: Iterable[object]) -> widgets.ToggleButtons:
    return widgets.ToggleButtons(
        options=list(options), description=name, style={"button_width": "auto"}
    )


def _button(name: str, style: str = "") -> widgets.Button:
    return widgets.Button(description=name, button_style=style, layout={"width": "auto"})


def _check_box(name: str) -> widgets.Checkbox:
    return widgets.Checkbox(
        True,
        description=name,
        tooltip=DEFENCES[name].explanation,
        indent=False,
        layout={"width": "auto"},
    )


def _row(*parts: widgets.Widget) -> widgets.HBox:
    return widgets.HBox(list(parts), layout={"flex_flow": "row wrap"})
