"""The loop: ends, failures, interruptions, forks; and that parts never touch it."""

import dataclasses
import inspect
import pickle
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import pytest

import react_lab.agent as agent_module
from react_lab.agent import Agent, force, fork, generate, iter_steps, run_agent
from react_lab.context import KeepLast
from react_lab.contracts import TextContract
from react_lab.errors import LLMError, ToolFailure, UsageError
from react_lab.guards import PrematureFinish, RepeatLimit, StepLimit, Stop, TokenBudget
from react_lab.llm import FunctionLLM, ScriptedLLM
from react_lab.records import Completion, Message, Messages, Run, StopReason, Usage
from react_lab.tools import Toolbox, tool

ROOT = Path(__file__).parents[1]


@tool(timeout=None)
def look(word: str) -> str:
    """Look a word up."""
    return f"{word} found"


def call(word: str = "A", name: str = "look") -> str:
    return f'Thought: I look.\nAction: {name}\nAction Input: {{"word": "{word}"}}'


class Counting:
    """Count the calls that a script gets, and keep what it was sent."""

    def __init__(self, replies) -> None:
        self.inner, self.sent, self.options = ScriptedLLM(replies), [], []

    def complete(self, messages, **options):
        self.sent.append(messages)
        self.options.append(options)
        return self.inner.complete(messages, **options)


def play(replies, *tools, **options) -> Run:
    return run_agent(Agent(ScriptedLLM(replies), tools or [look], **options), "q")


THREE = [call("A"), call("B"), "Thought: Done.\nFinal Answer: both"]


# A run from beginning to end (L1, L2, L10, P8).


def test_run_asks_acts_and_answers():
    run = play(THREE)
    assert (run.stop_reason, run.answer, run.detail) == ("final_answer", "both", "")
    assert [str(step.action) for step in run.steps[:2]] == [
        "look({'word': 'A'})",
        "look({'word': 'B'})",
    ]
    assert run.findings() == ["look: A found", "look: B found"]
    assert run.steps[2].observations == ()


def test_one_more_message_pair_a_step_and_exactly_as_sent():
    llm = Counting(THREE)
    run = run_agent(Agent(llm, [look]), "q")
    assert [len(step.messages) for step in run.steps] == [2, 4, 6]
    assert all(step.messages is sent for step, sent in zip(run.steps, llm.sent, strict=True))
    last = run.messages(step=3)
    assert [m.role for m in last] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [m.content for m in last[2:4]] == [call("A"), "Observation: A found"]
    assert all(options["stop"] == ("\nObservation:",) for options in llm.options)
    assert all(options["tools"] == () for options in llm.options)


def test_every_step_is_yielded_once_and_builds_on_the_last():
    runs = list(iter_steps(Agent(ScriptedLLM(THREE), [look]), "q"))
    assert [len(run.steps) for run in runs] == [1, 2, 3]
    assert [run.finished for run in runs] == [False, False, True]
    assert runs[0].steps[0] is runs[2].steps[0]


def test_nothing_happens_before_the_next_step_is_asked_for():
    llm = Counting(THREE)
    steps = iter_steps(Agent(llm, [look]), "q")
    assert len(llm.sent) == 0
    next(steps)
    assert len(llm.sent) == 1


def test_unfinished_run_goes_on_and_a_finished_one_stays():
    agent = Agent(ScriptedLLM(THREE), [look])
    half = next(iter_steps(agent, "q"))
    assert run_agent(agent, half) == run_agent(agent, "q")
    whole = run_agent(agent, "q")
    assert run_agent(agent, whole) is whole
    assert list(iter_steps(agent, whole)) == []


def test_usage_is_the_sum_of_all_steps():
    run = play(THREE)
    assert run.usage.prompt_tokens == sum(step.messages.tokens for step in run.steps)
    assert run.usage.total == sum(step.usage.total for step in run.steps)
    assert run.usage.estimated
    counted = [
        Completion(text, usage=Usage(10 * n, n, estimated=False)) for n, text in enumerate(THREE, 1)
    ]
    assert play(counted).usage == Usage(60, 6, estimated=False)


def test_same_run_again_is_equal_and_looks_the_same():
    first, second = play(THREE), play(THREE)
    assert first == second
    assert (repr(first), str(first)) == (repr(second), str(second))
    assert pickle.loads(pickle.dumps(first)) == first
    assert first.steps[0].model_seconds >= 0


def test_model_may_return_plain_text_but_nothing_else():
    class Says:
        def __init__(self, reply):
            self.reply = reply

        def complete(self, messages, **options):
            return self.reply

    assert run_agent(Agent(Says("Final Answer: 4")), "q").answer == "4"
    run = run_agent(Agent(Says(None)), "q")
    assert run.stop_reason == "llm_error"
    assert run.detail == "TypeError: complete() must return a Completion, got NoneType"


# Ends (L3 to L9).


def test_empty_answer_is_a_format_error_and_never_an_end():
    run = play([call(), "Final Answer:", "Final Answer:   ", "Final Answer: 4"])
    assert (run.answer, len(run.steps)) == ("4", 4)
    assert [run.step(n).parsed.error.code for n in (2, 3)] == ["empty_answer"] * 2
    assert run.messages(step=4).last.content.startswith("Observation: ")


def test_empty_replies_for_ever_end_as_format_errors():
    run = run_agent(Agent(FunctionLLM(lambda messages: ""), [look]), "q")
    assert (run.stop_reason, len(run.steps), run.answer) == ("format_errors", 3, None)
    assert run.detail == "3 in a row, the last: empty_output"
    assert all(message.content for message in run.messages(step=3))


@pytest.mark.parametrize("limit", [1, 5, 8, 10])
def test_step_limit_is_kept_exactly(limit):
    words = iter(range(99))
    llm = FunctionLLM(lambda messages: call(str(next(words))))
    run = run_agent(Agent(llm, [look], guards=(StepLimit(limit),)), "q")
    assert (run.stop_reason, len(run.steps), len(run.findings())) == ("max_steps", limit, limit)


def test_default_is_eight_steps():
    words = iter(range(99))
    run = run_agent(Agent(FunctionLLM(lambda messages: call(str(next(words)))), [look]), "q")
    assert (run.stop_reason, len(run.steps)) == ("max_steps", 8)


def test_token_budget_ends_the_run_whatever_the_step_count():
    spent = play(THREE[:2] + [call("C")] * 9, guards=(TokenBudget(400),)).usage.total
    run = play(THREE[:2] + [call("C")] * 9, guards=(TokenBudget(400),))
    assert run.stop_reason == "token_budget"
    assert run.detail == f"{spent:,} of 400 tokens spent"
    assert spent - run.steps[-1].usage.total < 400 <= spent


def test_forced_end_hands_back_what_was_found():
    run = play([call("A"), call("B")], guards=(StepLimit(2),), at_limit=force)
    assert (run.answer, run.findings()) == (None, ["look: A found", "look: B found"])


@pytest.mark.parametrize(("language", "asked"), [("en", "no step left"), ("zh", "没有剩余的步骤")])
def test_generated_end_makes_one_last_call(language, asked):
    llm = Counting([call("A"), "Final Answer: best"])
    contract = TextContract(language=language)
    agent = Agent(llm, [look], contract, guards=(StepLimit(1),), at_limit=generate)
    run = run_agent(agent, "q")
    assert (run.stop_reason, run.answer, len(llm.sent)) == ("max_steps", "best", 2)
    assert asked in llm.sent[1].last.content
    assert "A found" in llm.sent[1].last.content
    assert run.usage.total == sum(step.usage.total for step in run.steps)
    assert run.steps[-1].guard == "generate"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("It was A.", "It was A."),
        (call("B"), None),
        ("", None),
        (Completion("", finish_reason="length"), None),
    ],
)
def test_generated_end_takes_prose_but_no_further_call(reply, answer):
    run = play([call("A"), reply], guards=(StepLimit(1),), at_limit=generate)
    assert (run.stop_reason, run.answer, len(run.steps)) == ("max_steps", answer, 2)
    assert run.findings() == ["look: A found"]


ENDS = {
    "final_answer": THREE,
    "max_steps": [call(str(n)) for n in range(9)],
    "format_errors": ["hm"] * 9,
    "repeated_action": [call()] * 9,
    "llm_error": [call()],
    "content_filter": [Completion("", finish_reason="content_filter")],
    "truncated": [Completion("Final Answer: cut", finish_reason="length")],
}


@pytest.mark.parametrize(("reason", "replies"), ENDS.items(), ids=ENDS)
def test_run_ends_with_exactly_one_reason(reason, replies):
    runs = list(iter_steps(Agent(ScriptedLLM(replies), [look]), "q"))
    assert [run.stop_reason for run in runs] == [None] * (len(runs) - 1) + [reason]
    assert (runs[-1].answer is not None) == (reason == "final_answer")
    assert reason in get_args(StopReason)


# What tools and models can do wrong (T5).


def misbehave(function, **options) -> Run:
    return play([call(name="bad"), "Final Answer: on"], tool(name="bad", **options)(function))


def raising(error):
    def bad(word: str) -> str:
        raise error

    return bad


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no such word"), "ValueError: no such word"),
        (SystemExit(1), "SystemExit: 1"),
        (GeneratorExit(), "GeneratorExit"),
        (MemoryError(), "MemoryError"),
        (ToolFailure("The shop is closed."), "The shop is closed."),
        (StopIteration(), "StopIteration"),
    ],
)
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_exception_of_a_tool_is_an_observation(error, said, timeout):
    run = misbehave(raising(error), timeout=timeout)
    (seen,) = run.steps[0].observations
    assert (run.answer, seen.status) == ("on", "tool_error")
    assert said in seen.text
    assert seen.text in run.messages(step=2).last.content


def test_hung_tool_is_given_up_and_the_run_goes_on():
    started, over = time.perf_counter(), threading.Event()
    run = misbehave(lambda word: over.wait(10), timeout=0.05)
    over.set()
    assert time.perf_counter() - started < 5
    assert (run.answer, run.steps[0].observations[0].status) == ("on", "timeout")


def test_five_megabytes_are_cut_for_the_model_and_kept_for_us():
    run = misbehave(lambda word: "x" * 5_000_000)
    (seen,) = run.steps[0].observations
    assert (run.answer, seen.status, len(seen.full)) == ("on", "ok", 5_000_000)
    assert len(seen.text) < 2_200
    assert run.messages(step=2).tokens < 1_500


@pytest.mark.parametrize("nothing", [None, "", [], {}])
def test_tool_that_returns_nothing_says_so(nothing):
    run = misbehave(lambda word: nothing)
    (seen,) = run.steps[0].observations
    assert (run.answer, seen.status) == ("on", "empty")
    assert seen.text
    assert run.findings() == []


def test_unknown_tool_and_wrong_argument_are_observations():
    run = play(
        [call(name="lok"), 'Action: look\nAction Input: {"n": [1], "m": 2}', "Final Answer: on"]
    )
    assert [step.observations[0].status for step in run.steps[:2]] == [
        "unknown_tool",
        "invalid_args",
    ]
    assert "look" in run.steps[0].observation
    assert "word" in run.steps[1].observation
    assert run.answer == "on"


class Failing:
    """Answer a first call, then raise."""

    def __init__(self, error) -> None:
        self.error = error

    def complete(self, messages, **options):
        if len(messages) > 2:
            raise self.error
        return Completion(call("A"))


def llm_error(reason: str) -> LLMError:
    error = LLMError(f"ended by {reason}")
    error.stop_reason = reason
    return error


@pytest.mark.parametrize(
    ("error", "reason", "detail"),
    [
        (LLMError("no route"), "llm_error", "no route"),
        (llm_error("content_filter"), "content_filter", "ended by content_filter"),
        (llm_error("truncated"), "truncated", "ended by truncated"),
        (ValueError("odd"), "llm_error", "ValueError: odd"),
        (RecursionError(), "llm_error", "RecursionError: "),
    ],
)
def test_failing_model_ends_the_run_and_is_no_observation(error, reason, detail):
    run = run_agent(Agent(Failing(error), [look]), "q")
    assert (run.stop_reason, run.detail, run.answer) == (reason, detail, None)
    assert (len(run.steps), run.findings()) == (2, ["look: A found"])
    assert (run.steps[1].failure, run.steps[1].observations) == (detail, ())
    assert len(run.messages(step=2)) == 4


def test_failed_call_keeps_what_went_over_the_wire():
    error = LLMError("500")
    error.request, error.response = {"model": "m"}, {"error": "busy"}
    reply = run_agent(Agent(Failing(error), [look]), "q").steps[1].reply
    assert (reply.request, reply.response) == ({"model": "m"}, {"error": "busy"})


def test_cut_off_reply_is_not_read():
    run = play([Completion(call("A"), finish_reason="length")])
    assert (run.stop_reason, run.steps[0].parsed.actions) == ("truncated", ())
    assert "raise max_tokens" in run.detail
    assert run.steps[0].parsed.kept == call("A")


def test_programmers_mistake_is_raised_with_the_run_so_far():
    class Broken:
        def check(self, run, draft):
            if run.steps:
                raise ZeroDivisionError("guard")

    agent = Agent(ScriptedLLM(THREE), [look], guards=(Broken(),))
    with pytest.raises(ZeroDivisionError) as caught:
        run_agent(agent, "q")
    assert caught.value.run.findings() == ["look: A found"]
    with pytest.raises(UsageError, match="own mistake") as misused:
        run_agent(Agent(Failing(UsageError("own mistake")), [look]), "q")
    assert len(misused.value.run.steps) == 1


# Ctrl-C.


def interrupting(word: str) -> str:
    """Be interrupted."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_interrupt_in_a_tool_ends_the_run_as_cancelled(timeout):
    bad = tool(name="bad", timeout=timeout)(interrupting)
    run = play([call("A"), call(name="bad")], look, bad)
    assert (run.stop_reason, run.detail) == ("cancelled", "interrupted during a step")
    assert (len(run.steps), run.findings()) == (1, ["look: A found"])


def test_interrupt_in_the_model_keeps_all_finished_steps():
    run = run_agent(Agent(Failing(KeyboardInterrupt()), [look]), "q")
    assert (run.stop_reason, len(run.steps)) == ("cancelled", 1)


def test_interrupt_in_a_guard_or_in_the_last_call_is_cancelled_too():
    class Slow:
        def check(self, run, draft):
            raise KeyboardInterrupt

    assert play(THREE, guards=(Slow(),)).stop_reason == "cancelled"
    llm = Failing(KeyboardInterrupt())
    run = run_agent(Agent(llm, [look], guards=(StepLimit(1),), at_limit=generate), "q")
    assert (run.stop_reason, run.findings()) == ("cancelled", ["look: A found"])


def test_cancelled_run_can_be_taken_up_again():
    agent = Agent(ScriptedLLM(THREE), [look])
    stopped = run_agent(replace(agent, llm=Failing(KeyboardInterrupt())), "q")
    run = run_agent(agent, replace(stopped, stop_reason=None, detail=""))
    assert (run.stop_reason, run.answer) == ("final_answer", "both")
    assert run.steps[0] is stopped.steps[0]


# A process that was started in the background ignores Ctrl-C until it is told otherwise.
SCRIPT = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from react_lab import Agent, FunctionLLM, StepLimit, run_agent, tool

def wait(where):
    if where == sys.argv[1]:
        print("ready", flush=True)
        time.sleep(60)

@tool(timeout=float(sys.argv[2]))
def look(word: str) -> str:
    "Look a word up."
    if word == "second":
        wait("tool")
    return "found"

def model(messages):
    word = "first" if len(messages) == 2 else "second"
    if word == "second":
        wait("model")
    return 'Action: look\\nAction Input: {"word": "%s"}' % word

run = run_agent(Agent(FunctionLLM(model), [look], guards=(StepLimit(2),)), "q")
print(run.stop_reason, len(run.steps), run.findings())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("where", ["model", "tool"])
def test_real_ctrl_c_ends_the_run_and_the_process(where):
    command = [sys.executable, "-c", SCRIPT, where, "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
    assert out == "cancelled 1 ['look: found']\n"
    assert process.returncode == 0


def test_process_with_a_hung_tool_can_exit():
    command = [sys.executable, "-c", SCRIPT, "tool", "0.05"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=20, check=True)
    assert done.stdout == "ready\nmax_steps 2 ['look: found']\n"
    assert done.stderr == ""


# Going back.


@pytest.mark.parametrize("step", [1, 2, 3])
def test_fork_pays_only_for_the_steps_from_there_on(step):
    first = play(THREE)
    llm = Counting(THREE)
    agent = Agent(llm, [look])
    branch = fork(agent, first, step)
    assert (llm.sent, branch.finished, len(branch.steps)) == ([], False, step - 1)
    assert branch.usage.total == sum(s.usage.total for s in first.steps[: step - 1])
    run = run_agent(agent, branch)
    assert len(llm.sent) == 3 - (step - 1)
    assert run == first
    assert all(a is b for a, b in zip(run.steps[: step - 1], first.steps, strict=False))
    assert (run.parent, run.forked_at, run.change) == (first, step, "asked again")


def test_fork_with_another_reply_acts_on_it():
    first, llm = play(THREE), Counting([*THREE[:2], "Final Answer: other"])
    agent = Agent(llm, [look])
    branch = fork(agent, first, 2, reply=call("Z"))
    assert llm.sent == []
    assert branch.steps[1].observation == "Z found"
    assert (branch.change, branch.forked_at, branch.finished) == ("reply", 2, False)
    run = run_agent(agent, branch)
    assert (run.answer, len(llm.sent)) == ("other", 1)
    assert "Z found" in llm.sent[0].last.content
    assert first.steps[1].observation == "B found"


def test_fork_with_an_answer_ends_there():
    first = play(THREE)
    branch = fork(Agent(Counting([])), first, 1, reply="Final Answer: at once")
    assert (branch.stop_reason, branch.answer, len(branch.steps)) == ("final_answer", "at once", 1)


def test_fork_with_a_completion_takes_it_as_received():
    reply = Completion(call("Z"), usage=Usage(7, 3, estimated=False), model="other")
    branch = fork(Agent(Counting([]), [look]), play(THREE), 1, reply=reply)
    assert branch.steps[0].reply is reply
    assert branch.usage == Usage(7, 3, estimated=False)


def test_fork_with_another_observation_shows_it_to_the_model():
    first, llm = play(THREE), Counting(THREE)
    branch = fork(Agent(llm, [look]), first, 1, observation="nothing known")
    assert (branch.steps[0].observation, branch.change) == ("nothing known", "observation")
    run_agent(Agent(llm, [look]), branch)
    assert llm.sent[0].last.content == "Observation: nothing known"
    assert first.steps[0].observation == "A found"


def test_fork_changes_the_first_of_several_observations():
    first = play(THREE)
    step = first.steps[0]
    both = replace(first, steps=(replace(step, observations=step.observations * 2, guard="G"),))
    branch = fork(Agent(Counting([])), both, 1, observation="new")
    assert branch.steps[0].observation == "new\nA found"
    assert branch.steps[0].guard == ""


def test_fork_with_another_question_asks_that():
    llm = Counting(THREE)
    branch = fork(Agent(llm, [look]), play(THREE), 2, question="another?")
    run = run_agent(Agent(llm, [look]), branch)
    assert (run.question, run.change) == ("another?", "question")
    assert "another?" in llm.sent[0][1].content


def test_fork_to_another_agent_and_fork_of_a_fork():
    first = play(THREE)
    other = Agent(ScriptedLLM([call("A"), "Final Answer: shorter"]), [look])
    second = run_agent(other, fork(other, first, 2))
    assert (second.answer, len(second.steps)) == ("shorter", 2)
    third = fork(other, second, 1)
    assert third.parent.parent is first
    assert first == play(THREE)


def test_fork_with_a_reply_at_the_limit_asks_the_real_model_for_the_last_call():
    llm = Counting([call("A"), "Final Answer: best"])
    agent = Agent(llm, [look], guards=(StepLimit(1),), at_limit=generate)
    branch = fork(agent, play(THREE), 1, reply=call("A"))
    assert (branch.stop_reason, branch.answer, len(llm.sent)) == ("max_steps", "best", 1)


@pytest.mark.parametrize(
    ("step", "changes", "says"),
    [
        (0, {}, "step 0 does not exist"),
        (4, {}, "steps 1 to 3"),
        (3, {"observation": "x"}, "no observation to change: pass reply="),
        (1, {"question": "  "}, "something in it"),
        (1, {"reply": "x", "observation": "y"}, "not both"),
    ],
)
def test_impossible_fork_says_why(step, changes, says):
    with pytest.raises(UsageError, match=says):
        fork(Agent(Counting(THREE), [look]), play(THREE), step, **changes)


# Contracts.


def test_json_contract_is_played_by_the_same_loop():
    replies = [
        '{"thought": "I look.", "action": "look", "action_input": {"word": "A"}}',
        '{"thought": "Done.", "answer": "both"}',
    ]
    contract = TextContract("json")
    run = run_agent(Agent(Counting(replies), [look], contract), "q")
    assert (run.answer, run.findings()) == ("both", ["look: A found"])
    assert '"A found"' in run.messages(step=2).last.content


def test_xml_contract_and_chinese_are_played_by_the_same_loop():
    replies = [
        '<thought>I look.</thought><action>look</action><action_input>{"word": "A"}</action_input>',
        "<final_answer>both</final_answer>",
    ]
    run = run_agent(Agent(Counting(replies), [look], TextContract("xml")), "q")
    assert (run.answer, run.findings()) == ("both", ["look: A found"])
    chinese = TextContract(language="zh")
    run = run_agent(Agent(ScriptedLLM([call("甲"), "Final Answer: 好"]), [look], chinese), "问？")
    assert (run.answer, run.findings()) == ("好", ["look: 甲 found"])


def test_switching_contract_policy_or_tools_leaves_the_agent_alone():
    agent = Agent(ScriptedLLM(THREE), [look])
    other = replace(agent, context=KeepLast(1), tools=[], contract=TextContract("json"))
    assert agent.tools["look"] is look
    assert (agent.contract, len(other.tools)) == (TextContract(), 0)
    assert run_agent(agent, "q").answer == "both"


# Odd inputs, as a new user would try them.


@pytest.mark.parametrize("question", ["", "  \n", None, 3, ["q"]])
def test_question_must_be_a_text_with_something_in_it(question):
    with pytest.raises(UsageError, match="text with something in it, got"):
        run_agent(Agent(ScriptedLLM(THREE)), question)


@pytest.mark.parametrize("question", ["🌦️?", "x" * 100_000, "{question} %s \x00", "a\nb"])
def test_any_other_question_is_sent_as_it_is(question):
    run = run_agent(Agent(ScriptedLLM(["Final Answer: ok"]), [look]), question)
    assert (run.answer, run.question) == ("ok", question)
    assert question in run.messages(step=1)[1].content


def test_agent_takes_functions_tools_or_a_toolbox():
    def plain(word: str) -> str:
        """Be plain."""
        return word

    assert list(Agent(ScriptedLLM([]), [plain, look]).tools) == ["plain", "look"]
    box = Toolbox([look])
    assert Agent(ScriptedLLM([]), box).tools is box
    assert Agent(ScriptedLLM(["Final Answer: 4"])).tools == {}


def test_function_in_place_of_a_model_says_what_to_do():
    with pytest.raises(UsageError, match="wrap a function in FunctionLLM"):
        Agent(lambda messages: "Final Answer: 4", [look])


def test_agent_is_plain_frozen_data():
    agent = Agent(ScriptedLLM([]), [look])
    with pytest.raises(dataclasses.FrozenInstanceError):
        agent.llm = None
    assert [field.name for field in dataclasses.fields(agent)] == [
        "llm", "tools", "contract", "context", "guards", "at_limit",
    ]  # fmt: skip
    assert agent.guards[0] == StepLimit(8)
    assert Agent(ScriptedLLM([]), guards=[]).guards == ()


# The loop stays the loop.


def test_iter_steps_is_under_forty_lines():
    assert len(inspect.getsource(iter_steps).splitlines()) < 40
    functions = inspect.getmembers(agent_module, inspect.isfunction)
    own = [f for _, f in functions if f.__module__ == agent_module.__name__]
    assert max(len(inspect.getsource(f).splitlines()) for f in own) <= 40


def test_loop_names_no_guard_contract_model_or_dialect():
    source = inspect.getsource(iter_steps) + inspect.getsource(agent_module.ask_guards)
    source += inspect.getsource(agent_module.act) + inspect.getsource(agent_module.draft_step)
    parts = "StepLimit TokenBudget RepeatLimit FormatErrorLimit PrematureFinish TextContract Native Scripted Simulated json xml"
    assert [name for name in parts.split() if name in source] == []
    assert source.count("agent.llm") == 0, "asked in one place only"


def test_new_guard_contract_and_model_are_parts():
    @dataclass(frozen=True)
    class NoWordB:
        def check(self, run, draft):
            if "B" in draft.reply.text:
                return Stop("cancelled", "B was asked")
            return None

    @dataclass(frozen=True)
    class Loud(TextContract):
        def show(self, step):
            return tuple(Message(m.role, m.content.upper()) for m in super().show(step))

    class Echo:
        def complete(self, messages, *, stop=(), tools=()):
            return Completion(call("AB"[len(messages) // 2 - 1]))

    run = run_agent(Agent(Echo(), [look], Loud(), guards=(NoWordB(),)), "q")
    assert (run.stop_reason, run.detail, len(run.steps)) == ("cancelled", "B was asked", 2)
    assert run.messages(step=2).last.content == "OBSERVATION: A FOUND"


# Goals G3 to G5, by counting and not by the clock.


def long_run(steps: int) -> Run:
    replies = [*(call(str(n)) for n in range(steps - 1)), "Final Answer: done"]

    class Instant:
        def complete(self, messages, **options):
            return Completion(replies[(len(messages) - 2) // 2])

    guards = (StepLimit(steps + 1), RepeatLimit(), TokenBudget(10**12), PrematureFinish())
    return run_agent(Agent(Instant(), [look], guards=guards), "q")


def peak(steps: int) -> int:
    tracemalloc.start()
    run = long_run(steps)
    assert len(run.messages(step=steps)) == 2 * steps
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def test_memory_grows_in_step_with_the_run():
    long_run(3)
    half, whole = peak(500), peak(1_000)
    assert half < 2 * 2**20
    assert whole / half < 2.2


def test_each_message_exists_once_however_many_prompts_show_it():
    run = long_run(300)
    links: set[int] = set()
    held: set[int] = set()
    for step in run.steps:
        node: Messages | None = step.messages
        while node is not None and id(node) not in links:
            links.add(id(node))
            held |= {id(message) for message in node.added}
            node = node.parent
    assert len(held) == 2 * 300
    assert len(links) <= 300 + 1


def calls_in(function) -> int:
    count = 0

    def count_call(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(count_call)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_work_of_a_step_does_not_depend_on_how_many_came_before():
    long_run(3)
    short, long = calls_in(lambda: long_run(50)), calls_in(lambda: long_run(250))
    assert long / short < 5 * 1.1


def test_import_loads_none_of_the_heavy_libraries():
    heavy = "httpx pydantic numpy IPython ipywidgets matplotlib tenacity".split()
    code = f"import sys, react_lab; print([m for m in {heavy} if m in sys.modules])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"
