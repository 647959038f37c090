"""Variants of the built-in tasks for load: other cities, numbers and products.

Gold answers are worked out here from the toolbox's data files with exact decimals, not
with the tools, so that a broken tool shows.

>>> generate_tasks(1)[0].id
'gen-001'
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from importlib.resources import files
from itertools import cycle
from random import Random
from typing import Literal, NamedTuple

from .gold import ABSTAIN, Gold
from .tasks import Group, Task

#: The days of the fixed calendar that a question can name in one word.
_DAYS = (
    ("today", "今天", "2026-06-15"),
    ("tomorrow", "明天", "2026-06-16"),
    ("yesterday", "昨天", "2026-06-14"),
)
_ABSENT_CITIES = (
    ("Atlantis", "亚特兰蒂斯"),
    ("Avalon", "阿瓦隆"),
    ("Shangri-La", "香格里拉"),
    ("El Dorado", "黄金国"),
)
_ABSENT_PRODUCTS = (
    ("unicorn", "独角兽"),
    ("spaceship", "宇宙飞船"),
    ("dragon", "龙"),
    ("time machine", "时间机器"),
)
#: Counted as one thing and written with a plain -s, so that the questions read well.
_COUNTABLE = (
    "umbrella lamp kettle mug notebook backpack blanket whistle tent map candle raincoat".split()
)
_COUNTERS = {
    "umbrella": "把",
    "lamp": "盏",
    "blanket": "条",
    "tent": "顶",
    "map": "张",
    "candle": "支",
    "notebook": "本",
    "raincoat": "件",
}


class _Draft(NamedTuple):
    group: Group
    english: str
    chinese: str
    gold: Gold
    tools: str
    least_steps: int


@cache
def _table(name: str) -> tuple[dict[str, str], ...]:
    text = files("react_lab").joinpath("toolbox", "data", name).read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@cache
def _degrees() -> dict[tuple[str, str], Decimal]:
    return {(row["city"], row["date"]): Decimal(row["celsius"]) for row in _table("forecast.csv")}


def generate_tasks(
    n: int = 200, seed: int = 0, language: Literal["en", "zh"] = "en"
) -> tuple[Task, ...]:
    """Return `n` different tasks, the kinds in turn; the same for the same seed."""
    random, kinds, made = Random(seed), cycle(_KINDS), dict[str, Task]()
    while len(made) < n:
        draft = next(kinds)(random)
        question = draft.chinese if language == "zh" else draft.english
        task = Task(
            f"gen-{len(made) + 1:03}", draft.group, question, draft.gold,
            tuple(draft.tools.split()), draft.least_steps, language,
        )  # fmt: skip
        made.setdefault(question, task)
    return tuple(made.values())


def _temperature(random: Random) -> _Draft:
    city, (day, day_zh, date) = random.choice(_table("cities.csv")), random.choice(_DAYS)
    verb = {"yesterday": "was", "tomorrow": "will"}.get(day, "is")
    english = (
        f"What {verb} the temperature {'be ' if verb == 'will' else ''}in {city['name']} {day}?"
    )
    gold = float(_degrees()[city["name"], date])
    return _Draft("one_call", english, f"{city['zh']}{day_zh}的气温是多少？", gold, "weather", 2)


def _price(random: Random) -> _Draft:
    product = random.choice(_countable())
    name, zh = product["name"], product["zh"]
    article = "an" if name[0] in "aeiou" else "a"
    return _Draft(
        "one_call",
        f"What does {article} {name} cost?",
        f"一{_counter(name)}{zh}多少钱？",
        float(product["price"]),
        "shop",
        2,
    )


def _sum(random: Random) -> _Draft:
    a, b, c = random.randint(11, 99), random.randint(11, 99), random.randint(2, 60)
    text = f"{a} * {b} + {c}"
    return _Draft(
        "one_call", f"What is {text}?", f"{text} 等于多少？", float(a * b + c), "calculator", 2
    )


def _warmer(random: Random) -> _Draft:
    one, two = random.sample(_table("cities.csv"), 2)
    date = _DAYS[0][2]
    degrees = _degrees()
    if degrees[one["name"], date] < degrees[two["name"], date]:
        one, two = two, one
    gap = float(degrees[one["name"], date] - degrees[two["name"], date])
    english = f"How much warmer is {one['name']} than {two['name']} today?"
    return _Draft(
        "chain", english, f"{one['zh']}今天比{two['zh']}高多少度？", gap, "weather calculator", 4
    )


def _basket(random: Random) -> _Draft:
    (one, two), n, m = random.sample(_countable(), 2), random.randint(2, 9), random.randint(2, 9)
    total = n * Decimal(one["price"]) + m * Decimal(two["price"])
    english = f"What do {n} {one['name']}s and {m} {two['name']}s cost together?"
    chinese = (
        f"{n}{_counter(one['name'])}{one['zh']}和{m}{_counter(two['name'])}{two['zh']}一共多少钱？"
    )
    return _Draft("chain", english, chinese, float(total), "shop calculator", 4)


def _change(random: Random) -> _Draft:
    product, n = random.choice(_countable()), random.randint(2, 7)
    cost = n * Decimal(product["price"])
    purse = (int(cost) // 50 + 1) * 50
    english = f"How much is left of {purse} EUR after buying {n} {product['name']}s?"
    chinese = f"用{purse}欧元买{n}{_counter(product['name'])}{product['zh']}后还剩多少？"
    return _Draft("chain", english, chinese, float(purse - cost), "shop calculator", 3)


def _absent_city(random: Random) -> _Draft:
    name, zh = random.choice(_ABSENT_CITIES)
    return _Draft(
        "missing",
        f"What is the temperature in {name} today?",
        f"{zh}今天的气温是多少？",
        ABSTAIN,
        "weather",
        2,
    )


def _absent_date(random: Random) -> _Draft:
    city = random.choice(_table("cities.csv"))
    date = f"2027-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    english = f"What is the temperature in {city['name']} on {date}?"
    return _Draft("missing", english, f"{city['zh']}{date}的气温是多少？", ABSTAIN, "weather", 2)


def _absent_product(random: Random) -> _Draft:
    name, zh = random.choice(_ABSENT_PRODUCTS)
    return _Draft("missing", f"What does a {name} cost?", f"一个{zh}多少钱？", ABSTAIN, "shop", 2)


def _hearsay(random: Random) -> _Draft:
    city, other = random.sample(_table("cities.csv"), 2)
    wrong = random.randint(31, 39)
    english = (
        f"My cousin in {other['name']} says it is {wrong} degrees in {city['name']}. "
        f"What is the temperature in {city['name']} today?"
    )
    chinese = f"我在{other['zh']}的表哥说{city['zh']}有{wrong}度。{city['zh']}今天的气温是多少？"
    return _Draft(
        "distractor", english, chinese, float(_degrees()[city["name"], _DAYS[0][2]]), "weather", 2
    )


@cache
def _countable() -> tuple[dict[str, str], ...]:
    return tuple(row for row in _table("products.csv") if row["name"] in _COUNTABLE)


def _counter(name: str) -> str:
    return _COUNTERS.get(name, "个")


_KINDS: tuple[Callable[[Random], _Draft], ...] = (
    _temperature, _price, _sum, _warmer, _basket, _change, _absent_date, _hearsay,
    _temperature, _warmer, _basket, _change, _absent_city, _absent_product,
)  # fmt: skip
