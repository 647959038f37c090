"""ModelPicker: what each choice gives, what a test of the connection says, and where no key is."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import traceback
from dataclasses import asdict
from typing import Any, ClassVar

import pytest
from channel import sent as sent  # a fixture
from hostile import TEXTS
from ipywidgets.embed import dependency_state, embed_data
from stub_server import (
    StubServer,
    body,
    drops,
    refuses,
    replies,
    says,
    silent,
    status,
)
from test_secret import echo, echo_in_reply
from test_views import Page
from test_widgets_inspector import click

from react_lab import (
    Agent,
    Message,
    OpenAICompatibleLLM,
    RecordedLLM,
    SimulatedLLM,
    UsageError,
    demo_tools,
    record,
    run_agent,
)
from react_lab.llm import TEMPERS
from react_lab.views.escape import visible
from react_lab.views.model_picker import Outcome
from react_lab.widgets import ModelPicker, model_choice, model_picker
from react_lab.widgets.model_choice import ADDRESSES, ASK, KINDS, TEMPER_WORDS, WHAT

CANARY = "sk-canary-4242424242"
ODD = "CaNaRy7"  # a short key that looks like none
HI = [Message("user", ASK)]


def endpoint(server: StubServer | None = None, **state: Any) -> ModelPicker:
    url = server.base_url if server else "https://api.example.com/v1"
    return ModelPicker("endpoint", **({"base_url": url, "model": "m", "patience": 2.0} | state))


def outcome_of(picker: ModelPicker) -> Outcome:
    return asyncio.run(picker.test_connection())


def paste(picker: ModelPicker, key: str) -> None:
    """Do what the page does when a key is pasted and Enter pressed."""
    message = {"content": {"data": {"method": "update", "state": {"value": key}}}}
    picker.key_field._handle_msg(message)


def shown(picker: ModelPicker) -> str:
    return Page(picker.page.value, widget=True).text


class TestChoosing:
    def test_the_kit_begins_with_the_simulated_model(self):
        picker = ModelPicker()
        assert repr(picker.llm) == "SimulatedLLM('obedient', seed=0)"
        run = run_agent(Agent(picker.llm, demo_tools()), "What is 17 * 23?")
        assert run.answer and "391" in run.answer

    def test_temper_and_seed_are_chosen_by_their_controls(self):
        picker = ModelPicker()
        picker.tempers.set_state({"index": list(TEMPERS).index("sloppy")})
        picker.number.set_state({"value": 7})
        assert repr(picker.llm) == "SimulatedLLM('sloppy', seed=7)"
        assert "slips in one reply out of a few" in shown(picker)

    def test_every_temper_and_kind_has_its_words(self):
        assert set(TEMPER_WORDS) == set(TEMPERS)
        assert set(WHAT) == set(KINDS)

    def test_a_recording_is_replayed_and_says_what_it_is(self, tmp_path):
        path = tmp_path / "run.jsonl"
        about = {"model": "toy-1", "date": "2026-06-15"}
        with record(SimulatedLLM(), path, about=about) as recorder:
            reply = recorder.complete(HI)
        picker = ModelPicker("recorded")
        assert "Not ready: no recording" in str(picker)
        picker.lines["recording"].set_state({"value": str(path)})
        assert isinstance(picker.llm, RecordedLLM)
        assert picker.llm.complete(HI) == reply
        assert "Holds: 1 recorded replies; model toy-1, date 2026-06-15" in str(picker)
        assert outcome_of(picker) == Outcome(
            "1 recorded replies; model toy-1, date 2026-06-15", True
        )

    def test_a_recording_that_is_not_there(self, tmp_path):
        picker = ModelPicker("recorded", recording=str(tmp_path / "none.jsonl"))
        with pytest.raises(UsageError, match="cannot read the recording none"):
            _ = picker.llm
        assert outcome_of(picker).ok is False
        assert "cannot read the recording none.jsonl" in shown(picker)

    def test_an_endpoint_is_address_model_and_key(self):
        picker = ModelPicker("endpoint")
        assert "Not ready: no address: write one such as http://127.0.0.1:8080/v1" in str(picker)
        picker.lines["base_url"].set_state({"value": " http://127.0.0.1:9/v1/ "})
        assert "Not ready: no model" in str(picker)
        picker.lines["model"].set_state({"value": "m"})
        assert repr(picker.llm) == "OpenAICompatibleLLM('http://127.0.0.1:9/v1', 'm')"
        assert "Not ready" not in str(picker)

    @pytest.mark.parametrize("name", ADDRESSES)
    def test_a_button_writes_a_usual_address(self, name):
        picker = ModelPicker("endpoint", model="m")
        click(picker.rows["endpoint"][0], name)
        assert picker.base_url == picker.lines["base_url"].value == ADDRESSES[name]

    def test_only_the_controls_of_the_kind_are_there(self):
        picker = ModelPicker()
        for kind in KINDS:
            picker.kinds.set_state({"index": KINDS.index(kind)})
            assert picker.kind == kind
            groups = [box for box in picker.box.children if hasattr(box, "children")]
            assert [list(box.children) for box in groups] == list(picker.rows.values())
            assert f"react-lab-{kind}" in picker.box._dom_classes
            shown = [name for name in KINDS if f"react-lab-{name}" in picker.box._dom_classes]
            assert shown == [kind]

    def test_the_environment_is_where_it_begins(self, monkeypatch):
        monkeypatch.setenv("REACT_LAB_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("REACT_LAB_MODEL", "own")
        monkeypatch.setenv("REACT_LAB_API_KEY", CANARY)
        picker = ModelPicker("endpoint")
        assert (picker.base_url, picker.model) == ("http://127.0.0.1:9/v1", "own")
        assert "Key: that of REACT_LAB_API_KEY" in str(picker)
        assert picker.llm._secret.reveal() == CANARY

    def test_the_environments_key_goes_to_no_other_address(self, monkeypatch):
        monkeypatch.setenv("REACT_LAB_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("REACT_LAB_API_KEY", CANARY)
        picker = ModelPicker("endpoint", model="m")
        click(picker.rows["endpoint"][0], "OpenAI")
        assert not picker.llm._secret
        assert "Key: none" in str(picker)


WRONG_ADVICE = {
    "refused key": (status(401, "Incorrect API key"), "Paste the key again"),
    "too many": (status(429, headers={"Retry-After": "0"}), "Wait a minute and test again"),
    "server error": (status(503), "look at its log"),
    "html": (body("<h1>It works!</h1>"), "it usually ends in /v1"),
    "hang-up": (drops(), "See that the server runs"),
}


class TestConnection:
    def test_nothing_is_asked_before_the_click(self):
        with StubServer([says("yes")]) as server:
            picker = endpoint(server)
            paste(picker, CANARY)
            str(picker), repr(picker), picker._repr_mimebundle_(), picker.llm
            picker.model = "other"
            assert server.connections == 0

    def test_a_click_asks_once_with_the_key(self):
        with StubServer([says("yes")]) as server:
            picker = endpoint(server)
            paste(picker, CANARY)

            async def press():
                click(picker.buttons, "Test the connection")
                await asyncio.sleep(0)
                assert picker.tested == Outcome("being tested")
                assert "being tested" in shown(picker)
                await asyncio.gather(*picker._tasks)

            asyncio.run(press())
            assert server.headers[0]["Authorization"] == f"Bearer {CANARY}"
            assert server.bodies[0]["messages"] == [{"role": "user", "content": ASK}]
            assert len(server.bodies) == 1
        text = "works: stub-1 replied 'yes' (finish_reason stop, 18 tokens)"
        assert f"Connection {text}" in shown(picker)
        assert f"Connection: {text}\n" in str(picker)

    @pytest.mark.parametrize("name", WRONG_ADVICE)
    def test_an_error_says_what_to_do(self, name):
        act, advice = WRONG_ADVICE[name]
        with StubServer([act]) as server:
            picker = endpoint(server)
            outcome = outcome_of(picker)
        assert outcome.ok is False
        assert advice in outcome.text
        assert f"failed: {outcome.text}" in str(picker)

    def test_a_silent_server_is_left_after_the_patience(self):
        with StubServer([silent()]) as server:
            outcome = outcome_of(endpoint(server, patience=0.05))
        assert outcome.ok is False
        assert "still loading the model" in outcome.text

    def test_nobody_listens(self):
        with StubServer([says("yes")]) as server:
            pass
        outcome = outcome_of(endpoint(server))
        assert outcome.text.startswith("ConnectionFailed: cannot connect to")
        assert "See that the server runs" in outcome.text

    def test_an_unknown_model_is_told_those_that_are_there(self):
        listed = replies({"data": [{"id": f"model-{n}"} for n in range(12)]})
        with StubServer([status(404, "no such model"), listed]) as server:
            outcome = outcome_of(endpoint(server))
        assert "this server has model-0, model-1" in outcome.text
        assert outcome.text.endswith("model-9 and 2 more.")

    def test_an_unknown_model_of_a_server_that_lists_none(self):
        with StubServer([status(404, "no")]) as server:
            assert outcome_of(endpoint(server)).text.endswith(
                "Correct the model's name or the address."
            )

    def test_a_refused_field_is_left_out_and_noted(self):
        with StubServer([refuses("temperature", then=says("yes"))]) as server:
            outcome = outcome_of(endpoint(server))
        assert outcome.ok
        assert "the endpoint refused 'temperature'" in outcome.text

    def test_an_empty_reply_is_a_connection_all_the_same(self):
        with StubServer([says(None, finish="length")]) as server:
            outcome = outcome_of(endpoint(server))
        assert outcome == Outcome(
            "stub-1 sent an empty reply (finish_reason length, 18 tokens)", True
        )

    def test_the_simulated_model_answers_in_this_process(self):
        outcome = outcome_of(ModelPicker())
        assert outcome.ok
        assert outcome.text.startswith("simulated-obedient replied ")

    def test_what_is_missing_is_said_and_nothing_asked(self):
        picker = ModelPicker("endpoint")
        assert outcome_of(picker) == Outcome(
            f"no address: write one such as {ADDRESSES['llama.cpp']}", False
        )

    def test_stop_does_not_wait_for_the_server(self):
        with StubServer([silent()]) as server:
            picker = endpoint(server, patience=20.0)

            async def stop_soon():
                testing = asyncio.ensure_future(picker.test_connection())
                while not server.bodies:
                    await asyncio.sleep(0.001)
                with pytest.raises(UsageError, match="still going on: stop it first"):
                    await picker.test_connection()
                click(picker.buttons, "Stop")
                return await asyncio.wait_for(testing, 1)

            assert asyncio.run(stop_soon()) == Outcome("the test was stopped")
        assert picker.tested == Outcome("the test was stopped")

    def test_another_choice_stops_the_test_and_drops_its_result(self):
        with StubServer([silent()]) as server:
            picker = endpoint(server, patience=20.0)

            async def change_soon():
                testing = asyncio.ensure_future(picker.test_connection())
                while not server.bodies:
                    await asyncio.sleep(0.001)
                picker.kind = "simulated"
                await asyncio.wait_for(testing, 1)

            asyncio.run(change_soon())
        assert picker.tested == Outcome()

    def test_another_choice_forgets_the_last_result(self):
        picker = ModelPicker()
        assert outcome_of(picker).ok
        picker.seed = 2
        assert "Connection: not tested" in str(picker)


class FakeServer:
    running = True


class FakeLaptop(SimulatedLLM):
    """Stand in for the laptop's model: counts how often it is started."""

    started: ClassVar[list[FakeLaptop]] = []

    def __init__(self) -> None:
        super().__init__()
        self.server = FakeServer()
        self.started.append(self)

    def stop(self) -> None:
        self.server.running = False


class TestLaptop:
    @pytest.fixture(autouse=True)
    def _fake(self, monkeypatch):
        monkeypatch.setattr(model_picker, "LaptopLLM", FakeLaptop)
        monkeypatch.setattr(FakeLaptop, "started", [])

    @pytest.fixture
    def here(self, monkeypatch):
        for module in (model_choice, model_picker):
            monkeypatch.setattr(module, "why_not", lambda: "")

    def test_where_it_is_not_installed_a_sentence_says_how(self, monkeypatch):
        reason = "xllamacpp is not installed: pip install xllamacpp==1"
        for module in (model_choice, model_picker):
            monkeypatch.setattr(module, "why_not", lambda: reason)
        picker = ModelPicker("laptop")
        assert f"Not ready: {reason}" in str(picker)
        assert reason in shown(picker)
        with pytest.raises(UsageError, match="pip install xllamacpp==1"):
            _ = picker.llm
        assert reason in outcome_of(picker).text
        assert FakeLaptop.started == []

    @pytest.mark.usefixtures("here")
    def test_one_process_is_started_when_it_is_wanted_and_ended_by_hand(self):
        picker = ModelPicker("laptop")
        str(picker), picker._repr_mimebundle_()
        assert FakeLaptop.started == []
        first = picker.llm
        assert picker.llm is first and outcome_of(picker).ok
        assert FakeLaptop.started == [first]
        click(picker.rows["laptop"][0], "End its process")
        assert not first.server.running
        assert picker.llm is not first

    @pytest.mark.usefixtures("here")
    def test_a_process_that_died_is_started_again(self):
        picker = ModelPicker("laptop")
        first = picker.llm
        first.stop()
        assert picker.llm is not first


def parts_of(widget: Any) -> list[Any]:
    """Return every part of a picker's box, the hidden rows too."""
    rows = [part for row in widget.rows.values() for part in row]
    return [widget.box, *rows, widget.kinds, widget.buttons, widget.page]


def everything_kept(picker: ModelPicker) -> str:
    """Return all that a page, a saved notebook, an export or a print could hold."""
    parts = parts_of(picker)
    kept = [repr(part.get_state()) for part in parts]
    kept += [repr(part) for part in parts]
    kept += [repr({name: getattr(part, name) for name in part.trait_names()}) for part in parts]
    kept += [repr({name: getattr(picker, name) for name in picker.trait_names()})]
    kept += [repr(dependency_state(parts, drop_defaults=False)), repr(embed_data(parts))]
    kept += [repr(picker), str(picker), picker.to_html(), picker.code(), picker.notice]
    kept += [repr(picker._repr_mimebundle_()), repr(vars(picker)), repr(vars(picker.choice))]
    return "\n".join([*kept, repr(asdict(picker._picked)), repr(vars(picker.key_field))])


#: Servers that tell the key which they were sent, each in a way of its own.
TELLTALES = {
    "echo": lambda key: [echo],
    "echo in a reply": lambda key: [echo_in_reply],
    "refused": lambda key: [status(401, f"Incorrect key {key}")],
    "no model": lambda key: [status(404, f"no model for {key}")],
    "models": lambda key: [status(404), replies({"data": [{"id": key}]})],
    "failed": lambda key: [status(500, key)],
    "reply": lambda key: [says(f"yes, {key}")],
    "html": lambda key: [body(f"<p>{key}</p>")],
    "hang-up": lambda key: [drops()],
}


def hidden(action: Any, said: list[str]) -> None:
    """Do something; note its exception in every form that a notebook prints."""
    try:
        action()
    except Exception as error:
        said += [repr(error), *traceback.format_exception(error)]
        stack = traceback.TracebackException.from_exception(error, capture_locals=True)
        said += stack.format()


class TestKey:
    def test_it_is_taken_and_the_field_is_empty(self, sent):
        picker = endpoint()
        sent.clear()
        paste(picker, CANARY)
        assert picker.llm._secret.reveal() == CANARY
        assert picker.key_field.value == ""
        assert ("comm_msg", {"value": ""}) in sent
        assert "Key: pasted, held in memory only" in str(picker)
        assert CANARY not in repr(sent)
        assert CANARY not in everything_kept(picker)

    def test_the_pages_message_is_emptied_too(self):
        picker = endpoint()
        message = {"content": {"data": {"method": "update", "state": {"value": CANARY}}}}
        picker.key_field._handle_msg(message)
        assert message == {"content": {"data": {"method": "update", "state": {}}}}

    def test_a_key_set_in_code_is_taken_the_same_way(self, sent):
        picker = endpoint()
        picker.key_field.value = CANARY
        assert picker.llm._secret.reveal() == CANARY
        assert CANARY not in everything_kept(picker) + repr(sent)

    def test_no_list_dict_or_tuple_of_this_process_holds_it(self):
        key = "".join(["sk-found-", "by-nobody-", "77777777"])
        with StubServer([status(401, "refused")]) as server:
            picker = endpoint(server)
            paste(picker, key)
            assert outcome_of(picker).ok is False
            server.headers.clear()
        gc.collect()
        mine = {id(value) for value in (globals(), locals())}
        holders = [
            type(found).__name__
            for found in gc.get_objects()
            if id(found) not in mine and _holds(found, key)
        ]
        assert holders == []

    @pytest.mark.parametrize("key", [CANARY, ODD])
    @pytest.mark.parametrize("name", TELLTALES)
    def test_it_is_nowhere_after_a_test(self, name, key, sent, caplog):
        said: list[str] = []
        with StubServer(TELLTALES[name](key)) as server:
            picker = endpoint(server)
            paste(picker, key)
            outcome = outcome_of(picker)
            assert server.headers[0]["Authorization"] == f"Bearer {key}"
        hidden(lambda: picker.set_trait("kind", "nowhere"), said)
        hidden(lambda: picker.set_trait("base_url", 7), said)
        said += [str(outcome), repr(sent), caplog.text, everything_kept(picker)]
        assert key not in "\n".join(said)

    def test_copies_and_pickles_of_what_is_shown_hold_nothing(self):
        picker = endpoint()
        paste(picker, CANARY)
        assert CANARY.encode() not in pickle.dumps(picker.llm)
        assert CANARY not in repr(copy.copy(picker.llm))

    @pytest.mark.parametrize("bad", ["sk-one two", "sk-“smart”-quotes", "line\nbreak"])
    def test_one_that_cannot_be_sent_is_refused_and_not_quoted(self, bad):
        picker = endpoint()
        paste(picker, bad)
        assert "copy it again" in shown(picker)
        assert "Key: none" in str(picker)
        assert bad not in everything_kept(picker)

    def test_it_is_forgotten_by_hand(self):
        picker = endpoint()
        paste(picker, CANARY)
        click(picker.rows["endpoint"][-1], "Forget the key")
        assert not picker.llm._secret
        assert "Key: none" in str(picker)

    def test_it_does_not_follow_the_address_to_another_server(self):
        picker = endpoint()
        paste(picker, CANARY)
        picker.lines["base_url"].set_state({"value": "https://api.example.com/v2"})
        assert picker.llm._secret
        picker.lines["base_url"].set_state({"value": "https://evil.example/v1"})
        assert not picker.llm._secret
        assert "another server's: the key was forgotten" in shown(picker)

    def test_one_that_is_pasted_before_the_address_stays(self):
        picker = endpoint(base_url="")
        paste(picker, CANARY)
        picker.base_url = "https://api.example.com/v1"
        assert picker.llm._secret.reveal() == CANARY

    @pytest.mark.parametrize("name", ["recording", "base_url", "model"])
    def test_in_the_wrong_field_it_goes_away(self, name):
        picker = endpoint()
        before = getattr(picker, name)
        picker.lines[name].set_state({"value": CANARY})
        assert getattr(picker, name) == picker.lines[name].value == before
        assert "looks like a key: paste it into 'Key'" in shown(picker)
        assert CANARY not in everything_kept(picker)

    def test_an_address_with_a_password_is_refused(self):
        picker = endpoint()
        picker.lines["base_url"].set_state({"value": "https://me:hunter2hunter2@example.com/v1"})
        assert picker.base_url == "https://api.example.com/v1"
        assert "hunter2" not in everything_kept(picker)

    def test_an_environment_that_mixes_them_up_is_left_out(self, monkeypatch):
        monkeypatch.setenv("REACT_LAB_MODEL", CANARY)
        assert ModelPicker("endpoint").model == ""

    @pytest.mark.parametrize(
        ("url", "careful"),
        [
            ("http://example.com/v1", True),
            ("https://example.com/v1", False),
            ("http://127.0.0.1:8080/v1", False),
            ("http://localhost:8080/v1", False),
        ],
    )
    def test_a_key_without_encryption_is_warned_of(self, url, careful):
        picker = endpoint(base_url=url)
        assert "use https" not in str(picker)
        paste(picker, CANARY)
        assert ("use https" in str(picker)) == careful


def _holds(container: Any, key: str) -> bool:
    if isinstance(container, dict):
        return any(type(value) is str and key in value for value in list(container.values()))
    if isinstance(container, list | tuple):
        return any(type(value) is str and key in value for value in container)
    return False


class TestShown:
    def test_the_text_says_all(self):
        assert str(ModelPicker()) == (
            "Model: SimulatedLLM('obedient', seed=0)\n"
            "What it is: a small program with fixed rules; it shows how to measure, not how real"
            " models behave\n"
            "Temper: obedient: it does what the prompt says and keeps to the format\n"
            "Connection: not tested\n"
            "The same in code:\n"
            "llm = SimulatedLLM('obedient', seed=0)\n"
            "print(llm.complete([Message('user', 'Reply with the word yes.')]).text)"
        )

    @pytest.mark.parametrize("kind", KINDS)
    def test_picture_and_page_say_what_the_text_says(self, kind):
        picker = endpoint()
        picker.kind = kind
        saved = Page(picker.to_html())
        assert saved.problems == []
        assert Page(picker.page.value, widget=True).problems == []
        for line in str(picker).split("\n"):
            for words in line.split(": ", 1):
                assert words.removesuffix(":") in saved.text
                assert words.removesuffix(":") in shown(picker)

    def test_the_picture_is_deterministic(self):
        pictures = [endpoint()._repr_mimebundle_() for _ in range(2)]
        assert pictures[0]["text/html"] == pictures[1]["text/html"]
        name = "OpenAICompatibleLLM('https://api.example.com/v1', 'm')"
        assert pictures[0]["text/plain"] == f"ModelPicker({name})"

    @pytest.mark.parametrize("key", ["", CANARY])
    def test_the_lines_of_code_do_the_same(self, key, monkeypatch, capsys):
        monkeypatch.setattr("getpass.getpass", lambda prompt: key)
        with StubServer([says("yes")]) as server:
            picker = endpoint(server)
            paste(picker, key)
            names = {"OpenAICompatibleLLM": OpenAICompatibleLLM, "Message": Message}
            exec(picker.code(), names)
            outcome_of(picker)
            assert server.headers[0].get("Authorization") == server.headers[1].get("Authorization")
            assert server.bodies[0]["messages"] == server.bodies[1]["messages"]
        assert repr(names["llm"]) == repr(picker.llm)
        assert capsys.readouterr().out == "yes\n"

    def test_the_lines_of_code_for_the_environments_key(self, monkeypatch):
        monkeypatch.setenv("REACT_LAB_API_KEY", CANARY)
        picker = endpoint()
        line = picker.code().split("\n")[0]
        assert line == "llm = OpenAICompatibleLLM('https://api.example.com/v1', 'm')"

    def test_the_lines_of_code_for_the_others(self, tmp_path, capsys):
        path = tmp_path / "run.jsonl"
        with record(SimulatedLLM(), path) as recorder:
            recorder.complete(HI)
        names = {"RecordedLLM": RecordedLLM, "SimulatedLLM": SimulatedLLM, "Message": Message}
        for picker in (ModelPicker("recorded", recording=str(path)), ModelPicker(seed=3)):
            exec(picker.code(), names)
            assert repr(names["llm"]) == repr(picker.llm)
        assert capsys.readouterr().out.startswith("1 {}\n")

    @pytest.mark.parametrize("name", TEXTS)
    def test_hostile_text_is_shown_and_not_obeyed(self, name):
        text = TEXTS[name]
        for kind in ("recorded", "endpoint"):
            for url in (text, f"https://{text}/v1"):
                picker = ModelPicker(kind, recording=text, base_url=url, model=text)
                picker.notice = text
                assert Page(picker.page.value, widget=True).problems == []
                assert Page(picker.to_html()).problems == []
                assert visible(str(picker) + repr(picker)) == str(picker) + repr(picker)
                picker.page.value.encode("utf-8")

    @pytest.mark.parametrize("name", TEXTS)
    def test_a_hostile_server_is_quoted_and_not_obeyed(self, name):
        text = TEXTS[name].encode("utf-8", "replace").decode()
        listed = replies({"data": [{"id": text}]})
        for acts in ([says(text)], [status(404, text), listed], [body(text, 500)]):
            with StubServer(acts) as server:
                picker = endpoint(server)
                outcome_of(picker)
            assert Page(picker.page.value, widget=True).problems == []
            assert Page(picker.to_html()).problems == []
            assert visible(str(picker)) == str(picker)

    def test_a_bad_address_is_named_with_the_fix(self):
        for url in ("nowhere", "ftp://x/v1", "http://[::1", "http://h:99999/v1"):
            picker = endpoint(base_url=url)
            assert f"Not ready: base_url {url!r} is no http address" in str(picker)
            assert outcome_of(picker).ok is False

    def test_it_opens_with_few_messages(self, sent):
        ModelPicker()._repr_mimebundle_()
        assert len(sent) <= 20

    def test_without_an_event_loop_the_notice_points_to_the_code(self):
        picker = ModelPicker()
        click(picker.buttons, "Test the connection")
        assert "use the line of code instead" in picker.notice
