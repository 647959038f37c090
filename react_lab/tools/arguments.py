"""Validate a call's arguments, convert them gently, and explain what cannot be converted.

Gently means only where one reading exists: "3" for 3, `expr` for `expression` when no
other parameter could be meant, a bare string for a tool with one parameter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..writing import written
from .definition import Tool
from .examples import example
from .messages import say

#: Names that models write for each other, from public bug reports of agent frameworks.
SYNONYMS = (
    {"expression", "expr", "formula", "calculation", "equation", "math"},
    {"query", "q", "search", "search_query", "keyword", "keywords", "question", "term", "text"},
    {"entity", "title", "topic", "query", "q"},
    {"city", "city_name", "location", "place", "town"},
    {"file", "filename", "file_name", "path", "document", "document_name", "doc", "name"},
    {"product", "item", "product_name", "item_name", "article"},
    {"date", "day", "when"},
    {"quantity", "count", "number", "n"},
)
#: Words that a name may carry or lack without meaning something else.
FILLERS = {"arg", "input", "name", "param", "parameter", "str", "string", "text", "the", "value"}
#: Below this length a slip of the pen is too easily another word (county, country).
LONG_NAME = 8
#: The kinds of error that say no more than "of another type".
_OF_TYPE = re.compile(
    r"(int|float|number|bool|string|list|dict)_(type|parsing|from_float)$|literal"
)
#: What models write where a tool takes no input.
_NOTHING = {"", "{}", "none", "null", "n/a", "-", "无"}


class InvalidArguments(Exception):
    """Carry the message for the model; never leaves the tools package."""


def validate(tool: Tool, args: Mapping[str, Any] | str, language: str) -> dict[str, Any]:
    """Return the converted arguments, or raise InvalidArguments with the message."""
    values = args if isinstance(args, dict) else _as_mapping(tool, args, language)
    try:
        return tool.adapter.validator.validate_python(values)  # type: ignore[no-any-return]
    except ValidationError:
        mended = convert(tool, rename_near_misses(tool, values))
    try:
        return tool.adapter.validator.validate_python(mended)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise InvalidArguments(_explain(tool, error, language)) from None


def convert(tool: Tool, values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert what pydantic leaves alone and what can only be meant one way.

    A list or an object written as a JSON string is decoded; `null` for a parameter with a
    default is left out; a choice in another case is taken.
    """
    optional = tool.params.keys() - tool.required
    left = {k: v for k, v in values.items() if v is not None or k not in optional}
    return {name: _convert(tool, name, value) for name, value in left.items()}


def _convert(tool: Tool, name: str, value: Any) -> Any:
    if not isinstance(value, str) or name not in tool.params:
        return value
    if tool.params[name] in ("array", "object") and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    choices = tool.schema["properties"][name].get("enum", ())
    same = [choice for choice in choices if str(choice).casefold() == value.strip().casefold()]
    return same[0] if len(same) == 1 else value


def rename_near_misses(tool: Tool, values: Mapping[str, Any]) -> dict[str, Any]:
    """Rename keys that can mean exactly one absent parameter; leave all others alone."""
    absent = [name for name in tool.params if name not in values]
    unknown = [key for key in values if isinstance(key, str) and key not in tool.params]
    choices = {key: [name for name in absent if _near(key, name)] for key in unknown}
    targets = [names[0] for names in choices.values() if len(names) == 1]
    renames = {
        key: names[0]
        for key, names in choices.items()
        if len(names) == 1 and targets.count(names[0]) == 1
    }
    return {renames.get(key, key): value for key, value in values.items()}


def _near(key: str, name: str) -> bool:
    """Tell whether a key can mean a parameter: another case, a synonym, short or filled up."""
    written, wanted = _words(key), _words(name)
    if "_".join(written) == "_".join(wanted) or any(
        {key.lower(), name.lower()} <= group for group in SYNONYMS
    ):
        return True
    if set(written) - FILLERS == set(wanted) - FILLERS != set():
        return True
    short, whole = key.lower(), name.lower()
    return short in wanted or len(short) >= 3 and whole.startswith(short) or _slip(short, whole)


def _words(name: str) -> list[str]:
    """Split `cityName`, `City-Name` and `city_name` alike."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_").split("_")


def _slip(key: str, name: str) -> bool:
    """Tell whether a letter is missing, doubled or swapped; another letter is another word."""
    if min(len(key), len(name)) < LONG_NAME:
        return False
    if sorted(key) == sorted(name):
        return sum(a != b for a, b in zip(key, name, strict=True)) == 2
    longer, shorter = (key, name) if len(key) > len(name) else (name, key)
    return any(
        longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)) if longer[i].isalpha()
    )


def _as_mapping(tool: Tool, args: Mapping[str, Any] | str, language: str) -> Mapping[str, Any]:
    if isinstance(args, Mapping):
        return args
    if isinstance(args, str):
        if not tool.required and args.strip().lower() in _NOTHING:
            return {}
        if len(tool.params) == 1 or len(tool.required) == 1:
            return {(tool.required or tuple(tool.params))[0]: args}
        params = ", ".join(tool.params) or "{}"
        message = say(
            "bare",
            language,
            tool=tool.name,
            params=params,
            value=_short(args),
            example=example(tool),
        )
        raise InvalidArguments(message)
    message = say("not_object", language, tool=tool.name, value=_short(args), example=example(tool))
    raise InvalidArguments(message)


def _explain(tool: Tool, error: ValidationError, language: str) -> str:
    problems = [_problem(tool, item, language) for item in error.errors(include_url=False)]
    joined = "; ".join(dict.fromkeys(problems))
    return say("invalid", language, tool=tool.name, problems=joined, example=example(tool))


def _problem(tool: Tool, item: Any, language: str) -> str:
    path = [str(part) for part in item["loc"]] or ["input"]
    param, inside = path[0], len(path) > 1
    expected, value = _expected(tool, param, language), _short(item["input"])
    if item["type"] == "missing" and not inside:
        return say("missing", language, param=param, expected=expected)
    if item["type"] == "extra_forbidden" and not inside:
        return say("extra", language, param=param, allowed=", ".join(tool.params) or "-")
    text = say("wrong", language, param=param, expected=expected, value=value)
    if inside:
        return f"{text} ({'.'.join(path)}): {item['msg']}"
    return text if _OF_TYPE.match(item["type"]) else f"{text}: {item['msg']}"


def _expected(tool: Tool, param: str, language: str) -> str:
    part = tool.schema.get("properties", {}).get(param, {})
    if part.get("enum"):
        return say("one_of", language, choices=", ".join(map(repr, part["enum"])))
    kind, note = tool.params.get(param, "any"), part.get("description", "")
    article = "an" if kind[0] in "aeiou" else "a"
    return say("typed", language, article=article, kind=kind) + (f" ({note})" if note else "")


def _short(value: object, limit: int = 80) -> str:
    text = written(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
