"""R18: plans, summaries, reviews, routing and confidence, in the form asked."""

from __future__ import annotations

import json

import pytest

from react_lab.agent import run_agent
from react_lab.context import Summarise
from react_lab.llm import SimulatedLLM
from react_lab.records import Message
from react_lab.toolbox import demo_agent

WARMER = "How much warmer is Lisbon than Oslo today?"
WARMER_ZH = "里斯本今天比奥斯陆高多少度？"


def say(*texts: str) -> str:
    roles = ("system", "user") if len(texts) == 2 else ("user",)
    messages = [Message(role, text) for role, text in zip(roles, texts, strict=True)]  # type: ignore[arg-type]
    return SimulatedLLM().complete(messages).text


PLAN = [
    "What is the temperature in Lisbon today?",
    "What is the temperature in Oslo today?",
    "Calculate (step 1) - (step 2)",
]


def test_r18_a_plan_is_numbered_lines_or_json_as_asked() -> None:
    numbered = say(f"Make a plan: one numbered step a line.\nQuestion: {WARMER}")
    assert numbered.splitlines() == [f"{n}. {line}" for n, line in enumerate(PLAN, 1)]
    assert json.loads(say("Write a plan as a JSON list of steps.", WARMER)) == PLAN


def test_r18_a_plan_in_chinese() -> None:
    text = say(f"请制定计划，每行一步。\n问题：{WARMER_ZH}")
    assert text.splitlines()[0] == "1. 里斯本今天的气温是多少？"
    assert text.splitlines()[2] == "3. 计算 （第1步） - （第2步）"


def test_r18_the_steps_of_a_plan_can_be_asked_and_their_results_used() -> None:
    done = [
        f"{n}. {step} {run_agent(demo_agent(), step).answer}" for n, step in enumerate(PLAN[:2], 1)
    ]
    last = run_agent(demo_agent(), "\n".join([PLAN[2], *done]))
    assert [step.action.tool for step in last.steps[:-1] if step.action] == ["calculator"]
    assert last.answer == "8"


def test_r18_known_results_are_not_looked_up_again() -> None:
    known = "\n- What is the temperature in Lisbon today? 30 °C"
    run = run_agent(demo_agent(), WARMER + known)
    assert [str(step.action) for step in run.steps[:-1]] == [
        "weather({'city': 'Oslo'})",
        "calculator({'expression': '30 - 14.5'})",
    ]


def test_r18_a_note_of_the_same_question_is_believed_even_when_stale() -> None:
    run = run_agent(
        demo_agent(), "What does an umbrella cost?\nNotes:\n- What does an umbrella cost? 12 EUR"
    )
    assert (run.answer, len(run.steps)) == ("12 EUR", 1)


def test_r18_a_summary_keeps_the_results_and_can_be_read_again() -> None:
    agent = demo_agent(context=Summarise(SimulatedLLM(), n=1, block=2))
    run = run_agent(agent, "What is the average temperature in Lisbon, Oslo and Porto?")
    summary = run.steps[-1].messages[2].content
    assert 'weather({"city": "Lisbon"}) gave Lisbon, Monday 2026-06-15: 22.5 °C' in summary
    assert run.answer == run_agent(demo_agent(), run.question).answer
    assert len(run.steps) == 5


def test_r18_a_summary_in_chinese() -> None:
    agent = demo_agent("zh", context=Summarise(SimulatedLLM(), n=1, block=2, language="zh"))
    run = run_agent(agent, "里斯本、奥斯陆和波尔图今天的平均气温是多少？")
    assert 'weather({"city": "里斯本"}) 得到 里斯本' in run.steps[-1].messages[2].content
    assert len(run.steps) == 5


REVIEW = "Check the answer against the Observations. Reply with {words} and one reason.\nQuestion: q\nObservation: Lisbon: 22.5 °C\nAnswer: {answer}"


@pytest.mark.parametrize(
    ("words", "answer", "verdict"),
    [
        ("OK or REVISE", "22.5 °C", "OK"),
        ("OK or REVISE", "31 °C", "REVISE: no Observation says 31."),
        ("yes or no", "22.5 °C", "yes"),
        ("yes or no", "31 °C", "no: no Observation says 31."),
    ],
)
def test_r18_a_review_compares_the_numbers(words: str, answer: str, verdict: str) -> None:
    assert say(REVIEW.format(words=words, answer=answer)) == verdict


@pytest.mark.parametrize(
    ("scale", "sure", "unsure"),
    [
        ("a number from 0 to 1", "0.95", "0.20"),
        ("a number from 0 to 100", "95", "20"),
        ("low, medium or high", "high", "low"),
    ],
)
def test_r18_confidence_on_the_scale_asked_for(scale: str, sure: str, unsure: str) -> None:
    prompt = f"How sure are you that you can answer without looking anything up? Write {scale}."
    assert say(prompt, "What is the capital of France?") == sure
    assert say(prompt, WARMER) == unsure


def test_r18_confidence_in_chinese() -> None:
    assert say("你有多大把握？请写 0 到 100 的数字。", WARMER_ZH) == "20"


@pytest.mark.parametrize(
    ("prompt", "direct", "tools"),
    [
        ("Can you answer without tools? Reply with DIRECT or TOOLS.", "DIRECT", "TOOLS"),
        ("Do you need a tool for this question? Reply with yes or no.", "no", "yes"),
    ],
)
def test_r18_routing(prompt: str, direct: str, tools: str) -> None:
    assert say(prompt, "What is the capital of France?") == direct
    assert say(prompt, WARMER) == tools


def test_r18_the_last_call_gives_the_best_answer_so_far() -> None:
    from react_lab.agent import generate
    from react_lab.guards import StepLimit

    run = run_agent(demo_agent(guards=(StepLimit(1),), at_limit=generate), WARMER)
    assert run.stop_reason == "max_steps"
    assert (
        run.answer
        == "I could not find the whole answer. I know so far: Lisbon, Monday 2026-06-15: 22.5 °C, overcast, no rain."
    )
