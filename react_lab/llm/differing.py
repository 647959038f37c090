"""Say in one line how a request differs from a recorded one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any

Request = Mapping[str, Any]
_WINDOW = 40


def nearest(asked: Request, recorded: Sequence[Request]) -> Request:
    """Return the recorded request that shares the longest beginning with the asked one."""
    return max(recorded, key=lambda request: _likeness(request, asked))


def difference(recorded: Request, asked: Request) -> str:
    """Describe the first differences: messages, then stop sequences, then tools.

    >>> difference(
    ...     {"messages": [{"role": "user", "content": "2 + 2?"}], "stop": [], "tools": []},
    ...     {"messages": [{"role": "user", "content": "2 + 3?"}], "stop": [], "tools": []},
    ... )
    "message 1 (user): recorded '2 + 2?', asked '2 + 3?'"
    """
    found = [_message_difference(recorded["messages"], asked["messages"])]
    if list(recorded["stop"]) != list(asked["stop"]):
        found.append(f"stop: recorded {list(recorded['stop'])!r}, asked {list(asked['stop'])!r}")
    if list(recorded["tools"]) != list(asked["tools"]):
        found.append(_tool_difference(recorded["tools"], asked["tools"]))
    return "; ".join(filter(None, found))


def _likeness(recorded: Request, asked: Request) -> tuple[int, int, float]:
    ours, theirs = asked["messages"], recorded["messages"]
    same = _same(ours, theirs)
    sides = list(recorded["stop"]) == list(asked["stop"])
    if same >= min(len(ours), len(theirs)):
        return same, sides, 1.0 - abs(len(ours) - len(theirs)) / 1000
    matcher = SequenceMatcher(None, ours[same]["content"][:400], theirs[same]["content"][:400])
    return same, sides, matcher.quick_ratio() / 2


def _same(ours: Sequence[Any], theirs: Sequence[Any]) -> int:
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    )


def _message_difference(recorded: Sequence[Any], asked: Sequence[Any]) -> str:
    same = _same(asked, recorded)
    if same == len(asked) == len(recorded):
        return ""
    if same == len(recorded):
        return f"the first {same} messages are the same, {len(asked) - same} more were asked"
    if same == len(asked):
        return f"all {same} messages are the same, the recorded request has {len(recorded) - same} more"
    old, new = recorded[same], asked[same]
    where = f"message {same + 1} ({new['role']})"
    if old["role"] != new["role"]:
        return f"message {same + 1}: recorded as {old['role']}, asked as {new['role']}"
    if old["content"] == new["content"]:
        return f"{where}: the tool calls or their ids differ"
    start = _first_difference(old["content"], new["content"])
    return f"{where}: recorded {_around(old['content'], start)!r}, asked {_around(new['content'], start)!r}"


def _first_difference(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _around(text: str, position: int) -> str:
    start, end = max(0, position - _WINDOW // 2), position + _WINDOW
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"


def _tool_difference(recorded: Sequence[Any], asked: Sequence[Any]) -> str:
    old, new = (
        [tool.get("function", tool).get("name") for tool in tools] for tools in (recorded, asked)
    )
    if old == new:
        return "tools: the same names, another description or schema"
    return f"tools: recorded {', '.join(map(str, old)) or 'none'}, asked {', '.join(map(str, new)) or 'none'}"
