"""A model that replies from a list: the test double of every first experiment (notebook 01)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import LLMError
from ..records import Completion, Message
from .base import cut_at_stop


class ScriptedLLM:
    """Give the replies of a list, one a call; the prompt decides which one comes next.

    The next reply is number `k` when the prompt holds `k` assistant messages written since
    the script began, so a fork continues at the right place and no state is kept.
    Raise LLMError when the script has no reply left. With `obey_stop=False` the stop
    sequences are ignored, as some servers do.

    >>> ScriptedLLM(["Final Answer: 4"]).complete([Message("user", "2 + 2?")]).text
    'Final Answer: 4'
    """

    def __init__(self, replies: Sequence[str | Completion], *, obey_stop: bool = True) -> None:
        self.replies = tuple(replies)
        self.obey_stop = obey_stop

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the reply whose turn it is."""
        turn = sum(message.role == "assistant" for message in messages)
        if turn >= len(self.replies):
            raise LLMError(
                f"the script has {len(self.replies)} replies and was asked for number {turn + 1}: "
                "add one, or check why the run did not end"
            )
        reply = self.replies[turn]
        if isinstance(reply, Completion):
            return reply
        return Completion(cut_at_stop(reply, stop) if self.obey_stop else reply, model="scripted")

    def __repr__(self) -> str:
        return f"ScriptedLLM({len(self.replies)} replies)"
