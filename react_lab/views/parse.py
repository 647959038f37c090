"""How a reply was read: its parts marked in place, each repair before and after.

>>> print(parse_text(Completion("Final Answer: 4"), Parsed(answer="4", spans=(Span("answer", 14, 15),))))
answer: 4
error: none
repairs: none
[answer 14-15] 4
"""

from __future__ import annotations

from collections.abc import Iterator

from ..records import Completion, Parsed, Repair, Span
from .escape import BLOCK_STYLE, attribute, block, isolated, show, visible

#: Both colours are set; the part's name stands before the text, so colour is never needed.
COLOURS = {
    "thought": "background-color:#e3ecfa;color:#0b2a55",
    "action": "background-color:#dff3e3;color:#06310f",
    "input": "background-color:#fdf0cf;color:#4a3300",
    "answer": "background-color:#efe0fa;color:#35054f",
    "ignored": "background-color:#e6e6e6;color:#444444",
}
LIMIT = 20_000


def parse_text(reply: Completion, parsed: Parsed) -> str:
    """Return what was read, the error, the repairs and the marked parts as text."""
    lines = [f"thought: {parsed.thought}"] if parsed.thought else []
    lines += [f"action: {action}" for action in parsed.actions]
    lines += [f"answer: {parsed.answer}"] if parsed.answer is not None else []
    lines.append(f"error: {parsed.error.code if parsed.error else 'none'}")
    lines += [f"  the model is told: {parsed.error.message}"] if parsed.error else []
    lines += [_repair_line(repair) for repair in parsed.repairs] or ["repairs: none"]
    for span in _in_order(reply.text, parsed.spans):
        lines.append(
            f"[{span.part} {span.start}-{span.end}] {reply.text[span.start : span.end].strip()}"
        )
    return visible("\n".join(lines))


def parse_html(reply: Completion, parsed: Parsed, limit: int = LIMIT) -> str:
    """Return the same as HTML, the reply whole with its parts in colour."""
    return (
        f"{_reading(parsed, limit)}<div><b>Reply, parts marked</b></div>{spans_html(reply.text, parsed.spans, limit)}"
        f"{repairs_html(parsed.repairs)}"
    )


def spans_html(text: str, spans: tuple[Span, ...], limit: int = LIMIT) -> str:
    """Return a reply with its parts in colour, what is in no part left plain."""
    pieces = [_piece(span, text, limit) for span in _whole(text, spans) if span.start < limit]
    left = len(text) - limit
    note = f" … [{left:,} more characters]" if left > 0 else ""
    return f'<pre style="{BLOCK_STYLE}">{"".join(pieces)}{note}</pre>'


def repairs_html(repairs: tuple[Repair, ...]) -> str:
    """Return each repair that fired: its name, what it saw, what it made of it."""
    if not repairs:
        return "<div>No repair fired.</div>"
    rows = "".join(
        f"<tr><td>{isolated(r.name, 80)}</td><td>{block(r.saw, 2_000)}</td><td>{block(r.made, 2_000)}</td></tr>"
        for r in repairs
    )
    return f"<table><tr><th>repair</th><th>saw</th><th>made</th></tr>{rows}</table>"


def _reading(parsed: Parsed, limit: int) -> str:
    parts = [("Thought", parsed.thought)]
    parts += [("Action", str(action)) for action in parsed.actions]
    parts += [("Answer", parsed.answer or "")]
    if parsed.error:
        parts += [(f"Error {parsed.error.code}: the model is told", parsed.error.message)]
    shown = "".join(
        f"<div><b>{show(title, 80)}</b>{block(text, limit)}</div>" for title, text in parts if text
    )
    return shown or "<div>Nothing was read from this reply.</div>"


def _repair_line(repair: Repair) -> str:
    return f"repair {repair.name}:\n  saw:  {repair.saw}\n  made: {repair.made}"


def _piece(span: Span, text: str, limit: int) -> str:
    inner = isolated(text[span.start : min(span.end, limit)])
    if not span.part:
        return inner
    colour = COLOURS.get(span.part, COLOURS["ignored"])
    return f'<span style="{colour}" title="{attribute(span.part, 40)}"><b>[{show(span.part, 40)}]</b> {inner}</span>'


def _whole(text: str, spans: tuple[Span, ...]) -> Iterator[Span]:
    position = 0
    for span in _in_order(text, spans):
        if span.start > position:
            yield Span("", position, span.start)
        yield span
        position = span.end
    if position < len(text):
        yield Span("", position, len(text))


def _in_order(text: str, spans: tuple[Span, ...]) -> Iterator[Span]:
    # A span inside another, or past the end, would show a part of the reply twice.
    position = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        start, end = max(span.start, position), min(span.end, len(text))
        if start < end:
            yield Span(span.part, start, end)
            position = end
