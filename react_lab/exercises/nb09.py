"""Exercises and quiz of notebook 09."""

from __future__ import annotations

from typing import Any

from .records import Check, Exercise, Question, calling

Dict = dict[str, Any]


def _results(ids: list[str], results: list[tuple[str, str]], expected: str, look: str) -> Check:
    """Expect tool messages, written as `id text, id text`."""
    pairs = [part.split(" ", 1) for part in expected.split(", ")]
    return Check(
        f"{ids}, results {results}",
        calling(ids, results),
        [{"role": "tool", "tool_call_id": i, "content": text} for i, text in pairs],
        look,
    )


def _ids(ids: list[str], expected: list[str], look: str) -> Check:
    return Check(str(ids), calling(ids), expected, look)


def _asks(content: str | None, *calls: tuple[str, str]) -> Dict:
    listed = [
        {
            "id": call_id,
            "type": "function",
            "function": {"name": "weather", "arguments": f'{{"city": "{city}"}}'},
        }
        for call_id, city in calls
    ]
    return {"role": "assistant", "content": content, "tool_calls": listed}


def _got(call_id: str, text: str) -> Dict:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def _said(thought: str, city: str) -> Dict:
    action = f'Action: weather\nAction Input: {{"city": "{city}"}}'
    return {"role": "assistant", "content": f"{thought}{action}"}


def _saw(text: str) -> Dict:
    return {"role": "user", "content": f"Observation: {text}"}


def _lines(messages: list[Dict], expected: list[Dict], look: str) -> Check:
    return Check(str(messages), calling(messages), expected, look)


EXERCISES = (
    Exercise(
        id="09.1",
        title="Answer every call",
        difficulty="easy",
        minutes=7,
        goal="`ids` are the call ids as asked, `results` pairs (id, text) as they arrived. Return one tool message for each asked id, "
        "in that order: a dict with role, tool_call_id and content. Where no result came the content is `(not run)`. "
        "A result that nobody asked for is left out.",
        name="answer_calls",
        stub='''def answer_calls(ids, results):
    """Return [{"role": "tool", "tool_call_id": "a", "content": "22.5"}, ...]."""
    raise NotImplementedError''',
        checks=(
            _results(["a"], [("a", "22.5")], "a 22.5", "answer_v1: the three fields"),
            _results(
                ["a", "b"],
                [("b", "14.5"), ("a", "22.5")],
                "a 22.5, b 14.5",
                "the race: which result stands under which id",
            ),
            _results(
                ["a", "b"],
                [("b", "14.5")],
                "a (not run), b 14.5",
                "complaints_v1: what it says of a call without a result",
            ),
            _results(
                ["a"],
                [("z", "7"), ("a", "22.5")],
                "a 22.5",
                "complaints_v1: a result that nobody waits for",
            ),
        ),
        hints=(
            "Walk over ids, not over results: the order asked is the order returned.",
            "dict(results) finds a text by its id.",
            'found.get(call_id, "(not run)")',
        ),
        solution="""def answer_calls(ids, results):
    found = dict(results)
    return [
        {"role": "tool", "tool_call_id": call_id, "content": found.get(call_id, "(not run)")}
        for call_id in ids
    ]""",
        wrong=(
            (
                """def answer_calls(ids, results):
    return [
        {"role": "tool", "tool_call_id": call_id, "content": text}
        for call_id, (_, text) in zip(ids, results)
    ]""",
                "the race",
            ),
            (
                """def answer_calls(ids, results):
    found = dict(results)
    return [{"role": "tool", "tool_call_id": i, "content": found[i]} for i in ids]""",
                "a call without a result",
            ),
            (
                """def answer_calls(ids, results):
    found = {i: "(not run)" for i in ids} | dict(results)
    return [{"role": "tool", "tool_call_id": i, "content": text} for i, text in found.items()]""",
                "nobody waits for",
            ),
        ),
    ),
    Exercise(
        id="09.2",
        title="An id for each call",
        difficulty="medium",
        minutes=10,
        goal="Return as many ids as came in, all different. The first of equal ids stays as it is. A missing one (`''`) and a "
        "repeated one become `call_N`, N being the place, from 1; where one of the ids that came in reads so, add `x` until none does.",
        name="own_ids",
        stub='''def own_ids(ids):
    """Return ["a", "call_2"] for ["a", ""]."""
    raise NotImplementedError''',
        checks=(
            _ids(["a", "b"], ["a", "b"], "good ids stay: the server knows them"),
            _ids(["a", "", "c"], ["a", "call_2", "c"], "the place, from 1"),
            _ids(["a", "b", "a"], ["a", "b", "call_3"], "the kind `id doubled`"),
            _ids(
                ["", "call_1"],
                ["call_1x", "call_1"],
                "an id further on may be the one you make: look at all that came",
            ),
            _ids(
                ["", "call_1", "call_1x"],
                ["call_1xx", "call_1", "call_1x"],
                "`until it is not`: while, and not if",
            ),
            _ids(["", ""], ["call_1", "call_2"], "a missing id is no id"),
        ),
        hints=(
            "Begin with the set of all ids that came; what you make must not be in it.",
            "Keep an id if it is not empty and was not returned before.",
            'while new in taken: new += "x"',
        ),
        solution="""def own_ids(ids):
    taken, own = set(ids), []
    for place, call_id in enumerate(ids, 1):
        if not call_id or call_id in own:
            call_id = f"call_{place}"
            while call_id in taken:
                call_id += "x"
        own.append(call_id)
    return own""",
        wrong=(
            (
                """def own_ids(ids):
    return [f"call_{place}" for place, _ in enumerate(ids, 1)]""",
                "the server knows them",
            ),
            (
                """def own_ids(ids):
    return [call_id or f"call_{place}" for place, call_id in enumerate(ids, 1)]""",
                "the kind `id doubled`",
            ),
            (
                """def own_ids(ids):
    own = []
    for place, call_id in enumerate(ids, 1):
        own.append(call_id if call_id and call_id not in own else f"call_{place}")
    return own""",
                "an id further on",
            ),
            (
                """def own_ids(ids):
    own = []
    for place, call_id in enumerate(ids, 1):
        if not call_id or call_id in own:
            call_id = f"call_{place}"
            if call_id in ids:
                call_id += "x"
        own.append(call_id)
    return own""",
                "while, and not if",
            ),
        ),
    ),
    Exercise(
        id="09.3",
        title="A native history as labelled lines",
        difficulty="hard",
        minutes=15,
        goal="Return the history as a text contract would have it. Each call becomes an assistant message, `Thought:` (only with content), "
        "`Action:` and `Action Input:`, a line each, and behind it its result as a user message, `Observation: ...`. "
        "All other messages stay. Arguments stay text.",
        name="as_lines",
        stub='''def as_lines(messages):
    """Return messages with role and content only, a call and its result at a time."""
    raise NotImplementedError''',
        checks=(
            _lines(
                [_asks("Rome first.", ("a", "Rome")), _got("a", "30 °C")],
                [_said("Thought: Rome first.\n", "Rome"), _saw("30 °C")],
                "the labels in the goal, one a line",
            ),
            _lines(
                [_asks(None, ("a", "Rome")), _got("a", "30 °C")],
                [_said("", "Rome"), _saw("30 °C")],
                "content may be None: then there is no Thought line",
            ),
            _lines(
                [
                    _asks(None, ("a", "Rome"), ("b", "Oslo")),
                    _got("b", "14.5 °C"),
                    _got("a", "30 °C"),
                ],
                [_said("", "Rome"), _saw("30 °C"), _said("", "Oslo"), _saw("14.5 °C")],
                "the race: find each result by its id",
            ),
            _lines(
                [
                    _asks(None, ("a", "Rome")),
                    _got("a", "30 °C"),
                    _asks(None, ("a", "Oslo")),
                    _got("a", "14.5 °C"),
                ],
                [_said("", "Rome"), _saw("30 °C"), _said("", "Oslo"), _saw("14.5 °C")],
                "an id may come again in a later turn: search behind the call only",
            ),
            _lines(
                [
                    {"role": "user", "content": "Question: ?"},
                    {"role": "assistant", "content": "30 °C"},
                ],
                [
                    {"role": "user", "content": "Question: ?"},
                    {"role": "assistant", "content": "30 °C"},
                ],
                "messages without calls stay as they are",
            ),
        ),
        hints=(
            "Go through the messages with their place. Skip tool messages; they are written where their call is.",
            "The results of a turn are the tool messages with the call's id behind it: take the first.",
            'next(m["content"] for m in messages[place:] if m.get("tool_call_id") == call["id"])',
        ),
        solution="""def as_lines(messages):
    lines = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            continue
        if "tool_calls" not in message:
            lines.append(message)
        for call in message.get("tool_calls", ()):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            thought = f"Thought: {message['content']}\\n" if message["content"] else ""
            text = f"{thought}Action: {name}\\nAction Input: {arguments}"
            lines.append({"role": "assistant", "content": text})
            behind = (m for m in messages[place:] if m.get("tool_call_id") == call["id"])
            lines.append({"role": "user", "content": f"Observation: {next(behind)['content']}"})
    return lines""",
        wrong=(
            (
                """def as_lines(messages):
    lines = []
    for message in messages:
        if message["role"] == "tool":
            lines.append({"role": "user", "content": f"Observation: {message['content']}"})
            continue
        for call in message.get("tool_calls", ()):
            f = call["function"]
            text = f"Thought: {message['content']}\\nAction: {f['name']}\\nAction Input: {f['arguments']}"
            lines.append({"role": "assistant", "content": text})
    return lines""",
                "there is no Thought line",
            ),
            (
                """def as_lines(messages):
    lines = []
    for message in messages:
        if message["role"] == "tool":
            lines.append({"role": "user", "content": f"Observation: {message['content']}"})
            continue
        if "tool_calls" not in message:
            lines.append(message)
        for call in message.get("tool_calls", ()):
            f = call["function"]
            thought = f"Thought: {message['content']}\\n" if message["content"] else ""
            text = f"{thought}Action: {f['name']}\\nAction Input: {f['arguments']}"
            lines.append({"role": "assistant", "content": text})
    return lines""",
                "the race",
            ),
            (
                """def as_lines(messages):
    lines = []
    results = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
    for message in messages:
        for call in message.get("tool_calls", ()):
            f = call["function"]
            thought = f"Thought: {message['content']}\\n" if message["content"] else ""
            text = f"{thought}Action: {f['name']}\\nAction Input: {f['arguments']}"
            lines.append({"role": "assistant", "content": text})
            lines.append({"role": "user", "content": f"Observation: {results[call['id']]}"})
    return lines""",
                "in a later turn",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        'A reply has content, "I look it up.", and one tool call. What is it?',
        {
            "a": (
                "an answer, because there is content",
                "That was read_v1: the run ends well, with what the model was about to do.",
            ),
            "b": (
                "a call, and the content is the thought",
                "Calls first; content is the answer only where there are none.",
            ),
            "c": (
                "a format error, as an action with an answer is in text",
                "In text both claim to be the next step. Here the form itself says which one is.",
            ),
        },
        "b",
        "What did run_v1 return at first?",
    ),
    Question(
        'The arguments of a call read {"path": "/home/kim/ol. What do you send back?',
        {
            "a": (
                "the result, after closing string and brace",
                "Another path than the one that was meant, and nobody notices.",
            ),
            "b": (
                "a user message that says what was wrong",
                "The call stays unanswered then, and strict endpoints refuse the next request.",
            ),
            "c": (
                "a tool message under the id of the call that says what was wrong",
                "The call is answered, nothing ran, and the model reads it where it waits for the result.",
            ),
        },
        "c",
        "complaints_v1 checks two of the three.",
    ),
    Question(
        "The native run counts 370 tokens, the text run 2,546. Is native cheaper?",
        {
            "a": (
                "yes, by a factor of seven",
                "The count looks at messages, and the tools travel beside them.",
            ),
            "b": (
                "that cannot be said before the tools are counted",
                "Here they turned the comparison round. A server's own usage has the true count.",
            ),
            "c": (
                "no, native always costs more",
                "It saves turns where facts are independent; with few small tools that can pay.",
            ),
        },
        "b",
        "What was missing from the recap that we nearly wrote?",
    ),
    Question(
        "An endpoint answers every question with HTTP 200 and prose, never with a call. What do you look at first?",
        {
            "a": (
                "the temperature",
                "It changes which words come, and not whether the model was shown your tools.",
            ),
            "b": (
                "the descriptions of the tools",
                "Worth a look later. They matter only if they arrived.",
            ),
            "c": (
                "how many prompt tokens the server counted",
                "Fewer than the tools alone would need means that they were dropped on the way.",
            ),
        },
        "c",
        "The second server refused nothing.",
    ),
)
