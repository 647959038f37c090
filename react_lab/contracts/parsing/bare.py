"""Read an input that is no JSON: a bare text, a placeholder for nothing, or a refusal.

A bare text is the input of a tool with one parameter. What only looks like a broken object,
and what holds two paragraphs, is refused.
"""

from __future__ import annotations

import re
from typing import Any

from .repairs import Notes, Refused
from .values import Params
from .vocabulary import AFTER_TURN, TURN

PLACEHOLDERS = frozenset(
    "none null n/a na nil nothing empty undefined 无 空 没有 無 なし - -- ... … none. (none) (empty) <none> <empty>".split()
)
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
