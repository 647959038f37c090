"""A contract with a system message of your own: edit the prompt, keep everything else.

>>> from react_lab.contracts import OwnPrompt, TextContract
>>> OwnPrompt(TextContract(), "You are terse.").opening("2 + 2?", {})[0].content
'You are terse.'
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..records import Message
from ..tools import Toolbox
from .layer import ContractLayer


@dataclass(frozen=True)
class OwnPrompt(ContractLayer):
    """Put `system` in place of the contract's system message, whatever the tools.

    How past steps are shown, where replies end and how they are read stays with the contract.
    """

    system: str

    def opening(self, question: str, tools: Toolbox) -> tuple[Message, ...]:
        """Return the messages before the first step, the first with the own text."""
        first, *rest = self.inner.opening(question, tools)
        return (replace(first, content=self.system), *rest)
