"""Read `tool(args)` and `tool[text]`: literals by name or in order, or one bare text.

Nothing is evaluated: a value that is no literal is refused, save for the whole text of a
tool with one parameter, such as `calculator(2 * (3 + 4))`.
"""

from __future__ import annotations

import re
from typing import Any

from .bare import PLACEHOLDERS, names_a_parameter, one_text
from .loose_json import Reader
from .repairs import Notes, Refused
from .strict_json import Invalid, Truncated
from .values import Params

#: a name and the bracket that opens its arguments
HEAD = re.compile(
    r"(?P<name>[^\W\d][\w.\-]{0,80}+(?: [\w.\-]{1,40}+){0,4}+)(?P<blank> ?)(?P<open>[(\[（])"
)
#: a call with more values than this is no call of a tool
_MOST_GIVEN = 50
_KEYWORD = re.compile(r"([^\W\d]\w{0,80}+)\s{0,4}+=(?!=)")


def _balanced(opener: str, closer: str, levels: int = 12) -> re.Pattern[str]:
    other = rf"[^{re.escape(opener + closer)}]++"
    pattern = other
    for _ in range(levels):
        pattern = rf"{re.escape(opener)}(?:{other}|{pattern})*+{re.escape(closer)}"
    return re.compile(pattern)


_BALANCED = {brackets[0]: _balanced(*brackets) for brackets in ("()", "[]", "（）")}
_CLOSERS = {"(": ")）", "[": "]］", "（": ")）"}
_CODE = re.compile(r"[\"'].*[(\[]|[(\[].*[\"']", re.DOTALL)


def read_arguments(text: str, at: int, params: Params, notes: Notes) -> tuple[Any, int]:
    """Read the bracket at `at`; return the arguments and the position behind it.

    Raise Refused with truncated or invalid_input.
    """
    first = text[at + 1 : at + 40].lstrip()[:1]
    if text[at] == "[" and len(params) == 1 and first not in "{\"'“":
        return _bare(text, at, params)
    try:
        given, named, end, repairs = _literals(text, at, notes.off)
    except Truncated:
        if first in "\"'{" or _matching(text, at) is None:
            raise Refused("truncated") from None
        return _bare(text, at, params)
    except Invalid:
        return _bare(text, at, params)
    notes.merge(repairs)
    return _bind(given, named, params, text[at + 1 : end - 1].strip()), end


def _literals(
    text: str, at: int, off: frozenset[str]
) -> tuple[list[Any], dict[str, Any], int, Any]:
    reader, closers = Reader(text, off), _CLOSERS[text[at]]
    given: list[Any] = []
    named: dict[str, Any] = {}
    at = reader.skip(at + 1)
    while reader.char(at) not in closers:
        keyword = _KEYWORD.match(text, at)
        if (named and not keyword) or (keyword and keyword[1] in named):
            raise Invalid(at)
        value, at = reader.value(keyword.end() if keyword else at, 0)
        if keyword:
            named[keyword[1]] = value
        else:
            given.append(value)
        if len(given) > _MOST_GIVEN:
            raise Refused("invalid_input")
        at = reader.separator(at, closers)
    return (
        given,
        named,
        at + 1,
        [r for r in reader.repairs if r.name not in ("single_quotes", "python_literals")],
    )


def _bind(given: list[Any], named: dict[str, Any], params: Params, written: str) -> Any:
    if len(given) == 1 and not named:
        if isinstance(given[0], dict):
            return given[0]
        if len(params) == 1:
            ((name, kind),) = params.items()
            if isinstance(given[0], str):
                return given[0]
            return written if kind == "string" else {name: given[0]}
    names = list(params)[: len(given)]
    if len(given) > len(names) or set(names) & set(named):
        raise Refused("invalid_input")
    return {**dict(zip(names, given, strict=True)), **named}


def _bare(text: str, at: int, params: Params) -> tuple[Any, int]:
    end = _matching(text, at)
    if end is None:
        raise Refused("truncated")
    inner = text[at + 1 : end].strip()
    if not inner or inner.casefold() in PLACEHOLDERS:
        return {}, end + 1
    if (
        names_a_parameter(inner, params)
        or _KEYWORD.match(inner)
        or inner[0] in "\"'{"
        or (text[at] != "[" and _CODE.search(inner))
    ):
        raise Refused("invalid_input")
    return one_text(inner, params), end + 1


def _matching(text: str, at: int) -> int | None:
    """Return where the bracket at `at` closes, counting brackets of its kind."""
    found = _BALANCED[text[at]].match(text, at)
    return found.end() - 1 if found else None
