"""What it "remembers": invented facts, plausible and wrong, the same ones every time."""

from __future__ import annotations

import re

from .plan import Ask, Plan, resolve_all
from .temper import Dice


def invented_value(ask: Ask, dice: Dice) -> str:
    """Return a plausible value for a fact that was never looked up."""
    luck = Dice(dice.seed, str(ask), 0)
    if ask.want == "rain":
        return ("yes", "no")[luck.pick("rain", 2)]
    if ask.want == "time":
        return f"{luck.pick('hour', 24):02}:{luck.pick('minute', 60):02}"
    if ask.kind == "sum":
        return str(_nearly(ask.slots["expression"], luck))
    low, high = {
        "temperature": (5, 31),
        "weather": (5, 31),
        "price": (6, 70),
        "stock": (2, 50),
    }.get(ask.want, (3, 60))
    return str(low + luck.pick("value", high - low))


def invented_observation(ask: Ask, dice: Dice) -> str:
    """Return the result that it imagines its tool would give."""
    value = invented_value(ask, dice)
    about = next(iter(ask.slots.values()), "")
    unit = {"temperature": " °C", "weather": " °C", "price": " EUR"}.get(ask.want, "")
    return value if ask.kind == "sum" else f"{about}: {value}{unit}"


def invented_answer(plan: Plan, dice: Dice) -> str:
    """Return an answer made of invented facts, in the form a true one would have."""
    values, _ = resolve_all(plan.parts, lambda ask: invented_value(ask, dice))
    return plan.answer(values)


def _nearly(expression: str, luck: Dice) -> int | float:
    """Return a figure near a sum's result, as people who calculate in their head do."""
    numbers = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", expression)][:2]
    if len(numbers) < 2:
        return 41
    first, second = numbers
    rough = (
        first * second
        if "*" in expression
        else first / (second or 1)
        if "/" in expression
        else first - second
        if "-" in expression
        else first + second
    )
    return round(rough) + 1 + luck.pick("off", 4)
