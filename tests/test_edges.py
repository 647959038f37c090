"""The edges of a run: whatever a tool, a model or a person does, the finished steps are there."""

import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, replace

import pytest

from react_lab import (
    Action,
    Agent,
    Completion,
    FunctionLLM,
    LLMError,
    ScriptedLLM,
    StepLimit,
    TextContract,
    Tool,
    Toolbox,
    UsageError,
    demo_agent,
    export_html,
    export_markdown,
    fork,
    iter_steps,
    run_agent,
    run_from_json,
    run_to_json,
    tool,
)
from react_lab.views.step import PANES, step_html, step_text

CALL = "Action: odd\nAction Input: {}"
END = "Final Answer: done"


def run_with(function, replies=(CALL, END), **options):
    return run_agent(Agent(ScriptedLLM(replies), [tool(function, name="odd", **options)]), "go")


def hang():
    while True:
        time.sleep(0.05)


def leave():
    raise SystemExit(3)


def exhaust():
    raise MemoryError


def recurse():
    return recurse()


def large():
    return "x" * 5_000_000


def nothing():
    return None


@pytest.mark.parametrize(
    ("function", "status", "text"),
    [
        (hang, "timeout", "within 0.1 seconds"),
        (leave, "tool_error", "SystemExit: 3"),
        (exhaust, "tool_error", "MemoryError"),
        (recurse, "tool_error", "RecursionError"),
        (large, "ok", "characters left out"),
        (nothing, "empty", "no result"),
    ],
)
def test_a_tool_may_do_what_it_likes(function, status, text):
    run = run_with(function, timeout=0.1 if function is hang else 5.0)
    assert (run.stop_reason, run.answer, len(run.steps)) == ("final_answer", "done", 2)
    observation = run.steps[0].observations[0]
    assert observation.status == status
    assert text in observation.text
    assert len(observation.text) < 3_000


def test_a_large_result_is_kept_whole_in_the_step():
    run = run_with(large)
    assert len(run.steps[0].observations[0].full) == 5_000_000


class Raising:
    def __init__(self, error, after=1):
        self.error, self.after = error, after

    def complete(self, messages, *, stop=(), tools=()):
        if sum(m.role == "assistant" for m in messages) < self.after:
            return Completion(CALL)
        raise self.error


@pytest.mark.parametrize(
    ("error", "stop_reason", "detail"),
    [
        (LLMError("no reply"), "llm_error", "no reply"),
        (ValueError("bad"), "llm_error", "ValueError: bad"),
        (KeyError("x"), "llm_error", "KeyError"),
        (KeyboardInterrupt(), "cancelled", "interrupted"),
    ],
)
def test_a_model_that_raises_ends_the_run_with_its_steps(error, stop_reason, detail):
    run = run_agent(Agent(Raising(error), [tool(nothing, name="odd")]), "go")
    assert run.stop_reason == stop_reason
    assert detail in run.detail
    assert run.steps[0].observations[0].status == "empty"
    assert run.answer is None


@pytest.mark.parametrize("reply", [None, 5, b"x", ["x"]])
def test_a_model_that_returns_no_completion_is_told_apart(reply):
    class Odd:
        def complete(self, messages, *, stop=(), tools=()):
            return reply

    run = run_agent(Agent(Odd()), "go")
    assert run.stop_reason == "llm_error"
    assert "must return a Completion" in run.detail


def test_an_empty_reply_for_ever_ends_after_three():
    run = run_agent(Agent(FunctionLLM(lambda messages: "")), "go")
    assert (run.stop_reason, len(run.steps)) == ("format_errors", 3)
    assert [s.parsed.error.code for s in run.steps] == ["empty_output"] * 3


def test_an_empty_answer_is_never_an_end():
    run = run_agent(Agent(ScriptedLLM(["Final Answer:", "Final Answer: 4"])), "2 + 2?")
    assert (run.answer, len(run.steps)) == ("4", 2)
    assert run.steps[0].parsed.error.code == "empty_answer"


@pytest.mark.parametrize(
    ("finish_reason", "stop_reason"),
    [("length", "truncated"), ("content_filter", "content_filter")],
)
def test_a_reply_that_ended_in_the_world_is_never_acted_on(finish_reason, stop_reason):
    cut = Completion(CALL, finish_reason=finish_reason)
    run = run_agent(Agent(ScriptedLLM([cut]), [tool(leave, name="odd")]), "go")
    assert (run.stop_reason, run.steps[0].observations) == (stop_reason, ())


@pytest.mark.parametrize("question", ["", "   ", "\n", None, 5])
def test_an_empty_question_is_refused_with_the_fix(question):
    with pytest.raises(UsageError, match="the question must be a text"):
        run_agent(demo_agent(), question)


@pytest.mark.parametrize(
    "question", ["🌦️?", "x" * 100_000, "<script>alert(1)</script>", "\x00", "What is 2 + 2?\x1b[31m"]
)
def test_odd_questions_end_honestly(question):
    run = run_agent(demo_agent(), question)
    assert run.stop_reason == "final_answer"
    assert run.answer
    assert "<script>" not in run._repr_html_()


def test_ctrl_c_in_a_tool_keeps_the_finished_steps_and_the_process_can_exit():
    script = textwrap.dedent(
        """
        import signal, time
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also in the background
        from react_lab import Agent, ScriptedLLM, run_agent, tool

        def quick(): return "first"
        def odd():
            print("in the tool", flush=True)
            while True: time.sleep(0.05)

        replies = ["Action: quick\\nAction Input: {}", "Action: odd\\nAction Input: {}"]
        run = run_agent(Agent(ScriptedLLM(replies), [tool(quick), tool(odd)]), "go")
        print(run.stop_reason, len(run.steps), run.findings())
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "in the tool\n"
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert said == "cancelled 1 ['quick: first']\n"
    assert process.returncode == 0


def test_fork_at_every_step_pays_for_nothing_twice():
    asked = []

    class Counting:
        def complete(self, messages, *, stop=(), tools=()):
            asked.append(len(messages))
            return agent.llm.complete(messages, stop=stop, tools=tools)

    agent = demo_agent()
    question = "How much warmer is Lisbon than Oslo today?"
    run = run_agent(agent, question)
    for step in range(1, len(run.steps) + 1):
        asked.clear()
        counted = demo_agent(llm=Counting())
        branch = run_agent(counted, fork(counted, run, step))
        assert branch == run
        assert len(asked) == len(run.steps) - step + 1
        assert (branch.parent is run, branch.forked_at) == (True, step)


def test_the_iterator_pauses_between_steps_and_goes_on_later():
    agent = demo_agent()
    steps = iter_steps(agent, "How much warmer is Lisbon than Oslo today?")
    first = next(steps)
    steps.close()
    assert (len(first.steps), first.stop_reason) == (1, None)
    assert run_agent(agent, first) == run_agent(agent, first.question)


def test_a_step_limit_is_exact():
    for limit in (1, 2, 3):
        run = run_agent(
            demo_agent(guards=(StepLimit(limit),)), "How much warmer is Lisbon than Oslo today?"
        )
        assert (len(run.steps), run.stop_reason) == (limit, "max_steps")
        assert len(run.findings()) == limit


def test_the_loop_is_short_and_knows_no_part_by_name():
    import inspect

    source = inspect.getsource(iter_steps)
    assert len(source.splitlines()) < 40
    assert not any(
        word in source for word in ("StepLimit", "TextContract", "Simulated", "native", "budget")
    )
    assert isinstance(tool(nothing), Tool)


def nested(levels):
    value = 1
    for _ in range(levels):
        value = {"a": [value]}
    return value


def endless():
    value = []
    value.append(value)
    return value


class Unwritable:
    def __repr__(self):
        raise ValueError("no repr")

    __str__ = __repr__


@dataclass(frozen=True)
class OwnReading(TextContract):
    """Read every call with the same arguments, whatever the reply says."""

    args: object = None

    def read(self, reply, tools):
        parsed = super().read(reply, tools)
        return replace(parsed, actions=tuple(Action(a.tool, self.args) for a in parsed.actions))


def anything(x=None):
    return "ok"


@pytest.mark.parametrize(
    "value",
    [nested(500), nested(5_000), endless(), Unwritable()],
    ids=["500", "5000", "loop", "repr"],
)
def test_arguments_that_cannot_be_written_out_are_shown_and_exported(value):
    agent = Agent(
        ScriptedLLM([CALL, END]), [tool(anything, name="odd")], OwnReading(args={"x": value})
    )
    run = run_agent(agent, "go")
    assert (run.stop_reason, run.findings()) == ("final_answer", ["odd: ok"])
    assert "Action: odd(" in str(run)
    assert "odd(" in run._repr_html_()
    for pane in PANES:
        assert step_text(run, 1, pane)
        assert step_html(run, 1, pane)
    if not isinstance(value, Unwritable):
        assert "odd(" in export_html(run)
        assert "odd(" in export_markdown(run)
        assert run_from_json(run_to_json(run)).answer == "done"


def test_a_wrong_argument_that_cannot_be_written_out_is_still_an_observation():
    def odd(x: int) -> int:
        return x

    for args in ({"x": Unwritable()}, {"x": nested(5_000)}, {"y": Unwritable()}, {1: 2}):
        observation = Toolbox([odd]).run(Action("odd", args))
        assert observation.status == "invalid_args"
        assert "expects an integer" in observation.text or "needs" in observation.text
    assert str(Action("odd", {"x": Unwritable()})) == (
        "odd(<dict that cannot be written out: ValueError>)"
    )


def test_what_went_over_the_wire_may_be_nested_without_end():
    reply = Completion(END, request={"a": nested(800)}, response={"a": nested(800)})
    run = run_agent(Agent(ScriptedLLM([reply])), "go")
    shown = step_html(run, 1, "Prompt as sent")  # how deep Python writes differs by version
    assert "cannot be written out" in shown or "more characters" in shown
    assert "done" in export_html(run)
    assert "[nested too deeply]" in run_to_json(run)
    assert run_from_json(run_to_json(run)).answer == "done"
