"""The registry: looks a tool up, validates, runs, and always gives an Observation."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..errors import ToolFailure, UsageError
from ..records import Action, Observation, Status
from .arguments import InvalidArguments, validate
from .definition import Tool, tool
from .messages import say
from .observing import flatten, is_empty, result_text, shown_text
from .running import Call, DeadlineExceeded


class Toolbox(Mapping[str, Tool]):
    """Hold tools by name; immutable. Functions without `@tool` are registered on the way.

    Raise UsageError when two tools share a name.
    """

    def __init__(self, tools: Iterable[Tool | Callable[..., Any]] = ()) -> None:
        listed = [item if isinstance(item, Tool) else tool(item) for item in tools]
        names = [item.name for item in listed]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(
                f"two tools are named {doubled[0]!r}: give one another name with tool(name=...)"
            )
        self._tools = {item.name: item for item in listed}

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"Toolbox({', '.join(self._tools) or 'empty'})"

    @cached_property
    def signatures(self) -> dict[str, dict[str, str]]:
        """Return {tool: {parameter: JSON type}}, as the parser needs it."""
        return {name: item.params for name, item in self._tools.items()}

    @cached_property
    def schemas(self) -> tuple[dict[str, Any], ...]:
        """Return the tools as the OpenAI-compatible `tools` list."""
        return tuple(
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": t.schema},
            }
            for t in self._tools.values()
        )

    def without(self, *names: str) -> Toolbox:
        """Return a toolbox that lacks these tools."""
        self._require(names)
        return Toolbox(t for t in self._tools.values() if t.name not in names)

    def having(self, *tools: Tool | Callable[..., Any]) -> Toolbox:
        """Return a toolbox with more tools; one of the same name takes the old one's place."""
        merged = self._tools | Toolbox(tools)._tools
        return Toolbox(merged.values())

    def described(self, name: str, description: str) -> Toolbox:
        """Return a toolbox in which one tool has another description."""
        self._require([name])
        return self.having(replace(self._tools[name], description=description))

    def run(self, action: Action, language: str = "en") -> Observation:
        """Run one action; whatever happens, return an Observation.

        KeyboardInterrupt is the one exception that passes: the person at the keyboard is
        not the model.
        """
        found = self._tools.get(action.tool)
        if found is None:
            return self._unknown(action, language)
        try:
            args = validate(found, action.args, language)
        except InvalidArguments as problem:
            text = str(problem)
            return Observation(flatten(text), "invalid_args", found.name, text, action.call_id)
        return _observe(found, args, action.call_id, language)

    def run_all(self, actions: Sequence[Action], language: str = "en") -> tuple[Observation, ...]:
        """Run several actions side by side; return observations in the order asked."""
        if len(actions) == 1:
            return (self.run(actions[0], language),)
        with ThreadPoolExecutor(max_workers=max(1, min(len(actions), 8))) as pool:
            return tuple(pool.map(lambda action: self.run(action, language), actions))

    def _unknown(self, action: Action, language: str) -> Observation:
        names = difflib.get_close_matches(action.tool.lower(), self._tools, n=3, cutoff=0.5)
        close = say("close", language, names=", ".join(names)) if names else ""
        tools = ", ".join(self._tools) or say("no_tools", language)
        text = say("unknown_tool", language, name=action.tool[:80], close=close, tools=tools)
        return Observation(flatten(text), "unknown_tool", action.tool, text, action.call_id)

    def _require(self, names: Sequence[str]) -> None:
        if missing := [name for name in names if name not in self._tools]:
            names_here = ", ".join(self._tools) or "none"
            raise UsageError(f"no tool named {missing[0]!r} here; there are {names_here}")


def _observe(found: Tool, args: dict[str, Any], call_id: str | None, language: str) -> Observation:
    call = Call(found.function, args, found.timeout, found.tries)
    status: Status = "ok"
    started = time.perf_counter()
    try:
        value = call.result()
        text = result_text(value)
        if is_empty(value, text):
            hint = found.empty_hint or say("empty_hint", language)
            text, status = say("empty", language, tool=found.name, hint=hint), "empty"
    except DeadlineExceeded:
        text, status = say("timeout", language, tool=found.name, seconds=found.timeout), "timeout"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        text, status = say("failed", language, tool=found.name, why=_why(error)), "tool_error"
    seconds = time.perf_counter() - started
    shown = shown_text(text, found.limit, language, one_line=found.one_line)
    return Observation(shown, status, found.name, text, call_id, call.made, seconds)


def _why(error: BaseException) -> str:
    name = type(error).__name__
    try:
        text = str(error).strip()
    except Exception:
        text = ""
    if isinstance(error, ToolFailure):
        return text or name
    return f"{name}: {text}" if text else name
