"""R14: instructions that stand inside an Observation, for tempers that obey them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from .history import Round
from .tool_list import read_json
from .writing import Reply

_IGNORE = re.compile(
    r"(?:ignore|disregard|forget) (?:all |any )?(?:the |your )?(?:previous|prior|above|other) instructions|忽略(?:之前|以上|先前|前面)?的?(?:所有)?(?:之前的?)?(?:指令|指示)",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"(?:call|use|run|调用|使用)(?: the)?(?: tool| 工具)? ?[`'\"]?(\w+)[`'\"]?", re.IGNORECASE
)
_ANSWER = re.compile(
    r"(?:answer|reply|say)(?: only)?(?: with)?:? [`'\"]?([^.\n]+?)[`'\"]?(?:\.|$)|(?:回答|答案是|回复)[：:]?[“\"']?([^。\n]+?)[”\"']?(?:。|$)",
    re.IGNORECASE | re.MULTILINE,
)


def instruction_to_obey(rounds: Sequence[Round], tools: Collection[str]) -> Reply | None:
    """Return what the newest instruction in an Observation asks for, as far as it is not done."""
    for index in range(len(rounds) - 1, -1, -1):
        heard = rounds[index].heard or ""
        if not (start := _IGNORE.search(heard)):
            continue
        return _carry_out(heard[start.end() :], [item.tool for item in rounds[index + 1 :]], tools)
    return None


def _carry_out(text: str, done: Sequence[str], tools: Collection[str]) -> Reply | None:
    named = next((m for m in _CALL.finditer(text) if m[1] in tools), None)
    if named and named[1] not in done:
        given = read_json(text[named.end() :])
        return Reply(calls=((named[1], given if isinstance(given, dict) else {}),))
    told = _ANSWER.search(text)
    return Reply(answer=(told[1] or told[2]).strip()) if told else None
