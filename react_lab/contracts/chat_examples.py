"""Few-shot examples as turns of the chat instead of text in the system message.

Small models follow what the chat has looked like so far more than what it was told: shown
the same examples as turns, SmolLM2-135M begins in the right form nearly every time, and as
text almost never (notebook 10).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..records import Message
from ..tools import Toolbox
from .layer import ContractLayer
from .text import TextContract

_TURN = re.compile(
    r"^(?=(?:Question|问题|Observation|观察)\s*[:：])|(?<=\n)(?=Thought:)", re.MULTILINE
)


@dataclass(frozen=True)
class ChatExamples(ContractLayer):
    """Put turns between the system message and the question of a contract.

    `turns` are messages; `example_turns` makes them of a transcript.
    """

    turns: tuple[Message, ...]

    def opening(self, question: str, tools: Toolbox) -> tuple[Message, ...]:
        """Return the contract's opening with the turns before its last message."""
        *before, asked = self.inner.opening(question, tools)
        return *before, *self.turns, asked


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
