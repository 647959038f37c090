"""Context policies: what the model still sees, and what must never be forgotten."""

import pytest

from react_lab.agent import Agent, run_agent
from react_lab.context import FirstSentences, KeepAll, KeepLast, Summarise, failed, first_sentence
from react_lab.errors import UsageError
from react_lab.llm import FunctionLLM, ScriptedLLM
from react_lab.records import Completion, Messages, Observation, Parsed, Step, Usage
from react_lab.tools import tool


def step(text: str, status: str = "ok") -> Step:
    return Step(Messages(), Completion(f"said {text}"), Parsed(), (Observation(text, status),))


STEPS = [step(f"Result {n}. And more.") for n in range(6)]
MIXED = [*STEPS[:1], step("It failed. Badly.", "tool_error"), *STEPS[2:]]


def texts(steps) -> list[str]:
    return [one.observation for one in steps]


def test_keep_all_hands_the_very_same_steps_back():
    assert KeepAll().select(STEPS) is STEPS


@pytest.mark.parametrize("policy", [KeepLast(6), FirstSentences(6), Summarise(None, 6, 3)])
def test_short_run_is_shown_as_it_is(policy):
    assert policy.select(STEPS) is STEPS


def test_keep_last_drops_the_old_but_no_failure():
    assert KeepLast(2).select(STEPS) == STEPS[-2:]
    assert KeepLast(2).select(MIXED) == [MIXED[1], *MIXED[-2:]]


def test_first_sentences_shorten_the_old_but_no_failure():
    shown = FirstSentences(2).select(MIXED)
    assert texts(shown) == [
        "Result 0. (shortened)",
        "It failed. Badly.",
        "Result 2. (shortened)",
        "Result 3. (shortened)",
        "Result 4. And more.",
        "Result 5. And more.",
    ]
    assert MIXED[0].observation == "Result 0. And more."
    assert shown[0].observations[0].full == MIXED[0].observations[0].full


@pytest.mark.parametrize(
    "status",
    ["tool_error", "timeout", "unknown_tool", "invalid_args", "refused", "format_error", "guard"],
)
def test_every_kind_of_failure_survives_every_policy(status):
    steps = [step("It went wrong. Do not repeat.", status), *STEPS]
    llm = FunctionLLM(lambda messages: "short")
    for policy in (KeepLast(1), FirstSentences(1), Summarise(llm, 1, 2)):
        assert steps[0] in policy.select(steps)


@pytest.mark.parametrize("status", ["ok", "empty"])
def test_a_result_and_an_empty_result_are_no_failures(status):
    assert not failed(step("x", status))


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("One. Two.", "One. (shortened)"),
        ("24.5 °C, clear. Windy.", "24.5 °C, clear. (shortened)"),
        ("No end", "No end"),
        ("One.", "One."),
        ("One.  ", "One.  "),
        ("里斯本 24 °C。有风。", "里斯本 24 °C。 (shortened)"),
        ("Really? Yes.", "Really? (shortened)"),
        ("", ""),
    ],
)
def test_first_sentence(text, short):
    assert first_sentence(text) == short


def test_summary_is_written_once_a_block_and_counted():
    asked: list[str] = []

    def write(messages, **_):
        asked.append(messages[0].content)
        return Completion(" Both fine. ", usage=Usage(10, 2, estimated=False))

    llm = type("Writer", (), {"complete": staticmethod(write)})()
    policy = Summarise(llm, n=2, block=2)
    assert texts(policy.select(STEPS[:3])) == texts(STEPS[:3])
    shown = policy.select(STEPS[:5])
    assert texts(shown) == ["Summary of earlier steps: Both fine.", *texts(STEPS[2:5])]
    assert policy.select(STEPS[:5]) == shown
    assert texts(policy.select(STEPS)) == ["Summary of earlier steps: Both fine."] * 2 + texts(
        STEPS[4:]
    )
    assert policy.calls == len(asked) == 2
    assert policy.usage == Usage(20, 4, estimated=False)
    assert "Result 0. And more." in asked[0]
    assert "Result 2" not in asked[0]


def test_summary_leaves_failures_out_and_shows_them_beside_it():
    asked: list[str] = []
    llm = FunctionLLM(lambda messages: asked.append(messages[0].content) or "Fine.")
    shown = Summarise(llm, n=2, block=4).select(MIXED)
    assert texts(shown)[:2] == ["Summary of earlier steps: Fine.", "It failed. Badly."]
    assert "It failed" not in asked[0]


def test_chinese_summary():
    policy = Summarise(FunctionLLM(lambda messages: messages[0].content[:8]), 1, 1, language="zh")
    assert policy.select(STEPS[:2])[0].observation.startswith("先前步骤的概括：用最多两句话")


@pytest.mark.parametrize(
    "make",
    [KeepLast, FirstSentences, lambda n: Summarise(None, n), lambda n: Summarise(None, 2, n)],
)
@pytest.mark.parametrize("n", [0, -1])
def test_window_below_one_is_a_mistake(make, n):
    with pytest.raises(UsageError, match=f"at least 1 step, got {n}"):
        make(n)


# In the loop.


@tool(timeout=None)
def look(word: str) -> str:
    """Look a word up."""
    return f"{word} is a word. It is long."


SCRIPT = [f'Action: look\nAction Input: {{"word": "w{n}"}}' for n in range(4)]


def prompt_at_the_end(context) -> str:
    turn = iter([*SCRIPT, "Final Answer: done"])
    llm = FunctionLLM(lambda messages: next(turn))
    run = run_agent(Agent(llm, [look], context=context), "Which words?")
    assert run.answer == "done"
    return str(run.messages(step=5))


def test_policies_change_what_is_sent_and_keep_the_question():
    everything = prompt_at_the_end(KeepAll())
    assert [f"w{n} is a word. It" in everything for n in range(4)] == [True] * 4
    last = prompt_at_the_end(KeepLast(1))
    assert [f'"w{n}"' in last for n in range(4)] == [False, False, False, True]
    first = prompt_at_the_end(FirstSentences(1))
    assert [f"w{n} is a word. (shortened)" in first for n in range(4)] == [True, True, True, False]
    assert all("Which words?" in prompt for prompt in (everything, last, first))


def test_summary_stands_in_the_prompt_without_words_of_the_assistant():
    prompt = prompt_at_the_end(Summarise(FunctionLLM(lambda messages: "w0 to w2."), 1, 3))
    assert "Summary of earlier steps: w0 to w2." in prompt
    assert prompt.count("[assistant]") == 1


def test_whole_run_stays_readable_whatever_was_shown():
    turn = iter([*SCRIPT, "Final Answer: done"])
    llm = FunctionLLM(lambda messages: next(turn))
    run = run_agent(Agent(llm, [look], context=KeepLast(1)), "Which words?")
    assert [s.observation for s in run.steps[:4]] == [
        f"w{n} is a word. It is long." for n in range(4)
    ]
    assert len(run.findings()) == 4


def test_keep_all_grows_by_sharing_and_a_window_stays_small():
    scripted = Agent(ScriptedLLM([*SCRIPT, "Final Answer: done"]), [look])
    run = run_agent(scripted, "q")
    assert run.messages(5)[3] is run.messages(3)[3]
    sizes = [step.messages.tokens for step in run.steps]
    assert sizes == sorted(sizes)
