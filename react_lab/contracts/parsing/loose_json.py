"""Read one value that strict JSON refuses, with a few narrow deviations, each with a name.

The reader goes forward only, character by character of the structure and pattern by pattern
of the strings. It never completes what is cut, never evaluates, and never changes the inside
of a string.

>>> Reader("{'a': 1,} and more", frozenset()).value(0, depth=0)
({'a': 1}, 9)
"""

from __future__ import annotations

import json
import re
from typing import Any

from ...records import Repair
from .strict_json import MAX_DEPTH, Invalid, Truncated

_BLANK = re.compile(r"[\s\u200b-\u200d\u2060\ufeff]*+")
_SKIPPED = re.compile(
    r"(?:[\s\u200b-\u200d\u2060\ufeff]++|(?://|#)[^\n]*+\n|/\*/|/\*.*?\*/)*+", re.DOTALL
)
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?(?![\w.])", re.ASCII)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?", re.ASCII)
_WORD = re.compile(r"[^\W\d]\w*+(?:-\w++)*+")
_ESCAPE = re.compile(
    r"\\(?:(u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4})|(.))",
    re.DOTALL | re.ASCII,
)
_CLOSERS = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "”", "＂": "＂"}
_BODIES = {
    closer: re.compile(rf"(?:[^{closer}\\]++|\\.)*+", re.DOTALL)
    for closer in set(_CLOSERS.values())
}
_MIXED = re.compile(r'(?:[^"“”＂\\]++|\\.|["“”＂](?!\s*+[:：,，}｝\]］]))*+', re.DOTALL)
_DOUBLES = '"“”„＂'
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\"}
_LINE_BREAKS = re.compile(r"[\n\r]")
_WIDE = dict(zip("：，｛｝［］（）", ":,{}[]()", strict=True))
_ARRAYS = {"[": "]］", "［": "]］", "(": ")）", "（": ")）"}


class Reader:
    """Read values with deviations; each is noted in `repairs`, the first time it is met."""

    def __init__(self, text: str, off: frozenset[str], *, mixed: bool = False) -> None:
        self.text, self.off, self.mixed = text, off, mixed
        self.repairs: list[Repair] = []
        self._noted: set[str] = set()

    def use(self, name: str, start: int, end: int, made: str) -> None:
        """Note a repair, or refuse where it is switched off."""
        if name in self.off:
            raise Invalid(start)
        if name not in self._noted:
            self._noted.add(name)
            saw = self.text[start : min(end, start + 200)]
            self.repairs.append(Repair(name, saw, made[:200], start, end))

    def use_value(self, name: str, start: int, end: int, value: Any) -> None:
        """Note a repair whose result is written as JSON; that is written once only."""
        if name not in self._noted:
            self.use(name, start, end, json.dumps(value, ensure_ascii=False))

    def char(self, at: int) -> str:
        """Return the character at a position that must exist."""
        if at >= len(self.text):
            raise Truncated
        return self.text[at]

    def skip(self, at: int) -> int:
        """Return the position behind blanks and comments."""
        at = _BLANK.match(self.text, at).end()  # type: ignore[union-attr]
        while self.text.startswith(("//", "/*", "#"), at):
            at = self._comment(at)  # which notes the first one; those behind it go together
            at = _SKIPPED.match(self.text, at).end()  # type: ignore[union-attr]
        return at

    def _comment(self, at: int) -> int:
        closer = "*/" if self.text.startswith("/*", at) else "\n"
        end = self.text.find(closer, at + 1)
        if end < 0:
            raise Truncated
        self.use("comments", at, end + len(closer), "")
        return end + len(closer)

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        """Read any value; return it and the position behind it."""
        at = self.skip(at)
        first = self.char(at)
        if depth > MAX_DEPTH:
            raise Invalid(at)
        if first in "{｛":
            return self.object(at, depth)
        if first in _ARRAYS:
            return self.array(at, depth)
        return self.string(at) if first in _CLOSERS else self.scalar(at)

    def object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        """Read an object; doubled braces must be doubled on both sides."""
        found: dict[str, Any] = {}
        doubled = self.text.startswith("{{", at)
        if doubled:
            self.use("doubled_braces", at, at + 2, "{")
        at = self.skip(self._mark(at) + doubled)
        while self.char(at) not in "}｝":
            key, at = self.key(at)
            at = self.skip(at)
            if self.char(at) not in ":：":
                raise Invalid(at)
            value, at = self.value(self._mark(at), depth + 1)
            if key in found and found[key] != value:
                raise Invalid(at)
            found[key] = value
            at = self.separator(at, "}｝")
        if doubled and self.char(at + 1) != "}":
            raise Invalid(at)
        return found, self._mark(at) + doubled

    def array(self, at: int, depth: int) -> tuple[list[Any], int]:
        """Read a list or a tuple."""
        closers = _ARRAYS[self.text[at]]
        if ")" in closers:
            self.use("python_literals", at, at + 1, "[")
        found: list[Any] = []
        at = self.skip(self._mark(at))
        while self.char(at) not in closers:
            value, at = self.value(at, depth + 1)
            found.append(value)
            at = self.separator(at, closers)
        return found, self._mark(at)

    def separator(self, at: int, closers: str) -> int:
        """Return the position of the next item, or of the closing bracket."""
        at = self.skip(at)
        if self.char(at) in closers:
            return at
        if self.text[at] not in ",，":
            raise Invalid(at)
        comma, at = at, self.skip(self._mark(at))
        if self.char(at) in closers:
            self.use("trailing_comma", comma, comma + 1, "")
        return at

    def key(self, at: int) -> tuple[str, int]:
        """Read a key, with quotes or bare."""
        if self.char(at) in _CLOSERS:
            return self.string(at)
        word = _WORD.match(self.text, at)
        if word is None:
            raise Invalid(at)
        self.char(word.end())
        self.use("bare_keys", at, word.end(), f'"{word[0]}"')
        return word[0], word.end()

    def string(self, at: int) -> tuple[str, int]:
        """Read a string up to its own closing quote; nothing inside it is changed."""
        opener = self.text[at]
        body = self._body(opener).match(self.text, at + 1)
        assert body is not None
        end = body.end()
        closer = self.char(end)
        if closer == "\\":  # a lone backslash as the last character
            raise Truncated
        made = self._decoded(body[0], at + 1)
        if closer != _CLOSERS[opener]:
            self.use_value("mixed_quotes", at, end + 1, made)
        elif opener != '"':
            name = "single_quotes" if opener == "'" else "curly_quotes"
            self.use_value(name, at, end + 1, made)
        if line_break := _LINE_BREAKS.search(body[0]):
            self.use("raw_newline", at + 1 + line_break.start(), at + 1 + line_break.end(), "\\n")
        return made, end + 1

    def _body(self, opener: str) -> re.Pattern[str]:
        return _MIXED if self.mixed and opener in _DOUBLES else _BODIES[_CLOSERS[opener]]

    def _decoded(self, raw: str, start: int) -> str:
        if "\\" not in raw:
            return raw
        return _ESCAPE.sub(lambda found: self._escape(found, start), raw)

    def _escape(self, found: re.Match[str], start: int) -> str:
        code, char = found[1], found[2]
        if code:
            return str(json.loads(f'"\\{code}"'))
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char in _CLOSERS or char in "’”":
            return char
        self.use("bad_escapes", start + found.start(), start + found.end(), "\\" + found[0])
        return found[0]

    def scalar(self, at: int) -> tuple[Any, int]:
        """Read a number, true, false or null."""
        number = _NUMBER.match(self.text, at)
        if number:
            self.char(number.end())
            return self._number(number[0], at), number.end()
        word = _WORD.match(self.text, at)
        if word is None:
            raise Invalid(at)
        if self.char(word.end()) in "(." or word[0].lower() not in _WORDS:
            raise Invalid(at)
        value = _WORDS[word[0].lower()]
        if word[0] not in ("true", "false", "null"):
            self.use_value("python_literals", at, word.end(), value)
        return value, word.end()

    def _number(self, written: str, at: int) -> Any:
        if _JSON_NUMBER.fullmatch(written):
            try:
                return json.loads(written)
            except ValueError:  # more digits than Python turns into a number
                raise Invalid(at) from None
        bare = written.removeprefix("+")
        if re.match(r"-?0\d", bare) or len(bare) > 4000:
            raise Invalid(at)
        made: Any = float(bare) if re.search(r"[.eE]", bare) else int(bare)
        self.use_value("loose_numbers", at, at + len(written), made)
        return made

    def _mark(self, at: int) -> int:
        """Step over one structural character, noting a full-width one."""
        if self.text[at] in _WIDE:
            self.use("full_width_punctuation", at, at + 1, _WIDE[self.text[at]])
        return at + 1
