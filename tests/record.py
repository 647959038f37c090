"""Run notebooks in fresh kernels and store their outputs: python tests/record.py NOTEBOOK...

What nbval cannot compare is taken out: widget state and views, run times, the traceback's
paths, Python's patch version.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

VIEW = "application/vnd.jupyter.widget-view+json"


def record(path: Path) -> None:
    """Record one notebook in place."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.pop("execution", None)
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


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Take out what differs from run to run."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata.language_info = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(VIEW, None)
            if "traceback" in output:
                output.traceback = [f"{output.ename}: {output.evalue}"]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        record(Path(name))
        print("recorded", name)
