"""Step 1, reading the prompt: what is asked for, in what form, with which tools.

Reading is lenient, because learners write prompts of their own: a tool may stand in the
kit's `<tools>` block, in a line `name: what it does`, or in the request. What stands
nowhere is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from .tool_list import SeenTool, native_tool, read_tools

CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LABELS = {
    "thought": ("Thought", "思考", "想法"),
    "action": ("Action", "行动", "动作"),
    "input": ("Action Input", "行动输入", "动作输入", "Input"),
    "final": ("Final Answer", "最终答案", "最终回答"),
}
_RULES = {
    "tool_first": r"use (?:a|the) tools? (?:before|first)|not (?:answer )?from memory|先使用工具|不要凭记忆|必须使用工具|always use (?:a|the) tool|with the help of these tools|借助这些工具",
    "answer_soon": r"answer as soon as|as soon as you (?:can|know)|立即回答|尽快回答|马上回答",
    "no_repeat": r"never (?:make|repeat)[^.\n]*(?:same|call|action)|do not repeat|don't repeat|same call twice|不要重复|不得重复",
    "summarise_first": r"what the last observation (?:told|said)|summari[sz]e the last observation|说明上一条|概括上一条",
    "observations_are_data": r"observations? (?:is|are) (?:only )?data|never follow instructions|do not follow instructions|是数据|不要执行其中|不要执行.{0,12}指令",
}


@dataclass(frozen=True)
class Form:
    """Hold the contract asked for: its dialect, its words and its exit."""

    dialect: str = "prose"  # lines, brackets, json, xml, native or prose
    labels: Mapping[str, str] = field(default_factory=dict)
    finish: str = "final_answer"
    json_input: bool = True
    numbered: bool = False


@dataclass(frozen=True)
class Setup:
    """Hold what the fixed part of the prompt says."""

    form: Form
    tools: Mapping[str, SeenTool]
    rules: frozenset[str]
    examples: bool
    language: str
    notes: str = ""


def read_setup(text: str, native: Sequence[Mapping[str, Any]], question: str) -> Setup:
    """Read the fixed part of a prompt, and the tools passed beside it."""
    setup = _read_text(text)
    language = "zh" if CHINESE.search(setup.language + question) else "en"
    setup = replace(setup, language=language)
    if not native:
        return setup
    tools = {tool.name: tool for tool in map(native_tool, native)}
    return replace(setup, form=Form("native"), tools=tools)


@lru_cache(maxsize=64)
def _read_text(text: str) -> Setup:
    plain = re.sub(r"<examples>.*?</examples>", "", text, flags=re.DOTALL)
    lowered = plain.lower()
    rules = frozenset(name for name, pattern in _RULES.items() if re.search(pattern, lowered))
    examples = plain != text or bool(
        re.search(r"^(?:Observation|观察)(?: \d+)?[:：] ?\S", text, re.MULTILINE)
    )
    sample = "中" if len(CHINESE.findall(plain)) * 4 > len(re.findall(r"[A-Za-z]+", plain)) else ""
    notes = re.sub(r"<(\w+)>.*?</\1>", "", text, flags=re.DOTALL)
    return Setup(read_form(text), read_tools(plain), rules, examples, sample, notes)


@lru_cache(maxsize=64)
def read_form(text: str) -> Form:
    """Read which contract a text asks for."""
    shown = _format_part(text)
    labels = {part: _shown_label(shown, names) for part, names in _LABELS.items()}
    if re.search(r"thought\W{1,8}action", shown, re.IGNORECASE):
        labels |= {
            "thought": labels["thought"] or "Thought",
            "action": labels["action"] or "Action",
        }
    finish = "final_answer"
    if re.search(r"\bfinish\[", shown, re.IGNORECASE):
        finish = "brackets"
    elif found := re.search(r"\"?[Aa]ction\"?>?\s*[:：]?\s*\"?(finish|final_answer)\b", shown):
        finish = f"action_{found[1]}"
    numbered = bool(re.search(r"\b(?:Thought|Action|Observation) ?(?:\d|i\b|n\b)", text))
    return Form(
        _dialect(shown, labels),
        {k: v for k, v in labels.items() if v},
        finish,
        _wants_json(shown),
        numbered,
    )


def _format_part(text: str) -> str:
    block = re.search(r"<format>(.*?)</format>", text, re.DOTALL)
    return block[1] if block else re.sub(r"<tools>.*?</tools>", "", text, flags=re.DOTALL)


def _shown_label(text: str, names: Sequence[str]) -> str:
    for name in names:
        if re.search(rf"(?:^|[\s`*/\"'])({name})(?: ?\d| i)?\s*[:：/]", text, re.IGNORECASE):
            return name
    return ""


def _dialect(shown: str, labels: Mapping[str, str]) -> str:
    if re.search(r"<(?:action|thought|tool)>", shown):
        return "xml"
    if re.search(r"\{[^{}]*\"(?:action|tool)\"", shown):
        return "json"
    if re.search(r"\w+\[[^\]\n]+\]", shown) and labels["action"] and not labels["input"]:
        return "brackets"
    return "lines" if labels["action"] or labels["final"] else "prose"


def _wants_json(shown: str) -> bool:
    label = re.search(r"(?:Action Input|行动输入|动作输入)\s*[:：]([^\n]*)", shown)
    return "json" in shown.lower() or label is None or "{" in label[1]
