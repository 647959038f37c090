"""Which model is chosen, whether it can be used, and what a test of the connection said.

>>> print(model_text(PickedModel("SimulatedLLM()", (("Key", "none needed"),), "llm = SimulatedLLM()")))
Model: SimulatedLLM()
Key: none needed
Connection: not tested
The same in code:
llm = SimulatedLLM()
"""

from __future__ import annotations

from dataclasses import dataclass

from .escape import block, isolated, one_line, visible

#: Characters of one fact; a longer one is cut.
LIMIT = 600


@dataclass(frozen=True)
class Outcome:
    """Hold what a test of the connection said; `ok` is None while nothing is known yet."""

    text: str = "not tested"
    ok: bool | None = None

    def __str__(self) -> str:
        return {True: "works: ", False: "failed: ", None: ""}[self.ok] + self.text


@dataclass(frozen=True)
class PickedModel:
    """Hold what is shown of a chosen model: a name, facts by title, the code that makes it."""

    name: str
    facts: tuple[tuple[str, str], ...]
    code: str
    tested: Outcome = Outcome()


def model_text(picked: PickedModel) -> str:
    """Return a chosen model as text."""
    rows = [("Model", picked.name), *picked.facts, ("Connection", str(picked.tested))]
    lines = [f"{title}: {one_line(fact, LIMIT)}" for title, fact in rows]
    return visible("\n".join([*lines, "The same in code:", picked.code]))


def model_html(picked: PickedModel) -> str:
    """Return the same as HTML, but for the connection: see `outcome_html`."""
    rows = [("Model", picked.name), *picked.facts]
    cells = "".join(
        f"<tr><th>{isolated(title, 80)}</th><td>{isolated(one_line(fact, LIMIT))}</td></tr>"
        for title, fact in rows
    )
    return f"<table>{cells}</table><div>The same in code{block(picked.code, 4_000)}</div>"


def outcome_html(tested: Outcome) -> str:
    """Return what is known of the connection."""
    return f"<div><b>Connection</b> {isolated(one_line(str(tested), LIMIT))}</div>"
