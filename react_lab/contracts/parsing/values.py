"""Read one JSON-like value and say where it ends.

Strict JSON first: it decides its own end, so labels, fences and tags inside a string stay
data. What strict JSON refuses is read by a scanner that knows a few narrow deviations, each
with a name. It never completes what is cut, never evaluates, and never touches the inside
of a string.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 60
_STRICT = json.JSONDecoder()
_CLOSERS = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "”", "＂": "＂", "`": "`"}
_OPEN = {"{": "}", "[": "]", "(": ")", "｛": "｝", "［": "］"}
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d]\w*(?:-\w+)*")
_BLANK = re.compile(r"[\s\u200b\u200c\u200d\u2060\ufeff]*")
_PLAIN = re.compile(r"[^\\\"'”’＂`\n\r]+")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\"}


class Truncated(Exception):
    """Say that the text ended inside a value."""


class Invalid(Exception):
    """Say that the text is no value, at `position`."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


@dataclass
class Value:
    """Hold a value, where it stood, and the names of the deviations that were read over."""

    value: Any
    start: int
    end: int
    repairs: list[str] = field(default_factory=list)


def read_value(text: str, start: int, off: frozenset[str] = frozenset()) -> Value:
    """Read the value at `start`; raise Truncated or Invalid.

    Repairs named in `off` are not made.
    """
    try:
        value, end = _STRICT.raw_decode(text, start)
        return Value(value, start, end)
    except (ValueError, RecursionError):
        reader = _Reader(text, off)
        value, end = reader.value(start, 0)
        return Value(value, start, end, list(dict.fromkeys(reader.repairs)))


class _Reader:
    def __init__(self, text: str, off: frozenset[str]) -> None:
        self.text, self.off = text, off
        self.repairs: list[str] = []

    def use(self, repair: str, position: int) -> None:
        if repair in self.off:
            raise Invalid(position)
        self.repairs.append(repair)

    def skip(self, at: int) -> int:
        while True:
            at = _BLANK.match(self.text, at).end()  # type: ignore[union-attr]
            if self.text.startswith("//", at) or self.text.startswith("/*", at):
                self.use("comments", at)
                at = self._after_comment(at)
            else:
                return at

    def _after_comment(self, at: int) -> int:
        closer = "\n" if self.text[at + 1] == "/" else "*/"
        end = self.text.find(closer, at + 2)
        if end < 0:
            raise Truncated
        return end + len(closer)

    def char(self, at: int) -> str:
        if at >= len(self.text):
            raise Truncated
        return self.text[at]

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        at = self.skip(at)
        first = self.char(at)
        if depth > MAX_DEPTH:
            raise Invalid(at)
        if first in "{｛":
            return self.object(at, depth)
        if first in "[(［":
            return self.array(at, depth)
        if first in _CLOSERS:
            return self.string(at)
        return self.scalar(at)

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        self._note_wide(at)
        found: dict[str, Any] = {}
        at = self.skip(at + 1)
        while self.char(at) not in "}｝":
            key, at = self.key(at)
            at = self.skip(at)
            if self.char(at) not in ":：":
                raise Invalid(at)
            self._note_wide(at)
            value, at = self.value(at + 1, depth + 1)
            if key in found and found[key] != value:
                raise Invalid(at)
            found[key] = value
            at = self.separator(at, "}｝")
        self._note_wide(at)
        return found, at + 1

    def array(self, at: int, depth: int) -> tuple[list[Any], int]:
        closer = {"[": "]", "(": ")", "［": "］"}[self.text[at]]
        if closer == ")":
            self.use("python_literals", at)
        self._note_wide(at)
        found: list[Any] = []
        at = self.skip(at + 1)
        while self.char(at) != closer:
            value, at = self.value(at, depth + 1)
            found.append(value)
            at = self.separator(at, closer)
        return found, at + 1

    def separator(self, at: int, closers: str) -> int:
        at = self.skip(at)
        if self.char(at) in closers:
            return at
        if self.text[at] not in ",，":
            raise Invalid(at)
        self._note_wide(at)
        at = self.skip(at + 1)
        if self.char(at) in closers:
            self.use("trailing_comma", at)
        return at

    def key(self, at: int) -> tuple[str, int]:
        if self.char(at) in _CLOSERS:
            return self.string(at)
        word = _WORD.match(self.text, at)
        if word is None:
            raise Invalid(at)
        if word.end() >= len(self.text):
            raise Truncated
        self.use("bare_keys", at)
        return word[0], word.end()

    def string(self, at: int) -> tuple[str, int]:
        opener = self.text[at]
        if opener == "`":
            raise Invalid(at)
        if opener != '"':
            self.use("single_quotes" if opener == "'" else "curly_quotes", at)
        closer, parts, at = _CLOSERS[opener], [], at + 1
        while True:
            plain = _PLAIN.match(self.text, at)
            if plain:
                parts.append(plain[0])
                at = plain.end()
            char = self.char(at)
            if char == closer:
                return "".join(parts), at + 1
            if char == "\\":
                piece, at = self.escape(at)
                parts.append(piece)
                continue
            if char in "\n\r":
                self.use("raw_newline", at)
            parts.append(char)
            at += 1

    def escape(self, at: int) -> tuple[str, int]:
        char = self.char(at + 1)
        if char in _CLOSERS or char in _CLOSERS.values():
            return char, at + 2
        if char in _ESCAPES:
            return _ESCAPES[char], at + 2
        if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", self.text[at + 2 : at + 6]):
            return self._unicode(at)
        self.use("bad_escapes", at)
        return "\\" + char, at + 2

    def _unicode(self, at: int) -> tuple[str, int]:
        pair = re.match(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w", self.text[at : at + 12])
        size = 12 if pair else 6
        try:
            return str(json.loads(f'"{self.text[at : at + size]}"')), at + size
        except ValueError:
            raise Invalid(at) from None

    def scalar(self, at: int) -> tuple[Any, int]:
        number = _NUMBER.match(self.text, at)
        if number:
            if number.end() >= len(self.text):
                raise Truncated
            return self._number(number[0], at), number.end()
        word = _WORD.match(self.text, at)
        if word is None:
            raise Invalid(at)
        if word.end() >= len(self.text):
            raise Truncated
        if word[0].lower() not in _WORDS or self.text[word.end()] in "(.":
            raise Invalid(at)
        if word[0] not in ("true", "false", "null"):
            self.use("python_literals", at)
        return _WORDS[word[0].lower()], word.end()

    def _number(self, written: str, at: int) -> Any:
        try:
            return json.loads(written)
        except ValueError:
            self.use("loose_numbers", at)
        bare = written.lstrip("+")
        if re.fullmatch(r"-?0\d+", bare) or len(bare) > 4000:
            raise Invalid(at)
        return float(bare) if re.search(r"[.eE]", bare) else int(bare)

    def _note_wide(self, at: int) -> None:
        if self.text[at] in "：，｛｝［］":
            self.use("full_width_punctuation", at)
