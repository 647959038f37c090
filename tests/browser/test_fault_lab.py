"""FaultLab in a real browser: every control is used, by mouse and by keyboard alone."""

from __future__ import annotations

import re

import pytest
from lab import expect

PATIENCE = 30_000  # milliseconds: a click waits for the kernel's whole run

MAKE = (
    "from react_lab.evals.tasks import tasks_in\n"
    "from react_lab.toolbox.demo import demo_agent\n"
    "from react_lab.widgets.fault_lab import FaultLab\n"
    "tasks = tasks_in('en')[:2]\n"
    "lab = FaultLab(demo_agent(), tasks[0], tasks=tasks)\n"
    "lab"
)


@pytest.fixture
def open_lab(open_notebook, lab):
    expect.set_options(timeout=PATIENCE)

    def open_one(theme="light", source=MAKE):
        notebook = open_notebook(lab.write("zz_fault_lab.ipynb", source, "print(lab)"), theme)
        notebook.run_all()
        return notebook, notebook.output(0)

    return open_one


def button(shown, name):
    return shown.get_by_role("button", name=name, exact=True)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_control_by_mouse(open_lab, theme):
    notebook, shown = open_lab(theme)
    status = shown.get_by_role("status")
    expect(status).to_have_text("Ran F1: recovered at extra cost.")
    button(shown, "tool").click()
    button(shown, "O2 tool_hangs").click()
    expect(shown).to_contain_text("'O2')")
    button(shown, "transport").click()
    button(shown, "T1 timeout").click()
    for label, code in (
        ("once", "'T1', Once())"),
        ("at step", "'T1', AtStep(step=2))"),
        ("first n", "'T1', FirstN(n=2))"),
        ("every time", "'T1', EveryTime())"),
        ("probability", "'T1', WithProbability(p=0.5, seed=0))"),
        ("its own", "'T1')"),
    ):
        button(shown, label).click()
        expect(shown).to_contain_text(code)
    button(shown, "weather").click()
    expect(shown).to_contain_text("OnlyTool(tool='weather'")
    button(shown, "any tool").click()
    button(shown, "All off").click()
    expect(shown).to_contain_text("inject(with_defences(agent, []), 'T1')")
    button(shown, "All on").click()
    expect(shown.get_by_label("llm_retry")).to_be_checked()  # the kernel answers a little later
    shown.get_by_label("llm_retry").click()
    expect(shown).to_contain_text("without_defence(with_all_defences(agent), 'llm_retry')")
    button(shown, "Run once").click()
    expect(status).to_have_text("Ran T1: safe stop.")
    expect(shown).to_contain_text("no reply within 60 seconds (simulated)")
    notebook.screenshot(f"fault-lab-{theme}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_and_a_batch(open_lab, theme):
    notebook, shown = open_lab(theme)
    for label, value in (("Step or n", "3"), ("Probability", "0.7"), ("Seed", "5"), ("Seeds", "2")):
        field = shown.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Tab")
    button(shown, "at step").click()
    expect(shown).to_contain_text("AtStep(step=3), seed=5)")
    button(shown, "its own").click()
    shown.get_by_label("exact_format_errors").click()
    button(shown, "Run batch").click()
    expect(shown.get_by_role("status")).to_have_text("8 of 8 trials. Done.", timeout=2 * PATIENCE)
    pictures = shown.locator("img")
    expect(pictures).to_have_count(2)
    expect(pictures.nth(1)).to_have_attribute("alt", re.compile("^Recovered of fired"))
    expect(shown).to_contain_text("no exact_format_errors")
    pictures.nth(1).scroll_into_view_if_needed()
    notebook.screenshot(f"fault-lab-batch-{theme}")
    button(shown, "Clear").click()
    expect(shown.get_by_role("status")).to_have_text("No trials.")
    expect(pictures).to_have_count(0)


def test_a_batch_can_be_stopped_and_the_page_stays_free(open_lab):
    _, shown = open_lab()
    field = shown.get_by_label("Seeds", exact=True)
    field.fill("100")
    field.press("Tab")
    button(shown, "Run batch").click()
    button(shown, "transport").click()
    expect(button(shown, "T1 timeout")).to_be_visible()
    button(shown, "Stop").click()
    expect(shown.get_by_role("status")).to_contain_text("Stopped.")
    done = int(shown.get_by_role("status").inner_text().split()[0])
    assert 0 < done < 200


def test_the_keyboard_is_enough(open_lab):
    notebook, shown = open_lab()
    button(shown, "reply").focus()
    keys = notebook.page.keyboard
    keys.press("Tab")
    keys.press("Space")  # transport
    expect(button(shown, "T1 timeout")).to_be_visible()
    button(shown, "T1 timeout").focus()
    keys.press("Tab")
    keys.press("Enter")  # T2
    expect(shown).to_contain_text("'T2')")
    shown.get_by_label("llm_retry").focus()
    keys.press("Space")
    button(shown, "Run once").focus()
    keys.press("Enter")
    expect(shown.get_by_role("status")).to_have_text("Ran T2: safe stop.")


def test_the_page_shows_the_text_of_the_runs(open_lab):
    notebook, shown = open_lab()
    printed = notebook.output(1).inner_text()
    for line in ("Fired: step 1 (weather)", "Question: What is the temperature in Lisbon today?"):
        assert line in printed
        expect(shown).to_contain_text(line)
    assert "broken = inject(with_all_defences(agent), 'F1')" in printed


HOSTILE = """
from react_lab.agent import Agent
from react_lab.llm import ScriptedLLM
from react_lab.widgets.fault_lab import FaultLab
bad = '<script>window.broken=1</script><img src=x onerror="window.broken=1">'
reply = f'Thought: {bad}\\nFinal Answer: {bad}'
lab = FaultLab(Agent(ScriptedLLM([reply] * 9)), bad)
lab"""


def test_hostile_text_is_shown_and_does_nothing(open_lab):
    notebook, shown = open_lab(source=HOSTILE)
    expect(shown).to_contain_text('<img src=x onerror="window.broken=1">')
    assert notebook.page.evaluate("window.broken") is None
