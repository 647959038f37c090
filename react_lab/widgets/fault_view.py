"""What FaultLab shows, as escaped HTML and as text: one trial, and a batch of them.

The text is the same as the HTML, word for word; each picture has the table that
`describe_*` makes of it as its alternative text.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..faults import VERDICTS, Trial, find_fault, recovery_counts
from ..views import run_html
from ..views.escape import attribute, isolated, show

#: A word beside every colour, and both colours set, so that light and dark read alike.
_COLOURS = {
    "recovered": "#1b6e3a",
    "recovered at extra cost": "#0b5394",
    "wrong answer": "#b3261e",
    "safe stop": "#7a4b00",
    "crash": "#b3261e",
    "unsafe action": "#6a1b9a",
}
_COLUMN = "flex:1 1 22em;min-width:0"
_DETAIL = 160
_PRE = "white-space:pre;overflow-x:auto;line-height:1.3;margin:4px 0"


def trial_html(trial: Trial) -> str:
    """Return a trial: verdict, where it fired, what answered, and both runs side by side."""
    verdict = trial.judgement.verdict
    items = "".join(f"<li>{isolated(line)}</li>" for line in _paths(trial))
    faulted = run_html(trial.run) if trial.run else f"<p>{isolated(trial.judgement.detail)}</p>"
    return (
        f"<p>{_verdict_html(trial)} {isolated(str(trial.judgement)[len(verdict) :].lstrip(': '))}</p>"
        f"<p>{isolated(_fault_line(trial))}<br>{isolated(_fired_line(trial))}</p>"
        f"<p><b>What answered</b></p><ul>{items}</ul>"
        '<div style="display:flex;flex-wrap:wrap;gap:12px">'
        f'<div style="{_COLUMN}"><p><b>Clean</b></p>{run_html(trial.clean)}</div>'
        f'<div style="{_COLUMN}"><p><b>With the fault</b></p>{faulted}</div></div>'
    )


def trial_text(trial: Trial) -> str:
    """Return the same as text."""
    faulted = str(trial.run) if trial.run else trial.judgement.detail
    paths = "\n".join(f"  {line}" for line in _paths(trial))
    return (
        f"{trial.judgement}\n{_fault_line(trial)}\n{_fired_line(trial)}\nWhat answered:\n{paths}\n\n"
        f"=== Clean\n{trial.clean}\n\n=== With the fault\n{faulted}"
    )


def batch_html(trials: Sequence[Trial], limit: int | None) -> str:
    """Return a batch as two pictures with their tables; tables alone without matplotlib."""
    if not trials:
        return ""
    steps, cells = steps_by_verdict(trials), recovery_counts(trials)
    tables = _tables(steps, cells, limit)
    pictures = _pictures(steps, cells, limit)
    parts = [*pictures, *(f'<pre style="{_PRE}">{show(table)}</pre>' for table in tables)]
    return "".join(parts)


def batch_text(trials: Sequence[Trial], limit: int | None) -> str:
    """Return a batch as its tables."""
    return "\n\n".join(_tables(steps_by_verdict(trials), recovery_counts(trials), limit))


def steps_by_verdict(trials: Sequence[Trial]) -> dict[str, list[int]]:
    """Return {verdict: steps of each run}, for runs in which the fault fired."""
    runs = [trial for trial in trials if trial.counts and trial.run]
    grouped = {
        verdict: [len(t.run.steps) for t in runs if t.run and t.judgement.verdict == verdict]
        for verdict in VERDICTS
    }
    return {verdict: steps for verdict, steps in grouped.items() if steps}


def _tables(steps: Mapping[str, Sequence[int]], cells: Any, limit: int | None) -> list[str]:
    from ..plots import describe_recovery_heatmap, describe_step_histogram

    return [
        f"Steps until the run ended\n{describe_step_histogram(steps, limit=limit)}",
        f"Recovered of fired\n{describe_recovery_heatmap(cells)}",
    ]


def _pictures(steps: Mapping[str, Sequence[int]], cells: Any, limit: int | None) -> list[str]:
    from ..plots import recovery_heatmap, step_histogram

    tables = _tables(steps, cells, limit)
    cells = {(f, d.replace(", ", ",\n")): counts for (f, d), counts in cells.items()}
    faults, defences = len({f for f, _ in cells}), len({d for _, d in cells})
    return [
        _image(lambda ax: step_histogram(steps, limit=limit, ax=ax), tables[0], (6.4, 3.0)),
        _image(
            lambda ax: recovery_heatmap(cells, ax=ax),
            tables[1],
            (3.4 + 1.2 * defences, 2.6 + 0.35 * faults),
        ),
    ]


def _image(draw: Callable[[Any], Any], text: str, size: tuple[float, float]) -> str:
    from matplotlib.figure import Figure

    figure, file = Figure(figsize=size, layout="constrained"), io.BytesIO()
    draw(figure.subplots())
    figure.savefig(file, format="png", dpi=90, metadata={"Software": None})
    data = base64.b64encode(file.getvalue()).decode("ascii")
    return (
        f'<img alt="{attribute(text)}" src="data:image/png;base64,{data}" '
        'style="max-width:100%;background:#ffffff;display:block;margin:6px 0">'
    )


def _verdict_html(trial: Trial) -> str:
    verdict = trial.judgement.verdict
    style = f"background-color:{_COLOURS[verdict]};color:#ffffff;padding:1px 8px;border-radius:8px"
    return f'<span style="{style}">{show(verdict)}</span>'


def _fault_line(trial: Trial) -> str:
    fault = find_fault(trial.fault) if trial.fault in _known() else None
    return f"{fault.id} {fault.name}: {fault.explanation}" if fault else trial.fault


def _known() -> Any:
    from ..faults import FAULTS

    return FAULTS


def _fired_line(trial: Trial) -> str:
    if not trial.fired:
        return "The fault did not fire: there was nothing here for it to break."
    where = ", ".join(f"step {f.step}" + (f" ({f.tool})" if f.tool else "") for f in trial.fired)
    return f"Fired {len(trial.fired)} times: {where}" if len(trial.fired) > 1 else f"Fired: {where}"


def _paths(trial: Trial) -> list[str]:
    lines = [" ".join(str(recovery).split()) for recovery in trial.recoveries]
    return [line if len(line) <= _DETAIL else f"{line[:_DETAIL]} ..." for line in lines] or [
        "nothing"
    ]
