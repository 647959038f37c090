"""The lint names the part that a description lacks, and only that."""

from __future__ import annotations

import pytest

from react_lab.tools import lint_tool, tool

GOOD = "Return the price of one product. Use it for prices, not for totals. Example: product lamp."
GOOD_ZH = "查询一种商品的价格。价格问题用它，不计算总价。例如：product 台灯。"
ARGS = "\n\nArgs:\n    product: the name of a product"


def problems(description, function=None):
    def shop(product: str) -> str:
        return product

    made = function or shop
    made.__doc__ = description
    return [problem.partition(":")[0] for problem in lint_tool(tool(made))]


@pytest.mark.parametrize(
    ("description", "missing"),
    [
        (GOOD, []),
        (GOOD_ZH, []),
        ("The price of one product. Use it for prices. Example: lamp.", ["verb"]),
        ("A tool that returns one price. Use it for prices. Example: lamp.", ["verb"]),
        ("Get it. Use it for one price. Example: lamp.", ["object"]),
        ("Return the price of a product. Use it for prices. Example: lamp.", ["boundary"]),
        ("Return the price of one product. Example: lamp.", ["when"]),
        ("Return the price of one product. Use it for prices.", ["example"]),
        ("Prices.", ["verb", "object", "boundary", "when", "example"]),
        ("价格。", ["verb", "object", "boundary", "when", "example"]),
        ("查询一种商品的价格。例如：台灯。", ["when"]),
        ("查询一种商品的价格。价格问题用它。", ["example"]),
        ("", ["description"]),
    ],
)
def test_each_part_is_missed(description, missing):
    assert problems(description + ARGS) == missing


def test_an_example_may_stand_with_a_parameter():
    text = "Return the price of one product. Use it for prices.\n\nArgs:\n    product: a name such as lamp"
    assert problems(text) == []


def test_parameters_need_a_type_and_a_note():
    def shop(product, n: int = 1):
        return product

    assert lint_tool(tool(shop))[1:] == [
        "parameter 'product': add a type, such as product: str",
        "parameter 'product': add a line under Args: that says what to write",
        "parameter 'n': add a line under Args: that says what to write",
    ]


def test_the_message_quotes_how_it_starts():
    def price(product: str) -> str:
        """Prices."""
        return product

    assert lint_tool(tool(price))[0] == (
        "verb: starts with 'Prices'; start with what it does, such as Return, Compute or List"
    )
