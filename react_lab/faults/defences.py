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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..agent import Agent, force, generate
from ..errors import UsageError
from ..guards import FormatErrorLimit, PrematureFinish, RepeatLimit, TokenBudget
from . import layers, rewriting, switches
from .switches import Switch

#: Seconds after which a tool call is given up; the kit's tools need a thousandth of one.
DEADLINE = 5.0
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


def _defence(
    name: str, answers: str, explanation: str, on: Switch, off: Switch, behind: str = ""
) -> Defence:
    return Defence(name, explanation, tuple(answers.split()), on, off, tuple(behind.split()))


_ALL = (
    _defence(
        "tolerant_repairs",
        "F5 F6",
        "Slips of form with one possible reading are repaired by named rules.",
        switches.repairs(on=True, names=LOOSE_FORM),
        switches.repairs(on=False, names=LOOSE_FORM),
    ),
    _defence(
        "reasoning_dropped",
        "F9",
        "What the model thinks between reasoning tags is taken out before anything is read.",
        switches.repairs(on=True, names=REASONING),
        switches.repairs(on=False, names=REASONING),
    ),
    _defence(
        "careful_reading",
        "F2 F3 F9 B1",
        "A parser that refuses what is ambiguous, in place of two regular expressions.",
        switches.layer("contract", layers.NaiveReading, on=False),
        switches.layer("contract", layers.NaiveReading, on=True),
        behind="premature_finish_guard",
    ),
    _defence(
        "client_side_cut",
        "B1",
        "A reply ends for us at the first Observation that the model writes itself.",
        switches.layer("contract", layers.NoCut, on=False),
        switches.layer("contract", layers.NoCut, on=True),
    ),
    _defence(
        "stop_sequence",
        "",
        "The server is asked to stop before an Observation.",
        switches.contract(stop=None),
        switches.contract(stop=()),
        behind="premature_finish_guard careful_reading",
    ),
    _defence(
        "exact_format_errors",
        "F1 F2 F7 B8",
        "A format error names the rule that was broken and shows the form.",
        switches.layer("contract", layers.VagueErrors, on=False),
        switches.layer("contract", layers.VagueErrors, on=True),
    ),
    _defence(
        "format_error_limit",
        "F10",
        "Three format errors in a row end the run.",
        switches.guard(FormatErrorLimit, lambda agent: FormatErrorLimit(3)),
        switches.guard(FormatErrorLimit, None),
    ),
    _defence(
        "repeat_guard",
        "B5 B6 C2",
        "The second identical call gets a reminder, the third ends the run.",
        switches.guard(RepeatLimit, lambda agent: RepeatLimit(3, language=agent.contract.language)),
        switches.guard(RepeatLimit, None),
    ),
    _defence(
        "premature_finish_guard",
        "B7",
        "An answer before any tool result is sent back once.",
        switches.guard(
            PrematureFinish, lambda agent: PrematureFinish(language=agent.contract.language)
        ),
        switches.guard(PrematureFinish, None),
    ),
    _defence(
        "step_limit",
        "B9",
        f"Eight steps at most; off means {_FAR}.",
        switches.step_limit(8),
        switches.step_limit(_FAR),
    ),
    _defence(
        "forced_last_turn",
        "B9",
        "At a limit one last call asks for the best answer so far.",
        switches.last_turn(generate),
        switches.last_turn(force),
    ),
    _defence(
        "token_budget",
        "B9",
        f"{BUDGET:,} tokens at most.",
        switches.guard(TokenBudget, lambda agent: TokenBudget(BUDGET)),
        switches.guard(TokenBudget, None),
        behind="step_limit",
    ),
    _defence(
        "finish_reason_check",
        "T9",
        "A reply that was cut or withheld is never read as a whole one.",
        switches.layer("llm", layers.HideFinishReason, on=False),
        switches.layer("llm", layers.HideFinishReason, on=True),
    ),
    _defence(
        "llm_retry",
        "T1 T2 T3 T5 T6 T7",
        "A call that failed in passing is made once more.",
        switches.layer("llm", layers.RetryOnce, on=True),
        switches.layer("llm", layers.RetryOnce, on=False),
    ),
    _defence(
        "stop_fallback",
        "B2",
        "Where the endpoint refuses stop sequences we do without and cut the reply ourselves.",
        switches.layer("llm", layers.DropStop, on=True),
        switches.layer("llm", layers.DropStop, on=False),
    ),
    _defence(
        "argument_messages",
        "B4",
        "A wrong call is told which parameter, what was expected and what came.",
        switches.rewrite("argument_messages", None),
        switches.rewrite("argument_messages", rewriting.vague_arguments),
    ),
    _defence(
        "tool_retries",
        "O3",
        "A tool that fails in passing is tried up to three times inside the call.",
        switches.tools(lambda tool: {"tries": max(3, tool.tries)}),
        switches.tools(lambda tool: {"tries": 1}),
    ),
    _defence(
        "tool_deadline",
        "O2",
        f"A tool call is given up after {DEADLINE:g} seconds.",
        switches.tools(lambda tool: {"timeout": DEADLINE}),
        switches.tools(lambda tool: {"timeout": None}),
    ),
    _defence(
        "one_line_observations",
        "O6",
        "An Observation is one line, so its text cannot pass for a label.",
        switches.rewrite("one_line_observations", None),
        switches.rewrite("one_line_observations", rewriting.raw_lines),
    ),
    _defence(
        "output_limit",
        "O4",
        "A long Observation is cut in the middle, with a count of what is missing.",
        switches.rewrite("output_limit", None),
        switches.rewrite("output_limit", rewriting.uncut),
    ),
    _defence(
        "empty_hint",
        "O5",
        "An empty result says so and suggests another way.",
        switches.rewrite("empty_hint", None),
        switches.rewrite("empty_hint", rewriting.no_hint),
    ),
    _defence(
        "data_marking",
        "O7",
        "A rule says that an Observation is data and holds no orders.",
        switches.rule("observations_are_data", on=True),
        switches.rule("observations_are_data", on=False),
    ),
    _defence(
        "window_fit",
        "C1",
        "Past steps are shortened, visibly, until the prompt fits.",
        switches.layer("context", layers.FitWindow, on=True),
        switches.layer("context", layers.FitWindow, on=False),
    ),
)
#: Every defence by name, in the order of the loop: reading, guards, model, tools, context.
DEFENCES: Mapping[str, Defence] = MappingProxyType({defence.name: defence for defence in _ALL})
