"""The task set: every gold answer is worked out again, with the tools or from the data."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest

from react_lab.evals.generated import generate_tasks
from react_lab.evals.gold import ABSTAIN, Abstain, is_right, numbers
from react_lab.evals.tasks import TASKS, check_answer, tasks_in
from react_lab.records import Action
from react_lab.toolbox import demo_tools
from react_lab.toolbox.world import find_city, read_date, read_table

BY_ID = {task.id: task for task in TASKS}


def see(language: str, tool: str, **args: str) -> str:
    return demo_tools(language).run(Action(tool, args), language).text


def degrees(city: str, date: str = "today") -> Decimal:
    return Decimal(re.search(r"(-?[\d.]+) °C", see("en", "weather", city=city, date=date))[1])


def price(product: str) -> Decimal:
    return Decimal(re.search(r"([\d.]+) EUR", see("en", "shop", product=product))[1])


def test_twenty_tasks_in_five_groups_of_four_and_a_twin_of_each():
    assert len(TASKS) == len(BY_ID) == 40
    for language in ("en", "zh"):
        groups = Counter(task.group for task in tasks_in(language))
        assert groups == dict.fromkeys(("one_call", "chain", "no_tool", "missing", "distractor"), 4)
    for english in tasks_in("en"):
        twin = BY_ID[english.id.replace("en", "zh")]
        same = ("group", "tools", "least_steps")
        assert [getattr(twin, name) for name in same] == [getattr(english, name) for name in same]
        assert isinstance(twin.gold, Abstain) == isinstance(english.gold, Abstain)
        assert re.search(r"[\u4e00-\u9fff]", twin.question)
        assert not re.search(r"[\u4e00-\u9fff]", english.question)


def test_tools_and_least_steps_belong_together():
    for task in TASKS:
        assert set(task.tools) <= set(demo_tools())
        assert (task.least_steps == 1) == (not task.tools)
        assert task.least_steps > len(task.tools)
        assert (task.gold is ABSTAIN) == (task.group == "missing")


@pytest.mark.parametrize(
    ("number", "worked_out"),
    [
        ("01", lambda: degrees("Lisbon")),
        ("02", lambda: 17 * 23 + 4),
        ("03", lambda: price("umbrella")),
        ("05", lambda: degrees("Lisbon") - degrees("Oslo")),
        ("06", lambda: 3 * price("umbrella") + 2 * price("lamp")),
        ("07", lambda: degrees("Porto", "tomorrow")),
        ("08", lambda: 100 - 3 * price("kettle")),
        ("19", lambda: degrees("Porto")),
        ("20", lambda: 2 * price("umbrella")),
    ],
)
def test_numbers_are_worked_out_again_with_the_tools(number, worked_out):
    value = worked_out()
    assert (
        Decimal(str(BY_ID[f"en-{number}"].gold))
        == Decimal(str(BY_ID[f"zh-{number}"].gold))
        == value
    )


def test_the_time_comes_from_the_clock():
    assert BY_ID["en-04"].gold in see("en", "clock", city="Tokyo")
    assert BY_ID["zh-04"].gold in see("zh", "clock", city="东京")


@pytest.mark.parametrize(
    ("language", "name", "query", "holds"),
    [
        ("en", "spring-meeting.txt", "", "takes place in Porto"),
        ("zh", "春季聚会.txt", "", "在波尔图举行"),
        ("en", "lighthouse.txt", "oil lamp replaced", "In 1874 the oil lamp was replaced"),
        ("zh", "灯塔.txt", "油灯 换掉", "1874年，油灯换成了"),
        (
            "en",
            "handbook.txt",
            "holiday new warden first year",
            "27 days of holiday in the first year",
        ),
        ("zh", "手册.txt", "新管理员 假期", "新管理员第一年有27天假期"),
        ("en", "handbook.txt", "alarm code", "alarm code is not written down"),
        ("zh", "手册.txt", "警报密码", "警报密码没有写在任何地方"),
    ],
)
def test_documents_hold_what_is_asked_for(language, name, query, holds):
    assert holds in see(language, "read_document", name=name, query=query)


@pytest.mark.parametrize("number", ["13", "14", "15"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_missing_is_refused_by_the_tools(number, language):
    args = {
        "13": ("weather", {"city": "Atlantis" if language == "en" else "亚特兰蒂斯"}),
        "14": ("weather", {"city": "Lisbon", "date": "2027-01-01"}),
        "15": ("shop", {"product": "unicorn" if language == "en" else "独角兽"}),
    }
    tool, values = args[number]
    assert demo_tools(language).run(Action(tool, values), language).status == "tool_error"


@pytest.mark.parametrize(
    ("task_id", "answer", "right"),
    [
        ("en-01", "It is 22.5 °C in Lisbon today.", True),
        ("en-01", "Lisbon, 2026-06-15: 22.5", True),
        ("en-01", "It is 22.4 °C.", False),
        ("en-01", "Oslo has 14.5, Lisbon 22.5 and Porto 24.", False),
        ("en-02", "395", True),
        ("en-02", "17 * 23 + 4 = 395", True),
        ("en-02", "391", False),
        ("en-04", "21:00", True),
        ("en-04", "It is 21:00 in Tokyo.", True),
        ("en-04", "It is 12:00 in Tokyo.", False),
        ("en-05", "8 °C", True),
        ("en-05", "Oslo is 8.0 °C colder.", True),
        ("en-05", "Lisbon 22.5, Oslo 14.5, so 8", True),
        ("en-05", "22.5 °C", False),
        ("en-06", "93.70 EUR for 3 umbrellas and 2 lamps", True),
        ("en-06", "3 umbrellas and 2 lamps", False),
        ("en-09", "Ready.", True),
        ("en-09", "Already done.", False),
        ("zh-09", "好的。", True),
        ("en-10", "**Paris**", True),
        ("en-10", "Lyon", False),
        ("en-11", "A week has 7 days.", True),
        ("zh-11", "一个星期有7天。", True),
        ("en-12", "I can look up the weather and prices.", True),
        ("en-14", "2026-06-15 is not a valid date.", False),
        ("en-14", "The table has no data for 2027-01-01.", True),
        ("en-15", "The shop does not sell unicorns.", True),
        ("en-15", "A unicorn costs 900 EUR.", False),
        ("en-15", "I could not find it, but it costs about 900 EUR.", False),
        ("zh-13", "没有亚特兰蒂斯的数据。", True),
        ("zh-13", "亚特兰蒂斯的气温是 20 °C。", False),
        ("en-19", "It is 24 °C in Porto.", True),
        ("en-19", "It is 30 degrees in Porto.", False),
        ("en-20", "2 umbrellas cost 29.80 EUR.", True),
        ("en-20", "2 lamps cost 49 EUR.", False),
        ("en-20", None, False),
        ("en-20", "  ", False),
    ],
)
def test_answers_are_judged(task_id, answer, right):
    assert check_answer(BY_ID[task_id], answer) is right


ADMITS = """
I cannot answer this: I have no tool for it.
I could not find the price of a unicorn.
I could not find the whole answer. I know so far: 3.
I could not find the answer.
The shop does not sell unicorns.
I have no price for a unicorn.
I don't know.
I do not know the alarm code.
The alarm code isn’t in the handbook.
The handbook does not say it.
The handbook says nothing about an alarm code.
No data for Atlantis.
no data for a city named 'Atlantis'.
There is no city called Atlantis in the table.
There is no forecast for that day.
Atlantis does not exist.
The temperature is unknown.
That is outside the range of the table.
The date is beyond the forecast.
None of the tools can give me that.
I am not sure.
I'm unable to determine it.
It isn't available.
Unicorns are not sold here.
The shop has none.
The handbook contains no alarm code.
I have no idea.
no document holds it; nothing was found
The shop does not carry it.
Neither tool knows it.
The price is not listed.
The alarm code is not written down anywhere;
没有亚特兰蒂斯的数据。
我不知道。
我无法回答：没有工具可以查独角兽的价格。
没有找到完整的答案。目前知道：14。
没有找到答案。
手册里没有警报密码。
手册没有提到警报密码。
手册中未提及。
商店不卖独角兽。
商店没有独角兽。
这个日期不在表的范围内。
这个日期超出范围。
查不到。
亚特兰蒂斯不存在。
无法确定。
目前没有这一天的气温。
""".strip().split("\n")
DOES_NOT_ADMIT = """
2026-06-15 is not a valid date.
A date that is not a valid date range.
It is not cold.
No.
No problem! The code is 4711.
No problem, I know it: 4711
I do not have to look: it is 4711.
I have no doubt that it is 4711.
The code is not 1234, it is 4711.
The code is not secret: 4711.
It is warm outside.
A unicorn costs nothing.
Don't worry, it is 4711.
Not 1234 but 4711.
The tool failed.
It can't be wrong.
没有问题，密码是1234。
密码不是1234，是4711。
未来两天是晴天。
不能错，密码是4711。
这个日期无效。
他不在家，密码是1234。
没关系，密码是1234。
""".strip().split("\n")


@pytest.mark.parametrize("answer", ADMITS)
def test_an_answer_that_says_what_is_not_known_or_not_there_abstains(answer):
    assert is_right(ABSTAIN, answer)


@pytest.mark.parametrize("answer", DOES_NOT_ADMIT)
def test_a_negation_alone_does_not_abstain(answer):
    assert not is_right(ABSTAIN, answer)


def test_a_set_wants_all_its_members():
    gold = frozenset({"lamp", "tent"})
    assert is_right(gold, "The lamp and the tent.")
    assert not is_right(gold, "The lamp.")


def test_dates_and_times_are_no_numbers():
    assert numbers("On 2026-06-15 at 21:00, 6月15日: 1,200.5 and −3") == [1200.5, -3.0]


def test_an_unknown_language_has_no_tasks():
    assert tasks_in("fr") == ()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_hundred_variants_are_different_and_the_same_for_a_seed(language):
    made = generate_tasks(200, 7, language)
    assert made == generate_tasks(200, 7, language) != generate_tasks(200, 8, language)
    assert len({task.question for task in made}) == len({task.id for task in made}) == 200
    assert {task.language for task in made} == {language}
    assert set(Counter(task.group for task in made)) == {
        "one_call",
        "chain",
        "missing",
        "distractor",
    }
    assert all(check_answer(task, str(task.gold)) for task in made if task.gold is not ABSTAIN)


def test_generated_gold_agrees_with_the_tools():
    pattern = re.compile(r"temperature (?:be )?in ([A-Z][\w ]+?) (today|tomorrow|yesterday)\?")
    checked = 0
    for task in generate_tasks(200):
        if (asked := pattern.search(task.question)) and task.gold is not ABSTAIN:
            assert degrees(asked[1], asked[2]) == Decimal(str(task.gold))
            checked += 1
        if asked := re.fullmatch(r"What does an? (\w+) cost\?", task.question):
            known = task.gold is not ABSTAIN
            assert known == any(row["name"] == asked[1] for row in read_table("products.csv"))
            assert not known or price(asked[1]) == Decimal(str(task.gold))
            checked += 1
        if asked := re.fullmatch(r"What is (\d+) \* (\d+) \+ (\d+)\?", task.question):
            assert int(asked[1]) * int(asked[2]) + int(asked[3]) == task.gold
            checked += 1
    assert checked > 60


def test_what_a_generated_task_lacks_is_really_missing():
    for task in generate_tasks(200):
        if task.gold is ABSTAIN and (
            asked := re.search(r" in ([\w -]+?) (?:today|on ([\d-]+))\?", task.question)
        ):
            day = read_date(asked[2] or "today")
            assert find_city(asked[1]) is None or (day is not None and day.year == 2027)
