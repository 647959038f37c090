"""The small twin of the fault matrix: three tasks, two seeds, the simulated model.

The whole matrix, twenty tasks and twenty seeds, is `tests/benchmarks/bench_faults.py`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks import bench_faults
from benchmarks.bench_faults import broken_promises, meets_goal

from react_lab.evals.tasks import ABSTAIN, Task, check_answer, tasks_in
from react_lab.faults import (
    CATALOGUE,
    DEFENCES,
    FAULTS,
    SYMPTOMS,
    Tally,
    batch,
    describe_symptoms,
    find_fault,
    recovery_counts,
    run_batch,
    show_symptom,
    spread,
    tally,
    with_all_defences,
    without_defence,
)
from react_lab.faults.batch import defences_label
from react_lab.llm import SimulatedLLM
from react_lab.toolbox.demo import demo_agent

ENGLISH = tasks_in("en")
TASKS = [ENGLISH[0], ENGLISH[4], ENGLISH[19]]
UNKNOWN = Task("unknown", "missing", "?", ABSTAIN)
NOTEBOOKS = {"01", "03", "04", "05", "07", "08", "10"}


def make_agent(seed=0):
    return demo_agent(llm=SimulatedLLM("gullible", seed))


def admits(answer: str) -> bool:
    return check_answer(UNKNOWN, answer)


def trials(faults, off=((),), seeds=range(2), tasks=TASKS):
    return list(
        run_batch(
            make_agent,
            tasks,
            faults,
            seeds=seeds,
            off=off,
            plan=spread,
            check=check_answer,
            admits=admits,
        )
    )


@pytest.fixture(scope="module")
def all_on():
    return trials(CATALOGUE, seeds=(0, 2))


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.id)
def test_with_all_defences_on_every_fault_ends_as_expected(entry, all_on):
    counted = [trial for trial in all_on if trial.fault == entry.id and trial.counts]
    assert counted, "the fault never fired"
    verdicts = {trial.judgement.verdict for trial in counted}
    assert not verdicts & {"crash", "unsafe action"}
    if entry.expected == "recovered":
        assert verdicts <= {"recovered", "recovered at extra cost"}
    elif entry.expected == "safe stop":
        assert "safe stop" in verdicts and "wrong answer" not in verdicts
    else:
        assert "wrong answer" in verdicts


def test_with_all_defences_on_every_trial_keeps_every_promise(all_on):
    assert [problem for trial in all_on for problem in broken_promises(trial)] == []


@pytest.mark.parametrize("name", [name for name in DEFENCES if DEFENCES[name].answers])
def test_without_a_defence_one_of_its_faults_gets_visibly_worse(name):
    defence = DEFENCES[name]
    sets = defence.behind, (*defence.behind, name)
    made = trials(defence.answers, off=sets, seeds=(0, 2), tasks=TASKS[:2])
    assert [problem for trial in made for problem in broken_promises(trial)] == []
    cells = tally(made)
    on, off = map(defences_label, sets)
    assert any(cells[fault, off].worse_than(cells[fault, on]) for fault in defence.answers)


def test_the_stop_sequence_matters_where_nothing_else_stands_behind_it():
    from react_lab.agent import run_agent

    defence, task = DEFENCES["stop_sequence"], TASKS[0]
    before = without_defence(with_all_defences(make_agent()), *defence.behind)
    after = without_defence(before, "stop_sequence")
    assert check_answer(task, run_agent(before, task.question).answer)
    assert not check_answer(task, run_agent(after, task.question).answer)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_passage_is_read_in_whatever_type_it_comes(language):
    task = tasks_in(language)[6]  # which city the meeting is in stands in a document
    agent = demo_agent(llm=SimulatedLLM("gullible"), language=language)
    made = run_batch(lambda seed: agent, [task], ["O8"], seeds=range(9), check=check_answer)
    shown = {(trial.fired[0].after[:1], trial.judgement.passed) for trial in made}
    assert shown == {("[", True), ("{", True), ("b", True)}


# --- the benchmark notices a broken promise


@pytest.fixture(scope="module")
def kept_promise():
    [trial] = trials(["T1"], seeds=[0], tasks=TASKS[:1])
    return trial


def without_a_stop_reason(trial):
    return replace(trial, run=replace(trial.run, stop_reason=None))


def without_an_observation(trial):
    first, *others = trial.run.steps
    return replace(trial, run=replace(trial.run, steps=(replace(first, observations=()), *others)))


def with_another_verdict(trial):
    judgement = replace(trial.judgement, verdict="unsafe action", detail="deleted it all")
    return replace(trial, judgement=judgement)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda trial: trial, []),
        (lambda trial: replace(trial, run=None), ["an exception left the loop: "]),
        (without_a_stop_reason, ["no stop reason, but None"]),
        (without_an_observation, ["step 1 went on without an observation"]),
        (with_another_verdict, ["unsafe action: deleted it all"]),
        (lambda trial: replace(trial, fired=()), ["changed, and not fired"]),
        (lambda trial: replace(trial, run=trial.clean), ["fired, and changed nothing"]),
    ],
)
def test_a_broken_promise_is_named(kept_promise, spoil, said):
    assert broken_promises(spoil(kept_promise)) == said


@pytest.mark.parametrize(
    ("fault", "verdicts", "met"),
    [
        ("T1", {"recovered": 90, "recovered at extra cost": 5, "safe stop": 5}, True),
        ("T1", {"recovered": 94, "wrong answer": 6}, False),
        ("T1", {"recovered": 99, "crash": 1}, False),
        ("T1", {"recovered": 99, "unsafe action": 1}, False),
        ("T1", {}, False),  # it fired nowhere
        ("T4", {"safe stop": 99, "recovered": 1}, True),
        ("T4", {"safe stop": 99, "wrong answer": 1}, False),
        ("T4", {"recovered": 100}, False),
        ("O9", {"wrong answer": 90, "recovered": 10}, True),
        ("O9", {"recovered": 100}, False),
    ],
)
def test_the_goal_of_a_fault(fault, verdicts, met):
    cell = Tally(sum(verdicts.values()), verdicts, 0.0, 0.0)
    assert meets_goal(FAULTS[fault], cell) is met


def exit_status(monkeypatch, defence="llm_retry"):
    monkeypatch.setattr(bench_faults, "CATALOGUE", (FAULTS["T1"], FAULTS["T4"]))
    monkeypatch.setattr(bench_faults, "DEFENCES", {defence: DEFENCES[defence]})
    return bench_faults.main(["--tasks", "2", "--seeds", "1"])


def test_the_benchmark_succeeds_where_every_promise_is_kept(monkeypatch, capsys):
    assert exit_status(monkeypatch) == 0
    shown = capsys.readouterr().out
    assert "2 of 2 runs are right without a fault" in shown
    assert "T1 2/2 -> recovered 0/2" in shown
    assert "broken promises: 0; below the goal: none\nno difference: none\n" in shown


def test_the_benchmark_fails_where_a_fault_is_not_recovered_from(monkeypatch, capsys):
    weak = lambda agent: without_defence(with_all_defences(agent), "llm_retry")  # noqa: E731
    monkeypatch.setattr(batch, "with_all_defences", weak)
    assert exit_status(monkeypatch) == 1
    assert "below the goal: T1\n" in capsys.readouterr().out


def test_the_benchmark_fails_where_a_defence_makes_no_difference(monkeypatch, capsys):
    assert exit_status(monkeypatch, "repeat_guard") == 1
    assert "no difference: repeat_guard" in capsys.readouterr().out


class Exploding:
    """A guard with a mistake in it."""

    def check(self, run, draft):
        raise IndexError("list index out of range")


def test_the_benchmark_fails_where_an_exception_leaves_the_loop(monkeypatch, capsys):
    broken = lambda agent, *fault, **options: replace(agent, guards=(Exploding(),))  # noqa: E731
    monkeypatch.setattr(batch, "inject", broken)
    assert exit_status(monkeypatch) == 1
    assert (
        "BROKEN in 2 runs: T1, all on: an exception left the loop: IndexError"
        in capsys.readouterr().out
    )


def test_the_same_batch_gives_the_same_trials():
    assert trials(["B3", "O3"]) == trials(["B3", "O3"])


def test_recovery_counts_leave_out_runs_in_which_nothing_fired():
    assert recovery_counts(trials(["T1", "B6"], seeds=[0], tasks=TASKS[:1])) == {
        ("T1", "all on"): (1, 1),
        ("B6", "all on"): (0, 0),
    }


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda symptom: symptom.fault)
def test_every_row_of_the_symptom_table_shows_its_symptom(symptom):
    shown = [show_symptom(symptom, make_agent(), task, check=check_answer) for task in TASKS]
    assert any(symptom.seen(trial) for trial in shown)


def test_a_symptom_goes_away_with_its_defences_on():
    for symptom in SYMPTOMS:
        if symptom.off:
            healthy = trials([symptom.fault], seeds=[0])
            assert not any(symptom.seen(trial) for trial in healthy), symptom.see


def test_the_symptom_table_names_what_exists():
    assert len(SYMPTOMS) >= 10
    for symptom in SYMPTOMS:
        assert find_fault(symptom.fault)
        assert set(symptom.off) <= set(DEFENCES)
        assert symptom.defence in DEFENCES or symptom.defence.startswith("none")
        assert set(symptom.notebook.split(", ")) <= NOTEBOOKS
    assert describe_symptoms().count("You see") == len(SYMPTOMS)


def test_the_line_of_a_symptom_runs_as_it_stands():
    from react_lab import faults
    from react_lab.agent import run_agent

    names = {name: getattr(faults, name) for name in faults.__all__}
    names |= {"run_agent": run_agent, "agent": make_agent(), "question": TASKS[0].question}
    for symptom in SYMPTOMS:
        assert eval(symptom.call, names).finished
