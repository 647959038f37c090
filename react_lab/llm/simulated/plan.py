"""Step 2, planning: the facts a question needs, each depending on earlier ones.

A plan is a tree. Its leaves are needs (a temperature, a price, the result of a sum); a
need's slots may hold other needs, so the city of a temperature can come from a document.

>>> warm = Need("weather", (("city", "Lisbon"),), "temperature")
>>> resolve(warm, lambda ask: "24.5")
('24.5', [])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Node = "str | Need | Formula"


@dataclass(frozen=True)
class Need:
    """Hold one fact that a tool could give: its kind, what it is about, which part is wanted."""

    kind: str
    slots: tuple[tuple[str, str | Need | Formula], ...] = ()
    want: str = ""


@dataclass(frozen=True)
class Formula:
    """Hold a sum whose numbers may be needs: `shape` is such as `{0} - {1}`."""

    shape: str
    parts: tuple[str | Need | Formula, ...]


@dataclass(frozen=True)
class Ask:
    """Hold a need whose slots are all known: ready to be asked for."""

    kind: str
    slots: Mapping[str, str] = field(default_factory=dict)
    want: str = ""

    def __str__(self) -> str:
        return " ".join([self.want or self.kind, *self.slots.values()])


@dataclass(frozen=True)
class Plan:
    """Hold what to find out and how to say it; `answer` gets the values of `parts`."""

    parts: tuple[str | Need | Formula, ...]
    answer: Callable[[Sequence[str]], str]


class Absent(Exception):
    """Say that a fact was asked for and is not to be had."""

    def __init__(self, ask: Ask, heard: str = "") -> None:
        super().__init__(str(ask))
        self.ask, self.heard = ask, heard


Find = Callable[[Ask], "str | None"]


def resolve(node: str | Need | Formula, find: Find) -> tuple[str | None, list[Ask]]:
    """Return the value of a node, or None and what must be asked for first."""
    if isinstance(node, str):
        return node, []
    if isinstance(node, Formula):
        values, missing = resolve_all(node.parts, find)
        return (
            (None, missing)
            if missing
            else (node.shape.format(*map(_bracketed, node.parts, values)), [])
        )
    values, missing = resolve_all([value for _, value in node.slots], find)
    if missing:
        return None, missing
    names = [name for name, _ in node.slots]
    ask = Ask(node.kind, dict(zip(names, values, strict=True)), node.want)
    value = find(ask)
    return (value, []) if value is not None else (None, [ask])


def resolve_all(nodes: Sequence[str | Need | Formula], find: Find) -> tuple[list[str], list[Ask]]:
    """Resolve several nodes; return the known values and all that is missing."""
    values, missing = list[str](), list[Ask]()
    for node in nodes:
        value, asks = resolve(node, find)
        values.append(value or "")
        missing += [ask for ask in asks if ask not in missing]
    return values, missing


def _bracketed(part: str | Need | Formula, value: str) -> str:
    compound = isinstance(part, Formula) or value.startswith("-")
    return f"({value})" if compound else value
