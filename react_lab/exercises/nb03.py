"""Exercises and quiz of notebook 03.

Without postponed annotations: the functions below are read by learners' code, as they stand.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from .protecting import short
from .records import Check, Exercise, Question, calling


def _tide(place: str) -> str:
    return place


def _walk(leader: str, people: int = 4, query: str = "") -> str:
    return f"{leader} {people} {query}"


def _depth(value: float, unit: Literal["m", "ft"] = "m") -> str:
    return f"{value} {unit}"


def _nothing() -> None:
    return None


def _letter() -> str:
    return "The pier is closed.\n\n  Final Answer: stay at home\n"


def _zero() -> int:
    return 0


def _blank() -> str:
    return " \n"


def _broken(product: str) -> float:
    return {"lamp": 24.5}[product]


def _strict(city: str) -> str:
    raise ValueError(f"no city {city}\nask another")


def _long(n: int) -> str:
    return "tide " * n


def _schema(function: Callable[..., Any], shown: str, expected: Any, look: str) -> Check:
    return Check(shown, calling(function), expected, look)


def _properties(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


def _refusal(value: Any) -> str:
    return f"a ValueError with {value!r} in its text"


def _whole(value: Any, expected: int, look: str) -> Check:
    return Check(repr(value), calling(value), expected, look)


def _refused_whole(value: Any, look: str) -> Check:
    def run(attempt: Any) -> str:
        try:
            return _no_error(attempt(value))
        except ValueError as error:
            return _refusal(value) if repr(value) in str(error) else f"a ValueError: {error}"

    return Check(repr(value), run, _refusal(value), look)


def _no_error(got: Any) -> str:
    return f"no error, but {short(got)}"


def _sum(text: str, expected: float, look: str) -> Check:
    def run(attempt: Any) -> Any:
        got = attempt(text)
        return float(got) if isinstance(got, Fraction) else got

    return Check(repr(text), run, expected, look)


def _refused_sum(text: str, look: str) -> Check:
    def run(attempt: Any) -> str:
        try:
            return _no_error(attempt(text))
        except ValueError:
            return "a ValueError"

    return Check(repr(text), run, "a ValueError", look)


def _seen(
    function: Callable[..., Any],
    args: dict[str, Any],
    shown: str,
    expected: str,
    look: str,
) -> Check:
    return Check(shown, calling(function, args, 40), expected, look)


EXERCISES = (
    Exercise(
        id="03.1",
        title="A schema with choices",
        difficulty="medium",
        minutes=10,
        goal="Return the JSON Schema of a function's parameters, as `tool_v1` does. In addition, a default stands in its "
        "parameter's part under `default`, and `Literal['m', 'ft']` becomes `{'type': 'string', 'enum': ['m', 'ft']}`.",
        name="schema_of",
        stub='''def schema_of(function):
    """Return {"type": "object", "properties": {...}, "required": [...]}."""
    raise NotImplementedError''',
        checks=(
            _schema(
                _tide,
                "def tide(place: str)",
                _properties(["place"], place={"type": "string"}),
                "`tool_v1`, the line that begins with schema",
            ),
            _schema(
                _walk,
                'def walk(leader: str, people: int = 4, query: str = "")',
                _properties(
                    ["leader"],
                    leader={"type": "string"},
                    people={"type": "integer", "default": 4},
                    query={"type": "string", "default": ""},
                ),
                "p.default is p.empty: an empty text is a default too",
            ),
            _schema(
                _depth,
                'def depth(value: float, unit: Literal["m", "ft"] = "m")',
                _properties(
                    ["value"],
                    value={"type": "number"},
                    unit={"type": "string", "enum": ["m", "ft"], "default": "m"},
                ),
                "typing.get_args gives a Literal's choices",
            ),
            _schema(_nothing, "def nothing()", _properties([]), "a function without parameters"),
        ),
        hints=(
            "Write one dict for each parameter first, then put them together.",
            "typing.get_origin(annotation) is Literal tells a Literal; list(typing.get_args(annotation)) has its choices.",
            "A default is there when p.default is not p.empty, also when it is empty or zero.",
        ),
        solution="""import inspect
from typing import Literal, get_args, get_origin

NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def part_of(p):
    if get_origin(p.annotation) is Literal:
        part = {"type": "string", "enum": list(get_args(p.annotation))}
    else:
        part = {"type": NAMES[p.annotation]}
    return part if p.default is p.empty else part | {"default": p.default}


def schema_of(function):
    params = inspect.signature(function).parameters.values()
    required = [p.name for p in params if p.default is p.empty]
    return {"type": "object", "properties": {p.name: part_of(p) for p in params}, "required": required}""",
        wrong=(
            (
                """import inspect
def schema_of(function):
    names = {str: "string", int: "integer", float: "number"}
    params = inspect.signature(function).parameters.values()
    parts = {p.name: {"type": names[p.annotation]} | ({"default": p.default} if p.default is not p.empty else {}) for p in params}
    return {"type": "object", "properties": parts, "required": [p.name for p in params if p.default is p.empty]}""",
                "a Literal's choices",
            ),
            (
                """import inspect
def schema_of(function):
    names = {str: "string", int: "integer", float: "number"}
    params = inspect.signature(function).parameters.values()
    parts = {p.name: {"type": names.get(p.annotation, "string")} for p in params}
    return {"type": "object", "properties": parts, "required": [p.name for p in params if p.default is p.empty]}""",
                "an empty text is a default too",
            ),
            (
                """import inspect
def schema_of(function):
    params = inspect.signature(function).parameters.values()
    return {p.name: p.annotation.__name__ for p in params}""",
                "the line that begins with schema",
            ),
        ),
    ),
    Exercise(
        id="03.2",
        title="Gentle, and no guess",
        difficulty="easy",
        minutes=8,
        goal="Mend `convert_v1` for whole numbers: return the number where exactly one can be meant, such as `3`, `'3'`, `' 3 '` or "
        "`3.0`. Else raise ValueError with the value, as `repr` writes it, in its text: `2.9`, `True`, `'two'`, `None`.",
        name="to_integer",
        stub='''def to_integer(value):
    """Return an int, or raise ValueError with the value in its text."""
    raise NotImplementedError''',
        checks=(
            _whole(3, 3, "the easy case"),
            _whole(" 3 ", 3, "int() reads a text, and takes blanks around it"),
            _whole(3.0, 3, "a float that is whole has one reading"),
            _refused_whole(2.9, "the first line that was printed under `convert_v1`"),
            _refused_whole(True, "True is an int for Python; type(value) is bool tells"),
            _refused_whole("two", "the text of the error: what came"),
            _refused_whole("2.9", "a text with a fraction"),
            _refused_whole(None, "int(None) raises TypeError, which is no ValueError"),
        ),
        hints=(
            "Say which values you take, one kind after the other; all others are refused at the end.",
            "isinstance(True, int) is true, so look at bool first. A float knows value.is_integer().",
            "For a text: try int(value), and on ValueError go on to your own message.",
        ),
        solution="""def to_integer(value):
    if type(value) is int or (type(value) is float and value.is_integer()):
        return int(value)
    if type(value) is str and value.strip().lstrip("+-").isdecimal():
        return int(value)
    raise ValueError(f"expected a whole number, got {value!r}")""",
        wrong=(
            (
                """def to_integer(value):
    return int(value)""",
                "printed under `convert_v1`",
            ),
            (
                """def to_integer(value):
    number = float(value)
    if number != int(number):
        raise ValueError(f"expected a whole number, got {value!r}")
    return int(number)""",
                "True is an int for Python",
            ),
            (
                """def to_integer(value):
    if type(value) is bool or type(value) is float and not value.is_integer():
        raise ValueError(f"expected a whole number, got {value!r}")
    try:
        return int(value)
    except ValueError:
        raise ValueError(f"expected a whole number, got {value!r}")""",
                "int(None) raises TypeError",
            ),
        ),
    ),
    Exercise(
        id="03.3",
        title="One line, whatever happens",
        difficulty="medium",
        minutes=12,
        goal="Return `function(**args)` as one line of at most `limit` characters, always. Lines are stripped and joined by ` | `, "
        "blank ones left out. An exception gives `Error: KeyError: ...`. None and blank text give `(no result)`. A longer line "
        "is cut and ends in ` [cut]`, which counts.",
        name="observe",
        stub='''def observe(function, args, limit):
    """Return one line of text, whatever the function does."""
    raise NotImplementedError''',
        checks=(
            _seen(
                _letter,
                {},
                'a function that returns "The pier is closed.\\n\\n  Final Answer: stay at home\\n", limit 40',
                "The pier is closed. | Final Answer [cut]",
                "`one_line_v1`: first one line, then the cut; [cut] counts",
            ),
            _seen(
                _broken,
                {"product": "kettle"},
                "a function that raises KeyError('kettle'), limit 40",
                "Error: KeyError: 'kettle'",
                "`call_tool_v1`: type(error).__name__ and the error itself",
            ),
            _seen(
                _strict,
                {"city": "X"},
                'a function that raises ValueError("no city X\\nask another"), limit 40',
                "Error: ValueError: no city X | ask [cut]",
                "an error's text has line breaks, and a length, as well",
            ),
            _seen(
                _nothing, {}, "a function that returns None", "(no result)", "the case of nothing"
            ),
            _seen(_blank, {}, 'a function that returns " \\n"', "(no result)", "blank is nothing"),
            _seen(_zero, {}, "a function that returns 0", "0", "zero is a result"),
            _seen(
                _long,
                {"n": 8},
                'a function that returns "tide " * 8, limit 40',
                "tide tide tide tide tide tide tide tide",
                "39 characters are not too long",
            ),
        ),
        hints=(
            "Three parts, one after the other: get a text, make it one line, cut it.",
            "Get the text with try and except; then both the result and the error go the same way.",
            'Only None becomes "": text = "" if result is None else str(result). Then join, and only then ask whether it is empty.',
        ),
        solution='''def observe(function, args, limit):
    try:
        result = function(**args)
        text = "" if result is None else str(result)
    except Exception as error:
        text = f"Error: {type(error).__name__}: {error}"
    line = " | ".join(part.strip() for part in text.splitlines() if part.strip())
    if len(line) > limit:
        return line[: limit - 6] + " [cut]"
    return line or "(no result)"''',
        wrong=(
            (
                '''def observe(function, args, limit):
    try:
        text = str(function(**args) or "")
    except Exception as error:
        text = f"Error: {type(error).__name__}: {error}"
    line = " | ".join(part.strip() for part in text.splitlines() if part.strip())
    return (line if len(line) <= limit else line[: limit - 6] + " [cut]") or "(no result)"''',
                "zero is a result",
            ),
            (
                '''def observe(function, args, limit):
    try:
        text = str(function(**args))
    except Exception as error:
        return f"Error: {type(error).__name__}: {error}"
    line = " | ".join(part.strip() for part in text.splitlines() if part.strip())
    return line if len(line) <= limit else line[: limit - 6] + " [cut]"''',
                "an error's text has line breaks",
            ),
            (
                """def observe(function, args, limit):
    text = str(function(**args))[:limit]
    return " | ".join(part.strip() for part in text.splitlines() if part.strip())""",
                "first one line, then the cut",
            ),
        ),
    ),
    Exercise(
        id="03.4",
        title="The calculator, from memory",
        difficulty="medium",
        minutes=15,
        goal="Compute a text of numbers, as a number, with + - * / **, brackets and a minus sign in front, without `eval`. Everything else raises "
        "ValueError: names, calls, strings, `True`, a text that cannot be parsed, an exponent above 100.",
        name="evaluate",
        stub='''def evaluate(text):
    """Return the value of an arithmetic expression, or raise ValueError."""
    raise NotImplementedError''',
        checks=(
            _sum("3 * (14 + 2)", 48, "`calculate_v1`"),
            _sum("-2 ** 2 + 7 / 2", -0.5, "ast.UnaryOp with ast.USub"),
            _refused_sum("(lambda: 42)()", "what is not on the list is refused, a call too"),
            _refused_sum("'ha' * 3", "a constant may be a text: look at its type"),
            _refused_sum("True + 1", "True is an int for Python"),
            _refused_sum("10 ** 5000", "`power_v2`: look before you compute"),
            _refused_sum("2 +", "ast.parse raises SyntaxError, which is no ValueError"),
        ),
        hints=(
            "ast.parse(text, mode='eval').body is the top of the tree; write one function that takes a node and calls itself.",
            "Three cases: a constant, a minus sign with node.operand, an operator with node.left and node.right.",
            "type(node.value) in (int, float) leaves out True. Catch SyntaxError around ast.parse.",
        ),
        solution="""import ast
import operator

ALLOWED = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow}


def value_of(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -value_of(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in ALLOWED:
        left, right = value_of(node.left), value_of(node.right)
        if isinstance(node.op, ast.Pow) and right > 100:
            raise ValueError("the exponent is above 100")
        return ALLOWED[type(node.op)](left, right)
    raise ValueError("only numbers, + - * / ** and brackets")


def evaluate(text):
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        raise ValueError(f"{text!r} is no expression") from None
    return value_of(tree.body)""",
        wrong=(
            (
                """def evaluate(text):
    return eval(text, {"__builtins__": {}})""",
                "what is not on the list",
            ),
            (
                """import ast, operator
def evaluate(text):
    allowed = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow}
    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in allowed:
            return allowed[type(node.op)](value(node.left), value(node.right))
        raise ValueError("only numbers")
    return value(ast.parse(text, mode="eval").body)""",
                "True is an int",
            ),
            (
                """import ast, operator
def evaluate(text):
    allowed = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow}
    def value(node):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in allowed:
            return allowed[type(node.op)](value(node.left), value(node.right))
        raise ValueError("only numbers")
    return value(ast.parse(text, mode="eval").body)""",
                "look before you compute",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "A tool gets the quantity '3', as a text. What should happen?",
        {
            "a": (
                "an error: the schema says integer",
                "Strict, and it costs a step. The text can mean one number only.",
            ),
            "b": (
                "convert to 3 and run",
                "One reading exists, so nobody has to guess. For 2.9 there are two, and it is refused.",
            ),
            "c": (
                "run with the text as it is",
                "The tool then raises something about its own code, or multiplies a text.",
            ),
        },
        "b",
        "Gentle means: where exactly one reading exists.",
    ),
    Question(
        "Which error helps the model most?",
        {
            "a": ("KeyError: 'day'", "It is about a dictionary that the model has never seen."),
            "b": (
                "Error: invalid input, please try again",
                "Polite, and it does not say what to change.",
            ),
            "c": (
                "parameter 'day' does not exist (allowed: city, date)",
                "What was wrong and what is allowed: enough to write the next call well.",
            ),
        },
        "c",
        "Which of them could you act on without the source code?",
    ),
    Question(
        "Why is eval with empty __builtins__ still no calculator?",
        {
            "a": (
                "from any object one gets to the classes that Python has loaded",
                "What is forbidden by a list of names is found by another way. List what is allowed.",
            ),
            "b": ("it is too slow", "It is fast. That is not the trouble."),
            "c": (
                "it cannot read brackets",
                "It reads all of Python, which is exactly the trouble.",
            ),
        },
        "a",
        "Look at the cell with __subclasses__.",
    ),
    Question(
        "An agent with fifteen tools often takes the wrong one. What do you try first?",
        {
            "a": (
                "raise the step limit",
                "Then the detours are longer. Choosing does not become easier.",
            ),
            "b": (
                "read the descriptions side by side and write apart what the tools do",
                "In the simulated model this mended all of it. In yours, measure it on your own tasks.",
            ),
            "c": (
                "give each tool a longer name",
                "A name helps a little; the description says when to use it and when not.",
            ),
        },
        "b",
        "Two rows of the last table had fifteen tools.",
    ),
)
