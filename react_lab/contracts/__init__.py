"""Format contracts: how to ask, how to show past steps, how to read a reply (notebook 02).

The loop is the same for all of them. `TextContract("lines")` is the default; "json" and
"xml" are the same class with another template; `NativeContract` uses the endpoint's own
tool calls.
"""

from .base import Contract
from .chat_examples import ChatExamples, chat_examples, example_turns
from .layer import ContractLayer
from .native import NativeContract
from .own_prompt import OwnPrompt
from .text import RULES, TextContract

__all__ = [
    "RULES",
    "ChatExamples",
    "Contract",
    "ContractLayer",
    "NativeContract",
    "OwnPrompt",
    "TextContract",
    "chat_examples",
    "example_turns",
]
