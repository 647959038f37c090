"""A run as a log: one line an event, for the terminal and for a first look (notebook 06).

>>> print(run_log(Run("What is 2 + 2?", stop_reason="cancelled")))
step  event        messages  tokens  what
   0  question            0       0  What is 2 + 2?
   0  stopped             0       0  cancelled
"""

from __future__ import annotations

from collections.abc import Iterator

from ..records import Observation, Run, Step
from .badges import headline, tried
from .escape import one_line

WIDTH = 100
_LINE = "{:>4}  {:<11}  {:>8}  {:>6}  {}"


def run_log(run: Run, *, width: int = WIDTH) -> str:
    """Return a line for each reply, repair, result and guard, with the tokens spent so far.

    `messages` counts the prompt's messages; `what` is cut at `width` characters.
    """
    lines = [_LINE.format("step", "event", "messages", "tokens", "what")]
    lines.append(_LINE.format(0, "question", 0, 0, one_line(run.question, width)))
    spent, messages = 0, 0
    for number, step in enumerate(run.steps, 1):
        spent, messages = spent + step.usage.total, len(step.messages)
        lines += [
            _LINE.format(number, event, messages, spent, one_line(what, width))
            for event, what in _events(step)
        ]
    ended = f"{run.stop_reason or 'still running'}{f' ({run.detail})' if run.detail else ''}"
    last = "stopped" if run.finished else "running"
    return "\n".join(
        [*lines, _LINE.format(len(run.steps), last, messages, spent, one_line(ended, width))]
    )


def _events(step: Step) -> Iterator[tuple[str, str]]:
    yield ("failure", step.failure) if step.failure else ("reply", headline(step))
    for repair in step.parsed.repairs:
        yield "repair", repair.name
    for observation in step.observations:
        yield _result(step, observation)


def _result(step: Step, observation: Observation) -> tuple[str, str]:
    if step.guard:
        return "guard", f"{step.guard}: {observation.text}"
    if observation.ok:
        more = f" ({tries})" if (tries := tried(observation)) else ""
        return "tool result", f"{observation.tool}{more}: {observation.text}"
    how = ", ".join(filter(None, [observation.status.replace("_", " "), tried(observation)]))
    # The status says so already.
    return "told", f"{how}: {observation.text.removeprefix('Format error: ')}"
