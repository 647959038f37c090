"""Exercises and quiz of notebook 06."""

from __future__ import annotations

from typing import Any

from ..records import Action, Completion, Message, Messages, Observation, Parsed, Run, Step
from .records import Check, Exercise, Question, calling

_PROMPT = [
    Message("system", "You answer questions with the help of tools."),
    Message("user", "Question: What do 3 kettles cost?"),
    Message("assistant", 'Action: shop\nAction Input: {"product": "kettle"}'),
    Message("user", "Observation: kettle: 31.00 EUR each, 8 in stock"),
    Message("assistant", "Thought: A kettle costs 31.00 EUR."),
]


def _step(args: Any = None, observed: str = "", answer: str | None = None) -> Step:
    actions = () if args is None else (Action("calculator", args),)
    seen = (Observation(observed),) if observed else ()
    return Step(Messages(), Completion(""), Parsed(actions=actions, answer=answer), seen)


def _first_unseen(question: str, *steps: Step) -> Any:
    return lambda attempt: attempt(Run(question, steps))


EXERCISES = (
    Exercise(
        id="06.1",
        title="Who said it?",
        difficulty="easy",
        minutes=5,
        goal="Return the roles of the messages that contain a text, in the order in which they were sent, repeats included. "
        "`message.role` and `message.content` are texts. With it you can ask a prompt of a thousand lines who told the model "
        "that a kettle costs 31.00.",
        name="who_said",
        stub='''def who_said(messages, text):
    """Return the roles of the messages that contain text: ["user", "assistant"]."""
    raise NotImplementedError''',
        checks=(
            Check(
                "five messages, and the text '31.00'",
                calling(_PROMPT, "31.00"),
                ["user", "assistant"],
                "*The prompt as it was sent*: a result, and a thought about it",
            ),
            Check(
                "the same messages, and the text 'kettle'",
                calling(_PROMPT, "kettle"),
                ["user", "assistant", "user", "assistant"],
                "repeats included, so no set",
            ),
            Check(
                "the same messages, and the text '34.00'",
                calling(_PROMPT, "34.00"),
                [],
                "a text that nobody said",
            ),
        ),
        hints=(
            "Ask each message whether it contains the text; of those that do, keep `message.role`.",
            "`text in message.content` tells it: True or False.",
            "A list comprehension with an if does all of it in one line.",
        ),
        solution="""def who_said(messages, text):
    return [message.role for message in messages if text in message.content]""",
        wrong=(
            (
                """def who_said(messages, text):
    return [message.role for message in messages if message.content == text]""",
                "got:      []",
            ),
            (
                """def who_said(messages, text):
    for message in messages:
        if text in message.content:
            return message.role""",
                "got:      'user'",
            ),
            (
                """def who_said(messages, text):
    return sorted({message.role for message in messages if text in message.content}, reverse=True)""",
                "the text 'kettle'",
            ),
        ),
    ),
    Exercise(
        id="06.2",
        title="A breakpoint on invented numbers",
        difficulty="medium",
        minutes=12,
        goal="Return the number (from 1) of the first step whose action uses a number that stands neither in the question nor in "
        "an Observation of an *earlier* step; None if there is none. Take the numbers of `str(step.action.args)`, and compare them as text.",
        name="first_unseen",
        stub='''def first_unseen(run):
    """Return the number of the first step that acts on an unseen number, or None.

    re.findall("[0-9]+(?:[.][0-9]+)?", text) lists the numbers of a text.
    """
    raise NotImplementedError''',
        checks=(
            Check(
                "'3 kettles?', a price of 31.00 observed, then the sum 3 * 34.00",
                _first_unseen(
                    "What do 3 kettles cost?",
                    _step({"product": "kettle"}, "kettle: 31.00 EUR each"),
                    _step({"expression": "3 * 34.00"}, "102"),
                    _step(answer="102 EUR"),
                ),
                2,
                "34.00 stands nowhere before step 2, and steps count from 1",
            ),
            Check(
                "the same with the sum 3 * 31.00",
                _first_unseen(
                    "What do 3 kettles cost?",
                    _step({"product": "kettle"}, "kettle: 31.00 EUR each"),
                    _step({"expression": "3 * 31.00"}, "93"),
                    _step(answer="93 EUR"),
                ),
                None,
                "3 stands in the question, 31.00 in an Observation; an answer is no action",
            ),
            Check(
                "'kettles?', a price of 31.00 observed, then the sum 3 * 31.00",
                _first_unseen(
                    "What do some kettles cost?",
                    _step({"product": "kettle"}, "kettle: 31.00 EUR each"),
                    _step({"expression": "3 * 31.00"}, "93"),
                ),
                2,
                "3 is a part of 31.00 and not a number that was seen: compare whole numbers",
            ),
            Check(
                "a first step that asks for 42 and observes 42",
                _first_unseen("Double it.", _step({"expression": "42"}, "42")),
                1,
                "its own Observation came after the action: add it only then",
            ),
        ),
        hints=(
            "Keep a set of the numbers seen so far. With which does it begin, and what is added after each step?",
            "For each step: first compare the numbers of its action with the set, then add those of step.observation.",
            "if step.action and not set(NUMBER.findall(str(step.action.args))) <= seen: return number",
        ),
        solution="""import re

NUMBER = re.compile(r"\\d+(?:\\.\\d+)?")


def first_unseen(run):
    seen = set(NUMBER.findall(run.question))
    for number, step in enumerate(run.steps, 1):
        if step.action and not set(NUMBER.findall(str(step.action.args))) <= seen:
            return number
        seen |= set(NUMBER.findall(step.observation))
    return None""",
        wrong=(
            (
                """import re
NUMBER = re.compile(r"\\d+(?:\\.\\d+)?")
def first_unseen(run):
    seen = set(NUMBER.findall(run.question))
    for number, step in enumerate(run.steps):
        if step.action and not set(NUMBER.findall(str(step.action.args))) <= seen:
            return number
        seen |= set(NUMBER.findall(step.observation))""",
                "got:      1",
            ),
            (
                """import re
NUMBER = re.compile(r"\\d+(?:\\.\\d+)?")
def first_unseen(run):
    seen = run.question
    for number, step in enumerate(run.steps, 1):
        if step.action and any(n not in seen for n in NUMBER.findall(str(step.action.args))):
            return number
        seen += " " + step.observation""",
                "'kettles?', a price",
            ),
            (
                """import re
NUMBER = re.compile(r"\\d+(?:\\.\\d+)?")
def first_unseen(run):
    seen = set(NUMBER.findall(run.question))
    for number, step in enumerate(run.steps, 1):
        seen |= set(NUMBER.findall(step.observation))
        if step.action and not set(NUMBER.findall(str(step.action.args))) <= seen:
            return number""",
                "observes 42",
            ),
            (
                """import re
NUMBER = re.compile(r"\\d+(?:\\.\\d+)?")
def first_unseen(run):
    seen = set()
    for number, step in enumerate(run.steps, 1):
        if step.action and not set(NUMBER.findall(str(step.action.args))) <= seen:
            return number
        seen |= set(NUMBER.findall(step.observation))""",
                "the same with the sum",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "You go back to step 4 of a finished run with reply=. How many model calls of that run are not made again?",
        {
            "a": ("3", "That is the count where step 4 is asked again; here its reply is given."),
            "b": (
                "4",
                "Steps 1 to 3 are kept, and the reply of step 4 comes from you and not from the model.",
            ),
            "c": ("none", "Then it would be a new run and not a fork."),
        },
        "b",
        "Which steps are kept, and who says what at step 4?",
    ),
    Question(
        "The agent shows every past step whole. The diff of two prompts one after the other shows removed lines. What do you think?",
        {
            "a": (
                "something rewrote the past: a policy, a reminder, or a bug",
                "A loop that keeps everything only adds. A minus sign says that something else was at work.",
            ),
            "b": (
                "nothing, a diff always has both signs",
                "From one step of our run to the next there were plus signs only.",
            ),
            "c": (
                "the model forgot something",
                "A model cannot change the prompt. Our code writes it.",
            ),
        },
        "a",
        "Who writes the prompt?",
    ),
    Question(
        "In the log a guard speaks at step 3 and the answer is wrong. What do you know about the cause?",
        {
            "a": (
                "the guard is the cause",
                "We took its words out of the run and got the same wrong answer.",
            ),
            "b": (
                "the cause is at step 3",
                "The first complaint need not be the first mistake, nor its cause.",
            ),
            "c": (
                "nothing yet: change that one thing and run on",
                "A suspicion is worth as much as the experiment that could have refuted it.",
            ),
        },
        "c",
        "What did the fork at step 3 show?",
    ),
    Question(
        "You send a colleague the JSON of a run. What can they not do with it?",
        {
            "a": (
                "read the prompt of step 4 as it was sent",
                "Each step holds its messages, and they are in the JSON.",
            ),
            "b": (
                "go back to step 4 with an agent of their own",
                "They can: a run is all that fork needs, besides an agent.",
            ),
            "c": (
                "run your agent",
                "A run holds what was sent and received. Model, tools and guards are code, and stay with you.",
            ),
        },
        "c",
        "What is data here, and what is code?",
    ),
)
