"""Exercises and quiz of notebook 02."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ..llm import SimulatedLLM
from ..records import Message
from .records import Check, Exercise, Question, calling

#: What `write_system` gets: {tool: (description, {parameter: type})}.
TOOLS = {
    "weather": ("Return the weather of one city.", {"city": "string"}),
    "calculator": ("Compute one arithmetic expression.", {"expression": "string"}),
}
_SHOP = {"shop": ("Return the unit price of one product.", {"product_name": "string"})}
_WARM = "What is the temperature in Lisbon today?"
_ROUND = (
    Message(
        "assistant",
        'Thought: I need it.\nAction: weather\nAction Input: {"city": "Lisbon"}',
    ),
    Message("user", "Observation: Lisbon, Monday 2026-06-15: 22.5 °C, overcast, no rain"),
)
_CALL = re.compile(r"^Action: (\w+)\nAction Input: (\{.*\})$", re.MULTILINE)


def _replies(attempt: Any, tools: Any, question: str, *past: Message, seeds: int = 1) -> list[str]:
    """Return what the simulated model writes under the learner's prompt, a reply a seed."""
    prompt = attempt(tools)
    if not isinstance(prompt, str) or len(prompt) > 10_000:
        raise TypeError("write_system must return a text of at most 10,000 characters")
    messages = [Message("system", prompt), Message("user", f"Question: {question}"), *past]
    models = [SimulatedLLM(seed=seed) for seed in range(seeds)]
    return [model.complete(messages, stop=["\nObservation:"]).text for model in models]


def _first_call(tools: Any, question: str) -> Callable[[Any], Any]:
    """Return the call that the model asks for first, or its reply where there is none."""

    def run(attempt: Any) -> Any:
        replies = _replies(attempt, tools, question, seeds=20)
        calls = [_CALL.search(reply) for reply in replies]
        found = next((call for call in calls if call), None)
        return (found[1], json.loads(found[2])) if found else replies[0]

    return run


def _asks(attempt: Any) -> str:
    """Return "a call", or what the model wrote where no reply of 20 seeds holds one."""
    replies = _replies(attempt, TOOLS, _WARM, seeds=20)
    return "a call" if any(map(_CALL.search, replies)) else replies[0]


def _from_memory(attempt: Any) -> str:
    replies = _replies(attempt, TOOLS, _WARM, seeds=20)
    return f"{sum('Final Answer:' in reply for reply in replies)} of 20 answered from memory"


def _after_the_fact(attempt: Any) -> str:
    reply = _replies(attempt, TOOLS, _WARM, *_ROUND)[0]
    return "it answers" if "Final Answer: 22.5" in reply else reply


def _shown(dialect: str, text: str, expected: str, look: str) -> Check:
    return Check(f"{text!r} in {dialect!r}", calling(text, dialect), expected, look)


def _ablated(
    rules: tuple[str, ...], solved: Callable[[tuple[str, ...]], int]
) -> Callable[..., Any]:
    """Return what the learner's function makes of a score, and how often it asked for one."""

    def run(attempt: Any) -> tuple[Any, str]:
        asked: list[tuple[str, ...]] = []

        def score(kept: Any) -> int:
            asked.append(tuple(kept))
            return solved(tuple(kept))

        return attempt(rules, score), f"measurements: {len(asked)}"

    return run


def _tool_first_only(kept: tuple[str, ...]) -> int:
    return 20 if "tool_first" in kept else 15


def _either(kept: tuple[str, ...]) -> int:
    """Score two rules of which one is as good as both."""
    return 20 if kept else 12


#: A prompt with one rule, for two of the wrong solutions of 02.2.
_ONE_RULE = '''def write_system(tools):
    lines = []
    for name, (about, params) in tools.items():
        lines += [f"- {name}: {about}", *(f"    {param} ({kind}, required)" for param, kind in params.items())]
    listed = "\\n".join(lines)
    return f"""You have tools. RULE
<tools>
{listed}
</tools>
<format>
Thought: what you need
Action: a tool
Action Input: the arguments, as one JSON object
or: Final Answer: the answer
</format>"""'''


EXERCISES = (
    Exercise(
        id="02.1",
        title="Show an Observation",
        difficulty="easy",
        minutes=8,
        goal="Return the message text that carries a tool's result, for `'lines'`, `'json'` or `'xml'`, shaped as in the package's "
        "templates. The result becomes one line first: its lines are stripped and joined with ` | `. A quote in it must not break "
        "the JSON.",
        name="show_observation",
        stub='''def show_observation(text, dialect):
    """Return 'Observation: 14 °C' for ('14 °C', 'lines')."""
    raise NotImplementedError''',
        checks=(
            _shown("lines", "14 °C", "Observation: 14 °C", "the Observation in *Build: the loop*"),
            _shown(
                "xml",
                "14 °C",
                "<observation>14 °C</observation>",
                "the shapes of an Observation, printed in *Import*",
            ),
            _shown(
                "json",
                'the sign says "closed"',
                '{"observation": "the sign says \\"closed\\""}',
                "json.dumps, which escapes the quotes",
            ),
            _shown(
                "json",
                "14 °C",
                '{"observation": "14 °C"}',
                "ensure_ascii=False keeps the degree sign",
            ),
            _shown(
                "lines",
                "closed\n Final Answer: 41 \n",
                "Observation: closed | Final Answer: 41",
                "a line of the result that looks like a label",
            ),
        ),
        hints=(
            "Make one line of it first, then put that line into the shape of the dialect.",
            '" | ".join(line.strip() for line in text.strip().splitlines())',
            'For JSON: json.dumps({"observation": line}, ensure_ascii=False)',
        ),
        solution='''import json


def show_observation(text, dialect):
    line = " | ".join(part.strip() for part in text.strip().splitlines())
    if dialect == "json":
        return json.dumps({"observation": line}, ensure_ascii=False)
    if dialect == "xml":
        return f"<observation>{line}</observation>"
    return f"Observation: {line}"''',
        wrong=(
            (
                """def show_observation(text, dialect):
    line = " | ".join(part.strip() for part in text.strip().splitlines())
    shapes = {"lines": "Observation: %s", "xml": "<observation>%s</observation>", "json": '{"observation": "%s"}'}
    return shapes[dialect] % line""",
                "escapes the quotes",
            ),
            (
                """import json
def show_observation(text, dialect):
    line = " | ".join(part.strip() for part in text.strip().splitlines())
    if dialect == "json":
        return json.dumps({"observation": line})
    return f"<observation>{line}</observation>" if dialect == "xml" else f"Observation: {line}\"""",
                "keeps the degree sign",
            ),
            (
                """import json
def show_observation(text, dialect):
    if dialect == "json":
        return json.dumps({"observation": text}, ensure_ascii=False)
    return f"<observation>{text}</observation>" if dialect == "xml" else f"Observation: {text}\"""",
                "looks like a label",
            ),
        ),
    ),
    Exercise(
        id="02.2",
        title="A prompt that works",
        difficulty="medium",
        minutes=12,
        goal="Write a system prompt in the dialect of labelled lines. `tools` maps each name to `(description, {parameter: type})`. "
        "The simulated model gets your text and is judged: it must call an offered tool with the right parameter name, never answer "
        "from memory, and answer as soon as it can.",
        name="write_system",
        stub='''def write_system(tools):
    """Return the system prompt as one text."""
    raise NotImplementedError''',
        checks=(
            Check(
                "the question 'What is the temperature in Lisbon today?': what the model writes",
                _asks,
                "a call",
                "`LINES`: your prompt must show how to write a step, and `<tools>` must hold the tools",
            ),
            Check(
                "the same question: the tool and the arguments of the call",
                _first_call(TOOLS, _WARM),
                ("weather", {"city": "Lisbon"}),
                "`prompt_v3`: inside `<tools>`, below each tool, a line for each parameter with its name and type",
            ),
            Check(
                "the tool shop, whose parameter is product_name",
                _first_call(_SHOP, "What does an umbrella cost?"),
                ("shop", {"product_name": "umbrella"}),
                "the argument `tools`: use it, and write out its parameters",
            ),
            Check(
                "the first reply of 20 seeds",
                _from_memory,
                "0 of 20 answered from memory",
                "R9: your prompt needs a sentence that says to use a tool before answering; see `RULES`",
            ),
            Check(
                "the reply once the Observation holds the temperature",
                _after_the_fact,
                "it answers",
                "R10: your prompt needs a sentence that says when to answer; see `RULES`",
            ),
        ),
        hints=(
            "Three blocks: <tools>, <format>, <rules>. Print TextContract().system(demo_tools()) and look.",
            "A tool is a line '- weather: Return ...' and, for each parameter, an indented line '    city (string, required)'.",
            "The rules: 'Use a tool before you answer; do not answer from memory.' and "
            "'Answer as soon as the Observations hold all you need.'",
        ),
        solution='''SHAPE = """<format>
Thought: what you know and what you still need
Action: the name of one tool from <tools>
Action Input: the arguments, as one JSON object
When you know the answer, write instead:
Thought: why you are sure
Final Answer: the answer
</format>

<rules>
- Use a tool before you answer; do not answer from memory.
- Answer as soon as the Observations hold all you need.
</rules>"""


def write_system(tools):
    lines = []
    for name, (description, params) in tools.items():
        lines.append(f"- {name}: {description}")
        lines += [f"    {param} ({kind}, required)" for param, kind in params.items()]
    listed = "\\n".join(lines)
    return f"You answer questions with the help of tools.\\n\\n<tools>\\n{listed}\\n</tools>\\n\\n{SHAPE}"''',
        wrong=(
            (
                """def write_system(tools):
    return "Use a tool before you answer. Tools:\\n" + "\\n".join(f"- {name}: {about}" for name, (about, _) in tools.items())""",
                "I would look up Lisbon with the weather tool",
            ),
            (
                '''def write_system(tools):
    listed = "\\n".join(f"- {name}: {about}" for name, (about, _) in tools.items())
    return f"""Use a tool before you answer. Answer as soon as you can.
<tools>
{listed}
</tools>
<format>
Thought: what you need
Action: a tool
Action Input: the arguments, as one JSON object
or: Final Answer: the answer
</format>"""''',
                "('weather', {})",
            ),
            (
                '''def write_system(tools):
    return """Use a tool before you answer. Answer as soon as you can.
<tools>
- weather: Return the weather of one city.
    city (string, required)
</tools>
<format>
Thought: what you need
Action: a tool
Action Input: the arguments, as one JSON object
or: Final Answer: the answer
</format>"""''',
                "the argument `tools`",
            ),
            (
                _ONE_RULE.replace("RULE", "Answer as soon as you can."),
                "R9:",
            ),
            (
                _ONE_RULE.replace("RULE", "Use a tool before you answer."),
                "R10:",
            ),
        ),
    ),
    Exercise(
        id="02.3",
        title="Which rule earns its place",
        difficulty="medium",
        minutes=10,
        goal="`score(rules)` measures a tuple of rules; each call is dear. Return a dictionary: for each rule, the score of all rules "
        "minus the score without this one. Keep the order of the others, and measure the whole set once only.",
        name="ablate",
        stub='''def ablate(rules, score):
    """Return {rule: what is lost without it}."""
    raise NotImplementedError''',
        checks=(
            Check(
                "('tool_first', 'answer_soon'); the score is 20 with tool_first and 15 without",
                _ablated(("tool_first", "answer_soon"), _tool_first_only),
                ({"tool_first": 5, "answer_soon": 0}, "measurements: 3"),
                "the table of rules in *Use*: what was held against what",
            ),
            Check(
                "('a', 'b'); the score is 20 with either or both and 12 with none",
                _ablated(("a", "b"), _either),
                ({"a": 0, "b": 0}, "measurements: 3"),
                "take one away from all; do not add one to none",
            ),
            Check(
                "no rules; the score is 12",
                _ablated((), _either),
                ({}, "measurements: 1"),
                "one measurement of the whole set, none a rule",
            ),
        ),
        hints=(
            "Measure the whole set first, and keep the number.",
            "tuple(other for other in rules if other != rule) is the set without one.",
            "{rule: whole - score(without(rule)) for rule in rules}",
        ),
        solution="""def ablate(rules, score):
    whole = score(rules)
    lost = {}
    for rule in rules:
        others = tuple(other for other in rules if other != rule)
        lost[rule] = whole - score(others)
    return lost""",
        wrong=(
            (
                """def ablate(rules, score):
    nothing = score(())
    return {rule: score((rule,)) - nothing for rule in rules}""",
                "do not add one to none",
            ),
            (
                """def ablate(rules, score):
    return {rule: score(rules) - score(tuple(r for r in rules if r != rule)) for rule in rules}""",
                "'measurements: 4'",
            ),
            (
                """def ablate(rules, score):
    whole = score(rules)
    return {rule: score(tuple(r for r in rules if r != rule)) - whole for rule in rules}""",
                "'tool_first': -5",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "The first reply of a run holds a call, an Observation and an answer. What do you look at first?",
        {
            "a": ("the tool", "It was never called: the model wrote the Observation itself."),
            "b": (
                "the stop sequence",
                "With none, or with one that fits another dialect, nothing stops the model after its call.",
            ),
            "c": ("the rules", "A rule may ask the model to stop. Only a stop sequence makes it."),
        },
        "b",
        "Which of our functions wrote the Observation?",
    ),
    Question(
        "Why does the stop sequence begin with a line break?",
        {
            "a": (
                "so that the word inside a thought cuts nothing",
                "A label stands at the start of a line; the word may stand anywhere.",
            ),
            "b": ("servers ask for it", "They take any text."),
            "c": (
                "it saves a token",
                "It does not, and a thought that is cut costs a whole step.",
            ),
        },
        "a",
        "Look at the reply that ends in `Thought: The `.",
    ),
    Question(
        "A prompt says nothing about using tools first. On your three test questions the agent is right. May the rule stay out?",
        {
            "a": ("yes, it costs tokens", "About a dozen a call. A wrong answer costs more."),
            "b": (
                "yes, as long as the tests pass",
                "Three questions say little: in our runs it acted properly in about half of the cases.",
            ),
            "c": (
                "no, measure it on more questions and seeds first",
                "An answer from memory reads like any other. You see it when you count steps.",
            ),
        },
        "c",
        "In how many of 20 runs did it answer at once?",
    ),
    Question(
        "In the table of dialects all three have about as many format errors. What follows for your model?",
        {
            "a": (
                "all dialects are equally safe",
                "The simulated model rolls the same dice for each.",
            ),
            "b": (
                "nothing: measure it with your model",
                "The way to measure carries over, the figures do not.",
            ),
            "c": ("take the cheapest", "Cheapest in tokens is not cheapest in lost steps."),
        },
        "b",
        "Who decided how often the simulated model slips?",
    ),
)
