"""What else a reading says: the thought, the marked parts, and what goes back."""

from __future__ import annotations

from ...records import Span
from .parts import Reply
from .steps import Found

_LONGEST_THOUGHT = 20_000
_PART_NAMES = {
    "thought": "thought",
    "action": "action",
    "call": "action",
    "input": "input",
    "answer": "answer",
    "channel": "answer",
}


def thought_of(reply: Reply, found: Found) -> str:
    """Return the thought, or the prose before the first mark."""
    thoughts = [reply.content(part) for part in reply.parts if part.kind == "thought"]
    prose = (reply.content(part) for part in reply.parts if part.kind == "prose")
    thought = "\n".join(filter(None, thoughts)) or found.thought or next(filter(None, prose), "")
    return thought[:_LONGEST_THOUGHT]


def spans_of(reply: Reply) -> tuple[Span, ...]:
    """Return the parts and what was left out, in the order of the text."""
    spans = [
        Span(_PART_NAMES.get(part.kind, "ignored"), part.label, part.end)
        for part in reply.parts
        if reply.text[part.label : part.end].strip()
    ]
    spans += [Span("ignored", start, end) for start, end in reply.ignored]
    if reply.end < len(reply.text):
        spans.append(Span("ignored", reply.end, len(reply.text)))
    return tuple(sorted(set(spans), key=lambda span: (span.start, span.end)))


def kept_text(reply: Reply) -> str:
    """Return what goes back into the prompt: no reasoning, nothing that was invented."""
    if reply.end == len(reply.text) and not reply.reasoning:
        return reply.text
    pieces, position = [], 0
    for start, end in sorted(reply.reasoning):
        pieces.append(reply.text[position : max(start, position)])
        position = max(position, end)
    return "".join([*pieces, reply.text[position : max(position, reply.end)]]).strip()
