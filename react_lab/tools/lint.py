"""Say what a tool's description lacks (notebook 03).

A model knows a tool by its description alone. A good one has five parts: a verb, its
object, a boundary, when (not) to use it, and an example value. The rules look for telling
words in English or Chinese; they find what is missing, not what is wrong.

>>> from react_lab.tools import tool
>>> def price(product):
...     '''Prices.'''
>>> for problem in lint_tool(tool(price)):
...     print(problem)
verb: starts with 'Prices'; start with what it does, such as Return, Compute or List
object: says too little; name what it works on and what comes back
boundary: add what it covers and where it ends, such as one city a call, only June
when: add when to use it or when not to, such as Use it for ..., not for ...
example: add one value that works, such as Example: city Lisbon
parameter 'product': add a type, such as product: str
parameter 'product': add a line under Args: that says what to write
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .definition import Tool

_VERBS = """add answer append ask book build calculate call cancel change check choose classify clean
close compare compute convert copy count create decide delete describe download draw edit estimate
evaluate execute explain export extract fetch file filter find fit format gather generate get give
group import insert join list load log look make match measure move open order parse pick plan play
post predict print query rank read record remove rename render replace report request reserve
resolve return round run save schedule score search select send set show solve sort split start
stop store sum summarise summarize tell test track translate turn update upload validate verify
view wait watch write""".split()
_VERBS_ZH = re.compile(
    r"^(?:请)?(?:在|从|向|把|将|对|按|根据|查|列|读|计算|算|搜|找|询|问|发|写|创|删|更|返|获|取|执|运|转|翻|比|统|生|打|保|下|上|预|显|给|求|调|记|排|选|解|检)"
)
_BOUNDARY = re.compile(
    r"\b(?:one|only|not|never|no|at most|at least|up to|within|each|single|all|every|between|from \w+ to|offline)\b"
    r"|一[个种次座份条]|两个|只|仅|不|所有|全部|每|以内|之间|最多|最近",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:use|call|when|whenever|if|before|after|instead|prefer|not for|needed)\b|用|时[，,。；、]|凡是|需要|如果|之前|不要",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\bexamples?\b|\bsuch as\b|\be\.g\.|\blike\b|例如|比如|示例|如：|诸如", re.IGNORECASE
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")

_PARTS: tuple[tuple[Callable[[Tool], bool], str], ...] = (
    (
        lambda tool: _starts_with_verb(tool.description),
        "verb: starts with {start!r}; start with what it does, such as Return, Compute or List",
    ),
    (
        lambda tool: _first_sentence_length(tool.description) >= 3,
        "object: says too little; name what it works on and what comes back",
    ),
    (
        lambda tool: bool(_BOUNDARY.search(tool.description)),
        "boundary: add what it covers and where it ends, such as one city a call, only June",
    ),
    (
        lambda tool: bool(_WHEN.search(tool.description)),
        "when: add when to use it or when not to, such as Use it for ..., not for ...",
    ),
    (
        lambda tool: bool(_EXAMPLE.search(_all_text(tool))),
        "example: add one value that works, such as Example: city Lisbon",
    ),
)


def lint_tool(tool: Tool) -> list[str]:
    """Return what the description lacks, a sentence each; an empty list is good."""
    text = tool.description
    if not text.strip():
        problems = [
            "description: there is none; write a docstring: verb, object, boundary, when to use it, an example"
        ]
    else:
        start = text.split()[0].strip(".,:;") if text.isascii() else text[:4]
        problems = [message.format(start=start) for holds, message in _PARTS if not holds(tool)]
    return problems + [problem for name in tool.params for problem in _lint_parameter(tool, name)]


def _lint_parameter(tool: Tool, name: str) -> list[str]:
    part = tool.schema["properties"][name]
    typed = tool.params[name] != "any"
    noted = bool(part.get("description") or part.get("enum"))
    wanted = (
        (typed, f"add a type, such as {name}: str"),
        (noted, "add a line under Args: that says what to write"),
    )
    return [f"parameter {name!r}: {message}" for there, message in wanted if not there]


def _starts_with_verb(text: str) -> bool:
    if _CHINESE.match(text):
        return bool(_VERBS_ZH.match(text))
    return re.split(r"[^A-Za-z]", text, maxsplit=1)[0].lower() in _VERBS


def _first_sentence_length(text: str) -> int:
    """Count words, two Chinese characters as one."""
    sentence = re.split(r"[.:;。：；](?:\s|$)?", text, maxsplit=1)[0]
    return len(re.findall(r"[A-Za-z]+", sentence)) + len(_CHINESE.findall(sentence)) // 2


def _all_text(tool: Tool) -> str:
    parts = tool.schema.get("properties", {}).values()
    return " ".join([tool.description, *(str(part.get("description", "")) for part in parts)])
