"""StepInspector, ForkBench and CompareRuns in a real JupyterLab: every control, both themes,
keyboard alone, hostile text, and what stays visible without a kernel."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
import pytest
from lab import KERNEL, expect

TESTS = str(Path(__file__).parents[1])
sys.path.insert(0, TESTS)

from hostile import TEXTS, hostile_run  # noqa: E402
from test_views import FORK, RUN  # noqa: E402

from react_lab.views import compare_text, export_html, run_html, step_text  # noqa: E402
from react_lab.views.escape import visible  # noqa: E402
from react_lab.views.step import PANES  # noqa: E402
from react_lab.widgets import StepInspector  # noqa: E402

SETUP = f"import sys; sys.path.insert(0, {TESTS!r})\nfrom test_views import AGENT, FORK, REPLIES, RUN, double"
IMPORT = "from react_lab.widgets import CompareRuns, ForkBench, StepInspector\nimport react_lab"
INSPECT = "StepInspector(RUN)"
LIVE = """
import threading, time
release = threading.Event()
def reply(messages):
    if len(messages) > 4:
        release.wait(60)
    return REPLIES[0].replace("2,", f"{len(messages)},")
agent = react_lab.Agent(react_lab.FunctionLLM(reply), [double])
live = StepInspector.live(agent, "How far does it go?", pause=0)
live
"""
HOSTILE = """
from hostile import TEXTS, hostile_run
from react_lab.views import run_html
from IPython.display import HTML, display
import ipywidgets
for text in list(TEXTS.values())[START::2]:
    run = hostile_run(text)
    display(run)
    inspector, bench = StepInspector(run), ForkBench(run, AGENT)
    inspector.step, bench.change = 1, "reply"
    display(inspector, bench, CompareRuns(run, RUN))
"""


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def button(output, name):
    return output.get_by_role("button", name=name, exact=True)


def shown(output) -> str:
    return squeezed(output.locator(".react-lab-page").inner_text())


def expect_shown(output, text: str) -> None:
    """Wait until the page shows a text, whatever its line breaks."""
    pattern = r"\s*".join(re.escape(character) for character in squeezed(text)[:200])
    expect(output.locator(".react-lab-page")).to_have_text(re.compile(pattern))


def opened(lab, open_notebook, name, *cells, theme="light"):
    notebook = open_notebook(lab.write(name, f"{SETUP}\n{IMPORT}", *cells), theme=theme)
    notebook.run_all()
    assert notebook.errors() == []
    return notebook


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_control_of_the_inspector(lab, open_notebook, theme):
    notebook = opened(lab, open_notebook, "inspector.ipynb", INSPECT, theme=theme)
    output = notebook.output(1)
    moves = [("Next step", 2), ("Next issue", 3), ("Next step", 4), ("Previous issue", 3)]
    for name, step in [*moves, ("Previous step", 2)]:
        button(output, name).click()
        expect_shown(output, f"Step {step} of 4")
        expect(output.locator(".react-lab-list .mod-active")).to_contain_text(f"{step} ")
    for pane in PANES:
        button(output, pane).click()
        for line in step_text(RUN, 2, pane).split("\n"):
            if pane in ("Prompt as sent", "Raw reply", "Scratchpad", "Prompt diff"):
                words = re.sub(r"^(\[\w+\]|\w+: |finish_reason.*)", "", line)
                assert words == "" or squeezed(words) in shown_after(output, words)
        notebook.screenshot(f"inspector-{theme}-{pane.replace(' ', '-').lower()}")
    button(output, "Scratchpad").click()
    for only, rows in {"issues": 3, "repaired": 1, "tool calls": 2, "all steps": 4}.items():
        button(output, only).click()
        expect(output.locator(".react-lab-list button")).to_have_count(rows)
    for number in (4, 1):
        output.locator(".react-lab-list button").nth(number - 1).click()
        expect_shown(output, f"Step {number} of 4")
    button(output, "Play").click()
    expect_shown(output, "Step 2 of 4")
    button(output, "Stop").click()
    button(output, "Next issue").click()
    expect_shown(output, "Step 3 of 4")
    for _ in range(2):
        button(output, "Next issue").click()
    expect(output.get_by_role("status")).to_contain_text("no such step after step 3")


def test_a_filter_that_no_step_passes_leaves_no_row_of_before(lab, open_notebook):
    few = "from dataclasses import replace\nStepInspector(replace(RUN, steps=RUN.steps[2:]))"
    notebook = opened(lab, open_notebook, "nothing.ipynb", few)
    output = notebook.output(1)
    rows = output.locator(".react-lab-list button")
    expect(rows).to_have_count(2)
    button(output, "repaired").click()
    expect(rows).to_have_text(["no step to show"])
    expect(rows).to_be_disabled()
    notebook.screenshot("inspector-nothing")
    button(output, "all steps").click()
    expect(rows).to_have_count(2)
    rows.nth(1).click()
    expect_shown(output, "Step 2 of 2")


def shown_after(output, words: str) -> str:
    expect_shown(output, words)
    return shown(output)


def test_fast_clicks_all_count(lab, open_notebook):
    notebook = opened(
        lab,
        open_notebook,
        "fast.ipynb",
        "from dataclasses import replace\nStepInspector(replace(RUN, steps=RUN.steps * 250))",
    )
    output = notebook.output(1)
    for _ in range(14):
        button(output, "Next step").click(no_wait_after=True)
    expect_shown(output, "Step 15 of 1000")
    expect(output.locator(".react-lab-list button")).to_have_count(10)
    expect(output.locator(".react-lab-list .mod-active")).to_contain_text("15 ")
    notebook.screenshot("inspector-1000-steps")


def test_the_keyboard_alone(lab, open_notebook):
    notebook = opened(lab, open_notebook, "keyboard.ipynb", INSPECT)
    output, keyboard = notebook.output(1), notebook.page.keyboard
    cells = notebook.panel.locator(".jp-Notebook-cell").count()
    button(output, "Previous step").focus()
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect_shown(output, "Step 2 of 4")
    keyboard.press("Space")
    expect_shown(output, "Step 3 of 4")
    for _ in range(4):  # past the issues, Play and Stop
        keyboard.press("Tab")
    keyboard.press("Tab")
    keyboard.press("ArrowRight")
    expect_shown(output, "Step 4 of 4")
    keyboard.press("ArrowLeft")
    expect_shown(output, "Step 3 of 4")
    keyboard.press("Tab")  # the slider's number
    focused = "document.activeElement.textContent"
    for _ in range(30):
        keyboard.press("Tab")
        if notebook.page.evaluate(focused) == "Raw reply":
            break
    keyboard.press("Space")
    expect_shown(output, RUN.step(3).reply.text)
    assert notebook.panel.locator(".jp-Notebook-cell").count() == cells


def test_a_live_run_is_followed_and_stopped(lab, open_notebook):
    notebook = opened(lab, open_notebook, "live.ipynb", LIVE)
    output = notebook.output(1)
    expect_shown(output, "not started: press Start")
    button(output, "Start").click()
    expect_shown(output, "Step 2 of 2")
    button(output, "Raw reply").click()  # the page answers while the model still thinks
    expect_shown(output, "finish_reason: stop")
    button(output, "Stop").click()
    expect_shown(output, "stopped: cancelled (stopped by hand) · 2 steps")
    notebook.screenshot("inspector-live-stopped")
    button(output, "Start").click()
    expect_shown(output, "still running · 2 steps")
    button(output, "Stop").click()
    expect_shown(output, "stopped: cancelled")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_control_of_the_fork_bench(lab, open_notebook, theme):
    cell = "ForkBench(RUN, AGENT, others={'same, again': AGENT})"
    notebook = opened(lab, open_notebook, "forks.ipynb", cell, theme=theme)
    output, page = notebook.output(1), notebook.page
    handle = output.locator(".react-lab-slider .noUi-handle")
    handle.focus()
    handle.press("ArrowRight")
    expect_shown(output, "Step 2 · format error: missing_action")
    field = output.get_by_label("New text")
    texts = {"observation": RUN.step(2).observation, "question": RUN.question, "tools": "double"}
    texts["prompt"] = RUN.messages(1)[0].content
    for change, text in {**texts, "reply": RUN.step(2).reply.text}.items():
        button(output, change).click()
        expect(field).to_have_value(text)
    field.fill("Thought: I know.\nFinal Answer: 5")
    expect_shown(output, "- [reply] I am lost in thought.")
    expect_shown(
        output, "run_agent(agent, fork(agent, run, 2, reply='Thought: I know.\\nFinal Answer: 5'))"
    )
    button(output, "Fork and run on").click()
    expect_shown(
        output, "1 fork at step 2, changed reply: 2 steps, final_answer, answer: 5 ◀ selected"
    )
    expect_shown(output, "1 fork: 0 model calls made, 2 saved")
    notebook.screenshot(f"forks-{theme}")
    output.locator(".react-lab-branches button").first.click()
    expect_shown(output, "0 run: 4 steps, final_answer, answer: 4 ◀ selected")
    button(output, "ask again").click()
    button(output, "same, again").click()
    times = output.get_by_label("Times")
    times.fill("2")
    times.press("Tab")
    button(output, "Fork and run on").click()
    expect_shown(output, "3 forks: 6 model calls made, 4 saved")
    button(output, "Stop").click()
    button(output, "Clear").click()
    expect_shown(output, "0 forks: 0 model calls made, 0 saved")
    assert page.locator(".react-lab-branches button").count() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_control_of_the_comparison(lab, open_notebook, theme):
    notebook = opened(lab, open_notebook, "compare.ipynb", "CompareRuns(RUN, FORK)", theme=theme)
    output = notebook.output(1)
    expect_shown(output, compare_text(RUN, FORK).split("\n")[0].capitalize())
    notebook.screenshot(f"compare-{theme}-overview")
    button(output, "This step").click()
    expect_shown(output, "- [reply] I am lost in thought.")
    notebook.screenshot(f"compare-{theme}-step")
    button(output, "Next difference").click()
    expect_shown(output, "run b has no step 3")
    button(output, "Previous difference").click()
    expect_shown(output, "differs in: reply")
    button(output, "Overview").click()
    expect_shown(output, "First difference: step 2")
    handle = output.locator(".react-lab-slider .noUi-handle")
    handle.focus()
    handle.press("ArrowLeft")
    expect_shown(output, "differs in: nothing")
    assert FORK.parent is RUN


def test_hostile_text_runs_nowhere_and_is_shown(lab, open_notebook):
    # JupyterLab shows 50 outputs of a cell, so the texts are spread over two.
    halves = [HOSTILE.replace("START", "0"), HOSTILE.replace("START", "1")]
    notebook = open_notebook(lab.write("hostile.ipynb", f"{SETUP}\n{IMPORT}", *halves))
    dialogs = []
    notebook.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    notebook.run_all()
    assert notebook.errors() == []
    for cell in (1, 2):
        output = notebook.output(cell)
        texts = list(TEXTS.values())[cell - 1 :: 2]
        inspectors = output.locator(".react-lab-inspector")
        expect(inspectors).to_have_count(len(texts))
        for index, text in enumerate(texts):
            check_shown(inspectors.nth(index), text)
            saved = output.locator(".jp-OutputArea-child").nth(4 * index)
            assert squeezed(visible(text)) in squeezed(saved.text_content())
        for pane in PANES:
            button(inspectors.first, pane).click()
        for name in ("script", "img", "iframe", "a", "link", "form", "mjx-container", "[onload]"):
            assert output.locator(name).count() == 0, name
        notebook.screenshot(f"hostile-{cell}")
    assert notebook.page.evaluate("window.hacked") is None
    assert dialogs == []


def test_a_line_of_a_megabyte_does_not_hold_the_page_up(lab, open_notebook):
    cell = "from hostile import LONG_LINE, hostile_run\nrun = hostile_run(LONG_LINE)\n"
    shows = ["run", "StepInspector(run)", "ForkBench(run, AGENT)", "CompareRuns(run, RUN)"]
    notebook = opened(lab, open_notebook, "long.ipynb", *[cell + show for show in shows])
    for number in (1, 2, 3, 4):
        expect(notebook.output(number)).to_contain_text("more characters]")
    inspector = notebook.output(2)
    for pane in PANES:
        button(inspector, pane).click()
        expect(inspector.locator(".react-lab-page")).to_contain_text("Step 1 of 3")
    notebook.screenshot("long-line")


def check_shown(inspector, text):
    page = inspector.locator(".react-lab-page")
    expect(page).to_contain_text("Step 1 of 3")
    assert squeezed(visible(text)) in squeezed(page.text_content())
    row = inspector.locator(".react-lab-list button").first
    assert squeezed(visible(text))[:20] in squeezed(row.text_content())
    row.hover()


def test_the_picture_stays_without_a_kernel(lab, open_notebook):
    bundle = StepInspector(RUN)._repr_mimebundle_()
    data = {kind: bundle[kind] for kind in ("text/html", "text/plain")}
    hostile = {"text/html": run_html(hostile_run("\n".join(TEXTS.values()).replace("\ud83d", "")))}
    outputs = [
        nbformat.v4.new_output("execute_result", data=each, execution_count=1)
        for each in (data, hostile)
    ]
    cell = nbformat.v4.new_code_cell("inspector", outputs=outputs, execution_count=1)
    nbformat.write(
        nbformat.v4.new_notebook(cells=[cell], metadata=KERNEL), lab.folder / "saved.ipynb"
    )
    notebook = open_notebook("saved.ipynb")
    output = notebook.output(0)
    expect(output).to_contain_text("Question: What is 2 + 2?")
    output.locator("summary").nth(1).click()
    expect(output).to_contain_text("I am lost in thought.")
    for theme in ("light", "dark"):
        notebook.set_theme(theme)
        notebook.screenshot(f"saved-{theme}")
    assert notebook.page.evaluate("window.hacked") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_exported_page_needs_nothing(lab, tmp_path, scheme):
    page = lab.browser.new_page(color_scheme=scheme, viewport={"width": 1000, "height": 1200})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for name, run in {
        "run": FORK,
        **{name: hostile_run(text) for name, text in TEXTS.items()},
    }.items():
        path = tmp_path / f"{name}.html"
        export_html(run, path)
        asked.clear()
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        assert squeezed(visible(run.step(1).reply.text)) in squeezed(
            page.locator("body").inner_text()
        )
        assert page.evaluate("window.hacked") is None
        assert asked == [path.as_uri()]
        if name == "run":
            page.screenshot(path=shot) if (shot := shot_path(f"export-{scheme}")) else None
    page.close()


def shot_path(name: str) -> str | None:
    import os

    folder = os.environ.get("REACT_LAB_SHOTS")
    return str(Path(folder) / f"{name}.png") if folder else None
