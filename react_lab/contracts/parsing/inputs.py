"""Read the input of an action: a JSON object, a bare string, or an error."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from .values import Invalid, Truncated, Value, read_value

WRAPPERS = frozenset(
    "args input parameters arguments kwargs action_input tool_input params".split()
)
_FENCE_START = re.compile(
    r"\s*(?:```+|~~~+)[ \t]*(?:json5?|python|text|plaintext|tool_code)?[ \t]*\n?|\s*`(?!`)"
)
_FENCE_END = re.compile(r"\s*(?:```+|~~~+|`)\s*$")
_LEAD_IN = re.compile(r"[^{}\[\]\"'\n]{1,60}[:：]\s*(?=[{｛])")
_PLACEHOLDER = frozenset(
    "none null n/a na nil nothing empty 无 空 没有 (none) (empty) <none> - -- ... … {} undefined".split()
)
_PAIRS = re.compile(r"^\s*(?:\"[^\"\n]*\"|'[^'\n]*'|“[^”\n]*”)\s*[:：]")
_CONSTRUCTOR = re.compile(r"^\s*(?:dict|Dict|OrderedDict|set|tuple|list)\s*\(")


class InputError(Exception):
    """Carry a code of the closed set."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def read_input(text: str, params: Mapping[str, str], off: frozenset[str], used: list[str]) -> Any:
    """Return a mapping or a bare string; append the names of repairs to `used`.

    Raise InputError with missing_input, invalid_input, truncated or multiple_actions.
    """
    body = _unfence(text, off, used)
    if not body or body.strip("'\" .`").casefold() in _PLACEHOLDER or body in ('""', "''"):
        if params and not (body.startswith("{") and body.endswith("}")):
            raise InputError("missing_input")
        return {}
    at = _start_of_value(body, off, used)
    if at is None:
        return _bare(body, params, off, used)
    value = _value_at(body, at, off, used)
    args = unwrap(value.value, params, off, used)
    _refuse_second(body, value, args)
    return args


def _unfence(text: str, off: frozenset[str], used: list[str]) -> str:
    body = text.strip(" \t\r\n\u200b\ufeff\u3000\xa0")
    opening = _FENCE_START.match(body)
    if opening and opening[0].strip() and "code_fence" not in off:
        inner = body[opening.end() :]
        closing = (
            re.search(r"\n?[ \t]*(?:```+|~~~+)[^\n]*|`[^`]*$", inner)
            if "\n" not in opening[0]
            else None
        )
        if opening[0].strip().startswith(("```", "~~~")) or inner.rstrip().endswith("`"):
            used.append("code_fence")
            body = (
                _FENCE_END.sub("", inner)
                if closing is None or inner.lstrip()[:1] not in "{["
                else inner
            )
    return body.strip()


def _start_of_value(body: str, off: frozenset[str], used: list[str]) -> int | None:
    if body[0] in "{[｛［":
        return 0
    if body[0] == "(" and body[1:].lstrip()[:1] == "{" and "parentheses" not in off:
        used.append("parentheses")
        return body.index("{")
    if re.match(r"json\s*[{\[]", body, re.IGNORECASE):
        return re.search(r"[{\[]", body).start()  # type: ignore[union-attr]
    lead = _LEAD_IN.match(body)
    if lead and "lead_in" not in off:
        used.append("lead_in")
        return lead.end()
    return None


def _value_at(body: str, at: int, off: frozenset[str], used: list[str]) -> Value:
    if body.startswith('{\\"', at) and "escaped_quotes" not in off:
        used.append("escaped_quotes")
        body, at = body[at:].replace('\\"', '"'), 0
    elif (
        re.match(r"\{\s*\{", body[at:])
        and body.rstrip().endswith("}}")
        and "doubled_braces" not in off
    ):
        used.append("doubled_braces")
        at = body.index("{", at + 1)
    try:
        value = read_value(body, at, off)
    except Truncated:
        raise InputError("truncated") from None
    except (Invalid, RecursionError):
        raise InputError("invalid_input") from None
    used += value.repairs
    return value


def unwrap(value: Any, params: Mapping[str, str], off: frozenset[str], used: list[str]) -> Any:
    """Take off a wrapper key, a one-element list, or one layer of encoding."""
    if isinstance(value, str) and value.strip()[:1] == "{" and "double_encoded" not in off:
        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return value
        if isinstance(inner, dict) and not (
            "string" in params.values() and len(params) == 1 and set(inner) - set(params)
        ):
            used.append("double_encoded")
            return unwrap(inner, params, off, used)
        return value
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], dict) and "one_element_list" not in off:
            used.append("one_element_list")
            return value[0]
        raise InputError("invalid_input")
    if isinstance(value, dict) and len(value) == 1 and "wrapper_key" not in off:
        key, inner = next(iter(value.items()))
        if key in WRAPPERS and key not in params:
            if isinstance(inner, str) and inner.strip()[:1] == "{":
                inner = unwrap(inner, params, off, used)
            if isinstance(inner, dict):
                used.append("wrapper_key")
                return inner
    if isinstance(value, dict | str):
        return value
    raise InputError("invalid_input")


def _refuse_second(body: str, value: Value, args: Any) -> None:
    rest = body[value.end :] if value.end <= len(body) else ""
    for tries, found in enumerate(re.finditer(r"\{(?=\s*[\"'])", rest)):
        if tries >= 4:
            return
        try:
            second = read_value(rest, found.start()).value
        except (Invalid, Truncated, RecursionError):
            continue
        if second and second != value.value and second != args:
            raise InputError("multiple_actions")


def _bare(body: str, params: Mapping[str, str], off: frozenset[str], used: list[str]) -> Any:
    if body[0] == '"':
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(body)
            if not body[end:].strip(" ;.`\n"):
                return unwrap(value, params, off, used) if isinstance(value, str) else value
        except ValueError:
            if (
                body.count('"') % 2
                and "\n" not in body
                and not params.keys() - {next(iter(params), "")}
            ):
                raise InputError("truncated") from None
    if _PAIRS.match(body) or _CONSTRUCTOR.match(body) or body[0] in "]})":
        raise InputError("invalid_input")
    quote = body[0]
    if (
        len(body) > 1
        and quote in "'“‘\""
        and body[-1] == {"'": "'", "“": "”", "‘": "’", '"': '"'}[quote]
    ):
        inner = body[1:-1]
        if quote not in inner and body[-1] not in inner:
            return inner
    if len(params) > 1 and (pairs := _keywords(body, params)) is not None:
        used.append("keyword_arguments")
        return pairs
    return body


def _keywords(body: str, params: Mapping[str, str]) -> dict[str, Any] | None:
    if "\n" in body or not re.match(r"\s*[A-Za-z_]\w*\s*=[^=]", body):
        return None
    read: dict[str, Any] | None = call_arguments(body, params)
    return read


def call_arguments(body: str, params: Mapping[str, str]) -> Any:
    """Read what stands in the brackets of `tool(...)`: literals by name or in order."""
    text = body.strip()
    if not text:
        return {}
    if len(text) > 20_000:
        raise InputError("invalid_input")
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return _bare_argument(text, params)
    if not isinstance(call, ast.Call):
        return _bare_argument(text, params)
    try:
        named = {k.arg: ast.literal_eval(k.value) for k in call.keywords if k.arg}
        given = [ast.literal_eval(value) for value in call.args]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        if call.keywords:
            raise InputError("invalid_input") from None
        return _bare_argument(text, params)
    if any(k.arg is None for k in call.keywords):
        raise InputError("invalid_input")
    return _by_position(given, named, params, text)


def _by_position(
    given: list[Any], named: dict[str, Any], params: Mapping[str, str], text: str
) -> Any:
    if len(given) == 1 and not named:
        if isinstance(given[0], dict):
            return _plain(given[0])
        if isinstance(given[0], str) and len(params) <= 1:
            return given[0]
        if len(params) == 1:
            return (
                text
                if next(iter(params.values())) == "string"
                else {next(iter(params)): _plain(given[0])}
            )
    if len(given) > len(params):
        return _bare_argument(text, params)
    names = list(params)[: len(given)]
    if set(names) & set(named):
        raise InputError("invalid_input")
    return _plain({**dict(zip(names, given, strict=True)), **named})


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    raise InputError("invalid_input")


def _bare_argument(text: str, params: Mapping[str, str]) -> Any:
    if len(params) != 1 or re.match(r"[A-Za-z_]\w*\s*=[^=]", text):
        raise InputError("invalid_input")
    return text
