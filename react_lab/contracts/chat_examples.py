"""Few-shot examples as turns of the chat instead of text in the system message.

Small models follow what the chat has looked like so far more than what it was told: shown
the same examples as turns, SmolLM2-135M begins in the right form nearly every time, and as
text almost never (notebook 10).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..records import Completion, Message, Messages, Observation, Parsed, Step
from ..tools import Toolbox
from .base import Contract
from .text import TextContract

_TURN = re.compile(
    r"^(?=(?:Question|问题|Observation|观察)\s*[:：])|(?<=\n)(?=Thought:)", re.MULTILINE
)


@dataclass(frozen=True)
class ChatExamples:
    """Put turns between the system message and the question of a contract.

    `turns` are messages; `example_turns` makes them of a transcript.
    """

    inner: Contract
    turns: tuple[Message, ...]

    @property
    def language(self) -> str:
        """Return the language of the contract."""
        return self.inner.language

    @property
    def stop(self) -> Sequence[str]:
        """Return the stop sequences of the contract."""
        return self.inner.stop

    def opening(self, question: str, tools: Toolbox) -> tuple[Message, ...]:
        """Return the contract's opening with the turns before its last message."""
        *before, asked = self.inner.opening(question, tools)
        return *before, *self.turns, asked

    def show(self, step: Step) -> tuple[Message, ...]:
        """Show a step as the contract does."""
        return self.inner.show(step)

    def sent(self, body: Messages, question: str) -> Messages:
        """Return the prompt as the contract sends it."""
        return self.inner.sent(body, question)

    def request_tools(self, tools: Toolbox) -> tuple[dict[str, Any], ...]:
        """Return the contract's native tools."""
        return self.inner.request_tools(tools)

    def read(self, reply: Completion, tools: Toolbox) -> Parsed:
        """Read a reply as the contract does."""
        return self.inner.read(reply, tools)

    def observe_error(self, parsed: Parsed) -> tuple[Observation, ...]:
        """Return the contract's error."""
        return self.inner.observe_error(parsed)


def example_turns(transcript: str) -> tuple[Message, ...]:
    """Cut a transcript of labelled lines into turns: questions and Observations are the user's.

    >>> [m.role for m in example_turns("Question: 1 + 1?\\nThought: I know.\\nFinal Answer: 2")]
    ['user', 'assistant']
    """
    pieces = [piece.strip() for piece in _TURN.split(transcript) if piece.strip()]
    return tuple(Message(_role(piece), piece) for piece in pieces)


def chat_examples(contract: TextContract = TextContract()) -> ChatExamples:  # noqa: B008  frozen
    """Return a contract of labelled lines whose template's examples are shown as turns."""
    return ChatExamples(contract, example_turns(contract.template["examples"]))


def _role(piece: str) -> Literal["user", "assistant"]:
    return "assistant" if piece.startswith(("Thought:", "Action:", "Final Answer:")) else "user"
