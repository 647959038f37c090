"""PromptLab in a real JupyterLab: every switch, both themes, the keyboard alone, hostile text."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from lab import expect

TESTS = str(Path(__file__).parents[1])
sys.path.insert(0, TESTS)

MAKE = """
from react_lab import demo_agent
from react_lab.widgets import PromptLab
lab = PromptLab(demo_agent(), "How much warmer is Lisbon than Oslo today?")
lab"""
SLOW = """
import threading
from react_lab import Agent, FunctionLLM
from react_lab.widgets import PromptLab
release = threading.Event()
def reply(messages):
    release.wait(60)
    return "Final Answer: 4"
slow = PromptLab(Agent(FunctionLLM(reply)), "What is 2 + 2?")
slow"""
HOSTILE = f"""
import sys; sys.path.insert(0, {TESTS!r})
from hostile import TEXTS
from IPython.display import display
from react_lab import Agent, ScriptedLLM, TextContract, tool
from react_lab.widgets import PromptLab
for text in TEXTS.values():
    @tool(name="echo", description=text)
    def echo(word: str) -> str:
        return text
    script = ScriptedLLM([f'Action: echo\\nAction Input: {{{{"word": "{{text}}"}}}}', text, f"Final Answer: {{text}}"])
    agent = Agent(script, [echo], contract=TextContract(stop=(text,)))
    display(PromptLab(agent, text).choose(stop="none"))
"""


@pytest.fixture
def opened(lab, open_notebook):
    def open_one(*sources, theme="light"):
        notebook = open_notebook(lab.write("zz_prompt_lab.ipynb", *sources), theme=theme)
        notebook.run_all()
        assert notebook.errors() == []
        return notebook, notebook.output(0)

    return open_one


def button(shown, name):
    return shown.get_by_role("button", name=name, exact=True)


def expect_text(shown, *texts: str) -> None:
    for text in texts:
        pattern = r"\s*".join(re.escape(word) for word in text.split())
        expect(shown.locator(".react-lab-page")).to_have_text(re.compile(pattern))


def cells(shown, first: str):
    """Return the row of a table that begins with this cell."""
    return shown.locator("tr", has=shown.page.get_by_role("cell", name=first, exact=True))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_switch_changes_prompt_tokens_and_run(opened, theme):
    notebook, shown = opened(MAKE, theme=theme)
    expect_text(shown, "This is the starting prompt", "Lisbon is 8 °C warmer than Oslo.")
    notebook.screenshot(f"prompt-lab-{theme}")
    for name, code in (
        ("json", "TextContract('json')"),
        ("xml", "TextContract('xml')"),
        ("zh", "TextContract('xml', language='zh')"),
        ("en", "TextContract('xml')"),
        ("lines", "run_agent(agent, question)"),
        ("format, tools", "order=('format', 'tools', 'rules', 'examples')"),
        ("tools, format", "run_agent(agent, question)"),
        ("brackets", "finish='brackets'"),
        ("action_finish", "finish='action_finish'"),
        ("final_answer", "run_agent(agent, question)"),
        ("assistant", "observation_as='assistant'"),
        ("scratchpad", "observation_as='scratchpad'"),
        ("user", "run_agent(agent, question)"),
        ("none", "stop=()"),
        ("wrong", "stop=('Observation',)"),
    ):
        button(shown, name).click()
        expect_text(shown, code)
    expect(cells(shown, "format errors")).to_have_text("format errors03")
    expect(shown.locator("table").first).to_be_visible()
    notebook.screenshot(f"prompt-lab-{theme}-wrong-stop")
    button(shown, "Back to the start").click()
    for name, row in (
        ("off: examples", ("examples", "0", "54", "+54")),
        ("on: no_repeat", ("rules", "42", "33", "-9")),
        ("off: lead_in", ("beside the latest Observation", "0", "7", "+7")),
    ):
        button(shown, name).click()
        expect(cells(shown, row[0])).to_have_text("".join(row))
        expect(button(shown, name)).to_have_count(0)
    expect_text(shown, "- [system] - Never make the same call twice.", "now")
    shown.get_by_text("What changed in the prompt").scroll_into_view_if_needed()
    notebook.screenshot(f"prompt-lab-{theme}-changes")
    shown.get_by_text("The prompt as the model gets it").scroll_into_view_if_needed()
    notebook.screenshot(f"prompt-lab-{theme}-prompt")


def test_what_is_refused_goes_back(opened):
    _, shown = opened(MAKE)
    button(shown, "json").click()
    expect_text(shown, "TextContract('json')")
    button(shown, "brackets").click()
    expect(shown.get_by_role("status")).to_contain_text("unknown finish 'brackets'")
    expect(button(shown, "final_answer")).to_have_class(re.compile("mod-active"))
    expect(button(shown, "brackets")).not_to_have_class(re.compile("mod-active"))


def test_the_keyboard_is_enough(opened):
    notebook, shown = opened(MAKE)
    keys = notebook.page.keyboard
    button(shown, "on: no_repeat").focus()
    keys.press("Space")
    expect(button(shown, "off: no_repeat")).to_be_focused()
    expect_text(shown, "rules=('tool_first', 'answer_soon')")
    keys.press("Tab")
    keys.press("Enter")
    expect(button(shown, "on: summarise_first")).to_be_focused()
    keys.press("Shift+Tab")
    keys.press("Space")
    expect(button(shown, "on: no_repeat")).to_be_focused()
    expect_text(shown, "rules=('tool_first', 'answer_soon', 'no_repeat', 'summarise_first')")
    button(shown, "right").focus()
    keys.press("Tab")
    keys.press("Enter")
    expect_text(shown, "stop=()")


def test_a_model_that_may_cost_is_asked_by_run_and_the_page_stays_free(opened):
    notebook, shown = opened(SLOW)
    expect_text(shown, "Press Run to ask the model")
    button(shown, "on: no_repeat").click()
    expect_text(shown, "rules=('tool_first', 'answer_soon')")
    button(shown, "Run").click()
    button(shown, "json").click()
    expect_text(shown, "TextContract('json',")
    button(shown, "Stop").click()
    button(shown, "lines").click()
    expect(cells(shown, "stopped")).to_have_text("stoppedcancellednot run")
    notebook.screenshot("prompt-lab-stopped")


def test_the_text_is_what_the_page_shows(opened):
    notebook, shown = opened(MAKE, "lab.choose(stop='wrong')\nprint(lab)")
    printed = notebook.output(1).inner_text()
    for line in ("about 398 tokens", "- [stop] '\\nObservation:'", "+ [stop] 'Observation'"):
        assert line in printed
        expect_text(shown, line)


def test_hostile_text_is_shown_and_does_nothing(opened):
    from hostile import TEXTS

    notebook, shown = opened(HOSTILE)
    expect(shown.locator(".react-lab-page")).to_have_count(len(TEXTS))
    expect(shown.locator(".react-lab-page").first).to_contain_text(TEXTS["script"])
    assert notebook.page.evaluate("window.hacked") is None
