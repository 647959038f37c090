"""What PromptLab shows: the prompt's pieces, what changed, and what that did to the run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from ..records import Run, Step
from .badges import Badge, badge_html, badges, headline
from .compare import ROWS, totals
from .escape import isolated, show, visible
from .prompt_parts import (
    Variant,
    changes_html,
    changes_text,
    columns,
    pieces_html,
    pieces_text,
    tokens_html,
    tokens_text,
)

NOT_RUN = "not run"
#: Two tables beside each other, below each other where the page is narrow.
_SIDES = "display:flex;flex-wrap:wrap;gap:4px 32px;align-items:flex-start"


def lab_text(start: Variant, now: Variant, hints: Sequence[str] = ()) -> str:
    """Return hints, runs, tokens, changes and the whole prompt as text."""
    told = [
        runs_text(start.run, now.run),
        tokens_text(start, now),
        f"what changed in the prompt\n{changes_text(start, now)}",
        f"the prompt as the model gets it\n{pieces_text(now)}",
    ]
    return visible("\n\n".join([*hints, *told]))


def overview_html(start: Variant, now: Variant, hints: Sequence[str] = ()) -> str:
    """Return hints, tokens and both runs as HTML."""
    told = "".join(f"<div>{show(hint)}</div>" for hint in hints)
    tables = "".join(
        f"<div>{table}</div>"
        for table in (tokens_html(start, now), totals_html(start.run, now.run))
    )
    return f'{told}<div style="{_SIDES}">{tables}</div>{steps_html(start.run, now.run)}'


def details_html(start: Variant, now: Variant) -> tuple[str, str]:
    """Return the longer parts as HTML: what changed, and the whole prompt."""
    return (
        f"<div><b>What changed in the prompt</b></div>{changes_html(start, now)}",
        f"<div><b>The prompt as the model gets it</b></div>{pieces_html(now)}",
    )


def run_rows(start: Run | None, now: Run | None) -> list[tuple[str, str, str]]:
    """Return the totals of both runs as rows of (name, start, now)."""
    old, new = _totals(start), _totals(now)
    return [(name, old.get(name, NOT_RUN), new.get(name, NOT_RUN)) for name in old or new]


def step_rows(start: Run | None, now: Run | None) -> list[tuple[Step | None, Step | None]]:
    """Return the steps of both runs side by side; None past a run's end."""
    old, new = (run.steps if run else () for run in (start, now))
    return [(a, b) for a, b in zip_longest(old, new)]


def runs_text(start: Run | None, now: Run | None) -> str:
    """Return both runs as text: the totals, then the steps side by side."""
    rows = run_rows(start, now)
    if not rows:
        return "no run yet"
    steps = [(f"step {n}", _did(a), _did(b)) for n, (a, b) in enumerate(step_rows(start, now), 1)]
    return columns([("run", "start", "now"), *rows, *steps])


def totals_html(start: Run | None, now: Run | None) -> str:
    """Return the totals of both runs."""
    rows = "".join(
        f"<tr><td>{show(name)}</td><td>{isolated(old)}</td><td>{isolated(new)}</td></tr>"
        for name, old, new in run_rows(start, now)
    )
    return f"<table><tr><th>run</th><th>start</th><th>now</th></tr>{rows}</table>" if rows else ""


def steps_html(start: Run | None, now: Run | None) -> str:
    """Return the steps of both runs side by side."""
    pairs = step_rows(start, now)
    rows = "".join(
        f"<tr><td>{n}</td>{_cell(a)}{_cell(b)}</tr>" for n, (a, b) in enumerate(pairs[:ROWS], 1)
    )
    left = f"<div>… {len(pairs) - ROWS:,} more steps</div>" if len(pairs) > ROWS else ""
    head = "<tr><th>step</th><th>start</th><th>now</th></tr>"
    return f"<table>{head}{rows}</table>{left}" if pairs else ""


def _totals(run: Run | None) -> dict[str, str]:
    if run is None:
        return {}
    found = {name: value for name, value, _ in totals(run, run)}
    found["tokens"] = f"{'about ' if run.usage.estimated else ''}{found['tokens']}"
    found["repairs"] = str(sum(len(step.parsed.repairs) for step in run.steps))
    found["format errors"] = str(sum(step.parsed.error is not None for step in run.steps))
    return found


def _did(step: Step | None) -> str:
    if step is None:
        return "-"
    return headline(step)[:60] + "".join(f" [{note}]" for note in _notes(step))


def _cell(step: Step | None) -> str:
    if step is None:
        return "<td>-</td>"
    notes = map(badge_html, _notes(step))
    return f"<td>{' '.join([isolated(headline(step), 120), *notes])}</td>"


def _notes(step: Step) -> list[Badge]:
    said = headline(step)
    return [b for b in badges(step) if b.kind in ("error", "repair", "guard") and str(b) != said]
