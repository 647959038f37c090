"""Guards, one by one and together: at the last step, with nudges, with a budget."""

from dataclasses import dataclass

import pytest

from react_lab.agent import Agent, generate, run_agent
from react_lab.errors import UsageError
from react_lab.guards import (
    FormatErrorLimit,
    Nudge,
    PrematureFinish,
    RepeatLimit,
    StepLimit,
    Stop,
    TokenBudget,
    default_guards,
)
from react_lab.llm import FunctionLLM, ScriptedLLM
from react_lab.records import (
    Action,
    Completion,
    FormatError,
    Messages,
    Observation,
    Parsed,
    Run,
    Step,
    Usage,
)
from react_lab.tools import tool


def step(*calls: str, text: str = "x", status: str = "ok", tokens: int = 0, **changes) -> Step:
    """Return a finished step that called tools, each written `tool:argument`."""
    actions = tuple(Action(c.split(":")[0], {"a": c.split(":")[1]}) for c in calls)
    seen = tuple(Observation(text, status) for _ in calls)
    return Step(Messages(), Completion(""), Parsed(actions=actions), seen, Usage(tokens), **changes)


def bad() -> Step:
    return Step(Messages(), Completion(""), Parsed(error=FormatError("missing_action", "x")))


def answer(text: str = "4") -> Step:
    return Step(Messages(), Completion(""), Parsed(answer=text))


def run_of(*steps: Step) -> Run:
    return Run("q", steps, usage=sum((s.usage for s in steps), Usage()))


# StepLimit


@pytest.mark.parametrize(("done", "stops"), [(0, False), (1, False), (2, True), (5, True)])
def test_step_limit_stops_at_the_last_step(done, stops):
    verdict = StepLimit(3).check(run_of(*[step("a:1")] * done), step("a:2"))
    expected = Stop("max_steps", "no answer within 3 steps", run_tools=True)
    assert verdict == (expected if stops else None)


# TokenBudget


@pytest.mark.parametrize(
    ("spent", "draft", "stops"), [(0, 99, False), (60, 39, False), (60, 40, True), (0, 500, True)]
)
def test_budget_counts_the_draft_and_stops_when_reached(spent, draft, stops):
    verdict = TokenBudget(100).check(run_of(step("a:1", tokens=spent)), step("a:2", tokens=draft))
    assert (verdict is not None) == stops
    if stops:
        assert verdict == Stop(
            "token_budget", f"{spent + draft} of 100 tokens spent", run_tools=True
        )


def test_budget_writes_large_numbers_readably():
    verdict = TokenBudget(12_000).check(run_of(), step("a:1", tokens=12_345))
    assert verdict.detail == "12,345 of 12,000 tokens spent"


# FormatErrorLimit


@pytest.mark.parametrize(
    ("before", "stops"),
    [
        ([], False),
        ([bad()], False),
        ([bad(), bad()], True),
        ([bad(), step("a:1"), bad()], False),
        ([step("a:1"), bad(), bad()], True),
        ([bad(), bad(), step("a:1")], False),
    ],
)
def test_three_format_errors_in_a_row_stop(before, stops):
    verdict = FormatErrorLimit(3).check(run_of(*before), bad())
    assert verdict == (
        Stop("format_errors", "3 in a row, the last: missing_action") if stops else None
    )


def test_good_draft_is_never_a_format_error():
    assert FormatErrorLimit(1).check(run_of(bad(), bad()), step("a:1")) is None
    assert FormatErrorLimit(1).check(run_of(), bad()) is not None


# RepeatLimit


def verdicts(guard: RepeatLimit, calls: str, **kept) -> str:
    """Return a letter for each call: n(udge), s(top) or a dot."""
    steps, said = [], ""
    for letter in calls:
        verdict = guard.check(run_of(*steps), step(f"look:{letter}"))
        said += {Nudge: "n", Stop: "s"}.get(type(verdict), ".")
        steps.append(step(f"look:{letter}", **kept))
    return said


@pytest.mark.parametrize(
    ("guard", "calls", "said"),
    [
        (RepeatLimit(), "ABCD", "...."),
        (RepeatLimit(), "AAA", ".ns"),
        (RepeatLimit(), "ABABAB", "..nnss"),
        (RepeatLimit(2), "AA", ".s"),
        (RepeatLimit(4), "AAAA", ".nns"),
        (RepeatLimit(1), "AA", ".s"),
        (RepeatLimit(window=2), "ABCA", "...."),
        (RepeatLimit(window=3), "ABCA", "...n"),
        (RepeatLimit(), "ABCDEFGHIJKA", "............"),
        (RepeatLimit(), "ABCDEFGHIJA", "..........n"),
        (RepeatLimit(repeatable=frozenset({"look"})), "AAAA", "...."),
    ],
)
def test_repeats_are_counted_within_the_window(guard, calls, said):
    assert verdicts(guard, calls) == said


def test_failed_call_counts_but_is_not_nudged():
    assert verdicts(RepeatLimit(), "AAA", status="timeout") == "..s"
    assert verdicts(RepeatLimit(), "AAA", status="empty") == ".ns"


def test_reminder_names_the_step_and_its_result_on_one_line():
    run = run_of(step("look:B"), step("look:A", text="one\ntwo"))
    assert RepeatLimit().check(run, step("look:A")) == Nudge(
        "You made this same call at step 2 and got: one | two Use that result, or do something else."
    )
    chinese = RepeatLimit(language="zh").check(run, step("look:A"))
    assert chinese.text.startswith("你在第 2 步已经做过同样的调用")


def test_stop_names_the_tools_and_how_often():
    run = run_of(step("look:A"), step("look:A"))
    verdict = RepeatLimit().check(run, step("look:A"))
    assert verdict == Stop("repeated_action", "look called 3 times with the same arguments")


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        (step("look:A"), step("find:A"), False),
        (step("look:A", "look:B"), step("look:A"), False),
        (step("look:A", "look:B"), step("look:A", "look:B"), True),
        (step("look:A", "look:B"), step("look:A", "look:C"), False),
        (answer(), step("look:A"), False),
        (bad(), step("look:A"), False),
        (step("look:A"), answer(), False),
        (step("look:A"), bad(), False),
    ],
)
def test_calls_are_the_same_when_tools_and_arguments_are(before, now, same):
    assert (RepeatLimit().check(run_of(before), now) is not None) == same


def test_ids_of_native_calls_do_not_matter():
    def native(call_id):
        actions = (Action("look", {"a": 1}, call_id),)
        return Step(Messages(), Completion(""), Parsed(actions=actions), (Observation("x"),))

    assert isinstance(RepeatLimit().check(run_of(native("c1")), native("c2")), Nudge)


def test_clock_may_be_asked_again_but_not_beside_a_repeated_call():
    guard = RepeatLimit()
    assert guard.check(run_of(step("clock:x")), step("clock:x")) is None
    assert guard.check(run_of(step("clock:x", "look:A")), step("clock:x", "look:A")) is not None


# PrematureFinish


@pytest.mark.parametrize(
    ("before", "nudges"),
    [
        ([], True),
        ([step("a:1")], False),
        ([step("a:1", status="empty")], False),
        ([step("a:1", status="tool_error")], True),
        ([bad()], True),
        ([step(guard="PrematureFinish")], False),
        ([step(guard="RepeatLimit")], True),
    ],
)
def test_answer_before_any_result_is_refused_once(before, nudges):
    assert (PrematureFinish().check(run_of(*before), answer()) is not None) == nudges


def test_refusal_can_be_repeated_and_spares_calls():
    refused = step(guard="PrematureFinish")
    assert PrematureFinish(times=2).check(run_of(refused), answer()) is not None
    assert PrematureFinish(times=2).check(run_of(refused, refused), answer()) is None
    assert PrematureFinish().check(run_of(), step("a:1")) is None
    assert PrematureFinish(language="zh").check(run_of(), answer()).text.startswith("回答之前")


# Their settings


@pytest.mark.parametrize(
    "make",
    [StepLimit, TokenBudget, FormatErrorLimit, RepeatLimit, lambda n: RepeatLimit(3, n)],
)
@pytest.mark.parametrize("value", [0, -3])
def test_limits_below_one_are_a_mistake(make, value):
    with pytest.raises(UsageError, match=f"must be at least 1, got {value}"):
        make(value)


def test_default_guards():
    assert default_guards() == (StepLimit(8), FormatErrorLimit(3), RepeatLimit(3))
    assert default_guards("zh")[2] == RepeatLimit(3, language="zh")


# Together, in the loop


@tool(timeout=None)
def look(a: str) -> str:
    """Look something up."""
    return f"{a} found"


def call(a: str) -> str:
    return f'Action: look\nAction Input: {{"a": "{a}"}}'


def play(replies, *guards, **options) -> Run:
    return run_agent(Agent(ScriptedLLM(replies), [look], guards=guards, **options), "q")


def test_answer_at_the_last_step_is_an_answer():
    run = play([call("A"), "Final Answer: 4"], StepLimit(2))
    assert (run.stop_reason, run.answer, len(run.steps), run.detail) == ("final_answer", "4", 2, "")


def test_answer_that_reaches_the_budget_is_an_answer():
    run = play([call("A"), "Final Answer: 4"], TokenBudget(1_000_000), StepLimit(9))
    spent = run.usage.total
    again = play([call("A"), "Final Answer: 4"], TokenBudget(spent))
    assert (again.stop_reason, again.answer) == ("final_answer", "4")


def test_tool_of_the_last_step_is_still_run():
    run = play([call("A")], StepLimit(1))
    assert (run.stop_reason, run.findings()) == ("max_steps", ["look: A found"])
    run = play([call("A")], TokenBudget(1))
    assert (run.stop_reason, run.findings()) == ("token_budget", ["look: A found"])


def test_nudge_at_the_last_step_replaces_the_tool_and_the_limit_holds():
    run = play([call("A"), call("A")], RepeatLimit(3), StepLimit(2))
    assert (run.stop_reason, run.steps[1].guard) == ("max_steps", "RepeatLimit")
    assert run.findings() == ["look: A found"]


def test_refused_answer_at_the_last_step_is_no_answer():
    run = play(["Final Answer: 4"], PrematureFinish(), StepLimit(1))
    assert (run.stop_reason, run.answer, run.steps[0].guard) == (
        "max_steps",
        None,
        "PrematureFinish",
    )


def test_first_stop_wins_and_there_is_exactly_one_reason():
    replies = [call("A")] * 3
    first = play(replies, StepLimit(3), RepeatLimit(3))
    assert (first.stop_reason, first.detail) == ("max_steps", "no answer within 3 steps")
    assert play(replies, RepeatLimit(3), StepLimit(3)).stop_reason == "repeated_action"


def test_stopped_call_is_not_run():
    run = play([call("A")] * 3, RepeatLimit(3))
    assert [step.observation for step in run.steps][1:] == [
        "You made this same call at step 1 and got: A found Use that result, or do something else.",
        "",
    ]
    assert run.detail == "look called 3 times with the same arguments"


def test_first_nudge_wins():
    @dataclass(frozen=True)
    class Other:
        def check(self, run, draft):
            return Nudge("other")

    run = play([call("A"), "Final Answer: 4"], Other(), RepeatLimit(), StepLimit(2))
    assert (run.steps[0].observation, run.steps[0].guard) == ("other", "Other")
    assert run.stop_reason == "max_steps"


def test_good_step_between_format_errors_starts_the_count_anew():
    run = play(["hm", "hm", call("A"), "hm", "hm", "Final Answer: 4"], *default_guards())
    assert (run.stop_reason, run.answer, len(run.steps)) == ("final_answer", "4", 6)


def test_third_format_error_is_told_and_ends_the_run():
    run = play(["hm"] * 3, FormatErrorLimit(3))
    assert (run.stop_reason, run.detail) == (
        "format_errors",
        "3 in a row, the last: missing_action",
    )
    assert [step.observations[0].status for step in run.steps] == ["format_error"] * 3


def test_generate_answers_at_a_limit_but_not_after_format_errors():
    def best(messages):
        return "Final Answer: best" if "no step left" in messages[-1].content else call("A")

    llm = FunctionLLM(best)
    run = run_agent(Agent(llm, [look], guards=(StepLimit(2),), at_limit=generate), "q")
    assert (run.stop_reason, run.answer, len(run.steps)) == ("max_steps", "best", 3)
    bad_llm = FunctionLLM(lambda messages: "hm")
    run = run_agent(Agent(bad_llm, [look], at_limit=generate), "q")
    assert (run.stop_reason, run.answer, len(run.steps)) == ("format_errors", None, 3)


@pytest.mark.parametrize("guard", [StepLimit(2), TokenBudget(1), RepeatLimit(2)])
def test_every_limit_can_be_followed_by_a_last_call(guard):
    def best(messages):
        return "Final Answer: best" if "no step left" in messages[-1].content else call("A")

    agent = Agent(FunctionLLM(best), [look], guards=(guard, StepLimit(9)), at_limit=generate)
    run = run_agent(agent, "q")
    assert run.answer == "best"
    assert run.stop_reason in ("max_steps", "token_budget", "repeated_action")
    assert run.steps[-1].guard == "generate"
