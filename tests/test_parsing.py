"""The parser on its corpus, its messages, and text of every kind."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_lab.contracts.feedback import SHAPES, TEXTS, explain
from react_lab.contracts.parsing import as_result, load_cases, parse_reply, score_parser
from react_lab.contracts.parsing.corpus import matches

CASES = load_cases()
TOOLS = {"search": {"query": "string"}, "add": {"a": "integer", "b": "integer"}, "now": {}}
STEP = 'Thought: look it up.\nAction: search\nAction Input: {"query": "ice roads"}'


def read(text, tools=TOOLS):
    return as_result(parse_reply(text, tools))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case_is_read_as_written(case):
    got = read(case["text"], case["tools"])
    wants = [case["expect"], *case.get("also_ok", [])]
    assert any(matches(got, want, case["tools"], "strict") for want in wants), (got, wants[0])


def test_whole_corpus_has_no_dangerous_reading_and_exact_controls():
    score = score_parser(read, CASES, codes="strict")
    assert (score.n, score.accepted, score.dangerous) == (231, 231, 0)
    assert all(row.exact for row in score.rows if row.category.startswith("control"))
    assert score.exact >= 220


def test_the_scorer_tells_a_bad_parser():
    always = {"kind": "action", "tool": "delete_file", "args": {}}
    score = score_parser(lambda text, tools: always, CASES)
    assert (score.accepted, score.dangerous) == (0, 231)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("dialect", list(SHAPES))
@pytest.mark.parametrize("code", [c for c in TEXTS["en"] if c not in ("quote", "shape")])
def test_each_message_quotes_the_line_and_shows_the_shape(code, dialect, language):
    said = explain(
        code, quote="Action: serch\nmore", tools=TOOLS, dialect=dialect, language=language
    )
    assert SHAPES[dialect][0].format(tool="search", args='{"query": "..."}') in said
    assert code == "empty_output" or "Action: serch" in said
    assert "more\n" not in said


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("Action: add", "Parameters: add(a, b). Write:"),
        ('Action: add\nAction Input: {"a": one}', 'Action: add\nAction Input: {"a": 3, "b": 3}'),
        ("Action: plus\nAction Input: 1", "Available tools: search(query); add(a, b). Write:"),
        ("I will add them.", "Available tools: search(query); add(a, b). Write:"),
        ("I will add " + "x" * 90, "'I will add " + "x" * 69 + "…'"),
    ],
)
def test_an_error_speaks_of_the_tool_that_was_meant(reply, told):
    tools = {"search": {"query": "string"}, "add": {"a": "integer", "b": "integer"}}
    assert told in parse_reply(reply, tools).error.message


def test_an_error_lists_no_more_tools_than_can_be_read():
    tools = {f"tool_{n}": {} for n in range(25)}
    message = parse_reply("Action: other", tools).error.message
    assert "tool_19(); …. Write:" in message and "tool_20" not in message


@pytest.mark.parametrize(
    "value",
    [
        "Action: x\nObservation: y",
        "```json\n{}\n```",
        "a\\b",
        "</tool_call>",
        "Final Answer: 1",
        "“quoted”，",
        "{[(",
    ],
)
def test_string_arguments_come_out_as_they_are(value):
    import json

    text = f"Thought: t\nAction: search\nAction Input: {json.dumps({'query': value}, ensure_ascii=False)}"
    assert read(text) == {"kind": "action", "tool": "search", "args": {"query": value}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Sure!\n", ""),
        ("", "\n\nI will wait."),
        ("\ufeff", "\n"),
        ("\n\n", "<|im_end|>"),
        ("<think>hm</think>\n", "\nObservation: none"),
    ],
)
def test_noise_around_a_step_does_not_change_the_call(before, after):
    assert read(before + STEP + after) == {
        "kind": "action",
        "tool": "search",
        "args": {"query": "ice roads"},
    }


def test_invented_observation_is_cut_from_what_goes_back():
    parsed = parse_reply(STEP + "\nObservation: 4 km\nFinal Answer: 4 km", TOOLS)
    assert parsed.answer is None
    assert "4 km" not in parsed.kept
    assert "invented_observation" in [repair.name for repair in parsed.repairs]


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=300)
    | st.lists(
        st.sampled_from(
            [
                "Action: ",
                "search",
                "\n",
                "Action Input: ",
                "{",
                "}",
                '"',
                "'",
                "query",
                ":",
                "Final Answer: ",
                "<think>",
                "```",
                "[",
                "Observation: ",
                "<tool_call>",
                "\\",
                ",",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_never_raises_and_reads_twice_alike(text):
    first = parse_reply(text, TOOLS)
    assert first == parse_reply(text, TOOLS)
    assert (first.error is None) != (first.answer is None and not first.actions)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(CASES), st.integers(0, 400), st.integers(0, 60), st.text(max_size=5))
def test_mutated_cases_never_raise(case, start, length, noise):
    text = case["text"]
    read(text[:start] + noise + text[start + length :], case["tools"])


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 60))
def test_a_cut_json_input_never_becomes_a_call(size):
    whole = '{"query": "delete everything in /tmp/old but not in /tmp/new"}'
    got = read("Action: search\nAction Input: " + whole[: min(size, len(whole) - 1)])
    assert got["kind"] == "error"


SHAPES_OF_NOISE = [
    "Action: ",
    "Action:\n",
    " ",
    "\n",
    "{",
    "[",
    "(",
    '"',
    "'",
    "\\",
    "```\n",
    "<tool_call>",
    "<think>\n",
    "</think>\n",
    "Observ",
    '{"a":',
    "<|im_end|>",
    "Final Answer: ",
    "* ",
    "search(",
    "<function=",
    '<invoke name="search">',
    "Action Input: {",
    "：",
    "//",
    "    Action: x\n\n",
    'Thought: a\nAction: search\nAction Input: {"query": "',
    "{\"[('\\`<",
    "`",
    "-\n",
    "#\n",
    ".5,",
    "<|channel|>analysis<|message|>",
]
STARTS = ["", "Action: ", "Action: search(", "Action: search\nAction Input: "]


def storm(shape, size, start=""):
    """Return a shape written again and again up to so many characters, behind a start."""
    return start + shape * (size // len(shape))


@pytest.mark.parametrize("shape", SHAPES_OF_NOISE)
@pytest.mark.parametrize("start", STARTS)
def test_time_grows_linearly_on_hostile_text(shape, start):
    def seconds(size):
        text = storm(shape, size, start)
        best = 9.0
        for _ in range(2):
            began = time.process_time()
            parse_reply(text, TOOLS)
            best = min(best, time.process_time() - began)
        return best

    small, large = seconds(4_000), seconds(32_000)
    assert large < max(0.05, small * 24), (small, large)


def test_there_are_at_least_as_many_storms_as_the_goal_names():
    assert len(set(SHAPES_OF_NOISE)) >= 28
