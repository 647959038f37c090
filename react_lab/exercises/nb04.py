"""Exercises and quiz of notebook 04."""

from __future__ import annotations

from typing import Any

from .records import Check, Exercise, Question, calling


def _label(line: str, expected: Any, look: str) -> Check:
    return Check(repr(line), calling(line), expected, look)


def _cut(text: str, expected: str, look: str) -> Check:
    return Check(repr(text), calling(text), expected, look)


def _name(written: str, tools: list[str], expected: Any, look: str) -> Check:
    return Check(f"{written!r} among {tools}", calling(written, tools), expected, look)


def _value(text: str, expected: Any, look: str) -> Check:
    return Check(repr(text), calling(text), expected, look)


EXERCISES = (
    Exercise(
        id="04.1",
        title="Read a label",
        difficulty="easy",
        minutes=8,
        goal="A label is Thought, Action or Action Input and a colon. Return `(name, rest)` where a line starts with a label, else None: "
        "the name in lower case, the rest without blanks around it. Bold marks, blanks before the label and a full-width colon do no "
        "harm; a label in the middle of a line is none.",
        name="read_label",
        stub='''def read_label(line):
    """Return ("action", "search") for "**Action:** search", or None."""
    raise NotImplementedError''',
        checks=(
            _label("Action: search", ("action", "search"), "the pattern LABEL"),
            _label(
                "Action Input: {}",
                ("action input", "{}"),
                "the order of the names in LABEL: the longer one first",
            ),
            _label(
                "  **Thought:** look it up",
                ("thought", "look it up"),
                "what may stand before and after the name",
            ),
            _label("Action：search", ("action", "search"), "[:：]"),
            _label(
                'I saw "Action: delete" there', None, "labels count at the start of a line only"
            ),
            _label("Action is needed: now", None, "the colon comes right after the name"),
        ),
        hints=(
            "One regular expression with match, which looks at the start of the line.",
            "Put Action Input before Action, or the shorter name wins.",
            r"re.match(r'[\s*]*(Thought|Action Input|Action)\**[:：]\**\s*(.*)', line)",
        ),
        solution="""import re


def read_label(line):
    found = re.match(r"[\\s*]*(Thought|Action Input|Action)\\**[:：]\\**\\s*(.*)", line)
    return (found[1].lower(), found[2]) if found else None""",
        wrong=(
            (
                """import re
def read_label(line):
    found = re.search(r"(Thought|Action Input|Action)\\**[:：]\\**\\s*(.*)", line)
    return (found[1].lower(), found[2]) if found else None""",
                "at the start of a line only",
            ),
            (
                """import re
def read_label(line):
    found = re.match(r"[\\s*]*(Thought|Action|Action Input)\\**:\\**\\s*(.*)", line)
    return (found[1].lower(), found[2]) if found else None""",
                "[:：]",
            ),
            (
                """def read_label(line):
    name, _, rest = line.partition(":")
    return (name.lower(), rest.strip()) if name in ("Thought", "Action", "Action Input") else None""",
                "what may stand before",
            ),
            (
                """import re
def read_label(line):
    found = re.match(r"[\\s*]*(Thought|Action Input|Action)[\\s*:：]*(.*)", line)
    return (found[1].lower(), found[2]) if found else None""",
                "right after the name",
            ),
        ),
    ),
    Exercise(
        id="04.2",
        title="Cut what the model invented",
        difficulty="easy",
        minutes=6,
        goal="Return the reply up to the first line that starts with `Observation`, in any case, without the line break before it. "
        "The word inside a line is no cut. A reply that starts with an Observation leaves nothing.",
        name="cut_invented",
        stub='''def cut_invented(reply):
    """Return what the model really wrote."""
    raise NotImplementedError''',
        checks=(
            _cut(
                "Action: a\nObservation: 4 km\nFinal Answer: 4 km",
                "Action: a",
                "`sections`: where it stops",
            ),
            _cut(
                "Thought: the Observation shows 4",
                "Thought: the Observation shows 4",
                "the start of a line",
            ),
            _cut("Observation: 4\nAction: a", "", "hallucinated_observation-07, printed above"),
            _cut(
                "Action: a\nobservation 1: 4",
                "Action: a",
                "re.IGNORECASE, and no colon in the pattern",
            ),
            _cut(
                "Thought: a\nObservation: 4\nAction: b\nObservation: 5",
                "Thought: a",
                "the first Observation, not the last: maxsplit=1",
            ),
            _cut("Final Answer: 4", "Final Answer: 4", "a reply without any Observation"),
        ),
        hints=(
            "re.split with maxsplit=1, or search and a slice.",
            "re.MULTILINE lets ^ match at the start of each line.",
            r"re.split(r'^Observation', reply, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)[0], then .removesuffix('\n')",
        ),
        solution="""import re


def cut_invented(reply):
    flags = re.MULTILINE | re.IGNORECASE
    return re.split(r"^Observation", reply, maxsplit=1, flags=flags)[0].removesuffix("\\n")""",
        wrong=(
            (
                """def cut_invented(reply):
    return reply.split("Observation")[0].removesuffix("\\n")""",
                "the start of a line",
            ),
            (
                """def cut_invented(reply):
    return reply.split("\\nObservation")[0]""",
                "hallucinated_observation-07",
            ),
            (
                """import re
def cut_invented(reply):
    return re.split(r"^Observation", reply, flags=re.MULTILINE)[0].removesuffix("\\n")""",
                "re.IGNORECASE",
            ),
            (
                """import re
def cut_invented(reply):
    found = re.match(r"(?is)(.*)^observation", reply, re.MULTILINE)
    return found[1].removesuffix("\\n") if found else reply""",
                "not the last",
            ),
        ),
    ),
    Exercise(
        id="04.3",
        title="Find the tool that was meant",
        difficulty="medium",
        minutes=10,
        goal="Return the tool's own name for a name as the model wrote it, or None. Harmless noise: upper and lower case, blanks or "
        "hyphens for `_`, backticks and quotes around it. An exact match wins. Two candidates, or a misspelling: None.",
        name="find_tool",
        stub='''def find_tool(written, tools):
    """Return one of the names in the list `tools`, or None."""
    raise NotImplementedError''',
        checks=(
            _name("tide_table", ["tide_table"], "tide_table", "the easy case"),
            _name("`Tide Table`", ["tide_table"], "tide_table", "the harmless noise in the goal"),
            _name("tide_tabel", ["tide_table"], None, "a misspelling is a guess"),
            _name(
                "delete", ["delete_file", "read_file"], None, "the beginning of a name is a guess"
            ),
            _name("Get Data", ["get_data", "getData"], None, "two candidates"),
            _name("getData", ["get_data", "getData"], "getData", "an exact match wins"),
            _name('"tide-table"', ["tide_table"], "tide_table", "quotes and hyphens are noise too"),
        ),
        hints=(
            "Try the exact name first. Then bring the written name and each tool's name to one form and compare.",
            "One form: lower case, without blanks, hyphens, underscores, backticks and quotes.",
            "Collect all tools with the same form; return it only if there is exactly one.",
        ),
        solution="""import re


def plain(name):
    return re.sub(r"[\\s_\\-`'\\"]", "", name).lower()


def find_tool(written, tools):
    if written in tools:
        return written
    found = [tool for tool in tools if plain(tool) == plain(written)]
    return found[0] if len(found) == 1 else None""",
        wrong=(
            (
                """import difflib
def find_tool(written, tools):
    return next(iter(difflib.get_close_matches(written.strip("`").lower().replace(" ", "_"), tools)), None)""",
                "a misspelling is a guess",
            ),
            (
                """def find_tool(written, tools):
    name = written.strip("`").lower().replace(" ", "_")
    return next((tool for tool in tools if tool.startswith(name)), None)""",
                "the beginning of a name",
            ),
            (
                """def find_tool(written, tools):
    name = written.strip("`").lower().replace(" ", "").replace("_", "")
    return next((tool for tool in tools if tool.lower().replace("_", "") == name), None)""",
                "two candidates",
            ),
            (
                """def find_tool(written, tools):
    plain = lambda name: name.strip("`").lower().replace(" ", "").replace("_", "")
    found = [tool for tool in tools if plain(tool) == plain(written)]
    return written if written in tools else found[0] if len(found) == 1 else None""",
                "quotes and hyphens",
            ),
        ),
    ),
    Exercise(
        id="04.4",
        title="Tell cut from broken",
        difficulty="medium",
        minutes=12,
        goal="`text` begins with a JSON object or list, whole or not. Return `'ok'` where it is whole (what follows it does not matter), "
        "`'truncated'` where the text ends inside it, `'invalid'` where it is broken in another way. Braces inside a string do "
        "not count.",
        name="judge_json",
        stub='''def judge_json(text):
    """Return "ok", "truncated" or "invalid"."""
    raise NotImplementedError''',
        checks=(
            _value('{"path": "a"}', "ok", "json.JSONDecoder().raw_decode"),
            _value('{"path": "a"} and so on', "ok", "raw_decode, which stops where the value ends"),
            _value('{"path": "/home/kim/ol', "truncated", "the printed case truncated-03"),
            _value(
                '{"body": "a } b", "n": 1', "truncated", "a brace inside a string closes nothing"
            ),
            _value('{"path": a}', "invalid", "all braces are closed, and it still is no JSON"),
            _value('["a", "b"', "truncated", "a list can be cut as well: count [ and ] too"),
            _value(
                '{"text": "\\"}", "n": b}', "invalid", "a quote after a backslash ends no string"
            ),
        ),
        hints=(
            "If raw_decode succeeds it is ok. Otherwise: is something still open at the end?",
            "Walk through the text; keep a depth, and whether you are inside a string. Mind the backslash.",
            "At the end: inside a string, or depth above zero, means truncated.",
        ),
        solution='''import json


def judge_json(text):
    try:
        json.JSONDecoder().raw_decode(text)
        return "ok"
    except ValueError:
        depth, inside, escaped = 0, False, False
    for character in text:
        if inside:
            inside = escaped or character != '"'
            escaped = character == "\\\\" and not escaped
        elif character == '"':
            inside = True
        else:
            depth += (character in "{[") - (character in "}]")
    return "truncated" if inside or depth > 0 else "invalid"''',
        wrong=(
            (
                '''import json
def judge_json(text):
    try:
        json.loads(text)
        return "ok"
    except ValueError:
        return "truncated" if text.count("{") > text.count("}") else "invalid"''',
                "stops where the value ends",
            ),
            (
                '''import json
def judge_json(text):
    try:
        json.JSONDecoder().raw_decode(text)
        return "ok"
    except ValueError:
        return "truncated" if text.count("{") > text.count("}") else "invalid"''',
                "a brace inside a string",
            ),
            (
                '''import json
def judge_json(text):
    try:
        json.JSONDecoder().raw_decode(text)
        return "ok"
    except ValueError:
        return "truncated"''',
                "it still is no JSON",
            ),
            (
                '''import json, re
def judge_json(text):
    try:
        json.JSONDecoder().raw_decode(text)
        return "ok"
    except ValueError:
        bare = re.sub(r'"(\\\\.|[^"\\\\])*("|$)', "", text)
        cut = bare.count("{") > bare.count("}")
        return "truncated" if cut else "invalid"''',
                "a list can be cut",
            ),
            (
                '''import json
def judge_json(text):
    try:
        json.JSONDecoder().raw_decode(text)
        return "ok"
    except ValueError:
        bare = "".join(text.split('"')[::2])
        cut = any(bare.count(a) > bare.count(b) for a, b in ("{}", "[]"))
        return "truncated" if cut or text.count('"') % 2 else "invalid"''',
                "after a backslash",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "A parser raises nothing and finds an action in every reply. Is that good?",
        {
            "a": (
                "yes, no step is lost",
                "Some of those actions were quoted, cut or invented. A lost step is cheap.",
            ),
            "b": (
                "no, some of those actions should not run",
                "Count dangerous readings apart from missed ones, and refuse where two readings are possible.",
            ),
            "c": ("only with a good model", "Good models quote and get cut off as well."),
        },
        "b",
        "Look at the second column of the score.",
    ),
    Question(
        "The input of an action is a JSON object that stops inside a string. What do you do?",
        {
            "a": (
                "close the string and the brace",
                "A completed path is another path. This is what general repair libraries do.",
            ),
            "b": ("pass the text on as it is", "The tool then gets half a path and no warning."),
            "c": ("refuse, and say that it was cut", "The model writes it again at the next step."),
        },
        "c",
        "The tool in the example was delete_file.",
    ),
    Question(
        "Why does JSON come before every repair?",
        {
            "a": (
                "it decides its own end, so nothing inside a string is taken for a label",
                "That is also why text after the value does no harm.",
            ),
            "b": ("it is faster", "It is, but that is not the reason."),
            "c": ("models only write JSON", "They write anything."),
        },
        "a",
        "Think of a note whose text holds the line Observation: ...",
    ),
    Question(
        "One repair fires in nearly every reply of a model. What do you change?",
        {
            "a": (
                "nothing, it is repaired",
                "It costs nothing until the day it meets a reply that it reads wrongly.",
            ),
            "b": (
                "the prompt or the contract",
                "A steady habit of the model is cheaper to prevent than to mend.",
            ),
            "c": ("the order of the repairs", "The order does not change what the model writes."),
        },
        "b",
        "Repairs have names so that you can count them.",
    ),
)
