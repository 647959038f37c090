"""What changed between two prompts: messages first, then lines inside a changed message.

>>> from react_lab.records import Message
>>> before = [Message("system", "Be brief."), Message("user", "2 + 2?")]
>>> print(diff_text(before, [before[0], Message("user", "2 + 3?")]))
  1 message the same
- [user] 2 + 2?
+ [user] 2 + 3?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from ..records import Message
from .escape import isolated, visible

Sign = Literal[" ", "-", "+"]
#: Inside a longer text lines are not matched one by one: that would take quadratic time.
LINES = 2_000
LIMIT = 20_000
#: Stands between two messages of the same role. No line of a message looks so: those have a role.
NEXT = "(next message)"
_COLOURS = {
    "+": "background-color:#d7f5dd;color:#06310f",
    "-": "background-color:#fbdcdc;color:#4a0606",
}
_NAMES = {"+": "added", "-": "removed", " ": "same"}


@dataclass(frozen=True, slots=True)
class Line:
    """Hold one line of a diff; `role` says whose it is, and is empty in a note."""

    sign: Sign
    text: str
    role: str = ""

    def __str__(self) -> str:
        return (
            f"{self.sign} [{self.role}] {visible(self.text)}"
            if self.role
            else f"{self.sign} {self.text}"
        )


def prompt_diff(before: Sequence[Message], after: Sequence[Message]) -> list[Line]:
    """Return the lines that were added and removed, and notes on what stayed the same."""
    old, new = tuple(before), tuple(after)
    lines: list[Line] = []
    for tag, i, j, k, m in _blocks(old, new):
        if tag == "equal":
            lines.append(Line(" ", f"{j - i} message{'' if j - i == 1 else 's'} the same"))
        else:
            lines += _changed(old[i:j], new[k:m])
    return lines


def text_diff(before: str, after: str, role: str = "reply") -> list[Line]:
    """Return the lines that differ between two texts."""
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) > LINES:
        return _all("-", old, role) + _all("+", new, role) if before != after else []
    lines: list[Line] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines.append(Line(" ", f"{j - i} line{'' if j - i == 1 else 's'} the same"))
        else:
            lines += _all("-", old[i:j], role) + _all("+", new[k:m], role)
    return lines


def diff_text(before: Sequence[Message], after: Sequence[Message]) -> str:
    """Return `prompt_diff` as text: `+` added, `-` removed."""
    return lines_text(prompt_diff(before, after))


def diff_html(before: Sequence[Message], after: Sequence[Message]) -> str:
    """Return `prompt_diff` as HTML."""
    return lines_html(prompt_diff(before, after))


def lines_text(lines: Sequence[Line]) -> str:
    """Return the lines of a diff as text."""
    return "\n".join(map(str, lines)) or "(no difference)"


def lines_html(lines: Sequence[Line], limit: int = LIMIT) -> str:
    """Return the lines of a diff as HTML; sign and word say what the colour says."""
    rows, left = [], limit
    for count, line in enumerate(lines):
        if left <= 0:
            rows.append(f"<div>… {len(lines) - count:,} more lines</div>")
            break
        rows.append(_row(line, left))
        left -= len(line.text)
    return "".join(rows) or "<div>(no difference)</div>"


def _row(line: Line, limit: int) -> str:
    if line.sign == " ":
        return f'<div style="opacity:.75">{isolated(line.text)}</div>'
    style = f"{_COLOURS[line.sign]};white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace;padding:0 4px"
    role = f"[{isolated(line.role)}] " if line.role else ""
    return f'<div style="{style}" title="{_NAMES[line.sign]}">{line.sign} {role}{isolated(line.text, limit)}</div>'


def _blocks(
    old: Sequence[Message], new: Sequence[Message]
) -> Iterator[tuple[str, int, int, int, int]]:
    # Two prompts of a run share a long beginning: without it the matcher has little to do.
    same = 0
    for a, b in zip(old, new, strict=False):
        if a is not b and a != b:
            break
        same += 1
    if same:
        yield "equal", 0, same, 0, same
    matcher = SequenceMatcher(None, old[same:], new[same:], autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        yield tag, i + same, j + same, k + same, m + same


def _changed(old: Sequence[Message], new: Sequence[Message]) -> Iterator[Line]:
    if len(old) == len(new) and all(a.role == b.role for a, b in zip(old, new, strict=True)):
        for number, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from _between(old, number, " ")
            yield from text_diff(_whole(a), _whole(b), a.role)
        return
    yield from _marked("-", old)
    yield from _marked("+", new)


def _marked(sign: Sign, messages: Sequence[Message]) -> Iterator[Line]:
    for number, message in enumerate(messages):
        yield from _between(messages, number, sign)
        yield from _all(sign, _whole(message).split("\n"), message.role)


def _between(messages: Sequence[Message], number: int, sign: Sign) -> Iterator[Line]:
    # Where the role changes a reader sees that a message ends; between two of one role not.
    if number and messages[number - 1].role == messages[number].role:
        yield Line(sign, NEXT)


def _whole(message: Message) -> str:
    calls = [f"[{call.id}] {call.name}({call.arguments})" for call in message.tool_calls]
    return "\n".join([*([message.content] if message.content or not calls else []), *calls])


def _all(sign: Sign, lines: Sequence[str], role: str) -> list[Line]:
    return [Line(sign, line, role) for line in lines]
