"""ParserBench in a real JupyterLab: type, pick, switch repairs off, both themes, keyboard alone."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from lab import expect

TESTS = str(Path(__file__).parents[1])
sys.path.insert(0, TESTS)

from hostile import TEXTS  # noqa: E402

from react_lab.views.escape import visible  # noqa: E402

OPEN = "from react_lab.widgets import ParserBench\nbench = ParserBench()\nbench"
MESSY = "**Thought:** look it up\n**Action:** Search\n**Action Input:** {'query': 'ice roads'}"
SEARCH = '{"search": {"query": "string"}}'
HOSTILE = f"""
import sys; sys.path.insert(0, {TESTS!r})
from hostile import TEXTS
from IPython.display import display
from react_lab.widgets import ParserBench
for text in TEXTS.values():
    display(ParserBench(text + "\\nAction: " + text, {{"search": {{text: text}}}}))
"""


@pytest.fixture
def opened(lab, open_notebook):
    def open_one(theme="light", source=OPEN):
        notebook = open_notebook(lab.write("parser_bench.ipynb", source), theme)
        notebook.run_all()
        assert notebook.errors() == []
        return notebook, notebook.output(0)

    return open_one


def button(output, name):
    return output.get_by_role("button", name=name, exact=True)


def marked(output):
    """Return the parts of the reply that are marked, as the page shows them."""
    return output.locator(".react-lab-page pre span[title]")


def struck(output, name):
    return button(output, name).evaluate("b => getComputedStyle(b).textDecorationLine")


def fill(output, reply, tools=SEARCH):
    output.get_by_label("Reply").fill(reply)
    output.get_by_label("Tools").fill(tools)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_type_a_reply_and_switch_repairs_off(opened, theme):
    notebook, output = opened(theme)
    page = output.locator(".react-lab-page")
    fill(output, MESSY)
    parts = ["[thought] **Thought:** look it up", "[action] **Action:** Search"]
    whole = [*parts, "[input] **Action Input:** {'query': 'ice roads'}"]
    expect(marked(output)).to_have_text([re.compile(re.escape(part)) for part in whole])
    expect(page).to_contain_text("action: search({'query': 'ice roads'})")
    assert output.locator(".react-lab-repairs button").all_inner_texts() == [
        "label_form",
        "tool_name",
        "single_quotes",
    ]
    notebook.screenshot(f"parser-bench-typed-{theme}")
    button(output, "label_form").click()
    expect(marked(output)).to_have_text([re.compile(r"^\[ignored\] \*\*Thought")])
    expect(page).to_contain_text("your own; switched off: label_form")
    expect(page).to_contain_text("Format error: no action and no final answer was found")
    assert [struck(output, name) for name in ("label_form", "tool_name")] == [
        "line-through",
        "none",
    ]
    notebook.screenshot(f"parser-bench-off-{theme}")
    button(output, "tool_name").click()
    button(output, "label_form").click()
    expect(page).to_contain_text("your own; switched off: tool_name")
    expect(page).to_contain_text("error: unknown_tool")
    assert struck(output, "tool_name") == "line-through"
    button(output, "All repairs on").click()
    expect(page).to_contain_text("all repairs are on")
    expect(marked(output)).to_have_count(3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pick_cases_and_come_back_to_what_was_typed(opened, theme):
    notebook, output = opened(theme)
    page, reply = output.locator(".react-lab-page"), output.get_by_label("Reply")
    fill(output, "I am lost.")
    button(output, "truncated").click()
    expect(page).to_contain_text("case 1 of 8 in truncated")
    expect(page).to_contain_text("DANGEROUS")
    notebook.screenshot(f"parser-bench-case-{theme}")
    button(output, "Next case").click()
    expect(page).to_contain_text("case 2 of 8 in truncated")
    button(output, "Previous case").click()
    button(output, "Previous case").click()
    expect(output.locator(".react-lab-categories .mod-active")).to_have_text("multiline")
    button(output, "your own").click()
    expect(reply).to_have_value("I am lost.")
    expect(page).to_contain_text("error: missing_action")


def test_wrong_tools_are_named_and_stay_in_the_field(opened):
    notebook, output = opened()
    fill(output, MESSY, '{"search": ')
    status = output.get_by_role("status")
    expect(status).to_contain_text("the tools are no JSON")
    expect(output.get_by_label("Tools")).to_have_value('{"search": ')
    notebook.screenshot("parser-bench-wrong-tools")
    output.get_by_label("Tools").fill(SEARCH)
    expect(status).to_have_count(0)
    expect(output.locator(".react-lab-page")).to_contain_text("action: search(")


def test_the_keyboard_is_enough(opened):
    notebook, output = opened()
    expect(output.get_by_label("Reply")).to_be_visible()
    keys, page = notebook.page.keyboard, output.locator(".react-lab-page")
    output.get_by_label("Reply").focus()
    keys.press("Control+a")
    keys.type(MESSY)
    expect(page).to_contain_text("your own; all repairs are on")
    keys.press("Tab")
    keys.press("Control+a")
    keys.type(SEARCH)
    expect(page).to_contain_text("action: search({'query': 'ice roads'})")
    keys.press("Tab")
    keys.press("Enter")
    expect(page).to_contain_text("switched off: label_form")
    keys.press("Space")  # the button is still there and has the focus
    expect(page).to_contain_text("all repairs are on")
    keys.press("Tab")
    keys.press("Space")
    expect(page).to_contain_text("switched off: tool_name")


def test_hostile_text_is_shown_and_does_nothing(opened):
    notebook, output = opened(source=HOSTILE)
    pages = output.locator(".react-lab-page")
    expect(pages).to_have_count(len(TEXTS))
    for index, text in enumerate(TEXTS.values()):
        expect(pages.nth(index)).to_contain_text("The same in code")
        sent = text.encode("utf-8", "replace").decode("utf-8")
        shown = re.sub(r"\s+", "", pages.nth(index).text_content())
        assert re.sub(r"\s+", "", visible(sent)) in shown
    for name in ("script", "img", "iframe", "a", "link", "form", "mjx-container", "[onload]"):
        assert output.locator(name).count() == 0, name
    assert notebook.page.evaluate("window.hacked") is None
