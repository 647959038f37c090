"""The small twin of the fault matrix: three tasks, two seeds, the simulated model.

The whole matrix, twenty tasks and twenty seeds, is `tests/benchmarks/bench_faults.py`.
"""

from __future__ import annotations

import pytest

from react_lab.evals.tasks import ABSTAIN, Task, check_answer, tasks_in
from react_lab.faults import (
    CATALOGUE,
    DEFENCES,
    SYMPTOMS,
    describe_symptoms,
    find_fault,
    recovery_counts,
    run_batch,
    show_symptom,
    spread,
    tally,
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


@pytest.mark.parametrize("name", [name for name in DEFENCES if DEFENCES[name].answers])
def test_without_a_defence_one_of_its_faults_gets_visibly_worse(name):
    defence = DEFENCES[name]
    sets = defence.behind, (*defence.behind, name)
    cells = tally(trials(defence.answers, off=sets, seeds=(0, 2), tasks=TASKS[:2]))
    on, off = map(defences_label, sets)
    assert any(cells[fault, off].worse_than(cells[fault, on]) for fault in defence.answers)


def test_the_stop_sequence_matters_where_nothing_else_stands_behind_it():
    from react_lab.agent import run_agent
    from react_lab.faults import with_all_defences, without_defence

    defence, task = DEFENCES["stop_sequence"], TASKS[0]
    before = without_defence(with_all_defences(make_agent()), *defence.behind)
    after = without_defence(before, "stop_sequence")
    assert check_answer(task, run_agent(before, task.question).answer)
    assert not check_answer(task, run_agent(after, task.question).answer)


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
