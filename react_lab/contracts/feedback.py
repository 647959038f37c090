"""What the model is told about its format error: templates, as data, in two languages.

Each message says what was wrong, quotes the line, names what is allowed and shows the
wanted shape once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

TEXTS = {
    "en": {
        "empty_output": "Format error: the reply was empty.",
        "missing_action": "Format error: no action and no final answer was found{quote}. Available tools: {tools}.",
        "missing_input": "Format error: the action has no input{quote}. Parameters: {tools}.",
        "invalid_input": "Format error: the action's input is not one JSON object{quote}. Use double quotes, and no calculation or text inside it.",
        "unknown_tool": "Format error: there is no such tool{quote}. Available tools: {tools}.",
        "multiple_actions": "Format error: more than one action{quote}. Write exactly one, then wait for its Observation.",
        "empty_answer": "Format error: the final answer is empty{quote}. Write the answer behind the label.",
        "action_and_answer": "Format error: an action and a final answer in one reply{quote}. Write only one of them.",
        "truncated": "Format error: the reply stops in the middle{quote}. Write it again, complete and shorter.",
        "quote": " in {text!r}",
        "shape": " Write:\n{action}\nor, when you know the answer:\n{answer}",
    },
    "zh": {
        "empty_output": "格式错误：回复为空。",
        "missing_action": "格式错误：没有找到行动，也没有最终答案{quote}。可用的工具：{tools}。",
        "missing_input": "格式错误：行动没有输入{quote}。参数：{tools}。",
        "invalid_input": "格式错误：行动的输入不是一个 JSON 对象{quote}。请使用双引号，里面不要写算式或说明。",
        "unknown_tool": "格式错误：没有这个工具{quote}。可用的工具：{tools}。",
        "multiple_actions": "格式错误：一次写了多个行动{quote}。只写一个，然后等待 Observation。",
        "empty_answer": "格式错误：最终答案为空{quote}。请在标签后写出答案。",
        "action_and_answer": "格式错误：同一回复里既有行动又有最终答案{quote}。只写其中一个。",
        "truncated": "格式错误：回复在中间断了{quote}。请重新完整地写，写短一些。",
        "quote": "：{text!r}",
        "shape": " 请写：\n{action}\n知道答案时写：\n{answer}",
    },
}
SHAPES = {
    "lines": (
        "Thought: ...\nAction: {tool}\nAction Input: {args}",
        "Thought: ...\nFinal Answer: ...",
    ),
    "json": (
        '{{"thought": "...", "action": "{tool}", "action_input": {args}}}',
        '{{"thought": "...", "final_answer": "..."}}',
    ),
    "xml": (
        "<thought>...</thought>\n<action>{tool}</action>\n<action_input>{args}</action_input>",
        "<thought>...</thought>\n<final_answer>...</final_answer>",
    ),
    "native": ("a call of {tool} with {args}", "the answer as plain text"),
}
_EXAMPLES = {"integer": 3, "number": 2.5, "boolean": True, "array": [], "object": {}}
#: more than this of a line is not quoted, more tools than this are not listed
LINE_LENGTH = 80
MOST_TOOLS = 20


def explain(
    code: str,
    *,
    quote: str,
    tools: Mapping[str, Mapping[str, str]],
    dialect: str,
    language: str,
    tool: str = "",
) -> str:
    """Return the message for a format error code.

    `quote` is the text to quote a line of; `tool`, if it is known which one was meant, is
    the one that the example calls.

    >>> print(explain("missing_input", quote="Action: add", tools={"add": {"a": "integer"}},
    ...     dialect="lines", language="en", tool="add").splitlines()[0])
    Format error: the action has no input in 'Action: add'. Parameters: add(a). Write:
    """
    texts = TEXTS[language]
    meant = {tool: tools[tool]} if tool in tools else tools
    listed = meant if code == "missing_input" else tools
    said = texts[code].format(quote=_quoted(quote, texts["quote"]), tools=_listed(listed))
    name, params = next(iter(meant.items()), ("tool", {}))
    args = {param: _EXAMPLES.get(kind, "...") for param, kind in params.items()}
    shown = json.dumps(args, ensure_ascii=False)
    action, answer = (shape.format(tool=name, args=shown) for shape in SHAPES[dialect])
    return said + texts["shape"].format(action=action, answer=answer)


def _quoted(text: str, template: str) -> str:
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    shown = line[:LINE_LENGTH] + "…" * (len(line) > LINE_LENGTH)
    return template.format(text=shown) if line else ""


def _listed(tools: Mapping[str, Mapping[str, str]]) -> str:
    shown = [f"{name}({', '.join(params)})" for name, params in list(tools.items())[:MOST_TOOLS]]
    return "; ".join(shown + ["…"] * (len(tools) > MOST_TOOLS)) or "-"
