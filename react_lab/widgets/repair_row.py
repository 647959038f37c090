"""A row of buttons that switch repairs off and on again, each on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..views.parser_bench import Switch
from .base import Parts

#: The style sheet strikes through so many; further ones are switched in code.
MOST = 12
_ROLE = ("actions", "repairs")


class RepairRow:
    """Show the repairs that matter to a reply; a click calls `toggle` with a name.

    A name stays when its repair is switched off and is struck through instead: another
    label would be another button, and the keyboard would lose its place.
    """

    def __init__(
        self, parts: Parts, toggle: Callable[[str], Any], switches: Sequence[Switch]
    ) -> None:
        self.toggle = toggle
        shown = _shown(switches)
        self.control = parts.actions(self._actions(shown), "Repairs", " ".join(_roles(shown)))

    def draw(self, switches: Sequence[Switch]) -> None:
        """Show these switches."""
        shown = _shown(switches)
        with self.control.hold_sync():
            actions = self._actions(shown)
            if tuple(actions) != tuple(self.control.options):
                self.control.actions = actions
                self.control.options = tuple(actions)
                self.control.index = None
            self.control._dom_classes = tuple(f"react-lab-{role}" for role in _roles(shown))

    def _actions(self, shown: Sequence[Switch]) -> dict[str, Callable[[], Any]]:
        return {each.name: partial(self.toggle, each.name) for each in shown}


def _shown(switches: Sequence[Switch]) -> list[Switch]:
    """Return at most `MOST`, those that have to do with this reply first, in their order."""
    chosen = sorted(switches, key=lambda each: each.repair is None)[:MOST]
    return [each for each in switches if each in chosen]


def _roles(shown: Sequence[Switch]) -> tuple[str, ...]:
    return (*_ROLE, *(f"off-{n}" for n, each in enumerate(shown, 1) if not each.on))
