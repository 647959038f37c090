"""Read the input of an action: an object of arguments, a bare text, or a refusal.

What looks structured and cannot be read is refused, never handed on as text: a broken
object passed to a tool as its search query helps nobody. Bare texts are read in `bare`, and
`shaping` turns a value into arguments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .bare import one_text, read_bare
from .repairs import Notes, Refused
from .shaping import shape
from .strict_json import Invalid, Truncated, read_strict
from .values import Params, Value, read_value

InputError = Refused
_S = r"[\s\u200b\ufeff]*+"
_OPENING = re.compile(
    rf"{_S}(?:(?P<fence>(?:```+|~~~+)[\w+-]{{0,20}}+){_S}|(?P<tick>`{{1,2}})(?!`){_S})?"
    rf"(?:(?P<lead>[^{{}}\[\]｛［\"'“\n`<]{{1,60}}[:：]){_S}|(?P<wrap>[(（]|<\w{{1,30}}>|(?i:json)\b){_S})?"
    r"(?=[{\[｛［])"
)
_OBSERVATION = re.compile(r"[*\[]{0,3}(?i:observation\b|观察)")
_FENCED = re.compile(r"\s*+(?P<mark>```+|~~~+)(?:[ \t]*+[\w+-]{0,20}+[ \t]*+\n)?")
_QUOTED = re.compile(r'[ \t]*+\n?[ \t]*+(?=")')
_LINE_REST = re.compile(r"[ \t\r;.,`)）\]}]*+(?:\n|\Z|[<\[])")
_NEXT_OBJECT = re.compile(r"[\s,;，；]*+(?=[{｛])")
_OBJECT = re.compile(r"[{｛](?=\s*+[\"'“\w])")


@dataclass(frozen=True)
class Given:
    """Hold an input as read: its arguments, the value as written, and where it stands."""

    args: Any
    value: Any
    start: int
    end: int


def read_input(text: str, params: Params, off: frozenset[str], used: list[str]) -> Any:
    """Return a mapping or a bare string; append the names of repairs to `used`.

    Raise InputError with missing_input, invalid_input, truncated or multiple_actions.
    """
    notes = Notes(text, off)
    given = read_structured(text, 0, params, notes)
    args = given.args if given else read_bare(text, 0, len(text), params, notes)
    if given:
        refuse_second(text, given, len(text))
    used += notes.repairs
    return args


def read_structured(text: str, at: int, params: Params, notes: Notes) -> Given | None:
    """Read the JSON, the fenced or the quoted text that starts at `at`; None for other text."""
    opening = _OPENING.match(text, at)
    if opening is None:
        return _fenced_text(text, at, params, notes) or _quoted_text(text, at, params, notes)
    start = opening.end()
    try:
        value = _value(text, start, notes)
    except Truncated:
        raise Refused("truncated") from None
    except Invalid as invalid:
        if _OBSERVATION.match(text, invalid.position):
            raise Refused("truncated") from None
        if opening["lead"] and list(params.values()) == ["string"]:
            return None
        raise Refused("invalid_input") from None
    if opening["lead"] and not _is_lead_in(text, value, params):
        return None
    _note_opening(opening, notes)
    notes.merge(value.repairs)
    args = shape(value.value, params, notes, (start, value.end))
    given = Given(args, value.value, start, value.end)
    _refuse_next(text, given, notes)
    return given


def _note_opening(opening: re.Match[str], notes: Notes) -> None:
    names = {"fence": "code_fence", "tick": "code_fence", "lead": "lead_in", "wrap": "parentheses"}
    for group, name in names.items():
        if opening[group]:
            if not notes.allows(name):
                raise Refused("invalid_input")
            notes.add(name, *opening.span(group))


def _value(text: str, start: int, notes: Notes) -> Value:
    if not text.startswith('{\\"', start) or not notes.allows("escaped_quotes"):
        return read_value(text, start, notes.off)
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    line = text[start:end]
    value = read_value(line.replace('\\"', '"'), 0, notes.off)
    notes.add("escaped_quotes", start, end, line.replace('\\"', '"'))
    return Value(value.value, start, end, [])


def _is_lead_in(text: str, value: Value, params: Params) -> bool:
    """Tell whether words before an object introduce it, or are part of a bare text."""
    if isinstance(value.value, dict) and value.value and set(value.value) <= set(params):
        return True
    return list(params.values()) != ["string"] and _LINE_REST.match(text, value.end) is not None


def _fenced_text(text: str, at: int, params: Params, notes: Notes) -> Given | None:
    opening = _FENCED.match(text, at)
    if opening is None:
        return None
    closing = text.find(opening["mark"], opening.end())
    if closing < 0:
        if not text[opening.end() :].strip():
            return None
        raise Refused("truncated")
    if not notes.allows("code_fence"):
        raise Refused("invalid_input")
    inner = text[opening.end() : closing].strip("\r\n")
    notes.add("code_fence", opening.start(), closing + len(opening["mark"]), inner)
    args = (
        read_bare(text, opening.end(), closing, params, notes)
        if not inner.strip()
        else one_text(inner, params)
    )
    return Given(args, inner, opening.end(), closing + len(opening["mark"]))


def _quoted_text(text: str, at: int, params: Params, notes: Notes) -> Given | None:
    opening = _QUOTED.match(text, at)
    if opening is None:
        return None
    try:
        value, start, end = read_strict(text, opening.end())
    except Invalid:
        return None
    if not value.strip() or not _LINE_REST.match(text, end) or not notes.allows("quoted_text"):
        return None
    notes.add("quoted_text", start, end, value)
    return Given(shape(value, params, notes, (start, end)), value, start, end)


def _refuse_next(text: str, given: Given, notes: Notes) -> None:
    """Refuse a second object right behind the first, readable or not."""
    following = _NEXT_OBJECT.match(text, given.end)
    if following is None:
        return
    try:
        same = read_value(text, following.end()).value == given.value
    except (Invalid, Truncated):
        same = False
    if not same:
        raise Refused("multiple_actions")
    notes.add("repeated_call", following.end(), following.end() + 1)


def refuse_second(text: str, given: Given, end: int) -> None:
    """Refuse another object in the words behind the input."""
    for tries, found in enumerate(_OBJECT.finditer(text, given.end, end)):
        if tries == 4:
            return
        try:
            second = read_value(text, found.start()).value
        except (Invalid, Truncated):
            continue
        if second and second not in (given.value, given.args):
            raise Refused("multiple_actions")
