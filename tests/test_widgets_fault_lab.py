"""FaultLab without a browser: what is chosen, what is shown, and the line of code."""

from __future__ import annotations

import asyncio
import html
import re

import pytest

from react_lab import faults
from react_lab.agent import Agent, run_agent
from react_lab.errors import UsageError
from react_lab.evals.tasks import tasks_in
from react_lab.faults import DEFENCES, AtStep, EveryTime, FirstN, Once, OnlyTool, WithProbability
from react_lab.llm import ScriptedLLM
from react_lab.toolbox.demo import demo_agent
from react_lab.widgets.fault_choice import Choice
from react_lab.widgets.fault_lab import FaultLab
from react_lab.widgets.fault_view import batch_html, trial_html, trial_text

TASKS = tasks_in("en")[:2]


@pytest.fixture
def lab():
    return FaultLab(demo_agent(), TASKS[0], tasks=TASKS)


@pytest.mark.parametrize(
    ("choice", "schedule"),
    [
        (Choice(), None),
        (Choice(when="once"), Once()),
        (Choice(when="at step", number=3), AtStep(3)),
        (Choice(when="first n", number=3), FirstN(3)),
        (Choice(when="every time"), EveryTime()),
        (Choice(when="probability", p=0.2, seed=4), WithProbability(0.2, 4)),
        (Choice("O1", tool="shop"), OnlyTool("shop", Once())),
    ],
    ids=lambda value: repr(value) if not isinstance(value, Choice) else value.when,
)
def test_a_choice_is_a_schedule(choice, schedule):
    assert choice.schedule() == schedule


@pytest.mark.parametrize(
    "choice",
    [
        Choice("B4", off=("argument_messages",)),
        Choice("T1", "at step", 2, seed=3),
        Choice("O3", off=tuple(DEFENCES)),
        Choice("O1", tool="weather"),
    ],
    ids=lambda choice: choice.fault,
)
def test_the_code_does_the_same_as_the_widget(choice):
    names = {name: getattr(faults, name) for name in faults.__all__}
    names |= {"agent": demo_agent(), "question": TASKS[0].question}
    exec(choice.code().splitlines()[0], names)
    run = run_agent(names["broken"], TASKS[0].question)
    assert run == choice.run(demo_agent(), TASKS[0]).run


def test_choosing_sets_the_controls_and_the_code_follows(lab):
    lab.choose(fault="T1", when="at step", number=2, off=("llm_retry",), seed=1)
    assert lab.choice == Choice("T1", "at step", 2, seed=1, off=("llm_retry",))
    assert lab.controls.seam.value == "transport"
    assert html.escape(lab.choice.code(), quote=True) in lab.code.value
    assert lab.run_once().judgement.verdict == "safe stop"
    assert repr(lab) == "FaultLab(T1, without llm_retry: safe stop)"
    with pytest.raises(UsageError, match="there is no fault"):
        lab.choose(fault="Z1")


def test_the_text_and_the_snapshot_say_the_same(lab):
    text = lab.to_text()
    shown = html.unescape(re.sub(r"<[^>]+>", " ", lab.to_html()))
    for part in (
        "Fired: step 1 (weather)",
        lab.trial.clean.question,
        "format error missing_action",
    ):
        assert part in text and part in shown
    assert str(lab) == text
    assert "<script" not in lab.to_html()


def test_the_bundle_holds_text_snapshot_and_widget(lab):
    bundle = lab._repr_mimebundle_()
    assert bundle["text/plain"] == "FaultLab(F1: recovered at extra cost)"
    assert bundle["text/html"] == lab.to_html()
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_snapshot_is_the_same_every_time():
    one, two = (FaultLab(demo_agent(), TASKS[0]) for _ in range(2))
    assert one.to_html() == two.to_html()


def test_a_batch_fills_tables_and_pictures(lab):
    lab.choose(off=("exact_format_errors",))
    lab.controls.seeds.value = 2
    batch = asyncio.run(lab.run_batch())
    assert len(batch) == len(lab.trials) == lab.controls.progress.value == 8
    assert "8 of 8 trials. Done." in lab.status.value
    assert lab.batch.value.count("<img") == 2 and 'alt="Recovered of fired' in lab.batch.value
    assert "fault  all on  no exact_format_errors" in lab.to_text()
    lab.clear()
    assert lab.trials == [] and lab.batch.value == ""


def test_a_batch_stops_after_its_current_trial(lab):
    lab.controls.seeds.value = 50

    async def stopped():
        batch = asyncio.ensure_future(lab.run_batch())
        while len(lab.trials) < 3:
            await asyncio.sleep(0)
        lab.stop()
        return await batch

    assert len(asyncio.run(stopped())) < 10
    assert "Stopped." in lab.status.value


def test_an_exception_of_a_button_is_shown(lab):
    lab.tasks = (object(),)
    lab._check = None

    async def pressed():
        lab.controls.start.click()
        await lab._batch

    asyncio.run(pressed())
    assert "AttributeError" in lab.status.value


def test_without_a_gold_answer_the_clean_run_decides():
    lab = FaultLab(demo_agent(), "What does a lamp cost?").choose(fault="O9", when="every time")
    assert lab.run_once().judgement.verdict == "wrong answer"


def test_a_run_that_crashed_is_shown_too():
    def broken(steps, moment):
        """Lose the program."""
        raise ValueError("<b>boom</b>")

    crash = faults.fault(seam="context")(broken)
    trial = faults.try_fault(demo_agent(), TASKS[0], crash)
    assert trial.run is None and "ValueError: <b>boom</b>" in trial_text(trial)
    assert "&lt;b&gt;boom" in trial_html(trial) and "<b>boom" not in trial_html(trial)


def test_hostile_text_stays_text():
    bad = "<img src=x onerror=alert(1)>\x1b[31m\u202e"
    lab = FaultLab(Agent(ScriptedLLM([f"Thought: {bad}\nFinal Answer: {bad}"] * 9)), bad)
    assert "<img src=x" not in lab.to_html() and "&lt;img src=x" in lab.to_html()
    assert "\x1b" not in lab.to_html() and "\u202e" not in lab.to_html()
    assert batch_html([], None) == ""
