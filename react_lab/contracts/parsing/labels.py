"""Split a reply at its labels, line by line, in one pass.

A label counts at the start of a line, after markdown, a bullet, a number or an emoji. A
quoted line (`>`), a code block inside a thought and an indented block after a blank line
are somebody else's words: their labels do not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .cleaning import TURN_END
from .values import Invalid, Truncated, read_value

_KINDS = {
    "thought": "thought thoughts thinking reasoning analysis plan reflection 思考 想法 思路 分析 推理 考虑 pensée pensamiento gedanke 생각 思考過程 思考过程".split(),
    "action": [
        "action",
        "actions",
        "next action",
        "tool",
        "tool name",
        "tool call",
        "function",
        "tool to use",
        "行动",
        "动作",
        "操作",
        "工具",
        "工具名称",
        "调用工具",
        "使用工具",
        "执行",
        "行動",
        "アクション",
        "acción",
        "aktion",
        "행동",
    ],
    "input": [
        "action input",
        "action inputs",
        "action_input",
        "action-input",
        "actioninput",
        "input",
        "inputs",
        "tool input",
        "tool_input",
        "arguments",
        "args",
        "parameters",
        "params",
        "action arguments",
        "action args",
        "action parameters",
        "行动输入",
        "动作输入",
        "操作输入",
        "工具输入",
        "输入",
        "参数",
        "行动参数",
        "工具参数",
        "输入参数",
        "行動入力",
        "入力",
        "eingabe",
        "entrée",
        "entrada",
    ],
    "observation": [
        "observation",
        "observations",
        "tool result",
        "tool output",
        "tool response",
        "观察",
        "观察结果",
        "观测",
        "工具结果",
        "工具返回",
        "观测结果",
        "結果",
        "観察",
        "observación",
        "beobachtung",
    ],
    "answer": [
        "final answer",
        "finalanswer",
        "final_answer",
        "final-answer",
        "final response",
        "最终答案",
        "最终回答",
        "最后答案",
        "最终答复",
        "最終答案",
        "最終回答",
        "最終的な答え",
        "respuesta final",
        "endgültige antwort",
        "réponse finale",
    ],
}
_KIND = {name: kind for kind, names in _KINDS.items() for name in names}
_NAMES = "|".join(
    sorted(
        (re.escape(n).replace(r"\ ", r"[ \t_\xa0\u2000-\u200a\u202f\u3000]") for n in _KIND),
        key=len,
        reverse=True,
    )
)
#: noise before a label: blanks, markdown, bullets, numbering, emoji; never a quote mark or `>`.
_BEFORE = r"[ \t\u3000\xa0\u2000-\u200b\ufeff]*(?:\d{1,3}[.)][ \t]*)?[^\w\s>\"'“”‘’「`(\[{<|/\\$&%=+~^，。；]{0,6}[ \t]*[*_#`]{0,6}[ \t]*"
_NUMBER = r"(?:[ \t]?(?:\#?\d{1,3}|\(\d{1,3}\)))?"
LABEL = re.compile(
    rf"{_BEFORE}(?P<name>{_NAMES}){_NUMBER}[ \t\xa0]{{0,3}}[*_`]{{0,3}}[ \t\xa0]{{0,3}}(?P<colon>[:：])[*_`]{{0,3}}",
    re.IGNORECASE,
)
HEADING = re.compile(
    rf"[ \t]*(?:\#{{1,6}}[ \t]*|\*\*[ \t]*)(?P<name>{_NAMES}){_NUMBER}[ \t]*(?:\*\*)?[ \t]*$",
    re.IGNORECASE,
)
_BARE_OBSERVATION = re.compile(r"[ \t*#]*observation[ \t]?\d{0,3}[*]*[ \t]*$", re.IGNORECASE)
#: half a stop sequence, at the very end of the reply
DANGLING = re.compile(
    r"\n[ \t*#]*(?:Obs|Obse|Obser|Observ|Observa|Observat|Observati|Observatio|Observation|观察|观)[ \t*]*\Z",
    re.IGNORECASE,
)
FENCE = re.compile(r"[ \t]*(```+|~~~+)[ \t]*(?P<language>[\w+-]*)[ \t]*$")
_INLINE = re.compile(r"[ \t]*[;,]?[ \t]+action[ _]input[ \t]*[:：]", re.IGNORECASE)
_STARTS_VALUE = re.compile(r"[ \t`\n]*+(?:json[ \t\n]*+)?(?=[{\[｛])")


@dataclass
class Section:
    """Mark one labelled part: its kind, where its label starts, where its content lies."""

    kind: str
    label: int
    start: int
    end: int


def split(text: str) -> tuple[list[Section], int]:
    """Return the sections before an invented Observation, and where that one begins.

    A section of kind "prose" is text before the first label.
    """
    found: list[Section] = [Section("prose", 0, 0, len(text))]
    fences, position, blank_before = _quoted_fences(text), 0, True
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        skip_to = fences.get(position)
        if skip_to is not None and found[-1].kind in ("thought", "prose"):
            position = skip_to
            continue
        line = text[position : min(end, position + 400)]
        label = None if _is_code(line, blank_before, found[-1].kind) else _label(line)
        blank_before = not line.strip()
        if label is not None:
            kind, offset = label
            found[-1].end = position
            if kind == "observation":
                return found, position
            found.append(Section(kind, position, position + offset, len(text)))
            if kind == "answer":
                return found, len(text)
            position += offset
            if kind in ("input", "action"):
                position = max(position, _end_of_value(text, position))
                end = text.find("\n", position)
                end = len(text) if end < 0 else end
        turn = TURN_END.search(text, position, end) if "<" in line or "]" in line or label else None
        if turn is not None and text[: turn.start()].strip():
            return found, turn.end() if not text[turn.end() :].strip() else turn.start()
        position = end + 1
    return found, len(text)


def _label(line: str) -> tuple[str, int] | None:
    found = LABEL.match(line) if ":" in line or "：" in line else None
    if found is None and ("#" in line[:8] or "**" in line[:8]):
        found = HEADING.match(line)
    if found is None:
        return ("observation", len(line)) if _BARE_OBSERVATION.match(line) else None
    name = re.sub(r"[\s_]+", " ", found["name"].lower())
    return _KIND.get(name) or _KIND.get(found["name"].lower(), "thought"), found.end()


def _is_code(line: str, blank_before: bool, kind: str) -> bool:
    return blank_before and kind in ("prose", "thought") and line.startswith(("    ", "\t"))


def _quoted_fences(text: str) -> dict[int, int]:
    """Map the start of each fenced block that is a quotation to the position after it."""
    marks = list(re.finditer(r"^[ \t]*(?:```+|~~~+)[^\n`]*$", text, re.MULTILINE))
    quoted: dict[int, int] = {}
    for opening, closing in zip(marks[::2], marks[1::2], strict=False):
        if text[closing.end() :].strip():
            quoted[opening.start()] = closing.end() + 1
    return quoted


def _end_of_value(text: str, start: int) -> int:
    opening = _STARTS_VALUE.match(text, start)
    if opening is None:
        return start
    try:
        return read_value(text, opening.end()).end
    except (Invalid, Truncated, RecursionError):
        return start
