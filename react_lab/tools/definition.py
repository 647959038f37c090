"""A tool's definition: what its signature and docstring say, as data."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import UnionType
from typing import (
    Annotated,
    Any,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, with_config
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from ..errors import ToolDefinitionError

Function = Callable[..., Any]
_CONFIG = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
_NUMBERS = {int, float}
_ARGS_SECTION = re.compile(r"^\s*(?:Args|Arguments|Parameters|参数)\s*[:：]\s*$", re.MULTILINE)
_ARG_LINE = re.compile(r"^\s*(\w+)\s*(?:\([^)]*\))?\s*[:：]\s*(.+)$")


@dataclass(frozen=True)
class Tool:
    """Hold a function with its description and the limits of a call.

    `timeout` is in seconds; None runs the function in the caller's thread, for functions
    known to be quick. `tries` counts calls when the tool raises `TransientFailure`.
    `limit` is the longest observation, in characters. `empty_hint` is what an empty
    result advises. `one_line=False` keeps line breaks, each line behind a bar.
    `repeatable` marks tools whose answer may change, such as a clock.
    """

    function: Function
    name: str
    description: str
    timeout: float | None = 30.0
    tries: int = 1
    limit: int = 2_000
    empty_hint: str = ""
    one_line: bool = True
    repeatable: bool = False
    param_notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name.isidentifier() or len(self.name) > 64:
            raise ToolDefinitionError(
                f"tool name {self.name!r}: use letters, digits and _, at most 64; "
                "for a lambda write tool(function, name='double')"
            )
        if self.timeout is not None and self.timeout <= 0 or self.tries < 1 or self.limit < 20:
            raise ToolDefinitionError(
                f"tool {self.name}: timeout must be above 0 seconds, tries at least 1, "
                f"limit at least 20 characters; got {self.timeout}, {self.tries}, {self.limit}"
            )
        _ = self.schema

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the plain function, as if it were no tool."""
        return self.function(*args, **kwargs)

    @cached_property
    def adapter(self) -> TypeAdapter[dict[str, Any]]:
        """Return the pydantic adapter that validates a call's arguments."""
        fields = _fields(self.function, self.name, self.param_notes)
        shape = with_config(_CONFIG)(TypedDict(f"{self.name}_args", fields))  # type: ignore[operator]
        return TypeAdapter(shape)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments."""
        try:
            schema = self.adapter.json_schema()
        except (PydanticUserError, AttributeError) as error:
            raise ToolDefinitionError(
                f"tool {self.name}: a parameter has a type that JSON cannot carry ({str(error).splitlines()[0]}); "
                "use str, int, float, bool, list, dict, Literal or a pydantic model"
            ) from error
        schema.pop("title", None)
        for part in schema.get("properties", {}).values():
            part.pop("title", None)
            _spell_out_choices(part, schema.get("$defs", {}))
        return schema

    @cached_property
    def params(self) -> dict[str, str]:
        """Return parameter names with their JSON type, in the order of the signature."""
        return {name: _type_name(part) for name, part in self.schema.get("properties", {}).items()}

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Return the parameters that have no default."""
        return tuple(self.schema.get("required", ()))

    def __repr__(self) -> str:
        return f"Tool({self.name}: {', '.join(self.params) or 'no parameters'})"


@overload
def tool(function: Function, /, **options: Any) -> Tool: ...
@overload
def tool(function: None = None, /, **options: Any) -> Callable[[Function], Tool]: ...
def tool(function: Function | None = None, /, **options: Any) -> Tool | Callable[[Function], Tool]:
    """Register a typed function as a tool; options are the fields of `Tool`.

    Raise ToolDefinitionError for a signature that a model cannot fill in.

    >>> @tool(timeout=None, tries=2)
    ... def roll(sides: int = 6) -> int:
    ...     '''Return the highest face of a die.'''
    ...     return sides
    """
    if function is None:
        return lambda later: tool(later, **options)
    if isinstance(function, Tool) or not callable(function):
        raise ToolDefinitionError(f"{function!r} is not a function: pass a function to tool()")
    named = function.func if isinstance(function, partial) else function
    own_name = getattr(named, "__name__", type(named).__name__)
    description, notes = _read_docstring(inspect.getdoc(named) or "")
    options = {"name": own_name, "description": description, "param_notes": notes} | options
    try:
        return Tool(function=function, **options)
    except TypeError as error:
        raise ToolDefinitionError(f"tool {own_name}: {error}; see the fields of Tool") from error


def _read_docstring(text: str) -> tuple[str, dict[str, str]]:
    section = _ARGS_SECTION.search(text)
    if section is None:
        return " ".join(text.split()), {}
    block = text[section.end() :].strip("\n").split("\n\n")[0]
    matches = (_ARG_LINE.match(line) for line in block.splitlines())
    return " ".join(text[: section.start()].split()), {m[1]: m[2] for m in matches if m}


def _fields(function: Function, name: str, notes: Mapping[str, str]) -> dict[str, Any]:
    try:
        signature, hints = inspect.signature(function), _hints(function)
    except (TypeError, ValueError, NameError) as error:
        raise ToolDefinitionError(f"tool {name}: its signature cannot be read ({error})") from error
    return {
        parameter.name: _field(parameter, hints.get(parameter.name, Any), name, notes)
        for parameter in signature.parameters.values()
    }


def _hints(function: Function) -> dict[str, Any]:
    """Return the annotations: of a class its own and its __init__'s, of an object its __call__'s."""
    if isinstance(function, partial):
        return _hints(function.func)
    kept = partial(get_type_hints, include_extras=True)
    if isinstance(function, type):
        return kept(function) | kept(getattr(function, "__init__"))  # noqa: B009
    return kept(function if inspect.isroutine(function) else getattr(function, "__call__"))  # noqa: B004, B009


def _field(parameter: inspect.Parameter, hint: Any, name: str, notes: Mapping[str, str]) -> Any:
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise ToolDefinitionError(
            f"tool {name}: {parameter} has no name a model could fill in; "
            "write one named parameter each, or one list parameter"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise ToolDefinitionError(
            f"tool {name}: drop the / after {parameter.name}; it is passed by name"
        )
    if parameter.name == "self":
        raise ToolDefinitionError(f"tool {name}: pass a bound method, such as tool(shop.{name})")
    info: dict[str, Any] = {}
    if parameter.name in notes and not _described(hint):
        info["description"] = notes[parameter.name]
    if _wants_number(hint):
        hint = Annotated[hint, BeforeValidator(_no_boolean)]
    if parameter.default is parameter.empty:
        return Annotated[hint, Field(**info)]
    return NotRequired[
        Annotated[hint, Field(**info, json_schema_extra=_default(parameter.default))]
    ]


def _wants_number(hint: Any) -> bool:
    kinds = {hint, *(get_args(hint) if get_origin(hint) in (Annotated, Union, UnionType) else ())}
    return bool(kinds & _NUMBERS) and bool not in kinds


def _no_boolean(value: Any) -> Any:
    """Refuse true for a number: Python would take it for 1."""
    if type(value) is bool:
        raise PydanticCustomError("number_type", "Input should be a number, not true or false")
    return value


def _described(hint: Any) -> bool:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return any(isinstance(mark, FieldInfo) and mark.description for mark in marks)


def _default(value: Any) -> dict[str, Any]:
    return {"default": value} if isinstance(value, str | int | float | None) else {}


def _spell_out_choices(part: dict[str, Any], kinds: Mapping[str, Any]) -> None:
    """Write the values of an Enum where they are needed: its name tells a model nothing."""
    kind = kinds.get(part.get("$ref", "").removeprefix("#/$defs/"), {})
    if "enum" in kind:
        part |= {"enum": kind["enum"], "type": kind.get("type", "string")}
        del part["$ref"]


def _type_name(part: Mapping[str, Any]) -> str:
    if "enum" in part or "const" in part:
        return "string"
    if "anyOf" in part:
        names = [_type_name(option) for option in part["anyOf"]]
        return next((n for n in names if n != "null"), "any")
    return str(part.get("type", "object" if "$ref" in part else "any"))
