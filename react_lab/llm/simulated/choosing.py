"""Steps 4 and 5, choosing a tool by its description and writing the arguments.

Only what the prompt shows counts. A description is compared with the words of a need, a
sentence that says what the tool is *not* for is left out, and two tools that fit equally
well are confused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from .history import Args, Round
from .plan import Ask
from .results import is_error
from .temper import Dice, Temper
from .tool_list import SeenTool

#: The words of each kind of need, as a pattern.
WORDS = {
    "weather": r"weather|temperature|forecast|\brain|天气|气温|温度|下雨|降雨",
    "sum": r"calculat|arithmetic|expression|\bmath|evaluat|\bsums?\b|subtract|multipl|\badds?\b|计算|算术|表达式|四则|数学",
    "price": r"price|\bcosts?\b|\bshop|product|stock|\bbuy|价格|商品|库存|单价|商店",
    "time": r"\btime\b|clock|hour|o'clock|时间|几点|时钟",
    "document": r"\bread|passage|\bdocument\b|\bfile\b|阅读|读取|段落|文件内容",
    "documents": r"\blist|names of|which documents|列出|名称列表|有哪些文档",
    "entity": r"encyclop|\bentity|article|\bsearch|wikipedia|百科|条目|词条|搜索",
    "lookup": r"look ?up|next sentence|查找|下一句",
    "ask": r"\bask|\buser\b|clarif|询问|提问|用户",
}
_BOUNDARY = re.compile(
    r"\bnot for\b|\bdo not\b|\bdon't\b|\bnever\b|\bnot to\b|\binstead of\b|不要|不能用|不用于|不适用|并非"
)
_CLAUSE = re.compile(r"[^.。;；]+")
#: How each slot may be called, the likeliest guess first.
NAMES = {
    "expression": ("expr", "expression", "formula", "calculation", "math", "equation", "sum"),
    "city": ("city_name", "city", "location", "place", "town"),
    "date": ("day", "date", "when"),
    "product": ("item", "product", "product_name", "item_name", "article", "name"),
    "name": ("file", "name", "filename", "file_name", "path", "document", "document_name", "doc"),
    "query": ("q", "query", "question", "keyword", "keywords", "search_query", "text", "topic"),
    "entity": ("q", "entity", "query", "title", "name", "topic", "term", "search_query"),
    "term": ("q", "term", "keyword", "query", "text", "word"),
    "question": ("q", "question", "message", "prompt", "text"),
}
_OPTIONAL = {"date": ("today", "今天"), "query": ()}


def candidates(tools: Mapping[str, SeenTool], kind: str) -> list[tuple[float, str]]:
    """Return how well each tool fits a kind of need, the best first; misfits are left out."""
    scored = [(score(tool, kind), name) for name, tool in tools.items()]
    return sorted(
        ((fit, name) for fit, name in scored if fit > 0), key=lambda pair: (-pair[0], pair[1])
    )


def score(tool: SeenTool, kind: str) -> float:
    """Return a tool's fit: words of its description, and a little for its name."""
    return _score(tool.name, tool.description, kind)


@lru_cache(maxsize=512)
def _score(name: str, description: str, kind: str) -> float:
    clauses = [c for c in _CLAUSE.findall(description.lower()) if not _BOUNDARY.search(c)]
    hits = len(set(re.findall(WORDS[kind], ".".join(clauses))))
    # A name is looked at word by word, so that `basket` is no tool to ask with; plurals count.
    words = re.sub(r"\\b(?=\||$)", r"s?\\b", WORDS[kind])
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)
    named = bool(re.search(words, spaced, re.IGNORECASE))
    if hits == 0 and description:
        return 0.5 if named else 0.0
    return min(hits, 3) + (0.5 if named else 0.0)


def choose(
    ask: Ask, tools: Mapping[str, SeenTool], tried: Sequence[str], temper: Temper, dice: Dice
) -> str | None:
    """Return the tool to use for a need, or None where nothing seems to fit."""
    fitting = candidates(tools, ask.kind)
    fresh = [
        pair for pair in fitting if pair[1] not in tried and (pair[0] >= 1 or not tried)
    ] or fitting
    if not fresh:
        return None
    best = fresh[0][0]
    if best < 1 and dice.happens(f"distrust {ask.kind}", temper.tool_confusion):
        return None
    rivals = [name for fit, name in fresh if fit >= best - 0.5]
    confusion = temper.tool_confusion * (len(rivals) - 1) / len(rivals)
    if len(rivals) > 1 and dice.happens(f"confusion {ask.kind}", confusion):
        return rivals[1 + dice.pick(f"rival {ask.kind}", len(rivals) - 1)]
    return fresh[0][1]


def write_arguments(ask: Ask, tool: SeenTool, rounds: Sequence[Round]) -> dict[str, Any]:
    """Write a need's slots under the parameter names that are known, or guessed."""
    learned = learn_names(tool, rounds)
    covered = tool.params is not None and set(learned) <= set(tool.params)
    known: Mapping[str, str] | None = tool.params if covered else learned or None
    slots = {
        n: value
        for n, value in ask.slots.items()
        if n != "relation" and value not in _OPTIONAL.get(n, ())
    }
    if known is None:
        return {NAMES[name][0]: value for name, value in slots.items()}
    if ask.kind == "sum" and len(known) > 1 and not set(known) & set(NAMES["expression"]):
        operands = re.findall(r"-?\d+(?:\.\d+)?", slots["expression"])
        return {
            name: typed(value, kind)
            for (name, kind), value in zip(known.items(), operands, strict=False)
        }
    return _under_names(slots, known)


def _under_names(slots: Mapping[str, str], known: Mapping[str, str]) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for slot, value in slots.items():
        free = [name for name in known if name not in written]
        name = next((n for n in free if n == slot), None) or next(
            (n for n in free if n.lower() in NAMES[slot]), None
        )
        if name is None and free and (not written or len(slots) == len(known)):
            name = free[0]
        if name is not None:
            written[name] = typed(value, known[name])
    return written


def typed(value: str, kind: str) -> Any:
    """Return a value in the type that the description names; without one, a string."""
    if kind == "array":
        return [value]
    try:
        return int(value) if kind == "integer" else float(value) if kind == "number" else value
    except ValueError:
        return value


def learn_names(tool: SeenTool, rounds: Sequence[Round]) -> dict[str, str]:
    """Return the parameter names that an error about this tool gave away."""
    for item in reversed(rounds):
        heard = item.heard or ""
        if tool.name != item.tool or not is_error(heard):
            continue
        named = re.findall(
            r"(?:missing|required|allowed|缺少|允许)[^.;]*?['\"“`（(: ](\w+)['\"”`)）]", heard
        )
        named += re.findall(r"(?:allowed|允许的参数)\s*[:：] ?([\w, ]+)", heard)
        named += re.findall(
            r"(?:parameter|argument|参数) ?['\"`](\w+)['\"`] ?(?:\([^)]*\) )?(?:is missing|is required|expects)",
            heard,
        )
        names = [word for text in named for word in re.findall(r"\w+", text)]
        example = re.search(r"(?:Example|示例)\s*[:：] ?(\{.*?\})", heard)
        if example:
            names += _keys(example[1])
        if names := [n for n in dict.fromkeys(names) if n != tool.name]:
            return {name: (tool.params or {}).get(name, "any") for name in names}
    return {}


def _keys(text: str) -> list[str]:
    try:
        return list(json.loads(text))
    except ValueError:
        return []


def as_bare_text(args: Args) -> str:
    """Write arguments for a tool that takes one text."""
    return args if isinstance(args, str) else ", ".join(str(value) for value in args.values())
