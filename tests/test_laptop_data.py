"""The recorded replies of the small model: whole, small, labelled, and still true."""

from __future__ import annotations

from importlib.resources import files

import pytest

from react_lab.contracts.parsing import parse_reply
from react_lab.errors import UsageError
from react_lab.evals import TASKS, check_answer
from react_lab.llm.laptop_data import (
    laptop_about,
    laptop_counts,
    laptop_kinds,
    laptop_replies,
    laptop_runs,
)
from react_lab.toolbox import demo_tools

TASK = {task.id: task for task in TASKS}
MODES = ("free", "few_shot", "constrained", "few_shot_constrained")


def test_the_data_is_small() -> None:
    folder = files("react_lab.llm") / "data"
    assert sum(len(path.read_bytes()) for path in folder.iterdir()) < 400_000


def test_every_recording_says_model_date_and_settings() -> None:
    about = laptop_about()
    assert about["model"] == "smollm2-135m"
    assert about["date"].startswith("2026-")
    assert about["settings"]["temperature"] == 0
    assert tuple(about["modes"]) == MODES


@pytest.mark.parametrize("mode", MODES)
def test_each_way_of_asking_has_a_run_of_each_task(mode: str) -> None:
    runs = laptop_runs(mode)
    able = [
        t.id for t in TASKS if t.language == "en" and set(t.tools) <= set(laptop_about()["tools"])
    ]
    assert [run.task for run in runs] == able
    for run in runs:
        assert run.question == TASK[run.task].question
        assert run.steps
        assert run.right == check_answer(TASK[run.task], run.answer)


def test_what_was_called_well_formed_is_read_so_today() -> None:
    tools = demo_tools()
    changed = [
        step.reply
        for run in laptop_runs()
        for step in run.steps
        if step.finish_reason == "stop"
        and step.well_formed != (parse_reply(step.reply, tools).error is None)
    ]
    assert changed == []


def test_counts_are_those_of_the_runs() -> None:
    counts = {count.mode: count for count in laptop_counts()}
    assert tuple(counts) == MODES
    for mode, count in counts.items():
        runs = laptop_runs(mode)
        assert count.runs == len(runs) == 15
        assert count.right == sum(run.right for run in runs)
        assert count.mean_steps == sum(len(run.steps) for run in runs) / 15
    assert counts["few_shot"].first_well_formed > counts["free"].first_well_formed


def test_replies_by_kind() -> None:
    assert sum(laptop_kinds().values()) == 1427
    assert next(iter(laptop_kinds())) == "ok_action"
    invented = laptop_replies("hallucinated_observation")
    assert len(invented) == 12
    assert all("Observation:" in reply.reply for reply in invented)
    assert {reply.kind for reply in laptop_replies()} == set(laptop_kinds())
    with pytest.raises(UsageError, match="no kind 'nonsense': choose from ok_action"):
        laptop_replies("nonsense")
    with pytest.raises(UsageError, match="no mode 'nonsense': choose from free"):
        laptop_runs("nonsense")


def test_no_recorded_reply_breaks_the_parser() -> None:
    tools = {"calculator": {"expression": "string"}, "get_weather": {"city": "string"}}
    for reply in laptop_replies():
        parsed = parse_reply(reply.reply, tools)
        assert (parsed.error is None) == bool(parsed.actions or parsed.answer), reply
        if reply.kind.startswith("prose"):
            assert not parsed.actions, reply
