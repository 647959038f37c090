"""A run as one escaped HTML fragment: a collapsible row a step, no script, no style sheet.

It reads without a kernel, and also where a hosting page strips every style. The same as
text is `str(run)`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..records import Observation, Run, Step
from .badges import badges_html, headline, tried
from .escape import block, isolated, one_line, show

BOX_STYLE = (
    "border:1px solid var(--jp-border-color2,#bbb);padding:6px 10px;"
    "color:var(--jp-content-font-color1,#111);background:var(--jp-layout-color1,#fff)"
)
#: A notebook stays small: a longer run shows this many steps of its beginning and its end.
ROWS = 50
TEXT = 4_000
#: Characters that all steps may show together; each text gets its share.
TOTAL = 120_000


def run_html(run: Run, *, rows: int = ROWS, limit: int | None = TEXT) -> str:
    """Return the run: at most `rows` steps, each text cut at `limit` characters.

    With many long texts each gets less, so that a notebook stays small; `export_html` has all.
    """
    if limit is not None and run.steps:
        limit = min(limit, max(200, TOTAL // (6 * min(rows, len(run.steps)))))
    return (
        f'<div style="{BOX_STYLE}"><p><b>Question:</b> {isolated(run.question, limit)}</p>'
        f"{_steps(run, rows, limit)}{ending_html(run, limit)}</div>"
    )


def step_sections(step: Step) -> list[tuple[str, str]]:
    """List what a step holds as (title, text), in the order in which it happened."""
    parts = [("Thought", step.parsed.thought)]
    parts += [("Action", str(action)) for action in step.parsed.actions]
    parts += [(f"Repair {r.name}", f"saw:  {r.saw}\nmade: {r.made}") for r in step.parsed.repairs]
    parts += [("Failure", step.failure)]
    parts += [("Guard", step.guard)]
    parts += [(_observed(o), o.text or "(nothing)") for o in step.observations]
    return [(title, text) for title, text in parts if text]


def ending_html(run: Run, limit: int | None = TEXT) -> str:
    """Return the answer, how the run ended, and what it cost."""
    answer = "" if run.answer is None else f"<p><b>Answer:</b> {isolated(run.answer, limit)}</p>"
    return f"{answer}<p>{show(ending(run), 600)}</p>"


def ending(run: Run) -> str:
    """Say in one line how a run ended and what it cost."""
    detail = f" ({one_line(run.detail, 300)})" if run.detail else ""
    about = "about " if run.usage.estimated else ""
    ended = f"stopped: {run.stop_reason}" if run.finished else "still running"
    return (
        f"{ended}{detail} · {counted(len(run.steps), 'step')} · {about}{run.usage.total:,} tokens"
    )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 step`, `2 steps`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _steps(run: Run, rows: int, limit: int | None) -> str:
    numbered = list(enumerate(run.steps, 1))
    if len(numbered) <= rows:
        return _rows(numbered, limit)
    first, last = rows - rows // 5, rows // 5
    left_out = f"<p>… steps {first + 1} to {len(numbered) - last} are not shown here</p>"
    return f"{_rows(numbered[:first], limit)}{left_out}{_rows(numbered[-last:], limit)}"


def _rows(numbered: Iterable[tuple[int, Step]], limit: int | None) -> str:
    return "".join(_row(number, step, limit) for number, step in numbered)


def _row(number: int, step: Step, limit: int | None) -> str:
    parts = [*step_sections(step), ("Reply as received", step.reply.text)]
    inner = "".join(
        f"<div><b>{show(title, 80)}</b>{block(text, limit)}</div>" for title, text in parts
    )
    return (
        f"<details><summary>step {number} · {isolated(headline(step), 90)} {badges_html(step)}"
        f"</summary>{inner}</details>"
    )


def _observed(seen: Observation) -> str:
    status = "" if seen.ok else seen.status.replace("_", " ")
    notes = ", ".join(filter(None, [status, tried(seen)]))
    return f"Observation ({notes})" if notes else "Observation"
