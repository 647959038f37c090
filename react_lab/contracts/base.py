"""What the loop needs from a format contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..records import Completion, Message, Messages, Observation, Parsed, Step
from ..tools import Toolbox


class Contract(Protocol):
    """Say how to ask, how to show what happened, and how to read what came back."""

    @property
    def language(self) -> str:
        """Return "en" or "zh": the language of prompt, observations and errors."""

    @property
    def stop(self) -> Sequence[str]:
        """Return the stop sequences to send."""

    def opening(self, question: str, tools: Toolbox) -> tuple[Message, ...]:
        """Return the messages before the first step."""

    def show(self, step: Step) -> tuple[Message, ...]:
        """Return a past step as messages."""

    def sent(self, body: Messages, question: str) -> Messages:
        """Return the prompt to send: the body, with what stands beside the latest step."""

    def request_tools(self, tools: Toolbox) -> tuple[dict[str, Any], ...]:
        """Return the tools to pass natively; () in a text contract."""

    def read(self, reply: Completion, tools: Toolbox) -> Parsed:
        """Read a reply; never raise."""

    def observe_error(self, parsed: Parsed) -> tuple[Observation, ...]:
        """Return what the model is told about its format error."""
