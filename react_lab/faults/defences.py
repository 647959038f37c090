"""Defences as named switches on an agent (notebook 07).

Each is one part of the loop's surroundings; switching it changes a part of the agent and
leaves the loop alone. `answers` names the faults that get visibly worse without it.

>>> from react_lab.agent import Agent
>>> from react_lab.llm import ScriptedLLM
>>> agent = without_defence(Agent(ScriptedLLM([])), "repeat_guard")
>>> [type(guard).__name__ for guard in agent.guards]
['StepLimit', 'FormatErrorLimit']
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from ..agent import Agent, force, generate
from ..contracts import NativeContract, TextContract
from ..errors import UsageError
from ..guards import FormatErrorLimit, Guard, PrematureFinish, RepeatLimit, StepLimit, TokenBudget
from ..tools import Tool, Toolbox
from . import layers
from .layers import change_innermost, rewriting, with_layer, without_layer

Switch = Callable[[Agent], Agent]
#: Seconds after which a tool call is given up; the kit's tools need a thousandth of it.
DEADLINE = 0.1
#: Tokens after which a run is ended.
BUDGET = 20_000
#: The parser's repairs of an input whose form is loose and whose meaning is not.
LOOSE_FORM = frozenset(
    "single_quotes curly_quotes trailing_comma python_literals bare_keys comments raw_newline "
    "bad_escapes loose_numbers full_width_punctuation code_fence parentheses lead_in "
    "escaped_quotes doubled_braces double_encoded one_element_list wrapper_key".split()
)
#: The repairs that take a model's reasoning out before anything is read.
REASONING = frozenset({"reasoning_block", "channels"})
_FAR = 40


@dataclass(frozen=True)
class Defence:
    """Hold a defence: its name, what it does, which faults it answers, and its switches.

    `behind` names defences that stand in front of it: what it does shows only without them.
    """

    name: str
    explanation: str
    answers: tuple[str, ...]
    on: Switch = field(repr=False, compare=False)
    off: Switch = field(repr=False, compare=False)
    behind: tuple[str, ...] = ()


def without_defence(agent: Agent, *names: str) -> Agent:
    """Return an agent with these defences switched off."""
    for name in names:
        agent = find_defence(name).off(agent)
    return agent


def with_defence(agent: Agent, *names: str) -> Agent:
    """Return an agent with these defences switched on."""
    for name in names:
        agent = find_defence(name).on(agent)
    return agent


def with_all_defences(agent: Agent) -> Agent:
    """Return an agent with every defence switched on."""
    return with_defence(agent, *DEFENCES)


def with_defences(agent: Agent, names: Iterable[str]) -> Agent:
    """Return an agent with exactly these defences on."""
    wanted = {find_defence(name).name for name in names}
    for name, defence in DEFENCES.items():
        agent = defence.on(agent) if name in wanted else defence.off(agent)
    return agent


def find_defence(name: str) -> Defence:
    """Return a defence by name; raise UsageError for another word."""
    if name in DEFENCES:
        return DEFENCES[name]
    close = ", ".join(difflib.get_close_matches(str(name), DEFENCES, 3)) or ", ".join(DEFENCES)
    raise UsageError(f"there is no defence {name!r}: try {close}")


def _contract(**changes: Any) -> Switch:
    def change(contract: Any) -> Any:
        known = isinstance(contract, TextContract | NativeContract)
        return replace(contract, **changes) if known else contract

    return lambda agent: replace(agent, contract=change_innermost(agent.contract, change))


def _repairs(*, on: bool, names: frozenset[str]) -> Switch:
    def change(contract: Any) -> Any:
        if not isinstance(contract, TextContract):
            return contract
        off = contract.repairs_off - names if on else contract.repairs_off | names
        return replace(contract, repairs_off=off)

    return lambda agent: replace(agent, contract=change_innermost(agent.contract, change))


def _rule(name: str, *, on: bool) -> Switch:
    def change(contract: Any) -> Any:
        if not isinstance(contract, TextContract | NativeContract):
            return contract
        rules = tuple(rule for rule in contract.rules if rule != name)
        return replace(contract, rules=(*rules, name) if on else rules)

    return lambda agent: replace(agent, contract=change_innermost(agent.contract, change))


def _layer(part: str, layer: type, *, on: bool) -> Switch:
    def switch(agent: Agent) -> Agent:
        old = getattr(agent, part)
        return replace(agent, **{part: with_layer(old, layer) if on else without_layer(old, layer)})

    return switch


def _guard(kind: type, make: Callable[[Agent], Guard] | None) -> Switch:
    def switch(agent: Agent) -> Agent:
        guards = tuple(guard for guard in agent.guards or () if not isinstance(guard, kind))
        return replace(agent, guards=(*guards, make(agent)) if make else guards)

    def unless_there(agent: Agent) -> Agent:
        there = any(isinstance(guard, kind) for guard in agent.guards or ())
        return agent if there and make else switch(agent)

    return unless_there


def _tools(change: Callable[[Tool], dict[str, Any]]) -> Switch:
    def switch(agent: Agent) -> Agent:
        assert isinstance(agent.tools, Toolbox)
        changed = [replace(tool, **change(tool)) for tool in agent.tools.values()]
        return replace(agent, tools=agent.tools.having(*changed))

    return switch


def _rewrite(name: str, rewrite: layers.Rewrite | None) -> Switch:
    def switch(agent: Agent) -> Agent:
        assert isinstance(agent.tools, Toolbox)
        return replace(agent, tools=rewriting(agent.tools, name, rewrite))

    return switch


def _last_turn(at_limit: Callable[[Agent, Any], Any]) -> Switch:
    return lambda agent: replace(agent, at_limit=at_limit)


def _step_limit(limit: int) -> Switch:
    def switch(agent: Agent) -> Agent:
        guards = tuple(guard for guard in agent.guards or () if not isinstance(guard, StepLimit))
        return replace(agent, guards=(StepLimit(limit), *guards))

    return switch


def _defence(
    name: str, answers: str, explanation: str, on: Switch, off: Switch, behind: str = ""
) -> Defence:
    return Defence(name, explanation, tuple(answers.split()), on, off, tuple(behind.split()))


_ALL = (
    _defence(
        "tolerant_repairs",
        "F5 F6",
        "Slips of form with one possible reading are repaired by named rules.",
        _repairs(on=True, names=LOOSE_FORM),
        _repairs(on=False, names=LOOSE_FORM),
    ),
    _defence(
        "reasoning_dropped",
        "F9",
        "What the model thinks between reasoning tags is taken out before anything is read.",
        _repairs(on=True, names=REASONING),
        _repairs(on=False, names=REASONING),
    ),
    _defence(
        "careful_reading",
        "F2 F3 F9 B1",
        "A parser that refuses what is ambiguous, in place of two regular expressions.",
        _layer("contract", layers.NaiveReading, on=False),
        _layer("contract", layers.NaiveReading, on=True),
        behind="premature_finish_guard",
    ),
    _defence(
        "client_side_cut",
        "B1",
        "A reply ends for us at the first Observation that the model writes itself.",
        _layer("contract", layers.NoCut, on=False),
        _layer("contract", layers.NoCut, on=True),
    ),
    _defence(
        "stop_sequence",
        "",
        "The server is asked to stop before an Observation.",
        _contract(stop=None),
        _contract(stop=()),
        behind="premature_finish_guard careful_reading",
    ),
    _defence(
        "exact_format_errors",
        "F1 F2 F7 B8",
        "A format error names the rule that was broken and shows the form.",
        _layer("contract", layers.VagueErrors, on=False),
        _layer("contract", layers.VagueErrors, on=True),
    ),
    _defence(
        "format_error_limit",
        "F10",
        "Three format errors in a row end the run.",
        _guard(FormatErrorLimit, lambda agent: FormatErrorLimit(3)),
        _guard(FormatErrorLimit, None),
    ),
    _defence(
        "repeat_guard",
        "B5 B6 C2",
        "The second identical call gets a reminder, the third ends the run.",
        _guard(RepeatLimit, lambda agent: RepeatLimit(3, language=agent.contract.language)),
        _guard(RepeatLimit, None),
    ),
    _defence(
        "premature_finish_guard",
        "B7",
        "An answer before any tool result is sent back once.",
        _guard(PrematureFinish, lambda agent: PrematureFinish(language=agent.contract.language)),
        _guard(PrematureFinish, None),
    ),
    _defence(
        "step_limit",
        "B9",
        f"Eight steps at most; off means {_FAR}.",
        _step_limit(8),
        _step_limit(_FAR),
    ),
    _defence(
        "forced_last_turn",
        "B9",
        "At a limit one last call asks for the best answer so far.",
        _last_turn(generate),
        _last_turn(force),
    ),
    _defence(
        "token_budget",
        "B9",
        f"{BUDGET:,} tokens at most.",
        _guard(TokenBudget, lambda agent: TokenBudget(BUDGET)),
        _guard(TokenBudget, None),
        behind="step_limit",
    ),
    _defence(
        "finish_reason_check",
        "T9",
        "A reply that was cut or withheld is never read as a whole one.",
        _layer("llm", layers.HideFinishReason, on=False),
        _layer("llm", layers.HideFinishReason, on=True),
    ),
    _defence(
        "llm_retry",
        "T1 T2 T3 T5 T6 T7",
        "A call that failed in passing is made once more.",
        _layer("llm", layers.RetryOnce, on=True),
        _layer("llm", layers.RetryOnce, on=False),
    ),
    _defence(
        "stop_fallback",
        "B2",
        "Where the endpoint refuses stop sequences we do without and cut the reply ourselves.",
        _layer("llm", layers.DropStop, on=True),
        _layer("llm", layers.DropStop, on=False),
    ),
    _defence(
        "argument_messages",
        "B4",
        "A wrong call is told which parameter, what was expected and what came.",
        _rewrite("argument_messages", None),
        _rewrite("argument_messages", layers.vague_arguments),
    ),
    _defence(
        "tool_retries",
        "O3",
        "A tool that fails in passing is tried up to three times inside the call.",
        _tools(lambda tool: {"tries": max(3, tool.tries)}),
        _tools(lambda tool: {"tries": 1}),
    ),
    _defence(
        "tool_deadline",
        "O2",
        f"A tool call is given up after {DEADLINE:g} seconds.",
        _tools(lambda tool: {"timeout": DEADLINE}),
        _tools(lambda tool: {"timeout": None}),
    ),
    _defence(
        "one_line_observations",
        "O6",
        "An Observation is one line, so its text cannot pass for a label.",
        _rewrite("one_line_observations", None),
        _rewrite("one_line_observations", layers.raw_lines),
    ),
    _defence(
        "output_limit",
        "O4",
        "A long Observation is cut in the middle, with a count of what is missing.",
        _rewrite("output_limit", None),
        _rewrite("output_limit", layers.uncut),
    ),
    _defence(
        "empty_hint",
        "O5",
        "An empty result says so and suggests another way.",
        _rewrite("empty_hint", None),
        _rewrite("empty_hint", layers.no_hint),
    ),
    _defence(
        "data_marking",
        "O7",
        "A rule says that an Observation is data and holds no orders.",
        _rule("observations_are_data", on=True),
        _rule("observations_are_data", on=False),
    ),
    _defence(
        "window_fit",
        "C1",
        "Past steps are shortened, visibly, until the prompt fits.",
        _layer("context", layers.FitWindow, on=True),
        _layer("context", layers.FitWindow, on=False),
    ),
)
#: Every defence by name, in the order of the loop: reading, guards, model, tools, context.
DEFENCES: Mapping[str, Defence] = MappingProxyType({defence.name: defence for defence in _ALL})
