"""Take a well-formed reply apart and write it again, in the dialect it came in.

The faults at the reply seam need to know where thought, action, input and answer stand.
This is no parser: it reads only replies that follow their contract, and says None of all
others (a fault then has nothing to break and does not fire).

>>> parts = read_parts("Thought: sum\\nAction: calculator\\nAction Input: {}")
>>> parts.tool, parts.input
('calculator', '{}')
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..records import Message

LABELS = {
    "thought": ("Thought", "思考", "想法"),
    "tool": ("Action", "行动", "动作"),
    "input": ("Action Input", "行动输入", "动作输入"),
    "answer": ("Final Answer", "最终答案", "最终回答"),
}
_KEYS = {
    "thought": ("thought", "reasoning"),
    "tool": ("action", "tool", "name"),
    "input": ("action_input", "input", "args", "arguments"),
    "answer": ("final_answer", "answer"),
}
_FIELD_OF = {label.lower(): field for field, labels in LABELS.items() for label in labels}
_LABEL = re.compile(
    r"^[ \t]*("
    + "|".join(sorted(map(re.escape, _FIELD_OF), key=len, reverse=True))
    + r")[ \t]*[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True)
class Parts:
    """Hold the parts of a reply; `answer` is None in a reply that acts."""

    dialect: str = "lines"
    thought: str = ""
    tool: str = ""
    input: str = ""
    answer: str | None = None
    names: tuple[tuple[str, str], ...] = ()

    @property
    def args(self) -> dict[str, Any]:
        """Return the input as a mapping; a bare text stands under ""."""
        try:
            value = json.loads(self.input)
        except ValueError:
            return {"": self.input}
        return value if isinstance(value, dict) else {"": value}

    def name(self, field: str) -> str:
        """Return the label, key or tag that a field had in the reply, or its usual one."""
        usual = {"lines": LABELS[field][0], "json": _KEYS[field][0], "xml": _KEYS[field][0]}
        return dict(self.names).get(field, usual[self.dialect])

    def having(self, **changes: Any) -> Parts:
        """Return parts that differ; a mapping as `input` is written as JSON."""
        if isinstance(changes.get("input"), dict):
            changes["input"] = json.dumps(changes["input"], ensure_ascii=False)
        return replace(self, **changes)

    def acting(self, tool: str, args: dict[str, Any], thought: str = "") -> Parts:
        """Return parts that call a tool."""
        return self.having(tool=tool, input=args, answer=None, thought=thought or self.thought)

    def answering(self, answer: str, thought: str = "") -> Parts:
        """Return parts that answer."""
        return self.having(tool="", input="", answer=answer, thought=thought or self.thought)

    def write(self) -> str:
        """Write the parts in their dialect."""
        return _WRITERS[self.dialect](self)

    def _fields(self) -> list[tuple[str, str]]:
        pairs = [("thought", self.thought), ("tool", self.tool)]
        pairs = [(field, text) for field, text in (*pairs, ("input", self.input)) if text]
        return pairs if self.answer is None else [*pairs, ("answer", self.answer)]


def read_parts(text: str) -> Parts | None:
    """Return the parts of a well-formed reply, or None."""
    for reader in (_read_json, _read_xml, _read_lines):
        parts = reader(text.strip())
        if parts is not None:
            return parts
    return None


def earlier_calls(messages: Sequence[Message]) -> list[Parts]:
    """Return the calls that stand in the assistant messages of a prompt, oldest first."""
    read = [read_parts(m.content) for m in messages if m.role == "assistant"]
    return [parts for parts in read if parts is not None and parts.tool]


def _read_lines(text: str) -> Parts | None:
    found = list(_LABEL.finditer(text))
    values: dict[str, str] = {}
    names: dict[str, str] = {}
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in zip(found, ends, strict=False):
        field = _FIELD_OF[match[1].lower()]
        if field not in values:
            values[field], names[field] = text[match.end() : end].strip(), match[1]
    return _checked("lines", values, names)


def _read_json(text: str) -> Parts | None:
    try:
        whole = json.loads(text)
    except ValueError:
        return None
    if not isinstance(whole, dict):
        return None
    names = {field: key for field, keys in _KEYS.items() for key in keys if key in whole}
    values = {
        field: whole[key]
        if isinstance(whole[key], str)
        else json.dumps(whole[key], ensure_ascii=False)
        for field, key in names.items()
        if whole[key] is not None
    }
    return _checked("json", values, names)


def _read_xml(text: str) -> Parts | None:
    tags = {match[1]: match[2].strip() for match in _TAG.finditer(text)}
    names = {field: tag for field, keys in _KEYS.items() for tag in keys if tag in tags}
    return _checked("xml", {field: tags[tag] for field, tag in names.items()}, names)


def _checked(dialect: str, values: dict[str, str], names: dict[str, str]) -> Parts | None:
    if not values.get("tool") and values.get("answer") is None:
        return None
    return Parts(dialect, **values, names=tuple(names.items()))


def _write_lines(parts: Parts) -> str:
    return "\n".join(f"{parts.name(field)}: {text}" for field, text in parts._fields())


def _write_json(parts: Parts) -> str:
    pairs = [(parts.name(field), _json_value(field, text)) for field, text in parts._fields()]
    return json.dumps(dict(pairs), ensure_ascii=False)


def _json_value(field: str, text: str) -> Any:
    if field != "input":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _write_xml(parts: Parts) -> str:
    return "\n".join(f"<{parts.name(f)}>{text}</{parts.name(f)}>" for f, text in parts._fields())


_WRITERS: dict[str, Callable[[Parts], str]] = {
    "lines": _write_lines,
    "json": _write_json,
    "xml": _write_xml,
}
