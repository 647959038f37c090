"""A contract that stands around another: change one thing, pass the rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..records import Completion, Message, Messages, Observation, Parsed, Step
from ..tools import Toolbox
from .base import Contract


@dataclass(frozen=True)
class ContractLayer:
    """Stand around a contract and pass everything on; subclasses change one thing."""

    inner: Contract

    @property
    def language(self) -> str:
        """Return the contract's language."""
        return self.inner.language

    @property
    def stop(self) -> Sequence[str]:
        """Return the contract's stop sequences."""
        return self.inner.stop

    def opening(self, question: str, tools: Toolbox) -> tuple[Message, ...]:
        """Return the messages before the first step."""
        return self.inner.opening(question, tools)

    def show(self, step: Step) -> tuple[Message, ...]:
        """Return a past step as messages."""
        return self.inner.show(step)

    def sent(self, body: Messages, question: str) -> Messages:
        """Return the prompt to send."""
        return self.inner.sent(body, question)

    def request_tools(self, tools: Toolbox) -> tuple[dict[str, Any], ...]:
        """Return the tools to pass natively."""
        return self.inner.request_tools(tools)

    def read(self, reply: Completion, tools: Toolbox) -> Parsed:
        """Read a reply."""
        return self.inner.read(reply, tools)

    def observe_error(self, parsed: Parsed) -> tuple[Observation, ...]:
        """Return what the model is told about its format error."""
        return self.inner.observe_error(parsed)
