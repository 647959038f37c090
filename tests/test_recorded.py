"""Recordings: the same run byte for byte, and a clear word about every other request."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from stub_server import StubServer, call, calls, says, status

from react_lab.agent import Agent, run_agent
from react_lab.contracts import NativeContract, TextContract
from react_lab.errors import LLMError, UsageError
from react_lab.llm import (
    OpenAICompatibleLLM,
    RecordedLLM,
    ScriptedLLM,
    SimulatedLLM,
    record,
)
from react_lab.llm.recorded import (
    NotRecorded,
    RecordedError,
    read_completion,
    request_key,
    write_completion,
)
from react_lab.records import Completion, Message, ToolCall, Usage
from react_lab.toolbox import demo_tools

QUESTION = "How much warmer is Lisbon than Oslo today?"
HI = [Message("system", "Be brief."), Message("user", "What is 2 + 2?")]


def recording(path: Path, *replies: str | Completion) -> RecordedLLM:
    recorder = record(ScriptedLLM(replies), path)
    recorder.complete(HI, stop=["\nObservation:"])
    return RecordedLLM(path)


@pytest.mark.parametrize("contract", [TextContract(), TextContract("json"), NativeContract()])
def test_a_recorded_run_is_the_same_run(contract: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with record(SimulatedLLM(), path, about={"model": "simulated"}) as recorder:
        first = run_agent(Agent(recorder, demo_tools(), contract), QUESTION)
    replayed = RecordedLLM(path)
    assert run_agent(Agent(replayed, demo_tools(), contract), QUESTION) == first
    assert first.answer == "Lisbon is 8 °C warmer than Oslo."
    assert replayed.about == {"model": "simulated"}
    assert repr(replayed) == f"RecordedLLM('run.jsonl', {len(first.steps)} replies)"


def test_the_json_on_the_wire_is_recorded_too(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    contract = NativeContract()
    with StubServer([calls(call("calculator", '{"expression": "2+2"}')), says("4")]) as server:
        llm = OpenAICompatibleLLM(server.base_url, "m", "sk-canary-4242424242")
        first = run_agent(Agent(record(llm, path), demo_tools(), contract), "What is 2 + 2?")
    again = run_agent(Agent(RecordedLLM(path), demo_tools(), contract), "What is 2 + 2?")
    assert again == first
    assert again.steps[0].reply.request == server.bodies[0]
    assert again.steps[0].reply.response is not None
    assert "sk-canary" not in path.read_text("utf-8")
    assert "uthorization" not in path.read_text("utf-8")


def test_a_completion_survives_the_file_whole() -> None:
    whole = Completion(
        "a\u2028b \ud83d – 你好",
        (ToolCall("c1", "add", "{broken"),),
        "tool_calls",
        Usage(3, 4, estimated=False),
        "m",
        {"model": "m"},
        {"choices": []},
        ("a note",),
    )
    for reply in (whole, Completion(""), Completion("x", usage=Usage(0, 0))):
        assert read_completion(json.loads(json.dumps(write_completion(reply)))) == reply


def test_lone_surrogates_and_line_separators_survive_the_file(tmp_path: Path) -> None:
    text = "line\u2028separator \x85 \ud83d 你好"
    replayed = recording(tmp_path / "run.jsonl", text)
    assert replayed.complete(HI, stop=["\nObservation:"]).text == text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"messages": [HI[0], Message("user", "What is 2 + 3?")]},
            "message 2 (user): recorded 'What is 2 + 2?', asked 'What is 2 + 3?'",
        ),
        ({"messages": [HI[0], Message("tool", "x")]}, "message 2: recorded as user, asked as tool"),
        (
            {"messages": [*HI, Message("assistant", "4"), Message("user", "Sure?")]},
            "the first 2 messages are the same, 2 more were asked",
        ),
        ({"messages": HI[:1]}, "all 1 messages are the same, the recorded request has 1 more"),
        ({"stop": ["X"]}, "stop: recorded ['\\nObservation:'], asked ['X']"),
        ({"tools": [{"function": {"name": "add"}}]}, "tools: recorded none, asked add"),
        (
            {"messages": [HI[0], Message("user", "What is 2 + 2?", (ToolCall("c", "add", "{}"),))]},
            "message 2 (user): the tool calls or their ids differ",
        ),
    ],
)
def test_another_request_says_how_it_differs(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    replayed = recording(tmp_path / "run.jsonl", "Final Answer: 4")
    request = {"messages": HI, "stop": ["\nObservation:"], "tools": []} | change
    with pytest.raises(NotRecorded) as raised:
        replayed.complete(request["messages"], stop=request["stop"], tools=request["tools"])
    assert str(raised.value) == (
        f"this request is not in the recording run.jsonl (1 replies). Against the nearest one: {said}"
    )


def test_the_nearest_request_is_the_one_told_about(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recorder = record(SimulatedLLM(), path)
    for question in (
        "What is the capital of France?",
        "What is 17 * 23?",
        "What does an umbrella cost?",
    ):
        recorder.complete([Message("system", "Be brief."), Message("user", question)])
    with pytest.raises(
        NotRecorded, match=r"recorded 'What is 17 \* 23\?', asked 'What is 17 \* 24\?'"
    ):
        RecordedLLM(path).complete(
            [Message("system", "Be brief."), Message("user", "What is 17 * 24?")]
        )


def test_a_long_difference_is_shown_where_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    record(ScriptedLLM(["x"]), path).complete([Message("user", "a" * 500 + "old" + "z" * 500)])
    with pytest.raises(NotRecorded) as raised:
        RecordedLLM(path).complete([Message("user", "a" * 500 + "new" + "z" * 500)])
    assert "'..." in str(raised.value)
    assert "old" in str(raised.value)
    assert len(str(raised.value)) < 350


def test_a_run_off_the_recording_ends_as_llm_error(tmp_path: Path) -> None:
    run = run_agent(Agent(recording(tmp_path / "run.jsonl", "x")), "Another question?")
    assert run.stop_reason == "llm_error"
    assert "Against the nearest one: message 1 (system)" in run.detail


def test_a_recorded_error_is_raised_again(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with StubServer([status(400, "filtered", code="content_filter")]) as server:
        llm = OpenAICompatibleLLM(server.base_url, "m", "")
        first = run_agent(Agent(record(llm, path)), "hi")
    again = run_agent(Agent(RecordedLLM(path)), "hi")
    assert (again.stop_reason, again.detail) == (first.stop_reason, first.detail)
    assert again.stop_reason == "content_filter"
    with pytest.raises(RecordedError):
        RecordedLLM(path).complete(list(first.messages(1)), stop=TextContract().stop)


def test_a_recording_goes_on_and_the_last_reply_counts(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    record(ScriptedLLM(["first"]), path, about={"date": "2026-11-30"}).complete(HI)
    record(ScriptedLLM(["second"]), path).complete(HI)
    replayed = RecordedLLM(path)
    assert (len(replayed), replayed.complete(HI).text) == (1, "second")
    assert replayed.about == {"date": "2026-11-30"}


def test_calls_side_by_side_are_recorded_line_by_line(tmp_path: Path) -> None:
    recorder = record(SimulatedLLM(), tmp_path / "run.jsonl")
    asked = [[Message("user", f"What is {n} + 1?")] for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(recorder.complete, asked))
    replayed = RecordedLLM(tmp_path / "run.jsonl")
    assert [replayed.complete(messages) for messages in asked] == replies


def test_half_a_last_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recording(path, "x")
    with path.open("a") as file:
        file.write('{"key": "abc", "request": {"mess')
    assert len(RecordedLLM(path)) == 1


@pytest.mark.parametrize("text", ["no json\n", "[1]\n", '{"a": 1}\n', "\x00\n"])
def test_a_file_that_is_no_recording_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(UsageError, match=r"run.jsonl, line 1, is no line of a recording"):
        RecordedLLM(tmp_path / "run.jsonl")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"cannot read the recording none\.jsonl: FileNotFoundError"
    ):
        RecordedLLM(tmp_path / "none.jsonl")


def test_an_empty_recording_says_so(tmp_path: Path) -> None:
    record(ScriptedLLM([]), tmp_path / "run.jsonl")
    with pytest.raises(LLMError, match=r"the recording run.jsonl is empty"):
        RecordedLLM(tmp_path / "run.jsonl").complete(HI)


def test_the_key_depends_on_the_request_alone() -> None:
    request = {"messages": [{"role": "user", "content": "x"}], "stop": [], "tools": []}
    shuffled = dict(reversed(request.items()))
    assert request_key(request) == request_key(shuffled)
    assert request_key(request) != request_key(replace_stop(request))


def replace_stop(request: dict[str, Any]) -> dict[str, Any]:
    return request | {"stop": ["x"]}


def test_the_recorder_passes_replies_on_unchanged(tmp_path: Path) -> None:
    reply = Completion("x", notes=("n",))
    assert record(ScriptedLLM([reply]), tmp_path / "r.jsonl").complete(HI) is reply
