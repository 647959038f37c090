"""What PromptLab switches, as data: the pieces of a text prompt, and the contract they make."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from ..agent import Agent
from ..contracts import RULES, TextContract
from ..contracts.text import BLOCKS
from ..errors import UsageError

ORDERS = ("tools, format", "format, tools")
RIGHT, AS_GIVEN = "right", "as given"
#: Sets of stop sequences; "right" is the template's own. The wrong one cuts a word that a
#: thought may hold.
STOPS: dict[str, tuple[str, ...]] = {"none": (), "wrong": ("Observation",)}


@dataclass(frozen=True)
class Pieces:
    """Hold the switches of a prompt; `blocks` and `rules` name those that are on.

    `order` says which of <tools> and <format> stands first, `stop` is right (the
    template's own), none, wrong (`STOPS`) or as given (the starting contract's).
    """

    dialect: str
    language: str
    blocks: tuple[str, ...]
    order: str
    rules: tuple[str, ...]
    finish: str
    observation_as: str
    stop: str

    def switched(self, name: str) -> Pieces:
        """Return the pieces with one block or rule on that was off, or off that was on.

        Raise UsageError for a name that is neither.
        """
        if name in BLOCKS:
            return replace(self, blocks=_toggled(self.blocks, name))
        if name in RULES:
            return replace(self, rules=_toggled(self.rules, name))
        raise UsageError(f"there is no piece {name!r}: choose from {', '.join((*BLOCKS, *RULES))}")


def text_contract(agent: Agent) -> TextContract:
    """Return the agent's contract; raise UsageError for one that is no text."""
    if not isinstance(agent.contract, TextContract):
        raise UsageError(
            f"PromptLab switches the pieces of a TextContract, and this agent has a "
            f"{type(agent.contract).__name__}: pass replace(agent, contract=TextContract())"
        )
    return agent.contract


def pieces_of(contract: TextContract) -> Pieces:
    """Return the switches as they stand in a contract."""
    return Pieces(
        contract.dialect,
        contract.language,
        tuple(name for name in BLOCKS if _on(contract, name)),
        _order_in(contract.order),
        contract.rules,
        contract.finish,
        contract.observation_as,
        _stop_in(contract),
    )


def contract_of(pieces: Pieces, start: TextContract) -> TextContract:
    """Return the contract that the switches make of the starting one.

    Raise UsageError where the template has no such piece.
    """
    places = (*start.order, *(name for name in BLOCKS if name not in start.order))
    if _order_in(places) != pieces.order:
        places = _swapped(places)
    kept = [n for n in places if n in pieces.blocks or (n == "examples" and n in start.order)]
    ranks = (*start.rules, *(rule for rule in RULES if rule not in start.rules))
    stops: dict[str, Any] = {**STOPS, RIGHT: None, AS_GIVEN: start.stop}
    made: dict[str, Any] = {
        "dialect": pieces.dialect,
        "language": pieces.language,
        "rules": tuple(sorted(pieces.rules, key=ranks.index)),
        "order": tuple(kept),
        "examples": "examples" in pieces.blocks,
        "finish": pieces.finish,
        "observation_as": pieces.observation_as,
        "stop": _chosen(stops, pieces.stop),
    }
    return replace(start, **made)


def contract_code(contract: TextContract) -> str:
    """Return the call that makes a contract, with what differs from the defaults."""
    usual = type(contract)(contract.dialect, contract.language)
    given = [repr(contract.dialect)] if contract.dialect != "lines" else []
    given += [f"language={contract.language!r}"] if contract.language != "en" else []
    given += [
        f"{field.name}={_literal(getattr(contract, field.name))}"
        for field in fields(contract)
        if getattr(contract, field.name) != getattr(usual, field.name)
    ]
    return f"{type(contract).__name__}({', '.join(given)})"


def _toggled(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(n for n in names if n != name) if name in names else (*names, name)


def _on(contract: TextContract, name: str) -> bool:
    return name in contract.order and (name != "examples" or contract.examples)


def _order_in(blocks: tuple[str, ...]) -> str:
    first = next((name for name in blocks if name in ("tools", "format")), "tools")
    return ORDERS[first == "format"]


def _swapped(places: tuple[str, ...]) -> tuple[str, ...]:
    other = {"tools": "format", "format": "tools"}
    return tuple(other.get(name, name) for name in places)


def _stop_in(contract: TextContract) -> str:
    if contract.stop == tuple(contract.template["stop"]):
        return RIGHT
    return next((name for name, stop in STOPS.items() if stop == contract.stop), AS_GIVEN)


def _chosen(stops: dict[str, Any], name: str) -> Any:
    if name not in stops:
        raise UsageError(f"there is no stop {name!r}: choose from {', '.join(stops)}")
    return stops[name]


def _literal(value: Any) -> str:
    # A set has no order of its own, and a line of code should be the same each time.
    if isinstance(value, frozenset):
        return f"frozenset({sorted(value)!r})"
    return repr(value)
