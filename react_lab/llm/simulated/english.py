"""Step 2 in English: the grammar of the kit's world.

Frames are tried in order, the most telling first. A quantity is a number, a temperature,
a price or a sum of such, so that mixes need no frame of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from .english_phrases import (
    common_date,
    items,
    place_name,
    priced_item,
    quantity,
    singular,
    temperature,
    total,
    valued,
)
from .lookups import ENGLISH, ENGLISH_FIRST
from .numbers import english_numbers, english_sum
from .plan import Formula, Need, Plan
from .ranking import ENGLISH_LIST, ENGLISH_PRICE, ENGLISH_WARMTH, best_of, names_in

Node = str | Need | Formula
_POLITE = re.compile(
    r"^(?:please|can you|could you|tell me|i want to know|i would like to know|hi|hello|calculate|compute|work out|what is the result of)[, ]+(?:tell me |me )?",
    re.IGNORECASE,
)
_WARM = r"(warmer|hotter|higher|colder|cooler|lower)"
_COLD = {"colder", "cooler", "lower"}


@lru_cache(maxsize=256)
def understand(question: str) -> Plan | None:
    """Return the plan for a question, or None outside the grammar."""
    text = re.sub(r"\s+", " ", question).strip()
    text = re.split(r"(?<=[.!?]) (?=[A-Z])", text)[-1].rstrip("?.! ")
    text = _POLITE.sub("", _POLITE.sub("", text))
    text = re.sub(r"\b(temperature|weather) (today|tomorrow|yesterday) (in .+)", r"\1 \3 \2", text)
    if expression := english_sum(
        re.sub(r"^(?:what is|what's|how much is) ", "", text, flags=re.IGNORECASE)
    ):
        return Plan((Need("sum", (("expression", expression),)),), valued(""))
    for pattern, build in (*ENGLISH_FIRST, *FRAMES, *ENGLISH):
        if (match := re.search(pattern, text, re.IGNORECASE)) and (plan := build(match, text)):
            return plan
    return None


def _warmer_by(match: re.Match[str], text: str) -> Plan | None:
    left, right = re.split(r" than ", match[2], maxsplit=1)
    return _difference(match[1].lower(), left, right, text)


def _difference(more: str, left: str, right: str, text: str) -> Plan:
    one, two = temperature(left, common_date(text)), temperature(right, common_date(text))
    if not two.slots[0][1]:
        two = Need("weather", (one.slots[0], two.slots[1]), "temperature")
    pair = (two, one) if more in _COLD else (one, two)
    names = [place_name(need, one.slots[1] != two.slots[1]) for need in (one, two)]

    def say(values: Sequence[str]) -> str:
        word = more if not values[0].startswith("-") else _opposite(more)
        return f"{names[0]} is {values[0].lstrip('-')} °C {word} than {names[1]}."

    return Plan((total(Formula("{0} - {1}", pair)),), say)


def _opposite(word: str) -> str:
    pairs = {"warmer": "colder", "hotter": "colder", "higher": "lower"}
    return pairs.get(word, {v: k for k, v in pairs.items() if k != "hotter"}.get(word, "warmer"))


def _is_warmer(left: str, more: str, right: str, text: str) -> Plan:
    needs = tuple(temperature(place, common_date(text)) for place in (left, right))
    names = [place_name(need, False) for need in needs]

    def say(values: Sequence[str]) -> str:
        a, b = map(float, values)
        yes = a < b if more in _COLD else a > b
        return (
            f"{'Yes' if yes else 'No'}: {names[0]} has {values[0]} °C, {names[1]} {values[1]} °C."
        )

    return Plan(needs, say)


def _which(match: re.Match[str], text: str) -> Plan | None:
    needs = [temperature(name, common_date(text)) for name in names_in(match["list"], ENGLISH_LIST)]
    return best_of(
        needs, match["word"], lambda i, value: f"{place_name(needs[i], False)} ({value} °C)"
    )


def _weather(match: re.Match[str], text: str) -> Plan:
    need = temperature(match[1], common_date(text))
    return Plan((Need("weather", need.slots, "weather"),), valued(""))


def _warm(match: re.Match[str], text: str) -> Plan:
    need: Node = temperature(match[1], common_date(text))
    return Plan((need,), valued("°C"))


def _fahrenheit(match: re.Match[str], text: str) -> Plan:
    need = temperature(match[1], common_date(text))
    return Plan((total(Formula("{0} * 9 / 5 + 32", (need,))),), valued("°F"))


def _rain(match: re.Match[str], text: str) -> Plan:
    need = temperature(match[1], common_date(text))
    return Plan(
        (Need("weather", need.slots, "rain"),),
        lambda v: {"yes": "Yes, rain.", "no": "No rain."}[v[0]],
    )


def _clock(match: re.Match[str], text: str) -> Plan:
    city = (match[1] or "").strip()
    slots = (("city", city),) if city and city.lower() not in ("now", "it") else ()
    return Plan((Need("time", slots, "time"),), valued(""))


def _cost(match: re.Match[str], text: str) -> Plan | None:
    node = items(match[1])
    return Plan((total(node),), valued("EUR")) if node else None


def _change(match: re.Match[str], text: str) -> Plan | None:
    node = items(match[2])
    return Plan((total(Formula(f"{match[1]} - {{0}}", (node,))),), valued("EUR")) if node else None


def _afford(match: re.Match[str], text: str) -> Plan | None:
    node = items(f"2 {match[1]}")
    if not isinstance(node, Formula):
        return None
    sum_need = total(Formula(f"{match[2]} / {{0}}", node.parts))
    return Plan((sum_need,), lambda values: f"{int(float(values[0]))}")


def _dearer(match: re.Match[str], text: str) -> Plan | None:
    one, two = items(match[1]), items(match[2])
    return Plan((total(Formula("{0} - {1}", (one, two))),), valued("EUR")) if one and two else None


def _cheaper(match: re.Match[str], text: str) -> Plan | None:
    names = names_in(match["list"], ENGLISH_LIST)
    nodes = [items(name) for name in names]

    def say(place: int, value: str) -> str:
        node = nodes[place]
        name = f"the {node.slots[0][1]}" if isinstance(node, Need) else names[place]
        return f"{name} ({value} EUR)"

    return best_of([total(node) if node else None for node in nodes], match["word"], say)


def _stock(match: re.Match[str], text: str) -> Plan | None:
    item = priced_item(singular(match[1]))
    if item is None or not isinstance(item[0], Need):
        return None
    return Plan((Need("price", item[0].slots, "stock"),), valued("in stock"))


def _quantity_plan(match: re.Match[str], text: str) -> Plan | None:
    found = quantity(english_numbers(match[1]), common_date(text))
    return Plan((total(found[0]),), valued(found[1])) if found else None


Frame = tuple[str, Callable[[re.Match[str], str], "Plan | None"]]
FRAMES: tuple[Frame, ...] = (
    (rf"how (?:much|many degrees) {_WARM} (?:is|was|will)(?: it| be)* (.+ than .+)", _warmer_by),
    (
        r"temperature difference between (.+) and (.+)",
        lambda m, t: _difference("warmer", m[1], m[2], t),
    ),
    (
        rf"^(?:is|was|will) (?:it )?(?:be )?(.*?)\b(?:be )?{_WARM} (?:be )?(?:in )?than (?:in )?(.+)",
        lambda m, t: _is_warmer(m[1], m[2].lower(), m[3], t) if m[1] else None,
    ),
    (
        rf"^(?:is|was|will) it (?:be )?{_WARM} in (.+?) than in (.+)",
        lambda m, t: _is_warmer(m[2], m[1].lower(), m[3], t),
    ),
    *((pattern, _which) for pattern in ENGLISH_WARMTH),
    (r"(?:temperature|warm|hot|cold)\b.*? in (.+?) in (?:degrees )?fahrenheit", _fahrenheit),
    (r"(?:rain(?:ing|y)?|wet|need an umbrella) (?:in|at) (.+)", _rain),
    (r"what(?:'s| is|) ?(?:the )?time (?:is it )?(?:now )?(?:in (.+))?$", _clock),
    (
        r"(?:how many|how much) (.+?) (?:are|is|do you have|are there|is there)(?: left| available)? in stock",
        _stock,
    ),
    (r"how many (.+?) can (?:i|you|we) (?:buy|get|afford) (?:for|with) (\d+(?:\.\d+)?)", _afford),
    (
        r"(?:change|left)\b.*?(?:from|of|out of) (\d+(?:\.\d+)?) ?(?:EUR|euros?|€)?,? (?:if|when|after|for) (?:i|you|we)? ?(?:buy|buying|pay for) (.+)",
        _change,
    ),
    (r"how much more (?:do|does|is|are) (.+?) (?:cost )?than (.+)", _dearer),
    *((pattern, _cheaper) for pattern in ENGLISH_PRICE),
    (
        r"(?:what|how much)(?: (?:do|does|would|will|is|are|must i pay for|for))* (?!the price)(.+?) cost\b",
        _cost,
    ),
    (r"how much (?:is|are|for|do i pay for|must i pay for) (.+)", _cost),
    (
        r"(?:what|how)(?:'s)? ?(?:is|was|will)? ?(?:the )?(?:weather|forecast)(?: be| is)?(?: like)?(?: be)?(?: in| for) (.+)",
        _weather,
    ),
    (
        r"(?:what|how)(?:'s| is| was| will)?(?: the| be)* (.*(?: plus | minus | times | divided by |average|difference|sum of|% of|percent of).*)",
        _quantity_plan,
    ),
    (r"how (?:warm|hot|cold|many degrees) (?:is|was|will)(?: it| be)*(?: in)? (.+)", _warm),
    (
        r"(?:what|how)(?:'s| is| was| will)?(?: the| be)* temperature(?: be)? (?:in|of|at) (.+)",
        _warm,
    ),
    (r"^(?:what is |what's )?(.+)$", _quantity_plan),
)
