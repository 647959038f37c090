"""PromptLab without a browser: each switch, the pieces and their tokens, the run, the code."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from dataclasses import replace

import pytest
from channel import sent as sent  # a fixture
from hostile import TEXTS
from test_views import AGENT, REPLIES, Page, double
from test_widgets_inspector import click

from react_lab import (
    Agent,
    FunctionLLM,
    ScriptedLLM,
    TextContract,
    UsageError,
    demo_agent,
    run_agent,
    tool,
)
from react_lab.contracts import RULES, NativeContract
from react_lab.contracts.text import BLOCKS
from react_lab.views.escape import visible
from react_lab.views.prompt_lab import run_rows
from react_lab.views.prompt_parts import Variant, beside, first_prompt, parts, token_rows
from react_lab.widgets import PromptLab
from react_lab.widgets.base import style_sheet
from react_lab.widgets.prompt_lab import ASK, AT_ONCE, CARICATURE, ROWS
from react_lab.widgets.prompt_pieces import contract_code, contract_of, pieces_of

QUESTION = "How much warmer is Lisbon than Oslo today?"
DEMO = demo_agent()
CONTRACTS = {
    "default": TextContract(),
    "json": TextContract("json", rules=(), finish="action_finish"),
    "xml": TextContract("xml", language="zh", rules=RULES, examples=True),
    "format first": TextContract(order=("rules", "format", "tools", "examples")),
    "no blocks": TextContract(order=()),
    "no tools": TextContract(order=("format", "rules"), rules=("no_repeat", "tool_first")),
    "scratchpad": TextContract(observation_as="scratchpad", rules=("lead_in",), examples=True),
    "no stop": TextContract(stop=()),
    "own stop": TextContract(stop=("END",), repairs_off=frozenset({"b", "a"})),
    "wrong stop": TextContract(stop=("Observation",)),
}


@pytest.fixture
def lab():
    return PromptLab(DEMO, QUESTION)


def text_of(lab: PromptLab) -> str:
    return Page(lab.page.value, widget=True).text


def variant(contract: TextContract, question: str = QUESTION) -> Variant:
    return Variant(contract, DEMO.tools, question)


class TestPieces:
    @pytest.mark.parametrize("name", CONTRACTS)
    def test_a_contract_goes_through_the_switches_unchanged(self, name):
        contract = CONTRACTS[name]
        assert contract_of(pieces_of(contract), contract) == contract

    @pytest.mark.parametrize("name", CONTRACTS)
    def test_the_code_makes_the_same_contract(self, name):
        code = contract_code(CONTRACTS[name])
        assert eval(code, {"TextContract": TextContract}) == CONTRACTS[name]

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("default", "TextContract()"),
            ("json", "TextContract('json', rules=(), finish='action_finish')"),
            ("own stop", "TextContract(stop=('END',), repairs_off=frozenset(['a', 'b']))"),
        ],
    )
    def test_the_code_names_only_what_differs(self, name, code):
        assert contract_code(CONTRACTS[name]) == code

    @pytest.mark.parametrize("piece", [*BLOCKS, *RULES])
    @pytest.mark.parametrize("name", CONTRACTS)
    def test_a_piece_switched_twice_is_as_it_was(self, name, piece):
        start = CONTRACTS[name]
        once = pieces_of(start).switched(piece)
        assert contract_of(once, start) != start
        assert contract_of(once.switched(piece), start) == start

    def test_a_piece_that_does_not_exist(self):
        with pytest.raises(UsageError, match="no piece 'tool': choose from tools, format, rules"):
            pieces_of(TextContract()).switched("tool")

    def test_the_order_is_swapped_and_the_rest_stays(self):
        start = CONTRACTS["format first"]
        swapped = contract_of(replace(pieces_of(start), order="tools, format"), start)
        assert swapped.order == ("rules", "tools", "format", "examples")

    def test_a_stop_of_another_dialect_is_the_right_one_there(self):
        start = TextContract()
        assert contract_of(replace(pieces_of(start), dialect="json"), start).stop == (
            '\n{"observation"',
            "\nObservation:",
        )


class TestTokens:
    @pytest.mark.parametrize("question", [QUESTION, "里斯本今天多少度？", "{question} {x"])
    @pytest.mark.parametrize("name", CONTRACTS)
    def test_the_pieces_are_the_prompt_and_add_up_to_it(self, name, question):
        shown = variant(CONTRACTS[name], question)
        prompt, pieces = first_prompt(shown), parts(shown)
        assert sum(piece.tokens for piece in pieces) == prompt.tokens
        assert "\n\n".join(piece.text for piece in pieces) == "\n\n".join(
            message.content for message in prompt
        )
        assert prompt == run_agent(replace(DEMO, contract=CONTRACTS[name]), question).messages(1)

    def test_tokens_at_the_start_and_now(self, lab):
        lab.switch("no_repeat").switch("examples")
        rows = {name: row for name, *row in token_rows(*lab._variants())}
        assert rows["tools"][0] == rows["tools"][1] > 0
        assert rows["rules"] == [42, 33]
        assert rows["examples"] == [0, 54]
        assert rows["first prompt"][1] - rows["first prompt"][0] == 54 - 9
        assert "examples      0      54   +54" in str(lab)
        assert "rules4233-9" in text_of(lab)

    @pytest.mark.parametrize("name", CONTRACTS)
    def test_what_stands_beside_the_latest_observation(self, name):
        lines = {
            "xml": CONTRACTS["xml"].template["beside"]["restate_question"].format(question=QUESTION)
            + "\n"
            + CONTRACTS["xml"].template["beside"]["lead_in"],
            "scratchpad": "Now write the next Thought.",
        }
        assert beside(variant(CONTRACTS[name])) == lines.get(name, "")


class TestRuns:
    def test_the_run_follows_each_switch_at_once(self, lab):
        assert lab.run == run_agent(DEMO, QUESTION)
        lab.choose(stop="wrong")
        by_hand = run_agent(replace(DEMO, contract=CONTRACTS["wrong stop"]), QUESTION)
        assert lab.run == by_hand
        assert ("format errors", "0", "3") in run_rows(lab.runs[lab.start], lab.run)
        assert "format errors03" in text_of(lab)
        assert AT_ONCE in text_of(lab) and CARICATURE in str(lab)

    @pytest.mark.parametrize(
        ("changes", "row"),
        [
            ({"stop": "none"}, ("repairs", "0", "3")),
            ({"observation_as": "assistant"}, ("steps", "4", "5")),
            ({"finish": "brackets"}, ("repairs", "0", "2")),
            ({"blocks": ("tools", "rules")}, ("format errors", "0", "4")),
            ({"rules": ()}, ("steps", "4", "5")),
        ],
    )
    def test_what_a_change_does_to_the_run(self, lab, changes, row):
        lab.choose(**changes)
        assert row in run_rows(lab.runs[lab.start], lab.run)

    def test_a_prompt_that_was_run_is_not_run_again(self):
        calls = []
        agent = replace(AGENT, llm=FunctionLLM(lambda m: calls.append(m) or "Final Answer: 4"))
        lab = PromptLab(agent, "2 + 2?", at_once=True)
        for _ in range(2):
            lab.switch("no_repeat")
        assert len(calls) == 2
        assert lab.contract == lab.start

    def test_a_model_that_may_cost_waits_for_run(self):
        calls = []
        agent = Agent(FunctionLLM(lambda m: calls.append(m) or "Final Answer: 4"))
        lab = PromptLab(agent, "2 + 2?")
        lab.choose(dialect="json")
        assert (calls, lab.run, lab.runs) == ([], None, {})
        assert ASK in text_of(lab)
        assert "no run yet" in str(lab)
        assert repr(lab) == "PromptLab(TextContract('json'): not run)"

    def test_run_takes_the_starting_prompt_too_and_that_once(self):
        calls = []
        agent = Agent(FunctionLLM(lambda m: calls.append(m) or "Final Answer: 4"))
        lab = PromptLab(agent, "2 + 2?")
        lab.choose(rules=())
        run = asyncio.run(lab.go())
        assert list(lab.runs) == [lab.start, lab.contract]
        assert (run.answer, lab.run, len(calls)) == ("4", run, 2)
        asyncio.run(lab.go())
        assert len(calls) == 3
        lab.choose(stop="none")
        assert lab.run is None
        assert ("answer", "4", "not run") in run_rows(lab.runs[lab.start], None)

    def test_stop_keeps_the_steps_that_were_finished(self):
        release = threading.Event()

        def reply(messages):
            if len(messages) > 4:
                release.wait(5)
            return REPLIES[0].replace("2,", f"{len(messages)},")

        lab = PromptLab(Agent(FunctionLLM(reply), [double]), "How far?")

        async def stop_soon():
            click(lab.buttons, "Run")
            while "running the starting prompt: step 1" not in lab.notice:
                await asyncio.sleep(0.001)
            while not lab.run or len(lab.run.steps) < 2:
                await asyncio.sleep(0.001)
            click(lab.buttons, "Run")
            while "UsageError: a run is still going on: stop it first" not in lab.notice:
                await asyncio.sleep(0.001)
            click(lab.buttons, "Stop")
            await asyncio.wait_for(asyncio.gather(*lab._tasks), 1)

        asyncio.run(stop_soon())
        release.set()
        assert (lab.run.stop_reason, len(lab.run.steps)) == ("cancelled", 2)
        assert "stoppedcancelledcancelled" in text_of(lab)

    def test_a_stop_from_another_thread_is_heard_at_once(self):
        release, asked = threading.Event(), threading.Event()

        def reply(messages):
            asked.set()
            release.wait(5)
            return "Final Answer: 4"

        lab = PromptLab(Agent(FunctionLLM(reply)), "2 + 2?")

        def stop_from_outside():
            asked.wait(5)
            release.wait(0.05)  # until the loop has nothing left to do
            lab.stop()

        async def run():
            threading.Thread(target=stop_from_outside).start()
            clock = asyncio.get_running_loop()
            clock.call_later(2, lambda: None)  # only this would wake a loop that was not told
            return await lab.go(), clock.time()

        started = time.monotonic()
        stopped, ended = asyncio.run(run())
        release.set()
        assert ended - started < 1.5
        assert (stopped.stop_reason, stopped.steps) == ("cancelled", ())

    def test_a_switch_during_a_run_leaves_it_to_its_own_prompt(self):
        release, calls = threading.Event(), []

        def reply(messages):
            calls.append(messages)
            release.wait(5)
            return "Final Answer: 4"

        lab = PromptLab(Agent(FunctionLLM(reply)), "2 + 2?")

        async def switch_meanwhile():
            going = asyncio.ensure_future(lab.go())
            while not calls:
                await asyncio.sleep(0.001)
            lab.choose(dialect="xml")
            release.set()
            await going

        asyncio.run(switch_meanwhile())
        assert lab.run is None
        assert lab.runs[lab.start].answer == "4"

    def test_an_error_of_the_background_run_is_shown(self):
        def broken(messages):
            raise UsageError("the model is not there")

        lab = PromptLab(Agent(FunctionLLM(broken)), "2 + 2?")

        async def press():
            click(lab.buttons, "Run")
            await asyncio.gather(*lab._tasks)

        asyncio.run(press())
        assert "the model is not there" in text_of(lab)

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"dialect": "json", "observation_as": "assistant"},
            {"stop": "none", "rules": ("no_repeat",)},
            {"order": "format, tools", "blocks": BLOCKS, "finish": "action_finish"},
        ],
    )
    def test_the_line_of_code_does_the_same(self, lab, changes):
        lab.choose(**changes)
        names = {"agent": DEMO, "question": QUESTION, "run_agent": run_agent}
        names |= {"replace": replace, "TextContract": TextContract}
        assert eval(lab.code(), names) == lab.run
        assert lab.code() in str(lab) and lab.code().split("(")[0] in text_of(lab)


class TestLab:
    @pytest.mark.parametrize("name", ROWS)
    def test_every_button_of_a_row(self, lab, name):
        row = lab.rows[name]
        for place in range(len(row.options) - 1, -1, -1):
            row.set_state({"index": place})
            assert getattr(lab.pieces, name) == row.options[place]
            assert pieces_of(lab.contract) == lab.pieces
            assert (lab.contract == lab.start) == (place == 0)

    @pytest.mark.parametrize("piece", [*BLOCKS, *RULES])
    def test_every_switch(self, lab, piece):
        kind = "blocks" if piece in BLOCKS else "rules"
        switches = lab.switches[kind]
        mark = re.compile(rf'class="[^"]*\breact-lab-on-{piece}[ "]')
        was_on = piece in getattr(lab.pieces, kind)
        assert bool(mark.search(lab.page.value)) == was_on
        click(switches, piece)
        assert (piece in getattr(lab.pieces, kind)) == (not was_on)
        assert bool(mark.search(lab.page.value)) == (not was_on)
        click(switches, piece)
        assert lab.contract == lab.start

    def test_what_the_template_does_not_have_is_refused(self, lab):
        lab.rows["dialect"].set_state({"index": 1})
        lab.rows["finish"].set_state({"index": 3})
        assert "unknown finish 'brackets': choose from final_answer" in text_of(lab)
        assert lab.rows["finish"].value == lab.pieces.finish == "final_answer"
        lab.rows["finish"].set_state({"index": 1})
        assert lab.notice == ""
        assert lab.contract == TextContract("json", finish="action_finish")

    def test_choosing_what_does_not_exist(self, lab):
        with pytest.raises(UsageError, match="no switch 'colour': choose from dialect, language"):
            lab.choose(colour="red")
        with pytest.raises(UsageError, match="no stop 'sometimes': choose from none, wrong, right"):
            lab.choose(stop="sometimes")
        with pytest.raises(UsageError, match=r"no template yaml\.en\.toml"):
            lab.choose(dialect="yaml")
        assert lab.contract == lab.start

    def test_what_changed_in_the_prompt(self, lab):
        assert "This is the starting prompt: nothing has changed." in text_of(lab)
        lab.choose(stop="none", observation_as="assistant").switch("no_repeat")
        for line in (
            "- [system] - Never make the same call twice.",
            "- [each step adds] user: Observation: (what the tool returns)",
            "+ [each step adds] assistant: Observation: (what the tool returns)",
            "- [stop] '\\nObservation:'",
            "+ [stop] none",
        ):
            assert line in str(lab)
            assert line in text_of(lab)

    def test_a_reminder_changes_what_a_step_adds(self, lab):
        lab.switch("lead_in")
        assert "+ [each step adds] Now write the next Thought." in text_of(lab)
        assert "[system]" not in text_of(lab)
        assert "beside the latest Observation07+7" in text_of(lab)

    def test_a_scratchpad_changes_only_where_the_text_stands(self, lab):
        lab.choose(observation_as="scratchpad")
        assert "- [prompt] [user]" in str(lab)
        assert "[system] You answer questions" not in str(lab)

    def test_back_to_the_start(self, lab):
        lab.choose(dialect="xml", stop="none", rules=())
        click(lab.buttons, "Back to the start")
        assert lab.contract == lab.start
        assert [row.index for row in lab.rows.values()] == [0] * len(ROWS)
        assert len(lab.runs) == 2

    def test_a_stop_of_your_own_is_one_of_the_buttons(self):
        lab = PromptLab(replace(AGENT, contract=CONTRACTS["own stop"]), "2 + 2?")
        assert lab.rows["stop"].options == ("right", "none", "wrong", "as given")
        lab.rows["stop"].set_state({"index": 0})
        assert lab.contract.stop == ("\nObservation:",)
        lab.rows["stop"].set_state({"index": 3})
        assert lab.contract == lab.start

    def test_a_contract_without_text_is_refused(self):
        agent = replace(DEMO, contract=NativeContract())
        message = "pieces of a TextContract, and this agent has a NativeContract: pass replace"
        with pytest.raises(UsageError, match=message):
            PromptLab(agent, QUESTION)

    @pytest.mark.parametrize("question", ["", "  \n"])
    def test_an_empty_question_is_refused(self, question):
        with pytest.raises(UsageError, match="the question must be a text with something in it"):
            PromptLab(AGENT, question)

    @pytest.mark.parametrize("piece", [*BLOCKS, *RULES])
    def test_the_style_sheet_knows_every_switch(self, piece):
        mark = f'.react-lab-prompt:has(.react-lab-on-{piece}) .react-lab-switches [data-value="{piece}"]'
        assert style_sheet().count(mark) == 2

    def test_few_channels_and_one_message_a_change(self, sent):
        lab = PromptLab(DEMO, QUESTION)
        lab._repr_mimebundle_()
        assert [kind for kind, _ in sent] == ["comm_open"] * 13
        del sent[:]
        lab.switches["rules"].press("no_repeat")
        assert [list(state) for _, state in sent] == [["value"]]

    def test_the_picture_is_deterministic(self):
        pictures = [
            PromptLab(DEMO, QUESTION).choose(stop="wrong")._repr_mimebundle_() for _ in range(2)
        ]
        assert pictures[0]["text/html"] == pictures[1]["text/html"]
        assert pictures[0]["text/plain"] == (
            "PromptLab(TextContract(stop=('Observation',)): final_answer)"
        )
        picture = Page(pictures[0]["text/html"])
        assert picture.problems == []
        assert "format errors03" in picture.text and "[stop] 'Observation'" in picture.text

    @pytest.mark.parametrize("name", TEXTS)
    def test_hostile_text_is_shown_and_not_obeyed(self, name):
        text = TEXTS[name]

        @tool(name="echo", description=text)
        def echo(word: str) -> str:
            return text

        script = ScriptedLLM(
            [
                f'Thought: {text}\nAction: echo\nAction Input: {{"word": "a"}}',
                text,
                f"Final Answer: {text}",
            ]
        )
        agent = Agent(script, [echo], contract=TextContract(stop=(text, "\nObservation:")))
        lab = PromptLab(agent, f"{text}?")
        for changes in ({}, {"stop": "none"}, {"observation_as": "scratchpad"}):
            lab.choose(**changes)
            assert len(lab.run.steps) >= 1
            assert Page(lab.page.value, widget=True).problems == []
            assert Page(lab.to_html()).problems == []
            assert visible(str(lab)) == str(lab)
            lab.page.value.encode("utf-8")
