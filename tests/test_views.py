"""Views: what a page shows of a run, that nothing in it is obeyed, and the text twins."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hostile import LONG_LINE, TEXTS, hostile_run

from react_lab import (
    Agent,
    Completion,
    Message,
    Messages,
    Observation,
    Parsed,
    Run,
    ScriptedLLM,
    Span,
    Step,
    UsageError,
    demo_agent,
    fork,
    run_agent,
    tool,
    views,
)
from react_lab.views.badges import badges, has_issue, headline
from react_lab.views.escape import show, visible
from react_lab.views.step import PANES

TAGS = set("div p b bdi span pre details summary table tr td th".split())
PAGE_TAGS = TAGS | set("html head meta title style body h1 h2".split())
ATTRIBUTES = {"style", "title"}
PAGE_ATTRIBUTES = ATTRIBUTES | {"lang", "charset", "http-equiv", "content", "name"}
WIDGET_ATTRIBUTES = {"class", "role", "tabindex"}
VOID = {"meta"}
CANARY = "sk-canary-0123456789abcdef"


class Page(HTMLParser):
    """Read a page as a browser does; list tags that are not allowed or not closed."""

    def __init__(self, markup: str, *, whole: bool = False, widget: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes = (PAGE_TAGS, PAGE_ATTRIBUTES) if whole else (TAGS, ATTRIBUTES)
        if widget:
            self.tags, self.attributes = TAGS | {"style"}, ATTRIBUTES | WIDGET_ATTRIBUTES
        self.problems: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(markup)
        self.close()
        self.problems += [f"<{tag}> stays open" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        if tag not in self.tags:
            self.problems.append(f"<{tag}>")
        self.problems += [f"{tag} {name}" for name, _ in attributes if name not in self.attributes]
        self.problems += [
            f"{name}={value}"
            for name, value in attributes
            if name == "style" and re.search(r"url|expression|position|[<>@\\]", value)
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> out of place")

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.problems.append(f"comment {data}")


@tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


REPLIES = [
    "Thought: I double it.\nAction: double\nAction Input: {'number': 2,}",
    "I am lost in thought.",
    'Thought: Again.\nAction: double\nAction Input: {"number": "many"}',
    "Thought: Done.\nFinal Answer: 4",
]
AGENT = Agent(ScriptedLLM(REPLIES), [double])
RUN = run_agent(AGENT, "What is 2 + 2?")
FORK = run_agent(AGENT, fork(AGENT, RUN, 2, reply=REPLIES[3]))

FRAGMENTS = {
    "run": views.run_html,
    "long run": lambda run: views.run_html(replace(run, steps=run.steps * 40)),
    **{pane: lambda run, pane=pane: views.step_html(run, 1, pane) for pane in PANES},
    **{f"{pane} 2": lambda run, pane=pane: views.step_html(run, 2, pane) for pane in PANES},
    "answered": lambda run: views.step_html(run, 3),
    "tree": lambda run: views.tree_html([run], run),
    "comparison": lambda run: views.compare_html(run, replace(run, steps=run.steps[1:])),
    "pair": lambda run: views.pair_html(views.aligned(run, RUN)[0]),
}
TEXT_TWINS = {
    "log": views.run_log,
    **{pane: lambda run, pane=pane: views.step_text(run, 1, pane) for pane in PANES},
    "tree": lambda run: views.tree_text([run], run),
    "comparison": lambda run: views.compare_text(run, RUN),
    "pair": lambda run: views.pair_text(views.aligned(run, RUN)[0]),
    "markdown": views.export_markdown,
}
#: Views that show numbers and names of the kit's own alone.
WITHOUT_TEXT = {"Growth", "Growth 2", "Timing and tokens 2", "Prompt diff 2", "Tool 2"}


class TestHostileText:
    @pytest.mark.parametrize("name", TEXTS)
    @pytest.mark.parametrize("view", FRAGMENTS)
    def test_no_markup_of_the_text_s_own(self, view, name):
        page = Page(FRAGMENTS[view](hostile_run(TEXTS[name])))
        assert page.problems == []
        if view not in WITHOUT_TEXT:
            assert visible(TEXTS[name]).split("\n")[0][:12] in page.text

    @pytest.mark.parametrize("name", TEXTS)
    def test_an_export_is_one_page_that_loads_nothing(self, name):
        page = Page(views.export_html(hostile_run(TEXTS[name])), whole=True)
        assert page.problems == []
        assert page.text.count(visible(TEXTS[name]).split("\n")[0]) > 10

    @pytest.mark.parametrize("name", TEXTS)
    @pytest.mark.parametrize("view", TEXT_TWINS)
    def test_text_twins_hide_nothing(self, view, name):
        text = TEXT_TWINS[view](hostile_run(TEXTS[name]))
        assert visible(text) == text
        text.encode("utf-8")

    @pytest.mark.parametrize("view", FRAGMENTS)
    def test_a_line_of_a_megabyte_is_cut_and_counted(self, view):
        markup = FRAGMENTS[view](hostile_run(LONG_LINE))
        assert len(markup) < 600_000
        assert Page(markup).problems == []

    def test_an_export_has_the_whole_of_a_megabyte(self):
        step = Step(Messages([Message("user", "?")]), Completion(LONG_LINE), Parsed())
        assert LONG_LINE in views.export_html(Run("?", (step,)))

    def test_a_markdown_fence_is_longer_than_any_inside(self):
        report = views.export_markdown(hostile_run("a ```` b\n```\n# c"))
        fences = [line for line in report.split("\n") if re.fullmatch("`{5,}(text)?", line)]
        assert len(fences) % 2 == 0 and set(fences) == {"`````text", "`````"}


class TestEscape:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a\tb\nc", "a\tb\nc"),
            ("\x00\x1b\x7f\r\x01", "⟨NUL⟩⟨ESC⟩⟨DEL⟩⟨CR⟩⟨U+0001⟩"),
            ("\u202e\u200b\u2067", "⟨U+202E⟩⟨U+200B⟩⟨U+2067⟩"),
            ("👩\u200d🚀 a\u200db", "👩\u200d🚀 a⟨U+200D⟩b"),
            ("\udc00", "⟨U+DC00⟩"),
            ("é 中 ©", "é 中 ©"),
            ("$x$ \\(y\\)", "<span>$</span>x<span>$</span> <span>\\</span>(y<span>\\</span>)"),
        ],
    )
    def test_what_cannot_be_seen_is_made_visible(self, text, shown):
        assert show(text) == shown

    def test_a_cut_says_how_much_is_missing(self):
        assert show("abcdef", 4) == "abcd … [2 more characters]"
        assert show("abcd", 4) == "abcd"


class TestRun:
    def test_a_row_for_each_step_and_the_ending(self):
        markup = views.run_html(RUN)
        assert RUN._repr_html_() == markup
        page = Page(markup)
        assert page.problems == []
        assert markup.count("<details>") == 4
        for part in ("What is 2 + 2?", "step 2 · format error: missing_action", "Answer: 4"):
            assert part in page.text
        assert "stopped: final_answer · 4 steps · about" in page.text

    def test_the_same_run_gives_the_same_markup(self):
        again = run_agent(Agent(ScriptedLLM(REPLIES), [double]), "What is 2 + 2?")
        assert views.run_html(again) == views.run_html(RUN)
        assert views.export_html(again) == views.export_html(RUN)

    def test_a_long_run_shows_its_beginning_and_its_end(self):
        page = Page(views.run_html(replace(RUN, steps=RUN.steps * 250)))
        assert "steps 41 to 990 are not shown here" in page.text
        assert (
            "step 40 ·" in page.text and "step 991 ·" in page.text and "step 41 ·" not in page.text
        )

    def test_a_run_without_steps(self):
        page = Page(views.run_html(Run("Why?")))
        assert (page.problems, page.text) == (
            [],
            "Question: Why?still running · 0 steps · 0 tokens",
        )

    def test_badges_name_what_happened(self):
        assert [[str(b) for b in badges(step)] for step in RUN.steps] == [
            ["repaired: single_quotes", "repaired: trailing_comma", "double"],
            ["format error: missing_action"],
            ["invalid args", "double"],
            ["answer"],
        ]
        assert [has_issue(step) for step in RUN.steps] == [True, True, True, False]

    def test_headlines(self):
        assert [headline(step) for step in RUN.steps] == [
            "double({'number': 2})",
            "format error: missing_action",
            "double({'number': 'many'})",
            "answer: 4",
        ]


class TestLog:
    def test_a_line_for_each_event(self):
        lines = views.run_log(RUN).split("\n")
        assert [line[:17].split() for line in lines[1:]] == [
            ["0", "question"],
            ["1", "reply"],
            ["1", "repair"],
            ["1", "repair"],
            ["1", "tool", "result"],
            ["2", "reply"],
            ["2", "told"],
            ["3", "reply"],
            ["3", "told"],
            ["4", "reply"],
            ["4", "stopped"],
        ]
        assert lines[5].endswith("double: 4")
        assert [line.lower().count("format error") for line in lines[6:8]] == [1, 1]

    def test_tokens_add_up(self):
        last = views.run_log(RUN).split("\n")[-1].split()
        assert last[:4] == ["4", "stopped", "8", str(RUN.usage.total)]

    def test_a_world_failure_and_a_guard_are_named(self):
        failed = run_agent(Agent(ScriptedLLM([])), "?")
        assert "1  failure" in views.run_log(failed)
        repeated = run_agent(
            Agent(ScriptedLLM([REPLIES[2].replace('"many"', "2")] * 3), [double]), "?"
        )
        assert "2  guard               4     351  RepeatLimit: You made" in views.run_log(repeated)


def test_every_view_of_a_run_says_how_many_tries_a_tool_took():
    seen = tuple(
        Observation("24 °C", status, "weather", tries=tries)
        for status, tries in (("ok", 3), ("tool_error", 2), ("ok", 1))
    )
    run = Run("q", (Step(Messages(), Completion(""), Parsed(), seen),))
    lines = [line.split("  ")[-1] for line in views.run_log(run).split("\n")[3:6]]
    assert lines == ["weather (3 tries): 24 °C", "tool error, 2 tries: 24 °C", "weather: 24 °C"]
    titles = re.findall(r"<b>(Observation[^<]*)</b>", views.run_html(run))
    assert titles == ["Observation (3 tries)", "Observation (tool error, 2 tries)", "Observation"]


class TestDiff:
    def test_between_two_steps(self):
        assert views.diff_text(RUN.messages(1), RUN.messages(2)).split("\n")[:3] == [
            "  2 messages the same",
            "+ [assistant] Thought: I double it.",
            "+ [assistant] Action: double",
        ]

    def test_a_line_inside_a_message(self):
        a = [Message("system", "one\ntwo\nthree")]
        b = [Message("system", "one\n2\nthree")]
        lines = [str(line) for line in views.prompt_diff(a, b)]
        assert lines == ["  1 line the same", "- [system] two", "+ [system] 2", "  1 line the same"]

    def test_a_dropped_message_shows(self):
        a = [Message("user", "q"), Message("assistant", "a"), Message("user", "o")]
        lines = [str(line) for line in views.prompt_diff(a, [a[0], a[2]])]
        assert lines == ["  1 message the same", "- [assistant] a", "  1 message the same"]

    def test_where_a_message_ends_is_seen(self):
        apart = [Message("user", "Observation: 31"), Message("user", "Observation: 14")]
        glued = [Message("user", "Observation: 31\nObservation: 14")]
        text = views.diff_text(apart, glued)
        assert text.split("\n") == [
            "- [user] Observation: 31",
            "- (next message)",
            "- [user] Observation: 14",
            "+ [user] Observation: 31",
            "+ [user] Observation: 14",
        ]
        assert Page(views.diff_html(apart, glued)).text == text.replace("\n", "")
        assert views.diff_text([], [*apart, Message("assistant", "45")]).split("\n")[1:] == [
            "+ (next message)",
            "+ [user] Observation: 14",
            "+ [assistant] 45",
        ]

    def test_a_line_that_moves_to_the_next_message_is_seen_to_move(self):
        before = [Message("user", "a"), Message("user", "b\nc")]
        after = [Message("user", "a\nb"), Message("user", "c")]
        assert [str(line) for line in views.prompt_diff(before, after)] == [
            "  1 line the same",
            "+ [user] b",
            "  (next message)",
            "- [user] b",
            "  1 line the same",
        ]

    def test_the_same_twice(self):
        assert views.diff_text(RUN.messages(1), RUN.messages(1)) == "  2 messages the same"
        assert views.diff_text([], []) == "(no difference)"

    def test_the_page_says_what_the_text_says(self):
        page = Page(views.diff_html(RUN.messages(1), RUN.messages(2)))
        assert (
            page.text
            == views.diff_text(RUN.messages(1), RUN.messages(2)).replace("\n", "").lstrip()
        )

    def test_very_long_texts_are_not_matched_line_by_line(self):
        a, b = "\n".join("ab" * 3_000), "\n".join("ba" * 3_000)
        lines = views.prompt_diff([Message("user", a)], [Message("user", b)])
        assert [line.sign for line in lines] == ["-"] * 6_000 + ["+"] * 6_000


class TestGrowth:
    def test_each_role_at_each_step(self):
        rows = views.growth(RUN)
        assert [sum(row.values()) for row in rows] == [
            m.tokens for m in map(RUN.messages, (1, 2, 3, 4))
        ]
        assert [row["assistant"] for row in rows][:2] == [0, 17]
        assert len({row["system"] for row in rows}) == 1

    def test_the_table_has_the_totals(self):
        lines = views.growth_text(RUN).split("\n")
        assert lines[0].split() == ["step", "system", "user", "assistant", "total"]
        assert lines[4].split()[-1] == f"{RUN.messages(4).tokens:,}"
        assert f"{RUN.messages(4).tokens:,}" in Page(views.growth_html(RUN)).text

    def test_a_long_run_has_a_bar_for_some_steps(self):
        long = replace(RUN, steps=RUN.steps * 250)
        assert views.growth_html(long).count("<tr>") == 59
        assert "every 17th step of 1,000" in views.growth_html(long)


class TestParse:
    def test_the_repair_and_the_parts_show(self):
        step = RUN.step(1)
        text = views.parse_text(step.reply, step.parsed)
        assert re.search(r"repair single_quotes:\n  saw: +'number'", text)
        assert re.search(r"\[thought \d+-\d+\] Thought: I double it\.", text)
        page = Page(views.parse_html(step.reply, step.parsed))
        assert "[thought] Thought: I double it." in page.text
        assert "single_quotes" in page.text

    def test_an_error_shows_what_the_model_is_told(self):
        page = Page(views.step_html(RUN, 2, "Parse"))
        assert "Error missing_action: the model is told" in page.text
        assert RUN.step(2).parsed.error.message in page.text
        assert "No repair fired." in page.text

    @pytest.mark.parametrize(
        "spans", [(Span("a", 0, 9), Span("b", 2, 4)), (Span("a", 3, 99),), (Span("a", 5, 2),)]
    )
    def test_odd_spans_show_the_reply_once(self, spans):
        page = Page(views.parse_html(Completion("0123456"), Parsed(spans=spans)))
        digits = re.sub(r"\[\w\] ", "", page.text)
        assert digits.count("0123456") == 1


class TestPanes:
    def test_each_pane_says_the_run_s_own_words(self):
        words = {
            "Scratchpad": RUN.step(3).observation,
            "Prompt as sent": RUN.messages(3)[0].content,
            "Prompt diff": "I am lost in thought.",
            "Raw reply": RUN.step(3).reply.text,
            "Parse": "double({'number': 'many'})",
            "Tool": RUN.step(3).observation,
            "Timing and tokens": f"{RUN.step(3).usage.prompt_tokens:,}",
            "Growth": f"{RUN.messages(3).tokens:,}",
        }
        assert list(words) == list(PANES)
        for pane, said in words.items():
            assert said in Page(views.step_html(RUN, 3, pane)).text
            assert said.split("\n")[0] in views.step_text(RUN, 3, pane)

    def test_the_whole_prompt_is_there(self):
        text = Page(views.step_html(RUN, 4, "Prompt as sent")).text
        for message in RUN.messages(4):
            assert message.content in text

    def test_only_the_timing_pane_shows_durations(self):
        for pane in PANES:
            shown = re.search(r"\d\.\d{3} s", views.step_text(RUN, 1, pane))
            assert bool(shown) == (pane == "Timing and tokens")

    def test_a_step_that_does_not_exist(self):
        with pytest.raises(UsageError, match="steps 1 to 4"):
            views.step_html(RUN, 5)


class TestTree:
    def test_the_parent_comes_first(self):
        assert views.tree_text([FORK, RUN], FORK).split("\n") == [
            "0 run: 4 steps, final_answer, answer: 4",
            "└─ 1 fork at step 2, changed reply: 2 steps, final_answer, answer: 4  <- selected",
        ]
        page = Page(views.tree_html([FORK], RUN))
        assert "0 run: 4 steps, final_answer, answer: 4 ◀ selected" in page.text

    def test_forks_of_forks_stand_below_their_own_parent(self):
        one, two = (replace(FORK, detail=text) for text in "ab")
        deep = replace(RUN, parent=one, forked_at=1, change="question")
        lines = views.tree_text([two, deep, one]).split("\n")
        assert [line.index("fork") for line in lines[1:]] == [5, 5, 8]


class TestCompare:
    def test_the_first_difference_is_named(self):
        pair = views.first_difference(RUN, FORK)
        assert (pair.number, pair.differs) == (2, "reply")
        assert views.compare_text(RUN, FORK).startswith(
            "first difference: step 2, in the reply\n=   1"
        )
        assert "First difference: step 2, in the reply" in Page(views.compare_html(RUN, FORK)).text

    def test_one_run_goes_on(self):
        cut = replace(RUN, steps=RUN.steps[:3])
        assert "step 4: only run b goes on" in views.compare_text(cut, RUN)

    def test_past_the_end_there_is_nothing_to_compare(self):
        pair = views.aligned(RUN, replace(RUN, steps=RUN.steps[:3]))[3]
        assert views.pair_text(pair) == "Step\n  run b has no step 4"

    def test_a_run_against_itself(self):
        assert views.first_difference(RUN, RUN) is None
        assert "none in the steps" in views.compare_text(RUN, RUN)

    def test_the_pair_s_diffs(self):
        text = views.pair_text(views.aligned(RUN, FORK)[1])
        assert (
            "- [reply] I am lost in thought.\n+ [reply] Thought: Done.\n+ [reply] Final Answer: 4"
            in text
        )


class TestExport:
    def test_the_page_has_every_step_whole(self, tmp_path):
        path = tmp_path / "run.html"
        markup = views.export_html(RUN, path)
        assert path.read_text("utf-8") == markup
        page = Page(markup, whole=True)
        for step in RUN.steps:
            assert step.reply.text in page.text
            assert step.observation in page.text
        assert RUN.messages(1)[0].content in page.text
        assert "http://" not in markup and "https://" not in markup

    def test_a_longer_run_takes_its_share(self):
        def size(n):
            line = 'Thought: On.\nAction: double\nAction Input: {"number": 1}'
            agent = Agent(ScriptedLLM([line] * n + ["Final Answer: 1"]), [double], guards=())
            return len(views.export_html(run_agent(agent, "?")))

        assert size(200) < 2.3 * size(100)

    def test_a_report_names_fault_seed_and_steps(self):
        report = views.export_markdown(FORK, fault="F1", seed=7)
        for line in ("- fault `F1`", "- seed 7", "- model `scripted`", "## Step 2", "## Answer"):
            assert line in report.split("\n")
        assert "fork at step 2" in report

    @pytest.mark.parametrize("export", [views.export_html, views.export_markdown])
    def test_keys_stay_out(self, export):
        assert "canary" not in export(hostile_run(f"my key: {CANARY}"))
        assert "xyzzy" not in export(hostile_run("magic xyzzy"), secrets=["xyzzy"])


def test_a_run_of_the_demo_agent_in_chinese():
    run = run_agent(demo_agent("zh"), "里斯本今天的气温是多少？")
    assert Page(views.run_html(run)).problems == []
    assert "里斯本今天的气温是多少？" in Page(views.run_html(run)).text
