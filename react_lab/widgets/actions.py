"""A row of buttons that each do something, over one channel (notebook 06).

The page tells of a click in two messages: which button is pressed, sent only where that
changes, and that there was a click. While the kernel has not answered the last change, the
page holds the next one back, but sends the click at once. So a click without a change is
either the same button again, or another button whose name is still on its way. A change is
acted on when it comes; a click without one soon after a change waits a moment for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

from ..errors import UsageError

#: Seconds after a change in which the page may be holding the next one back.
SETTLED = 2.0
#: Seconds that a click waits for the change that may belong to it.
GRACE = 0.25


class Actions(ipywidgets.ToggleButtons):  # type: ignore[misc]
    """Be a row of buttons, each with a name and something to do."""

    def __init__(self, actions: Mapping[str, Callable[[], Any]], **settings: Any) -> None:
        super().__init__(options=tuple(actions), index=None, **settings)
        self.actions = dict(actions)
        self._changed_at = -SETTLED
        self._told = 0  # clicks that were acted on by their change, before their message
        self._waiting = 0  # clicks that wait for a change
        self._changes = 0
        self.on_msg(self._clicked)

    def press(self, name: str) -> None:
        """Do what a click on the button does."""
        if name not in self.actions:
            raise UsageError(f"there is no button {name!r}: choose from {', '.join(self.actions)}")
        self.actions[name]()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take a change from the page and act on it."""
        before = None if self.index is None else self.options[self.index]
        super().set_state(sync_data)
        if sync_data.get("index") is None:
            return
        waiting, self._waiting = self._waiting, 0
        self._told = 0 if waiting else 1
        self._changed_at, self._changes = time.monotonic(), self._changes + 1
        if before is not None:  # all that waited but the one that this change belongs to
            self._press_again(before, waiting - 1)
        self.press(self.options[self.index])

    def _clicked(self, _: Any, content: Mapping[str, Any], __: Any) -> None:
        if content.get("event") != "click" or self.index is None:
            return
        soon = time.monotonic() - self._changed_at < SETTLED
        told, self._told = self._told, 0
        if told and soon:
            return
        loop = _running_loop()
        if soon and loop is not None:
            self._waiting += 1
            loop.call_later(GRACE, self._waited, self._changes)
        else:
            self.press(self.options[self.index])

    def _waited(self, changes: int) -> None:
        """Act on a click that no change came for: the same button again."""
        if self._waiting and changes == self._changes and self.index is not None:
            self._waiting -= 1
            self.press(self.options[self.index])

    def _press_again(self, name: str, times: int) -> None:
        for _ in range(times):
            self.press(name)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
