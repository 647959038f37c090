"""Exact arithmetic from an allow-list; nothing is ever executed (notebook 03).

The expression is parsed to a syntax tree and only known nodes are computed, with exact
fractions where possible. Characters, length, depth and size are bounded before any work is
done, so `9**9**9` is refused at once.

>>> calculate("0.1 + 0.2")
'0.3'
>>> calculate("1,200 × 3 − 50")
'3550'
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NoReturn

from ..errors import ToolFailure
from ..tools import tool

#: Bounds: characters, nested operations, digits of a value.
MAX_LENGTH, MAX_DEPTH, MAX_DIGITS = 300, 30, 240
#: Significant digits shown of a value that has no end, and of one that has.
SHOWN_DIGITS, EXACT_DIGITS = 12, 24
Number = int | Fraction | float
_EXAMPLE = "3 * (14.90 + 2)"
_READ = str.maketrans("０１２３４５６７８９×÷−–·（），。．＋－＊／％", "0123456789*/--*(),..+-*/%")
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d)")
_PERCENT = re.compile(r"(?<![\d.])(\d+(?:\.\d*)?|\.\d+)\s*%(?!\s*[\w(.]|-[\d(])")
_DIGIT_GROUPS = re.compile(r"(?<=\d)_(?=\d)")
_EXPONENT = re.compile(r"(?<=[\d.])[eE](?=[+-]?\d)")
_WORD = re.compile(r"[^\W\d]\w*")
_ODD = re.compile(r"[^\w\s.,+\-*/%()]")


class CalculatorError(ToolFailure):
    """Say why an expression was not computed, and what to write instead."""


class _Refusal(Exception):
    """Carry a key of TEXTS and its values; never leaves this module."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values


@tool(timeout=None)
def calculator(expression: str) -> str:
    """Compute one arithmetic expression. Use it for every sum, even an easy one; not for words or units. Example: 3 * (14.90 + 2).

    Args:
        expression: numbers with + - * / // % ** and brackets; sqrt, abs, round, min, max
    """
    return calculate(expression)


@tool(name="calculator", timeout=None)
def calculator_zh(expression: str) -> str:
    """计算一个算术表达式。任何计算都用它，简单的也用；不处理文字和单位。例如：3 * (14.90 + 2)。

    参数：
        expression: 数字与 + - * / // % ** 和括号；sqrt、abs、round、min、max
    """
    return calculate(expression, "zh")


def calculate(expression: str, language: str = "en") -> str:
    """Return the value as tidy text; raise CalculatorError for anything but arithmetic."""
    try:
        text = _readable(expression)
        return tidy(_Sum(text).value(_parse(text), 0))
    except _Refusal as refusal:
        raise CalculatorError(TEXTS[language][refusal.key].format(**refusal.values)) from None


def tidy(value: Number) -> str:
    """Write a number without noise: exact where it ends within 24 digits, else rounded to 12.

    The whole part of a number is never rounded.
    """
    if isinstance(value, float):
        return f"{value:.{SHOWN_DIGITS}g}" if math.isfinite(value) else _refuse("large")
    if value.denominator == 1:
        return str(value.numerator)
    with localcontext(prec=2 * MAX_DIGITS):  # enough to see whether it ends
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        ends = len(exact.as_tuple().digits) <= EXACT_DIGITS
        shown = exact if ends else exact.normalize().__round__(_places(exact))
    return f"{shown:.{SHOWN_DIGITS}g}" if exact.adjusted() < -9 else _without_zeros(f"{shown:f}")


def _places(exact: Decimal) -> int:
    return max(SHOWN_DIGITS - 1 - exact.adjusted(), 2)


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _readable(expression: str) -> str:
    """Return the expression in plain characters, or refuse it before anything is parsed."""
    if len(expression) > MAX_LENGTH:
        _refuse("long", length=len(expression))
    text = expression.translate(_READ).replace("²", "**2").replace("³", "**3").replace("^", "**")
    text = text.strip().rstrip("=? \n")
    if not text:
        _refuse("nothing")
    if not re.search(r"[A-Za-z]\s*\(", text):
        text = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), text)
    text = _PERCENT.sub(r"(\1/100)", _DIGIT_GROUPS.sub("", text))
    words = [word for word in _WORD.findall(_EXPONENT.sub("", text)) if word not in _FUNCTIONS]
    if words:
        _refuse("word", word=words[0][:40])
    if odd := _ODD.search(text):
        _refuse("character", found=odd[0])
    return " ".join(text.split())


def _parse(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return _refuse("unreadable", text=text if len(text) <= 60 else f"{text[:57]}...")


class _Sum:
    """Compute a tree; the text gives decimals their exact value."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, node: ast.expr, depth: int) -> Number:
        """Return the value of a node, or refuse it."""
        if depth > MAX_DEPTH:
            _refuse("deep")
        match node:
            case ast.Constant(value=int() | float()):
                literal = self._literal(node)
                return _checked(int(literal) if literal.isdecimal() else Fraction(literal))
            case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
                value = self.value(operand, depth + 1)
                return -value if isinstance(sign, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                pair = self.value(left, depth + 1), self.value(right, depth + 1)
                return _checked(_guarded(_OPERATORS[type(op)], *pair))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
                return _checked(self._call(name, [self.value(arg, depth + 1) for arg in args]))
            case ast.Name(id=name):
                _refuse("word", word=name[:40])
        _refuse("other")

    def _literal(self, node: ast.Constant) -> str:
        text = self.text[node.col_offset : node.end_col_offset].lower()
        exponent = text.partition("e")[2]
        if exponent and abs(int(exponent)) > MAX_DIGITS:
            _refuse("large")
        return text

    def _call(self, name: str, values: list[Number]) -> Number:
        function, least, most = _FUNCTIONS[name]
        if not least <= len(values) <= most:
            _refuse("arguments", name=name, n=len(values))
        return _guarded(function, *values)


def _guarded(function: Callable[..., Number], *values: Number) -> Number:
    try:
        return function(*values)
    except ZeroDivisionError:
        _refuse("zero")
    except (OverflowError, ValueError):
        _refuse("large")


def _checked(value: Number) -> Number:
    if not isinstance(value, float) and max(abs(value.numerator), value.denominator) >= _LARGEST:
        _refuse("large")
    return value


def _refuse(key: str, **values: object) -> NoReturn:
    raise _Refusal(key, **values)


def _power(base: Number, exponent: Number) -> Number:
    if (
        not isinstance(base, float)
        and not isinstance(exponent, float)
        and exponent.denominator == 1
    ):
        size = max(abs(base.numerator), base.denominator)
        if size > 1 and math.log10(size) * abs(exponent.numerator) > MAX_DIGITS:
            _refuse("large")
        return Fraction(base) ** exponent.numerator
    if base < 0:
        _refuse("root")
    return float(float(base) ** float(exponent))


def _root(value: Number) -> Number:
    if value < 0:
        _refuse("root")
    if isinstance(value, float):
        return math.sqrt(value)
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else math.sqrt(value)


def _round(value: Number, digits: Number = Fraction(0)) -> Number:
    """Round half away from zero, as people do; Python's own rounds half to even."""
    if not -SHOWN_DIGITS <= digits <= SHOWN_DIGITS or digits != int(digits):
        _refuse("places")
    shift = Fraction(10) ** int(digits)
    size = math.floor(abs(Fraction(value)) * shift + Fraction(1, 2)) / shift
    return size if value >= 0 else -size


_LARGEST = 10**MAX_DIGITS
_OPERATORS: dict[type[ast.operator], Callable[..., Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a, b) if type(a) is type(b) is int else a / b,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
#: Each function with the least and the largest number of arguments.
_FUNCTIONS: dict[str, tuple[Callable[..., Number], int, int]] = {
    "sqrt": (_root, 1, 1),
    "abs": (abs, 1, 1),
    "round": (_round, 1, 2),
    "min": (min, 2, 20),
    "max": (max, 2, 20),
}
_KNOWN = ", ".join(_FUNCTIONS)
TEXTS = {
    "en": {
        "nothing": f"the expression is empty; write numbers, such as {_EXAMPLE}",
        "long": f"the expression has {{length:,}} characters; at most {MAX_LENGTH} are allowed",
        "word": f"{{word!r}} is a word, not a number; put its value in first, such as {_EXAMPLE}",
        "character": f"{{found!r}} is not arithmetic; write numbers and + - * / // % ** ( ), such as {_EXAMPLE}",
        "unreadable": f"{{text!r}} is not arithmetic; check brackets and operators, such as {_EXAMPLE}",
        "other": f"only numbers, + - * / // % ** ( ) and {_KNOWN} are allowed, such as {_EXAMPLE}",
        "deep": f"more than {MAX_DEPTH} operations are nested in each other; compute it in parts",
        "large": f"the result is too large; at most {MAX_DIGITS} digits are computed",
        "zero": "division by zero",
        "root": "a negative number has no real root",
        "places": f"round takes a whole number of at most {SHOWN_DIGITS} digits",
        "arguments": "{name} got the wrong number of arguments: {n}; write it as in sqrt(2), abs(-2), round(2.345, 2), min(1, 2) or max(1, 2)",
    },
    "zh": {
        "nothing": f"算式为空；请写数字，例如 {_EXAMPLE}",
        "long": f"算式有 {{length:,}} 个字符；最多 {MAX_LENGTH} 个",
        "word": f"{{word!r}} 是文字，不是数字；请先代入数值，例如 {_EXAMPLE}",
        "character": f"{{found!r}} 不是算术符号；请写数字和 + - * / // % ** ( )，例如 {_EXAMPLE}",
        "unreadable": f"{{text!r}} 不是算式；请检查括号和运算符，例如 {_EXAMPLE}",
        "other": f"只允许数字、+ - * / // % ** ( ) 和 {_KNOWN}，例如 {_EXAMPLE}",
        "deep": f"嵌套的运算超过 {MAX_DEPTH} 层；请分几次计算",
        "large": f"结果太大；最多计算 {MAX_DIGITS} 位",
        "zero": "除数为零",
        "root": "负数没有实数根",
        "places": f"round 的位数必须是整数，最多 {SHOWN_DIGITS} 位",
        "arguments": "{name} 收到 {n} 个参数；请照此书写：sqrt(2)、abs(-2)、round(2.345, 2)、min(1, 2) 或 max(1, 2)",
    },
}
