"""What one Observation says: whether it failed, is empty or suggests something, and its values."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

from .chains import read_relation
from .passages import best_name, find_value
from .plan import Ask

_ERROR = re.compile(
    r"^\W*(?:(?:format )?error|invalid|unknown|not run|(?:格式)?错误|未执行)", re.IGNORECASE
)

_EMPTY = re.compile(
    r"^\W*(?:$|\(?(?:no results?|nothing|none|empty|null|无结果|没有结果)\b|could not find|no more results|no result for|找不到|.{0,40}中没有更?多?包含|（无结果）|\[\]|\{\})",
    re.IGNORECASE,
)

_EARLIER = re.compile(r"step \d+ and got: (.*?) Use that result|结果是：(.*?) 请使用")

LABELS_INSIDE = re.compile(
    r"[\n\r]\s*(?:Thought|Action|Action Input|Observation|Final Answer|思考|行动)\s*[:：]"
)

# A heading such as `[passage 1 of 3]`; a list of texts is none.
_PREFACE = re.compile(r"^\[(?![\"'])[^\]]*\] ?")

_ANSWERED = re.compile(
    r"^(?:i (?:mean|live in)|it is|it's|in|at|我(?:说的是|在|住在)|在|是)\s*", re.IGNORECASE
)

_LISTED = re.compile(r"['\"]([^'\"]+)['\"][^'\"]{0,40}there are: (.+)$")

_SIMILAR = re.compile(r"(?:Could not find|找不到) (.+?)(?:\. Similar: |。相近条目：)(.+)$")

NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?"

_MEANT = re.compile(
    r"['\"]([^'\"]+)['\"][^'\"]{0,80}?(?:Did you mean|你是不是想[查找])\s*([^?？,，、]+)"
)

_DAYS = {
    "今天": "today",
    "今日": "today",
    "明天": "tomorrow",
    "明日": "tomorrow",
    "昨天": "yesterday",
    "昨日": "yesterday",
}

_DATE_WORD = re.compile(
    r"today|tomorrow|yesterday|\d{4}-\d\d-\d\d|今[天日]|明[天日]|昨[天日]|\w+day|\d+月\d+日|(?:\d+ )?\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b(?: \d+)?",
    re.IGNORECASE,
)

#: For each wanted part, where it stands in a result.
_PARTS = {
    "temperature": rf"({NUMBER}) ?(?:°|℃|degrees|度)",
    "price": rf"(?:EUR|€|欧元) ?({NUMBER})|({NUMBER}) ?(?:EUR|€|euros?|欧元)|price\D{{0,12}}({NUMBER})",
    "stock": rf"({NUMBER}) ?(?:pieces? |件)?(?:in stock|left|available|件?有?库存)|(?:stock|库存)\D{{0,6}}({NUMBER})",
    "time": r"(\d{1,2}:\d\d)",
    "number": rf"^\D{{0,20}}?({NUMBER}(?:e[-+]?\d+)?)\D{{0,40}}$|^({NUMBER})(?=\s)|= ?({NUMBER})|\| ({NUMBER})$",
}


_RAIN = re.compile(
    r"(\bno rain|\bdry\b|\b0 ?% (?:chance of )?rain|\brain: no|无雨|不下雨|没有雨)"
    r"|(\b(?:rain|shower|(?:thunder|snow)?storm|drizzl)(?:s|y|e|ing|ed)?\b|雨)",
    re.IGNORECASE,
)


def is_error(text: str) -> bool:
    """Tell whether an Observation reports that something went wrong."""
    return _ERROR.match(text) is not None


def is_empty(text: str) -> bool:
    """Tell whether an Observation holds no result."""
    return _EMPTY.match(text) is not None


def has_hint(text: str) -> bool:
    """Tell whether an empty result says what to do instead."""
    return (
        is_empty(text)
        and re.search(
            r"\b(?:try|another|other|instead|check|spell)\b|pass a|请|换|其他|试",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def day(text: str) -> str:
    """Return the day that a text names, today where it names none."""
    found = _DATE_WORD.search(text)
    return _DAYS.get(found[0], found[0].lower()) if found else "today"


def extract(ask: Ask, text: str) -> str | None:
    """Return the wanted part of a result, or None."""
    if is_error(text) or is_empty(text):
        return None
    if ask.kind == "entity":
        return read_relation(ask.slots["relation"], text)
    if ask.kind == "document":
        return find_value(_PREFACE.sub("", text), ask.slots["query"], ask.want)
    if ask.kind == "ask":
        return _ANSWERED.sub("", text).strip(" .。!！") or None
    reader = _READERS.get(ask.want or ask.kind)
    if reader:
        return reader(text)
    pattern = _PARTS.get(ask.want, _PARTS["number"])
    found = re.search(pattern, text)
    if not found:
        return None
    value = next(group for group in found.groups() if group)
    return value.replace("−", "-").replace(",", "")


def _rain(text: str) -> str | None:
    found = _RAIN.search(text)
    if found:
        return "no" if found[1] else "yes"
    return "no" if re.search(r"°|clear|sun|cloud|晴|云|阴", text) else None


def _whole(text: str) -> str | None:
    return text.strip() or None


def _documents(text: str) -> str | None:
    return text.strip() or None


_READERS: dict[str, Callable[[str], str | None]] = {
    "rain": _rain,
    "weather": _whole,
    "documents": _documents,
}


def corrections(text: str) -> dict[str, str]:
    """Return the better names that a failure suggests, by the name that failed."""
    if match := _MEANT.search(text) if is_error(text) else None:
        close = SequenceMatcher(None, match[1].lower(), match[2].strip().lower()).ratio() >= 0.75
        return {match[1]: match[2].strip()} if close else {}
    if match := _LISTED.search(text) or _SIMILAR.search(text):
        names = [name.strip(" .。") for name in match[2].split(",")]
        best = best_name(names, match[1])
        return {match[1]: best} if best else {}
    return {}


def earlier_result(text: str) -> str:
    """Return the result that a reminder repeats, or the text as it is."""
    found = _EARLIER.search(text)
    return (found[1] or found[2] or "") if found else text
