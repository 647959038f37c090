"""Fields of one line, and the field for a key, which keeps nothing of what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets
import traitlets

from .base import Parts


class KeyField(ipywidgets.Password):  # type: ignore[misc]
    """Hand a key on and keep nothing of it.

    ipywidgets would hold the text in the trait `value` and send it back to every page that
    shows the widget. Here it is taken out of the page's message before either happens, and
    the page is told that the field is empty.
    """

    def __init__(self, taken: Callable[[str], Any], **settings: Any) -> None:
        self._taken = taken
        super().__init__(continuous_update=False, **settings)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the page sent, the key apart from the rest."""
        key = sync_data.pop("value", "")  # popped: the kernel keeps the message for a while
        super().set_state(sync_data)
        if key:
            self._taken(key)
            self.send_state("value")

    @traitlets.validate("value")  # type: ignore
    def _never(self, proposal: Any) -> str:
        if proposal["value"]:
            self._taken(proposal["value"])
        return ""


class Fields(Parts):
    """Make the parts of a widget that has fields of one line."""

    def line(self, label: str, value: str = "") -> Any:
        """Return a field of one line; its value changes with Enter or when it is left."""
        return ipywidgets.Text(value, continuous_update=False, **self._line(label))

    def key(self, label: str, taken: Callable[[str], Any]) -> KeyField:
        """Return a field that hands a pasted key to `taken`."""
        return KeyField(taken, placeholder="paste it, then Enter", **self._line(label))

    def whole(self, label: str, value: int) -> Any:
        """Return a field for a whole number from 0."""
        return ipywidgets.BoundedIntText(
            value,
            min=0,
            max=1_000_000_000,
            description=label,
            _dom_classes=("react-lab-number",),
            **self._shared,
        )

    def _line(self, label: str) -> Mapping[str, Any]:
        return {
            "description": label,
            "_dom_classes": ("react-lab-text", "react-lab-line"),
            **self._shared,
        }
