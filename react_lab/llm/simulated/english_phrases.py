"""Phrases of English questions: places and days, products, and quantities made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .lookups import place
from .numbers import english_numbers
from .plan import Formula, Need

Node = str | Need | Formula

_DATE = re.compile(
    r",? ?\b(?:on |for )?(today|tomorrow|yesterday|\d{4}-\d\d-\d\d|"
    r"(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)\b(?: \d{1,2}(?:st|nd|rd|th)?)?(?:,? \d{4})?|"
    r"(?:next |this )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b",
    re.IGNORECASE,
)


def valued(unit: str) -> Callable[[Sequence[str]], str]:
    return lambda values: f"{values[0]} {unit}".strip()


def temperature(phrase: str, date: str) -> Need:
    own = _DATE.search(phrase)
    city = re.sub(
        r"^(?:it |the |that |in |of |at )+|(?: be| it)+$",
        "",
        _DATE.sub("", phrase).strip(),
        flags=re.IGNORECASE,
    )
    when = own[1] if own else date
    return Need(
        "weather", (("city", place(city.strip(" ,'"))), ("date", when or "today")), "temperature"
    )


def common_date(text: str) -> str:
    found = {m[1] for m in _DATE.finditer(text)}
    return found.pop() if len(found) == 1 else ""


def total(node: Node) -> Node:
    return Need("sum", (("expression", node),)) if isinstance(node, Formula) else node


def place_name(need: Need, dated: bool) -> str:
    city, date = need.slots[0][1], str(need.slots[1][1])
    city = city if isinstance(city, str) else "that city"
    return f"{city} ({date})" if dated else city


def priced_item(item: str) -> tuple[Node, int] | None:
    match = re.match(
        r"(?:(\d+) |(?:an?|the|one|each|every) )?(?:(?:piece|pair|set)s? of )?([a-z][a-z -]*?)(?: each)?$",
        item.strip(),
        re.IGNORECASE,
    )
    if not match:
        return None
    n = int(match[1] or 1)
    return Need(
        "price", (("product", singular(match[2]) if n > 1 or not match[1] else match[2]),), "price"
    ), n


def singular(word: str) -> str:
    """Return the singular of a product's name, by the usual endings."""
    if word.endswith("ves") and not word.endswith(("oves", "aves")):
        return word[:-3] + ("fe" if word.endswith(("nives", "lives", "wives")) else "f")
    if word.endswith("ies"):
        return word[:-3] + "y"
    if re.search(r"(?:ch|sh|x|ss)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def items(text: str) -> Node | None:
    names = [
        re.sub(r"\b(?:together|in total|altogether)\b", "", name)
        for name in re.split(r",? and |, | plus ", english_numbers(text))
    ]
    items = [priced_item(name) for name in names if name.strip()]
    if not items or None in items:
        return None
    found = [item for item in items if item]
    if len(found) == 1 and found[0][1] == 1:
        return found[0][0]
    terms = [f"{{{i}}}" if n == 1 else f"{n} * {{{i}}}" for i, (_, n) in enumerate(found)]
    return Formula(" + ".join(terms), tuple(node for node, _ in found))


def quantity(text: str, date: str) -> tuple[Node, str] | None:
    """Read a phrase that stands for a number: return its node and its unit."""
    text = re.sub(r"^the (?=\w)", "", text.strip(), flags=re.IGNORECASE)
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return text, ""
    for words, sign in (
        (r" plus | \+ | minus | - ", ""),
        (r" times | multiplied by | divided by | \* | / ", ""),
    ):
        if parts := [*re.finditer(words, text)]:
            sign = {
                "plus": "+",
                "minus": "-",
                "times": "*",
                "multiplied by": "*",
                "divided by": "/",
            }.get(parts[-1][0].strip(), parts[-1][0].strip())
            return _both(
                f"{{0}} {sign} {{1}}", text[: parts[-1].start()], text[parts[-1].end() :], date
            )
    return _simple_quantity(text, date)


def _both(shape: str, left: str, right: str, date: str) -> tuple[Node, str] | None:
    one, two = quantity(left, date), quantity(right, date)
    return (Formula(shape, (one[0], two[0])), one[1] or two[1]) if one and two else None


def _simple_quantity(text: str, date: str) -> tuple[Node, str] | None:
    if match := re.match(r"([\d.]+) ?(?:%|percent) of (.+)", text):
        inner = quantity(match[2], date)
        return (Formula(f"{match[1]} / 100 * {{0}}", (inner[0],)), inner[1]) if inner else None
    if match := re.match(r"(half|twice|double)(?: of)? (.+)", text):
        inner = quantity(match[2], date)
        shape = "{0} / 2" if match[1] == "half" else "2 * {0}"
        return (Formula(shape, (inner[0],)), inner[1]) if inner else None
    if match := re.match(
        r"(sum|total|difference|average|mean)(?: in temperature)? (?:of|between) (.+)", text
    ):
        return _several(match[1], re.split(r",? and |, ", match[2]), date)
    if match := re.match(
        r"(average|mean|difference|total)(?: in)? (temperature|price)(?: difference)? (?:in|of|between) (.+)",
        text,
    ):
        kind = "temperature in" if match[2] == "temperature" else "price of"
        return _several(
            match[1], [f"{kind} {name}" for name in re.split(r",? and |, ", match[3])], date
        )
    if match := re.match(r"(?:temperature|one|that|weather)(?: in| of| at|:)? (.+)", text):
        return temperature(match[1], date), "°C"
    if match := re.match(r"(?:(?:total )?(?:price|cost)(?: of| for)?|what) (.+)", text):
        node = items(match[1])
        return (node, "EUR") if node else None
    return None


def _several(word: str, parts: Sequence[str], date: str) -> tuple[Node, str] | None:
    head = re.match(r"(?:the )?(temperature in|temperatures in|price of|prices of)", parts[0])
    full = [
        p if i == 0 or not head or p.startswith(("the ", "temp", "pri")) else f"{head[1]} {p}"
        for i, p in enumerate(parts)
    ]
    found = [
        quantity(re.sub(r"^(?:the )?(temperature|price)s", r"\1", part), date) for part in full
    ]
    if None in found:
        return None
    nodes = tuple(item[0] for item in found if item)
    sign = " - " if word == "difference" else " + "
    shape = sign.join(f"{{{i}}}" for i in range(len(nodes)))
    if word in ("average", "mean"):
        shape = f"({shape}) / {len(nodes)}"
    return Formula(shape, nodes), next(item[1] for item in found if item)
