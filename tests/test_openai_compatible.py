"""The client against a stub on loopback that plays every fault of the wire."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from stub_server import (
    Act,
    StubServer,
    body,
    call,
    calls,
    delta,
    dribbles,
    drops,
    message,
    refuses,
    replies,
    says,
    silent,
    status,
    streams,
    streams_and_breaks,
    streams_text,
)

from react_lab.agent import Agent, run_agent
from react_lab.errors import LLMError, UsageError
from react_lab.llm.openai_compatible import (
    BrokenReply,
    ConnectionFailed,
    ContentFiltered,
    EndpointError,
    OpenAICompatibleLLM,
    RateLimited,
    RequestRefused,
    ServerFailed,
    TimedOut,
)
from react_lab.llm.openai_compatible.problems import refused_fields
from react_lab.llm.openai_compatible.retrying import LONGEST_WAIT, seconds_to_wait
from react_lab.llm.openai_compatible.transport import CLIENTS
from react_lab.records import Completion, Message, ToolCall, Usage
from react_lab.tools import Toolbox, tool

HI = [Message("system", "Be brief."), Message("user", "hi")]
STOP = ["\nObservation:"]


@tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


SCHEMAS = Toolbox([add]).schemas


def client(server: StubServer, **settings: Any) -> OpenAICompatibleLLM:
    settings.setdefault("sleep", lambda seconds: None)
    return OpenAICompatibleLLM(server.base_url, "m", "", **settings)


def ask(plan: Sequence[Act], **settings: Any) -> Completion:
    with StubServer(plan) as server:
        return client(server, **settings).complete(HI, stop=STOP)


# What is sent -----------------------------------------------------------------------------


def test_the_json_sent_is_the_json_recorded() -> None:
    history = [
        Message("user", "2 + 2?"),
        Message("assistant", "", (ToolCall("c1", "add", '{"a": 2, "b": 2}'),)),
        Message("tool", "4", tool_call_id="c1"),
    ]
    with StubServer([says("4")]) as server:
        llm = client(server, seed=7, temperature=0.5, max_tokens=20, extra={"top_k": 1})
        reply = llm.complete(history, stop=STOP, tools=SCHEMAS)
    assert server.bodies == [reply.request]
    assert server.bodies[0] == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "2 + 2?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "add", "arguments": '{"a": 2, "b": 2}'},
                    }
                ],
            },
            {"role": "tool", "content": "4", "tool_call_id": "c1"},
        ],
        "stop": STOP,
        "tools": list(SCHEMAS),
        "temperature": 0.5,
        "max_tokens": 20,
        "seed": 7,
        "top_k": 1,
    }


def test_what_is_none_is_not_sent() -> None:
    with StubServer([says("x")]) as server:
        client(server, temperature=None, max_tokens=None).complete(HI)
    assert set(server.bodies[0]) == {"model", "messages"}


def test_extra_fields_win_and_none_removes_one() -> None:
    with StubServer([says("x")]) as server:
        client(server, extra={"temperature": None, "max_tokens": 9}).complete(HI)
    assert "temperature" not in server.bodies[0]
    assert server.bodies[0]["max_tokens"] == 9


def test_only_four_stop_sequences_are_sent_and_all_are_cut() -> None:
    words = ["A", "B", "C", "D", "E"]
    with StubServer([says("xxE yy")]) as server:
        reply = client(server).complete(HI, stop=words)
    assert server.bodies[0]["stop"] == words[:4]
    assert reply.text == "xx"


def test_a_lone_surrogate_can_be_sent() -> None:
    with StubServer([says("x")]) as server:
        client(server).complete([Message("user", "broken \udc80 text")])
    assert server.bodies[0]["messages"][0]["content"] == "broken \udc80 text"


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/chat/completions"])
def test_any_usual_form_of_the_address_works(path: str) -> None:
    with StubServer([says("x")]) as server:
        llm = OpenAICompatibleLLM(server.base_url.removesuffix("/v1") + path, "m")
        assert llm.complete(HI).text == "x"
        assert llm.base_url == server.base_url


def test_the_key_is_sent_and_none_without_one() -> None:
    with StubServer([says("x")]) as server:
        OpenAICompatibleLLM(server.base_url, "m", " sk-test\n").complete(HI)
        OpenAICompatibleLLM(server.base_url, "m", "").complete(HI)
    assert server.headers[0]["Authorization"] == "Bearer sk-test"
    assert "Authorization" not in server.headers[1]


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer([says("x")]) as server:
        monkeypatch.setenv("REACT_LAB_BASE_URL", server.base_url)
        monkeypatch.setenv("REACT_LAB_MODEL", "from-env")
        monkeypatch.setenv("REACT_LAB_API_KEY", "sk-env")
        OpenAICompatibleLLM().complete(HI)
        OpenAICompatibleLLM(model="argument").complete(HI)
    assert [sent["model"] for sent in server.bodies] == ["from-env", "argument"]
    assert server.headers[0]["Authorization"] == "Bearer sk-env"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base_url": "", "model": "m"}, "REACT_LAB_BASE_URL"),
        ({"base_url": "http://h/v1", "model": ""}, "REACT_LAB_MODEL"),
        ({"base_url": "h:80/v1", "model": "m"}, "no http address"),
        ({"base_url": "http://h:99999/v1", "model": "m"}, "no http address"),
        ({"base_url": "http://me:pass@[h/v1", "model": "m"}, "no http address"),
        ({"base_url": "http:///v1?key=pass@", "model": "m"}, "no http address"),
        ({"base_url": "http://me:pass@h/v1", "model": "m"}, "as api_key instead"),
        (
            {"base_url": "http://h/v1", "model": "m", "read_timeout": 0},
            "read_timeout must be above 0",
        ),
        ({"base_url": "http://h/v1", "model": "m", "retries": -1}, "retries must be at least 0"),
        ({"base_url": "http://h/v1", "model": "m", "max_tokens": 0}, "max_tokens at least 1"),
    ],
)
def test_wrong_settings_say_what_to_write(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        OpenAICompatibleLLM(**settings)
    assert "pass@" not in str(raised.value)


def test_changed_keeps_the_rest() -> None:
    llm = OpenAICompatibleLLM("http://h/v1", "m", "sk-1", seed=3, extra={"top_k": 1})
    other = llm.changed(model="n", temperature=1)
    assert other.body(HI) == llm.body(HI) | {"model": "n", "temperature": 1}
    with pytest.raises(UsageError, match="no setting 'modle'"):
        llm.changed(modle="n")


def test_models_lists_what_is_served() -> None:
    with StubServer([replies({"data": [{"id": "a"}, {"id": "b"}]})]) as server:
        assert client(server).models() == ["a", "b"]
    with (
        StubServer([status(401, "no")]) as server,
        pytest.raises(RequestRefused, match="key was refused"),
    ):
        client(server).models()


# What is read -----------------------------------------------------------------------------


def test_a_reply_with_its_json_and_tokens() -> None:
    reply = ask([says("Thought: hello")])
    assert reply.text == "Thought: hello"
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(11, 7, estimated=False)
    assert reply.model == "stub-1"
    assert reply.response == message("Thought: hello")
    assert reply.notes == ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (message(None), ""),
        (
            message(
                [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
            ),
            "ab",
        ),  # type: ignore[arg-type]
        (message(None, refusal="I will not."), "I will not."),
        (message("x", finish=None), "x"),
        (message("<think>Action: rm</think>\n\nFinal Answer: 4"), "Final Answer: 4"),
        (message("<think>never closed\nAction: rm"), ""),
        (message("Final Answer: <think> is a tag"), "Final Answer: <think> is a tag"),
        (message("4", reasoning_content="long thoughts"), "4"),
        (message("Action: add\nObservation: 4\nFinal Answer: 4"), "Action: add"),
    ],
)
def test_the_text_of_a_reply(value: dict[str, Any], text: str) -> None:
    assert ask([replies(value)]).text == text


def test_reasoning_is_counted_and_left_in_the_json() -> None:
    reply = ask([says("4", reasoning_content="twelve chars")])
    assert reply.notes == ("reasoning left out: 12 characters",)
    assert "twelve chars" in json.dumps(reply.response)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("length", "length"),
        ("max_tokens", "length"),
        ("content_filter", "content_filter"),
        ("SAFETY", "content_filter"),
        ("function_call", "tool_calls"),
        ("eos", "stop"),
        (None, "stop"),
    ],
)
def test_finish_reasons_have_one_name(sent: str | None, read: str) -> None:
    assert ask([says("x", finish=sent)]).finish_reason == read


def test_what_stands_before_a_stop_sequence_is_whole() -> None:
    reply = ask([says("Action: add\nObservation: 1\nThought: and so", finish="length")])
    assert (reply.text, reply.finish_reason) == ("Action: add", "stop")


@pytest.mark.parametrize(
    ("fields", "read"),
    [
        ({"tool_calls": [call("add", '{"a": 1}', "c9")]}, ToolCall("c9", "add", '{"a": 1}')),
        (
            {"tool_calls": [{"function": {"name": "add", "arguments": {"a": 1}}}]},
            ToolCall("", "add", '{"a": 1}'),
        ),
        (
            {"tool_calls": [{"id": "c", "function": {"name": None, "arguments": None}}]},
            ToolCall("c", "", ""),
        ),
        ({"function_call": {"name": "add", "arguments": "{}"}}, ToolCall("", "add", "{}")),
    ],
)
def test_tool_calls_in_their_forms(fields: dict[str, Any], read: ToolCall) -> None:
    assert ask([says(None, finish="tool_calls", **fields)]).tool_calls == (read,)


def garbage(handler: Any) -> None:
    """Answer as a server of another kind would."""
    handler.close_connection = True
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")


# Faults: the table of the transport ---------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "error", "said"),
    [
        (status(500), ServerFailed, "HTTP 500, the server failed: no"),
        (status(503), ServerFailed, "HTTP 503"),
        (status(429, "slow down"), RateLimited, "HTTP 429, too many requests: slow down"),
        (drops(), ConnectionFailed, "closed the connection before it replied"),
        (body("<html><h1>502 Bad Gateway</h1></html>"), BrokenReply, "'502 Bad Gateway'"),
        (body('{"choices": [{"mess', content_type="application/json"), BrokenReply, "not JSON"),
        (body(""), BrokenReply, "the body is empty"),
        (body("[1]"), BrokenReply, "not JSON"),
        (garbage, BrokenReply, "is not HTTP"),
        (body("[" * 100_000), BrokenReply, "not JSON"),
        (replies({"choices": []}), BrokenReply, "no choices"),
        (replies({"error": {"message": "overloaded"}}), BrokenReply, "no choices: overloaded"),
        (replies({"choices": [None]}), BrokenReply, "no choices"),
        (replies({"choices": [{"message": None}]}), BrokenReply, "no message"),
        (says("x", finish="error"), BrokenReply, "finish_reason 'error'"),
    ],
)
def test_what_may_pass_is_tried_once_more(act: Act, error: type[EndpointError], said: str) -> None:
    with StubServer([act, act, says("never asked")]) as server:
        waits: list[float] = []
        with pytest.raises(error, match=said) as raised:
            client(server, retries=0).complete(HI)
        server.plan = [act, says("recovered")]
        server.bodies.clear()
        reply = client(server, sleep=waits.append).complete(HI)
    assert raised.value.transient
    assert reply.text == "recovered"
    if error is not ConnectionFailed:  # that one is repeated at once and for free
        assert reply.notes == (f"asked again: {raised.value}",)
        assert waits == [0.5]
        assert len(server.bodies) == 2


def test_one_retry_by_default_then_the_end() -> None:
    with StubServer([status(503)]) as server:
        with pytest.raises(ServerFailed):
            client(server).complete(HI)
        assert len(server.bodies) == 2
        with pytest.raises(ServerFailed):
            client(server, retries=3).complete(HI)
        assert len(server.bodies) == 6


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (status(400, "bad request"), "HTTP 400: bad request"),
        (status(401, "no key"), "the key was refused .check api_key or REACT_LAB_API_KEY.: no key"),
        (status(403), "the key was refused"),
        (status(404, "model not found"), "no such model or address"),
        (replies({}, 301, Location="http://elsewhere/"), "the address has moved"),
        (status(400, "too long", type="exceed_context_size_error"), "use a context policy"),
        (
            replies({"detail": [{"loc": ["body", "messages"], "msg": "too short"}]}, 422),
            "body.messages: too short",
        ),
        (replies({"error": "plain words"}, 400), "HTTP 400: plain words"),
        (body("<html>nope</html>", 404), "'nope'"),
    ],
)
def test_what_would_fail_again_is_not_tried_again(act: Act, said: str) -> None:
    with StubServer([act]) as server, pytest.raises(RequestRefused, match=said) as raised:
        client(server).complete(HI)
    assert len(server.bodies) == 1
    assert not raised.value.transient
    assert raised.value.request == server.bodies[0]


def test_a_filter_that_answers_400_ends_as_content_filter() -> None:
    with StubServer([status(400, "filtered", code="content_filter")]) as server:
        with pytest.raises(ContentFiltered):
            client(server).complete(HI)
        run = run_agent(Agent(client(server)), "hi")
    assert run.stop_reason == "content_filter"
    assert run.steps[-1].reply.request == server.bodies[-1]
    assert "filtered" in run.detail


@pytest.mark.parametrize(
    ("header", "wait"),
    [("3", 3.0), ("0", 0.0), ("1e9", LONGEST_WAIT), ("soon", 0.5), ("", 0.5), ("-4", 0.0)],
)
def test_retry_after_is_waited_for_and_capped(header: str, wait: float) -> None:
    waits: list[float] = []
    plan = [status(429, headers={"Retry-After": header}), says("ok")]
    assert ask(plan, sleep=waits.append).text == "ok"
    assert waits == [wait]


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.fromtimestamp(1_000_000, UTC), usegmt=True)
    assert seconds_to_wait(date, now=999_990) == 10
    assert seconds_to_wait(date, now=1_000_001) == 0
    assert seconds_to_wait("yesterday", now=0) is None


def test_a_wait_beyond_the_total_time_out_is_not_begun() -> None:
    waits: list[float] = []
    with pytest.raises(RateLimited):
        ask([status(429, headers={"Retry-After": "9"})], sleep=waits.append, total_timeout=5)
    assert waits == []


def test_time_outs_end_and_are_retried() -> None:
    with StubServer([silent()]) as server:
        with pytest.raises(TimedOut, match=r"nothing came for 0.05 seconds") as raised:
            client(server, read_timeout=0.05).complete(HI)
        assert len(server.bodies) == 2
    assert raised.value.transient


@pytest.mark.parametrize("stream", [False, True])
def test_the_total_time_out_ends_a_server_that_dribbles(stream: bool) -> None:
    started = time.monotonic()
    with pytest.raises(TimedOut, match="raise total_timeout"):
        ask([dribbles(0.01)], total_timeout=0.1, read_timeout=5, stream=stream)
    assert time.monotonic() - started < 2


def test_nobody_listens() -> None:
    with StubServer([says("x")]) as server:
        pass
    with pytest.raises(ConnectionFailed, match=r"cannot connect to http://127\.0\.0\.1:"):
        client(server).complete(HI)


def test_a_dropped_connection_is_replaced_once_for_free() -> None:
    waits: list[float] = []
    with StubServer([says("first"), drops(), says("second")]) as server:
        llm = client(server, sleep=waits.append, retries=0)
        assert llm.complete(HI).text == "first"
        assert llm.complete(HI).text == "second"
    assert waits == []
    assert server.connections == 2


# Refused fields ---------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["stop", "temperature", "seed", "max_tokens", "tools"])
def test_a_refused_field_is_left_out_and_remembered(field: str) -> None:
    text = "Final Answer: 4\nObservation: 5"
    with StubServer([refuses(field, then=says(text))]) as server:
        llm = client(server, seed=1)
        first = llm.complete(HI, stop=STOP, tools=SCHEMAS)
        second = llm.complete(HI, stop=STOP, tools=SCHEMAS)
    assert [field in sent for sent in server.bodies] == [True, False, False]
    assert first.text == second.text == "Final Answer: 4"
    assert first.notes == (
        f"the endpoint refused {field!r} (HTTP 400: Unsupported parameter: {field!r} is not supported): "
        "asked again without it",
    )
    assert second.notes == (f"{field!r} was left out: the endpoint refused it before",)
    assert client(server).refused == set()
    assert first.request == server.bodies[1]


def test_all_refused_fields_are_found_one_by_one() -> None:
    fields = ("stop", "tools", "temperature", "seed", "max_tokens", "stream_options")
    with StubServer([refuses(*fields, then=streams_text("ok"))]) as server:
        reply = client(server, seed=1, stream=True).complete(HI, stop=STOP, tools=SCHEMAS)
    assert reply.text == "ok"
    assert len(server.bodies) == 7
    assert set(server.bodies[-1]) == {"model", "messages", "stream"}


def test_max_tokens_has_another_name_for_some_models() -> None:
    text = "Unsupported parameter: '{}' is not supported. Use 'max_completion_tokens' instead."
    with StubServer([refuses("max_tokens", then=says("ok"), text=text)]) as server:
        llm = client(server, max_tokens=33)
        llm.complete(HI)
        llm.complete(HI)
    assert [sent.get("max_completion_tokens") for sent in server.bodies] == [None, 33, 33]
    assert "max_tokens" not in server.bodies[2]


def test_an_endpoint_that_refuses_for_ever_comes_to_an_end() -> None:
    always = status(400, "'stop' is not supported", param="stop")
    with StubServer([always]) as server, pytest.raises(RequestRefused):
        client(server).complete(HI, stop=STOP)
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("Unsupported parameter: 'stop' is not supported with this model.", ("stop",)),
        ("gemma:2b does not support tools", ("tools",)),
        ("No endpoints found that support tool use", ("tools",)),
        (
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
            ("tools",),
        ),
        ("tools param requires --jinja flag", ("tools",)),
        ("body.seed: Extra inputs are not permitted", ("seed",)),
        ("Unsupported value: 'temperature' does not support 0", ("temperature",)),
        ("max_tokens is too large: 100000", ()),
        ("the server was stopped by an unknown error", ()),
        ("This model's maximum context length is 4096 tokens", ()),
        ("invalid tool name", ()),
    ],
)
def test_which_fields_a_message_refuses(said: str, fields: tuple[str, ...]) -> None:
    sent = ["model", "messages", "stop", "tools", "temperature", "max_tokens", "seed"]
    assert refused_fields(said, "", sent) == fields


def test_a_server_error_that_names_tools_is_a_refusal() -> None:
    plan = [refuses("tools", then=says("ok"), code=500, text="{} param requires --jinja flag")]
    with StubServer(plan) as server:
        assert client(server).complete(HI, tools=SCHEMAS).text == "ok"
    assert len(server.bodies) == 2


# Streams ----------------------------------------------------------------------------------


def test_a_stream_shows_the_text_so_far() -> None:
    seen: list[str] = []
    with StubServer([streams_text("Final Answer: 4", pieces=3)]) as server:
        reply = client(server, on_text=seen.append).complete(HI)
    assert seen == ["Final", "Final Answ", "Final Answer: 4"]
    assert reply.text == "Final Answer: 4"
    assert reply.usage == Usage(11, 7, estimated=False)
    assert server.bodies[0]["stream_options"] == {"include_usage": True}
    assert reply.response is not None
    assert reply.response["events"][-1] == "[DONE]"


def test_a_streamed_reply_equals_the_plain_one() -> None:
    text = "Thought: 你好 – 4\nFinal Answer: 4"
    plain, streamed = ask([says(text)]), ask([streams_text(text, pieces=7)], stream=True)
    assert (plain.text, plain.finish_reason, plain.usage) == (
        streamed.text,
        streamed.finish_reason,
        streamed.usage,
    )


def test_a_stop_sequence_ends_the_stream_early() -> None:
    seen: list[str] = []
    pieces = [
        delta("Action: add\nObs"),
        delta("ervation: 4"),
        delta("never read"),
        delta(finish="stop"),
    ]
    reply = ask([streams(*pieces)], on_text=seen.append)
    assert reply.text == seen[-1] == "Action: add"
    assert reply.finish_reason == "stop"
    assert len(reply.response["events"]) == 2  # type: ignore[index]


def test_reasoning_is_kept_out_of_the_stream() -> None:
    seen: list[str] = []
    pieces = [
        delta(None, reasoning_content="hm"),
        delta("<think>a"),
        delta("b</think>4"),
        delta(finish="stop"),
    ]
    assert ask([streams(*pieces)], on_text=seen.append).text == "4"
    assert seen == ["", "4"]


def test_tool_calls_come_in_pieces() -> None:
    def piece(index: int, id: str | None = None, name: str | None = None, text: str = "") -> str:
        function = {"arguments": text} | ({"name": name} if name else {})
        return delta(tool_calls=[{"index": index, "id": id, "function": function}])

    events = [
        piece(0, "c1", "add"),
        piece(0, text='{"a": 1,'),
        piece(1, "c2", "add", '{"a": 3, "b": 4}'),
        piece(0, text=' "b": 2}'),
        piece(0, "c3", "add", "{}"),  # a server that numbers every call 0
        delta(finish="tool_calls"),
    ]
    reply = ask([streams(*events)], stream=True)
    assert reply.tool_calls == (
        ToolCall("c1", "add", '{"a": 1, "b": 2}'),
        ToolCall("c2", "add", '{"a": 3, "b": 4}'),
        ToolCall("c3", "add", "{}"),
    )
    assert reply.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (streams_and_breaks(delta("Final Answer: 4")), "broke off half-way"),
        (streams(delta("Final Answer: 4"), done=False), "broke off after 15 characters"),
        (streams(delta("Final"), '{"choices": [{"del'), "an event of the stream is not JSON"),
        (streams(delta("Final"), json.dumps({"error": {"message": "overloaded"}})), "overloaded"),
    ],
)
def test_a_broken_stream_is_never_an_answer(act: Act, said: str) -> None:
    with StubServer([act]) as server:
        with pytest.raises(BrokenReply, match=said) as raised:
            client(server, stream=True).complete(HI)
        run = run_agent(Agent(client(server, stream=True)), "What is 2 + 2?")
    assert len(server.bodies) == 4
    assert raised.value.response is not None
    assert "Final" in raised.value.response["events"][0]
    assert (run.stop_reason, run.answer) == ("llm_error", None)


def test_a_stream_without_done_but_with_a_finish_reason_is_whole() -> None:
    assert ask([streams(delta("4"), delta(finish="stop"), done=False)], stream=True).text == "4"


def test_an_endpoint_that_ignores_stream() -> None:
    seen: list[str] = []
    assert ask([says("4")], on_text=seen.append).text == "4"
    assert seen == []


# Runs and connections ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "stop_reason"),
    [
        (says("Final Answer: 4", finish="length"), "truncated"),
        (says("", finish="content_filter"), "content_filter"),
        (says(None), "format_errors"),
        (status(401), "llm_error"),
        (status(500), "llm_error"),
        (replies({"choices": []}), "llm_error"),
        (body("<html>"), "llm_error"),
        (says("Final Answer: 4"), "final_answer"),
    ],
)
def test_every_fault_ends_the_run_by_its_name(act: Act, stop_reason: str) -> None:
    with StubServer([act]) as server:
        run = run_agent(Agent(client(server)), "What is 2 + 2?")
    assert run.stop_reason == stop_reason
    assert run.steps[-1].reply.request == server.bodies[-1]


def test_a_truncated_action_is_not_run() -> None:
    ran: list[int] = []

    @tool
    def note(n: int) -> str:
        """Note a number."""
        ran.append(n)
        return "noted"

    cut = says('Action: note\nAction Input: {"n": 1}', finish="length")
    with StubServer([cut]) as server:
        run = run_agent(Agent(client(server), [note]), "Note 12.")
    assert (run.stop_reason, ran) == ("truncated", [])


def test_calls_one_after_the_other_use_one_connection() -> None:
    with StubServer([says("x")]) as server:
        for _ in range(5):
            client(server).complete(HI)
    assert server.connections == 1


def test_connections_opened_are_the_calls_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    barrier = Barrier(4, timeout=10)

    def together(handler: Any) -> None:
        barrier.wait()
        handler.send_json(message("x"))

    with StubServer([together]) as server, ThreadPoolExecutor(4) as pool:
        llm = client(server)
        for _ in range(3):
            list(pool.map(lambda _: llm.complete(HI), range(4)))
    assert server.connections == 4


def test_native_calls_over_the_wire_end_in_an_answer() -> None:
    from react_lab.contracts import NativeContract

    plan = [calls(call("add", '{"a": 2, "b": 2}', "c1")), says("4")]
    with StubServer(plan) as server:
        run = run_agent(Agent(client(server), [add], NativeContract()), "What is 2 + 2?")
    assert run.answer == "4"
    assert server.bodies[1]["messages"][-1] == {
        "role": "tool",
        "content": "4",
        "tool_call_id": "c1",
    }


def test_every_error_is_an_llm_error() -> None:
    kinds = (
        BrokenReply,
        ConnectionFailed,
        ContentFiltered,
        RateLimited,
        RequestRefused,
        ServerFailed,
        TimedOut,
    )
    assert all(issubclass(kind, EndpointError) and issubclass(kind, LLMError) for kind in kinds)


def test_repr_is_short_and_hides_the_query() -> None:
    llm = OpenAICompatibleLLM("https://host/v1?key=secret", "m", "sk-1")
    assert repr(llm) == "OpenAICompatibleLLM('https://host/v1', 'm')"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_proxy_is_for_other_machines_only(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer([says("here")]) as server, StubServer([says("through")]) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url.removesuffix("/v1"))
        for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        CLIENTS.close()  # a client reads the proxy when it is made
        near = OpenAICompatibleLLM(server.base_url.replace("127.0.0.1", host), "m", "")
        far = OpenAICompatibleLLM("http://models.example/v1", "m", "")
        texts = [near.complete(HI).text, far.complete(HI).text]
        CLIENTS.close()
    assert texts == ["here", "through"]
