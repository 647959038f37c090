"""Which tools a prompt shows, however it lists them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NOT_TOOLS = frozenset(
    "thought action input observation question answer finish final_answer write tools format rules examples example note or 思考 行动 问题".split()
)

_KIT_TOOL = re.compile(r"^- (\w+)(?:: (.*))?$", re.MULTILINE)

_KIT_PARAM = re.compile(r"^    (\w+) \(([^)]*)\)(?:: (.*))?$")

_TOOL_LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+|\(?\d+[.)][ \t]*)?[`\"'*]*([A-Za-z_]\w{1,40})[`\"'*]*"
    r"[ \t]*(?:(?:\(([^()\n]*)\)|\[([^\[\]\n]*)\])[`*]*[ \t]*(?:->[ \t]*\w+)?[`*]*[ \t]*[:：,，–—-]?|[:：]|[ \t][-–—]|（|$)[ \t]*(.*)$"
)

_NAMES_INLINE = re.compile(
    r"(?:tools?|工具)[^\n:：]{0,40}[:：][ \t]*([A-Za-z_]\w+(?:(?:\s*[,，、]\s*|\s+and\s+|\s*和\s*)[A-Za-z_]\w+)*)[ \t]*[.。]?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)

_NAMES_IN_PROSE = re.compile(
    r"\btools? ((?:[a-z_]\w+, )*[a-z_]\w+,? and [a-z_]\w+)\b|工具 ?((?:[a-z_]\w+、)*[a-z_]\w+ ?[和、] ?[a-z_]\w+)"
)

_JSON_TOOL = re.compile(r'"name"\s*:\s*"(\w+)"\s*,\s*"description"\s*:\s*"([^"]*)"')


@dataclass(frozen=True)
class SeenTool:
    """Hold a tool as the prompt shows it; `params` is None where none are shown."""

    name: str
    description: str = ""
    params: Mapping[str, str] | None = None
    required: tuple[str, ...] = ()


def read_tools(text: str) -> dict[str, SeenTool]:
    block = re.search(r"<tools>\n?(.*?)</tools>", text, re.DOTALL)
    if block and _KIT_TOOL.search(block[1]):
        return _kit_tools(block[1])
    found = {m[1]: SeenTool(m[1], m[2]) for m in _JSON_TOOL.finditer(text)}
    lines = block[1] if block else re.sub(r"<(\w+)>.*?</\1>", "", text, flags=re.DOTALL)
    for line in lines.splitlines():
        if line[:2].isspace() and found:
            continue
        if not found.get((tool := _tool_line(line)).name) and tool.name:
            found[tool.name] = tool
    for match in (*_NAMES_INLINE.finditer(lines), *_NAMES_IN_PROSE.finditer(lines)):
        for name in re.findall(r"[A-Za-z_]\w+", match[match.lastindex or 1]):
            if name not in ("and", *_NOT_TOOLS):
                found.setdefault(name, SeenTool(name))
    return found


def _kit_tools(block: str) -> dict[str, SeenTool]:
    tools: dict[str, SeenTool] = {}
    for piece in re.split(r"^(?=- \w+)", block, flags=re.MULTILINE):
        head, *rest = piece.splitlines() or [""]
        if not (named := _KIT_TOOL.match(head)):
            continue
        params = {m[1]: m[2].split(",")[0] for m in map(_KIT_PARAM.match, rest) if m}
        needed = tuple(m[1] for m in map(_KIT_PARAM.match, rest) if m and "required" in m[2])
        more = " ".join(line.strip() for line in rest if not _KIT_PARAM.match(line))
        notes = " ".join(m[3] or "" for m in map(_KIT_PARAM.match, rest) if m)
        text = f"{named[2] or ''} {more} {notes}".strip()
        tools[named[1]] = SeenTool(named[1], text, params, needed)
    return tools


def _tool_line(line: str) -> SeenTool:
    match = _TOOL_LINE.match(line)
    if (
        not match
        or match[1].lower() in _NOT_TOOLS
        or (match[4] or "").lstrip().startswith(("{", "<"))
    ):
        return SeenTool("")
    shown = match[2] if match[2] is not None else None
    bullet = line.lstrip()[:1] in "-*•`(" or line.lstrip()[:1].isdigit()
    if (
        not bullet
        and shown is None
        and match[3] is None
        and (not match[4] or not match[1].islower())
    ):
        return SeenTool("")
    params = None if shown is None else dict(map(_param, filter(str.strip, shown.split(","))))
    return SeenTool(match[1], match[4] or "", params, tuple(params or ()))


def _param(text: str) -> tuple[str, str]:
    name, _, kind = text.split("=")[0].partition(":")
    kinds = {"int": "integer", "float": "number", "str": "string", "bool": "boolean"}
    return name.strip(), kinds.get(kind.strip(), kind.strip() or "any")


def native_tool(item: Mapping[str, Any]) -> SeenTool:
    function = item.get("function", item)
    schema = function.get("parameters") or {}
    parts = schema.get("properties") or {}
    params = {name: str(part.get("type", "any")) for name, part in parts.items()}
    notes = " ".join(str(part.get("description", "")) for part in parts.values())
    text = f"{function.get('description', '')} {notes}".strip()
    return SeenTool(str(function.get("name", "")), text, params, tuple(schema.get("required", ())))


def read_json(text: str) -> Any:
    """Return the first JSON value in a text, or None."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except ValueError:
        return None
