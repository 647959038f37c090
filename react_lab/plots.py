"""Six plots of runs, for notebooks 07, 08 and 11; matplotlib is imported here alone.

Each takes plain data and an optional `ax`, and returns the Axes. Colours are those of
Okabe and Ito, which differ for every common kind of colour vision; hatches and markers
carry the same meaning in black and white. Each has a twin `describe_*` that returns the
same numbers as a short table: print it beside the plot, it is the plot's alt text.

>>> print(describe_step_histogram({"right": [2, 2, 3], "wrong": [8]}, limit=8))
steps  right  wrong
2          2      0
3          1      0
8          0      1
limit: 8 steps
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .evals.intervals import wilson
from .records import Run

#: Okabe and Ito's eight colours, the black one last.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo", "++", "--")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
Counts = tuple[int, int]


def step_histogram(
    steps: Mapping[str, Sequence[int]], *, limit: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how many runs took how many steps, stacked by outcome, the step limit marked.

    `steps` maps an outcome, such as "right", to the number of steps of each run.
    """
    ax = _axes(ax)
    columns = _columns(steps, limit)
    below = [0] * len(columns)
    for index, (outcome, taken) in enumerate(steps.items()):
        heights = [taken.count(column) for column in columns]
        ax.bar(columns, heights, bottom=below, label=f"{outcome} ({len(taken)})", **_face(index))
        below = [a + b for a, b in zip(below, heights, strict=True)]
    if limit is not None:
        ax.axvline(limit + 0.5, color="black", linestyle="--", label=f"limit {limit}")
    _whole_numbers(ax.xaxis, ax.yaxis)
    return _finish(ax, "Steps until the run ended", "steps", "runs")


def describe_step_histogram(steps: Mapping[str, Sequence[int]], *, limit: int | None = None) -> str:
    """Return the step counts as a table: one row a number of steps that occurs."""
    seen = sorted({number for taken in steps.values() for number in taken})
    rows = [[str(number), *(str(list(t).count(number)) for t in steps.values())] for number in seen]
    end = [] if limit is None else [f"limit: {limit} steps"]
    return "\n".join([_table(["steps", *steps], rows), *end])


def recovery_heatmap(
    cells: Mapping[tuple[str, str], Counts],
    *,
    title: str = "Recovered, m of n",
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of runs that recovered: a row for a fault, a column for the defences.

    `cells` maps (fault, defence) to (recovered, runs in which the fault fired); the two
    counts stand in the cell. A pair that was not run stays white.
    """
    faults, defences = _sides(cells)
    ax = _axes(ax, (1.6 + 0.75 * len(defences), 1.2 + 0.32 * len(faults)))
    shares = [[_share(cells.get((f, d))) for d in defences] for f in faults]
    if shares:
        ax.imshow(shares, cmap="cividis", vmin=0, vmax=1, aspect="auto")
    for y, fault in enumerate(faults):
        for x, defence in enumerate(defences):
            _cell_text(ax, x, y, cells.get((fault, defence)))
    ax.set_xticks(range(len(defences)), defences, rotation=40, ha="right")
    ax.set_yticks(range(len(faults)), faults)
    ax.set_title(title)
    return ax


def describe_recovery_heatmap(cells: Mapping[tuple[str, str], Counts]) -> str:
    """Return the cells as a table of m/n; a pair that was not run is a dash."""
    faults, defences = _sides(cells)
    rows = [[f, *(_fraction(cells.get((f, d))) for d in defences)] for f in faults]
    return _table(["fault", *defences], rows)


def prompt_tokens(runs: Mapping[str, Run], *, ax: Axes | None = None) -> Axes:
    """Draw the tokens of each prompt, a line a run; `runs` maps a label to a run."""
    ax = _axes(ax)
    for index, (label, run) in enumerate(runs.items()):
        sent = _sent(run)
        ax.plot(range(1, len(sent) + 1), sent, label=label, **_line(index))
    _from_zero(ax)
    _whole_numbers(ax.xaxis)
    return _finish(ax, "Tokens sent at each step", "step", "prompt tokens")


def describe_prompt_tokens(runs: Mapping[str, Run]) -> str:
    """Return the tokens of each prompt as a table: a row a run, a column a step."""
    sent = {label: _sent(run) for label, run in runs.items()}
    longest = max(map(len, sent.values()), default=0)
    rows = [[label, *map(str, n), *[""] * (longest - len(n))] for label, n in sent.items()]
    return _table(["run", *(f"step {n}" for n in range(1, longest + 1))], rows)


def stop_reasons(runs: Mapping[str, Iterable[Run]], *, ax: Axes | None = None) -> Axes:
    """Draw why runs ended, a stacked bar a configuration; `runs` maps its name to runs."""
    ax = _axes(ax)
    counts = {name: _reasons(group) for name, group in runs.items()}
    names, left = list(counts), [0] * len(counts)
    for index, reason in enumerate(_all_reasons(counts)):
        widths = [counts[name][reason] for name in names]
        ax.barh(names, widths, left=left, label=reason, **_face(index))
        left = [a + b for a, b in zip(left, widths, strict=True)]
    ax.invert_yaxis()
    _whole_numbers(ax.xaxis)
    return _finish(ax, "Why runs ended", "runs", "")


def describe_stop_reasons(runs: Mapping[str, Iterable[Run]]) -> str:
    """Return the stop reasons as a table: a row a configuration, a column a reason."""
    counts = {name: _reasons(group) for name, group in runs.items()}
    reasons = _all_reasons(counts)
    rows = [[name, *(str(c[reason]) for reason in reasons)] for name, c in counts.items()]
    return _table(["configuration", *reasons], rows)


def paired_steps(
    before: Mapping[str, int],
    after: Mapping[str, int],
    *,
    names: tuple[str, str] = ("before", "after"),
    ax: Axes | None = None,
) -> Axes:
    """Draw the steps of the same tasks before and after a change, a line a task.

    Both map a task to its steps; tasks that only one of them has are left out.
    """
    ax = _axes(ax)
    drawn = Counter((before[t], after[t]) for t in before if t in after)
    for (old, new), tasks in sorted(drawn.items()):
        style = _line(0 if new < old else 1 if new > old else 7)
        ax.plot([0, 1], [old, new], linewidth=1 + 0.6 * (tasks - 1), alpha=0.8, **style)
    for index, label in ((0, "fewer steps"), (7, "the same"), (1, "more steps")):
        ax.plot([], [], label=label, **_line(index))
    ax.set_xticks([0, 1], names)
    ax.set_xlim(-0.2, 1.2)
    _whole_numbers(ax.yaxis)
    return _finish(ax, "Steps of each task (a thicker line: more tasks)", "", "steps")


def describe_paired_steps(
    before: Mapping[str, int],
    after: Mapping[str, int],
    *,
    names: tuple[str, str] = ("before", "after"),
) -> str:
    """Return the pairs as a table and the two means."""
    both = [task for task in before if task in after]
    rows = [[t, str(before[t]), str(after[t]), f"{after[t] - before[t]:+}"] for t in both]
    if not both:
        return "no task in both"
    means = mean(before[t] for t in both), mean(after[t] for t in both)
    return (
        f"{_table(['task', *names, 'change'], rows)}\nmean: {means[0]:.2f} and {means[1]:.2f} steps"
    )


def pass_rates(passes: Mapping[str, Counts], *, ax: Axes | None = None) -> Axes:
    """Draw pass rates with 95 % Wilson whiskers; `passes` maps a name to (passes, runs)."""
    ax = _axes(ax)
    for index, (name, (m, n)) in enumerate(passes.items()):
        rate = m / n if n else 0.0
        low, high = wilson(m, n)
        ax.bar(name, rate, width=0.6, **_face(index))
        ax.errorbar(
            name, rate, [[max(0, rate - low)], [max(0, high - rate)]], color="black", capsize=6
        )
        ax.annotate(f"{m}/{n}", (index, min(high + 0.02, 1.04)), ha="center")
    ax.set_ylim(0, 1.12)
    ax.set_title("Pass rate, with 95 % Wilson interval")
    ax.set_ylabel("share of runs")
    return ax


def describe_pass_rates(passes: Mapping[str, Counts]) -> str:
    """Return the rates and their intervals as a table."""
    rows = []
    for name, (m, n) in passes.items():
        low, high = wilson(m, n)
        rate = f"{m / n:.2f}" if n else "-"
        rows.append([name, f"{m}/{n}", rate, f"{low:.2f} to {high:.2f}"])
    return _table(["configuration", "passed", "rate", "95 % interval"], rows)


def _axes(ax: Axes | None, size: tuple[float, float] = (6.4, 3.6)) -> Axes:
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def _finish(ax: Axes, title: str, x: str, y: str) -> Axes:
    ax.set(title=title, xlabel=x, ylabel=y)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def _from_zero(ax: Axes) -> None:
    # A fixed limit of 0 would leave nothing to see once the axis is made logarithmic.
    for line in ax.lines:
        line.sticky_edges.y.append(0)
        ax.update_datalim([(1, 0)])
    ax.autoscale_view()


def _face(index: int) -> dict[str, Any]:
    colour, hatch = COLOURS[index % len(COLOURS)], HATCHES[index % len(HATCHES)]
    return {
        "color": colour,
        "hatch": hatch,
        "edgecolor": "white" if colour == "#000000" else "black",
    }


def _line(index: int) -> dict[str, Any]:
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": DASHES[index % len(DASHES)],
    }


def _whole_numbers(*axes: object) -> None:
    for axis in axes:
        axis.set_major_locator(MaxNLocator(integer=True))  # type: ignore[attr-defined]


def _columns(steps: Mapping[str, Sequence[int]], limit: int | None) -> list[int]:
    taken = [number for group in steps.values() for number in group] + [limit or 1]
    return list(range(1, max(taken) + 1))


def _sides(cells: Mapping[tuple[str, str], Counts]) -> tuple[list[str], list[str]]:
    faults, defences = dict.fromkeys(f for f, _ in cells), dict.fromkeys(d for _, d in cells)
    return list(faults), list(defences)


def _share(counts: Counts | None) -> float:
    return counts[0] / counts[1] if counts and counts[1] else float("nan")


def _fraction(counts: Counts | None) -> str:
    return "-" if counts is None else f"{counts[0]}/{counts[1]}"


def _cell_text(ax: Axes, x: int, y: int, counts: Counts | None) -> None:
    dark = bool(counts and counts[1] and counts[0] / counts[1] < 0.5)
    colour = "white" if dark else "black"
    ax.text(x, y, _fraction(counts), ha="center", va="center", color=colour, fontsize="small")


def _sent(run: Run) -> list[int]:
    return [step.usage.prompt_tokens for step in run.steps]


def _reasons(runs: Iterable[Run]) -> Counter[str]:
    return Counter(run.stop_reason or "running" for run in runs)


def _all_reasons(counts: Mapping[str, Counter[str]]) -> list[str]:
    found = {reason for counter in counts.values() for reason in counter}
    return sorted(found, key=lambda reason: (reason != "final_answer", reason))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [
            row[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
