"""Which of several: lists with commas, `or` and `and`, in front of the word and behind it."""

from __future__ import annotations

import pytest

from react_lab.agent import run_agent
from react_lab.contracts import TextContract
from react_lab.llm.simulated.chinese import understand as understand_chinese
from react_lab.llm.simulated.english import understand
from react_lab.toolbox import demo_agent


def say(question: str) -> str | None:
    language = "zh" if question[-1] == "？" else "en"
    return run_agent(
        demo_agent(language, contract=TextContract(language=language)), question
    ).answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which is cheapest: a candle, an umbrella, a lamp or a tent?", "the candle (1.75 EUR)"),
        ("Which is the cheapest, a tent, a lamp, or a mug?", "the mug (7.25 EUR)"),
        ("What is dearest: a candle, a lamp or a tent?", "the tent (129.00 EUR)"),
        ("Which is the most expensive: a candle, a lamp or a mug?", "the lamp (24.50 EUR)"),
        ("Which is the least expensive of a tent, a lamp and a mug?", "the mug (7.25 EUR)"),
        ("Which of a tent, a lamp and a mug costs the most?", "the tent (129.00 EUR)"),
        ("Which costs less: 3 umbrellas, a lamp or 2 tents?", "the lamp (24.50 EUR)"),
        ("Which costs more: 3 umbrellas or a lamp?", "3 umbrellas (44.7 EUR)"),
        ("Which city is warmest today: Oslo, Lisbon or Delhi?", "Delhi (37.5 °C)"),
        ("Which of Oslo, Lisbon and Delhi is the coldest today?", "Oslo (14.5 °C)"),
        ("Where is it coolest today, in Delhi, Oslo, or Lisbon?", "Oslo (14.5 °C)"),
        ("Which city has the highest temperature: Oslo, Lisbon or Delhi?", "Delhi (37.5 °C)"),
        ("蜡烛、雨伞、台灯还是帐篷最便宜？", "蜡烛（1.75 EUR）"),
        ("哪个最贵：蜡烛、雨伞、台灯还是帐篷？", "帐篷（129.00 EUR）"),
        ("蜡烛、雨伞和台灯，哪个最贵？", "台灯（24.50 EUR）"),
        ("哪个更便宜，3把雨伞还是一盏台灯？", "台灯（24.50 EUR）"),
        ("雨伞和台灯哪个价格高？", "台灯（24.50 EUR）"),
        ("今天哪个城市最热：奥斯陆、里斯本还是德里？", "德里（37.5 °C）"),
        ("奥斯陆、里斯本还是德里今天最冷？", "奥斯陆（14.5 °C）"),
        ("奥斯陆、里斯本和德里，今天哪里气温最高？", "德里（37.5 °C）"),
    ],
)
def test_the_best_of_a_list_is_named(question: str, answer: str) -> None:
    assert say(question) == answer


def test_a_list_that_is_not_understood_whole_has_no_plan() -> None:
    assert understand("Which is cheapest: a lamp, 7?!*, or a tent?") is None
    assert understand("Which is cheapest: a lamp?") is None
    assert understand_chinese("哪个最便宜：台灯？") is None
