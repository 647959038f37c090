"""ParserBench: three readings of a reply, repairs switched one by one, nothing typed is lost."""

from __future__ import annotations

import pytest
from channel import sent as sent  # a fixture
from hostile import LONG_LINE, TEXTS
from test_views import Page
from test_widgets_inspector import click

from react_lab import UsageError, demo_agent
from react_lab.contracts.parsing import REPAIRS, load_cases, parse_reply, score_parser
from react_lab.contracts.parsing.corpus import as_result
from react_lab.views.escape import visible
from react_lab.views.parser_bench import bench_html, bench_text, observed, read_bench, verdict
from react_lab.widgets import ParserBench
from react_lab.widgets.parser_cases import FIRST, OWN, Cases, read_tools, write_tools
from react_lab.widgets.repair_row import MOST

SEARCH = {"search": {"query": "string"}}
MESSY = "**Thought:** look it up\n**Action:** Search\n**Action Input:** {'query': 'ice roads'}"
CASES = {case["id"]: case for case in load_cases()}


def switches(bench):
    return {each.name: each for each in bench.switches}


def shown(bench: ParserBench) -> str:
    return Page(bench.page.value, widget=True).text


class TestReadings:
    def test_a_messy_reply_three_ways(self):
        bench = read_bench(MESSY, SEARCH)
        kinds = {name: as_result(parsed)["kind"] for name, parsed in bench.readings.items()}
        assert kinds == {"strict": "error", "tolerant": "action", "naive regex": "error"}

    @pytest.mark.parametrize(
        ("reply", "strict", "naive"),
        [
            (MESSY, "another reading", "another reading"),
            ("Action: find\nAction Input: x", "also an error", "another reading"),
            ("Final Answer: 4", "the same", "the same"),
            ("I am lost.", "the same", "the same"),
        ],
    )
    def test_without_a_case_the_tolerant_reading_is_the_measure(self, reply, strict, naive):
        bench = read_bench(reply, SEARCH)
        said = [verdict(bench, name) for name in ("strict", "tolerant", "naive regex")]
        assert said == [strict, "", naive]

    def test_each_repair_says_how_the_reply_reads_without_it(self):
        found = switches(read_bench(MESSY, SEARCH))
        codes = {name: each.otherwise.error.code for name, each in found.items()}
        assert codes == {
            "label_form": "missing_action",
            "tool_name": "unknown_tool",
            "single_quotes": "invalid_input",
        }

    def test_a_repair_that_is_off_stays_and_says_what_it_would_do(self):
        bench = read_bench(MESSY, SEARCH, off=frozenset({"tool_name", "comments"}))
        found = switches(bench)
        assert bench.parsed.error.code == "unknown_tool"
        assert (found["tool_name"].on, found["tool_name"].repair.saw) == (False, "Search\n")
        assert as_result(found["tool_name"].otherwise)["tool"] == "search"
        assert (found["comments"].on, found["comments"].repair) == (False, None)

    def test_a_repair_that_another_one_keeps_from_firing_says_so(self):
        bench = read_bench(MESSY, SEARCH, off=frozenset({"label_form"}))
        found = switches(bench)["tool_name"]
        assert (found.on, found.fired, found.repair.made) == (True, False, "search")
        said = "tool_name is on, not reached; switched off: error: missing_action"
        assert said in bench_text(bench)
        assert "tool_name is on, not reached" in Page(bench_html(bench)).text

    def test_the_verdicts_add_up_to_the_scores(self):
        from react_lab.contracts.parsing import parse_naive, parse_strict

        parsers = {"strict": parse_strict, "tolerant": parse_reply, "naive regex": parse_naive}
        for reader, parse in parsers.items():
            score = score_parser(
                lambda text, tools, parse=parse: as_result(parse(text, tools)), list(CASES.values())
            )
            said = [
                verdict(read_bench(case["text"], case["tools"], case=case), reader)
                for case in CASES.values()
            ]
            assert said.count("dangerous") == score.dangerous
            assert said.count("as expected") == score.exact
            assert said.count("as defensible") == score.accepted - score.exact

    def test_the_observation(self):
        error = parse_reply("I am lost.", SEARCH)
        assert observed(error) == error.error.message
        assert "the run ends" in observed(parse_reply("Final Answer: 4", SEARCH))
        assert "the action is run" in observed(parse_reply(MESSY, SEARCH))

    def test_a_long_reply_is_not_read_once_for_each_repair(self):
        bench = read_bench(MESSY + LONG_LINE, SEARCH)
        assert {each.otherwise for each in bench.switches} == {None}
        assert "not tried: the reply is longer than 20,000 characters" in bench_text(bench)
        assert len(bench_html(bench)) < 60_000

    def test_arguments_too_deep_to_write_out(self):
        for depth in range(900, 1000, 5):
            nested = f'Action: search\nAction Input: {{"query": {"[" * depth}{"]" * depth}}}'
            assert "tolerant: error: invalid_input" in bench_text(read_bench(nested, SEARCH))

    @pytest.mark.parametrize("id", CASES)
    def test_text_and_page_say_the_same_of_every_case(self, id):
        case = CASES[id]
        bench = read_bench(case["text"], case["tools"], case=case)
        page = Page(bench_html(bench))
        assert page.problems == []
        for line in bench_text(bench).split("\n"):
            if line.startswith(("strict: ", "tolerant: ", "naive regex: ")):
                assert line.partition(": ")[2].rpartition(" (")[0] in page.text
        assert verdict(bench, "tolerant") in ("as expected", "as defensible")


class TestFields:
    def test_tools_are_written_and_read_back(self):
        assert read_tools(write_tools(SEARCH)) == SEARCH
        signatures = demo_agent().tools.signatures
        assert read_tools(write_tools(demo_agent().tools)) == signatures

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "the tools are no JSON"),
            ("{", "the tools are no JSON"),
            ("[" * 100_000, "the tools are no JSON"),
            ("[]", "the tools are no JSON object"),
            ('{"search": "query"}', "the tool 'search' has no object of parameters"),
            ('{"search": {"query": 1}}', "the type of search.query is no string"),
        ],
    )
    def test_a_wrong_description_is_named(self, text, words):
        with pytest.raises(UsageError, match=words):
            read_tools(text)

    @pytest.mark.parametrize("tools", [["search"], {"search": 1}, 5, {"a": {"b": object()}}])
    def test_what_are_no_tools_is_refused(self, tools):
        with pytest.raises(UsageError, match="these are no tools"):
            ParserBench("x", tools)

    def test_cases_follow_one_another_in_a_circle(self):
        cases = Cases()
        id, seen = FIRST, []
        for _ in CASES:
            seen.append(id)
            id = cases.beside(id, 1)
        assert id == FIRST and set(seen) == set(CASES)
        assert cases.beside(cases.beside(FIRST, 1), -1) == FIRST
        assert cases.place("truncated-01") == "case 1 of 8 in truncated"


class TestBench:
    def test_it_opens_with_few_messages(self, sent):
        ParserBench()._repr_mimebundle_()
        assert len(sent) <= 10
        assert sum(len(str(state)) for _, state in sent) < 40_000

    def test_a_switch_changes_the_page_and_leaves_the_buttons_alone(self, sent):
        bench = ParserBench(MESSY, SEARCH)
        sent.clear()
        bench.toggle("label_form")
        assert len(sent) == 1
        assert "switched off: label_form" in sent[0][1]["value"]

    def test_it_opens_at_the_case_with_most_repairs(self):
        most = max(CASES.values(), key=lambda c: len(parse_reply(c["text"], c["tools"]).repairs))
        bench = ParserBench()
        assert bench.case == most
        assert bench.repairs.control.options == (
            "label_form",
            "tool_name",
            "code_fence",
            "trailing_text",
        )

    def test_typing_reads_at_once(self):
        bench = ParserBench("I am lost.")
        assert "error: missing_action" in shown(bench)
        bench.reply_field.set_state({"value": MESSY})
        assert "action: search({'query': 'ice roads'})" in shown(bench)
        assert bench.repairs.control.options == ("label_form", "tool_name", "single_quotes")

    def test_a_click_switches_one_repair_off_and_on(self):
        bench = ParserBench(MESSY, SEARCH)
        assert "[input]" in shown(bench)
        click(bench.repairs.control, "label_form")
        assert bench.off == {"label_form"}
        assert "[input]" not in shown(bench) and "[ignored]" in shown(bench)
        assert 'class="react-lab-off-1"' in bench.page.value
        click(bench.repairs.control, "tool_name")
        assert 'class="react-lab-off-1 react-lab-off-2"' in bench.page.value
        click(bench.repairs.control, "label_form")
        assert bench.off == {"tool_name"}
        click(bench.buttons, "All repairs on")
        assert (bench.off, "[input]" in shown(bench)) == (frozenset(), True)

    @pytest.mark.parametrize("off", ["label_from", {"label_form", "nonsense"}])
    def test_a_repair_that_there_is_not(self, off):
        with pytest.raises(UsageError, match=r"there is no repair '(label_from|nonsense)'"):
            ParserBench(MESSY, SEARCH, off=off)
        bench = ParserBench(MESSY, SEARCH, off="label_form")
        with pytest.raises(UsageError):
            bench.off = off
        assert bench.off == {"label_form"}

    def test_all_repairs_off(self):
        bench = ParserBench(MESSY, SEARCH, off=REPAIRS)
        assert len(bench.repairs.control.options) == MOST
        assert {"label_form", "tool_name", "single_quotes"} < set(bench.repairs.control.options)
        assert str(bench).count(" is off; ") == len(REPAIRS)
        click(bench.buttons, "All repairs on")
        assert bench.repairs.control.options == ("label_form", "tool_name", "single_quotes")

    def test_without_repairs_the_row_hides(self):
        bench = ParserBench(case="control_basic-09")
        assert 'class="react-lab-no-repair"' in bench.page.value
        assert "No repair fired." in shown(bench)


class TestPicking:
    def test_categories_and_neighbours(self):
        bench = ParserBench()
        bench.categories.set_state({"index": bench.categories.options.index("truncated")})
        assert (bench.picked, bench.reply_field.value) == (
            "truncated-01",
            CASES["truncated-01"]["text"],
        )
        assert "case 1 of 8 in truncated" in shown(bench)
        click(bench.buttons, "Next case")
        assert "case 2 of 8 in truncated" in shown(bench)
        click(bench.buttons, "Previous case")
        click(bench.buttons, "Previous case")
        assert bench.categories.value == bench.case["category"] == "multiline"

    def test_every_case_is_found_by_its_id(self):
        bench = ParserBench()
        for id, case in CASES.items():
            bench.pick(id)
            assert (bench.case, bench.categories.value) == (case, case["category"])
        with pytest.raises(UsageError, match="there is no case 'truncated-99'"):
            bench.pick("truncated-99")
        assert bench.case == case

    def test_what_was_typed_is_kept_while_cases_are_looked_at(self):
        bench = ParserBench(MESSY, SEARCH)
        assert bench.categories.value == OWN
        for _ in range(3):
            click(bench.buttons, "Next case")
        bench.categories.set_state({"index": 0})
        assert (bench.reply, bench.tools) == (MESSY, SEARCH)

    def test_a_changed_case_is_your_own_and_changed_back_it_is_the_case(self):
        bench = ParserBench()
        bench.reply_field.set_state({"value": bench.reply + "."})
        assert (bench.case, bench.categories.value) == (None, OWN)
        assert "Your own reply" in shown(bench)
        bench.reply_field.set_state({"value": bench.reply[:-1]})
        assert (bench.case["id"], bench.categories.value) == (FIRST, "markdown_labels")

    def test_wrong_tools_give_a_notice_and_lose_nothing(self):
        bench = ParserBench(MESSY, SEARCH)
        bench.tools_field.set_state({"value": '{"find": '})
        assert (bench.tools_field.value, bench.tools) == ('{"find": ', SEARCH)
        assert "the tools are no JSON" in shown(bench)
        assert "The tools before are used: search" in str(bench)
        assert "action: search(" in shown(bench)
        click(bench.buttons, "All repairs on")
        assert "the tools are no JSON" in shown(bench)
        bench.tools_field.set_state({"value": '{"find": {"query": "string"}}'})
        assert "the tools are no JSON" not in shown(bench)
        assert "error: unknown_tool" in shown(bench)


class TestShown:
    @pytest.mark.parametrize("off", [(), ("label_form",), ("tool_name", "label_form")])
    def test_the_line_of_code_reads_the_same(self, off):
        bench = ParserBench(MESSY, SEARCH, off=off)
        assert eval(bench.code(), {"parse_reply": parse_reply}) == bench.bench.parsed
        assert bench.code() in shown(bench)

    def test_text_and_picture_are_deterministic(self):
        one, two = (ParserBench(off={"tool_name", "label_form"}) for _ in range(2))
        assert (str(one), one.to_html()) == (str(two), two.to_html())
        assert Page(one._repr_mimebundle_()["text/html"], widget=True).problems == []
        assert repr(one) == (
            "ParserBench('markdown_labels-10', without label_form, tool_name: error: missing_action)"
        )

    def test_the_text_has_all_that_the_page_has(self):
        bench = ParserBench()
        for line in ("case 4 of 6 in markdown_labels; all repairs are on", FIRST):
            assert line in str(bench) and line in shown(bench)
        assert "[input 57-98] 3. **Action Input:** `" in str(bench)

    @pytest.mark.parametrize("name", TEXTS)
    def test_hostile_text_is_shown_and_not_obeyed(self, name):
        text = TEXTS[name]
        for reply in (text, f"Action: {text}\nAction Input: {text}", f"Final Answer: {text}"):
            bench = ParserBench(reply, {"search": {"query": "string"}, text: {text: text}})
            bench.reply.encode("utf-8")
            bench.tools_text.encode("utf-8")
            assert Page(bench.page.value, widget=True).problems == []
            assert Page(bench.to_html(), widget=True).problems == []
            assert visible(str(bench)) == str(bench)
            assert visible(repr(bench)) == repr(bench)
            bench.tools_field.set_state({"value": text})
            assert "the tools are no JSON" in shown(bench)
            assert Page(bench.page.value, widget=True).problems == []
            assert visible(str(bench)) == str(bench)
