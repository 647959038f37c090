"""Prompts that learners write themselves: one growing string, tools in plain lines."""

from __future__ import annotations

import re

import pytest

from react_lab.llm import SimulatedLLM
from react_lab.records import Message

TODAY = {"Lisbon": 24, "Oslo": 13, "里斯本": 24, "奥斯陆": 13}
TOOLS = {
    "weather": lambda city: f"{city} 2026-06-15: {TODAY[city]} °C",
    "subtract": lambda text: str(int(text.split("-")[0]) - int(text.split("-")[1])),
}
CALL = re.compile(
    r"^(?:Action|行动)(?: \d+)?[:：] ?(\w+)(?:\[(.*)\])?(?:\n(?:Action Input|行动输入)[:：] ?(.*))?$",
    re.M,
)
LINES = """Answer the question with the help of these tools. Answer as soon as you can.
weather: returns today's temperature of a city. Input: a city.
subtract: subtracts two numbers. Input: such as 30 - 12.

Write:
Thought: what you know and what you need
Action: the name of a tool
Action Input: its input
or, when you know the answer:
Thought: why you are sure
Final Answer: the answer
"""
PAPER = """Solve a question with interleaving Thought, Action, Observation steps. Use a tool first, and
answer as soon as you can. Action can be three types:
(1) weather[city], which returns the weather of a city
(2) subtract[a - b], which subtracts two numbers
(3) Finish[answer], which returns the answer and ends the task.
"""
CHINESE = """请借助这些工具回答问题，知道答案后立即回答。
weather: 查询城市今天的气温。输入：城市名。
subtract: 两个数相减，做计算。输入：如 30 - 12。

格式：
思考：你知道什么
行动：工具名
行动输入：输入
或者：
最终答案：答案
"""
ENGLISH_QUESTION = "How much warmer is Lisbon than Oslo today?"


def loop(rules: str, question: str, lead: str = "") -> list[str]:
    pad, replies = f"\n{question}\n", list[str]()
    for number in range(1, 9):
        prefix = lead.format(number)
        prompt = [Message("user", rules + pad + prefix)]
        replies.append(SimulatedLLM().complete(prompt, stop=("\nObservation",)).text)
        pad += f"{prefix}{replies[-1]}\n"
        call = CALL.search(prefix + replies[-1])
        if call is None or call[1] == "Finish":
            break
        pad += f"Observation{' ' + str(number) if lead else ''}: {TOOLS[call[1]](call[2] or call[3])}\n"
    return replies


@pytest.mark.parametrize(
    ("rules", "question", "lead", "second", "last"),
    [
        (LINES, f"Question: {ENGLISH_QUESTION}", "", "Action: weather\nAction Input: Oslo", "Final Answer: Lisbon is 11 °C warmer than Oslo."),
        (PAPER, f"Question: {ENGLISH_QUESTION}", "", "Action: weather[Oslo]", "Action: Finish[Lisbon is 11 °C warmer than Oslo.]"),
        (PAPER, f"Question: {ENGLISH_QUESTION}", "Thought {}:", "Action 2: weather[Oslo]", "Action 4: Finish[Lisbon is 11 °C warmer than Oslo.]"),
        (CHINESE, "问题：里斯本今天比奥斯陆高多少度？", "", "行动: weather\n行动输入: 奥斯陆", "最终答案: 里斯本比奥斯陆高 11 °C。"),
    ],
    ids=["lines", "paper", "paper numbered", "chinese"],
)  # fmt: skip
def test_a_learner_s_own_loop_gets_to_the_answer(
    rules: str, question: str, lead: str, second: str, last: str
) -> None:
    replies = loop(rules, question, lead)
    assert len(replies) == 4
    assert replies[1].endswith(second)
    assert replies[-1].endswith(last)


@pytest.mark.parametrize(
    "tools",
    [
        "Tools:\n- weather(city: str) -> str: the weather of a city",
        "You can use:\n1. `weather[city]`, which returns the weather",
        'Tools: [{"name": "weather", "description": "the weather of a city"}]',
        "Available tools: weather, calculator.",
        "<tools>\n- weather: the weather of a city\n    city (string, required)\n</tools>",
    ],
)
def test_tools_are_found_however_they_are_listed(tools: str) -> None:
    prompt = f"Use a tool before you answer.\n{tools}\nWrite Action: and Action Input: lines.\n\nQuestion: How warm is it in Oslo?"
    text = SimulatedLLM().complete([Message("user", prompt)], stop=("\nObservation:",)).text
    assert "Action: weather" in text
    assert "Oslo" in text


def test_it_does_not_call_a_tool_that_the_prompt_does_not_list() -> None:
    prompt = "Use a tool before you answer.\nTools:\n- subtract: subtracts two numbers\nWrite Action: lines and Final Answer: lines.\n\nQuestion: How warm is it in Oslo?"
    text = SimulatedLLM().complete([Message("user", prompt)]).text
    assert text.endswith(
        "Final Answer: I cannot answer this: I have no tool for the temperature in Oslo."
    )
