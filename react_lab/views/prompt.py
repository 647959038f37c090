"""The prompt exactly as sent: every message with its role and its estimated tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ..records import Message, estimate_tokens
from ..writing import written
from .escape import block, isolated, show, visible

#: Messages of a very long prompt that a page shows; the text twin has them all.
MESSAGES = 60


def prompt_text(messages: Iterable[Message]) -> str:
    """Return the prompt as text."""
    return "\n\n".join(visible(str(message)) for message in messages)


def prompt_html(messages: Iterable[Message], limit: int | None = 20_000) -> str:
    """Return the prompt as HTML: of a very long one the first and the last messages."""
    numbered = list(enumerate(messages, 1))
    if len(numbered) <= MESSAGES:
        return "".join(_message(number, message, limit) for number, message in numbered)
    first, last = numbered[: MESSAGES // 3], numbered[MESSAGES // 3 - MESSAGES :]
    gap = (
        f"<div>… messages {len(first) + 1} to {len(numbered) - len(last)} are not shown here</div>"
    )
    shown = ["".join(_message(n, message, limit) for n, message in part) for part in (first, last)]
    return gap.join(shown)


def request_html(request: Mapping[str, Any] | None) -> str:
    """Return the JSON on the wire, where there was a wire."""
    import json

    if request is None:
        return ""
    dumps = partial(json.dumps, indent=1, ensure_ascii=False, default=written)
    text = block(written(dict(request), dumps))
    return f"<details><summary>JSON on the wire</summary>{text}</details>"


def _message(number: int, message: Message, limit: int | None) -> str:
    tokens = estimate_tokens(message.content)
    answered = f" · answers {isolated(message.tool_call_id, 60)}" if message.tool_call_id else ""
    calls = "".join(
        f"<div>calls {isolated(call.name, 80)} [{isolated(call.id, 60)}]</div>{block(call.arguments, limit)}"
        for call in message.tool_calls
    )
    head = f"<div><b>{number} · {show(message.role)}</b>{answered} · about {tokens:,} tokens</div>"
    return f"{head}{block(message.content, limit) if message.content or not calls else ''}{calls}"
