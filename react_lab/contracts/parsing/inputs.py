"""Read the input of an action: an object of arguments, a bare text, or a refusal.

What looks structured and cannot be read is refused, never handed on as text: a broken
object passed to a tool as its search query helps nobody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .repairs import Notes, Refused
from .values import Invalid, Truncated, Value, read_strict, read_value
from .vocabulary import AFTER_TURN, TURN

InputError = Refused
Params = Mapping[str, str]

WRAPPERS = frozenset(
    "args input parameters arguments kwargs action_input tool_input params".split()
)
PLACEHOLDERS = frozenset(
    "none null n/a na nil nothing empty undefined 无 空 没有 無 なし - -- ... … none. (none) (empty) <none> <empty>".split()
)
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
_PAIRS = re.compile(r"(?:\"[^\"\n]*\"|'[^'\n]*'|“[^”\n]*”)\s*[:：](?!\S*//)")
_CONSTRUCTOR = re.compile(r"(?:dict|Dict|OrderedDict|set|tuple|list|frozenset)\s*\(")
_WRAPPED = {"'": "'", "“": "”", "‘": "’", '"': '"', "「": "」", "`": "`"}
_TRAILING = re.compile(r"(?:```+|~~~+|</[\w:|｜-]{1,40}>|\[/?INST\])\Z")
_TALK = re.compile(
    r"\n[ \t]*+[\[(*_（【]{0,3}+(?=[inlpwseota等请我])(?:(?:i(?:'| wi)ll |i am |now |let me |let's |please )?(?:now )?wait(?:ing)?\b|stop\b|pause\b|end of (?:step|turn)"
    r"|(?:i(?:'ll| will)|let me|this (?:will|should)|once (?:i|we)|after (?:i|we|this)|then i)\b[^\n]*(?:result|observation|response|output|tool|wait|answer)"
    r"|等待|请等待|我将等待|我会等待)[^\n]*(?:\n.*)?\Z",
    re.IGNORECASE | re.DOTALL,
)
_BLANKS = " \t\r\n\xa0\u200b\ufeff\u3000"


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


def shape(value: Any, params: Params, notes: Notes, span: tuple[int, int]) -> Any:
    """Take off a wrapper key, a one-element list or one layer of encoding; else refuse."""
    if isinstance(value, str):
        inner = _decoded(value, params, notes, span)
        return one_text(value, params) if inner is None else _unwrapped(inner, params, notes, span)
    if (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], dict)
        and notes.allows("one_element_list")
    ):
        notes.add("one_element_list", *span)
        value = value[0]
    if not isinstance(value, dict):
        raise Refused("invalid_input")
    return _unwrapped(value, params, notes, span)


def _decoded(
    value: str, params: Params, notes: Notes, span: tuple[int, int]
) -> dict[str, Any] | None:
    """Decode an object that was written as a string, unless the string itself is the input."""
    if value.lstrip()[:1] != "{" or not notes.allows("double_encoded"):
        return None
    try:
        inner, _, end = read_strict(value.strip(), 0)
    except Invalid:
        return None
    foreign = list(params.values()) == ["string"] and not set(inner) <= set(params)
    if not isinstance(inner, dict) or end != len(value.strip()) or foreign:
        return None
    notes.add("double_encoded", *span, value)
    return inner


def _unwrapped(
    value: dict[str, Any], params: Params, notes: Notes, span: tuple[int, int]
) -> dict[str, Any]:
    if len(value) != 1 or not notes.allows("wrapper_key"):
        return value
    key, inner = next(iter(value.items()))
    if key not in WRAPPERS or key in params:
        return value
    if isinstance(inner, str):
        inner = _decoded(inner, params, notes, span)
    if not isinstance(inner, dict):
        return value
    notes.add("wrapper_key", *span)
    return inner


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


_OBJECT = re.compile(r"[{｛](?=\s*+[\"'“\w])")


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


def read_bare(text: str, start: int, end: int, params: Params, notes: Notes) -> Any:
    """Read text[start:end], which is no JSON, as a bare text or a placeholder."""
    body = _without_trailing(text, start, end).strip(_BLANKS)
    if not body.strip("'\" .`") or body.strip("'\" `").casefold() in PLACEHOLDERS:
        if params:
            raise Refused("missing_input")
        return {}
    if body[0] == '"' and '"' not in body[1:]:
        raise Refused("truncated")
    if (
        _PAIRS.match(body)
        or _CONSTRUCTOR.match(body)
        or body.startswith(("'''", '"""'))
        or body[0] in "]}){["
        or names_a_parameter(body, params)
    ):
        raise Refused("invalid_input")
    if talk := _TALK.search(body):
        notes.add("trailing_text", start, end)
        body = body[: talk.start()].rstrip()
    if re.search(r"\n[ \t\r]*\n", body):  # more of the text, or talk behind it? two readings
        raise Refused("invalid_input")
    return one_text(_unquoted(body, notes, start, end), params)


def _without_trailing(text: str, start: int, end: int) -> str:
    """Cut a turn token and all behind it, a closing fence and closing tags."""
    for token in TURN.finditer(text, start, end):
        if AFTER_TURN.match(text, token.end()):
            end = token.start()
            break
    body = text[start:end].rstrip()
    for _ in range(4):
        trailing = _TRAILING.search(body[-60:])
        body = body[: -len(trailing[0])].rstrip() if trailing else body
    return body


def names_a_parameter(body: str, params: Params) -> bool:
    """Tell whether a text begins like a pair, with a parameter's name and `:` or `=`."""
    named = re.match(r"[\"'`]?([^\W\d]\w{0,60})[\"'`]?\s*(?:[:：](?!//)|=(?!=))", body)
    return named is not None and named[1] in params


def _unquoted(body: str, notes: Notes, start: int, end: int) -> str:
    closer = _WRAPPED.get(body[0])
    inner = body[1:-1]
    if closer is None or len(body) < 3 or body[-1] != closer or body[0] in inner or closer in inner:
        return body
    if not notes.allows("quoted_text"):
        return body
    notes.add("quoted_text", start, end, inner)
    return inner


def one_text(text: str, params: Params) -> str:
    """Return a text as the input of a tool with one parameter; refuse it for others."""
    if len(params) != 1:
        raise Refused("invalid_input")
    return text
