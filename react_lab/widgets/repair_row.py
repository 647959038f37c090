"""A row of buttons that switch repairs off and on again, each on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..views.parser_bench import Switch
from .base import Parts

#: The style sheet strikes through so many; further ones are switched in code.
MOST = 12


class RepairRow:
    """Show the repairs that matter to a reply; a click calls `toggle` with a name.

    The page makes all buttons anew whenever the kernel changes the row, and the keyboard
    loses its place. So a switched-off repair keeps its button, and the style sheet strikes
    it through by the `marks` that stand in the widget's page. The page also ignores a row
    that becomes empty: there the marks hide it.
    """

    def __init__(
        self, parts: Parts, toggle: Callable[[str], Any], switches: Sequence[Switch]
    ) -> None:
        self.toggle = toggle
        self.control = parts.actions(self._actions(switches), "Repairs", "actions repairs")

    def draw(self, switches: Sequence[Switch]) -> None:
        """Show these switches."""
        actions = self._actions(switches)
        if not actions or tuple(actions) == self.control.options:
            return
        with self.control.hold_sync():
            self.control.actions, self.control.options = actions, tuple(actions)
            self.control.index = None

    def _actions(self, switches: Sequence[Switch]) -> dict[str, Callable[[], Any]]:
        return {each.name: partial(self.toggle, each.name) for each in _shown(switches)}


def marks(switches: Sequence[Switch]) -> str:
    """Return the classes that tell the style sheet which buttons are off."""
    off = [f"react-lab-off-{n}" for n, each in enumerate(_shown(switches), 1) if not each.on]
    return " ".join(off if switches else ["react-lab-no-repair"])


def _shown(switches: Sequence[Switch]) -> list[Switch]:
    """Return at most `MOST`, those that have to do with this reply first, in their order."""
    chosen = {each.name for each in sorted(switches, key=lambda each: each.repair is None)[:MOST]}
    return [each for each in switches if each.name in chosen]
