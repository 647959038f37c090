"""A toolbox whose observations are rewritten before the model sees them.

So the defences that a toolbox brings along can be switched off from the outside, one by
one: each rewrite undoes one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ..records import Action, Observation
from ..tools import Tool, Toolbox
from ..tools.observing import SEPARATOR, shorten

Rewrite = Callable[[Observation], Observation]


class RewritingToolbox(Toolbox):
    """A toolbox whose observations pass through named rewrites before the model sees them."""

    def __init__(
        self,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        rewrites: dict[str, Rewrite] | None = None,
    ) -> None:
        super().__init__(tools)
        self.rewrites = dict(rewrites or {})

    def run(self, action: Action, language: str = "en") -> Observation:
        """Run one action and rewrite what came back."""
        observation = super().run(action, language)
        for rewrite in self.rewrites.values():
            observation = rewrite(observation)
        return observation

    def without(self, *names: str) -> Toolbox:
        """Return a toolbox that lacks these tools."""
        return RewritingToolbox(super().without(*names).values(), self.rewrites)

    def having(self, *tools: Tool | Callable[..., Any]) -> Toolbox:
        """Return a toolbox with more tools."""
        return RewritingToolbox(super().having(*tools).values(), self.rewrites)


def rewriting(toolbox: Toolbox, name: str, rewrite: Rewrite | None) -> Toolbox:
    """Return a toolbox with a rewrite set by name, or taken away with None."""
    rewrites = dict(getattr(toolbox, "rewrites", {}))
    rewrites.pop(name, None)
    if rewrite is not None:
        rewrites[name] = rewrite
    return RewritingToolbox(toolbox.values(), rewrites) if rewrites else Toolbox(toolbox.values())


def raw_lines(observation: Observation) -> Observation:
    """Show a result with its line breaks, as it came."""
    return _when_ok(observation, shorten(observation.full, 2_000))


def uncut(observation: Observation) -> Observation:
    """Show a result whole, however long, on one line."""
    return _when_ok(observation, SEPARATOR.join(observation.full.split("\n")))


def no_hint(observation: Observation) -> Observation:
    """Show an empty result as nothing at all."""
    return replace(observation, text="") if observation.status == "empty" else observation


def vague_arguments(observation: Observation) -> Observation:
    """Say of a wrong call only that it was wrong."""
    if observation.status not in ("invalid_args", "unknown_tool"):
        return observation
    return replace(observation, text="Error: invalid call.", full="Error: invalid call.")


def _when_ok(observation: Observation, text: str) -> Observation:
    return replace(observation, text=text) if observation.status == "ok" else observation
