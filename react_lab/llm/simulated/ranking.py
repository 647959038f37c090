"""Which of several is the warmest or the cheapest: the words that rank, and lists of names.

>>> ENGLISH_LIST.split("a candle, an umbrella, a lamp or a tent")
['a candle', 'an umbrella', 'a lamp', 'a tent']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .plan import Formula, Need, Plan

Node = str | Need | Formula

_WARMTH = (
    r"warmer|warmest|hotter|hottest|colder|coldest|cooler|coolest"
    r"|(?:higher|highest|lower|lowest) temperature"
)
_PRICE = (
    r"cheaper|cheapest|dearer|dearest|(?:more|most|less|least) expensive"
    r"|costs? (?:the )?(?:more|most|less|least)|(?:higher|highest|lower|lowest) price"
)
_LOW = re.compile(r"cold|cool|low|cheap|less|least|冷|凉|低|便宜")
ENGLISH_LIST = re.compile(r",? (?:or|and) |, ")
#: 和 and 与 also stand inside names: 呼和浩特, 和田, 和服.
CHINESE_LIST = re.compile(
    r"、|，|,|还是|或者?|(?<=[^和与、，,是或][^和与、，,是或])[和与](?=.)|(?<=^[^和与])[和与](?=.$)"
)
_ZH_WARMTH = "暖和|暖|热|冷|凉快?|(?<!价)(?<!价[格最更])(?<!价格[最更])[高低]"
_ZH_PRICE = "便宜|贵|价格?[^，,：:]{0,2}[高低]"
_WHO = "(?:哪一?[个座种样件里]|谁)"


def english_frames(words: str) -> tuple[str, ...]:
    """Return patterns with the groups `word` and `list`: `which is cheapest: a, b or c`."""
    return (
        rf"^(?:which|what) of (?:these(?: \w+)?[,:] )?(?P<list>.+?),? (?:is|are|was|has|will be|will have|(?=cost))"
        rf" ?(?:the )?(?P<word>{words})\b",
        rf"(?:which|what|where)\b.*? (?P<word>{words})\b(?: [\w-]+)*? (?:of|among|between) (?P<list>.+)",
        rf"(?:which|what|where)\b.*? (?P<word>{words})\b.*?[,:] (?P<list>.+)",
    )


def chinese_frames(words: str) -> tuple[str, ...]:
    """Return the same in Chinese: `哪个最便宜：甲、乙还是丙`, and the list in front."""
    return (
        rf"{_WHO}[^，,：:]*?(?P<word>{words})[^，,：:]*[，,：:](?P<list>.+)",
        rf"^(?P<list>.+?)[，,]?(?:今天|明天|昨天)?(?:中|里面?|当中)?{_WHO}[^，,：:]*?(?P<word>{words})",
        rf"^(?P<list>.+还是.+?)(?:最|更|比较|要)?(?P<word>{words})(?:一些|一点儿?|些)?$",
    )


ENGLISH_WARMTH, ENGLISH_PRICE = english_frames(_WARMTH), english_frames(_PRICE)
CHINESE_WARMTH, CHINESE_PRICE = chinese_frames(_ZH_WARMTH), chinese_frames(_ZH_PRICE)


def names_in(listed: str, separator: re.Pattern[str]) -> list[str]:
    """Return the names of a list, without a leading `in`."""
    bare = re.sub(r"^(?:in|either) ", "", listed.strip(), flags=re.IGNORECASE)
    return [name.strip() for name in separator.split(bare) if name.strip()]


def best_of(nodes: Sequence[Node | None], word: str, say: Callable[[int, str], str]) -> Plan | None:
    """Return the plan that gets all values and names the best; `say` gets its place and value.

    None where the list holds fewer than two, or something that is not understood.
    """
    known = [node for node in nodes if node is not None]
    if len(known) < max(2, len(nodes)):
        return None
    pick = min if _LOW.search(word.lower()) else max

    def answer(values: Sequence[str]) -> str:
        best = pick(range(len(values)), key=lambda i: float(values[i]))
        return say(best, values[best])

    return Plan(tuple(known), answer)
