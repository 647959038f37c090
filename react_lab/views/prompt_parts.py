"""A prompt piece by piece, with its tokens, and what a switch changed in it.

Two variants of one agent's prompt are shown: the starting one and the one as it is now.
The pieces of a message are counted one after the other, so that they add up to what is
sent. What a step adds to later prompts stands beside them, with the reply and the
Observation as placeholders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..contracts import TextContract
from ..records import Completion, Message, Messages, Observation, Parsed, Run, Step, estimate_tokens
from ..tools import Toolbox
from .diff import Line, lines_html, lines_text, prompt_diff, text_diff
from .escape import block, isolated, show, visible

REPLY, OBSERVED = "(what the model writes)", "(what the tool returns)"
BESIDE = "beside the latest Observation"
START = "This is the starting prompt: nothing has changed."


@dataclass(frozen=True)
class Variant:
    """Hold one prompt: the contract, what it is filled with, and its run if there is one."""

    contract: TextContract
    tools: Toolbox
    question: str
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Hold one piece of the first prompt, with its estimated tokens."""

    role: str
    name: str
    text: str
    tokens: int


# --- the prompt


def first_prompt(variant: Variant) -> Messages:
    """Return the first prompt exactly as sent."""
    contract, question = variant.contract, variant.question
    return contract.sent(Messages(contract.opening(question, variant.tools)), question)


def parts(variant: Variant) -> list[Part]:
    """Return the pieces of the first prompt in order; their tokens add up to its own."""
    contract = variant.contract
    blocks = contract.blocks(variant.tools)
    system = [("opening", contract.template["intro"])]
    system += [(name, blocks[name]) for name in contract.order if blocks[name]]
    asked = ("question", contract.template["question"].format(question=variant.question))
    if contract.observation_as == "scratchpad":
        return _counted("system", [*system, asked])
    return [*_counted("system", system), *_counted("user", [asked])]


def step_adds(variant: Variant) -> list[Message]:
    """Return what a step adds to the next prompt, with placeholders for what is not known."""
    contract, question = variant.contract, variant.question
    body = Messages(contract.opening(question, variant.tools)).extend(contract.show(_SAMPLE))
    sent = contract.sent(body, question)
    if contract.observation_as != "scratchpad":
        return list(sent[2:])
    before = first_prompt(variant)[0].content
    return [Message("system", sent[0].content[len(before) :].lstrip("\n"))]


def beside(variant: Variant) -> str:
    """Return the reminders that stand after the latest Observation; "" without one."""
    contract = variant.contract
    shown = [message.content for message in contract.show(_SAMPLE)]
    return step_adds(variant)[-1].content.rpartition(shown[-1])[2].strip("\n")


_SAMPLE = Step(Messages(), Completion(REPLY), Parsed(kept=REPLY), (Observation(OBSERVED),))


def _counted(role: str, pieces: Sequence[tuple[str, str]]) -> list[Part]:
    found, text, before = [], "", 0
    for name, piece in pieces:
        text += f"\n\n{piece}" if text else piece
        tokens = estimate_tokens(text)
        found.append(Part(role, name, piece, tokens - before))
        before = tokens
    return found


def token_rows(start: Variant, now: Variant) -> list[tuple[str, int, int]]:
    """Return (piece, tokens at the start, tokens now), then the first prompt's sum."""
    old, new = ({part.name: part.tokens for part in parts(v)} for v in (start, now))
    names = [*new, *(name for name in old if name not in new)]
    rows = [(name, old.get(name, 0), new.get(name, 0)) for name in names]
    rows.append(("first prompt", sum(old.values()), sum(new.values())))
    later = [estimate_tokens(text) if (text := beside(v)) else 0 for v in (start, now)]
    return [*rows, (BESIDE, later[0], later[1])] if any(later) else rows


def tokens_text(start: Variant, now: Variant) -> str:
    """Return the tokens of each piece as text."""
    rows = [
        (name, f"{old:,}", f"{new:,}", f"{new - old:+,}" if new != old else "")
        for name, old, new in token_rows(start, now)
    ]
    return columns([("about tokens", "start", "now", "change"), *rows])


def tokens_html(start: Variant, now: Variant) -> str:
    """Return the same as HTML."""
    rows = "".join(
        f"<tr><td>{show(name)}</td><td>{old:,}</td><td>{new:,}</td>"
        f"<td>{f'{new - old:+,}' if new != old else ''}</td></tr>"
        for name, old, new in token_rows(start, now)
    )
    head = "<tr><th>about tokens</th><th>start</th><th>now</th><th>change</th></tr>"
    return f"<table>{head}{rows}</table>"


def pieces_text(now: Variant) -> str:
    """Return the first prompt piece by piece, what each step adds, and the stop sequences."""
    lines = [f"[{p.role}: {p.name}, about {p.tokens:,} tokens]\n{p.text}" for p in parts(now)]
    lines += [f"[each step adds, {m.role}]\n{m.content}" for m in step_adds(now)]
    return visible("\n\n".join([*lines, f"stop: {_stop(now)}"]))


def pieces_html(now: Variant) -> str:
    """Return the same as HTML."""
    shown = "".join(
        f"<div><b>{show(p.role)}: {show(p.name)}</b> · about {p.tokens:,} tokens</div>{block(p.text)}"
        for p in parts(now)
    )
    shown += "".join(
        f"<div><b>each step adds, {show(m.role)}</b></div>{block(m.content)}"
        for m in step_adds(now)
    )
    return f"{shown}<div><b>stop sequences:</b> {isolated(_stop(now))}</div>"


def changes(start: Variant, now: Variant) -> list[Line]:
    """Return the lines that differ: the first prompt, what a step adds, the stop sequences."""
    before, after = first_prompt(start), first_prompt(now)
    lines = prompt_diff(before, after) if before != after else []
    if len(before) != len(after):  # the same lines in other messages: a scratchpad
        lines = text_diff(str(before), str(after), "prompt")
    for role, describe in (("each step adds", _added), ("stop", _stop)):
        old, new = describe(start), describe(now)
        lines += text_diff(old, new, role) if old != new else []
    return lines


def changes_text(start: Variant, now: Variant) -> str:
    """Return what changed against the starting prompt as text."""
    lines = changes(start, now)
    return lines_text(lines) if lines else START


def changes_html(start: Variant, now: Variant) -> str:
    """Return what changed against the starting prompt as HTML."""
    lines = changes(start, now)
    return lines_html(lines) if lines else f"<div>{START}</div>"


def _added(variant: Variant) -> str:
    return "\n".join(f"{m.role}: {m.content}" for m in step_adds(variant))


def _stop(variant: Variant) -> str:
    return ", ".join(map(repr, variant.contract.stop)) or "none"


def columns(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows of equal length as text, each column as wide as its widest cell."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
