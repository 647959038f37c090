"""Phrases of Chinese questions: places and days, products, and quantities made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .lookups import place
from .numbers import chinese_numbers
from .plan import Formula, Need

Node = str | Need | Formula

_DATE = re.compile(
    r"(今天|今日|明天|明日|昨天|昨日|\d{4}-\d\d-\d\d|\d+月\d+[日号]|(?:星期|周)[一二三四五六日天])的?"
)

_SIGNS = {"减": "-", "加": "+", "除": "/", "乘": "*", "×": "*", "÷": "/"}
#: A counter is no counter where it begins the name itself: 台灯, 杯子, 双肩包.
_ONLY_COUNTERS = "个把盏件支只张瓶条套块顶盒部辆副"
COUNTER = f"(?:台(?!灯$)|杯(?!子)|双(?!肩|人)|本(?!子)|[{_ONLY_COUNTERS}])"
_NUMERAL = "[零〇一二两三四五六七八九十百千万]+(?:点[零一二三四五六七八九]+)?"
#: A numeral counts where something counted follows, and not in a name: 三亚, 三明治, 九江.
_COUNTED = re.compile(
    rf"(?:(?<![\u4e00-\u9fff])|(?<=[加减乘除以去上和与、买之用付月年])){_NUMERAL}"
    rf"(?=$|[\s月日号年倍度元%,，、和与的加减乘除+*/×÷-]|欧元|{COUNTER}.)"
)
#: What joins names also stands inside some: 加湿器, 和服, 呼和浩特.
_AND = (
    r"、|，|(?<=[^和、，])以及|加上|(?<=[^和、，上及])和(?=.)"
    rf"|(?<=[^和、，及][^和、，及{_ONLY_COUNTERS}])加(?=[^上].)"
)
_PLACES_AND = r"、|，|(?<=[^和、，与][^和、，与])[和与](?=..)"


def valued(unit: str) -> Callable[[Sequence[str]], str]:
    return lambda values: f"{values[0]} {unit}".strip()


def total(node: Node) -> Node:
    return Need("sum", (("expression", node),)) if isinstance(node, Formula) else node


def common_date(text: str) -> str:
    found = {m[1] for m in _DATE.finditer(text)}
    return found.pop() if len(found) == 1 else ""


def temperature(phrase: str, date: str) -> Need:
    own = _DATE.search(phrase)
    city = re.sub(
        r"^(?:在|那么)|(?:的?(?:气温|温度)|市?的|会)$", "", _DATE.sub("", phrase).strip(" ，,")
    )
    return Need(
        "weather",
        (("city", place(city.strip(" ，,的"))), ("date", (own[1] if own else date) or "今天")),
        "temperature",
    )


def place_name(need: Need, dated: bool) -> str:
    city, date = need.slots[0][1], str(need.slots[1][1])
    city = city if isinstance(city, str) else "该城市"
    return f"{city}（{date}）" if dated else city


def digits(text: str) -> str:
    """Write the numerals that count something in digits."""
    return _COUNTED.sub(lambda m: chinese_numbers(m[0]), text)


def items(text: str) -> Node | None:
    found = []
    for name in re.split(_AND, digits(text)):
        match = re.match(
            rf"\s*(?:买|购买)?(?:(\d+) ?{COUNTER}?|每{COUNTER})?\s*([^\d\s].*?)\s*$", name
        )
        if not match:
            return None
        found.append((Need("price", (("product", match[2]),), "price"), int(match[1] or 1)))
    if len(found) == 1 and found[0][1] == 1:
        return found[0][0]
    terms = [f"{{{i}}}" if n == 1 else f"{n} * {{{i}}}" for i, (_, n) in enumerate(found)]
    return Formula(" + ".join(terms), tuple(node for node, _ in found))


def quantity(text: str, date: str) -> tuple[Node, str] | None:
    """Read a phrase that stands for a number: return its node and its unit."""
    text = text.strip(" ，,的")
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return text, ""
    for words in (r"减去?|加上?|\+|(?<!\d{4}-\d\d)-(?!\d\d-\d\d)", r"除以|乘以?|[*/×÷]"):
        for operator in reversed([*re.finditer(words, text)]):
            if found := _both(text, operator, date):
                return found
    return _simple_quantity(text, date)


def _both(text: str, operator: re.Match[str], date: str) -> tuple[Node, str] | None:
    """Read what stands on both sides; 加 in 新加坡 has no quantity before it."""
    sign = _SIGNS.get(operator[0][0], operator[0])
    if (one := quantity(text[: operator.start()], date)) is None:
        return None
    two = quantity(text[operator.end() :], date)
    return (Formula(f"{{0}} {sign} {{1}}", (one[0], two[0])), one[1] or two[1]) if two else None


def _simple_quantity(text: str, date: str) -> tuple[Node, str] | None:
    if match := re.match(r"(.+)的 ?(?:百分之 ?([\d.]+)|([\d.]+) ?%)$", text):
        inner = quantity(match[1], date)
        return (
            (Formula(f"{match[2] or match[3]} / 100 * {{0}}", (inner[0],)), inner[1])
            if inner
            else None
        )
    if match := re.match(r"(.+)的(一半|两倍|2倍)$", text):
        inner = quantity(match[1], date)
        shape = "{0} / 2" if match[2] == "一半" else "2 * {0}"
        return (Formula(shape, (inner[0],)), inner[1]) if inner else None
    if match := re.match(r"(.+?)(?:的)?(平均|总|温差|价格差|差价)(气温|温度|价格)?$", text):
        return _several(match[1], match[2], "价" in match[0][len(match[1]) :], date)
    if match := re.match(r"(.+?)的?(?:气温|温度)$", text):
        return temperature(match[1], date), "°C"
    if match := re.match(r"(.+?)的?(?:总价|价格|单价)$", text):
        node = items(match[1])
        return (node, "EUR") if node else None
    return None


def _several(names: str, word: str, priced: bool, date: str) -> tuple[Node, str] | None:
    parts = re.split(_AND if priced else _PLACES_AND, names)
    nodes: list[Node | None] = [
        items(part) if priced else temperature(part, date) for part in parts
    ]
    if None in nodes:
        return None
    shape = (" - " if "差" in word else " + ").join(f"{{{i}}}" for i in range(len(nodes)))
    if word == "平均":
        shape = f"({shape}) / {len(nodes)}"
    return Formula(shape, tuple(node for node in nodes if node)), "EUR" if priced else "°C"
