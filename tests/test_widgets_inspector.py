"""StepInspector and the parts all widgets share, with the channel to the page counted."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import pytest
from channel import sent as sent  # a fixture
from hostile import TEXTS, hostile_run
from test_views import AGENT, REPLIES, RUN, Page, double

from react_lab import Agent, FunctionLLM, Run, ScriptedLLM, UsageError, run_agent
from react_lab.views.escape import visible
from react_lab.views.step import PANES, step_text
from react_lab.widgets import StepInspector
from react_lab.widgets.step_list import FILTERS, NOTHING

LONG = replace(RUN, steps=RUN.steps * 250)


def click(actions, name):
    """Do to a row of buttons what the page does."""
    actions.set_state({"index": actions.options.index(name)})
    actions._handle_custom_msg({"event": "click"}, [])


class TestChannel:
    def test_a_thousand_steps_open_with_few_messages_at_once(self, sent):
        started = time.perf_counter()
        inspector = StepInspector(LONG)
        inspector._repr_mimebundle_()
        seconds = time.perf_counter() - started
        assert len(sent) <= 10
        assert seconds < 0.5
        assert sum(len(str(state)) for _, state in sent) < 60_000

    def test_the_length_of_the_run_does_not_matter(self, sent):
        StepInspector(RUN)
        short = len(sent)
        StepInspector(LONG)
        assert len(sent) == 2 * short

    def test_moving_draws_one_value(self, sent):
        inspector = StepInspector(LONG)
        for step in (2, 3, 7):
            sent.clear()
            inspector.step = step
            states = [state for _, state in sent]
            drawn = [state for state in states if isinstance(state.get("value"), str)]
            assert len(drawn) == 1
            assert f"Step {step} of 1000" in drawn[0]["value"]
            assert [s for s in states if s not in drawn] == [{"value": step}, {"index": step - 1}]

    def test_another_page_of_the_list_is_ten_rows(self, sent):
        inspector = StepInspector(LONG)
        sent.clear()
        inspector.step = 777
        rows = [state["_options_labels"] for _, state in sent if "_options_labels" in state]
        assert len(sent) == 3
        assert [row.split()[0] for row in rows[0]] == [str(n) for n in range(771, 781)]

    def test_a_move_to_the_same_step_sends_nothing(self, sent):
        inspector = StepInspector(LONG)
        sent.clear()
        inspector.step = 1
        assert sent == []


class TestMoving:
    def test_it_opens_at_the_first_step(self):
        inspector = StepInspector(RUN)
        assert (inspector.step, inspector.pane, inspector.only) == (1, "Scratchpad", "all steps")

    @pytest.mark.parametrize(
        ("start", "button", "end"),
        [
            (1, "Next step", 2),
            (3, "Previous step", 2),
            (4, "Previous issue", 3),
            (1, "Next issue", 2),
        ],
    )
    def test_buttons_move(self, start, button, end):
        inspector = StepInspector(RUN)
        inspector.step = start
        click(inspector.buttons, button)
        assert inspector.step == end
        assert inspector.slider.value == end
        assert f"Step {end} of 4" in inspector.page.value

    def test_every_click_counts_when_the_same_button_is_clicked_again(self):
        inspector = StepInspector(RUN)
        for _ in range(3):
            click(inspector.buttons, "Next step")
        assert inspector.step == 4

    def test_at_the_end_it_says_so(self):
        inspector = StepInspector(RUN)
        inspector.step = 4
        click(inspector.buttons, "Next issue")
        assert inspector.notice == "UsageError: there is no such step after step 4"
        assert 'role="status"' in inspector.page.value
        click(inspector.buttons, "Previous step")
        assert inspector.notice == ""

    def test_the_slider_and_the_list_move(self):
        inspector = StepInspector(RUN)
        inspector.slider.set_state({"value": 3})
        assert (inspector.step, inspector.list.control.index) == (3, 2)
        inspector.list.control.set_state({"index": 1})
        assert (inspector.step, inspector.slider.value) == (2, 2)

    def test_a_filter_shortens_the_list_and_the_way(self):
        inspector = StepInspector(RUN)
        inspector.filters.set_state({"index": list(FILTERS).index("tool calls")})
        assert [row.split()[0] for row in inspector.list.control.options] == ["1", "3"]
        click(inspector.buttons, "Next step")
        assert inspector.step == 3

    @pytest.mark.parametrize(
        ("only", "numbers"),
        [
            ("all steps", [1, 2, 3, 4]),
            ("issues", [1, 2, 3]),
            ("repaired", [1]),
            ("tool calls", [1, 3]),
        ],
    )
    def test_what_the_filters_show(self, only, numbers):
        inspector = StepInspector(RUN)
        inspector.only = only
        assert inspector.shown == numbers

    def test_a_step_outside_the_list_leaves_no_row_pressed(self):
        inspector = StepInspector(RUN)
        inspector.only = "repaired"
        inspector.step = 4
        assert inspector.list.control.index is None
        assert "Step 4 of 4" in inspector.page.value

    def test_a_filter_that_no_step_passes_says_so_in_one_row_that_cannot_be_pressed(self):
        inspector = StepInspector(replace(RUN, steps=RUN.steps[2:]))
        rows = inspector.list.control
        inspector.only = "repaired"
        assert (rows.options, rows.index, rows.disabled) == ((NOTHING,), None, True)
        assert NOTHING in str(inspector)
        rows.set_state({"index": 0})
        assert (inspector.step, inspector.notice) == (1, "")
        inspector.only = "all steps"
        assert (len(rows.options), rows.index, rows.disabled) == (2, 0, False)
        assert NOTHING not in str(inspector)

    def test_a_run_that_begins_anew_leaves_no_row_of_the_last_one(self):
        inspector = StepInspector(RUN)
        inspector.run = Run(RUN.question)
        assert (inspector.list.control.options, inspector.step) == ((NOTHING,), 0)

    @pytest.mark.parametrize("step", [0, 5, -1])
    def test_a_step_that_does_not_exist(self, step):
        with pytest.raises(UsageError, match="steps 1 to 4"):
            StepInspector(RUN).step = step

    def test_an_exception_in_a_callback_shows(self):
        inspector = StepInspector(RUN)
        inspector.buttons.actions["Next step"] = inspector.safely(lambda: 1 / 0)
        click(inspector.buttons, "Next step")
        assert "ZeroDivisionError: division by zero" in inspector.page.value

    def test_play_goes_to_the_last_step(self, monkeypatch):
        monkeypatch.setattr("react_lab.widgets.inspector.PLAY", 0)
        inspector = StepInspector(RUN)
        asyncio.run(inspector.play())
        assert inspector.step == 4

    def test_stop_ends_playing(self, monkeypatch):
        monkeypatch.setattr("react_lab.widgets.inspector.PLAY", 0)
        inspector = StepInspector(RUN)
        inspector.observe(lambda change: change["new"] == 3 and inspector.stop(), "step")
        asyncio.run(inspector.play())
        assert inspector.step == 3


class TestShowing:
    @pytest.mark.parametrize("pane", PANES)
    def test_the_pane_the_text_and_the_code(self, pane):
        inspector = StepInspector(RUN)
        inspector.panes.set_state({"index": list(PANES).index(pane)})
        assert inspector.pane == pane
        said = step_text(RUN, 1, pane)
        assert str(inspector).endswith(f"--- step 1: {pane}\n{said}")
        assert inspector.code() in Page(inspector.page.value, widget=True).text

    @pytest.mark.parametrize("pane", PANES)
    def test_the_code_under_it_prints_what_the_pane_shows(self, pane, capsys):
        from react_lab.views import growth_text

        inspector = StepInspector(RUN)
        inspector.step, inspector.pane = 3, pane
        exec(inspector.code(), {"run": RUN, "step_text": step_text, "growth_text": growth_text})
        assert capsys.readouterr().out.split("\n")[0] in inspector.to_text()

    def test_the_text_marks_the_selected_step(self):
        inspector = StepInspector(RUN)
        inspector.step = 2
        assert str(inspector).split("\n")[:4] == [
            "Question: What is 2 + 2?",
            f"stopped: final_answer · 4 steps · about {RUN.usage.total} tokens",
            "    1  double({'number': 2})  [repaired: single_quotes, repaired: trailing_comma]",
            ">   2  format error: missing_action  [format error: missing_action]",
        ]

    def test_the_picture_is_the_run_and_does_not_change(self):
        bundles = [StepInspector(RUN)._repr_mimebundle_() for _ in range(2)]
        assert bundles[0]["text/html"] == bundles[1]["text/html"] == RUN._repr_html_()
        assert bundles[0]["text/plain"] == "StepInspector(4 steps, step 1, 'Scratchpad')"
        assert "application/vnd.jupyter.widget-view+json" in bundles[0]

    @pytest.mark.parametrize("name", TEXTS)
    def test_hostile_text_is_shown_and_not_obeyed(self, name):
        inspector = StepInspector(hostile_run(TEXTS[name]))
        for pane in PANES:
            inspector.pane = pane
            page = Page(inspector.page.value, widget=True)
            assert page.problems == []
        assert visible(str(inspector)) == str(inspector)
        labels = "\n".join(inspector.list.control.options)
        assert visible(labels) == labels


class TestLive:
    def test_it_waits_for_start_and_follows_the_run(self):
        inspector = StepInspector.live(AGENT, "What is 2 + 2?", pause=0)
        assert "not started: press Start" in inspector.page.value
        seen = []
        inspector.observe(lambda change: seen.append(change["new"]), "step")
        run = asyncio.run(inspector.go())
        assert run == RUN
        assert seen == [1, 2, 3, 4]
        assert inspector.slider.max == 4
        assert len(inspector.list.control.options) == 4

    def test_stop_does_not_wait_for_a_slow_model(self):
        release = threading.Event()

        def reply(messages):
            if len(messages) > 2:
                release.wait(5)
            return REPLIES[0]

        inspector = StepInspector.live(Agent(FunctionLLM(reply), [double]), "?", pause=0)

        async def stop_after_one_step():
            going = asyncio.ensure_future(inspector.go())
            while inspector.step < 1:
                await asyncio.sleep(0.001)
            click(inspector.buttons, "Stop")
            return await asyncio.wait_for(going, 1)

        run = asyncio.run(stop_after_one_step())
        release.set()
        assert (run.stop_reason, len(run.steps)) == ("cancelled", 1)
        assert run.steps[0] == RUN.steps[0] or run.step(1).action.tool == "double"
        assert "cancelled (stopped by hand)" in inspector.page.value

    def test_the_page_stays_free_while_the_model_thinks(self):
        beats = []

        def reply(messages):
            time.sleep(0.05)
            return "Final Answer: 4"

        inspector = StepInspector.live(Agent(FunctionLLM(reply)), "?", pause=0)

        async def beat():
            going = asyncio.ensure_future(inspector.go())
            while not going.done():
                beats.append(1)
                await asyncio.sleep(0.005)

        asyncio.run(beat())
        assert len(beats) > 3

    def test_start_again_runs_again(self):
        inspector = StepInspector.live(AGENT, "What is 2 + 2?", pause=0)
        asyncio.run(inspector.go())
        assert asyncio.run(inspector.go()) == RUN
        assert inspector.step == 4

    def test_start_while_it_runs_is_refused(self):
        inspector = StepInspector.live(AGENT, "What is 2 + 2?", pause=0)

        async def twice():
            return await asyncio.gather(inspector.go(), inspector.go(), return_exceptions=True)

        first, second = asyncio.run(twice())
        assert first == RUN
        assert "still going on" in str(second)

    def test_a_failure_of_a_part_of_your_own_shows(self):
        class Broken:
            def check(self, run, draft):
                raise RuntimeError("guard <b>broke</b>")

        agent = Agent(ScriptedLLM(REPLIES), [double], guards=(Broken(),))
        inspector = StepInspector.live(agent, "?", pause=0)

        async def press():
            click(inspector.buttons, "Start")
            await asyncio.gather(*inspector._tasks)

        asyncio.run(press())
        assert "RuntimeError: guard &lt;b&gt;broke&lt;/b&gt;" in inspector.page.value

    def test_without_an_event_loop_start_says_what_to_do(self):
        inspector = StepInspector.live(AGENT, "What is 2 + 2?")
        click(inspector.buttons, "Start")
        assert "no event loop is running here" in inspector.notice
        assert inspector.code() == "await inspector.go()"

    def test_where_there_are_no_threads_it_runs_all_the_same(self, monkeypatch):
        def refuse(self):
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        inspector = StepInspector.live(AGENT, "What is 2 + 2?", pause=0)
        assert asyncio.run(inspector.go()) == RUN


def test_text_of_a_live_run_that_was_not_started():
    text = str(StepInspector.live(AGENT, "What is 2 + 2?"))
    assert text == "Question: What is 2 + 2?\nnot started: press Start"


def test_a_run_without_steps():
    inspector = StepInspector(Run("Why?"))
    assert inspector.step == 0
    assert str(inspector) == "Question: Why?\nstill running · 0 steps · 0 tokens"
    assert "no such step after step 0" in (
        click(inspector.buttons, "Next step") or inspector.notice
    )


def test_a_failed_run_shows_its_failure():
    inspector = StepInspector(run_agent(Agent(ScriptedLLM([])), "?"))
    assert "the script has 0 replies" in Page(inspector.page.value, widget=True).text
