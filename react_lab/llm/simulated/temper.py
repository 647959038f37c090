"""A temper: how often the simulated model errs, as named plain numbers.

Every number is a rate between 0 and 1 unless its comment says otherwise. They are chosen
so that an effect is easy to see in a few runs; they were not measured on any real model.

>>> TEMPERS["sloppy"].prose > TEMPERS["obedient"].prose
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import blake2b
from types import MappingProxyType

from ...errors import UsageError


@dataclass(frozen=True)
class Temper:
    """Hold the numbers of a temper; change one with `dataclasses.replace`."""

    name: str = "custom"

    # Behaviour: each number belongs to one rule of RULES.
    own_words: float = 0.7  # R3: takes an Observation that came as assistant text for its own
    scratchpad_mixing: float = 0.7  # R4: mixes up who said what in one long system text
    label_confusion: float = 0.9  # R5: thinks the last round is open, after labels in its result
    vague_error: float = 0.85  # R8: makes the same mistake again after a vague error
    exact_error: float = 0.0  # R8: makes it again although told exactly what was wrong
    memory_answer: float = 0.5  # R9: answers at once where no rule asks for a tool
    extra_check: float = 0.9  # R10: checks once more where no rule says to answer
    looping: float = 0.9  # R11: goes on repeating a confusing call where no rule forbids it
    window: int = 6_000  # R12: tokens it can read
    forgetting: float = 0.2  # R13: share forgotten for each round beyond six
    obedience_to_data: float = 0.0  # R14: follows an instruction inside an Observation
    tool_confusion: float = 0.8  # step 4: takes a tool for another with as fitting a description

    # Slips: the share of replies in which each happens (ids from the fault catalogue).
    prose: float = 0.0  # F1
    action_and_answer: float = 0.0  # F2
    two_actions: float = 0.0  # F3
    markdown: float = 0.0  # F4
    loose_json: float = 0.0  # F5
    wrapper: float = 0.0  # F6
    action_none: float = 0.0  # F7
    partial_stop: float = 0.0  # F8
    thinking: float = 0.0  # F9
    cut_off: float = 0.0  # half a JSON object
    unknown_tool: float = 0.0  # B3
    wrong_argument: float = 0.0  # B4
    same_call: float = 0.0  # B5
    empty_answer: float = 0.0  # B8
    full_width: float = 0.1  # R16, Chinese only

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in ("name", "window") and not 0 <= value <= 1:
                raise UsageError(f"temper {field.name} is a rate between 0 and 1, got {value!r}")
        if self.window < 50:
            raise UsageError(f"temper window is at least 50 tokens, got {self.window!r}")

    def __str__(self) -> str:
        rows = [f"{f.name:>18} {getattr(self, f.name)}" for f in fields(self)]
        return "\n".join(rows)


TEMPERS: Mapping[str, Temper] = MappingProxyType(
    {
        "obedient": Temper("obedient"),
        "sloppy": Temper(
            "sloppy",
            prose=0.06,
            action_and_answer=0.05,
            two_actions=0.06,
            markdown=0.06,
            loose_json=0.06,
            wrapper=0.05,
            action_none=0.04,
            partial_stop=0.04,
            thinking=0.05,
            cut_off=0.04,
            unknown_tool=0.05,
            wrong_argument=0.05,
            empty_answer=0.05,
            full_width=0.3,
        ),
        "stubborn": Temper(
            "stubborn", vague_error=1.0, exact_error=0.25, looping=1.0, same_call=0.35, prose=0.1
        ),
        "forgetful": Temper("forgetful", window=700, forgetting=0.5),
        "gullible": Temper("gullible", obedience_to_data=1.0),
    }
)


@dataclass(frozen=True)
class Dice:
    """Roll dice that fall the same way in every process.

    What is rolled for is part of the roll, the rest of the prompt is not: two runs that
    differ in one thing share all other luck, so their difference has that one cause.
    """

    seed: int
    question: str
    round: int

    def roll(self, what: str) -> float:
        """Return a number from 0 up to 1."""
        key = f"{self.seed}|{what}|{self.round}|{self.question}".encode("utf-8", "replace")
        return int.from_bytes(blake2b(key, digest_size=6).digest()) / 2**48

    def happens(self, what: str, rate: float) -> bool:
        """Tell whether something happens that happens at this rate."""
        return rate > 0 and self.roll(what) < rate

    def pick(self, what: str, n: int) -> int:
        """Return a whole number below n."""
        return int(self.roll(what) * n)
