"""A reply while it is being cut into parts: what has been read, and where it ends.

The functions that know labels, tags, actions and openings stand in modules of their own;
all of them change a `Reply` through the few methods here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .inputs import Given
from .json_calls import Call
from .repairs import Notes, Refused
from .values import Signatures
from .vocabulary import FENCED_NAME

_BLANK = re.compile(r"[\s\u200b\ufeff]*+")
_TOKEN = re.compile(r"<[|｜/][^<>]{0,60}>|\[/INST\]")
_NOISE = " \t*_`'\"“”‘’「」，。,;：:\u3000\u200b\ufeff\xa0"
#: kinds that go on behind something that was left out of them
_GOES_ON = ("thought", "prose", "tail", "channel")


@dataclass
class Part:
    """Mark a part: its kind, where its mark begins, where its content lies, what was read.

    Kinds: prose, thought, action, input, call (in a notation of its own), answer, channel
    (a final channel), tail (words behind a call), other (a question, another speaker).
    """

    kind: str
    label: int
    start: int
    end: int = -1
    calls: list[Call] = field(default_factory=list)
    given: Given | None = None
    refused: Refused | None = None


class Reply:
    """Hold a reply, its parts so far, and `end`, where what was invented begins."""

    def __init__(self, text: str, tools: Signatures, notes: Notes) -> None:
        self.text, self.tools, self.notes = text, tools, notes
        self.parts = [Part("prose", 0, 0)]
        self.ignored: list[tuple[int, int]] = []
        self.reasoning: list[tuple[int, int]] = []
        self.end = len(text)
        self.position = 0
        #: set once a value could not be read: nothing behind it will run, so none is read
        self.broken = False
        self.visible_from = 0
        #: where the last line of an indented example begins
        self.example = -1
        self.unclosed: set[str] = set()

    @property
    def current(self) -> Part:
        """Return the part that is being read."""
        return self.parts[-1]

    def begin(self, kind: str, label: int, start: int) -> Part:
        """Begin a part whose mark stands at `label` and whose content begins at `start`."""
        part = Part(kind, label, start)
        self.parts.append(part)
        self.position = start
        return part

    def stop(self, at: int, repair: str) -> bool:
        """Cut the reply at a position."""
        self.end = at
        self.notes.add(repair, at, len(self.text))
        return False

    def skip(self, start: int, end: int, repair: str) -> bool:
        """Leave a region out; the part that it interrupts goes on behind it."""
        kind = self.current.kind
        self.notes.add(repair, start, end)
        self.ignored.append((start, end))
        self.begin(kind if kind in _GOES_ON else "prose", start, end)
        return True

    def forget(self, end: int) -> bool:
        """Forget all before a position: it was thinking."""
        self.parts, self.broken = [Part("prose", 0, 0, 0)], False
        self.reasoning = [(0, end)]
        self.ignored = [(0, end)]
        self.notes.add("reasoning_block", 0, end)
        self.begin("prose", end, end)
        self.visible_from = end
        return True

    def fail(self, part: Part, refused: Refused) -> None:
        """Keep a refusal, with the line to quote."""
        part.refused = Refused(refused.code, self.text[part.label : self.line_end(part.label)])
        self.broken = True
        self.position = max(self.position, part.start)

    def line_end(self, at: int) -> int:
        """Return where the line at a position ends."""
        end = self.text.find("\n", at)
        return end if end >= 0 else len(self.text)

    def after_blanks(self, at: int) -> int:
        """Return the position of the next visible character."""
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def finished(self) -> list[Part]:
        """Return the parts, each with its end, none reaching behind the end of the reply."""
        limit = self.end
        for part in reversed(self.parts):
            part.end = min(part.end, limit) if part.end >= 0 else max(limit, part.start)
            limit = min(self.end, part.label)
        return self.parts

    def content(self, part: Part) -> str:
        """Return what stands in a part, without blanks around it."""
        return self.text[part.start : part.end].strip()

    def named(self, part: Part) -> str:
        """Return the name that an action gives its tool; one not finished goes on to the end."""
        if part.calls:
            return part.calls[0].name or ""
        return self.first_line(part.start, part.end if part.end >= 0 else len(self.text))

    def first_line(self, start: int, end: int) -> str:
        """Return the first line of text[start:end] that names something, without noise."""
        for line in self.text[start : min(end, start + 2000)].splitlines():
            cleaned = _TOKEN.split(line, maxsplit=1)[0].strip(_NOISE)
            if cleaned and not FENCED_NAME.fullmatch(line.strip()):
                return cleaned
        return ""
