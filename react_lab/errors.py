"""The exceptions of the kit.

::

    ReactLabError                 everything below
    ├── UsageError                the programmer's mistake: the value and the fix
    │   └── ToolDefinitionError   a function that cannot become a tool
    ├── ToolFailure               raised by a tool: its text becomes the Observation
    │   └── TransientFailure      worth trying again inside the same call
    └── LLMError                  the world's failure: ends the run, never an Observation

A model's mistake (format, unknown tool, wrong argument) is not here: it is an
`Observation` that the model can act on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .records import StopReason


class ReactLabError(Exception):
    """Be the base of every exception that the kit raises on purpose."""


class UsageError(ReactLabError, ValueError):
    """Say what value was passed and what to pass instead."""


class ToolDefinitionError(UsageError):
    """Say why a function cannot become a tool, and what to change."""


class ToolFailure(ReactLabError):
    """Be raised by a tool to tell the model, in one sentence, what went wrong."""


class TransientFailure(ToolFailure):
    """Be raised by a tool when the same call may succeed in a moment."""


class LLMError(ReactLabError):
    """Say that the model gave no usable reply; `stop_reason` names how the run ends.

    `request` and `response` are the JSON on the wire, where there was a wire.
    """

    stop_reason: StopReason = "llm_error"
    request: Mapping[str, Any] | None = None
    response: Mapping[str, Any] | None = None
