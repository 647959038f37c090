"""Every notebook runs from top to bottom in a real JupyterLab."""

from __future__ import annotations

import nbformat
import pytest
from lab import ROOT, expect

NAMES = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_runs_from_top_to_bottom(open_notebook, lab, name):
    cells = nbformat.read(lab.folder / name, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    meant = {
        n for n, cell in enumerate(code) if "raises-exception" in cell.metadata.get("tags", [])
    }
    notebook = open_notebook(name, same_page=True)
    notebook.run_all()
    failures = notebook.failures()
    assert {n: text for n, text in failures.items() if n not in meant} == {}
    assert failures.keys() == meant
    assert notebook.counts() == [n + 1 for n in range(len(code))]


@pytest.mark.skipif("00_start_here.ipynb" not in NAMES, reason="the first notebook is not there")
def test_the_first_notebook_shows_a_run_as_html(open_notebook):
    notebook = open_notebook("00_start_here.ipynb")
    notebook.run_all()
    shown = notebook.panel.locator(".jp-OutputArea-output[data-mime-type='text/html']")
    expect(shown.filter(has_text="final_answer").first).to_be_visible()


def test_the_harness_sees_output_themes_and_clicks(open_notebook, lab):
    name = lab.write(
        "zz_harness.ipynb",
        "import ipywidgets\n"
        "text = ipywidgets.HTML('not yet')\n"
        "button = ipywidgets.Button(description='Press')\n"
        "button.on_click(lambda _: setattr(text, 'value', 'pressed'))\n"
        "ipywidgets.VBox([button, text])",
        "print(6 * 7)",
    )
    notebook = open_notebook(name, theme="dark")
    notebook.run_all()
    expect(notebook.output(1)).to_contain_text("42")
    notebook.output(0).get_by_role("button", name="Press").click()
    expect(notebook.output(0)).to_contain_text("pressed")
    assert notebook.page.locator("body").get_attribute("data-jp-theme-light") == "false"
    notebook.screenshot("harness")


def test_the_harness_reports_errors_and_requests_to_elsewhere(open_notebook, lab):
    name = lab.write("zz_errors.ipynb", "1 / 0")
    notebook = open_notebook(name)
    notebook.run_all()
    assert notebook.errors() == ["ZeroDivisionError: division by zero"]
    notebook.page.evaluate("console.error('seen'); fetch('http://example.org/x').catch(() => 0)")
    found = " ".join(notebook.problems)
    assert "seen" in found
    assert "request left this machine: http://example.org/x" in found
    notebook.problems.clear()
