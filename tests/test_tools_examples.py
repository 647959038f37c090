"""The example call of an error message has the docstring's values, else one of the type."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from react_lab import demo_tools
from react_lab.records import Action
from react_lab.toolbox import encyclopedia_tools
from react_lab.tools import tool
from react_lab.tools.examples import example


def made(description: str, kind: Any = str, note: str = "") -> Any:
    def find(subject: Any) -> str:
        return ""

    find.__annotations__["subject"] = kind
    return tool(find, description=description, param_notes={"subject": note} if note else {})


@pytest.mark.parametrize(
    ("note", "kind", "value"),
    [
        ("one product, in the singular, such as lamp", str, "lamp"),
        ("one product, such as lamp; not a sentence", str, "lamp"),
        ("one product, such as lamp or umbrella", str, "lamp"),
        ("one product (such as lamp)", str, "lamp"),
        ('one product, e.g. "lamp".', str, "lamp"),
        ("a file, for example menu.txt", str, "menu.txt"),
        ("a sum, such as (1 + 2)", str, "(1 + 2)"),
        ("一种商品，例如 雨伞；不要写句子", str, "雨伞"),
        ("how many, such as 2", int, 2),
        ("a factor, such as 2.5 or 3", float, 2.5),
        ("a factor, such as 2", float, 2),
        ("sure or not, such as false", bool, False),
        ('words, such as ["a", "b"]', list[str], ["a", "b"]),
        ("a word from such a list", str, "..."),
        ("how many, such as two", int, 3),
        ("how many, such as true", int, 3),
        ("such as", str, "..."),
    ],
)
def test_a_parameter_s_line_gives_the_value(note, kind, value):
    assert json.loads(example(made("Find a subject.", kind, note))) == {"subject": value}


@pytest.mark.parametrize(
    ("description", "value"),
    [
        ("Find. Example: subject lamp.", "lamp"),
        ("Find. Example: subject lamp, size 3. Not for prices.", "lamp"),
        ("Find. Example: max(2, 3.5). Not for prices.", "max(2, 3.5)"),
        ("查找。例如：subject 灯。", "灯"),
        ("Find, for example, a lamp.", "..."),
    ],
)
def test_the_description_gives_the_value(description, value):
    assert json.loads(example(made(description))) == {"subject": value}


def test_of_several_parameters_only_the_named_one_is_given():
    def find(subject: str, size: int) -> str:
        """Find. Example: subject lamp, size 4."""
        return ""

    assert example(tool(find)) == '{"subject": "lamp", "size": 4}'
    assert example(tool(find, description="Find. Example: lamp.")) == (
        '{"subject": "...", "size": 3}'
    )


def test_a_schema_s_own_examples_come_first():
    kind = Annotated[str, Field(examples=["rope"])]
    assert example(made("Find.", kind, "such as lamp")) == '{"subject": "rope"}'
    assert example(made("Find.", Literal["m", "ft"], "such as lamp")) == '{"subject": "m"}'


def test_without_a_required_parameter_the_first_is_shown():
    def find(subject: str = "", size: int = 1) -> str:
        """Find."""
        return ""

    def now() -> str:
        """Return the time."""
        return ""

    assert (example(tool(find)), example(tool(now))) == ('{"subject": "..."}', "{}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_example_of_the_kit_s_tools_is_a_good_call(language):
    box = demo_tools(language).having(*encyclopedia_tools(language).values())
    for name, item in box.items():
        assert "..." not in example(item)
        assert box.run(Action(name, json.loads(example(item))), language).status == "ok"
