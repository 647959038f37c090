"""Records and values as plain JSON values, and back.

A field that has its default is left out. What JSON does not know is tagged: a tuple is
written as {"$tuple": [...]}, and a key that begins with $ gets a second one.

>>> to_plain({"at": (1, 2)})
{'at': {'$tuple': [1, 2]}}
>>> untagged(to_plain({"at": (1, 2), "$ref": "#/x"}))
{'at': (1, 2), '$ref': '#/x'}
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
#: Between two halves of one character that stand side by side: JSON's reader would join them.
_HALVES = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
#: Python's own reader refuses longer decimal numbers.
_LARGEST = 10**4000


def to_plain(value: Any, *, without: tuple[str, ...] = ()) -> Any:
    """Return a value that JSON can hold; of a record, all fields but `without`."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"$halves": _HALVES.split(value)} if _has_halves(value) else value
    if isinstance(value, int | float):
        return _number(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value, without)
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    return _tagged(value)


def from_plain(kind: type[T], plain: Mapping[str, Any], **parts: Any) -> T:
    """Build a record of a kind; `parts` are fields that are built already.

    Raise ValueError where a field is missing, unknown or of another type.
    """
    names = {field.name for field in fields(kind)} - set(parts)  # type: ignore[arg-type]
    if unknown := sorted(set(plain) - names):
        raise ValueError(f"a {kind.__name__} has no {', '.join(unknown)}")
    readers = _readers(kind)  # type: ignore[arg-type]
    read = {name: readers[name].validate_python(untagged(value)) for name, value in plain.items()}
    return kind(**read, **parts)


def untagged(value: Any) -> Any:
    """Undo the tags of `to_plain`."""
    if isinstance(value, list):
        return [untagged(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (name, inner), *_ = value.items()
        if name in _UNTAG:
            return _UNTAG[name](inner)
    return {
        name.removeprefix("$") if name.startswith("$$") else name: untagged(v)
        for name, v in value.items()
    }


@cache
def _readers(kind: type) -> dict[str, Any]:
    from typing import get_type_hints

    from pydantic import TypeAdapter

    from ..records import Messages, Run

    hints = get_type_hints(kind)
    own = {name: hint for name, hint in hints.items() if name in {f.name for f in fields(kind)}}
    skipped = (Messages, Run | None, tuple[Any, ...])
    return {
        name: TypeAdapter(hint)
        for name, hint in own.items()
        if hint not in skipped and name != "steps"
    }


def _record(value: Any, without: tuple[str, ...]) -> dict[str, Any]:
    named = [field for field in fields(value) if field.name not in without]
    return {
        f.name: to_plain_field(f, value)
        for f in named
        if not _is_default(f, getattr(value, f.name))
    }


def to_plain_field(field: Field[Any], value: Any) -> Any:
    """Return a field of a record; a tuple is a list there, since its type is known."""
    held = getattr(value, field.name)
    return [to_plain(item) for item in held] if type(held) is tuple else to_plain(held)


def _is_default(field: Field[Any], held: Any) -> bool:
    return (
        field.default is not MISSING and type(held) is type(field.default) and held == field.default
    )


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    if all(isinstance(key, str) and not _has_halves(key) for key in value):
        return {
            f"${key}" if key.startswith("$") else key: to_plain(item) for key, item in value.items()
        }
    return {"$dict": [[to_plain(key), to_plain(item)] for key, item in value.items()]}


def _has_halves(text: str) -> bool:
    return not text.isascii() and _HALVES.search(text) is not None


def _number(value: int | float) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return {"$int": hex(value)}
    return value


def _tagged(value: Any) -> dict[str, Any]:
    if isinstance(value, tuple):
        return {"$tuple": [to_plain(item) for item in value]}
    if isinstance(value, set | frozenset):
        return {f"${type(value).__name__}": [to_plain(item) for item in sorted(value, key=repr)]}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    return {"$text": repr(value)}


_UNTAG: dict[str, Callable[[Any], Any]] = {
    "$tuple": lambda items: tuple(map(untagged, items)),
    "$set": lambda items: set(map(untagged, items)),
    "$frozenset": lambda items: frozenset(map(untagged, items)),
    "$dict": lambda items: {untagged(key): untagged(item) for key, item in items},
    "$float": float,
    "$int": lambda text: int(text, 16),
    "$bytes": bytes.fromhex,
    "$text": str,
    "$halves": "".join,
}
