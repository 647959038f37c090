"""A tool's name, description, parameters and schema come from its function alone."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, IntEnum
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from react_lab.contracts.text import describe_tool
from react_lab.errors import ToolDefinitionError, UsageError
from react_lab.records import Action
from react_lab.tools import Tool, Toolbox, tool


class Shape(BaseModel):
    """A rectangle."""

    width: int
    height: int = 2


class Shop:
    """Hold a method, a class method and a call."""

    def price(self, product: str) -> str:
        """Return a price."""
        return f"{product}: 3 EUR"

    def __call__(self, question: str) -> str:
        """Answer a question."""
        return question.upper()

    @classmethod
    def branch(cls, city: str) -> str:
        """Return the branch in a city."""
        return f"{cls.__name__} in {city}"


def area(shape: Shape) -> int:
    """Return an area."""
    return shape.width * shape.height


def add(a: int, b: int = 3) -> int:
    """Add two whole numbers."""
    return a + b


def choose(
    unit: Literal["celsius", "kelvin"],
    level: Annotated[int, Field(ge=1, le=5, description="from 1 to 5")] = 1,
    note: str | None = None,
    grid: list[list[int]] | None = None,
) -> str:
    """Show what came."""
    return f"{unit} {level} {note} {grid}"


async def wait(x: int) -> int:
    """Return x, later."""
    return x


def undocumented(x):  # type: ignore[no-untyped-def]
    return x


def run(function: Any, args: Any, **options: Any) -> str:
    made = tool(function, **options)
    observation = Toolbox([made]).run(Action(made.name, args))
    assert observation.status == "ok", observation.text
    return observation.text


ODD = [
    ("no docstring", undocumented, {"x": 1}, {}, "1"),
    ("default left out", add, {"a": 4}, {}, "7"),
    ("async", wait, {"x": "5"}, {}, "5"),
    ("lambda", lambda x: 2 * x, {"x": 21}, {"name": "double"}, "42"),
    ("bound method", Shop().price, {"product": "pen"}, {}, "pen: 3 EUR"),
    ("class method", Shop.branch, {"city": "Oslo"}, {}, "Shop in Oslo"),
    ("callable object", Shop(), {"question": "why"}, {}, "WHY"),
    ("partial", partial(add, b=10), {"a": 1}, {}, "11"),
    ("class", Shape, {"width": "4"}, {}, '{"width": 4, "height": 2}'),
    ("pydantic model", area, {"shape": {"width": "4", "height": 5}}, {}, "20"),
    ("model as JSON text", area, {"shape": '{"width": 4}'}, {}, "8"),
    ("literal in another case", choose, {"unit": "Celsius"}, {}, "celsius 1 None None"),
    (
        "optional and nested list",
        choose,
        {"unit": "kelvin", "note": None, "grid": [["1"], [2]]},
        {},
        "kelvin 1 None [[1], [2]]",
    ),
    (
        "list as JSON text",
        choose,
        {"unit": "kelvin", "grid": "[[1, 2]]"},
        {},
        "kelvin 1 None [[1, 2]]",
    ),
]


@pytest.mark.parametrize(
    ("function", "args", "options", "text"), [c[1:] for c in ODD], ids=[c[0] for c in ODD]
)
def test_odd_functions_become_tools(function, args, options, text):
    assert run(function, args, **options) == text


def test_schema_comes_from_signature_and_docstring():
    @tool
    def weather(city: str, day: int = 0) -> str:
        """Return the weather.

        Args:
            city: the name of a city, such as Oslo
            day (int): days from today
        """
        return f"{city} {day}"

    assert weather.name == "weather"
    assert weather.description == "Return the weather."
    assert weather.params == {"city": "string", "day": "integer"}
    assert weather.required == ("city",)
    assert weather.schema == {
        "type": "object",
        "additionalProperties": False,
        "required": ["city"],
        "properties": {
            "city": {"type": "string", "description": "the name of a city, such as Oslo"},
            "day": {"type": "integer", "description": "days from today", "default": 0},
        },
    }
    assert repr(weather) == "Tool(weather: city, day)"


def test_ranges_and_choices_are_in_the_schema():
    properties = tool(choose).schema["properties"]
    assert properties["unit"]["enum"] == ["celsius", "kelvin"]
    assert (properties["level"]["minimum"], properties["level"]["maximum"]) == (1, 5)
    assert properties["level"]["description"] == "from 1 to 5"


def test_schemas_have_the_shape_of_the_tools_list():
    (entry,) = Toolbox([add]).schemas
    assert entry["type"] == "function"
    assert entry["function"]["name"] == "add"
    assert entry["function"]["parameters"]["required"] == ["a"]


def stars(*numbers: int) -> int:
    return sum(numbers)


def positional(x: int, /) -> int:
    return x


def hook(then: Callable[[], int]) -> int:
    return then()


def unknown(x: Nowhere) -> int:  # type: ignore[name-defined]  # noqa: F821
    return x


@pytest.mark.parametrize(
    ("function", "options", "said"),
    [
        (stars, {}, r"\*numbers: .* has no name a model could fill in"),
        (positional, {}, "drop the / after x"),
        (hook, {}, "a type that JSON cannot carry"),
        (unknown, {}, "'Nowhere' is not defined"),
        (lambda x: x, {}, "for a lambda write tool"),
        (Shop.price, {}, "pass a bound method"),
        (max, {}, "its signature cannot be read"),
        ("add", {}, "'add' is not a function"),
        (add, {"timout": 3}, "unexpected keyword argument 'timout'"),
        (add, {"timeout": 0}, "timeout must be above 0"),
        (add, {"tries": 0}, "tries at least 1"),
        (add, {"limit": 3}, "limit at least 20"),
        (add, {"name": "two words"}, "use letters, digits and _"),
    ],
)
def test_what_cannot_be_a_tool_says_why(function, options, said):
    with pytest.raises(ToolDefinitionError, match=said):
        tool(function, **options)


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(UsageError, match="two tools are named 'add'"):
        Toolbox([add, tool(undocumented, name="add")])


def test_a_tool_can_still_be_called_as_a_function():
    assert tool(add)(2, b=5) == 7


def test_toolboxes_are_immutable_and_grow_by_copy():
    box = Toolbox([add])
    more = box.having(area)
    assert (list(box), list(more), list(more.without("add"))) == (
        ["add"],
        ["add", "area"],
        ["area"],
    )
    assert more.described("add", "Sum.")["add"].description == "Sum."
    assert more["add"].description == "Add two whole numbers."
    with pytest.raises(UsageError, match="no tool named 'sum' here; there are add"):
        box.without("sum")
    assert repr(Toolbox()) == "Toolbox(empty)"


def test_having_replaces_a_tool_of_the_same_name():
    other = Tool(lambda a: a, "add", "Another.")
    assert Toolbox([add]).having(other)["add"] is other


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


def paint(colour: Colour, level: Level = Level.LOW) -> str:
    """Paint a wall."""
    return f"{colour.name} {level.name}"


def test_the_choices_of_an_enum_are_told_to_the_model():
    made = tool(paint)
    assert made.schema["properties"]["colour"] == {"enum": ["red", "blue"], "type": "string"}
    assert describe_tool(made).splitlines()[1:] == [
        "    colour (string, required, one of red, blue)",
        "    level (string, optional, one of 1, 2, default 1)",
    ]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"colour": "red"}, "RED LOW"),
        ({"colour": "Blue", "level": 2}, "BLUE HIGH"),
        ({"colour": "red", "level": "2"}, "RED HIGH"),
    ],
)
def test_a_choice_of_an_enum_arrives_as_its_member(args, text):
    observation = Toolbox([paint]).run(Action("paint", args))
    assert (observation.status, observation.text) == ("ok", text)


def test_a_wrong_choice_of_an_enum_is_answered_with_the_right_ones():
    text = Toolbox([paint]).run(Action("paint", {"colour": "green"})).text
    assert "expects one of 'red', 'blue'; got 'green'" in text
    assert text.endswith('Example: {"colour": "red"}')
