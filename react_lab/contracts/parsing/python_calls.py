"""Read calls that are written as Python code: `tool(args)`, in `print(...)` or in a list."""

from __future__ import annotations

import re

from .call_syntax import HEAD, read_arguments
from .json_calls import Call
from .names import resolve
from .repairs import Notes, Refused
from .values import Signatures


def read_python(
    text: str, at: int, tools: Signatures, notes: Notes
) -> tuple[list[Call], int] | None:
    """Read `tool(args)`, perhaps inside `print(...)`; None where no tool of ours is called."""
    printed = text.startswith("print(", at)
    head = HEAD.match(text, at + 6 * printed)
    if head is None or head["open"] == "[":
        return None
    written = head["name"].removesuffix(".call")
    name = resolve(written, tools)
    if name is None and written not in ("final_answer", "finish"):
        return None
    args, end = read_arguments(
        text, head.start("open"), tools.get(name or "", {"answer": "string"}), notes
    )
    if printed and not text.startswith(")", end):
        raise Refused("truncated" if end == len(text) else "invalid_input", text[at:end])
    return [Call(written, args)], end + printed


def read_python_list(
    text: str, at: int, tools: Signatures, notes: Notes
) -> tuple[list[Call], int] | None:
    """Read `[tool(args), ...]`; None where the list does not begin with a call of ours."""
    calls: list[Call] = []
    at += 1
    while found := read_python(text, at, tools, notes):
        calls += found[0]
        at = re.compile(r"[\s,]*+").match(text, found[1]).end()  # type: ignore[union-attr]
        if text.startswith("]", at):
            return calls, at + 1
    if calls:
        raise Refused("truncated" if at == len(text) else "invalid_input", text[:200])
    return None
