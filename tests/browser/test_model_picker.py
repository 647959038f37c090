"""ModelPicker in a real JupyterLab: each choice, a connection tested and stopped, both themes,
keyboard alone, and a pasted key that neither the page nor the kernel's state holds."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from lab import expect

TESTS = str(Path(__file__).parents[1])
sys.path.insert(0, TESTS)

from hostile import TEXTS  # noqa: E402
from stub_server import StubServer, says, silent, status  # noqa: E402

from react_lab.widgets.model_choice import ADDRESSES, TEMPER_WORDS  # noqa: E402

CELL = "from react_lab.widgets import ModelPicker\npicker = ModelPicker()\npicker"
KEY = "sk-canary-4242424242"
# In two pieces, so that the cell itself does not hold what it looks for.
HOLDERS = """
import gc
key = "".join(["sk-canary-", "4242424242"])
held = [value for found in gc.get_objects() if isinstance(found, (dict, list, tuple))
        for value in (list(found.values()) if isinstance(found, dict) else found)
        if type(value) is str and key in value and value is not key]
print("key is held:", picker._secret.reveal() == key, "| also found in:", held)
"""


def button(output, name):
    return output.get_by_role("button", name=name, exact=True)


def page(output):
    return output.locator(".react-lab-page")


def opened(lab, open_notebook, name, *cells, theme="light"):
    notebook = open_notebook(lab.write(name, *cells), theme=theme)
    notebook.run_all()
    assert notebook.errors() == []
    return notebook


def enter(output, label, text):
    field = output.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_choice(lab, open_notebook, theme):
    notebook = opened(lab, open_notebook, "picker.ipynb", CELL, theme=theme)
    output = notebook.output(0)
    expect(page(output)).to_contain_text("SimulatedLLM('obedient', seed=0)")
    for temper, words in TEMPER_WORDS.items():
        button(output, temper).click()
        expect(page(output)).to_contain_text(words)
    output.get_by_label("Seed").fill("7")
    output.get_by_label("Seed").press("Tab")
    expect(page(output)).to_contain_text("SimulatedLLM('gullible', seed=7)")
    button(output, "Test the connection").click()
    expect(output.get_by_role("status")).to_contain_text("works: simulated-gullible replied")
    notebook.screenshot(f"picker-{theme}-simulated")
    button(output, "recorded").click()
    expect(page(output)).to_contain_text("no recording: write its file name")
    enter(output, "File", "nowhere.jsonl")
    expect(page(output)).to_contain_text("cannot read the recording nowhere.jsonl")
    notebook.screenshot(f"picker-{theme}-recorded")
    button(output, "laptop").click()
    expect(page(output)).to_contain_text("LaptopLLM()")
    notebook.screenshot(f"picker-{theme}-laptop")
    button(output, "endpoint").click()
    expect(page(output)).to_contain_text("no address: write one such as")
    for name, url in ADDRESSES.items():
        button(output, name).click()
        expect(output.get_by_label("Address", exact=True)).to_have_value(url)
    notebook.screenshot(f"picker-{theme}-endpoint")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_key_is_pasted_tested_and_nowhere(lab, open_notebook, theme):
    notebook = opened(lab, open_notebook, "key.ipynb", CELL, HOLDERS, theme=theme)
    output = notebook.output(0)
    with StubServer([says("yes")]) as server:
        button(output, "endpoint").click()
        enter(output, "Address", server.base_url)
        enter(output, "Model name", "m")
        expect(page(output)).to_contain_text("none; a server on this machine needs none")
        enter(output, "Key", KEY)
        expect(page(output)).to_contain_text("pasted, held in memory only")
        expect(output.get_by_label("Key", exact=True)).to_have_value("")
        assert server.connections == 0
        button(output, "Test the connection").click()
        expect(output.get_by_role("status")).to_contain_text("works: stub-1 replied 'yes'")
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        notebook.screenshot(f"picker-{theme}-works")
    notebook.cell(1).click()
    notebook.command("notebook:run-cell")
    expect(notebook.output(1)).to_contain_text("key is held: True | also found in: []")
    assert KEY not in notebook.page.content()
    assert KEY not in saved_with_widgets(notebook, lab.folder / "key.ipynb")


def saved_with_widgets(notebook, path: Path) -> str:
    """Save the notebook together with the state of its widgets; return the file."""
    switch = "@jupyter-widgets/jupyterlab-manager:saveWidgetState"
    notebook.command(switch)
    notebook.command("docmanager:save")
    notebook.command(switch)  # the next test's server has it off again
    text = path.read_text("utf-8")
    assert '"PasswordModel"' in text
    return text


def test_a_refused_key_and_a_silent_server(lab, open_notebook):
    notebook = opened(lab, open_notebook, "errors.ipynb", CELL)
    output, said = notebook.output(0), notebook.output(0).get_by_role("status")
    button(output, "endpoint").click()
    enter(output, "Model name", "m")
    with StubServer([status(401, f"Incorrect API key: {KEY}")]) as server:
        enter(output, "Address", server.base_url)
        enter(output, "Key", KEY)
        expect(page(output)).to_contain_text("pasted, held in memory only")
        button(output, "Test the connection").click()
        expect(said).to_contain_text("failed: RequestRefused: HTTP 401, the key was refused")
        expect(said).to_contain_text("Paste the key again")
        assert KEY not in notebook.page.content()
        notebook.screenshot("picker-refused")
    with StubServer([silent()]) as server:
        enter(output, "Address", server.base_url)
        expect(page(output)).to_contain_text("another server's: the key was forgotten")
        notebook.screenshot("picker-forgotten")
        button(output, "Test the connection").click()
        expect(said.last).to_contain_text("being tested")
        button(output, "Ollama").focus()  # the page is free
        button(output, "Stop").click()
        expect(said.last).to_contain_text("the test was stopped")
    button(output, "Forget the key").click()
    expect(page(output)).to_contain_text("none; a server on this machine needs none")


def test_the_keyboard_alone(lab, open_notebook):
    notebook = opened(lab, open_notebook, "keys.ipynb", CELL)
    output, keyboard = notebook.output(0), notebook.page.keyboard
    cells = notebook.panel.locator(".jp-Notebook-cell").count()
    button(output, "simulated").focus()
    for _ in range(3):
        keyboard.press("Tab")
    keyboard.press("Space")
    expect(page(output)).to_contain_text("no address: write one such as")
    expect(button(output, "endpoint")).to_be_focused()
    for _ in range(len(ADDRESSES) + 1):
        keyboard.press("Tab")
    keyboard.type("http://127.0.0.1:9/v1")
    keyboard.press("Tab")
    keyboard.type("model-aa-bb-dd")  # letters that are commands of the notebook
    keyboard.press("Tab")
    keyboard.type(KEY)
    keyboard.press("Enter")
    expect(page(output)).to_contain_text("pasted, held in memory only")
    expect(page(output)).to_contain_text("('http://127.0.0.1:9/v1', 'model-aa-bb-dd')")
    keyboard.press("Tab")
    expect(button(output, "Forget the key")).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(output.get_by_role("status")).to_contain_text("failed: ConnectionFailed")
    assert notebook.panel.locator(".jp-Notebook-cell").count() == cells


def test_hostile_text_runs_nowhere_and_is_shown(lab, open_notebook):
    notebook = opened(lab, open_notebook, "hostile.ipynb", CELL)
    output = notebook.output(0)
    button(output, "endpoint").click()
    for name in ("script", "image", "attribute", "closing", "mathjax"):
        text = TEXTS[name]
        with StubServer([says(text)]) as server:
            enter(output, "Address", server.base_url)
            enter(output, "Model name", text)
            expect(page(output)).to_contain_text(repr(text)[1:20])
            button(output, "Test the connection").click()
            expect(output.get_by_role("status")).to_contain_text("works: stub-1 replied")
        enter(output, "Address", text)
        expect(page(output)).to_contain_text("is no http address")
    for tag in ("script", "img", "iframe", "a", "link", "form", "mjx-container", "[onload]"):
        assert page(output).locator(tag).count() == 0, tag
    notebook.screenshot("picker-hostile")
    assert notebook.page.evaluate("window.hacked") is None


def test_the_picture_stays_without_a_kernel(lab, open_notebook):
    notebook = opened(lab, open_notebook, "still.ipynb", CELL)
    saved = notebook.content()["cells"][0]["outputs"][0]["data"]
    picture = "".join(saved["text/html"])
    assert re.search(r"SimulatedLLM.*What it is.*The same in code", picture, re.DOTALL)
    assert "<script" not in picture
