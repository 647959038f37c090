"""What is worth seeing in a step without opening it: a headline and badges.

>>> from react_lab.records import Completion, Messages, Observation, Parsed
>>> step = Step(Messages(), Completion(""), Parsed(), (Observation("no such city", "tool_error"),))
>>> [str(badge) for badge in badges(step)]
['tool error']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..records import Observation, Step
from .escape import one_line, show

#: Characters of a headline; more would not be read.
LONGEST = 200
Kind = Literal["error", "repair", "tool", "guard", "answer", "tokens"]
#: Both colours are set, so that a badge reads the same on a light and on a dark page.
COLOURS: dict[Kind, str] = {
    "error": "background-color:#b3261e;color:#ffffff",
    "repair": "background-color:#7a4b00;color:#ffffff",
    "tool": "background-color:#0b5394;color:#ffffff",
    "guard": "background-color:#6a1b9a;color:#ffffff",
    "answer": "background-color:#1b6e3a;color:#ffffff",
    "tokens": "background-color:#e0e0e0;color:#111111",
}


@dataclass(frozen=True, slots=True)
class Badge:
    """Name something about a step; `kind` gives the colour, `text` says it without one."""

    kind: Kind
    text: str

    def __str__(self) -> str:
        return self.text


def badges(step: Step) -> tuple[Badge, ...]:
    """List the errors, repairs, guard and tools of a step, the errors first."""
    error = step.parsed.error
    found: list[tuple[Kind, str]] = [("error", "failure")] if step.failure else []
    found += [("error", f"format error: {error.code}")] if error else []
    found += [
        ("error", o.status.replace("_", " ")) for o in step.observations if _bad(o) and not error
    ]
    found += [("repair", f"repaired: {name}") for name in _repairs(step)]
    found += [("guard", f"guard: {step.guard}")] if step.guard else []
    found += [("tool", action.tool) for action in step.parsed.actions]
    found += [("answer", "answer")] if step.parsed.answer is not None else []
    return tuple(Badge(kind, one_line(text, LONGEST)) for kind, text in found)


def has_issue(step: Step) -> bool:
    """Tell whether something in a step went wrong, was repaired, or was stopped by a guard."""
    return any(badge.kind in ("error", "repair", "guard") for badge in badges(step))


def tokens_badge(step: Step) -> Badge:
    """Return the tokens of a step; about, where no server counted."""
    return Badge("tokens", f"{'about ' if step.usage.estimated else ''}{step.usage.total:,} tokens")


def badge_html(badge: Badge) -> str:
    """Return one badge."""
    style = (
        f"{COLOURS[badge.kind]};padding:0 6px;border-radius:8px;font-size:85%;white-space:nowrap"
    )
    return f'<span style="{style}"><bdi>{show(badge.text, 60)}</bdi></span>'


def badges_html(step: Step) -> str:
    """Return all badges of a step, tokens last."""
    return " ".join(badge_html(badge) for badge in (*badges(step), tokens_badge(step)))


def headline(step: Step) -> str:
    """Say in one line what a step did."""
    return one_line(_headline(step), LONGEST)


def tried(seen: Observation) -> str:
    """Say how many tries a tool call took, "" where one was enough."""
    return f"{seen.tries} tries" if seen.tries > 1 else ""


def _headline(step: Step) -> str:
    if step.parsed.actions:
        return ", ".join(map(str, step.parsed.actions))
    if step.parsed.answer is not None:
        return f"answer: {step.parsed.answer}"
    if step.parsed.error is not None:
        return f"format error: {step.parsed.error.code}"
    return step.failure or "no action"


def _bad(observation: Observation) -> bool:
    return observation.status not in ("ok", "guard", "format_error")


def _repairs(step: Step) -> list[str]:
    return list(dict.fromkeys(repair.name for repair in step.parsed.repairs))
