"""The strict stage alone, and the two-regex parser that one writes first."""

from __future__ import annotations

import json
import re
from typing import Any

from ...records import Action, FormatError, Parsed, Span
from .strict_json import Invalid, read_strict
from .values import Signatures

# A character that may open anything else sends the reply to the tolerant stages.
_STEP = re.compile(
    r"Thought: ([^\n\r<`\[◁\x0b\x0c\x85\u2028\u2029]*+)\nAction: (\w++)\nAction Input: (?=\{)"
)
_ANSWER = re.compile(
    r"(?:Thought: ([^\n\r<`\[◁\x0b\x0c\x85\u2028\u2029]*+)\n)?Final Answer: (?=[^\s*_\"'.…])([^<`\[◁*]++)\Z"
)
_NAIVE_ACTION = re.compile(r"Action: *(.*?)\nAction Input: *(.*)", re.DOTALL)
_NAIVE_ANSWER = re.compile(r"Final Answer: *(.*)", re.DOTALL)


def read_canonical(text: str, tools: Signatures) -> Parsed | None:
    """Return the reading of a reply in exactly the form that was asked for, else None.

    The form is Thought, Action, Action Input with strict JSON of known parameters and
    nothing behind it; or Thought and Final Answer.
    """
    head = _STEP.match(text)
    if head is None:
        return _answer(text)
    name = head[2]
    params = tools.get(name)
    if params is None:
        return None
    try:
        args, _, end = read_strict(text, head.end())
    except Invalid:
        return None
    if (
        (end != len(text) and text[end:].strip())
        or not args.keys() <= params.keys()
        or (params and not args)
    ):
        return None
    spans = (
        Span("thought", 0, head.end(1)),
        Span("action", head.end(1) + 1, head.end(2)),
        Span("input", head.end(2) + 1, end),
    )
    return Parsed(head[1].strip(), (Action(name, args),), None, None, (), spans, text)


def _answer(text: str) -> Parsed | None:
    found = _ANSWER.match(text)
    if found is None:
        return None
    answer = (Span("answer", found.start(2) - len("Final Answer: "), len(text)),)
    spans = answer if found[1] is None else (Span("thought", 0, found.end(1)), *answer)
    return Parsed((found[1] or "").strip(), (), found[2].strip(), None, (), spans, text)


def parse_strict(text: str, tools: Any) -> Parsed:
    """Read a reply without a single repair: the canonical form or a format error."""
    found = read_canonical(text, getattr(tools, "signatures", tools))
    if found is not None:
        return found
    error = FormatError(
        "missing_action", "Format error: this is not exactly the form that was asked for."
    )
    return Parsed(error=error, kept=text)


def parse_naive(text: str, tools: Any) -> Parsed:
    """Read a reply with two regexes, as one writes it first; for comparison, never for use.

    It runs what was quoted, thought or cut off: see its dangerous cases on the corpus.
    """
    if found := _NAIVE_ANSWER.search(text):
        return Parsed(answer=found[1].strip(), kept=text)
    if found := _NAIVE_ACTION.search(text):
        return Parsed(actions=(Action(found[1].strip(), _loaded(found[2].strip())),), kept=text)
    return Parsed(error=FormatError("missing_action", "No action was found."), kept=text)


def _loaded(written: str) -> Any:
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        return written
    return value if isinstance(value, dict) else written
