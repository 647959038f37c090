"""Names inside names: what looks like one thing and is another, English and Chinese."""

from __future__ import annotations

import pytest

from react_lab.agent import Agent, run_agent
from react_lab.contracts import TextContract
from react_lab.llm import SimulatedLLM
from react_lab.llm.simulated.choosing import score
from react_lab.llm.simulated.history import Round
from react_lab.llm.simulated.knowledge import answers
from react_lab.llm.simulated.lookups import file_name
from react_lab.llm.simulated.plan import Ask
from react_lab.llm.simulated.results import extract
from react_lab.llm.simulated.tool_list import SeenTool
from react_lab.toolbox import demo_tools
from react_lab.toolbox.shop import offer
from react_lab.toolbox.world import CITIES, find_city, read_table
from react_lab.tools import tool

RAIN = Ask("weather", {"city": "Bahrain", "date": "today"}, "rain")


@tool(timeout=None)
def degrees(city: str) -> str:
    """Return the weather of one city today. Example: city Lisbon.

    Args:
        city: the name of one city
    """
    table = {"York": 12, "New York": 21, "三亚": 31, "北京": 24, "呼和浩特": 18, "新加坡": 29}
    return f"{city}: {table[city]} °C"


@tool(timeout=None)
def price(product: str) -> str:
    """Return the price of one product of the shop. Example: product umbrella.

    Args:
        product: the name of one product
    """
    table = {"lamp": 24, "desk lamp": 30, "加湿器": 40, "三明治": 3, "杯子": 7, "双肩包": 49}
    return f"{product}: {table[product]} EUR each, 5 in stock"


def say(question: str) -> str | None:
    language = "zh" if question[-1] == "？" else "en"
    tools = [degrees, price, demo_tools(language)["calculator"]]
    return run_agent(Agent(SimulatedLLM(), tools, TextContract(language=language)), question).answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much warmer is New York than York today?", "New York is 9 °C warmer than York."),
        ("How much warmer is York than New York today?", "York is 9 °C colder than New York."),
        ("How much more does a desk lamp cost than a lamp?", "6 EUR"),
        ("新加坡和三亚今天的平均气温是多少？", "30 °C"),
        ("新加坡的气温减10是多少？", "19 °C"),
        ("呼和浩特和北京今天的平均气温是多少？", "21 °C"),
        ("加湿器多少钱？", "40 EUR"),
        ("2个加湿器和三个三明治一共多少钱？", "89 EUR"),
        ("一个三明治多少钱？", "3 EUR"),
        ("2杯子一共多少钱？", "14 EUR"),
        ("2双肩包一共多少钱？", "98 EUR"),
        ("三亚的气温加五是多少？", "36 °C"),
    ],
)
def test_a_name_is_not_taken_apart(question: str, answer: str) -> None:
    assert say(question) == answer


@pytest.mark.parametrize(
    ("given", "name", "same"),
    [
        ("New York", "York", False),
        ("York, tomorrow", "York", True),
        ("the weather in York today", "York", True),
        ("['York']", "York", True),
        ("Stoke-on-Trent", "Trent", False),
        ("马德里", "德里", False),
        ("德里", "德里", True),
    ],
)
def test_a_round_is_about_what_its_arguments_name(given: str, name: str, same: bool) -> None:
    item = Round(1, tool="weather", args={"city": given}, heard="20 °C")
    assert answers(item, Ask("weather", {"city": name}, "temperature")) is same


@pytest.mark.parametrize(
    ("text", "rain"),
    [("Bahrain: 35 °C, clear", "no"), ("Bahrain: 20 °C, light rain", "yes"), ("rainy", "yes")],
)
def test_rain_is_a_word_of_its_own(text: str, rain: str) -> None:
    assert extract(RAIN, text) == rain


@pytest.mark.parametrize(
    ("name", "description", "kind", "fits"),
    [
        ("trains", "Plan the training of a team.", "weather", False),
        ("basket", "", "ask", False),
        ("spreadsheet", "", "document", False),
        ("address", "", "sum", False),
        ("list_documents", "", "document", True),
        ("readFile", "", "document", True),
    ],
)
def test_a_tool_is_known_by_whole_words(name: str, description: str, kind: str, fits: bool) -> None:
    assert (score(SeenTool(name, description), kind) > 0) is fits


def test_a_topic_is_a_word_of_its_own() -> None:
    assert file_name("what the bookkeeper said") == "what-the-bookkeeper-said.txt"
    assert file_name("the keeper") == "lighthouse.txt"


def test_each_name_and_alias_of_the_toolbox_means_one_thing() -> None:
    for city in CITIES:
        for name in (city.name, city.zh, *city.aliases):
            assert find_city(name) == city
    for row in read_table("products.csv"):
        for name in (row["name"], row["zh"], *filter(None, row["aliases"].split("|"))):
            assert offer(name, "en").startswith(f"{row['name']}: ")
