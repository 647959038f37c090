"""From messages to the JSON of a chat completion and back; no network here.

>>> message_json(Message("user", "2 + 2?"))
{'role': 'user', 'content': '2 + 2?'}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...records import Completion, Message, ToolCall, Usage
from ..base import cut_at_stop
from .problems import BrokenReply, excerpt, read_json

#: Most endpoints take four stop sequences; the rest are cut on our side alone.
MOST_STOPS = 4
_FINISH = {
    "function_call": "tool_calls",
    "max_tokens": "length",
    "model_length": "length",
    "eos": "stop",
    "end_turn": "stop",
    "safety": "content_filter",
}
_FAILED = ("error", "insufficient_system_resource", "abort")
_THINKING = re.compile(r"\s*<(think|thinking)>.*?(?:</\1>\s*|\Z)", re.DOTALL)


def message_json(message: Message) -> dict[str, Any]:
    """Return a message as the endpoint wants it."""
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in message.tool_calls
        ]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent


def read_reply(text: str, stop: Sequence[str], model: str) -> Completion:
    """Read the body of a reply; raise BrokenReply where there is no whole one."""
    value = read_json(text)
    if not isinstance(value, Mapping):
        raise BrokenReply(f"the reply is not JSON: {excerpt(text)}")
    return read_value(value, stop, model)


def read_value(value: Mapping[str, Any], stop: Sequence[str], model: str) -> Completion:
    """Read a reply's JSON: the first choice, its text, its calls, why it ended."""
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise BrokenReply(f"the reply has no choices{_why(value)}")
    message = choices[0].get("message")
    if not isinstance(message, Mapping):
        raise BrokenReply("the reply's choice holds no message")
    return make_completion(
        content_text(message.get("content")) or str(message.get("refusal") or ""),
        _calls(message),
        choices[0].get("finish_reason"),
        stop=stop,
        usage=read_usage(value.get("usage")),
        model=str(value.get("model") or model),
        reasoning=content_text(message.get("reasoning_content") or message.get("reasoning")),
        response=value,
    )


def make_completion(
    content: str,
    calls: tuple[ToolCall, ...],
    finish_reason: Any,
    *,
    stop: Sequence[str],
    usage: Usage | None,
    model: str,
    reasoning: str,
    response: Mapping[str, Any],
) -> Completion:
    """Put a completion together: reasoning left out, the text cut at a stop sequence."""
    visible = without_reasoning(content)
    text = cut_at_stop(visible, stop)
    reason = str(finish_reason or "stop").lower()
    if reason in _FAILED:
        raise BrokenReply(f"the endpoint ended the reply with finish_reason {reason!r}")
    reason = _FINISH.get(reason, reason)
    if len(text) < len(visible):
        reason = "stop"  # what came after the stop sequence may be cut: what stands before is whole
    hidden = len(reasoning) + len(content) - len(visible)
    notes = (f"reasoning left out: {hidden:,} characters",) if hidden else ()
    return Completion(text, calls, reason, usage, model, None, response, notes)


def without_reasoning(content: str) -> str:
    """Return a reply without the reasoning block that it opens with."""
    block = _THINKING.match(content) if "<think" in content else None
    return content[block.end() :] if block else content


def content_text(content: Any) -> str:
    """Return the text of a content field: a string, a list of parts, or null."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def read_usage(value: Any) -> Usage | None:
    """Return the tokens that the server counted, or None."""
    if not isinstance(value, Mapping):
        return None
    prompt, written = value.get("prompt_tokens"), value.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(written, int | None):
        return None
    return Usage(prompt, written or 0, estimated=False)


def read_call(value: Mapping[str, Any]) -> ToolCall:
    """Return one call; arguments that came as an object become JSON text."""
    function = value.get("function")
    function = function if isinstance(function, Mapping) else value
    arguments = function.get("arguments")
    text = (
        arguments
        if isinstance(arguments, str)
        else ""
        if arguments is None
        else json.dumps(arguments)
    )
    return ToolCall(str(value.get("id") or ""), str(function.get("name") or ""), text)


def _calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    listed = message.get("tool_calls")
    if not isinstance(listed, list):
        old = message.get("function_call")  # the field's name before tool_calls
        listed = [old] if isinstance(old, Mapping) else []
    return tuple(read_call(item) for item in listed if isinstance(item, Mapping))


def _why(value: Mapping[str, Any]) -> str:
    error = value.get("error")
    said = error.get("message") if isinstance(error, Mapping) else error
    return f": {str(said)[:200]}" if said else ""
