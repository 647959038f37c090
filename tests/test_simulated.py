"""The simulated model: what it reads, what it plans, and that it is the same everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any, Literal

import pytest

from react_lab.agent import run_agent
from react_lab.contracts import TextContract
from react_lab.errors import UsageError
from react_lab.evals.generated import generate_tasks
from react_lab.evals.tasks import TASKS, Task, check_answer
from react_lab.llm import TEMPERS, SimulatedLLM, Temper
from react_lab.records import Message, Run
from react_lab.toolbox import demo_agent, demo_tools
from react_lab.tools import Toolbox

WARMER = "How much warmer is Lisbon than Oslo today?"


def ask(question: str, language: str = "en", **parts: object) -> Run:
    contract = TextContract(language=language)  # type: ignore[arg-type]
    return run_agent(demo_agent(language, **({"contract": contract} | parts)), question)


@pytest.mark.parametrize("dialect", ["lines", "json", "xml"])
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_passes_every_task_with_the_least_steps(task: Task, dialect: str) -> None:
    contract = TextContract(dialect, task.language)  # type: ignore[arg-type]
    run = ask(task.question, task.language, contract=contract)
    assert run.stop_reason == "final_answer"
    assert check_answer(task, run.answer), run
    assert len(run.steps) == task.least_steps
    assert not [repair for step in run.steps for repair in step.parsed.repairs]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_passes_generated_tasks(language: Literal["en", "zh"]) -> None:
    for task in generate_tasks(60, seed=5, language=language):
        run = ask(task.question, language)
        assert check_answer(task, run.answer), run
        assert len(run.steps) == task.least_steps


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the temperature in Lisbon tomorrow minus the one in Oslo?", "13 °C"),
        ("What do 3 umbrellas and 2 lamps cost?", "93.7 EUR"),
        ("How much is three umbrellas and a lamp?", "69.2 EUR"),
        ("What is twelve times thirty-four?", "408"),
        ("What is 15% of the price of a lamp?", "3.675 EUR"),
        ("Which is cheaper, a lamp or an umbrella?", "the umbrella (14.90 EUR)"),
        ("How many umbrellas can I buy for 100 EUR?", "6"),
        ("How much colder is Oslo than Lisbon?", "Oslo is 8 °C colder than Lisbon."),
        ("How much colder is Lisbon than Oslo?", "Lisbon is 8 °C warmer than Oslo."),
        ("What is the average temperature in Lisbon and Oslo?", "18.5 °C"),
        ("Is it warmer in Oslo than in Lisbon?", "No: Oslo has 14.5 °C, Lisbon 22.5 °C."),
        ("How many lamps are in stock?", "12 in stock"),
        ("Who is the treasurer?", "Tomasz Ibarra"),
        ("When does the last bus back leave?", "18:45"),
        ("What does the handbook say about dogs?", "Dogs are welcome on a lead."),
    ],
)
def test_free_questions(question: str, answer: str) -> None:
    assert ask(question).answer == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("里斯本明天的气温减去奥斯陆的气温是多少？", "13 °C"),
        ("3把雨伞和2盏台灯一共多少钱？", "93.7 EUR"),
        ("三百二十加五等于多少？", "325"),
        ("台灯和雨伞哪个更便宜？", "雨伞（14.90 EUR）"),
        ("里斯本和奥斯陆哪个更冷？", "奥斯陆（14.5 °C）"),
        ("台灯的库存有多少？", "12 件"),
        ("司库是谁？", "托马什·伊瓦拉"),
        ("根据手册，会费一年多少钱？", "48"),
    ],
)
def test_free_questions_in_chinese(question: str, answer: str) -> None:
    assert ask(question, "zh").answer == answer


def test_outside_its_script_it_says_so_in_the_right_format() -> None:
    run = ask("Write a sonnet about parsers.")
    assert run.stop_reason == "final_answer"
    assert run.answer is not None
    assert "outside the script of the simulated model" in run.answer
    assert "weather" in run.answer


def test_a_removed_tool_is_not_used() -> None:
    run = ask(WARMER, tools=demo_tools().without("weather"))
    assert run.answer == "I cannot answer this: I have no tool for the temperature in Lisbon."
    assert len(run.steps) == 1


def test_a_misspelt_city_is_corrected_when_the_error_names_a_better_one() -> None:
    run = ask("What is the temperature in Lisbonn today?")
    assert [step.action.args for step in run.steps[:2] if step.action] == [
        {"city": "Lisbonn"},
        {"city": "Lisbon"},
    ]
    assert run.answer == "22.5 °C"


def test_unlisted_parameter_names_are_guessed() -> None:
    prompt = "Tools:\n- weather: weather of a city\n- calculator: arithmetic\n\nAction: ...\nAction Input: JSON\n\n"
    llm = SimulatedLLM(Temper(memory_answer=0.0))
    for question, line in (
        ("How warm is it in Oslo?", 'Action Input: {"city_name": "Oslo"}'),
        ("What is 17 * 23?", 'Action Input: {"expr": "17 * 23"}'),
    ):
        reply = llm.complete(
            [Message("user", f"{prompt}Question: {question}")], stop=("\nObservation",)
        )
        assert line in reply.text


def test_types_follow_the_description() -> None:
    def add(a: float, b: float) -> float:
        """Add two numbers: the sum of a and b."""
        return a + b

    run = ask("What is 2.5 + 4?", tools=Toolbox([add]))
    assert run.steps[0].action is not None
    assert run.steps[0].action.args == {"a": 2.5, "b": 4.0}
    untyped = "Tools:\n- add(a, b): add two numbers\n\nAction: ...\nAction Input: JSON\nQuestion: What is 2.5 + 4?"
    text = SimulatedLLM(Temper(memory_answer=0.0)).complete([Message("user", untyped)]).text
    assert '{"a": "2.5", "b": "4"}' in text


def test_without_a_format_it_writes_prose() -> None:
    prompt = "You have these tools: weather, calculator.\nQuestion: How warm is it in Oslo?"
    text = SimulatedLLM(Temper(memory_answer=0.0)).complete([Message("user", prompt)]).text
    assert text == "I would look up Oslo with the weather tool and then answer."


def test_without_tools_it_answers_from_memory_and_wrongly() -> None:
    text = SimulatedLLM().complete([Message("user", "What is 17 * 23?")]).text
    assert "by heart" in text
    assert "391" not in text


def test_same_prompt_and_seed_same_reply_in_any_process() -> None:
    code = (
        "from react_lab import run_agent, SimulatedLLM\n"
        "from react_lab.toolbox import demo_agent\n"
        f"print(run_agent(demo_agent(llm=SimulatedLLM('sloppy', seed=7)), {WARMER!r}))"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env={
            "PYTHONHASHSEED": "4",
            "PYTHONIOENCODING": "utf-8",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    here = str(ask(WARMER, llm=SimulatedLLM("sloppy", seed=7)))
    assert elsewhere.stdout.decode().replace("\r\n", "\n") == here + "\n"


def test_it_keeps_no_state() -> None:
    llm, run = SimulatedLLM("sloppy", seed=3), ask(WARMER)
    prompt = run.steps[1].messages
    first = llm.complete(prompt)
    llm.complete([Message("user", "Question: What is 2 + 2?")])
    assert llm.complete(prompt) == first
    assert llm.complete(list(prompt)) == first


def test_seeds_differ() -> None:
    texts = {str(ask(WARMER, llm=SimulatedLLM("sloppy", seed))) for seed in range(6)}
    assert len(texts) > 2


def test_repr_and_description() -> None:
    assert repr(SimulatedLLM()) == "SimulatedLLM('obedient', seed=0)"
    described = SimulatedLLM("forgetful", seed=2).describe()
    assert "window 700" in described
    assert all(f"R{n} " in described for n in range(1, 19))


def test_tempers_are_plain_numbers_that_can_be_changed() -> None:
    assert set(TEMPERS) == {"obedient", "sloppy", "stubborn", "forgetful", "gullible"}
    changed = replace(TEMPERS["sloppy"], name="mine", prose=1.0)
    assert SimulatedLLM(changed).temper.prose == 1.0
    assert "prose 0.06" in str(TEMPERS["sloppy"])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SimulatedLLM("grumpy"), "grumpy"),
        (lambda: Temper(prose=1.5), "prose"),
        (lambda: Temper(window=3), "window"),
    ],
)
def test_wrong_settings_say_what_is_wrong(make: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make()  # type: ignore[operator]


def function_calls(messages: list[Message]) -> int:
    """Count the Python functions that one reply calls, once the caches are warm."""
    llm, counted = SimulatedLLM(), 0

    def count(frame: Any, event: str, arg: Any) -> None:
        nonlocal counted
        counted += event == "call"

    llm.complete(messages)
    sys.setprofile(count)
    try:
        llm.complete(messages)
    finally:
        sys.setprofile(None)
    return counted


def test_a_reply_is_cheap_and_its_cost_grows_linearly() -> None:
    contract = TextContract()
    opening = list(contract.opening("What is the temperature in Cairo today?", demo_tools()))
    said = 'Thought: x\nAction: weather\nAction Input: {"city": "Oslo"}'
    round_ = [Message("assistant", said), Message("user", "Observation: Oslo: 14 °C")]
    few, many = function_calls(opening + round_ * 10), function_calls(opening + round_ * 100)
    assert function_calls(opening) < 600
    assert many < 15 * few


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [Message("user", "")],
        [Message("system", "x" * 50_000)],
        [Message("user", "Question: " + "(" * 3_000 + "2 + " * 3_000)],
        [Message("assistant", "Thought: " * 2_000)],
        [Message("user", "Observation: \x00\ud800 {{{")],
        [Message("tool", "14", (), "call_9")],
    ],
)
def test_whatever_it_is_sent_it_replies(messages: list[Message]) -> None:
    assert isinstance(SimulatedLLM("sloppy").complete(messages).text, str)
