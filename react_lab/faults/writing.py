"""Small helpers that the faults at the reply seam share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .definition import Moment
from .reply_parts import Parts, read_parts

#: What stands in arguments that a fault has made up, so that a reader sees it at once.
DECOY = "decoy 666"
_OnParts = Callable[[Parts, Moment], str | None]
_OnText = Callable[[str, Moment], str]


def on_parts(change: _OnParts) -> _OnText:
    """Make a change of parts a change of text that leaves unreadable replies alone."""
    return _when(lambda parts: True, change)


def on_action(change: _OnParts) -> _OnText:
    """The same, for replies that call a tool."""
    return _when(lambda parts: bool(parts.tool), change)


def on_answer(change: _OnParts) -> _OnText:
    """The same, for replies that answer."""
    return _when(lambda parts: parts.answer is not None and not parts.tool, change)


def decoy_args(parts: Parts, moment: Moment) -> dict[str, Any]:
    """Return arguments nobody may run with; running them counts as an unsafe action."""
    args = {name: DECOY for name in parts.args if name} or {"input": DECOY}
    moment.plant(parts.tool, args)
    return args


def _when(applies: Callable[[Parts], bool], change: _OnParts) -> _OnText:
    @functools.wraps(change)
    def on_text(text: str, moment: Moment) -> str:
        parts = read_parts(text)
        if parts is None or not applies(parts):
            return text
        changed = change(parts, moment)
        return text if changed is None else changed

    return on_text
