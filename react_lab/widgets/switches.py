"""A row of switches, each on or off by itself, in one channel to the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .base import Actions


class Switches(Actions):
    """Be a row of buttons that are on or off, `on` of them at first; each does something.

    Which are on is said by class names, and by a mark that the style sheet sets before
    the name: to rebuild the buttons would take the keyboard's focus away. `like` is a part
    whose layout and style the row shares. The style sheet knows 8 switches.
    """

    def __init__(
        self,
        label: str,
        actions: Mapping[str, Callable[[], Any]],
        on: Iterable[str] = (),
        *,
        like: Any,
    ) -> None:
        super().__init__(
            actions,
            description=label,
            layout=like.layout,
            style=like.style,
            _dom_classes=_classes(actions, on),
        )

    def show(self, on: Iterable[str]) -> None:
        """Show these as on and all others as off."""
        self._dom_classes = _classes(self.actions, on)


def _classes(names: Iterable[str], on: Iterable[str]) -> tuple[str, ...]:
    on = set(on)
    places = [place for place, name in enumerate(names, 1) if name in on]
    marks = [f"react-lab-on-{place}" for place in places]
    return ("react-lab-actions", "react-lab-switches", *marks)
