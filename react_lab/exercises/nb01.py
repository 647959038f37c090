"""Exercises and quiz of notebook 01."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .records import Check, Exercise, Question, calling

TOOLS: dict[str, Callable[[str], str]] = {"double": lambda text: str(2 * int(text))}
_QUESTION = "What is 21 doubled?"
_ASK = "Thought: double it.\nAction: double\nAction Input: 21"


def _script(replies: list[str], prompts: list[str]) -> Callable[[str], str]:
    def model(prompt: str) -> str:
        prompts.append(prompt)
        if len(prompts) > len(replies):
            raise AssertionError(f"the model was called more than {len(replies)} times")
        return replies[len(prompts) - 1]

    return model


def _answer(*replies: str) -> Callable[[Any], Any]:
    """Return what the learner's loop returns for a script; it may take four steps."""
    return lambda attempt: attempt(_QUESTION, _script([*replies], []), dict(TOOLS), 4)


def _second_prompt(attempt: Any) -> dict[str, bool]:
    prompts: list[str] = []
    attempt(_QUESTION, _script([_ASK, "Final Answer: 42"], prompts), dict(TOOLS), 4)
    second = prompts[1] if len(prompts) > 1 else ""
    parts = {"question": _QUESTION, "reply": _ASK, "observation": "Observation: 42"}
    return {name: part in second for name, part in parts.items()}


def _stumble(reply: str) -> Callable[[Any], Any]:
    """Return the answer after a bad reply, and how many Observations the model saw."""

    def run(attempt: Any) -> tuple[Any, int]:
        prompts: list[str] = []
        model = _script([reply, "Final Answer: 42"], prompts)
        answer = attempt(_QUESTION, model, dict(TOOLS), 4)
        return answer, prompts[-1].count("Observation:")

    return run


def _reads(reply: str, expected: Any, look: str = "the two regular expressions") -> Check:
    return Check(repr(reply), calling(reply), expected, look)


def _writes(shown: str, steps: list[tuple[str, str]], expected: str, look: str) -> Check:
    return Check(shown, calling("R", "Q?", steps), expected, look)


EXERCISES = (
    Exercise(
        id="01.1",
        title="Read one reply",
        difficulty="easy",
        minutes=8,
        goal="Read a reply of labelled lines. Return `('answer', text)`, `('action', tool, input)`, or `None` where there "
        "is neither. The answer may run over several lines.",
        name="read_reply",
        stub='''def read_reply(reply):
    """Return ("answer", text), ("action", tool, input) or None."""
    raise NotImplementedError''',
        checks=(
            _reads(_ASK, ("action", "double", "21")),
            _reads("Final Answer: 11 degrees", ("answer", "11 degrees")),
            _reads("I will look it up.", None, "*Break it*: what `search` returns for plain prose"),
            _reads(
                "Final Answer: two lines:\nOslo 13",
                ("answer", "two lines:\nOslo 13"),
                "re.DOTALL, which lets the dot match a line break",
            ),
        ),
        hints=(
            "Use one pattern for the action and one for the answer; try the answer first.",
            "pattern.search(reply) gives None when nothing matches. Ask before you use its groups.",
            "FINAL = re.compile(r'^Final Answer: (.*)', re.MULTILINE | re.DOTALL)",
        ),
        solution="""import re

ACTION_LINES = re.compile(r"^Action: (\\w+)\\nAction Input: (.*)$", re.MULTILINE)
ANSWER_TEXT = re.compile(r"^Final Answer: (.*)", re.MULTILINE | re.DOTALL)


def read_reply(reply):
    if found := ANSWER_TEXT.search(reply):
        return ("answer", found[1])
    if found := ACTION_LINES.search(reply):
        return ("action", found[1], found[2])
    return None""",
        wrong=(
            (
                """import re
def read_reply(reply):
    if found := re.search(r"Final Answer: (.*)", reply):
        return ("answer", found[1])
    if found := re.search(r"Action: (\\w+)\\nAction Input: (.*)", reply):
        return ("action", found[1], found[2])""",
                "'two lines:')",
            ),
            (
                """import re
def read_reply(reply):
    if found := re.search(r"Final Answer: (.*)", reply, re.DOTALL):
        return ("answer", found[1])
    return ("action", *re.search(r"Action: (\\w+)\\nAction Input: (.*)", reply).groups())""",
                "AttributeError",
            ),
            (
                """import re
def read_reply(reply):
    return ("action", *re.findall(r": (.*)", reply)[-2:])""",
                "('action', '11 degrees')",
            ),
        ),
    ),
    Exercise(
        id="01.2",
        title="Write the prompt",
        difficulty="easy",
        minutes=8,
        goal="Build the prompt of the next call: the rules, a blank line, the question line, then for each past step the reply "
        "and its Observation line. `steps` is a list of `(reply, observation)`. Neither `rules` nor a reply ends in a line break "
        "here; your prompt does.",
        name="write_prompt",
        stub='''def write_prompt(rules, question, steps):
    """Return the whole prompt as one text."""
    raise NotImplementedError''',
        checks=(
            _writes(
                "rules 'R', question 'Q?', no steps",
                [],
                "R\n\nQuestion: Q?\n",
                "the line breaks: two after the rules (`RULES` ends in one, R does not), one at the end",
            ),
            _writes(
                "one step, ('Thought: t', '7')",
                [("Thought: t", "7")],
                "R\n\nQuestion: Q?\nThought: t\nObservation: 7\n",
                "*Build*: the last prompt as it was sent",
            ),
            _writes(
                "two steps, ('A', '1') and ('B', '2')",
                [("A", "1"), ("B", "2")],
                "R\n\nQuestion: Q?\nA\nObservation: 1\nB\nObservation: 2\n",
                "the order: oldest step first",
            ),
        ),
        hints=(
            "Start with the text that is always there, and add to it in a loop.",
            "A blank line between rules and question is two line breaks.",
            "for reply, observation in steps: text += f'{reply}\\nObservation: {observation}\\n'",
        ),
        solution="""def write_prompt(rules, question, steps):
    text = f"{rules}\\n\\nQuestion: {question}\\n"
    for reply, observation in steps:
        text += f"{reply}\\nObservation: {observation}\\n"
    return text""",
        wrong=(
            (
                """def write_prompt(rules, question, steps):
    return f"{rules}\\n\\nQuestion: {question}\\n" + "".join(f"Observation: {o}\\n" for _, o in steps)""",
                "one step",
            ),
            (
                """def write_prompt(rules, question, steps):
    text = f"{rules}\\n\\nQuestion: {question}\\n"
    for reply, observation in reversed(steps):
        text += f"{reply}\\nObservation: {observation}\\n"
    return text""",
                "two steps",
            ),
            (
                '''def write_prompt(rules, question, steps):
    return f"{rules}\\nQuestion: {question}\\n"''',
                "no steps",
            ),
        ),
    ),
    Exercise(
        id="01.3",
        title="The loop, from memory",
        difficulty="medium",
        minutes=15,
        goal="Write the loop again without looking. Return the answer, or `None` after `max_steps` calls of the model. An unknown "
        "tool, a reply without an action and a tool that raises become Observations; the model must see them.",
        name="run_agent_by_hand",
        stub='''def run_agent_by_hand(question, model, tools, max_steps):
    """Return the final answer, or None when the steps are used up."""
    raise NotImplementedError''',
        checks=(
            Check(
                "one tool call, then an answer",
                _answer(_ASK, "Final Answer: 42"),
                "42",
                "*Build: the loop*, `run_v1`",
            ),
            Check(
                "the second prompt: which of these does it hold?",
                _second_prompt,
                {"question": True, "reply": True, "observation": True},
                "`run_v1`, the two lines that append to the scratchpad",
            ),
            Check(
                "a model that never answers, max_steps=4",
                _answer(_ASK, _ASK, _ASK, _ASK),
                None,
                "*Repair it*: the limit on steps in `run_v2`",
            ),
            Check(
                "'Action: search', then an answer: the answer, and the Observations sent",
                _stumble("Action: search\nAction Input: 21"),
                ("42", 1),
                "*Repair it*, `observe`: a name that is not in tools",
            ),
            Check(
                "'I will double it.', then an answer: the answer, and the Observations sent",
                _stumble("I will double it."),
                ("42", 1),
                "*Repair it*, `observe`: what `search` returns for plain prose",
            ),
            Check(
                "'Action Input: many', then an answer: the answer, and the Observations sent",
                _stumble("Action: double\nAction Input: many"),
                ("42", 1),
                "*Repair it*, `observe`: try and except around the tool",
            ),
        ),
        hints=(
            "Five lines in a for loop: prompt, reply, answer?, observation, append.",
            "Let a small function make the observation; it returns text whatever happens.",
            "return None stands after the loop, not inside it.",
        ),
        solution="""import re


def observation_of(reply, tools):
    found = re.search(r"^Action: (\\w+)\\nAction Input: (.*)$", reply, re.MULTILINE)
    if found is None:
        return "Error: no Action line."
    if found[1] not in tools:
        return f"Error: no tool named {found[1]}; there are {', '.join(tools)}."
    try:
        return tools[found[1]](found[2])
    except Exception as error:
        return f"Error: {error}"


def run_agent_by_hand(question, model, tools, max_steps):
    scratchpad = f"Question: {question}\\n"
    for _ in range(max_steps):
        reply = model(scratchpad)
        answer = re.search(r"^Final Answer: (.*)", reply, re.MULTILINE)
        if answer:
            return answer[1]
        scratchpad += f"{reply}\\nObservation: {observation_of(reply, tools)}\\n"
    return None""",
        wrong=(
            (
                """import re
def run_agent_by_hand(question, model, tools, max_steps):
    pad = question
    while True:
        reply = model(pad)
        if a := re.search(r"Final Answer: (.*)", reply):
            return a[1]
        f = re.search(r"Action: (\\w+)\\nAction Input: (.*)", reply)
        pad += f"\\n{reply}\\nObservation: {tools[f[1]](f[2])}\\n\"""",
                "called more than 4 times",
            ),
            (
                """import re
def run_agent_by_hand(question, model, tools, max_steps):
    for _ in range(max_steps):
        reply = model(question)
        if a := re.search(r"Final Answer: (.*)", reply):
            return a[1]""",
                "'observation': False",
            ),
            (
                """import re
def run_agent_by_hand(question, model, tools, max_steps):
    pad = question
    for _ in range(max_steps):
        reply = model(pad)
        if a := re.search(r"Final Answer: (.*)", reply):
            return a[1]
        f = re.search(r"Action: (\\w+)\\nAction Input: (.*)", reply)
        pad += f"\\n{reply}\\nObservation: {tools[f[1]](f[2])}\\n\"""",
                "KeyError: 'search'",
            ),
            (
                """import re
def run_agent_by_hand(question, model, tools, max_steps):
    pad = question
    for _ in range(max_steps):
        reply = model(pad)
        if a := re.search(r"Final Answer: (.*)", reply):
            return a[1]
        f = re.search(r"Action: (\\w+)\\nAction Input: (.*)", reply)
        if f is None or f[1] not in tools:
            continue
        pad += f"\\n{reply}\\nObservation: {tools[f[1]](f[2])}\\n\"""",
                "('42', 0)",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "A model is called four times in one run. What does it remember from the first call when it answers the fourth?",
        {
            "a": (
                "only what stands in the prompt of the fourth call",
                "All memory of an agent is text that somebody put into the prompt.",
            ),
            "b": (
                "everything it wrote",
                "It keeps nothing. What it seems to remember is what our code sent again.",
            ),
            "c": ("the last Observation", "Only if our code sends it."),
        },
        "a",
        "Look at the lengths of the four prompts.",
    ),
    Question(
        "The model asks for a tool that does not exist. What should the loop do?",
        {
            "a": (
                "raise KeyError",
                "Then one word in a text ends your program, and the model never learns of it.",
            ),
            "b": (
                "run the tool with the closest name",
                "Guessing a tool is how the wrong thing gets deleted.",
            ),
            "c": (
                "tell the model, as an Observation, which tools there are",
                "It can act on that, and often does at the next step.",
            ),
        },
        "c",
        "Whose mistake is it, and who can mend it?",
    ),
    Question(
        "In the act-only script the run ended with a wrong answer. What was missing?",
        {
            "a": ("a tool", "Both tools were there, and the temperatures had been looked up."),
            "b": (
                "a line that carried the plan from one call to the next",
                "That is what a thought is for. It also lets you see where a run went wrong.",
            ),
            "c": (
                "more steps",
                "It ended by itself, with one step left to do and no limit in sight.",
            ),
        },
        "b",
        "Compare the two scripts line by line.",
    ),
    Question(
        "Why does `run_v2` return None at the limit and not the last reply?",
        {
            "a": (
                "because the last reply is not an answer",
                "Handing a half-done step to a user as an answer is worse than saying that there is none.",
            ),
            "b": (
                "because Python functions do",
                "It is a choice; notebook 05 shows two better ones.",
            ),
            "c": ("to save tokens", "The tokens are spent either way."),
        },
        "a",
        "What would the caller do with the text?",
    ),
)
