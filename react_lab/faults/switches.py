"""Make switches: functions from an agent to one that differs in a single part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..agent import Agent
from ..contracts import NativeContract, TextContract
from ..guards import Guard, StepLimit
from ..tools import Tool, Toolbox
from .layers import change_innermost, with_layer, without_layer
from .rewriting import Rewrite, rewriting

Switch = Callable[[Agent], Agent]


def contract(**changes: Any) -> Switch:
    """Change fields of a text or native contract."""

    def change(contract: Any) -> Any:
        known = isinstance(contract, TextContract | NativeContract)
        return replace(contract, **changes) if known else contract

    return lambda agent: replace(agent, contract=change_innermost(agent.contract, change))


def repairs(*, on: bool, names: frozenset[str]) -> Switch:
    """Switch repairs of the parser on or off by name."""

    def change(contract: Any) -> Any:
        if not isinstance(contract, TextContract):
            return contract
        off = contract.repairs_off - names if on else contract.repairs_off | names
        return replace(contract, repairs_off=off)

    return lambda agent: replace(agent, contract=change_innermost(agent.contract, change))


def rule(name: str, *, on: bool) -> Switch:
    """Put a behaviour rule into the prompt, or take it out."""

    def change(contract: Any) -> Any:
        if not isinstance(contract, TextContract | NativeContract):
            return contract
        rules = tuple(rule for rule in contract.rules if rule != name)
        return replace(contract, rules=(*rules, name) if on else rules)

    return lambda agent: replace(agent, contract=change_innermost(agent.contract, change))


def layer(part: str, layer: type, *, on: bool) -> Switch:
    """Put a layer around a part of the agent, or take it away."""

    def switch(agent: Agent) -> Agent:
        old = getattr(agent, part)
        return replace(agent, **{part: with_layer(old, layer) if on else without_layer(old, layer)})

    return switch


def guard(kind: type, make: Callable[[Agent], Guard] | None) -> Switch:
    """Add a guard where there is none of its kind; `make=None` takes all of its kind away."""

    def switch(agent: Agent) -> Agent:
        guards = tuple(guard for guard in agent.guards or () if not isinstance(guard, kind))
        return replace(agent, guards=(*guards, make(agent)) if make else guards)

    def unless_there(agent: Agent) -> Agent:
        there = any(isinstance(guard, kind) for guard in agent.guards or ())
        return agent if there and make else switch(agent)

    return unless_there


def tools(change: Callable[[Tool], dict[str, Any]]) -> Switch:
    """Change fields of every tool."""

    def switch(agent: Agent) -> Agent:
        assert isinstance(agent.tools, Toolbox)
        changed = [replace(tool, **change(tool)) for tool in agent.tools.values()]
        return replace(agent, tools=agent.tools.having(*changed))

    return switch


def rewrite(name: str, rewrite: Rewrite | None) -> Switch:
    """Set a rewrite of observations by name; None takes it away."""

    def switch(agent: Agent) -> Agent:
        assert isinstance(agent.tools, Toolbox)
        return replace(agent, tools=rewriting(agent.tools, name, rewrite))

    return switch


def last_turn(at_limit: Callable[[Agent, Any], Any]) -> Switch:
    """Say what happens at a limit."""
    return lambda agent: replace(agent, at_limit=at_limit)


def step_limit(limit: int) -> Switch:
    """Put another step limit in the place of the old one."""

    def switch(agent: Agent) -> Agent:
        guards = tuple(guard for guard in agent.guards or () if not isinstance(guard, StepLimit))
        return replace(agent, guards=(StepLimit(limit), *guards))

    return switch
