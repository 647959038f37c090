"""Exercises and quiz of notebook 10."""

from __future__ import annotations

from typing import Any

from .records import Check, Exercise, Question, calling


def _wait(status: int, retry_after: str | None, tries: int, expected: Any, look: str) -> Check:
    shown = f"status {status}, retry_after {retry_after!r}, tries {tries}"
    return Check(shown, calling(status, retry_after, tries), expected, look)


def _piece(index: int, name: str | None = None, arguments: str = "") -> dict[str, Any]:
    """Return a piece of a streamed call; later pieces have no name, as llama.cpp sends them."""
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    return {"index": index, "function": function}


def _joined(pieces: list[dict[str, Any]], expected: Any, look: str) -> Check:
    return Check(repr(pieces), calling(pieces), expected, look)


EXERCISES = (
    Exercise(
        id="10.1",
        title="Say how long to wait",
        difficulty="easy",
        minutes=8,
        goal="Return the seconds to wait before asking again, or None where that is no use. Worth another try: 408, 429, 500 and above. "
        "`retry_after` is the header's text or None; if it is a number, wait that long. Else half a second, doubled for each of the "
        "`tries` made again so far. Never more than 30.",
        name="wait_before",
        stub='''def wait_before(status, retry_after, tries):
    """Return seconds, or None."""
    raise NotImplementedError''',
        checks=(
            _wait(429, "2", 0, 2, "the header's text, as a number"),
            _wait(503, None, 0, 0.5, "half a second where no header says more"),
            _wait(500, None, 3, 4, "0.5 * 2**tries"),
            _wait(401, None, 0, None, "a refused key is refused again: which statuses pass by?"),
            _wait(400, "2", 0, None, "the status decides first, a header changes nothing"),
            _wait(
                429,
                "Wed, 21 Oct 2026 07:28:00 GMT",
                1,
                1,
                "a date is no number: as if there were no header",
            ),
            _wait(429, "600", 0, 30, "the longest wait, with a header"),
            _wait(502, None, 9, 30, "the longest wait, without a header"),
            _wait(429, "0", 2, 0, "zero is a number too"),
            _wait(408, None, 0, 0.5, "408: the server grew tired of waiting, so ask again"),
            _wait(503, "1.5", 0, 1.5, "a number may have a decimal point"),
        ),
        hints=(
            "First the status: unless it is 408, 429, or 500 and above, return None.",
            "float(retry_after) raises ValueError for a date and TypeError for None.",
            "try: seconds = float(retry_after), except (TypeError, ValueError): seconds = 0.5 * 2**tries. Then min(30, seconds).",
        ),
        solution="""def wait_before(status, retry_after, tries):
    if status not in (408, 429) and status < 500:
        return None
    try:
        seconds = float(retry_after)
    except (TypeError, ValueError):
        seconds = 0.5 * 2**tries
    return min(30, seconds)""",
        wrong=(
            (
                """def wait_before(status, retry_after, tries):
    if status < 400:
        return None
    return min(30, float(retry_after) if retry_after else 0.5 * 2**tries)""",
                "a refused key is refused again",
            ),
            (
                """def wait_before(status, retry_after, tries):
    if status not in (408, 429) and status < 500:
        return None
    return min(30, float(retry_after) if retry_after else 0.5 * 2**tries)""",
                "a date is no number",
            ),
            (
                """def wait_before(status, retry_after, tries):
    if status not in (408, 429) and status < 500:
        return None
    try:
        return float(retry_after)
    except (TypeError, ValueError):
        return min(30, 0.5 * 2**tries)""",
                "the longest wait, with a header",
            ),
            (
                """def wait_before(status, retry_after, tries):
    if status not in (408, 429) and status < 500:
        return None
    try:
        seconds = float(retry_after)
    except (TypeError, ValueError):
        seconds = 0
    return min(30, seconds or 0.5 * 2**tries)""",
                "zero is a number too",
            ),
            (
                """def wait_before(status, retry_after, tries):
    if status != 429 and status < 500:
        return None
    try:
        return min(30, float(retry_after))
    except (TypeError, ValueError):
        return min(30, 0.5 * 2**tries)""",
                "408: the server",
            ),
            (
                """def wait_before(status, retry_after, tries):
    if status not in (408, 429) and status < 500:
        return None
    number = retry_after is not None and retry_after.isdigit()
    return min(30, int(retry_after) if number else 0.5 * 2**tries)""",
                "a decimal point",
            ),
        ),
    ),
    Exercise(
        id="10.2",
        title="Put a streamed call together",
        difficulty="medium",
        minutes=12,
        goal="`pieces` are the tool_calls entries of a stream, as they came. Return a list of `(name, arguments)`, in the order of `index`: "
        "the pieces of `arguments` joined and read as JSON. The name comes once; a later piece may lack it or hold null. A call that "
        "was cut off must not run: None in place of its arguments.",
        name="join_calls",
        stub='''def join_calls(pieces):
    """Return [("weather", {"city": "Oslo"}), ...]."""
    raise NotImplementedError''',
        checks=(
            _joined(
                [_piece(0, "weather", '{"city": "Oslo"}')],
                [("weather", {"city": "Oslo"})],
                "one call in one piece",
            ),
            _joined(
                [_piece(0, "weather"), _piece(0, None, '{"city"'), _piece(0, None, ': "Oslo"}')],
                [("weather", {"city": "Oslo"})],
                "join the pieces first, read them as JSON last",
            ),
            _joined(
                [
                    _piece(0, "weather", '{"city": '),
                    {"index": 0, "function": {"name": None, "arguments": '"Oslo"}'}},
                ],
                [("weather", {"city": "Oslo"})],
                "a null must not wipe out the name",
            ),
            _joined(
                [
                    _piece(1, "shop", '{"product"'),
                    _piece(0, "clock", '{"city": "Tokyo"}'),
                    _piece(1, None, ': "lamp"}'),
                ],
                [("clock", {"city": "Tokyo"}), ("shop", {"product": "lamp"})],
                "each piece belongs to the call of its index",
            ),
            _joined(
                [_piece(0, "delete", '{"path": "reports/2024')],
                [("delete", None)],
                "json.loads raises ValueError for half an object",
            ),
            _joined([], [], "a stream without calls"),
            _joined(
                [_piece(0, "clock", '{"city": "Oslo"}'), _piece(1, "delete", '{"path": "rep')],
                [("clock", {"city": "Oslo"}), ("delete", None)],
                "a cut call does not spoil the whole one beside it",
            ),
        ),
        hints=(
            "A dictionary by index: for each call its name and the text of its arguments so far.",
            "calls.setdefault(piece['index'], ['', '']) gives a list to add to; use .get for what may be missing.",
            "At the end go through sorted(calls), and put json.loads in a try: ValueError means None.",
        ),
        solution="""import json


def join_calls(pieces):
    calls = {}
    for piece in pieces:
        call = calls.setdefault(piece["index"], ["", ""])
        call[0] += piece["function"].get("name") or ""
        call[1] += piece["function"].get("arguments") or ""
    return [(calls[index][0], whole(calls[index][1])) for index in sorted(calls)]


def whole(text):
    try:
        return json.loads(text)
    except ValueError:
        return None""",
        wrong=(
            (
                """import json
def join_calls(pieces):
    return [(p["function"]["name"], json.loads(p["function"]["arguments"])) for p in pieces]""",
                "join the pieces first",
            ),
            (
                """import json
def join_calls(pieces):
    names, texts = {}, {}
    for p in pieces:
        names[p["index"]] = p["function"].get("name", names.get(p["index"]))
        texts[p["index"]] = texts.get(p["index"], "") + p["function"]["arguments"]
    return [(names[i], json.loads(texts[i])) for i in sorted(names)]""",
                "a null must not wipe out",
            ),
            (
                """import json
def join_calls(pieces):
    name = next((p["function"]["name"] for p in pieces if p["function"].get("name")), "")
    return [(name, json.loads("".join(p["function"]["arguments"] for p in pieces)))]""",
                "of its index",
            ),
            (
                """import json
def join_calls(pieces):
    names, texts = {}, {}
    for p in pieces:
        names[p["index"]] = p["function"].get("name") or names.get(p["index"])
        texts[p["index"]] = texts.get(p["index"], "") + p["function"]["arguments"]
    close = lambda text: text + '"}' * (text.count("{") - text.count("}"))
    return [(names[i], json.loads(close(texts[i]))) for i in sorted(names)]""",
                "half an object",
            ),
            (
                """import json
def join_calls(pieces):
    names, texts = {}, {}
    for p in pieces:
        names[p["index"]] = p["function"].get("name") or names.get(p["index"])
        texts[p["index"]] = texts.get(p["index"], "") + p["function"]["arguments"]
    try:
        return [(names[i], json.loads(texts[i])) for i in sorted(names)]
    except ValueError:
        return [(names[i], None) for i in sorted(names)]""",
                "does not spoil",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "A reply ends with finish_reason length. Its text holds a whole-looking action. What do you do?",
        {
            "a": (
                "run it, the line is complete",
                "You cannot know: reports/2024 may have been the start of reports/2024-draft.txt.",
            ),
            "b": (
                "send it back to the model as a format error",
                "The model would be told of a mistake that it did not make, and be cut again.",
            ),
            "c": (
                "end the run as truncated and raise max_tokens",
                "The limit is yours, not the model's: it is a setting to change.",
            ),
        },
        "c",
        "Who set the limit?",
    ),
    Question(
        "Which of these is worth asking again, unchanged?",
        {
            "a": (
                "HTTP 503",
                "The server failed, or is still loading; the same request may work in a moment.",
            ),
            "b": ("HTTP 401", "The same key is refused again, and some services lock you out."),
            "c": (
                "HTTP 400 with content_filter",
                "The same prompt meets the same filter. Only another prompt helps.",
            ),
        },
        "a",
        "What would be different the second time?",
    ),
    Question(
        "A grammar made 15 first replies of 15 well formed, and none of the runs right. What did it fix?",
        {
            "a": (
                "nothing, the answers are as wrong as before",
                "The replies can be read now, which is needed; it is not enough.",
            ),
            "b": (
                "the form of a reply, and not its sense",
                "Every reply was a step that can run. The step was a call of the shop for Paris.",
            ),
            "c": (
                "the model's knowledge of the tools",
                "It can write no other tool name. Why it should use one, it knows no better.",
            ),
        },
        "b",
        "Look at the replies about the capital of France.",
    ),
    Question(
        "You replay a recording after a change of one word in the system prompt. What happens?",
        {
            "a": (
                "an error, with the place of the difference",
                "Another request is another request: the model might have replied anything to it.",
            ),
            "b": (
                "the nearest recorded reply is given",
                "Then a test would pass for a prompt that no model has ever seen.",
            ),
            "c": (
                "the real model is asked",
                "A replay never touches the network; that is what it is for.",
            ),
        },
        "a",
        "What would the test prove otherwise?",
    ),
)
