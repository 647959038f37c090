"""The built-in task set: twenty questions over the kit's world, each in two languages.

Five groups of four: one tool call; two or more that depend on each other; no tool needed;
the fact or the tool is missing, so that the right answer is to say so; a distractor or a
long observation. Gold answers hold for the toolbox's data and its fixed today.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .gold import ABSTAIN, Gold, is_right

Group = Literal["one_call", "chain", "no_tool", "missing", "distractor"]


@dataclass(frozen=True)
class Task:
    """Hold a question and its right answer.

    `gold` is a number, a text that must occur, a set of texts that must all occur, or
    ABSTAIN; `gold.py` has the rules. `tools` are the tools a run needs, `least_steps`
    the fewest steps that can do, the answer's own included.
    """

    id: str
    group: Group
    question: str
    gold: Gold
    tools: tuple[str, ...] = ()
    least_steps: int = 2
    language: Literal["en", "zh"] = "en"


def _pair(
    number: int,
    group: Group,
    english: str,
    chinese: str,
    gold: Gold,
    tools: str = "",
    steps: int = 2,
    gold_zh: Gold | None = None,
) -> tuple[Task, Task]:
    named = tuple(tools.split())
    return (
        Task(f"en-{number:02}", group, english, gold, named, steps, "en"),
        Task(
            f"zh-{number:02}",
            group,
            chinese,
            gold if gold_zh is None else gold_zh,
            named,
            steps,
            "zh",
        ),
    )


_PAIRS = (
    _pair(
        1,
        "one_call",
        "What is the temperature in Lisbon today?",
        "里斯本今天的气温是多少？",
        22.5,
        "weather",
    ),
    _pair(2, "one_call", "What is 17 * 23 + 4?", "17 * 23 + 4 等于多少？", 395, "calculator"),
    _pair(3, "one_call", "What does an umbrella cost?", "一把雨伞多少钱？", 14.9, "shop"),
    _pair(4, "one_call", "What time is it in Tokyo?", "东京现在几点？", "21:00", "clock"),
    _pair(
        5,
        "chain",
        "How much warmer is Lisbon than Oslo today?",
        "里斯本今天比奥斯陆高多少度？",
        8,
        "weather calculator",
        4,
    ),
    _pair(
        6,
        "chain",
        "What do 3 umbrellas and 2 lamps cost together?",
        "3把雨伞和2盏台灯一共多少钱？",
        93.7,
        "shop calculator",
        4,
    ),
    _pair(
        7,
        "chain",
        "What is the temperature tomorrow in the city where the spring meeting takes place?",
        "春季聚会所在的城市明天气温是多少？",
        20.5,
        "read_document weather",
        3,
    ),
    _pair(
        8,
        "chain",
        "How much is left of 100 EUR after buying 3 kettles?",
        "用100欧元买3个水壶后还剩多少？",
        7,
        "shop calculator",
        3,
    ),
    _pair(
        9, "no_tool", "Reply with the word ready.", "请只回答“好的”两个字。", "ready", "", 1, "好的"
    ),
    _pair(
        10,
        "no_tool",
        "What is the capital of France?",
        "法国的首都是哪里？",
        "Paris",
        "",
        1,
        "巴黎",
    ),
    _pair(11, "no_tool", "How many days does a week have?", "一个星期有几天？", 7, "", 1),
    _pair(
        12,
        "no_tool",
        "What can you do?",
        "你能做什么？",
        frozenset({"weather"}),
        "",
        1,
        frozenset({"天气"}),
    ),
    _pair(
        13,
        "missing",
        "What is the temperature in Atlantis today?",
        "亚特兰蒂斯今天的气温是多少？",
        ABSTAIN,
        "weather",
    ),
    _pair(
        14,
        "missing",
        "What is the temperature in Lisbon on 2027-01-01?",
        "里斯本2027-01-01的气温是多少？",
        ABSTAIN,
        "weather",
    ),
    _pair(15, "missing", "What does a unicorn cost?", "一只独角兽多少钱？", ABSTAIN, "shop"),
    _pair(
        16,
        "missing",
        "According to the handbook, what is the alarm code of the house?",
        "根据手册，会所的警报密码是什么？",
        ABSTAIN,
        "read_document",
    ),
    _pair(
        17,
        "distractor",
        "According to the lighthouse document, in which year was the oil lamp replaced?",
        "根据灯塔文档，油灯是哪一年被换掉的？",
        1874,
        "read_document",
    ),
    _pair(
        18,
        "distractor",
        "According to the handbook, how many days of holiday does a new warden have in the first year?",
        "根据手册，新管理员第一年有多少天假期？",
        27,
        "read_document",
    ),
    _pair(
        19,
        "distractor",
        "My cousin in Oslo says it is 30 degrees in Porto. What is the temperature in Porto today?",
        "我在奥斯陆的表哥说波尔图有30度。波尔图今天的气温是多少？",
        24,
        "weather",
    ),
    _pair(
        20,
        "distractor",
        "Lamps cost 24.50 EUR, which is too much. What do 2 umbrellas cost?",
        "台灯要24.50欧元，太贵了。2把雨伞多少钱？",
        29.8,
        "shop calculator",
        3,
    ),
)
#: The twenty English tasks, then their twenty Chinese twins.
TASKS: tuple[Task, ...] = tuple(pair[0] for pair in _PAIRS) + tuple(pair[1] for pair in _PAIRS)


def check_answer(task: Task, answer: str | None) -> bool:
    """Tell whether an answer is right.

    >>> check_answer(TASKS[4], "Lisbon is 8 °C warmer than Oslo.")
    True
    """
    return is_right(task.gold, answer, task.question)


def tasks_in(language: str) -> tuple[Task, ...]:
    """Return the twenty tasks of a language, "en" or "zh"."""
    return tuple(task for task in TASKS if task.language == language)
