"""Step 3, what it has learned: facts from the Observations it can see and trust.

Nothing is kept between calls. A fact is known when a round asked for it and its
Observation holds it; what was cut away, came empty or was taken for its own words is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .history import Round
from .plan import Absent, Ask
from .results import NUMBER, corrections, day, earlier_result, extract, has_hint, is_empty, is_error
from .temper import Dice, Temper

_REFUSED = re.compile(
    r"\bfailed: |执行失败：|not found|no such (?!tool)|no data|unknown (?:city|product)",
    re.IGNORECASE,
)
_CRASHED = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception|Failure|Timeout): |within [\d.]+ seconds|秒内没有返回|busy"
)
#: what may stand beside a name in an argument without being part of it
_BEFORE = r"(?:^['‘]?|[^\w\s'’.-]\s*['‘]?|\b(?:an?|the|in|of|for|at|on|about|one|each|is|\d+)\s+)"
_AFTER = (
    r"(?=$|\s*(?:[^\w\s'’.-]|[.](?:\s|$))|['’](?:s\b|\W|$)|\s+(?:in|of|for|at|on|today|now|tomorrow|yesterday"
    r"|cost|price|stock|weather|temperature|forecast|time|each|\d)\b)"
)
#: slots that may differ between what was asked and what is needed
_LOOSE = {"date", "query", "relation"}


def canonical(expression: str) -> str:
    """Write an expression so that two spellings of it compare."""
    return re.sub(r"[\s()]|(?<=\.\d)0+\b", "", expression.replace("^", "**").replace("×", "*"))


@dataclass(frozen=True)
class Knowledge:
    """Look facts up in the rounds, as a given temper would remember them."""

    rounds: Sequence[Round]
    temper: Temper
    dice: Dice
    rules: frozenset[str]
    seen: list[Ask] = field(default_factory=list)

    def find(self, ask: Ask) -> str | None:
        """Return the fact, or None; raise Absent where it was asked for in vain."""
        ask = self.meant(ask)
        tried = [
            item for item in rounds_about(ask, self.rounds) if not corrections(item.heard or "")
        ]
        for item in reversed(tried):
            value = None if self._lost(item) else extract(ask, self._as_heard(item))
            if value:
                self.seen.append(ask)
                return value
        if given_up(ask, tried):
            raise Absent(ask, tried[-1].heard or "")
        return None

    def meant(self, ask: Ask) -> Ask:
        """Return the ask with names as an error corrected them (`Did you mean Lisbon?`)."""
        better = dict[str, str]()
        for item in self.rounds:
            better |= corrections(item.heard or "")
        if not any(value in better for value in ask.slots.values()):
            return ask
        return replace(
            ask, slots={name: better.get(value, value) for name, value in ask.slots.items()}
        )

    def _lost(self, item: Round) -> bool:
        """Apply R3, R4 and R13: taken for its own words, mixed up, or forgotten."""
        number, past = str(item.number), Dice(self.dice.seed, self.dice.question, 0)
        if item.role == "assistant" and past.happens(
            f"own words {number}", self.temper.own_words / 2
        ):
            return True
        now = self.rounds[-1].number if self.rounds else 0
        if (
            item.role == "system"
            and now > 1
            and past.happens(f"mixing {number}", self.temper.scratchpad_mixing / 2)
        ):
            return True
        age = now - item.number - 5
        if age <= 0 or item.role == "summary" or "summarise_first" in self.rules:
            return False
        return past.roll(f"forget {number}") < 1 - (1 - self.temper.forgetting) ** age

    def _as_heard(self, item: Round) -> str:
        """Apply the other half of R3 and R4: it remembers something else."""
        heard = earlier_result(item.heard or "")
        rate = {"assistant": self.temper.own_words, "system": self.temper.scratchpad_mixing}.get(
            item.role, 0.0
        )
        now = self.rounds[-1].number if self.rounds else 0
        blurred = rate and (item.role == "assistant" or now > 1)
        past = Dice(self.dice.seed, self.dice.question, 0)
        if not blurred or not past.happens(f"something else {item.number}", rate / 2):
            return heard
        return re.sub(r"\d(?=\D*$|\.\d|\D*°)", lambda m: str((int(m[0]) + 3) % 10), heard, count=1)


def answers(item: Round, ask: Ask) -> bool:
    """Tell whether a round asked for this fact."""
    if item.heard is None or not item.tool:
        return False
    given = item.args if isinstance(item.args, str) else " ".join(map(str, item.args.values()))
    if ask.kind == "sum":
        operands = given if isinstance(item.args, str) else item.args.values()
        return canonical(given) == canonical(ask.slots["expression"]) or _same_operands(
            operands, ask
        )
    if "date" in ask.slots and day(given) != day(ask.slots["date"]):
        return False
    if ask.kind in ("documents", "ask"):
        return ask.kind in item.tool or "ask" in item.tool
    wanted = [value for name, value in ask.slots.items() if name not in _LOOSE]
    values = [item.args] if isinstance(item.args, str) else map(str, item.args.values())
    named = [value.lower() for value in values]
    return all(any(_names(value, word.lower()) for value in named) for word in wanted)


def _names(given: str, name: str) -> bool:
    """Tell whether an argument names this and nothing longer.

    德里 is not 马德里, and York is not New York: only small words may stand beside a name.
    """
    if name not in given:
        return False
    return given == name or re.search(rf"{_BEFORE}{re.escape(name)}{_AFTER}", given) is not None


def rounds_about(ask: Ask, rounds: Sequence[Round]) -> list[Round]:
    """Return the rounds that asked for a fact; a lookup belongs to the search before it."""
    found, opened = list[Round](), False
    for item in rounds:
        if answers(item, ask):
            found.append(item)
            opened = True
        elif ask.kind == "entity" and "look" in item.tool.lower():
            found += [item] if opened and item.heard is not None else []
        elif item.tool:
            opened = False
    return found


def _same_operands(given: object, ask: Ask) -> bool:
    if isinstance(given, str):
        return False
    return [str(v) for v in given] == re.findall(NUMBER, ask.slots["expression"])  # type: ignore[attr-defined]


def _bare(text: str) -> bool:
    """R7: tell whether a result is empty and nothing says what to do about it."""
    return is_empty(text) and not has_hint(text)


def given_up(ask: Ask, tried: Sequence[Round]) -> bool:
    """Tell whether asking again makes no sense: the world said no, or it was tried often."""
    heard = [item.heard or "" for item in tried]
    refused = [text for text in heard if _REFUSED.search(text) and not _CRASHED.search(text)]
    crashed = [text for text in heard if _CRASHED.search(text)]
    answered = [text for text in heard if not is_error(text) and not _bare(earlier_result(text))]
    return bool(refused) or len(crashed) >= 2 or len(answered) >= (3 if ask.kind == "entity" else 2)
