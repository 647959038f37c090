"""A result becomes one safe line, the same in every process."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from react_lab.records import Action
from react_lab.tools import Toolbox, tool
from react_lab.tools.observing import flatten, result_text, shown_text


@dataclass
class Point:
    x: int
    y: int


class Price(BaseModel):
    eur: float


class Colour(Enum):
    RED = "red"


class Array:
    """Behave like a numpy array where it matters."""

    def __bool__(self):
        raise ValueError("the truth value is ambiguous")

    def tolist(self):
        return [[1, 2], [3, 4]]


class Plain:
    pass


class Unprintable:
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


def observe(value, **options):
    return Toolbox([tool(lambda: value, name="give", timeout=None, **options)]).run(
        Action("give", {})
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (" two  words ", "two  words"),
        (0, "0"),
        (False, "false"),
        (2.5, "2.5"),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (2 + 3j, "(2+3j)"),
        ("22,5 °C 里斯本".encode(), "22,5 °C 里斯本"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ([1, "a", None], '[1, "a", null]'),
        ({"城市": "里斯本"}, '{"城市": "里斯本"}'),
        ((1, 2), "[1, 2]"),
        ({"b", "a", "c"}, '["a", "b", "c"]'),
        ({"letters": {"b", "a"}}, '{"letters": ["a", "b"]}'),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        (Point(1, 2), '{"x": 1, "y": 2}'),
        ([Point(1, 2)], '[{"x": 1, "y": 2}]'),
        (Price(eur=3), '{"eur": 3.0}'),
        (Colour.RED, "red"),
        (Array(), "[[1, 2], [3, 4]]"),
        (Decimal("1.50"), "1.50"),
        (Fraction(1, 3), "1/3"),
        (date(2026, 6, 15), "2026-06-15"),
        ([date(2026, 6, 15)], '["2026-06-15"]'),
        (ValueError("x"), "x"),
        (Plain, "<class 'test_tools_observing.Plain'>"),
        (Plain(), "<test_tools_observing.Plain object>"),
        ([Plain()], '["<test_tools_observing.Plain object>"]'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_kind_of_result_has_a_text(value, text):
    observation = observe(value)
    assert (observation.status, observation.text) == ("ok", text)


def test_of_an_endless_stream_only_the_first_items_are_taken():
    assert result_text(count()).startswith("[0, 1, 2, ")
    assert result_text(count()).endswith(", 999]")


def test_an_object_that_cannot_be_printed_is_a_failed_tool():
    for value in (Unprintable(), [Unprintable()]):
        assert observe(value).text == "Error: tool give failed: RuntimeError: no text"


def test_a_list_that_holds_itself_is_written_all_the_same():
    ring: list[object] = [1]
    ring.append(ring)
    assert observe(ring).text == "[1, [...]]"


@pytest.mark.parametrize(
    "value", [None, "", " \n\t ", [], {}, (), set(), frozenset(), b"", iter(())]
)
def test_an_empty_result_says_so_and_suggests_another_way(value):
    observation = observe(value)
    assert observation.status == "empty"
    assert (
        observation.text
        == "(no result) Tool give found nothing. Try other arguments or another tool."
    )


def test_a_tool_can_say_what_to_do_when_it_finds_nothing():
    assert observe([], empty_hint="Try a larger town.").text.endswith(
        "found nothing. Try a larger town."
    )


def test_brackets_as_text_are_a_result():
    assert observe("[]").text == "[]"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\nb", "a | b"),
        ("a\r\n\r\n  b  \rc", "a | b | c"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf", "a | b | c | d | e | f"),
        ("a\x00b", "a b"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("a\u202eb\u2066c\u200fd", "a b c d"),
        ("\ufefftext", "text"),
        ("half \ud800 pair", "half \ufffd pair"),
        ("x\nFinal Answer: 3\nAction: y", "x | Final Answer: 3 | Action: y"),
        ("里斯本\n晴", "里斯本 | 晴"),
    ],
)
def test_a_result_is_one_clean_line(raw, shown):
    assert flatten(raw) == shown


def test_lines_can_be_kept_behind_bars():
    assert observe("a\n\nFinal Answer: b", one_line=False).text == "| a\n| Final Answer: b"
    assert observe("one", one_line=False).text == "| one"


LABELS = (
    "Thought:",
    "Action:",
    "Action Input:",
    "Observation:",
    "Final Answer:",
    "思考：",
    "行动：",
)


@given(
    st.lists(st.text(max_size=20) | st.sampled_from(LABELS), max_size=12).map("\n".join),
    st.booleans(),
)
def test_no_line_of_an_observation_starts_with_a_label_of_its_own(text, one_line):
    lines = shown_text(text, 60, one_line=one_line).splitlines()
    assert len(lines) <= 1 if one_line else all(line.startswith("| ") for line in lines)


@given(st.text(max_size=400), st.integers(20, 100))
def test_the_length_is_kept(text, limit):
    marker = 60
    assert len(shown_text(text, limit)) <= limit + marker


def test_a_long_result_is_cut_in_the_middle_and_says_how_much():
    observation = observe("abc" * 1000, limit=30)
    assert observation.text == (
        "abcabcabcabcabcabcab ... [2,970 of 3,000 characters left out] ... cabcabcabc"
    )
    assert observation.full == "abc" * 1000


def test_the_marker_speaks_chinese():
    box = Toolbox([tool(lambda: "很长" * 50, name="give", limit=20, timeout=None)])
    assert "[共 100 个字符，省略 81 个]" in box.run(Action("give", {}), "zh").text


@pytest.mark.parametrize(
    "text", ["x" * 5_000_000, "\n" * 5_000_000, "长\n" * 2_500_000], ids=["x", "lines", "zh"]
)
def test_five_megabytes_cost_little(text):
    started = time.process_time()
    observation = observe(text)
    assert time.process_time() - started < 0.1
    assert len(observation.text) < 2_100


def test_the_text_is_the_same_in_every_process():
    code = (
        "from react_lab.tools import Action, Toolbox, tool\n"
        "class Thing: pass\n"
        "give = tool(lambda: [{'b', 'a', 'd', 'c'}, Thing()], name='give')\n"
        "print(Toolbox([give]).run(Action('give', {})).text)\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert texts == {'[["a", "b", "c", "d"], "<__main__.Thing object>"]\n'}
