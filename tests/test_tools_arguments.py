"""Arguments are converted where one reading exists; the rest is explained to the model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from react_lab.records import Action, Observation
from react_lab.tools import Toolbox, tool
from react_lab.tools.arguments import rename_near_misses


def show(**kept: Any) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in kept.items())


def calculator(expression: str) -> str:
    """Compute."""
    return expression


def weather(city: str, date: str = "today") -> str:
    """Return the weather."""
    return show(city=city, date=date)


def repeat(text: str, n: int = 1) -> str:
    """Repeat a text."""
    return show(text=text, n=n)


def numbers(whole: int, part: float = 0.5, sure: bool = False) -> str:
    """Show numbers."""
    return show(whole=whole, part=part, sure=sure)


def containers(items: list[int], options: dict[str, str] | None = None) -> str:
    """Show containers."""
    return show(items=items, options=options)


def now() -> str:
    """Return the time."""
    return "12:00"


BOX = Toolbox([calculator, weather, repeat, numbers, containers, now])


def call(name: str, args: Any, language: str = "en") -> Observation:
    return BOX.run(Action(name, args), language)


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("calculator", {"expr": "1+1"}, "1+1"),
        ("calculator", {"Expression": "1+1"}, "1+1"),
        ("calculator", {"expressoin": "1+1"}, "1+1"),
        ("calculator", {"expresion": "1+1"}, "1+1"),
        ("calculator", "1+1", "1+1"),
        ("calculator", {"expression": 5}, "5"),
        ("weather", {"location": "Oslo"}, "city='Oslo', date='today'"),
        ("weather", {"cityName": "Oslo", "when": "tomorrow"}, "city='Oslo', date='tomorrow'"),
        ("weather", {"city": "Oslo", "date": None}, "city='Oslo', date='today'"),
        ("weather", "Oslo", "city='Oslo', date='today'"),
        ("repeat", {"text": "a", "count": "2"}, "text='a', n=2"),
        ("numbers", {"whole": "3"}, "whole=3, part=0.5, sure=False"),
        ("numbers", {"whole": "3.0", "part": "2"}, "whole=3, part=2.0, sure=False"),
        ("numbers", {"whole": 3.0, "sure": "true"}, "whole=3, part=0.5, sure=True"),
        ("containers", {"items": "[1, 2]"}, "items=[1, 2], options=None"),
        ("containers", {"items": ["1"], "options": '{"a": "b"}'}, "items=[1], options={'a': 'b'}"),
        ("containers", "[1, 2]", "items=[1, 2], options=None"),
        ("now", "", "12:00"),
        ("now", "None", "12:00"),
        ("now", {}, "12:00"),
    ],
)
def test_one_reading_is_taken(name, args, text):
    observation = call(name, args)
    assert (observation.status, observation.text) == ("ok", text)


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("numbers", {"whole": True}, "parameter 'whole' expects an integer; got True."),
        ("numbers", {"whole": 1, "part": False}, "parameter 'part' expects a number; got False."),
        ("numbers", {"whole": "1,000"}, "parameter 'whole' expects an integer; got '1,000'."),
        ("numbers", {"whole": 3.5}, "got 3.5."),
        ("numbers", {"whole": None}, "got None."),
        ("numbers", {}, "parameter 'whole' is missing; it expects an integer."),
        ("calculator", {"expression": ["1"]}, "expects a string; got ['1']."),
        ("containers", {"items": "[1, 2"}, "parameter 'items' expects an array; got '[1, 2'."),
        (
            "containers",
            {"items": [1, "x"]},
            "expects an array; got 'x' (items.1): Input should be a valid integer",
        ),
        ("containers", {"items": 3}, "parameter 'items' expects an array; got 3."),
        (
            "weather",
            {"city": "Oslo", "unit": "K"},
            "parameter 'unit' does not exist (allowed: city, date)",
        ),
        (
            "calculator",
            {"expr": "1", "formula": "2"},
            "parameter 'expression' is missing; it expects a string; parameter",
        ),
        ("calculator", {"expr": "1", "expression": "2"}, "parameter 'expr' does not exist"),
        ("now", {"city": "Oslo"}, "parameter 'city' does not exist (allowed: -)"),
        ("now", "Oslo", "not the bare text 'Oslo'"),
        ("calculator", ["1"], "must be a JSON object, got ['1']"),
    ],
)
def test_two_readings_are_refused_and_explained(name, args, said):
    observation = call(name, args)
    assert observation.status == "invalid_args"
    assert said in observation.text
    assert "Example: {" in observation.text


def sink(**_: Any) -> str:
    return ""


@pytest.mark.parametrize(
    ("params", "key"),
    [
        (("to",), "from"),
        (("b",), "a"),
        (("name",), "n"),
        (("lon",), "lat"),
        (("weight",), "height"),
        (("user_id",), "user_ip"),
        (("address1",), "address2"),
        (("country",), "county"),
        (("date",), "date_format"),
        (("end_date",), "start_date"),
        (("to_city",), "from_city"),
        (("max_price",), "min_price"),
        (("target_language",), "source_language"),
        (("end",), "send"),
        (("user",), "user_id"),
        (("start_date", "end_date"), "date"),
        (("city", "place"), "location"),
    ],
)
def test_near_misses_never_rename_wrongly(params, key):
    code = f"def made({', '.join(f'{p}: str' for p in params)}): return ''"
    scope: dict[str, Any] = {}
    exec(code, scope)
    assert rename_near_misses(tool(scope["made"]), {key: "x"}) == {key: "x"}


def test_ranges_are_explained():
    def rate(stars: Annotated[int, Field(ge=1, le=5)]) -> str:
        """Rate."""
        return str(stars)

    text = Toolbox([rate]).run(Action("rate", {"stars": 9})).text
    assert "got 9: Input should be less than or equal to 5" in text


def test_the_message_is_exact():
    assert call("weather", {"day": 3, "town": "Oslo", "x": 1}).text == (
        "Error: tool weather was not called: parameter 'x' does not exist (allowed: city, date). "
        'Example: {"city": "..."}'
    )


def price(product: str, quantity: int = 1, unit: Literal["kg", "g"] = "g") -> str:
    """Return a price.

    Args:
        product: one product, such as lamp
        quantity: how many pieces, such as 2
    """
    return ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            {"product": "lamp", "quantity": 2.9},
            "parameter 'quantity' expects an integer (how many pieces, such as 2); got 2.9.",
        ),
        (
            {"quantity": 2},
            "parameter 'product' is missing; it expects a string (one product, such as lamp).",
        ),
        (
            {"product": "lamp", "unit": "mg"},
            "parameter 'unit' expects one of 'kg', 'g'; got 'mg'.",
        ),
    ],
)
def test_a_message_gives_the_docstring_s_words_and_value(args, said):
    text = Toolbox([price]).run(Action("price", args)).text
    assert text == f"Error: tool price was not called: {said} " + 'Example: {"product": "lamp"}'


def test_the_message_speaks_chinese():
    def price(product: str, quantity: int = 1) -> str:
        """查询价格。例如：product 灯。

        参数：
            quantity: 件数，例如 2
        """
        return ""

    box = Toolbox([price])
    assert box.run(Action("price", {"product": "灯", "quantity": 2.9}), "zh").text == (
        "错误：工具 price 没有被调用：参数 'quantity' 应为 integer (件数，例如 2)；收到 2.9。"
        '示例：{"product": "灯"}'
    )
    assert "缺少参数 'product'，应为 string。" in box.run(Action("price", {}), "zh").text


@pytest.mark.parametrize(
    ("name", "close"),
    [("calculater", "calculator"), ("Weather", "weather"), ("wether", "weather")],
)
def test_unknown_tools_get_the_closest_names(name, close):
    observation = call(name, {})
    assert observation.status == "unknown_tool"
    assert f"Did you mean {close}" in observation.text
    assert (
        "Available tools: calculator, weather, repeat, numbers, containers, now."
        in observation.text
    )


def test_an_unknown_tool_unlike_any_other_gets_the_list_alone():
    assert call("zzz", {}).text == (
        "Error: there is no tool named 'zzz'. "
        "Available tools: calculator, weather, repeat, numbers, containers, now."
    )


def test_an_empty_toolbox_says_so():
    assert (
        Toolbox().run(Action("x", {})).text
        == "Error: there is no tool named 'x'. Available tools: none."
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.sampled_from(sorted(BOX)),
    st.dictionaries(st.text(max_size=12), JSON, max_size=3) | st.text(),
)
def test_whatever_the_model_writes_gives_one_line(name, args):
    observation = call(name, args)
    assert observation.status in ("ok", "empty", "invalid_args")
    assert len(observation.text.splitlines()) <= 1
