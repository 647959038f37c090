"""A run as one file to send or keep: a page that needs nothing else, or Markdown for a report.

Both go through `redact_run`: what looks like a key, and each of `secrets`, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..records import Run, Step
from ..trace import redact_run
from ..version import __version__
from .badges import badges, badges_html, headline
from .diff import lines_html, prompt_diff
from .escape import attribute, block, isolated, one_line, show, visible
from .parse import parse_html
from .prompt import prompt_html
from .run import ending, ending_html, step_sections
from .tree import tree_html, tree_text

# The page may load and run nothing, whatever a browser or an extension makes of it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --jp-layout-color1: #fff; --jp-layout-color2: #f0f0f0;
  --jp-content-font-color1: #111; --jp-border-color2: #bbb; }
@media (prefers-color-scheme: dark) { :root { --jp-layout-color1: #1b1b1b; --jp-layout-color2: #2a2a2a;
  --jp-content-font-color1: #eee; --jp-border-color2: #666; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem;
  background: var(--jp-layout-color1); color: var(--jp-content-font-color1); }
summary { cursor: pointer; padding: 2px 0; }
details details { margin-left: 1rem; }
td, th { vertical-align: top; text-align: left; padding: 2px 6px; }
""".strip()


def export_html(run: Run, path: str | Path | None = None, *, secrets: Iterable[str] = ()) -> str:
    """Return the run as one page without script or network; write it to `path` if given."""
    clean = redact_run(run, secrets)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Run: {attribute(clean.question, 80)}</title><style>{_STYLE}</style></head>"
        f"<body>{_body(clean)}</body></html>\n"
    )
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def export_markdown(
    run: Run, fault: Any = None, seed: int | None = None, *, secrets: Iterable[str] = ()
) -> str:
    """Return the run as Markdown for a bug report: fault, seed, steps, how it ended."""
    clean = redact_run(run, secrets)
    parts = ["# Run report", *_facts(clean, fault, seed), "## Question", _fence(clean.question)]
    for number, step in enumerate(clean.steps, 1):
        parts += _step_markdown(number, step)
    if clean.answer is not None:
        parts += ["## Answer", _fence(clean.answer)]
    return "\n\n".join(parts) + "\n"


def _body(run: Run) -> str:
    tree = "" if run.parent is None else f"<h2>Forks</h2>{tree_html([run], run)}"
    rows = "".join(_row(run, number) for number in range(1, len(run.steps) + 1))
    return (
        f"<h1>A run, step by step</h1><p><b>Question:</b></p>{block(run.question, None)}"
        f"{ending_html(run, None)}{tree}<h2>Steps</h2>{rows}"
    )


def _row(run: Run, number: int) -> str:
    step = run.step(number)
    sections = "".join(
        f"<div><b>{show(title, 80)}</b>{block(text, None)}</div>"
        for title, text in step_sections(step)
    )
    reply = _fold("Reply as received", block(step.reply.text, None))
    parse = _fold(
        "How it was read", parse_html(step.reply, step.parsed, max(1, len(step.reply.text)))
    )
    return (
        f"<details><summary>step {number} · {isolated(headline(step), 120)} {badges_html(step)}</summary>"
        f"{sections}{_prompt(run, number)}{reply}{parse}</details>"
    )


def _prompt(run: Run, number: int) -> str:
    messages = run.messages(number)
    if number == 1:
        return _fold(f"Prompt as sent: {len(messages)} messages", prompt_html(messages, None))
    # Every later prompt whole would make the file grow with the square of the run.
    changed = prompt_diff(run.messages(number - 1), messages)
    size = sum(len(line.text) for line in changed) + 1
    title = f"Prompt as sent: {len(messages)} messages, changed since step {number - 1}"
    return _fold(title, lines_html(changed, size))


def _fold(title: str, inner: str) -> str:
    return f"<details><summary>{show(title)}</summary>{inner}</details>"


def _facts(run: Run, fault: Any, seed: int | None) -> list[str]:
    facts = [f"react_lab {__version__}", _span(ending(run))]
    facts += [f"fault {_span(str(getattr(fault, 'id', fault)))}"] if fault is not None else []
    facts += [f"seed {seed}"] if seed is not None else []
    facts += [f"model {_span(model)}" for model in _models(run)]
    tree = [] if run.parent is None else ["Forked:", _fence(tree_text([run], run))]
    return ["\n".join(f"- {fact}" for fact in facts), *tree]


def _models(run: Run) -> list[str]:
    return list(dict.fromkeys(step.reply.model for step in run.steps if step.reply.model))


def _step_markdown(number: int, step: Step) -> list[str]:
    named = ", ".join(
        badge.text for badge in badges(step) if badge.kind in ("error", "repair", "guard")
    )
    parts = [
        f"## Step {number}",
        "\n".join(filter(None, [_span(headline(step)), named and _span(named)])),
    ]
    parts += ["Reply as received:", _fence(step.reply.text)]
    for title, text in step_sections(step):
        if title != "Thought":
            parts += [f"{_span(title)}:", _fence(text)]
    return parts


def _fence(text: str) -> str:
    # A fence must be longer than any run of backticks inside, or the text would close it.
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{visible(text)}\n{fence}"


def _span(text: str) -> str:
    line = one_line(text)
    longest = max(map(len, re.findall("`+", line)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {line} {ticks}" if longest else f"`{line}`"
