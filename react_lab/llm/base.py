"""The protocol of a language model: messages in, one `Completion` out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..records import Completion, Message, ToolCall, Usage, estimate_tokens


class LLM(Protocol):
    """Answer a prompt; keep no state between calls that a caller could notice."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the reply to `messages`, cut before the first of `stop`.

        Raise LLMError when there is no usable reply.
        """


@dataclass(frozen=True)
class FunctionLLM:
    """Make a model of a function from messages to text, for experiments of your own."""

    function: Callable[[Sequence[Message]], str]

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return what the function returns, cut at a stop sequence."""
        return Completion(cut_at_stop(self.function(messages), stop))


def cut_at_stop(text: str, stop: Sequence[str]) -> str:
    """Cut a text before the earliest stop sequence, as a server does."""
    found = [index for index in (text.find(word) for word in stop if word) if index >= 0]
    return text[: min(found)] if found else text


def estimate_usage(
    messages: int, tools: Sequence[dict[str, Any]], text: str, calls: Sequence[ToolCall]
) -> Usage:
    """Estimate the tokens of a call where no server counted; `messages` is the messages' part.

    Tools that travel beside the messages are counted too: a server writes them into the
    prompt, in a form that only it knows.
    """
    beside = estimate_tokens(json.dumps(tools, ensure_ascii=False)) if tools else 0
    written = estimate_tokens(text) + sum(estimate_tokens(call.arguments) for call in calls)
    return Usage(messages + beside, written)
