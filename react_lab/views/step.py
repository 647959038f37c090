"""One step from every side: the panes of the inspector, as HTML and as text (notebook 06)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from ..records import Observation, Run, Step
from .badges import badges, headline, tried
from .diff import Line, lines_html, lines_text, prompt_diff
from .escape import block, show, visible
from .growth import growth_html, growth_text
from .parse import parse_html, parse_text
from .prompt import prompt_html, prompt_text, request_html
from .run import step_sections


def step_html(run: Run, number: int, pane: str = "Scratchpad") -> str:
    """Return a pane of step `number`, counted from 1; raise UsageError outside the run."""
    run.step(number)
    return PANES[pane][0](run, number)


def step_text(run: Run, number: int, pane: str = "Scratchpad") -> str:
    """Return the same pane as text."""
    run.step(number)
    return PANES[pane][1](run, number)


def step_line(number: int, step: Step) -> str:
    """Return a step as one line: number, badges, headline."""
    named = ", ".join(badge.text for badge in badges(step) if badge.kind not in ("tool", "answer"))
    return f"{number:>4}  {headline(step)[:90]}{f'  [{named}]' if named else ''}"


def _scratchpad_html(run: Run, number: int) -> str:
    sections = step_sections(run.step(number))
    step = run.step(number)
    if step.parsed.answer is not None:
        sections.append(("Answer", step.parsed.answer))
    return "".join(
        f"<div><b>{show(title, 80)}</b>{block(text)}</div>" for title, text in sections
    ) or ("<div>This reply held nothing that could be read.</div>")


def _scratchpad_text(run: Run, number: int) -> str:
    step = run.step(number)
    answer = [f"Answer: {visible(step.parsed.answer)}"] if step.parsed.answer is not None else []
    return "\n".join([*([visible(str(step))] if str(step) else []), *answer])


def _prompt_html(run: Run, number: int) -> str:
    step = run.step(number)
    return prompt_html(step.messages) + request_html(step.reply.request)


def _diff(run: Run, number: int) -> list[Line]:
    before = run.step(number - 1).messages if number > 1 else ()
    return prompt_diff(before, run.step(number).messages)


def _reply_html(run: Run, number: int) -> str:
    reply = run.step(number).reply
    calls = "".join(
        f"<div>calls {show(c.name, 80)}</div>{block(c.arguments)}" for c in reply.tool_calls
    )
    notes = "".join(f"<div>note: {show(note, 400)}</div>" for note in reply.notes)
    ended = f"<div>finish_reason: {show(reply.finish_reason, 80)}</div>"
    return f"{block(reply.text)}{calls}{notes}{ended}"


def _reply_text(run: Run, number: int) -> str:
    reply = run.step(number).reply
    calls = [f"calls {call.name}({call.arguments})" for call in reply.tool_calls]
    notes = [f"note: {note}" for note in reply.notes]
    lines = [reply.text, *calls, *notes, f"finish_reason: {reply.finish_reason}"]
    return visible("\n".join(lines))


def _tool_parts(step: Step) -> list[tuple[str, str]]:
    parts = [("Asked for", str(action)) for action in step.parsed.actions]
    for observation in step.observations:
        parts += _observed(observation)
    return parts or [("Tool", "No tool ran at this step.")]


def _observed(seen: Observation) -> list[tuple[str, str]]:
    how = ", ".join(filter(None, [seen.status.replace("_", " "), tried(seen)]))
    title = f"{seen.tool or 'Told'} ({how}): as shown to the model"
    whole = [("Before it was shortened", seen.full)] if seen.full and seen.full != seen.text else []
    return [(title, seen.text), *whole]


def _tool_html(run: Run, number: int) -> str:
    parts = _tool_parts(run.step(number))
    return "".join(f"<div><b>{show(title, 160)}</b>{block(text)}</div>" for title, text in parts)


def _tool_text(run: Run, number: int) -> str:
    return "\n".join(
        f"{visible(title)}\n  {visible(text)}" for title, text in _tool_parts(run.step(number))
    )


def _timing(run: Run, number: int) -> list[tuple[str, str]]:
    step = run.step(number)
    spent = sum(earlier.usage.total for earlier in islice(run.steps, number))
    counted = "estimated: no server counted" if step.usage.estimated else "counted by the server"
    rows = [
        ("prompt tokens", f"{step.usage.prompt_tokens:,}"),
        ("reply tokens", f"{step.usage.completion_tokens:,}"),
        ("tokens", counted),
        ("tokens so far", f"{spent:,}"),
        ("model", f"{step.model_seconds:.3f} s"),
    ]
    return rows + [(o.tool or "observation", f"{o.seconds:.3f} s") for o in step.observations]


def _timing_html(run: Run, number: int) -> str:
    rows = "".join(
        f'<tr><td style="text-align:left">{show(name, 80)}</td><td>{show(value)}</td></tr>'
        for name, value in _timing(run, number)
    )
    return f"<table>{rows}</table>"


def _timing_text(run: Run, number: int) -> str:
    return "\n".join(f"{visible(name[:80])}: {value}" for name, value in _timing(run, number))


Pane = Callable[[Run, int], str]
#: The panes by name: (HTML, text).
PANES: dict[str, tuple[Pane, Pane]] = {
    "Scratchpad": (_scratchpad_html, _scratchpad_text),
    "Prompt as sent": (_prompt_html, lambda run, n: prompt_text(run.step(n).messages)),
    "Prompt diff": (
        lambda run, n: lines_html(_diff(run, n)),
        lambda run, n: lines_text(_diff(run, n)),
    ),
    "Raw reply": (_reply_html, _reply_text),
    "Parse": (
        lambda run, n: parse_html(run.step(n).reply, run.step(n).parsed),
        lambda run, n: parse_text(run.step(n).reply, run.step(n).parsed),
    ),
    "Tool": (_tool_html, _tool_text),
    "Timing and tokens": (_timing_html, _timing_text),
    "Growth": (lambda run, n: growth_html(run), lambda run, n: growth_text(run)),
}
