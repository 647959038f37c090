"""Runs as JSON, and the redaction that every export goes through."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from react_lab import (
    Action,
    Agent,
    Completion,
    FunctionLLM,
    Message,
    Messages,
    Parsed,
    Run,
    ScriptedLLM,
    Step,
    TextContract,
    ToolCall,
    UsageError,
    fork,
    run_agent,
    tool,
)
from react_lab.trace import redact, redact_run, run_from_json, run_to_json

CANARY = "sk-canary-0123456789abcdef"


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


REPLIES = [
    "Thought: I double it.\nAction: double\nAction Input: {'number': 2,}",
    "I am lost in thought.",
    'Thought: Again.\nAction: double\nAction Input: {"number": "many"}',
    "Thought: Done.\nFinal Answer: 4",
]


def scripted_run(**changes) -> Run:
    return run_agent(Agent(ScriptedLLM(REPLIES), [double], **changes), "What is 2 + 2?")


def counting_run(n: int) -> Run:
    def reply(messages):
        return f'Thought: On.\nAction: double\nAction Input: {{"number": {len(messages)}}}'

    last = FunctionLLM(lambda m: "Final Answer: end" if len(m) >= 2 * n else reply(m))
    return run_agent(Agent(last, [double], guards=()), "Count.")


def one_step(args, **reply) -> Run:
    step = Step(
        Messages([Message("user", "?")]),
        Completion("x", **reply),
        Parsed(actions=(Action("t", args),)),
    )
    return Run("?", (step,))


class TestJson:
    @pytest.mark.parametrize("dialect", ["lines", "json", "xml"])
    def test_a_run_loads_back_equal(self, dialect):
        run = scripted_run(contract=TextContract(dialect))
        loaded = run_from_json(run_to_json(run))
        assert loaded == run
        assert str(loaded) == str(run)

    def test_all_of_it_comes_back(self):
        run = scripted_run()
        loaded = run_from_json(run_to_json(run))
        for number, step in enumerate(run.steps, 1):
            assert tuple(loaded.messages(number)) == tuple(step.messages)
            assert loaded.messages(number).tokens == step.messages.tokens
            assert loaded.step(number).model_seconds == step.model_seconds
            assert [o.seconds for o in loaded.step(number).observations] == [
                o.seconds for o in step.observations
            ]

    def test_a_fork_brings_its_parents(self):
        run = scripted_run()
        agent = Agent(ScriptedLLM(REPLIES), [double])
        second = run_agent(agent, fork(agent, run, 2, reply=REPLIES[3]))
        third = run_agent(agent, fork(agent, second, 1, observation="5"))
        loaded = run_from_json(run_to_json(third))
        assert (loaded, loaded.parent, loaded.parent.parent) == (third, second, run)
        assert loaded.parent.parent.parent is None
        assert (loaded.forked_at, loaded.change) == (1, "observation")
        assert loaded.parent.steps[0] is loaded.parent.parent.steps[0]

    def test_prompts_are_shared_when_they_are_loaded(self):
        loaded = run_from_json(run_to_json(counting_run(40)))
        assert loaded.messages(40).parent is loaded.messages(39)

    def test_a_longer_run_takes_its_share_and_not_its_square(self):
        short, long = (len(run_to_json(counting_run(n))) for n in (100, 400))
        assert long < 4.3 * short

    def test_native_calls_and_the_wire_come_back(self):
        call = ToolCall("c1", "t", '{"a": 1}')
        run = one_step(
            {"a": 1},
            tool_calls=(call,),
            request={"tools": [{"$ref": "#/x"}]},
            notes=("retried: 1",),
        )
        run = replace(
            run,
            steps=(
                replace(run.steps[0], messages=Messages([Message("tool", "4", (call,), "c1")])),
            ),
        )
        assert run_from_json(run_to_json(run)) == run

    @pytest.mark.parametrize(
        "args",
        [
            "a bare string",
            {"a": [1, 2.5, None, True], "b": {"c": "d"}},
            {"at": (1, (2,)), "set": {1, 2}, "raw": b"\x00\xff"},
            {"numbers": {1: "one"}, "$ref": "#/a", "$$": 1, "$tuple": [1]},
            {"far": float("inf"), "large": 10**5000},
            {"lone": "\ud800", "nul": "\0", "separator": "\u2028"},
        ],
        ids=["text", "json", "python", "keys", "numbers", "characters"],
    )
    def test_arguments_keep_their_kind(self, args):
        text = run_to_json(one_step(args))
        text.encode("ascii")
        json.loads(text, parse_constant=pytest.fail)
        assert run_from_json(text).step(1).action == Action("t", args)

    def test_an_object_that_json_does_not_know_becomes_its_name(self):
        assert run_from_json(run_to_json(one_step({"z": 2j}))).step(1).action.args == {"z": "2j"}

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "not a saved run"),
            ("[]", "no format"),
            ('{"format": "react_lab run", "version": 2}', "saved as version 2, not 1"),
            ('{"format": "react_lab run", "version": 1}', "KeyError"),
            ("[" * 100_000, "not a saved run"),
        ],
    )
    def test_another_text_is_refused(self, text, words):
        with pytest.raises(UsageError, match=words):
            run_from_json(text)

    @pytest.mark.parametrize(
        ("table", "change", "words"),
        [
            ("runs", {"parent": 0}, "table that has 0 before it"),
            ("runs", {"stop_reason": "tired"}, "stop_reason|Input should be"),
            ("runs", {"steps": [99]}, "entry 99"),
            ("runs", {"surprise": 1}, "a Run has no surprise"),
            ("prompts", {"parent": 0}, "table that has 0 before it"),
            ("prompts", {"added": [-1]}, "entry -1"),
            ("messages", {"role": "root"}, "Input should be"),
            ("steps", {"prompt": True}, "table|Messages"),
        ],
    )
    def test_a_damaged_file_is_refused(self, table, change, words):
        content = json.loads(run_to_json(counting_run(1)))
        content[table][0] |= change
        with pytest.raises(UsageError, match=words):
            run_from_json(json.dumps(content))


class TestRedaction:
    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            (f"my key is {CANARY}!", "my key is [redacted]!"),
            ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted]"),
            ('{"Authorization": "Basic dXNlcjpwYXNz"}', '{"Authorization": "Basic [redacted]"}'),
            ("curl -H 'x-api-key: 0123456789abcdef'", "curl -H 'x-api-key: [redacted]'"),
            ("api_key=ABCDEFGH12345678&x=1", "api_key=[redacted]&x=1"),
            ("token ghp_0123456789abcdefghij end", "token [redacted] end"),
            ("AKIAABCDEFGHIJKLMNOP", "[redacted]"),
            ("http://me:hunter22@host/v1", "http://[redacted]@host/v1"),
            ("password: correct-horse", "password: [redacted]"),
            ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "[redacted]"),
        ],
    )
    def test_what_looks_like_a_key_is_replaced(self, text, kept):
        assert redact(text) == kept

    @pytest.mark.parametrize(
        "text",
        [
            "api_key (string, required): the key",
            "The task-force asked for 3 risk-free bearer bonds.",
            "max_tokens: 800, author: Ada",
            "sk-ip the rest; disk-space-is-low",
            "What is the authorization process?",
            "计算 3 * (14.90 + 2)",
        ],
    )
    def test_plain_words_stay(self, text):
        assert redact(text) == text

    def test_a_named_secret_is_replaced_whole(self):
        assert redact("abc abcdef", ["abc", "abcdef"]) == "[redacted] [redacted]"

    def test_long_hostile_text_takes_linear_time(self):
        started = time.perf_counter()
        for piece in (
            "bearer ",
            "sk-",
            "http://a:",
            "authorization: ",
            "-----BEGIN PRIVATE KEY-----",
            "eyJaaaaaaaaa.",
        ):
            redact(piece * 20_000)
        assert time.perf_counter() - started < 10

    def test_every_part_of_a_run_is_cleaned(self):
        step = Step(
            Messages([Message("system", CANARY)]).extend(
                [Message("user", "a"), Message("user", CANARY)]
            ),
            Completion(CANARY, request={"headers": {"Authorization": "anything"}, "n": [CANARY]}),
            Parsed(CANARY, (Action("t", {CANARY: (CANARY,)}),), kept=CANARY),
            failure=CANARY,
        )
        parent = Run(CANARY, (step,), answer=CANARY, detail=CANARY)
        run = replace(parent, parent=parent, forked_at=1, change=CANARY)
        assert "canary" in repr(run)
        clean = redact_run(run)
        for each in (clean, clean.parent):
            assert "canary" not in repr(each) + str(each) + str(each.messages(1))
            assert each.step(1).reply.request == {
                "headers": {"Authorization": "[redacted]"},
                "n": ["[redacted]"],
            }
            assert each.step(1).action.args == {"[redacted]": ("[redacted]",)}
        assert clean.steps[0] is clean.parent.steps[0]
        assert "canary" not in run_to_json(run)

    def test_a_run_without_keys_stays_as_it_is(self):
        run = scripted_run()
        agent = Agent(ScriptedLLM(REPLIES), [double])
        forked = fork(agent, run, 2)
        assert redact_run(run) is run
        assert redact_run(forked) is forked

    def test_a_key_in_one_place_leaves_the_rest_shared(self):
        run = counting_run(20)
        keyed = replace(run, question=f"Count. {CANARY}")
        clean = redact_run(keyed)
        assert clean.question == "Count. [redacted]"
        assert clean.steps[5] is run.steps[5]


@pytest.mark.parametrize("text", ["\ud83d\ude00", "a\ud83d\ude00b\ud83d\ude00", "😀"])
def test_halves_of_a_character_come_back_as_halves(text):
    run = run_agent(Agent(ScriptedLLM([f"Thought: {text}\nFinal Answer: {text}"])), text)
    assert run.answer == text
    loaded = run_from_json(run_to_json(run))
    assert (loaded, loaded.answer, loaded.question) == (run, text, text)
    held = one_step({"n": [text], text: 1})
    assert run_from_json(run_to_json(held)) == held
