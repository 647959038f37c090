"""Exercises and quiz of notebook 07."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import ToolFailure, TransientFailure
from ..records import Completion, Messages, Parsed, Run, Step, StopReason
from .protecting import short
from .records import Check, Exercise, Question


def _greet(name: str, mark: str = "!") -> str:
    return f"hello {name}{mark}"


def _tries(n: int, fails: int) -> Callable[[Any], list[str]]:
    """Call what the learner's function returns n times; list what each call gave."""

    def run(flaky: Any) -> list[str]:
        broken = flaky(_greet, fails)
        return [_outcome(lambda: broken("you", mark="?")) for _ in range(n)]

    return run


def _outcome(call: Callable[[], Any]) -> str:
    try:
        return short(call()).strip("'")
    except (TransientFailure, ToolFailure) as failure:
        return type(failure).__name__


def _two_at_once(flaky: Any) -> list[str]:
    one, other = flaky(_greet, 1), flaky(_greet, 1)
    return [_outcome(partial(call, "you")) for call in (one, other, one, other)]


def _run(steps: int, answer: str | None = "8", reason: StopReason = "final_answer") -> Run:
    step = Step(Messages(), Completion(""), Parsed())
    return Run("q", (step,) * steps, answer=answer, stop_reason=reason)


def _judged(faulted: Any, right: bool) -> Callable[[Any], Any]:
    return lambda verdict: verdict(_run(3), faulted, right)


def _asked(first: float, second: float) -> Callable[[Any], str]:
    """Ask the learner's combined source; tell whether a failure names both figures."""

    def run(cross_check: Any) -> str:
        ask = cross_check(lambda city: first, lambda city: second)
        try:
            return short(ask("Lisbon")).strip("'")
        except ToolFailure as failure:
            named = all(f"{figure:g}" in str(failure) for figure in (first, second))
            return f"ToolFailure that {'names' if named else 'does not name'} both figures"

    return run


EXERCISES = (
    Exercise(
        id="07.1",
        title="A flaky function",
        difficulty="easy",
        minutes=8,
        goal="Write a fault by hand. `flaky(function, fails)` returns a function that raises `TransientFailure` on its first "
        "`fails` calls, and from then on returns what `function` returns for the same arguments, positional and "
        "keyword. Two flaky functions count apart.",
        name="flaky",
        stub='''def flaky(function, fails):
    """Return a function that raises TransientFailure on its first calls, then works."""
    raise NotImplementedError''',
        checks=(
            Check(
                'flaky(greet, 2), called three times with ("you", mark="?")',
                _tries(3, 2),
                ["TransientFailure", "TransientFailure", "hello you?"],
                "`faulty_tool_v1`: what is counted, and where the count lives",
            ),
            Check(
                'flaky(greet, 0), called twice with ("you", mark="?")',
                _tries(2, 0),
                ["hello you?", "hello you?"],
                "no failures asked for: none is due",
            ),
            Check(
                "two flaky functions that fail once each, called by turns",
                _two_at_once,
                ["TransientFailure", "TransientFailure", "hello you!", "hello you!"],
                "the count belongs to one wrapper, not to the module",
            ),
        ),
        hints=(
            "You return a function. It has to remember how often it has been called.",
            "`nonlocal` lets an inner function change a number of the outer one; itertools.count works too.",
            "def call(*args, **options): nonlocal left; if left > 0: left -= 1; raise TransientFailure(...)",
        ),
        solution="""from react_lab import TransientFailure


def flaky(function, fails):
    left = fails

    def call(*args, **options):
        nonlocal left
        if left > 0:
            left -= 1
            raise TransientFailure("busy, try again in a moment")
        return function(*args, **options)

    return call""",
        wrong=(
            (
                """from react_lab import TransientFailure
def flaky(function, fails):
    def call(*args, **options):
        if fails > 0:
            raise TransientFailure("busy")
        return function(*args, **options)
    return call""",
                "['TransientFailure', 'TransientFailure', 'TransientFailure']",
            ),
            (
                """from react_lab import TransientFailure
def flaky(function, fails):
    calls = 0
    def call(*args, **options):
        nonlocal calls
        calls += 1
        return "Error: busy" if calls <= fails else function(*args, **options)
    return call""",
                "Error: busy",
            ),
            (
                """from react_lab import TransientFailure
calls = 0
def flaky(function, fails):
    global calls
    calls = 0
    def call(*args, **options):
        global calls
        calls += 1
        if calls <= fails:
            raise TransientFailure("busy")
        return function(*args, **options)
    return call""",
                "called by turns",
            ),
        ),
    ),
    Exercise(
        id="07.2",
        title="A judge",
        difficulty="medium",
        minutes=10,
        goal="`verdict(clean, faulted, right)` returns `crash` if faulted is an exception. If right: `recovered`, or `recovered at "
        "extra cost` when it took more steps than clean. Else `safe stop` when stop_reason is not `final_answer`, and `wrong answer` "
        "when it is.",
        name="verdict",
        stub='''def verdict(clean, faulted, right):
    """Return one of five words; right tells whether the answer of faulted is right."""
    raise NotImplementedError''',
        checks=(
            Check(
                "an exception in place of a run",
                _judged(KeyError("x"), right=False),
                "crash",
                "isinstance(faulted, Exception), before anything is asked of a run",
            ),
            Check(
                "the right answer in as many steps as the clean run",
                _judged(_run(3), right=True),
                "recovered",
                "*Six verdicts*",
            ),
            Check(
                "the right answer, two steps later",
                _judged(_run(5), right=True),
                "recovered at extra cost",
                "compare len(faulted.steps) with len(clean.steps)",
            ),
            Check(
                "the right answer, one step sooner",
                _judged(_run(2), right=True),
                "recovered",
                "extra cost is more steps than clean, not another number of steps",
            ),
            Check(
                "no answer, stopped as repeated_action",
                _judged(_run(5, None, "repeated_action"), right=False),
                "safe stop",
                "every stop_reason but final_answer is a named stop",
            ),
            Check(
                "a wrong answer, well presented",
                _judged(_run(3, "41"), right=False),
                "wrong answer",
                "it stopped as final_answer, and right is False",
            ),
            Check(
                "stopped as max_steps, with the right answer of a forced last turn",
                _judged(_run(9, "8", "max_steps"), right=True),
                "recovered at extra cost",
                "ask whether it is right before you ask why it stopped",
            ),
        ),
        hints=(
            "Five returns. The order of the questions matters.",
            "Exception first, then right, then stop_reason.",
            'if right: return "recovered" if len(faulted.steps) <= len(clean.steps) else "recovered at extra cost"',
        ),
        solution='''def verdict(clean, faulted, right):
    if isinstance(faulted, Exception):
        return "crash"
    if right:
        costly = len(faulted.steps) > len(clean.steps)
        return "recovered at extra cost" if costly else "recovered"
    return "wrong answer" if faulted.stop_reason == "final_answer" else "safe stop"''',
        wrong=(
            (
                """def verdict(clean, faulted, right):
    if right:
        return "recovered" if len(faulted.steps) == len(clean.steps) else "recovered at extra cost"
    return "wrong answer" if faulted.stop_reason == "final_answer" else "safe stop\"""",
                "in place of a run",
            ),
            (
                """def verdict(clean, faulted, right):
    if isinstance(faulted, Exception):
        return "crash"
    if faulted.stop_reason != "final_answer":
        return "safe stop"
    if right:
        return "recovered" if len(faulted.steps) <= len(clean.steps) else "recovered at extra cost"
    return "wrong answer\"""",
                "forced last turn",
            ),
            (
                """def verdict(clean, faulted, right):
    if isinstance(faulted, Exception):
        return "crash"
    if right:
        return "recovered"
    return "wrong answer" if faulted.stop_reason == "final_answer" else "safe stop\"""",
                "two steps later",
            ),
            (
                """def verdict(clean, faulted, right):
    if isinstance(faulted, Exception):
        return "crash"
    if right:
        return "recovered" if len(faulted.steps) == len(clean.steps) else "recovered at extra cost"
    return "wrong answer" if faulted.stop_reason == "final_answer" else "safe stop\"""",
                "one step sooner",
            ),
        ),
    ),
    Exercise(
        id="07.3",
        title="A second source",
        difficulty="medium",
        minutes=10,
        goal="Two functions return a city's temperature as a number. `cross_check(first, second)` returns a function of the city: "
        "where both differ by at most 1 it returns a text such as `Lisbon: 22.5 °C`, with the first figure. Else it raises "
        "`ToolFailure` with a message that names both figures.",
        name="cross_check",
        stub='''def cross_check(first, second):
    """Return a function city -> text that believes two sources only where they agree."""
    raise NotImplementedError''',
        checks=(
            Check(
                "Lisbon: 22.5 and 22.5",
                _asked(22.5, 22.5),
                "Lisbon: 22.5 °C",
                "the form of the text in the goal",
            ),
            Check(
                "Lisbon: 22.5 and 23",
                _asked(22.5, 23),
                "Lisbon: 22.5 °C",
                "at most 1 apart is agreement; the first figure is shown",
            ),
            Check(
                "Lisbon: 22.5 and 14",
                _asked(22.5, 14),
                "ToolFailure that names both figures",
                "raise, so that the model gets an Observation it can act on",
            ),
            Check(
                "Lisbon: 14 and 22.5",
                _asked(14, 22.5),
                "ToolFailure that names both figures",
                "the difference has two signs: abs",
            ),
            Check(
                "Lisbon: 41 and 41",
                _asked(41, 41),
                "Lisbon: 41 °C",
                "two sources that are wrong together agree: the limit of this defence",
            ),
        ),
        hints=(
            "Ask both, compare, then either return or raise.",
            "abs(a - b) <= 1 is agreement. f'{a:g}' writes 22.5 as 22.5 and 41.0 as 41.",
            'raise ToolFailure(f"the sources disagree on {city}: {a:g} and {b:g} °C")',
        ),
        solution="""from react_lab import ToolFailure


def cross_check(first, second):
    def ask(city):
        a, b = first(city), second(city)
        if abs(a - b) > 1:
            raise ToolFailure(f"the sources disagree on {city}: {a:g} and {b:g} °C")
        return f"{city}: {a:g} °C"

    return ask""",
        wrong=(
            (
                """from react_lab import ToolFailure
def cross_check(first, second):
    def ask(city):
        a, b = first(city), second(city)
        if a != b:
            raise ToolFailure(f"{a:g} and {b:g}")
        return f"{city}: {a:g} °C"
    return ask""",
                "22.5 and 23",
            ),
            (
                """def cross_check(first, second):
    return lambda city: f"{city}: {first(city):g} °C\"""",
                "got:      'Lisbon: 22.5 °C'",
            ),
            (
                """from react_lab import ToolFailure
def cross_check(first, second):
    def ask(city):
        a, b = first(city), second(city)
        if a - b > 1:
            raise ToolFailure(f"{a:g} and {b:g}")
        return f"{city}: {a:g} °C"
    return ask""",
                "14 and 22.5",
            ),
            (
                """from react_lab import ToolFailure
def cross_check(first, second):
    def ask(city):
        a, b = first(city), second(city)
        if abs(a - b) > 1:
            raise ToolFailure("the sources disagree")
        return f"{city}: {a:g} °C"
    return ask""",
                "does not name both",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "A fault wrapper stands around a model that retries failed calls. Which fault does it test in vain?",
        {
            "a": (
                "a time-out",
                "The retry sits inside the fault and never sees it: the run ends as llm_error.",
            ),
            "b": (
                "an invented Observation",
                "The reader that cuts it sits outside the model, so outside the wrapper too.",
            ),
            "c": ("stale data from a tool", "That fault sits at another seam."),
        },
        "a",
        "Which defence would have to answer it, and on which side of the fault does it stand?",
    ),
    Question(
        "A run with a fault in it gives the right answer two steps late. What is the verdict?",
        {
            "a": (
                "recovered",
                "Recovered without a mark means no extra step and hardly a token more.",
            ),
            "b": (
                "recovered at extra cost",
                "The answer is right and the bill is longer; a table that hides this hides what a defence costs.",
            ),
            "c": ("safe stop", "A safe stop has no right answer."),
        },
        "b",
        "Two things are asked: is it right, and what did it cost?",
    ),
    Question(
        "One row of the heatmap is 0/6 in every column, `all on` included. What does it tell?",
        {
            "a": (
                "every defence makes it worse",
                "Nothing can make 0 worse; the row says that no defence makes it better.",
            ),
            "b": (
                "the fault never fired",
                "Then it would be 0/0: only runs in which it fired are counted.",
            ),
            "c": (
                "no defence here answers that fault",
                "O9 is such a row: the loop cannot see that a well-formed figure is old.",
            ),
        },
        "c",
        "Read the number behind the stroke too.",
    ),
    Question(
        "A batch shows 10 of 10 recovered for a fault. What may we say about a real model?",
        {
            "a": (
                "nothing before we have run the same batch on it",
                "The simulated model is a caricature: the method carries over, the numbers do not.",
            ),
            "b": ("it recovers in about 10 of 10 cases", "These were runs of the simulated model."),
            "c": (
                "the defence works for every model",
                "Some defences only give the model a message; whether it acts on it depends on the model.",
            ),
        },
        "a",
        "Who wrote the replies?",
    ),
)
