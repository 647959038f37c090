"""A run as JSON text that loads back to an equal run, with the runs it was forked from.

The text has four tables: messages, prompts, steps and runs. A prompt names its parent and
what was added to it, and a fork names its parent and the steps it shares, so that the text
grows with the run and not with its square. The last run is the one that was saved.

>>> run = Run("What is 2 + 2?", answer="4", stop_reason="final_answer")
>>> run_from_json(run_to_json(run)) == run
True
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..records import Message, Messages, Run, Step
from .json_values import from_plain, to_plain
from .redaction import redact_run

FORMAT = "react_lab run"
VERSION = 1


def run_to_json(run: Run, *, secrets: Iterable[str] = (), indent: int | None = None) -> str:
    """Return the run as JSON; what looks like a key, and each of `secrets`, is redacted."""
    tables = _Tables()
    for line in _with_parents(redact_run(run, secrets)):
        tables.add_run(line)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "messages": [to_plain(message) for message in tables.messages],
        "prompts": [{"parent": parent, "added": list(added)} for parent, added in tables.prompts],
        "steps": tables.steps,
        "runs": tables.runs,
    }
    return json.dumps(content, indent=indent)


def run_from_json(text: str) -> Run:
    """Read what `run_to_json` wrote; raise UsageError for anything else."""
    try:
        content = json.loads(text)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise UsageError(f"this JSON is not a saved run: it has no format {FORMAT!r}")
        if content.get("version") != VERSION:
            raise UsageError(
                f"this run was saved as version {content.get('version')!r}, not {VERSION}"
            )
        return _read(content)
    except UsageError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"this text is not a saved run: {type(error).__name__}: {str(error)[:300]}"
        ) from None


class _Tables:
    """Number messages, prompts, steps and runs, each stored once."""

    def __init__(self) -> None:
        self.messages: dict[Message, int] = {}
        self.prompts: dict[tuple[int | None, tuple[int, ...]], int] = {}
        self.steps: list[Any] = []
        self.runs: list[Any] = []
        self._of_prompt: dict[int, int] = {}
        self._of_step: dict[int, int] = {}

    def add_run(self, run: Run) -> None:
        fields = to_plain(run, without=("steps", "parent"))
        fields["steps"] = [self._step(step) for step in run.steps]
        fields["parent"] = len(self.runs) - 1 if run.parent is not None else None
        self.runs.append(fields)

    def _step(self, step: Step) -> int:
        if id(step) not in self._of_step:
            fields = {
                "prompt": self._prompt(step.messages),
                **to_plain(step, without=("messages",)),
            }
            self._of_step[id(step)] = len(self.steps)
            self.steps.append(fields)
        return self._of_step[id(step)]

    def _prompt(self, messages: Messages) -> int:
        links: list[Messages] = []
        node: Messages | None = messages
        while node is not None and id(node) not in self._of_prompt:
            links.append(node)
            node = node.parent
        number = None if node is None else self._of_prompt[id(node)]
        for link in reversed(links):
            added = tuple(self.messages.setdefault(m, len(self.messages)) for m in link.added)
            number = self.prompts.setdefault((number, added), len(self.prompts))
            self._of_prompt[id(link)] = number
        assert number is not None
        return number


def _with_parents(run: Run) -> list[Run]:
    line: list[Run] = []
    node: Run | None = run
    while node is not None:
        line.append(node)
        node = node.parent
    return line[::-1]


def _read(content: Mapping[str, Any]) -> Run:
    messages = [from_plain(Message, fields) for fields in content["messages"]]
    prompts: list[Messages] = []
    for link in content["prompts"]:
        parent = _earlier(prompts, link["parent"])
        prompts.append(Messages([_at(messages, number) for number in link["added"]], parent))
    steps = [_read_step(fields, prompts) for fields in content["steps"]]
    runs: list[Run] = []
    for fields in content["runs"]:
        own = [_at(steps, number) for number in fields["steps"]]
        rest = {name: value for name, value in fields.items() if name not in ("steps", "parent")}
        runs.append(
            from_plain(Run, rest, steps=tuple(own), parent=_earlier(runs, fields["parent"]))
        )
    if not runs:
        raise UsageError("this file holds no run")
    return runs[-1]


def _read_step(fields: Mapping[str, Any], prompts: list[Messages]) -> Step:
    rest = {name: value for name, value in fields.items() if name != "prompt"}
    return from_plain(Step, rest, messages=_at(prompts, fields["prompt"]))


def _earlier(known: list[Any], number: int | None) -> Any:
    return None if number is None else _at(known, number)


def _at(known: list[Any], number: int) -> Any:
    if not isinstance(number, int) or not 0 <= number < len(known):
        raise UsageError(
            f"this file names entry {number!r} of a table that has {len(known)} before it"
        )
    return known[number]
