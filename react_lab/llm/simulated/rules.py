"""The rules that a learner can feel: what in the prompt or the loop causes what.

Each is a caricature of something that real models do, and each is shown in the tests by a
pair of runs that differ in one thing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """Hold a rule: its cause, its effect, and why it is in the model."""

    id: str
    cause: str
    effect: str
    reason: str

    def __str__(self) -> str:
        return f"{self.id:<3} {self.cause}: {self.effect} ({self.reason})"


RULES = (
    Rule(
        "R1",
        "no stop sequence",
        "it writes its own Observation and goes on to an answer made of an invented fact",
        "the commonest beginner's bug",
    ),
    Rule(
        "R2",
        "the stop is `Observation` without the line break",
        "its thought `The Observation shows` is cut in half and no action remains",
        "a wrong stop cuts words that are meant",
    ),
    Rule(
        "R3",
        "the Observation comes as assistant text",
        "it may take it for its own words: it calls again, or remembers something else",
        "roles say who spoke",
    ),
    Rule(
        "R4",
        "one long scratchpad in the system prompt",
        "from the third step on it mixes up its thoughts and the tools' words",
        "structured messages keep them apart",
    ),
    Rule(
        "R5",
        "line breaks and labels inside an Observation",
        "it thinks that the last round is still open and repeats the call",
        "clean observations",
    ),
    Rule(
        "R6",
        "the Observation is cut before the needed fact",
        "it does not have the fact: it asks again, then says that it was not found",
        "truncation",
    ),
    Rule(
        "R7",
        "an empty result",
        "without a hint the same call again; with a hint another keyword or tool, or it gives up",
        "empty results",
    ),
    Rule(
        "R8",
        "an error",
        "exact (it names the label, tool or parameter): corrected at the next step; vague: most likely the same mistake",
        "error messages are prompts",
    ),
    Rule(
        "R9",
        "nothing says to use a tool before answering",
        "now and then it answers at once from memory, plausibly and wrongly",
        "premature finish",
    ),
    Rule(
        "R10",
        "nothing says to answer as soon as possible",
        "one more, needless, check",
        "step count",
    ),
    Rule(
        "R11",
        "no rule against repeats and no guard",
        "after a confusing Observation it may loop",
        "repeats",
    ),
    Rule(
        "R12",
        "the prompt is longer than its window",
        "the middle is lost, the question first of all unless it is restated",
        "long context",
    ),
    Rule(
        "R13",
        "an Observation more than six rounds old",
        "recalled with falling probability, unless it was summarised",
        "forgetting",
    ),
    Rule(
        "R14",
        "an instruction inside an Observation",
        "a gullible temper obeys, unless a rule says that Observations are data",
        "injection",
    ),
    Rule(
        "R15",
        "two independent facts",
        "native: asked for in one turn; in text one by one, or a slip writes two actions",
        "parallel calls",
    ),
    Rule(
        "R16",
        "a Chinese prompt",
        "Chinese thoughts and answers, now and then full-width labels",
        "bilingual parsing",
    ),
    Rule("R17", "examples in the prompt", "fewer slips, more tokens", "few-shot"),
    Rule(
        "R18",
        "asked to plan, review, summarise, route or judge its confidence",
        "it does so in the form asked",
        "compositions",
    ),
)


def rules_table() -> str:
    """Return the rules as text, a line each."""
    return "\n".join(map(str, RULES))
