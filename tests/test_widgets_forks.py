"""ForkBench and CompareRuns: forks at every step, calls counted, where two runs part."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest
from hostile import TEXTS, hostile_run
from test_views import AGENT, FORK, REPLIES, RUN, Page, double
from test_widgets_inspector import click

from react_lab import (
    Agent,
    FunctionLLM,
    Run,
    SimulatedLLM,
    UsageError,
    demo_agent,
    run_agent,
)
from react_lab import fork as fork_run
from react_lab.contracts import OwnPrompt
from react_lab.views import compare_text, tree_text
from react_lab.views.escape import visible
from react_lab.widgets import CompareRuns, ForkBench, StepInspector
from react_lab.widgets.compare import VIEWS
from react_lab.widgets.fork_edit import CHANGES, seeded

QUESTION = "How much warmer is Lisbon than Oslo today?"
DEMO = demo_agent()
WARMER = run_agent(DEMO, QUESTION)


def forked(bench: ForkBench, **state) -> Run:
    for name, value in state.items():
        setattr(bench, name, value)
    return asyncio.run(bench.go())[-1]


class TestForking:
    @pytest.mark.parametrize("step", [1, 2, 3, 4])
    @pytest.mark.parametrize("change", ["ask again", "reply"])
    def test_the_steps_before_are_not_paid_for_again(self, step, change):
        bench = ForkBench(WARMER, DEMO)
        run = forked(bench, step=step, change=change)
        assert run.answer == WARMER.answer
        assert (run.parent, run.forked_at) == (WARMER, step)
        assert all(a is b for a, b in zip(run.steps[: step - 1], WARMER.steps, strict=False))
        saved = step if change == "reply" else step - 1
        assert (bench.calls, bench.saved) == (len(run.steps) - saved, saved)
        assert f"fork at step {step}" in Page(bench.page.value, widget=True).text

    @pytest.mark.parametrize("step", [1, 2, 3])
    def test_another_observation_is_believed(self, step):
        bench = ForkBench(WARMER, DEMO)
        text = (
            "100"
            if step == 3
            else WARMER.step(step).observation.replace("14.5", "-10").replace("22.5", "99")
        )
        run = forked(bench, step=step, change="observation", text=text)
        assert run.step(step).observation == text
        assert run.answer != WARMER.answer
        assert bench.calls == len(run.steps) - step

    def test_another_question(self):
        bench = ForkBench(WARMER, DEMO)
        run = forked(bench, step=1, change="question", text="What is 2 + 2?")
        assert (run.question, run.change) == ("What is 2 + 2?", "question")
        assert "4" in run.answer

    def test_fewer_tools(self):
        bench = ForkBench(WARMER, DEMO)
        run = forked(bench, step=3, change="tools", text="weather clock")
        assert "calculator" not in run.messages(3)[0].content
        assert run.change == "tools"

    def test_another_prompt(self):
        bench = ForkBench(WARMER, DEMO)
        bench.step, bench.change = 3, "prompt"
        assert bench.text == WARMER.messages(3)[0].content
        text = bench.text.replace("<format>", "<format>\nBe terse.")
        run = forked(bench, step=3, change="prompt", text=text)
        assert (run.messages(3)[0].content, run.change) == (text, "prompt")
        assert run.steps[:2] == WARMER.steps[:2] and run.answer == WARMER.answer

    def test_an_unknown_tool_is_named(self):
        bench = ForkBench(WARMER, DEMO)
        bench.change, bench.text = "tools", "wether"
        with pytest.raises(UsageError, match="no tool 'wether': choose from calculator, weather"):
            asyncio.run(bench.go())

    def test_another_agent(self):
        bench = ForkBench(
            RUN,
            AGENT,
            others={"at once": replace(AGENT, llm=FunctionLLM(lambda m: "Final Answer: 5"))},
        )
        run = forked(bench, step=2, agent_name="at once")
        assert run.answer == "5"
        assert run.change == "asked again, with at once"
        assert "others['at once']" in bench.code()

    def test_several_times_with_other_seeds(self):
        bench = ForkBench(WARMER, DEMO)
        bench.times = 3
        runs = asyncio.run(bench.go())
        assert len(runs) == 3 and len(bench.runs) == 4
        assert bench.run is runs[-1]
        assert [seeded(DEMO, n).llm.seed for n in (0, 1)] == [0, 1]
        assert seeded(AGENT, 1) is AGENT

    def test_a_fork_of_a_fork(self):
        bench = ForkBench(RUN, AGENT)
        first = forked(bench, step=2)
        second = forked(bench, step=1)
        assert second.parent is first
        assert str(bench).startswith(tree_text([RUN, first, second], second))

    @pytest.mark.parametrize("kind", ["fork", "live run"])
    def test_a_stop_from_another_thread_is_heard_at_once(self, kind):
        release, asked = threading.Event(), threading.Event()

        def reply(messages):
            asked.set()
            release.wait(5)
            return "Final Answer: 4"

        agent = Agent(FunctionLLM(reply))
        widget = ForkBench(RUN, agent) if kind == "fork" else StepInspector.live(agent, "2 + 2?")

        def stop_from_outside():
            asked.wait(5)
            widget.stop()

        async def going():
            threading.Thread(target=stop_from_outside).start()
            await asyncio.wait_for(widget.go(), 2)

        # In debug mode the loop refuses to be told anything by another thread unawares.
        asyncio.run(going(), debug=True)
        release.set()
        ended = widget.runs[-1] if kind == "fork" else widget.run
        assert (ended.stop_reason, ended.steps) == ("cancelled", ())
        if kind == "fork":  # there is no step to show: the parent stays selected
            assert widget.run is RUN
            assert "ended before its first step: stopped: cancelled" in widget.notice

    def test_stop_keeps_the_steps_that_were_finished(self):
        release = threading.Event()

        def reply(messages):
            if len(messages) > 4:
                release.wait(5)
            return REPLIES[0].replace("2,", f"{len(messages)},")

        bench = ForkBench(RUN, Agent(FunctionLLM(reply), [double]))
        bench.step = 2

        async def stop_soon():
            going = asyncio.ensure_future(bench.go())
            while "running: step 2" not in bench.notice:
                await asyncio.sleep(0.001)
            click(bench.buttons, "Stop")
            return await asyncio.wait_for(going, 1)

        (run,) = asyncio.run(stop_soon())
        release.set()
        assert (run.stop_reason, len(run.steps)) == ("cancelled", 2)
        assert run in bench.runs

    def test_a_run_without_steps_is_refused(self):
        with pytest.raises(UsageError, match="no step to go back to"):
            ForkBench(Run("?"), AGENT)


class TestBench:
    def test_the_field_holds_what_stands_there_now(self):
        bench = ForkBench(RUN, AGENT)
        expected = ["", RUN.step(2).reply.text, RUN.step(2).observation, RUN.question]
        expected += [RUN.messages(1)[0].content, "double"]
        bench.step = 2
        for change, text in zip(CHANGES, expected, strict=True):
            bench.changes.set_state({"index": CHANGES.index(change)})
            assert (bench.change, bench.text, bench.field.value) == (change, text, text)

    def test_the_edit_shows_as_a_diff(self):
        bench = ForkBench(RUN, AGENT)
        bench.slider.set_state({"value": 2})
        bench.change = "reply"
        assert "The reply is as it was" in bench.page.value
        bench.field.set_state({"value": "Final Answer: 5"})
        text = Page(bench.page.value, widget=True).text
        assert "- [reply] I am lost in thought.+ [reply] Final Answer: 5" in text

    @pytest.mark.parametrize(
        ("change", "text"),
        [("ask again", ""), ("reply", REPLIES[3]), ("observation", "5"), ("question", "Why?")],
    )
    def test_the_line_of_code_does_the_same(self, change, text):
        bench = ForkBench(RUN, AGENT)
        bench.change = change
        bench.text = text
        code = bench.code()
        by_hand = eval(code, {"agent": AGENT, "run": RUN, "fork": fork_run, "run_agent": run_agent})
        assert asyncio.run(bench.go()) == [by_hand]

    @pytest.mark.parametrize(("change", "text"), [("tools", "weather"), ("prompt", "No tools.")])
    def test_the_line_for_another_agent_does_the_same(self, change, text):
        bench = ForkBench(WARMER, DEMO)
        bench.step, bench.change = 3, change
        bench.text = text
        names = {
            "OwnPrompt": OwnPrompt,
            "agent": DEMO,
            "run": WARMER,
            "fork": fork_run,
            "run_agent": run_agent,
            "replace": replace,
        }
        by_hand = eval(bench.code(), names)
        assert asyncio.run(bench.go()) == [by_hand]

    def test_a_branch_is_picked_by_its_button(self):
        bench = ForkBench(RUN, AGENT)
        fork = forked(bench, step=2)
        assert bench.branches.index == 1
        bench.branches.set_state({"index": 0})
        assert bench.run is RUN
        bench.branches.set_state({"index": 1})
        assert bench.run is fork
        assert "Parent (a) and fork (b)" in bench.page.value

    def test_clear_keeps_the_first_run(self):
        bench = ForkBench(RUN, AGENT)
        forked(bench, step=2)
        click(bench.buttons, "Clear")
        assert (bench.runs, bench.run, bench.calls, bench.saved) == ([RUN], RUN, 0, 0)

    def test_the_parents_of_a_fork_are_there_from_the_start(self):
        bench = ForkBench(FORK, AGENT)
        assert bench.runs == [RUN, FORK]
        assert bench.branches.index == 1

    def test_a_click_runs_it_and_an_error_shows(self):
        bench = ForkBench(RUN, AGENT)
        bench.step, bench.change = 4, "observation"

        async def press():
            click(bench.buttons, "Fork and run on")
            await asyncio.gather(*bench._tasks)

        asyncio.run(press())
        assert "this step has no observation to change" in bench.page.value
        bench.change = "ask again"
        asyncio.run(press())
        assert bench.runs[-1].forked_at == 4

    def test_the_picture_is_deterministic(self):
        pictures = []
        for _ in range(2):
            bench = ForkBench(RUN, AGENT)
            forked(bench, step=2)
            pictures.append(bench._repr_mimebundle_()["text/html"])
        assert pictures[0] == pictures[1]
        assert Page(pictures[0]).problems == []
        assert repr(bench) == "ForkBench(2 runs, step 2, 'ask again')"

    @pytest.mark.parametrize("name", TEXTS)
    def test_hostile_text_is_shown_and_not_obeyed(self, name):
        bench = ForkBench(hostile_run(TEXTS[name]), AGENT)
        for change in CHANGES:
            bench.change = change
            bench.field.value.encode("utf-8")
            assert Page(bench.page.value, widget=True).problems == []
        assert Page(bench.to_html()).problems == []
        assert visible(str(bench)) == str(bench)
        labels = "\n".join(bench.branches.options)
        assert visible(labels) == labels

    def test_a_fork_at_every_step_of_every_demo_task(self):
        from react_lab import TASKS

        for task in TASKS[::8]:
            agent = demo_agent(task.language, llm=SimulatedLLM("obedient"))
            run = run_agent(agent, task.question)
            for step in range(1, len(run.steps) + 1):
                bench = ForkBench(run, agent)
                again = forked(bench, step=step)
                assert again == run
                assert bench.calls == len(run.steps) - step + 1


class TestCompare:
    def test_it_opens_at_the_first_difference(self):
        compared = CompareRuns(RUN, FORK)
        assert (compared.step, compared.view) == (2, "Overview")
        assert str(compared) == compare_text(RUN, FORK)
        assert (
            "First difference: step 2, in the reply" in Page(compared.page.value, widget=True).text
        )

    def test_buttons_go_from_difference_to_difference(self):
        compared = CompareRuns(RUN, FORK)
        click(compared.buttons, "Next difference")
        assert (compared.step, compared.view) == (3, "This step")
        click(compared.buttons, "Previous difference")
        assert compared.step == 2
        click(compared.buttons, "Previous difference")
        assert compared.notice == "UsageError: no step before step 2 differs"

    def test_the_slider_shows_a_step(self):
        compared = CompareRuns(RUN, FORK)
        compared.slider.set_state({"value": 1})
        assert (compared.step, compared.view) == (1, "This step")
        assert "differs in: nothing" in Page(compared.page.value, widget=True).text
        compared.views.set_state({"index": VIEWS.index("Overview")})
        assert compared.view == "Overview"

    def test_the_diffs_of_a_step(self):
        compared = CompareRuns(RUN, FORK)
        compared.view = "This step"
        text = Page(compared.page.value, widget=True).text
        assert "- [reply] I am lost in thought.+ [reply] Thought: Done." in text
        assert "- [reply] I am lost in thought." in str(compared)

    @pytest.mark.parametrize("view", VIEWS)
    def test_the_line_of_code_prints_the_same(self, view, capsys):
        from react_lab.views import aligned, pair_text

        compared = CompareRuns(RUN, FORK)
        compared.view = view
        names = {
            "a": RUN,
            "b": FORK,
            "compare_text": compare_text,
            "aligned": aligned,
            "pair_text": pair_text,
        }
        exec(compared.code(), names)
        assert capsys.readouterr().out.strip() in str(compared)

    def test_two_runs_without_steps(self):
        compared = CompareRuns(Run("a"), Run("b"))
        assert "none in the steps" in str(compared)
        click(compared.buttons, "Next difference")
        assert "no step after step 1 differs" in compared.notice

    def test_the_picture(self):
        bundle = CompareRuns(RUN, FORK)._repr_mimebundle_()
        assert bundle["text/plain"] == "CompareRuns(4 and 2 steps, 3 differ)"
        assert Page(bundle["text/html"]).problems == []

    @pytest.mark.parametrize("name", TEXTS)
    def test_hostile_text_is_shown_and_not_obeyed(self, name):
        compared = CompareRuns(hostile_run(TEXTS[name]), RUN)
        for view in VIEWS:
            compared.view = view
            assert Page(compared.page.value, widget=True).problems == []
            assert visible(str(compared)) == str(compared)
        assert Page(compared.to_html()).problems == []
