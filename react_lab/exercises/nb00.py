"""Exercise and quiz of notebook 00."""

from __future__ import annotations

from typing import Any

from ..records import Action, Completion, Messages, Parsed, Run, Step
from .records import Check, Exercise, Question


def _run(*tools: str | None) -> Run:
    steps = tuple(
        Step(
            Messages(),
            Completion(""),
            Parsed(actions=(Action(name, {}),)) if name else Parsed(answer="42"),
        )
        for name in tools
    )
    return Run("a question", steps)


def _check(shown: str, run: Run, expected: Any) -> Check:
    return Check(
        shown,
        lambda attempt: attempt(run),
        expected,
        "the printed run above: which lines name a tool?",
    )


EXERCISES = (
    Exercise(
        id="00.1",
        title="Which tools were asked?",
        difficulty="easy",
        minutes=5,
        goal="Return the names of the tools that a run called, in order, repeats included. `run.steps` holds the steps; "
        "`step.action` is the action of a step, or None where there was none, as in an answer; `action.tool` is the tool's name.",
        name="tools_asked",
        stub='''def tools_asked(run):
    """Return the tool names of a run, in order: ["weather", "calculator"]."""
    raise NotImplementedError''',
        checks=(
            _check(
                "a run that asked weather, weather, calculator and then answered",
                _run("weather", "weather", "calculator", None),
                ["weather", "weather", "calculator"],
            ),
            _check("a run that answered at once", _run(None), []),
            _check(
                "a run with an answer in the middle of its steps",
                _run("shop", None, "clock"),
                ["shop", "clock"],
            ),
        ),
        hints=(
            "Go through run.steps with a for loop, or with a list comprehension.",
            "The last step of most runs is an answer; its action is None, and None has no tool.",
            "[step.action.tool for step in run.steps if ...]: which steps do you want to keep?",
        ),
        solution="""def tools_asked(run):
    return [step.action.tool for step in run.steps if step.action is not None]""",
        wrong=(
            (
                """def tools_asked(run):
    return [step.action.tool for step in run.steps]""",
                "AttributeError",
            ),
            (
                """def tools_asked(run):
    return sorted({step.action.tool for step in run.steps if step.action})""",
                "['calculator', 'weather']",
            ),
            (
                """def tools_asked(run):
    for step in run.steps:
        print(step.action)""",
                "return it instead",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "Who wrote the line that begins with Observation?",
        {
            "a": (
                "our code, after it ran the tool",
                "The model only asked. Our code ran the function and wrote down what it returned.",
            ),
            "b": (
                "the model",
                "If the model writes it, the fact in it is invented. Notebook 02 shows how that happens.",
            ),
            "c": (
                "the tool's author",
                "The tool returned a value; the loop made an Observation of it.",
            ),
        },
        "a",
        "Which of the two can know what the tool returned?",
    ),
    Question(
        "You ask the demo agent for the weather in a city that its table does not hold. What is a good answer?",
        {
            "a": (
                "a plausible temperature",
                "That is the worst outcome: it looks right and nobody checks it.",
            ),
            "b": (
                "that it could not be found",
                "A run that says so honestly is a success; four of the built-in tasks test just that.",
            ),
            "c": (
                "none, the run should raise an exception",
                "Exceptions are for mistakes of the programmer. A missing fact is part of the world.",
            ),
        },
        "b",
        "What would you want to read if you had to act on the answer?",
    ),
    Question(
        "What does the simulated model know?",
        {
            "a": (
                "the tools and the data behind them",
                "It gets messages and nothing else. Take a tool out of the prompt and it cannot call it.",
            ),
            "b": (
                "what it said in earlier runs",
                "It keeps nothing between two calls; all memory is in the messages.",
            ),
            "c": (
                "the messages it is sent, and fixed rules",
                "The same messages and the same seed give the same reply. That is why your change to a prompt is visible.",
            ),
        },
        "c",
        "Read again what the notebook says about messages and seed.",
    ),
)
