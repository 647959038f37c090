"""The plots draw the numbers that their text twins print."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest

from react_lab import plots
from react_lab.errors import UsageError
from react_lab.evals.intervals import wilson
from react_lab.records import Completion, Messages, Parsed, Run, Step, Usage

STEPS = {"right": [2, 2, 3, 4], "wrong": [4, 8]}
CELLS = {("F1", "all"): (20, 20), ("F1", "none"): (3, 20), ("B1", "all"): (0, 0)}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def run_of(*tokens: int, stop: str = "final_answer") -> Run:
    usages = [Usage(n, 5) for n in tokens]
    steps = tuple(Step(Messages(), Completion(""), Parsed(), usage=usage) for usage in usages)
    return Run("q", steps, "4", stop)


@pytest.mark.parametrize(
    ("passes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_values_published_by_newcombe_1998(passes, n, low, high):
    assert wilson(passes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_knows_nothing_of_no_runs_and_refuses_more_passes_than_runs():
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(UsageError, match="between 0 and n=3"):
        wilson(4, 3)


def test_step_histogram_stacks_outcomes_and_marks_the_limit():
    ax = plots.step_histogram(STEPS, limit=8)
    right, wrong = ax.containers
    assert [bar.get_height() for bar in right] == [0, 2, 1, 1, 0, 0, 0, 0]
    assert [bar.get_height() for bar in wrong] == [0, 0, 0, 1, 0, 0, 0, 1]
    assert wrong[3].get_y() == 1
    assert ax.lines[0].get_xdata()[0] == 8.5
    assert ax.get_legend_handles_labels()[1] == ["limit 8", "right (4)", "wrong (2)"]


def test_step_histogram_twin():
    assert plots.describe_step_histogram(STEPS, limit=8).splitlines() == [
        "steps  right  wrong",
        "2          2      0",
        "3          1      0",
        "4          1      1",
        "8          0      1",
        "limit: 8 steps",
    ]


def test_recovery_heatmap_writes_both_counts_into_each_cell():
    ax = plots.recovery_heatmap(CELLS)
    assert [text.get_text() for text in ax.texts] == ["20/20", "3/20", "0/0", "-"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["F1", "B1"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["all", "none"]
    assert [text.get_color() for text in ax.texts[:2]] == ["black", "white"]


def test_recovery_heatmap_twin():
    assert plots.describe_recovery_heatmap(CELLS).splitlines() == [
        "fault    all  none",
        "F1     20/20  3/20",
        "B1       0/0     -",
    ]


def test_prompt_tokens_draws_a_line_a_run_with_its_own_marker():
    ax = plots.prompt_tokens({"all": run_of(100, 200, 300), "window": run_of(100, 150)})
    assert [list(line.get_ydata()) for line in ax.lines] == [[100, 200, 300], [100, 150]]
    assert len({line.get_marker() for line in ax.lines}) == 2


def test_prompt_tokens_begins_at_zero_and_can_be_made_logarithmic():
    ax = plots.prompt_tokens({"all": run_of(100, 200, 3_000)})
    assert ax.get_ylim() == pytest.approx((0, 3_150))
    ax.set_yscale("log")
    bottom, top = ax.get_ylim()
    assert 10 < bottom < 100 < 3_000 < top < 10_000


def test_prompt_tokens_twin():
    text = plots.describe_prompt_tokens({"all": run_of(100, 200), "window": run_of(90)})
    assert text.splitlines() == [
        "run     step 1  step 2",
        "all        100     200",
        "window      90",
    ]


def test_stop_reasons_are_stacked_the_answer_first():
    runs = {"on": [run_of(1)] * 3, "off": [run_of(1), run_of(1, stop="max_steps")]}
    ax = plots.stop_reasons(runs)
    assert ax.get_legend_handles_labels()[1] == ["final_answer", "max_steps"]
    assert [[bar.get_width() for bar in c] for c in ax.containers] == [[3, 1], [0, 1]]
    assert plots.describe_stop_reasons(runs).splitlines() == [
        "configuration  final_answer  max_steps",
        "on                        3          0",
        "off                       1          1",
    ]


def test_paired_steps_leaves_out_what_only_one_side_has():
    before, after = {"a": 3, "b": 5, "c": 2}, {"a": 2, "b": 6}
    ax = plots.paired_steps(before, after)
    assert [list(line.get_ydata()) for line in ax.lines[:2]] == [[3, 2], [5, 6]]
    assert plots.describe_paired_steps(before, after).splitlines() == [
        "task  before  after  change",
        "a          3      2      -1",
        "b          5      6      +1",
        "mean: 4.00 and 4.00 steps",
    ]
    assert plots.describe_paired_steps(before, {}) == "no task in both"


def test_pass_rates_have_whiskers_that_end_at_the_interval():
    ax = plots.pass_rates({"on": (16, 20), "off": (0, 0)})
    low, high = wilson(16, 20)
    segment = ax.containers[1].lines[2][0].get_segments()[0]
    assert [point[1] for point in segment] == pytest.approx([low, high])
    assert plots.describe_pass_rates({"on": (16, 20), "off": (0, 0)}).splitlines() == [
        "configuration  passed  rate  95 % interval",
        "on              16/20  0.80   0.58 to 0.92",
        "off               0/0     -   0.00 to 1.00",
    ]


def test_a_plot_draws_into_the_axes_it_is_given():
    _, given = plt.subplots()
    assert plots.step_histogram(STEPS, ax=given) is given
    assert plots.recovery_heatmap(CELLS, ax=given) is given
    assert plots.pass_rates({"on": (1, 2)}, ax=given) is given


def test_neighbouring_bars_differ_without_colour():
    ax = plots.step_histogram({str(n): [n] for n in range(1, 9)})
    hatches = [container[0].get_hatch() for container in ax.containers]
    assert len(set(hatches)) == 8


def test_empty_data_draws_and_describes():
    plots.step_histogram({})
    plots.prompt_tokens({})
    plots.stop_reasons({})
    plots.pass_rates({})
    plots.recovery_heatmap({})
    assert plots.describe_step_histogram({}) == "steps"
    assert plots.describe_recovery_heatmap({}) == "fault"
