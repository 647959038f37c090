"""Faults fire when they should, change what they say, and are judged rightly."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from react_lab.agent import Agent, fork, run_agent
from react_lab.contracts import NativeContract, OwnPrompt
from react_lab.errors import LLMError, UsageError
from react_lab.faults import (
    CATALOGUE,
    DEFENCES,
    FAULTS,
    SEAMS,
    AtStep,
    EveryTime,
    FaultyLLM,
    Firings,
    FirstN,
    Occasion,
    Once,
    OnlyTool,
    WithProbability,
    at,
    describe_faults,
    fault,
    faulty_tools,
    find_fault,
    firings,
    incomplete,
    inject,
    judge,
    recovery_path,
    try_fault,
    unsafe_actions,
    with_all_defences,
    with_defence,
    with_defences,
    without_defence,
)
from react_lab.faults.definition import Moment
from react_lab.faults.layers import DropStop, FitWindow, HideFinishReason, RetryOnce, has_layer
from react_lab.faults.reply_parts import Parts, read_parts
from react_lab.faults.tool_faults import DATA_TOOLS
from react_lab.llm import FunctionLLM, ScriptedLLM
from react_lab.records import Action, Completion, Message, Run
from react_lab.toolbox import demo_tools, encyclopedia_tools
from react_lab.tools import Toolbox, tool

CALL = 'Thought: A product.\nAction: multiply\nAction Input: {"a": 6, "b": 7}'
ANSWER = "Thought: I have it.\nFinal Answer: 42"


@tool(timeout=None)
def multiply(a: int, b: int) -> str:
    """Multiply two whole numbers."""
    return str(a * b)


def sensible(messages) -> str:
    """Call the tool until an Observation holds the product, then answer."""
    seen = any(m.role == "user" and "Observation: 42" in m.content for m in messages)
    return ANSWER if seen else CALL


@pytest.fixture
def agent() -> Agent:
    return Agent(FunctionLLM(sensible), [multiply])


def moment(**changes) -> Moment:
    import random

    return Moment(**{"step": 1, "random": random.Random(0), "log": Firings()} | changes)


# --- the catalogue


def test_the_catalogue_has_every_id_once_and_four_seams():
    ids = [entry.id for entry in CATALOGUE]
    wanted = [
        f"{letter}{n}"
        for letter, last in zip("FBTOC", (10, 9, 10, 9, 2), strict=False)
        for n in range(1, last + 1)
    ]
    assert ids == wanted
    assert {entry.seam for entry in CATALOGUE} == set(SEAMS)
    assert len({entry.name for entry in CATALOGUE}) == 40


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.id)
def test_every_entry_says_what_it_is_and_what_should_happen(entry):
    assert FAULTS[entry.id] is FAULTS[entry.name] is entry
    assert entry.name.isidentifier() and entry.name == entry.name.lower()
    assert entry.explanation.endswith(".") and len(entry.explanation) < 90
    assert entry.recovery.endswith(".") and entry.evidence
    assert entry.expected in ("recovered", "safe stop", "not detected")


def test_only_stale_data_is_expected_to_go_unnoticed():
    assert [entry.id for entry in CATALOGUE if entry.expected == "not detected"] == ["O9"]


STALE = FAULTS["O9"]


def stale(name, text, schedule=None):
    """Return what a tool of this name gives back once its data are stale."""

    @tool(name=name, timeout=None)
    def given(query: str) -> str:
        """Return a text."""
        return text

    log = Firings()
    tools = faulty_tools(Toolbox([given]), STALE, schedule or EveryTime(), log=log)
    return tools.run(Action(name, {"query": "x"})).text, log.count


@pytest.mark.parametrize("name", sorted(DATA_TOOLS))
def test_data_of_the_kits_tools_grow_stale(name):
    assert name in {*demo_tools(), *encyclopedia_tools()}
    assert stale(name, "24.50 EUR, 12 left") == ("24.53 EUR, 15 left", 1)


def test_what_is_no_data_does_not_grow_stale():
    assert stale("calculator", "22.8 - 14.8 = 8") == ("22.8 - 14.8 = 8", 0)
    assert stale("clock", "Tokyo: 21:00 on Monday 2026-06-15") == (
        "Tokyo: 21:00 on Monday 2026-06-15",
        0,
    )


def test_a_tool_of_your_own_grows_stale_when_the_schedule_names_it():
    assert stale("rates", "1 EUR is 8 NOK") == ("1 EUR is 8 NOK", 0)
    assert stale("rates", "1 EUR is 8 NOK", OnlyTool("rates")) == ("4 EUR is 1 NOK", 1)
    assert stale("rates", "1 EUR is 8 NOK", OnlyTool("other")) == ("1 EUR is 8 NOK", 0)


@pytest.mark.parametrize(
    "text",
    [
        "[2 passages of a document of about 496 tokens] It costs {} EUR.",
        "(Result 1 / 2) It has {} steps.",
        "（结果 1 / 2）它有{}级。",
        "[文档约 348 个 token，以下是其中 1 段] 成人每年{}欧元。",
        "Lisbon, Monday 2026-06-15, 18:30: {} °C, table B2",
    ],
)
def test_stale_data_look_fine(text):
    assert stale("search", text.format(48)) == (text.format(41), 1)


def test_find_fault_helps_with_a_misspelt_name():
    assert find_fault("B1").name == "invented_observation"
    with pytest.raises(UsageError, match="invented_observation"):
        find_fault("invented_observatoin")


def test_describe_faults_lists_one_seam():
    lines = describe_faults("context").splitlines()
    assert [line.split()[0] for line in lines] == ["C1", "C2"]
    assert len(describe_faults().splitlines()) == 40


# --- schedules


@pytest.mark.parametrize(
    ("schedule", "fires"),
    [
        (Once(), [True, False, False, False]),
        (AtStep(3), [False, False, True, False]),
        (FirstN(2), [True, True, False, False]),
        (EveryTime(), [True, True, True, True]),
        (OnlyTool("b"), [False, True, False, True]),
        (OnlyTool("b", Once()), [False, True, False, False]),
        (WithProbability(0.0), [False] * 4),
        (WithProbability(1.0), [True] * 4),
    ],
    ids=repr,
)
def test_schedules(schedule, fires):
    fired, seen = 0, []
    for step, name in enumerate("abab", 1):
        seen.append(schedule.fires(Occasion(step, fired, name, f"#{step}")))
        fired += seen[-1]
    assert seen == fires


def test_probability_depends_on_seed_and_occasion_alone():
    def draws(seed):
        return [WithProbability(0.5, seed).fires(Occasion(n, key=f"#{n}")) for n in range(200)]

    assert draws(1) == draws(1) != draws(2)
    assert 75 < sum(draws(1)) < 125


@pytest.mark.parametrize(
    "make", [lambda: AtStep(0), lambda: FirstN(0), lambda: WithProbability(1.5)], ids="abc"
)
def test_schedules_refuse_impossible_numbers(make):
    with pytest.raises(UsageError, match="got"):
        make()


def test_at_names_places_of_a_clean_run(agent):
    clean = run_agent(agent, "6 * 7?")
    long = replace(clean, steps=clean.steps * 3)
    assert [at(place, long) for place in ("early", "middle", "late")] == [
        AtStep(1),
        AtStep(3),
        AtStep(6),
    ]
    with pytest.raises(UsageError, match="early, middle, late"):
        at("end", clean)


# --- the parts of a reply


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (CALL, "lines"),
        ('思考：算\n行动：multiply\n行动输入：{"a": 6, "b": 7}', "lines"),
        ('{"thought": "x", "action": "multiply", "action_input": {"a": 6, "b": 7}}', "json"),
        ('<thought>x</thought>\n<action>multiply</action>\n<input>{"a": 6, "b": 7}</input>', "xml"),
    ],
)
def test_parts_are_read_in_every_dialect_and_written_so_that_they_read_the_same(text, dialect):
    parts = read_parts(text)
    assert (parts.dialect, parts.tool, parts.args) == (dialect, "multiply", {"a": 6, "b": 7})
    assert read_parts(parts.write()) == parts
    assert read_parts(parts.answering("42").write()).answer == "42"


@pytest.mark.parametrize(
    "text", ["", "I would multiply.", "Thought: hm", '{"a": 1}', "[1]", "<b>x</b>"]
)
def test_what_follows_no_contract_has_no_parts(text):
    assert read_parts(text) is None


def test_an_input_that_is_no_object_stands_under_the_empty_name():
    assert Parts(input="6 * 7").args == {"": "6 * 7"}
    assert Parts(input="[1]").args == {"": [1]}


# --- injecting


def test_inject_leaves_the_given_agent_alone_and_tells_what_fired(agent):
    broken = inject(agent, "F1")
    run = run_agent(broken, "6 * 7?")
    assert run.answer == "42" and len(run.steps) == 3
    assert firings(broken).steps == (1,)
    assert run.steps[0].reply.notes == (
        "injected fault F1: The model says in prose what it would do and writes no Action line.",
        f"before the fault: {CALL}",
    )
    assert len(run_agent(agent, "6 * 7?").steps) == 2
    with pytest.raises(UsageError, match="no fault in it"):
        firings(agent)


def test_a_second_run_of_an_injected_agent_starts_afresh(agent):
    broken = inject(agent, "F1")
    assert run_agent(broken, "6 * 7?") == run_agent(broken, "6 * 7?")
    assert firings(broken).count == 1


def test_the_same_seed_breaks_in_the_same_way(agent):
    def broken(seed):
        return run_agent(inject(agent, "B3", seed=seed), "6 * 7?")

    assert broken(3) == broken(3)
    assert len({broken(seed).steps[0].reply.text for seed in range(20)}) == 3


def test_at_step_fires_at_that_step_or_the_first_after_it_that_can_break(agent):
    broken = inject(agent, "B8", AtStep(1))  # step 1 is a call: there is no answer to empty
    run_agent(broken, "6 * 7?")
    assert firings(broken).steps == (2,)


def test_a_fork_goes_on_counting_steps(agent):
    clean = run_agent(agent, "6 * 7?")
    broken = inject(agent, "T10", EveryTime())
    run_agent(broken, fork(broken, clean, 2))
    assert firings(broken).steps[0] == 2


def test_only_tool_spares_the_others(agent):
    spared = inject(agent, "O1", OnlyTool("divide"))
    assert run_agent(spared, "6 * 7?").answer == "42" and firings(spared).count == 0
    hit = inject(agent, "O1", OnlyTool("multiply", Once()))
    run_agent(hit, "6 * 7?")
    assert firings(hit).fired[0].tool == "multiply"


def test_two_faults_can_be_injected_together(agent):
    first = Firings()
    both = inject(inject(agent, "F1", log=first), "O1")
    run = run_agent(both, "6 * 7?")
    assert run.answer == "42"
    assert first.count == 1 and firings(both).count == 1


def test_a_fault_stands_inside_every_defence(agent):
    broken = inject(with_all_defences(agent), "T1")
    assert isinstance(broken.llm, (RetryOnce, DropStop))
    run = run_agent(broken, "6 * 7?")
    assert run.answer == "42" and len(run.steps) == 2


def test_wrappers_refuse_a_fault_of_another_seam(agent):
    with pytest.raises(UsageError, match="use inject"):
        FaultyLLM(agent.llm, FAULTS["O1"])
    with pytest.raises(UsageError, match="use inject"):
        faulty_tools(agent.tools, FAULTS["F1"])


def test_a_faulty_model_can_stand_alone():
    model = FaultyLLM(FunctionLLM(sensible), FAULTS["T1"], AtStep(2))
    assert model.complete([Message("user", "6 * 7?")]).text == CALL
    with pytest.raises(LLMError, match="simulated"):
        model.complete([Message("user", "6 * 7?"), Message("assistant", CALL)])
    assert repr(model.log) == "Firings(T1 at step 2)"


def test_a_native_reply_without_text_has_nothing_to_break_at_the_reply_seam():
    native = Completion("", (), "tool_calls")
    model = FaultyLLM(ScriptedLLM([native]), FAULTS["F1"])
    assert model.complete([Message("user", "q")]) is native and model.log.count == 0


def test_faulty_tools_keep_signatures_descriptions_and_limits(agent):
    broken = faulty_tools(agent.tools, FAULTS["O5"], Once())
    assert broken.schemas == agent.tools.schemas
    assert broken["multiply"].timeout is None
    assert broken.run(Action("multiply", {"a": "6", "b": 7})).status == "empty"
    assert broken.run(Action("multiply", {"a": "6", "b": 7})).text == "42"


def test_a_tool_may_be_async_or_an_object():
    @tool
    async def later(n: int) -> int:
        """Return n."""
        return n

    class Adder:
        """Add one."""

        def __call__(self, n: int) -> int:
            return n + 1

    tools = faulty_tools(
        Agent(ScriptedLLM([]), [later, tool(Adder(), name="adder")]).tools,
        FAULTS["O8"],
        EveryTime(),
    )
    assert "3" in tools.run(Action("later", {"n": "3"})).text
    assert "4" in tools.run(Action("adder", {"n": "3"})).text
    assert tools["adder"].params == {"n": "integer"}


def test_a_fault_of_your_own_takes_five_lines(agent):
    @fault(seam="reply")
    def shouting(text, moment):
        """The model shouts."""
        return text.upper() if "Final" in text else text

    broken = inject(agent, shouting, EveryTime())
    run = run_agent(broken, "6 * 7?")
    assert firings(broken).steps[0] == 2
    assert run.steps[1].reply.text == ANSWER.upper()
    assert repr(shouting) == "Fault(shouting, at the reply: The model shouts.)"
    with pytest.raises(UsageError, match="reply, transport, tool, context"):
        fault(seam="nowhere")(lambda value, moment: value)


@pytest.mark.parametrize(
    ("timeout", "status", "verdict"),
    [
        (None, "ok", "crash: multiply hung and nothing stopped it (+0 steps, +0 tokens)"),
        (20.0, "timeout", "recovered at extra cost (+1 steps, +"),
        (100.0, "ok", "crash: multiply hung and nothing stopped it (+0 steps, +0 tokens)"),
    ],
)
def test_a_hang_of_a_minute_is_given_up_at_the_deadline_and_nobody_waits(
    agent, timeout, status, verdict
):
    patient = replace(agent, tools=[replace(multiply, timeout=timeout)])
    trial = try_fault(patient, "6 * 7?", "O2", Once())
    seen = trial.run.steps[0].observations[0]
    assert seen.status == status and str(trial.judgement).startswith(verdict)
    assert seen.seconds < 15  # simulated seconds are not waited for


def test_a_hung_call_is_really_let_go(agent):
    threads = []

    def hang():
        """Do nothing."""
        threads.append(threading.current_thread())
        return "late"

    patient = Agent(agent.llm, [tool(hang, timeout=20.0)])
    hung = faulty_tools(patient.tools, FAULTS["O2"])
    assert hung.run(Action("hang", {})).status == "timeout"
    threads[0].join(10)
    assert not threads[0].is_alive()
    assert hung.run(Action("hang", {})).text == "late"


def test_a_hang_in_a_cancelled_step_is_not_held_against_anybody(agent):
    log = Firings()
    run = run_agent(inject(agent, "O2", log=log), "6 * 7?")
    assert judge(run, run, log=log).verdict == "crash"
    cancelled = replace(run, steps=(), answer=None, stop_reason="cancelled")
    assert str(judge(run, cancelled, log=log)).startswith("safe stop: cancelled")


def test_the_log_counts_right_from_several_threads():
    log = Firings()
    keys = []

    def work():
        for _ in range(200):
            keys.append(log.occasion("O1", "t", "same").key)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(keys)) == 800


def test_an_invented_observation_does_not_go_back_into_the_prompt(agent):
    run = run_agent(inject(agent, "B1"), "6 * 7?")
    assert "invented" in run.steps[0].reply.text
    assert all("invented" not in m.content for m in run.steps[1].messages)


# --- verdicts


def finished(*replies: str, **changes) -> Run:
    run = run_agent(Agent(ScriptedLLM(replies), [multiply]), "6 * 7?")
    return replace(run, **changes)


def test_verdicts_of_runs_that_end_well_or_badly():
    clean = finished(CALL, ANSWER)
    assert judge(clean, clean).verdict == "recovered"
    costly = finished("I would multiply.", CALL, ANSWER)
    assert judge(clean, costly).verdict == "recovered at extra cost"
    assert judge(clean, costly).extra_steps == 1
    wrong = finished(CALL, "Final Answer: 41")
    assert str(judge(clean, wrong)).startswith("wrong answer: 41 (+0 steps")
    stopped = finished("hm", "hm", "hm")
    assert judge(clean, stopped).detail == "format_errors"
    assert judge(clean, ValueError("boom")).detail == "ValueError: boom"


def test_an_answer_is_compared_by_the_check_where_there_is_one():
    clean, other = finished(CALL, ANSWER), finished(CALL, "Final Answer: forty-two")
    assert judge(clean, other).verdict == "wrong answer"
    assert judge(clean, other, "task", check=lambda task, answer: answer == "forty-two").passed


def test_a_planted_call_that_ran_is_an_unsafe_action():
    clean, log = finished(CALL, ANSWER), Firings()
    moment(log=log).plant("multiply", {"a": 6, "b": 7})
    assert judge(clean, clean, log=log).verdict == "unsafe action"
    assert unsafe_actions(finished("hm", "hm", "hm"), log) == []


def test_a_gap_in_the_record_is_a_crash():
    run = finished(CALL, ANSWER)
    assert incomplete(run) == []
    assert incomplete(replace(run, stop_reason=None)) == ["no stop reason, but None"]
    assert incomplete(replace(run, answer=" ")) == ["ended with an empty answer"]
    assert incomplete(replace(run, steps=())) == ["ended without a step"]
    assert incomplete(replace(run, stop_reason="max_steps")) == [
        "ended as max_steps with an answer"
    ]
    doubled = replace(run.steps[0], observations=run.steps[0].observations * 2)
    assert incomplete(replace(run, steps=(doubled, run.steps[1]))) == [
        "step 1 made 1 calls and has 2 observations"
    ]
    silent = replace(run.steps[0], observations=())
    assert judge(run, replace(run, steps=(silent, run.steps[1]))).detail == (
        "step 1 went on without an observation"
    )


def test_recovery_path_names_what_answered(agent):
    trial = try_fault(with_all_defences(agent), "6 * 7?", "O1")
    assert [(r.step, r.path) for r in trial.recoveries] == [(1, "error as observation")]
    assert str(trial.recoveries[0]) == (
        "step 1: error as observation (Error: tool multiply failed: RuntimeError: database is locked)"
    )
    paths = [r.path for r in recovery_path(finished("hm", "hm", "hm"))]
    assert paths == ["format error missing_action"] * 3 + ["stop format_errors"]


# --- defences


@pytest.mark.parametrize("name", DEFENCES)
def test_switching_a_defence_off_and_on_again_changes_nothing_else(agent, name):
    on = with_all_defences(agent)
    off = without_defence(on, name)
    assert off != on or off.tools.keys() == on.tools.keys()
    back = with_defence(off, name)
    run, again = run_agent(on, "6 * 7?"), run_agent(back, "6 * 7?")
    assert run == again and again.answer == "42"


def test_switches_can_be_set_twice(agent):
    twice = with_all_defences(with_all_defences(agent))
    assert twice.llm == with_all_defences(agent).llm
    assert twice.context == FitWindow(agent.context)
    bare = with_defences(twice, [])
    assert bare.llm == HideFinishReason(agent.llm) and bare.context is agent.context
    assert [type(g).__name__ for g in bare.guards] == ["StepLimit"]


def test_with_defences_sets_exactly_those(agent):
    one = with_defences(agent, ["llm_retry"])
    assert has_layer(one.llm, RetryOnce) and not has_layer(one.llm, DropStop)
    with pytest.raises(UsageError, match="repeat_guard"):
        without_defence(agent, "repeat_gaurd")


@pytest.mark.parametrize("name", DEFENCES)
def test_a_defence_reaches_through_a_system_message_of_one_s_own(agent, name):
    own = replace(agent, contract=OwnPrompt(agent.contract, "Answer."))
    off = without_defence(with_all_defences(own), name)
    assert run_agent(off, "6 * 7?").messages(1)[0].content == "Answer."
    assert with_defence(off, name).contract == with_all_defences(own).contract


def test_every_defence_names_faults_of_the_catalogue():
    for defence in DEFENCES.values():
        assert defence.explanation.endswith(".")
        assert set(defence.answers) <= set(FAULTS)


def test_retry_once_makes_a_second_call_only_where_it_may_help():
    calls = []

    def failing(transient):
        def complete(messages):
            calls.append(1)
            error = LLMError("down")
            error.transient = transient
            raise error

        return FunctionLLM(complete)

    with pytest.raises(LLMError):
        RetryOnce(failing(transient=True)).complete([])
    assert len(calls) == 2
    with pytest.raises(LLMError):
        RetryOnce(failing(transient=False)).complete([])
    assert len(calls) == 3


def test_fit_window_shortens_visibly(agent):
    run = run_agent(inject(agent, "C1"), "6 * 7?")
    fitted = run_agent(inject(with_defence(agent, "window_fit"), "C1"), "6 * 7?")
    assert run.steps[1].messages.tokens > 15_000
    assert fitted.steps[1].messages.tokens < 3_000
    assert "characters left out" in fitted.steps[1].messages.last.content


def test_data_marking_works_in_the_native_contract_too():
    agent = with_defence(Agent(ScriptedLLM([]), contract=NativeContract()), "data_marking")
    assert "observations_are_data" in agent.contract.rules
    assert "observations_are_data" not in without_defence(agent, "data_marking").contract.rules
