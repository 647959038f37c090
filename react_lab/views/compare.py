"""Two runs side by side: steps aligned, the first difference, prompts, replies, totals.

>>> print(compare_text(Run("2 + 2?", stop_reason="cancelled"), Run("2 + 2?", answer="4")))
first difference: none in the steps
         a          b
steps    0          0
tokens   0          0
stopped  cancelled  still running
answer   -          4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ..records import Run, Step
from .badges import headline
from .diff import Line, lines_html, lines_text, prompt_diff, text_diff
from .escape import isolated, one_line

#: Aligned rows a page shows; the text twin has them all.
ROWS = 200


@dataclass(frozen=True, slots=True)
class Pair:
    """Hold the steps of the same number in two runs; one is None past a run's end."""

    number: int
    a: Step | None
    b: Step | None

    @property
    def differs(self) -> str:
        """Name the first thing that differs: prompt, reply, observation, end; or ""."""
        if self.a is None or self.b is None:
            return "end"
        return next((name for name, same in _checks(self.a, self.b) if not same), "")


def aligned(a: Run, b: Run) -> list[Pair]:
    """Return the steps of two runs side by side."""
    return [Pair(n, *pair) for n, pair in enumerate(zip_longest(a.steps, b.steps), 1)]


def first_difference(a: Run, b: Run) -> Pair | None:
    """Return the first pair that differs, or None."""
    return next((pair for pair in aligned(a, b) if pair.differs), None)


def compare_text(a: Run, b: Run) -> str:
    """Return the first difference, the aligned steps and the totals as text."""
    pairs = aligned(a, b)
    found = next((pair for pair in pairs if pair.differs), None)
    lines = [f"first difference: {_named(found)}"]
    lines += [
        f"{'≠' if p.differs else '='} {p.number:>3}  {_did(p.a)[:60]:<60}  {_did(p.b)[:60]}".rstrip()
        for p in pairs
    ]
    return "\n".join([*lines, *_table(totals(a, b))])


def compare_html(a: Run, b: Run) -> str:
    """Return the same as HTML."""
    pairs = aligned(a, b)
    found = next((pair for pair in pairs if pair.differs), None)
    rows = "".join(map(_row, pairs[:ROWS]))
    left = "" if len(pairs) <= ROWS else f"<div>… {len(pairs) - ROWS:,} more steps</div>"
    head = "<tr><th></th><th>step</th><th>a</th><th>b</th><th>differs in</th></tr>"
    return (
        f"<div><b>First difference:</b> {isolated(_named(found))}</div>{_totals_html(a, b)}"
        f"<table>{head}{rows}</table>{left}"
    )


def pair_html(pair: Pair) -> str:
    """Return the prompt and reply diffs of one pair of steps."""
    return "".join(f"<div><b>{title}</b></div>{lines_html(lines)}" for title, lines in _diffs(pair))


def pair_text(pair: Pair) -> str:
    """Return the prompt and reply diffs of one pair of steps as text."""
    return "\n".join(f"{title}\n{lines_text(lines)}" for title, lines in _diffs(pair))


def totals(a: Run, b: Run) -> list[tuple[str, str, str]]:
    """Return the totals as rows of (name, a, b)."""
    return [
        ("steps", str(len(a.steps)), str(len(b.steps))),
        ("tokens", f"{a.usage.total:,}", f"{b.usage.total:,}"),
        ("stopped", a.stop_reason or "still running", b.stop_reason or "still running"),
        ("answer", _short(a.answer), _short(b.answer)),
    ]


def _checks(a: Step, b: Step) -> Sequence[tuple[str, bool]]:
    return (
        ("prompt", a.messages == b.messages),
        ("reply", a.reply.text == b.reply.text and a.reply.tool_calls == b.reply.tool_calls),
        ("reading", a.parsed == b.parsed and a.failure == b.failure),
        ("observation", a.observations == b.observations),
    )


def _diffs(pair: Pair) -> list[tuple[str, list[Line]]]:
    a, b = pair.a, pair.b
    if a is None or b is None:
        return [("Step", [Line(" ", f"run {'a' if a is None else 'b'} has no step {pair.number}")])]
    return [
        ("Prompt", prompt_diff(a.messages, b.messages)),
        ("Reply", text_diff(a.reply.text, b.reply.text)),
        ("Observation", text_diff(a.observation, b.observation, "observation")),
    ]


def _named(pair: Pair | None) -> str:
    if pair is None:
        return "none in the steps"
    if pair.differs == "end":
        longer = "a" if pair.b is None else "b"
        return f"step {pair.number}: only run {longer} goes on"
    return f"step {pair.number}, in the {pair.differs}"


def _did(step: Step | None) -> str:
    return "-" if step is None else headline(step)


def _short(text: str | None) -> str:
    return "-" if text is None else one_line(text, 120)


def _table(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    rows = [("", "a", "b"), *rows]
    width = max(len(row[1]) for row in rows)
    return [f"{name:<7}  {a:<{width}}  {b}".rstrip() for name, a, b in rows]


def _totals_html(a: Run, b: Run) -> str:
    rows = "".join(
        f"<tr><td>{name}</td><td>{isolated(one)}</td><td>{isolated(other)}</td></tr>"
        for name, one, other in totals(a, b)
    )
    return f"<table><tr><th></th><th>a</th><th>b</th></tr>{rows}</table>"


def _row(pair: Pair) -> str:
    cells = "".join(
        f'<td style="text-align:left">{isolated(_did(step), 90)}</td>' for step in (pair.a, pair.b)
    )
    return f"<tr><td>{'≠' if pair.differs else '='}</td><td>{pair.number}</td>{cells}<td>{pair.differs}</td></tr>"
