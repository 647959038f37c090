"""Parts that stand around another part, and so switch a defence on or off.

Each has a field `inner`, the part it stands around. The loop does not change: it is given
another model, contract, toolbox or context policy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

from ..context import ContextPolicy
from ..contracts import ContractLayer
from ..errors import LLMError
from ..llm.base import LLM, cut_at_stop
from ..records import (
    Action,
    Completion,
    FormatError,
    Message,
    Observation,
    Parsed,
    Step,
    estimate_tokens,
)
from ..tools import Toolbox
from ..tools.observing import shorten

_VAGUE = {"en": "Error: invalid format.", "zh": "错误：格式无效。"}
_NAIVE_CALL = re.compile(r"Action: ?(.*?)\n+Action Input: ?(.*)", re.DOTALL)
_OWN_OBSERVATION = re.compile(r"^(?:Observation: ?|观察[:：] ?|<observation>)", re.MULTILINE)
_NAIVE_ANSWER = "Final Answer:"


def is_layer(part: Any) -> bool:
    """Tell whether a part stands around another."""
    return is_dataclass(part) and hasattr(part, "inner")


def change_innermost(part: Any, change: Callable[[Any], Any]) -> Any:
    """Change the part below all layers."""
    if is_layer(part):
        return replace(part, inner=change_innermost(part.inner, change))
    return change(part)


def with_layer(part: Any, layer: Any) -> Any:
    """Put a layer around a part, once."""
    return part if has_layer(part, layer) else layer(part)


def without_layer(part: Any, layer: type) -> Any:
    """Take every layer of a kind away."""
    if not is_layer(part):
        return part
    inner = without_layer(part.inner, layer)
    return inner if isinstance(part, layer) else replace(part, inner=inner)


def has_layer(part: Any, layer: type) -> bool:
    """Tell whether a layer of a kind stands around a part."""
    return is_layer(part) and (isinstance(part, layer) or has_layer(part.inner, layer))


@dataclass(frozen=True)
class RetryOnce:
    """Ask a model once more when a call failed in a way that may pass.

    An error says so itself by `transient`; one that does not say is tried again.
    """

    inner: LLM

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the reply of the first call, or of the second."""
        try:
            return self.inner.complete(messages, stop=stop, tools=tools)
        except LLMError as error:
            if not getattr(error, "transient", True):
                raise
            reply = self.inner.complete(messages, stop=stop, tools=tools)
            return replace(reply, notes=(*reply.notes, f"retried: {error}"))


@dataclass(frozen=True)
class DropStop:
    """Ask without stop sequences where the endpoint refuses them, and cut the reply here."""

    inner: LLM

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the reply, cut at the first stop sequence."""
        try:
            return self.inner.complete(messages, stop=stop, tools=tools)
        except LLMError as error:
            if not stop or "stop" not in str(error):
                raise
            reply = self.inner.complete(messages, stop=(), tools=tools)
            text = cut_at_stop(reply.text, stop)
            return replace(reply, text=text, notes=(*reply.notes, f"stop dropped: {error}"))


@dataclass(frozen=True)
class HideFinishReason:
    """Report every reply as complete, as some servers do with a reply that was cut."""

    inner: LLM

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the reply with finish_reason `stop`."""
        reply = self.inner.complete(messages, stop=stop, tools=tools)
        return replace(reply, finish_reason="stop")


@dataclass(frozen=True)
class VagueErrors(ContractLayer):
    """Tell the model only that something was wrong."""

    def observe_error(self, parsed: Parsed) -> tuple[Observation, ...]:
        """Return a message that names no rule."""
        text = _VAGUE.get(self.language, _VAGUE["en"])
        shown = self.inner.observe_error(parsed)
        return tuple(replace(o, text=text, full=text) for o in shown)


@dataclass(frozen=True)
class NoCut(ContractLayer):
    """Read a reply to its end, as if its own Observation were any other line."""

    def read(self, reply: Completion, tools: Toolbox) -> Parsed:
        """Read the reply with no line that could end it early."""
        text = _OWN_OBSERVATION.sub(r"Note: ", reply.text)
        return replace(self.inner.read(replace(reply, text=text), tools), kept=reply.text)


@dataclass(frozen=True)
class NaiveReading(ContractLayer):
    """Read replies with two regular expressions, as the first version of a loop does."""

    def read(self, reply: Completion, tools: Toolbox) -> Parsed:
        """Return what looks like an answer, else the first thing that looks like a call."""
        text = reply.text
        if _NAIVE_ANSWER in text:
            return Parsed(answer=text.split(_NAIVE_ANSWER)[-1].strip() or "(empty)", kept=text)
        if call := _NAIVE_CALL.search(text):
            action = Action(call[1].strip(), _naive_args(call[2]))
            return Parsed(actions=(action,), kept=text)
        return Parsed(error=FormatError("missing_action", _VAGUE["en"]), kept=text)


def _naive_args(text: str) -> Any:
    import json

    try:
        value, _ = json.JSONDecoder().raw_decode(text.strip())
    except ValueError:
        return text.strip()
    return value if isinstance(value, dict) else str(value)


@dataclass(frozen=True)
class FitWindow:
    """Shorten what the prompt shows of past steps until it fits into a window.

    `tokens` bounds the shown steps together; each gets an equal share, cut in the middle
    with a marker that says how much is missing.
    """

    inner: ContextPolicy
    tokens: int = 2_000

    def select(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Return the steps, shortened where they would not fit."""
        shown = self.inner.select(steps)
        if sum(estimate_tokens(step.observation) for step in shown) <= self.tokens:
            return shown
        limit = max(80, 4 * self.tokens // len(shown))
        return [_fitted(step, limit) for step in shown]


def _fitted(step: Step, limit: int) -> Step:
    short = tuple(replace(o, text=shorten(o.text, limit)) for o in step.observations)
    return replace(step, observations=short)
