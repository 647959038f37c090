"""The slips of a temper, and how a tool is chosen by its description."""

from __future__ import annotations

from dataclasses import replace

import pytest

from react_lab.agent import run_agent
from react_lab.contracts import NativeContract, TextContract
from react_lab.evals.tasks import TASKS
from react_lab.llm import SimulatedLLM
from react_lab.llm.simulated import TEMPERS, Temper
from react_lab.llm.simulated.choosing import candidates
from react_lab.llm.simulated.tool_list import SeenTool
from react_lab.records import Run
from react_lab.toolbox import demo_agent, demo_tools

WARMER = "How much warmer is Lisbon than Oslo today?"
SEEDS = range(12)


def first(slip: str, dialect: str = "lines", question: str = WARMER) -> Run:
    llm = SimulatedLLM(replace(TEMPERS["obedient"], **{slip: 1.0}))
    contract = TextContract(dialect)  # type: ignore[arg-type]
    return run_agent(demo_agent(llm=llm, contract=contract), question)


def outcome(run: Run, step: int = 0) -> str:
    parsed = run.steps[step].parsed
    return parsed.error.code if parsed.error else " ".join(repair.name for repair in parsed.repairs)


@pytest.mark.parametrize(
    ("slip", "seen"),
    [
        ("prose", "missing_action"),
        ("action_and_answer", "action_and_answer"),
        ("two_actions", "multiple_actions"),
        ("markdown", "label_form"),
        ("loose_json", "single_quotes trailing_comma"),
        ("action_none", "missing_action"),
        ("partial_stop", "dangling_stop"),
        ("thinking", "reasoning_block"),
        ("cut_off", "truncated"),
        ("unknown_tool", "unknown_tool"),
    ],
)
def test_each_slip_is_what_it_says(slip: str, seen: str) -> None:
    assert outcome(first(slip)) == seen


def test_a_wrapped_input_is_unwrapped() -> None:
    run = first("wrapper")
    assert 'Action Input: {"arguments": {"city": "Lisbon"}}' in run.steps[0].reply.text
    assert run.steps[0].action is not None
    assert run.steps[0].action.args == {"city": "Lisbon"}


def test_a_wrong_argument_is_told_by_the_tool() -> None:
    step = first("wrong_argument").steps[0]
    assert step.action is not None
    assert step.action.args == {"city_1": "Lisbon"}


def test_an_empty_answer_is_a_format_error() -> None:
    assert (
        outcome(first("empty_answer", question="What is the capital of France?")) == "empty_answer"
    )


def test_the_same_call_again() -> None:
    calls = [str(step.action) for step in first("same_call").steps]
    assert len(set(calls)) < len(calls)


@pytest.mark.parametrize("dialect", ["json", "xml"])
@pytest.mark.parametrize(
    "slip", ["prose", "action_and_answer", "cut_off", "unknown_tool", "two_actions"]
)
def test_slips_in_the_other_dialects_are_errors_too(slip: str, dialect: str) -> None:
    run = first(slip, dialect)
    assert run.steps[0].parsed.error is not None, run.steps[0].reply.text


def test_a_slip_is_corrected_at_the_next_step() -> None:
    run = first("prose")
    assert [bool(step.parsed.error) for step in run.steps[:2]] == [True, False]


@pytest.mark.parametrize("name", TEMPERS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_temper_ends_every_task_with_a_stop_reason(name: str, language: str) -> None:
    tasks = [task for task in TASKS if task.language == language][::4]
    contracts = [
        TextContract("lines", language),
        TextContract("json", language),
        TextContract("xml", language),
        NativeContract(language),
    ]  # type: ignore[arg-type]
    for number, task in enumerate(tasks):
        agent = demo_agent(
            language, llm=SimulatedLLM(name, seed=number), contract=contracts[number % 4]
        )
        assert run_agent(agent, task.question).stop_reason is not None


def test_sloppy_slips_and_still_mostly_gets_there() -> None:
    runs = [run_agent(demo_agent(llm=SimulatedLLM("sloppy", seed)), WARMER) for seed in range(20)]
    right = sum(run.answer == "Lisbon is 8 °C warmer than Oslo." for run in runs)
    assert right >= 15
    assert sum(len(run.steps) for run in runs) > 20 * 4


def test_two_tools_described_alike_are_confused() -> None:
    def wind(city: str) -> str:
        """Return the weather of one city: temperature, sky, rain and wind."""
        return f"{city}: wind from the north"

    def used(tools: object) -> set[str]:
        runs = [run_agent(demo_agent(llm=SimulatedLLM(seed=s), tools=tools), WARMER) for s in SEEDS]
        return {run.steps[0].action.tool for run in runs if run.steps[0].action}

    assert used(demo_tools()) == {"weather"}
    assert used(demo_tools().having(wind)) == {"weather", "wind"}
    bounded = (
        demo_tools()
        .having(wind)
        .described("wind", "Return the wind of one city. Do not use it for weather.")
    )
    assert used(bounded) == {"weather"}


def test_a_spoiled_description_is_often_not_trusted() -> None:
    spoiled = demo_tools().described("weather", "Does various things.")
    runs = [run_agent(demo_agent(llm=SimulatedLLM(seed=s), tools=spoiled), WARMER) for s in SEEDS]
    unanswered = [run for run in runs if run.answer and "I have no tool" in run.answer]
    assert 3 < len(unanswered) < len(runs)


def test_what_a_tool_is_not_for_does_not_count() -> None:
    tools = {
        "a": SeenTool("a", "Return prices of the shop. Not for weather."),
        "b": SeenTool("b", "Return the weather."),
    }
    assert [name for _, name in candidates(tools, "weather")] == ["b"]


def test_a_temper_prints_its_numbers() -> None:
    assert str(Temper()).splitlines()[1].split() == ["own_words", "0.7"]
