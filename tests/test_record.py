"""A recorded notebook holds what nbval compares and nothing that differs from run to run."""

from __future__ import annotations

import nbformat
import pytest
import record


@pytest.fixture
def path(tmp_path):
    sources = [
        "import ipywidgets\nprint(6 * 7)",
        "ipywidgets.Button(description='Press')",
        "1 / 0",
    ]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    cells[2].metadata.tags = ["raises-exception"]
    cells[0].metadata.collapsed = True
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"widgets": {"state": {}}})
    nbformat.write(notebook, tmp_path / "lesson.ipynb")
    return tmp_path / "lesson.ipynb"


def test_recording_twice_gives_the_same_bytes(path):
    ids = [cell.id for cell in nbformat.read(path, as_version=4).cells]
    record.record(path)
    once = path.read_bytes()
    record.record(path)
    assert path.read_bytes() == once
    assert [cell.id for cell in nbformat.read(path, as_version=4).cells] == ids


def test_what_is_kept_and_what_is_not(path):
    record.record(path)
    notebook = nbformat.read(path, as_version=4)
    printed, button, error = (cell.outputs[0] for cell in notebook.cells)
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, 3]
    assert printed.text == "42\n"
    assert list(button.data) == ["text/plain"]
    assert error.traceback == ["ZeroDivisionError: division by zero"]
    assert notebook.metadata == {
        "kernelspec": record.KERNEL,
        "language_info": {"name": "python"},
    }
    assert notebook.cells[0].metadata == {}


def test_an_unexpected_error_leaves_the_file_alone(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].metadata.tags = []
    nbformat.write(notebook, path)
    before = path.read_bytes()
    with pytest.raises(Exception, match="ZeroDivisionError"):
        record.record(path)
    assert path.read_bytes() == before


def test_without_a_name_it_says_what_it_wants():
    with pytest.raises(SystemExit, match="Which notebooks"):
        record.main([])


def test_what_is_printed_in_a_row_is_one_output():
    stream = nbformat.v4.new_output
    outputs = [
        stream("stream", name="stdout", text="a\n"),
        stream("stream", name="stdout", text="b\n"),
        stream("stream", name="stderr", text="c\n"),
        stream("stream", name="stdout", text="d\n"),
        stream("execute_result", data={"text/plain": "1"}, execution_count=1),
        stream("execute_result", data={"text/plain": "2"}, execution_count=1),
    ]
    kept = record.joined(outputs)
    assert [output.get("text") for output in kept] == ["a\nb\n", "c\n", "d\n", None, None]
