"""From native calls to labelled lines, in the middle of a run, when an endpoint has no tools.

Some endpoints refuse `tools` by name; others take them and drop them, because the model's
chat template has no place for them. Either way the model never saw a tool. The run then
holds one step that says so, and goes on with the text contract. Nothing is remembered
outside the run: which form a prompt has follows from its steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from ..records import Completion, Message, Messages, estimate_tokens
from ..tools import Toolbox
from .text import TextContract

#: A prompt with fewer tokens than this part of the tools' JSON cannot have held the tools.
SMALLEST_PART = 1 / 3
_HAS_NONE = re.compile(
    r"(?:do not|don't|don’t) (?:currently )?have (?:access to )?(?:any |external |the |these )*tools\b(?! (?:for|to|that))"
    r"|as an ai language model"
    r"|没有(?:任何|可用的)工具|无法(?:使用|调用)(?:任何)?工具",
    re.IGNORECASE,
)


def never_saw_tools(reply: Completion, tools: Toolbox) -> str:
    """Say what shows that the model never saw the tools; "" where nothing does.

    The request as sent is looked at first, then the server's own count of the prompt's
    tokens, then what the model says about itself.
    """
    if not tools:
        return ""
    if reply.request is not None:
        if "tools" not in reply.request:
            return next(
                (n for n in reply.notes if "'tools'" in n), "the request was sent without tools"
            )
        if any(message.get("role") == "tool" for message in reply.request.get("messages", ())):
            return ""
    size = estimate_tokens(json.dumps(tools.schemas, ensure_ascii=False))
    if (
        reply.usage
        and not reply.usage.estimated
        and reply.usage.prompt_tokens < size * SMALLEST_PART
    ):
        return (
            f"the prompt had {reply.usage.prompt_tokens} tokens, the tools alone have about {size}"
        )
    found = _HAS_NONE.search(reply.text)
    return f"the model wrote {found[0]!r}" if found else ""


def asked_in_text(reply: Completion, text_system: str) -> bool:
    """Tell whether the request that this reply answers was already written as text."""
    messages: Sequence[Any] = (reply.request or {}).get("messages") or ({},)
    return bool(messages[0].get("content") == text_system)


def as_text(body: Sequence[Message], contract: TextContract, question: str) -> Messages:
    """Return a native prompt as the text contract would have written it.

    The last system message is the text contract's own; it takes the first one's place.
    """
    *_, switch = (message for message in body[1:] if message.role == "system")
    asked = contract.template["question"].format(question=question)
    past = [m for m in body[2:] if m.role != "system"]
    return Messages([switch, Message("user", asked), *_rounds(past, contract.template)])


def _rounds(past: Sequence[Message], template: Mapping[str, Any]) -> Iterator[Message]:
    for place, message in enumerate(past):
        if message.role == "tool":
            continue
        if not message.tool_calls:
            yield message
            continue
        # Results stand right behind their calls; an id may come again in a later turn.
        behind = takewhile(lambda m: m.role == "tool", past[place + 1 :])
        results = {m.tool_call_id: m for m in behind}
        for call in message.tool_calls:
            thought = f"Thought: {message.content}\n" if message.content else ""
            yield Message(
                "assistant", f"{thought}Action: {call.name}\nAction Input: {call.arguments}"
            )
            if result := results.get(call.id):
                yield Message("user", template["observation"].replace("{text}", result.content))
