"""Run notebooks in fresh kernels and store their outputs: python tests/record.py NOTEBOOK...

What differs from run to run, or from machine to machine, is taken out: widget state and
views, run times, the traceback's paths, Python's patch version. The kernels are offline, as
they are in the tests.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from isolation import isolate
from nbclient import NotebookClient

VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def record(path: Path) -> None:
    """Run one notebook from top to bottom and write it back with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    clear(notebook)
    # A finite time-out turns a known hang of nbclient into a delay of that length.
    client = NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    tidy(notebook)
    nbformat.validate(notebook)
    nbformat.write(notebook, path)


def clear(notebook: nbformat.NotebookNode) -> None:
    """Take out everything of the last run."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        for key in ("execution", "collapsed", "jupyter"):
            cell.metadata.pop(key, None)


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Take out what differs from run to run."""
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(VIEW, None)
            if "traceback" in output:
                output.traceback = [f"{output.ename}: {output.evalue}"]
        if "outputs" in cell:
            cell.outputs = joined(cell.outputs)


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Join what was printed in a row: how it is cut into messages is a matter of luck."""
    kept: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = kept[-1] if kept else {}
        if output.get("name", "") and output.get("name") == last.get("name"):
            kept[-1].text += output.text
        else:
            kept.append(output)
    return kept


def main(names: list[str]) -> None:
    """Record each notebook that is named."""
    if not names:
        sys.exit("Which notebooks? python tests/record.py notebooks/*.ipynb")
    with tempfile.TemporaryDirectory(prefix="react_lab_record_") as home:
        isolate(Path(home))
        for name in names:
            record(Path(name))
            print("recorded", name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
