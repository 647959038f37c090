"""Records: shared prompts, immutability, and texts that are the same in every process."""

import copy
import dataclasses
import pickle
import subprocess
import sys

import pytest

from react_lab.errors import UsageError
from react_lab.records import (
    Action,
    Completion,
    FormatError,
    Message,
    Messages,
    Observation,
    Parsed,
    Repair,
    Run,
    Span,
    Step,
    ToolCall,
    Usage,
    estimate_tokens,
)


def user(text: str) -> Message:
    return Message("user", text)


def chain(length: int) -> Messages:
    prompt = Messages([Message("system", "rules")])
    for n in range(length):
        prompt = prompt.extend([user(f"{n}")])
    return prompt


def run_of(steps: int) -> Run:
    prompt, made = Messages([user("q")]), []
    for n in range(steps):
        parsed = Parsed(actions=(Action("add", {"n": n}),))
        made.append(Step(prompt, Completion(f"r{n}"), parsed, (Observation(f"o{n}"),), Usage(n, 1)))
        prompt = prompt.extend([Message("assistant", f"r{n}"), user(f"o{n}")])
    return Run("q", tuple(made))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("a" * 400, 100),
        ("里斯本今天", 4),
        ("é" * 8, 2),
    ],
)
def test_estimate_is_four_latin_or_1_6_chinese_characters_a_token(text, tokens):
    assert estimate_tokens(text) == tokens


# The chain.


def test_extending_leaves_the_shorter_prompt_alone():
    short = Messages([user("a")])
    long = short.extend([user("b"), user("c")])
    assert [m.content for m in short] == ["a"]
    assert [m.content for m in long] == ["a", "b", "c"]
    assert (len(short), len(long), long.last.content) == (1, 3, "c")


def test_messages_are_shared_and_not_copied():
    first = chain(3)
    second = first.extend([user("new")])
    assert all(a is b for a, b in zip(first, second, strict=False))
    assert second.parent is first


def test_indexing_slicing_and_membership_are_those_of_a_tuple():
    prompt, plain = chain(4), tuple(chain(4))
    assert prompt[0] == plain[0]
    assert prompt[-1] is prompt.last
    assert prompt[1:3] == plain[1:3]
    assert user("2") in prompt
    assert prompt.index(user("2")) == 3
    assert list(reversed(prompt)) == list(reversed(plain))
    with pytest.raises(IndexError):
        prompt[5]


def test_prompts_are_equal_by_what_they_hold():
    flat = Messages(tuple(chain(3)))
    assert flat == chain(3)
    assert chain(3) == list(flat)
    assert hash(flat) == hash(chain(3))
    assert flat != chain(2)
    assert flat != "rules"


def test_with_last_replaces_only_the_last_message():
    prompt = Messages([user("a"), user("b")], chain(1))
    changed = prompt.with_last(user("z"))
    assert [m.content for m in changed] == ["rules", "0", "a", "z"]
    assert [m.content for m in prompt] == ["rules", "0", "a", "b"]
    assert changed.parent is prompt.parent


def test_with_last_looks_through_an_empty_link():
    prompt = chain(1).extend([])
    assert prompt.last.content == "0"
    assert [m.content for m in prompt.with_last(user("z"))] == ["rules", "z"]


def test_tokens_of_a_chain_are_those_of_its_messages():
    call = ToolCall("c1", "add", '{"a": 1}')
    prompt = chain(3).extend([Message("assistant", "text", (call,))])
    plain = sum(estimate_tokens(m.content) for m in prompt) + estimate_tokens('{"a": 1}')
    assert prompt.tokens == plain
    assert Messages(tuple(prompt)).tokens == plain
    assert prompt.with_last(user("")).tokens == chain(3).tokens


def test_deep_chain_needs_no_recursion():
    prompt = chain(20_000)
    assert len(prompt) == len(tuple(prompt)) == 20_001
    assert prompt == Messages(tuple(prompt))
    assert len(pickle.loads(pickle.dumps(prompt))) == 20_001
    del prompt  # a chain this long is freed without a crash


def test_pickle_of_2000_steps_shares_messages():
    run = run_of(2_000)
    data = pickle.dumps(run)
    again = pickle.loads(data)
    assert len(data) < 1_000_000  # written anew for each prompt it would be 20 times that
    assert [len(step.messages) for step in again.steps] == list(range(1, 4_001, 2))
    assert again.messages(step=2_000) == run.messages(step=2_000)
    assert len({id(m) for step in again.steps[-9:] for m in step.messages}) == 3_999
    assert (again.steps[:50], again.question) == (run.steps[:50], "q")


@pytest.mark.parametrize("links", [1, 2, 3, 4, 7, 8, 100])
def test_copied_prompt_is_equal_whatever_its_length(links):
    prompt = chain(links)
    for again in (copy.deepcopy(prompt), pickle.loads(pickle.dumps(prompt))):
        assert again == prompt
        assert (len(again), again.tokens) == (len(prompt), prompt.tokens)
        assert pickle.loads(pickle.dumps(again)) == prompt


# Immutability.

FROZEN = [
    ToolCall("1", "add", "{}"),
    user("x"),
    Usage(),
    Completion("x"),
    Action("add", {}),
    Repair("bold", "**", ""),
    Span("thought", 0, 1),
    FormatError("empty_output", "x"),
    Parsed(),
    Observation("x"),
    Step(Messages(), Completion(""), Parsed()),
    Run("q"),
]


@pytest.mark.parametrize("record", FROZEN, ids=lambda r: type(r).__name__)
def test_records_are_frozen_and_take_no_other_attributes(record):
    first = dataclasses.fields(record)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, first, "other")
    with pytest.raises((AttributeError, TypeError)):
        record.brand_new = 1


@pytest.mark.parametrize("record", FROZEN, ids=lambda r: type(r).__name__)
def test_records_are_equal_and_copied_by_value(record):
    assert pickle.loads(pickle.dumps(record)) == record
    assert dataclasses.replace(record) == record


def test_durations_do_not_count_in_comparisons_or_reprs():
    assert Observation("x", seconds=1.0) == Observation("x", seconds=2.0)
    assert "seconds" not in repr(Observation("x", seconds=1.25))
    slow = Step(Messages(), Completion(""), Parsed(), model_seconds=1.5)
    assert slow == Step(Messages(), Completion(""), Parsed())
    assert "1.5" not in repr(slow)


def test_what_went_over_the_wire_is_in_no_repr():
    reply = Completion("x", request={"api_key": "sk-secret"}, response={"id": "sk-secret"})
    assert "sk-secret" not in repr(reply) + repr(Step(Messages(), reply, Parsed()))


# Counting and reading.


def test_usage_adds_up_and_one_estimate_makes_the_sum_an_estimate():
    total = Usage(1, 2, estimated=False) + Usage(3, 4, estimated=False)
    assert total == Usage(4, 6, estimated=False)
    assert total.total == 10
    assert (total + Usage(1)).estimated


def test_steps_and_messages_are_counted_from_one():
    run = run_of(3)
    assert run.step(1) is run.steps[0]
    assert run.messages(step=3) is run.steps[2].messages
    assert [m.content for m in run.messages(step=2)] == ["q", "r0", "o0"]


@pytest.mark.parametrize("number", [0, -1, 4])
def test_step_outside_the_run_says_which_there_are(number):
    with pytest.raises(UsageError, match=f"step {number} does not exist: .* steps 1 to 3"):
        run_of(3).step(number)


def test_findings_are_what_tools_really_returned():
    seen = (
        Observation("24 °C", tool="weather"),
        Observation("no such city", "tool_error", "weather"),
        Observation("nothing", "empty", "search"),
        Observation("you did that", "guard"),
    )
    run = Run("q", tuple(Step(Messages(), Completion(""), Parsed(), (o,)) for o in seen))
    assert run.findings() == ["weather: 24 °C"]


def test_step_reads_as_a_transcript():
    parsed = Parsed("I add.", (Action("add", {"a": 1}),), repairs=(Repair("bold_labels", "", ""),))
    step = Step(Messages(), Completion(""), parsed, (Observation("2"), Observation("3")))
    assert str(step) == (
        "Thought: I add.\nAction: add({'a': 1})\nRepaired: bold_labels\nObservation: 2\nObservation: 3"
    )
    assert (step.action, step.observation) == (Action("add", {"a": 1}), "2\n3")
    assert Step(Messages(), Completion(""), Parsed(), failure="no reply").action is None


def test_a_transcript_says_how_many_tries_a_tool_took():
    seen = (Observation("24 °C", tries=3), Observation("busy", "tool_error", tries=2))
    step = Step(Messages(), Completion(""), Parsed(), seen)
    assert str(step) == "Observation (3 tries): 24 °C\nObservation (2 tries): busy"
    assert str(step) in str(Run("q", (step,)))


def test_run_reads_as_a_transcript():
    step = Step(Messages(), Completion(""), Parsed("So.", answer="4"))
    run = Run("2 + 2?", (step,), "4", "final_answer")
    assert str(run) == (
        "Question: 2 + 2?\n--- step 1\nThought: So.\nAnswer: 4\nStopped: final_answer"
    )
    assert repr(run) == "Run('2 + 2?', 1 steps, final_answer, answer='4')"
    assert repr(Run("q")) == "Run('q', 0 steps, running)"
    assert str(Run("q", detail="", stop_reason=None)).endswith("Stopped: still running")
    assert str(Run("q", (), None, "max_steps", "no answer")).endswith("max_steps (no answer)")


def test_message_prints_with_role_and_calls():
    message = Message("assistant", "hm", (ToolCall("c1", "add", '{"a": 1}'),))
    assert str(message) == '[assistant]\nhm\n[c1] add({"a": 1})'
    assert str(Message("tool", "2", tool_call_id="c1")) == "[tool c1]\n2"
    assert str(Messages([user("a"), user("b")])) == "[user]\na\n\n[user]\nb"
    assert repr(Messages([user("abcd")])) == "Messages(1 messages, about 1 tokens)"


def test_reprs_are_the_same_in_every_process():
    code = (
        "from react_lab.records import *\n"
        "print(repr(Step(Messages([Message('user', 'x')]), Completion('y'), Parsed(actions=("
        "Action('add', {'b': 1, 'a': 2}),)), (Observation('3'),))), repr(Run('q')))"
    )
    command = [sys.executable, "-c", code]
    texts = [
        subprocess.run(
            command, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": s}
        )
        for s in ("1", "2")
    ]
    assert texts[0].stdout == texts[1].stdout
    assert " at 0x" not in texts[0].stdout
