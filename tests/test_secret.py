"""A canary key, and every place it could turn up after everything has gone wrong."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from stub_server import (
    Act,
    StubServer,
    body,
    calls,
    delta,
    dribbles,
    drops,
    refuses,
    replies,
    says,
    silent,
    status,
    streams,
    streams_and_breaks,
)

from react_lab.agent import Agent, run_agent
from react_lab.contracts import NativeContract
from react_lab.errors import UsageError
from react_lab.llm.openai_compatible import OpenAICompatibleLLM, Secret
from react_lab.llm.recorded import record
from react_lab.records import Message, Run

CANARY = "sk-canary-4242424242"
HI = [Message("user", "hi")]


def echo(handler: Any) -> None:
    """Fail as some proxies do: with the request's own headers in the body."""
    handler.send_json({"error": {"message": f"bad headers {dict(handler.headers)}"}}, 400)


def echo_in_reply(handler: Any) -> None:
    handler.send_json({"choices": [{"message": {"content": str(dict(handler.headers))}}]})


ENDLESS = ("silence", "dribble")
FAULTS: dict[str, Act] = {
    "refused key": status(401, f"Incorrect API key provided: {CANARY}"),
    "echo": echo,
    "echo in a reply": echo_in_reply,
    "echo in a stream": streams(delta(f"key {CANARY}"), delta(finish="stop")),
    "too many": status(429, headers={"Retry-After": "1"}),
    "server error": status(500),
    "html": body(f"<h1>502</h1>{CANARY}"),
    "no json": body(f"{{'key': '{CANARY}'"),
    "no choices": replies({"choices": [], "key": CANARY}),
    "hang-up": drops(),
    "silence": silent(),
    "dribble": dribbles(0.01),
    "broken stream": streams_and_breaks(delta("half")),
    "refused fields": refuses("temperature", then=status(400, "no")),
    "filtered": says("", finish="content_filter"),
    "empty": says(None),
    "nonsense calls": calls({"function": {"name": CANARY[:0], "arguments": "{"}}),
}


def impatient(server: StubServer, **settings: Any) -> OpenAICompatibleLLM:
    settings = {"sleep": lambda seconds: None, **settings}
    return OpenAICompatibleLLM(server.base_url, "m", CANARY, **settings)


def everything_said(error: BaseException) -> str:
    """Return an exception in every form that a notebook, a log or a debugger prints."""
    told = [
        repr(error),
        str(error),
        repr(vars(error)),
        repr(error.__context__),
        repr(error.__cause__),
    ]
    told += traceback.format_exception(error)
    told += traceback.TracebackException.from_exception(error, capture_locals=True).format()
    return "\n".join(told)


def everything_in(run: Run) -> str:
    """Return a run in every form that can be stored or shown."""
    stored = pickle.dumps(run).decode("latin-1")
    return "\n".join(
        [repr(run), str(run), stored, json.dumps(asdict(run), default=str), run._repr_html_()]
    )


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", FAULTS)
def test_the_key_is_nowhere_after_a_fault(
    name: str,
    stream: bool,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    said = []
    with StubServer([FAULTS[name]]) as server:
        quick = {"read_timeout": 0.05, "total_timeout": 0.1} if name in ENDLESS else {}
        llm = impatient(server, stream=stream, **quick)
        recorder = record(llm, tmp_path / "run.jsonl")
        said.append(everything_in(run_agent(Agent(recorder, contract=NativeContract()), "hi")))
        try:
            said.append(repr(llm.complete(HI)))
        except Exception as error:
            said.append(everything_said(error))
        with pytest.raises(Exception) as raised:  # noqa: PT011  any error will do: it must not hold the key
            llm.complete(None)  # type: ignore[arg-type]
        said.append(everything_said(raised.value))
        sent = {headers["Authorization"] for headers in server.headers}
        # a busy machine may give up on an endless reply before the server has seen the request
        assert sent == {f"Bearer {CANARY}"} or (name in ENDLESS and not sent)
    said += [caplog.text, *(repr(vars(entry)) for entry in caplog.records)]
    said += [(tmp_path / "run.jsonl").read_text("utf-8"), repr(vars(llm)), *capsys.readouterr()]
    assert CANARY not in "\n".join(said)


def test_the_key_is_nowhere_when_nobody_listens() -> None:
    with StubServer([says("x")]) as server:
        pass
    llm = impatient(server)
    with pytest.raises(Exception, match="cannot connect") as raised:
        llm.complete(HI)
    assert CANARY not in everything_said(raised.value)


@pytest.mark.parametrize("wrong", [{"read_timeout": -1}, {"base_url": "nowhere"}, {"model": " "}])
def test_the_key_is_nowhere_when_the_settings_are_wrong(wrong: dict[str, Any]) -> None:
    settings = {"base_url": "http://h/v1", "model": "m"} | wrong
    with pytest.raises(UsageError) as raised:
        OpenAICompatibleLLM(api_key="sk-canary" + "-4242424242", **settings)
    frames = [frame for frame, _ in traceback.walk_tb(raised.value.__traceback__)][1:]
    assert CANARY not in str(raised.value)
    assert not any(CANARY in repr(frame.f_locals) for frame in frames)


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk two", "sk-“smart”", "sk-ключ"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_quoted(key: str) -> None:
    with pytest.raises(UsageError, match="copy it again") as raised:
        OpenAICompatibleLLM("http://h/v1", "m", key)
    frames = [frame for frame, _ in traceback.walk_tb(raised.value.__traceback__)][1:]
    assert not any(key in repr(frame.f_locals) for frame in frames)
    assert key not in str(raised.value)


def test_a_secret_prints_nothing() -> None:
    @dataclass
    class Holder:
        key: Secret

    secret = Secret(CANARY)
    shown = [repr(secret), str(secret), f"{secret}", f"{secret:>40}", f"{secret!r}", "%s" % secret]  # noqa: UP031
    shown += [repr(Holder(secret)), repr(asdict(Holder(secret))), json.dumps([secret], default=str)]
    shown += [repr(copy.deepcopy(secret)), repr(dir(secret)), repr(secret._reveal)]
    assert CANARY not in "".join(shown)
    with pytest.raises(TypeError):
        json.dumps(secret)
    assert copy.deepcopy(secret).reveal() == copy.copy(secret).reveal() == CANARY


def test_a_pickled_client_leaves_its_key_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    llm = OpenAICompatibleLLM("http://h/v1", "m", CANARY)
    stored = pickle.dumps(llm)
    assert CANARY.encode() not in stored
    monkeypatch.setenv("REACT_LAB_API_KEY", "sk-of-the-worker")
    assert pickle.loads(stored)._secret.reveal() == "sk-of-the-worker"
    assert repr(pickle.loads(stored)) == repr(llm)


def test_short_keys_are_words_and_stay_in_replies() -> None:
    assert Secret("ollama").scrub("ollama is a server") == "ollama is a server"
    assert Secret(CANARY).scrub(f"say {CANARY}") == "say ***"
