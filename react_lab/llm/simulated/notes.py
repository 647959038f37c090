"""What the prompt says it knows already: answered sub-questions, notes, results of steps.

A line such as `- What is the price of a lamp? 40 EUR` is taken as known, wherever it stands
outside the examples. That is how plan-and-execute hands results on, how memory helps, and
how stale memory hurts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .plan import Ask, Need, Plan, resolve
from .results import day, extract

_NOTE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*|\(?(\d+)[.)、][ \t]*|(?:Step|步骤) (\d+)[:：][ \t]*)?(?:Q: ?)?"
    r"(?:([^\n?？]{6,200}[?？])[ \t]*(?:->|→|=>|=|A:|[:：])?|((?:Calculate |计算)[^\n=→:：]{3,80}?)[ \t]*(?:->|→|=>|=|[:：]))"
    r"[ \t]*(\S[^\n]*)$",
    re.MULTILINE,
)
_STEP = re.compile(
    r"\(?(?:the )?(?:result of )?step (\d+)\)?|（?第 ?(\d+) ?步(?:的结果)?）?", re.IGNORECASE
)

Understand = Callable[[str], "Plan | None"]


def key(ask: Ask) -> str:
    """Return an ask in a form that compares."""
    slots = [
        day(value) if name == "date" else value.lower() for name, value in sorted(ask.slots.items())
    ]
    return f"{ask.kind}/{ask.want}/{'/'.join(slots)}"


def read_notes(text: str, understand: Understand) -> dict[str, str]:
    """Return the facts that a text states, by the key of what they answer."""
    facts: dict[str, str] = {}
    for match in _NOTE.finditer(text):
        asked = match[3] or match[4]
        plan = understand(asked)
        facts[normal(asked)] = match[5].strip()
        if plan and len(plan.parts) == 1 and isinstance(plan.parts[0], Need):
            _, asks = resolve(plan.parts[0], lambda ask: None)
            if len(asks) == 1 and (value := extract(asks[0], match[5])):
                facts[key(asks[0])] = value
    return facts


def fill_in_steps(question: str, text: str) -> str:
    """Replace `step 1` in a question by the number that a numbered note gives for it."""
    results = {
        m[1] or m[2]: found[0]
        for m in _NOTE.finditer(text)
        if (found := re.search(r"-?\d+(?:\.\d+)?", m[5]))
    }
    return _STEP.sub(lambda m: results.get(m[1] or m[2], m[0]), question)


def answered_before(question: str, facts: Mapping[str, str]) -> str | None:
    """Return the answer that the notes give to the very same question."""
    return facts.get(normal(question))


def normal(question: str) -> str:
    """Write a question so that two spellings of it compare."""
    return re.sub(r"[\W_]+", " ", question.lower()).strip()
