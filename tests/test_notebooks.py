"""What nbval does not see: how a notebook is built, and that it was really recorded.

`pytest notebooks` runs every cell and compares its outputs; these tests read the files.
"""

from __future__ import annotations

import itertools
import re
import statistics
import tempfile
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
TAGS = {
    "raises-exception",
    "nbval-ignore-output",
    "nbval-raises-exception",
    "nbval-skip",
    "skip-execution",
}
# The parts of a lesson, in order.
PARTS = (
    "# ",
    "## By the end you can",
    "## Words",
    "## Recap",
    "## What the package adds",
    "## Roads not taken",
    "## Next",
)
MOST_BYTES = 300_000
MOST_LINES = 25
MEDIAN_LINES = 5
WORDS = range(15, 81)  # 20 to 60 is the aim; a table row or a heading is no prose
ROOT = FOLDER.parent
PLACES = [re.escape(str(place)) for place in (ROOT, Path.home(), Path(tempfile.gettempdir()))]
LOCAL_PATH = re.compile(rf"(?:{'|'.join(PLACES)})[/\\]|site-packages|ipykernel_\d+")
FOR_READERS = re.compile(r"\b(?:TODO|FIXME|XXX)\b")


def lines_of(cell) -> int:
    return len([line for line in cell.source.splitlines() if line.strip()])


def prose_of(source: str) -> str:
    """Return a text cell's sentences: no headings, no table rows, no code blocks."""
    source = re.sub(r"```.*?```", "", source, flags=re.DOTALL)
    kept = [line for line in source.splitlines() if not line.lstrip().startswith(("#", "|"))]
    return "\n".join(kept)


def tags_of(cell) -> set[str]:
    return set(cell.metadata.get("tags", []))


def cells_of(notebook, kind: str) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == kind]


def text_of(output) -> str:
    """Return what an output says in words: streams, text, HTML, an exception."""
    data = output.get("data", {})
    texts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    texts += [data[mime] for mime in data if mime.startswith("text/")]
    return "\n".join("".join(text) for text in texts)


# Each rule takes a notebook and yields what is wrong with it.


def has_its_parts(notebook):
    text = "\n\n".join(cell.source for cell in cells_of(notebook, "markdown"))
    places = [re.search(f"^{re.escape(part)}", text, re.MULTILINE) for part in PARTS]
    yield from (
        f"no {part.strip()!r}" for part, place in zip(PARTS, places, strict=True) if not place
    )
    starts = [place.start() for place in places if place]
    if starts != sorted(starts):
        yield f"the parts are not in this order: {PARTS}"


def promises_at_the_top(notebook):
    first = notebook.cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        yield "the first cell is not the title"
    elif not re.search(r"about \d+ minutes", first.source):
        yield "the title's cell does not say how long it takes: about NN minutes"


def names_three_aims(notebook):
    found = [c.source for c in notebook.cells if c.source.startswith("## By the end you can")]
    aims = re.findall(r"^- \*\*\w+", found[0], re.MULTILINE) if found else []
    if len(aims) != 3:
        yield f"{len(aims)} aims under 'By the end you can', of the form '- **verb** ...', want 3"


def imports_first(notebook):
    first = cells_of(notebook, "code")[0]
    if not re.search(r"^(?:from|import) ", first.source, re.MULTILINE):
        yield "the first code cell imports nothing"
    if lines_of(first) > 8:
        yield f"the import cell has {lines_of(first)} lines, at most 8"


def explains_before_code(notebook):
    before = None
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and before is not None and before.cell_type == "markdown":
            words = len(prose_of(before.source).split())
            if words not in WORDS:
                yield f"cell {number}: {words} words before it, want {WORDS[0]} to {WORDS[-1]}"
        before = cell


def has_no_three_code_cells_in_a_row(notebook):
    kinds = "".join(cell.cell_type[0] for cell in notebook.cells)
    yield from (
        f"cell {found.start()}: three code cells in a row" for found in re.finditer("ccc", kinds)
    )


def keeps_code_short(notebook):
    lengths = [lines_of(cell) for cell in cells_of(notebook, "code")]
    yield from (
        f"code cell {n}: {lines} lines" for n, lines in enumerate(lengths) if lines > MOST_LINES
    )
    if statistics.median(lengths) > MEDIAN_LINES:
        yield f"the median code cell has {statistics.median(lengths)} lines, at most {MEDIAN_LINES}"


def was_recorded_from_top_to_bottom(notebook):
    ran = [c for c in cells_of(notebook, "code") if c.source.strip()]
    counts = [c.execution_count for c in ran if not tags_of(c) & {"nbval-skip", "skip-execution"}]
    if counts != list(range(1, len(counts) + 1)):
        yield f"recorded out of order or not at all: {counts}; run python tests/record.py"
    for cell in ran:
        stale = [
            o
            for o in cell.outputs
            if o.get("execution_count", cell.execution_count) != cell.execution_count
        ]
        if stale:
            yield f"an output of another run in cell [{cell.execution_count}]"


def holds_no_empty_cell(notebook):
    yield from (f"cell {n} is empty" for n, c in enumerate(notebook.cells) if not c.source.strip())


def holds_no_widget_state(notebook):
    if "widgets" in notebook.metadata:
        yield "saved widget state"
    for cell in cells_of(notebook, "code"):
        for output in cell.outputs:
            if any("widget" in mime for mime in output.get("data", {})):
                yield f"a widget view in [{cell.execution_count}]: run python tests/record.py"


def has_plain_metadata(notebook):
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    if notebook.metadata.get("kernelspec") != kernel:
        yield f"kernelspec is not {kernel}"
    if notebook.metadata.get("language_info") != {"name": "python"}:
        yield "language_info holds more than the name"
    for number, cell in enumerate(notebook.cells):
        if unknown := tags_of(cell) - TAGS:
            yield f"cell {number}: unknown tags {sorted(unknown)} (a misspelt one does nothing)"
        if hidden := {"jupyter", "collapsed", "execution"} & set(cell.metadata):
            yield f"cell {number}: metadata {sorted(hidden)}"


def has_stable_ids(notebook):
    ids = [cell.get("id", "") for cell in notebook.cells]
    if len(set(ids)) < len(ids):
        yield "two cells with the same id"
    yield from (f"cell id {i!r}" for i in ids if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", i))


def shows_errors_on_purpose_only(notebook):
    for cell in cells_of(notebook, "code"):
        failed = any(output.output_type == "error" for output in cell.outputs)
        if failed != ("raises-exception" in tags_of(cell)):
            yield f"[{cell.execution_count}]: an error {'without' if failed else 'missing despite'} raises-exception"


def says_images_in_words(notebook):
    for cell in cells_of(notebook, "code"):
        kinds = {mime for output in cell.outputs for mime in output.get("data", {})}
        printed = any(output.output_type == "stream" for output in cell.outputs)
        if any(mime.startswith("image/") for mime in kinds) and not printed:
            yield f"[{cell.execution_count}]: an image without a printed summary"


def names_no_place_of_its_author(notebook):
    for number, cell in enumerate(notebook.cells):
        text = "\n".join([cell.source, *map(text_of, cell.get("outputs", []))])
        if found := LOCAL_PATH.search(text):
            yield f"cell {number}: a path of one machine: {found.group()!r}"
        if found := FOR_READERS.search(cell.source):
            yield f"cell {number}: {found.group()} is no text for readers"


RULES = [
    has_its_parts,
    promises_at_the_top,
    names_three_aims,
    imports_first,
    explains_before_code,
    has_no_three_code_cells_in_a_row,
    keeps_code_short,
    was_recorded_from_top_to_bottom,
    holds_no_empty_cell,
    holds_no_widget_state,
    has_plain_metadata,
    has_stable_ids,
    shows_errors_on_purpose_only,
    says_images_in_words,
    names_no_place_of_its_author,
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_notebook(path, rule):
    notebook = nbformat.read(path, as_version=4)
    assert list(rule(notebook)) == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_file(path):
    nbformat.validate(nbformat.read(path, as_version=4))
    assert path.stat().st_size < MOST_BYTES
    assert re.fullmatch(r"\d\d_[a-z0-9_]+\.ipynb", path.name)


def test_the_notebooks_are_numbered_without_a_double():
    numbers = [path.name[:2] for path in PATHS]
    assert len(set(numbers)) == len(numbers)


# The rules themselves: a notebook that keeps them all, and one that breaks each.

PROSE = (
    "Here we say in a sentence or two what the next cell does and why we want to look at it now."
)


def lesson():
    """Make a small notebook that keeps every rule."""
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    stream = nbformat.v4.new_output("stream", name="stdout", text="3 steps\n")
    image = nbformat.v4.new_output("display_data", data={"image/png": "aaaa"})
    error = nbformat.v4.new_output("error", ename="KeyError", evalue="'x'", traceback=["KeyError"])
    cells = [
        text("# 00 · A lesson\n\nOne promise, about 25 minutes."),
        text("## By the end you can\n\n- **run** it;\n- **read** it;\n- **stop** it."),
        text(PROSE),
        code("import math", execution_count=1),
        text("## Words\n\n| word | what it is |\n|---|---|\n| step | one turn |"),
        text(PROSE),
        code("draw()", execution_count=2, outputs=[stream, image]),
        text(PROSE),
        code(
            "{}['x']", execution_count=3, outputs=[error], metadata={"tags": ["raises-exception"]}
        ),
        text("## Recap\n\n## What the package adds\n\n## Roads not taken\n\n## Next"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


def change(index, **values):
    def apply(notebook):
        notebook.cells[index].update(values)

    return apply


def change_metadata(**values):
    return lambda notebook: notebook.metadata.update(values)


def add_output(data):
    output = nbformat.v4.new_output("display_data", data=data)
    return lambda notebook: notebook.cells[6].outputs.append(output)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_good_lesson_passes(rule):
    assert list(rule(lesson())) == []


@pytest.mark.parametrize(
    ("rule", "spoil"),
    [
        (has_its_parts, change(9, source="## Recap\n\n## Next")),
        (has_its_parts, lambda notebook: notebook.cells.insert(0, notebook.cells.pop())),
        (promises_at_the_top, change(0, source="# A lesson\n\nNo length.")),
        (promises_at_the_top, lambda notebook: notebook.cells.pop(0)),
        (names_three_aims, change(1, source="## By the end you can\n\n- **run** it.")),
        (imports_first, change(3, source="x = 1")),
        (imports_first, change(3, source="\n".join(["import math"] * 9))),
        (explains_before_code, change(5, source="## Draw")),
        (explains_before_code, change(5, source=PROSE * 5)),
        (explains_before_code, change(5, source="| a | b |\n" * 30)),
        (
            has_no_three_code_cells_in_a_row,
            lambda notebook: notebook.cells.extend([notebook.cells[3]] * 3),
        ),
        (keeps_code_short, change(6, source="x = 1\n" * 26)),
        (
            keeps_code_short,
            lambda notebook: [c.update(source="x = 1\n" * 6) for c in notebook.cells],
        ),
        (was_recorded_from_top_to_bottom, change(6, execution_count=None)),
        (was_recorded_from_top_to_bottom, change(6, execution_count=5)),
        (
            was_recorded_from_top_to_bottom,
            change(8, outputs=[nbformat.v4.new_output("execute_result", execution_count=9)]),
        ),
        (holds_no_empty_cell, change(5, source=" \n")),
        (holds_no_widget_state, change_metadata(widgets={})),
        (holds_no_widget_state, add_output({"application/vnd.jupyter.widget-view+json": {}})),
        (has_plain_metadata, change_metadata(kernelspec={"name": "my-kernel"})),
        (
            has_plain_metadata,
            change_metadata(language_info={"name": "python", "version": "3.11.7"}),
        ),
        (has_plain_metadata, change(8, metadata={"tags": ["raise-exception"]})),
        (has_plain_metadata, change(6, metadata={"collapsed": True})),
        (has_stable_ids, lambda notebook: notebook.cells.append(notebook.cells[0])),
        (has_stable_ids, change(5, id="not an id")),
        (shows_errors_on_purpose_only, change(8, metadata={})),
        (shows_errors_on_purpose_only, change(8, outputs=[])),
        (says_images_in_words, lambda notebook: notebook.cells[6].outputs.pop(0)),
        (names_no_place_of_its_author, change(6, source=f"open('{Path.home()}/x')")),
        (names_no_place_of_its_author, add_output({"text/plain": f"{ROOT}/notebooks"})),
        (names_no_place_of_its_author, add_output({"text/html": "/tmp/ipykernel_12/3.py"})),
        (names_no_place_of_its_author, change(5, source="TODO: explain")),
    ],
)
def test_a_broken_rule_is_seen(rule, spoil):
    notebook = lesson()
    spoil(notebook)
    assert len(list(rule(notebook))) >= 1


def test_the_readme_lists_each_notebook_with_its_minutes():
    text = (ROOT / "README.md").read_text("utf-8")
    shown = re.findall(r"^\| \[(\d\d) .+\]\(notebooks/(\S+)\) .* (\d+) \|$", text, re.MULTILINE)
    there = [nbformat.read(path, as_version=4).cells[0].source for path in PATHS]
    minutes = [re.search(r"about (\d+) minutes", source)[1] for source in there]
    expected = [(p.name[:2], p.name, n) for p, n in zip(PATHS, minutes, strict=True)]
    assert shown == expected


def test_each_notebook_ends_with_the_one_that_follows():
    for path, following in itertools.pairwise(PATHS):
        last = cells_of(nbformat.read(path, as_version=4), "markdown")[-1].source
        assert f"Notebook {following.name[:2]}" in last.partition("## Next")[2], path.name
