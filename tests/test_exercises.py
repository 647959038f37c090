"""Every exercise keeps its promises, and no learner's object can stop a notebook."""

import ast
import contextlib
import io
import json
import sys
import threading
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

import react_lab
from react_lab.errors import UsageError
from react_lab.exercises import (
    calling,
    check,
    exercise_cell,
    exercise_text,
    find_exercise,
    find_questions,
    hint,
    load_exercises,
    notebooks,
    progress,
    quiz,
    solution,
)
from react_lab.exercises import engine as engine_module
from react_lab.exercises.engine import judge
from react_lab.exercises.protecting import described, same, short, try_out
from react_lab.exercises.records import Check, Exercise, InputChanged, Question

# `react_lab.exercises.progress` is the function.
progress_module = sys.modules["react_lab.exercises.progress"]

CASES = Path(__file__).parent / "exercise_cases"
UNTOUCHED = tomllib.loads((CASES / "untouched.toml").read_text("utf-8"))
SABOTAGED = tomllib.loads((CASES / "sabotaged.toml").read_text("utf-8"))
NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
EXERCISES = [exercise for number in notebooks() for exercise in load_exercises(number)]
WRONG = [(e, n) for e in EXERCISES for n in range(len(e.wrong))]
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
#: In which notebook a part of the package is first shown.
FIRST_SHOWN = {
    "records": 0, "agent": 0, "toolbox": 0, "errors": 1, "llm": 1, "contracts": 2, "tools": 3,
    "contracts.parsing": 4, "guards": 5, "views": 6, "widgets": 6, "faults": 7, "plots": 7,
    "context": 8, "contracts.native": 9, "trace": 11, "evals": 11, "compose": 12,
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    """Keep the learner's own file out of the tests, and begin a new session."""
    path = tmp_path / "progress.json"
    monkeypatch.setenv("REACT_LAB_PROGRESS", str(path))
    monkeypatch.setattr(progress_module, "_session", {})
    monkeypatch.setattr(engine_module, "_hints_shown", {})
    return path


def defined(source: str, name: str):
    space: dict = {"__name__": "learner"}
    exec(compile(source, f"<cell that defines {name}>", "exec"), space)
    return space[name]


def timed_verdict(exercise: Exercise, source: str):
    attempt = defined(source, exercise.name)
    started = time.process_time()
    verdict = judge(exercise, attempt)
    assert time.process_time() - started < 1
    return verdict


def printed(function, *args) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*args)
    return out.getvalue()


# Every exercise that is registered.


@each_exercise
def test_untouched_stub_is_not_attempted(exercise):
    assert timed_verdict(exercise, exercise.stub).outcome == "not attempted"


@each_exercise
def test_reference_solution_passes(exercise):
    verdict = timed_verdict(exercise, exercise.solution)
    assert (verdict.outcome, verdict.message) == ("passed", "Well done.")


@pytest.mark.parametrize(("exercise", "n"), WRONG, ids=[f"{e.id}-{n}" for e, n in WRONG])
def test_wrong_solution_gets_its_own_message(exercise, n):
    source, fragment = exercise.wrong[n]
    verdict = timed_verdict(exercise, source)
    assert verdict.outcome == "not yet"
    assert fragment in verdict.message
    others = [judge(exercise, defined(s, exercise.name)) for s, _ in exercise.wrong]
    assert [fragment in other.message for other in others].count(True) == 1
    assert all(
        f"  {part}" in verdict.message for part in ("input:", "got:", "expected:", "look at:")
    )


def docstrings(exercise: Exercise) -> list[str]:
    """List the docstrings of what the stub defines, its methods' included."""
    named = [n for n in ast.parse(exercise.stub).body if getattr(n, "name", "") == exercise.name]
    assert len(named) == 1, f"{exercise.id}: the stub must define {exercise.name}, once"
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(named[0]) if isinstance(node, kinds)]
    return list(filter(None, map(ast.get_docstring, nodes)))


@pytest.mark.parametrize("number", ["01.1", "05.2"])
@pytest.mark.parametrize("before", ["", "import re\n\n", "# Begin here.\nfrom re import sub\n\n"])
def test_a_stub_may_begin_with_an_import(number, before):
    given = find_exercise(number)
    exercise = replace(given, stub=before + given.stub.lstrip())
    assert exercise.kind == {"01.1": "function", "05.2": "class"}[number]
    assert docstrings(exercise) == docstrings(given) != []
    assert timed_verdict(exercise, exercise.stub).outcome == "not attempted"
    assert f"check needs the {exercise.kind} itself" in judge(exercise, 7).message


def test_a_stub_that_defines_something_else_is_said_to():
    exercise = replace(find_exercise("01.1"), stub="import re\n")
    with pytest.raises(AssertionError, match=r"01\.1: the stub must define read_reply, once"):
        docstrings(exercise)


@each_exercise
def test_definition_is_whole(exercise):
    assert exercise.id[:2] in notebooks()
    assert len(exercise.goal.split()) <= 60
    assert len(exercise.hints) == len(set(exercise.hints)) == 3
    assert len(exercise.wrong) >= 2
    assert exercise.difficulty in ("easy", "medium", "hard")
    assert 3 <= exercise.minutes <= 60
    assert all(one.look and one.shown for one in exercise.checks)
    assert docstrings(exercise), f"{exercise.id}: the stub of {exercise.name} has no docstring"


def test_numbers_are_unique_and_in_order():
    ids = [exercise.id for exercise in EXERCISES]
    assert ids == sorted(set(ids))
    assert {"00.1", "01.1", "01.2", "01.3", "05.1", "05.2", "05.3"} <= set(ids)


def first_shown(module: str, name: str) -> int:
    """Return the notebook in which `from module import name` has been shown."""
    inner = module.removeprefix("react_lab").strip(".") or react_lab._HOME.get(name, name)
    matches = [known for known in FIRST_SHOWN if f"{inner}.".startswith(f"{known}.")]
    return FIRST_SHOWN[max(matches, key=len)]


@each_exercise
def test_nothing_from_later_notebooks_is_used(exercise):
    sources = [exercise.stub, exercise.solution]
    for node in (n for source in sources for n in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= set(
                sys.stdlib_module_names
            )
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "react_lab":
            for alias in node.names:
                assert first_shown(node.module, alias.name) <= int(exercise.id[:2]), ast.unparse(
                    node
                )


def test_first_shown_knows_names_and_modules():
    assert first_shown("react_lab", "StepLimit") == first_shown("react_lab.guards", "Stop") == 5
    assert first_shown("react_lab.contracts.parsing", "parse_reply") == 4
    assert first_shown("react_lab.contracts", "TextContract") == 2


# Learners who have not begun, and learners whose function went wrong.


def bodies(exercise: Exercise, body: str) -> str:
    """Write a body as the exercise's function, or as the `check` of its class."""
    if exercise.kind == "function":
        return f"def {exercise.name}(*args):\n    {body.strip()}".replace("{name}", exercise.name)
    inner = body.strip().replace("\n", "\n    ").replace("{name}(", "self.check(")
    head = f"class {exercise.name}:\n    def __init__(self, *args): pass\n"
    return f"{head}    def check(self, *args):\n        {inner}"


@each_exercise
def test_every_kind_of_untouched_stub(exercise):
    for source in UNTOUCHED[exercise.kind].values():
        text = source.replace("{name}", exercise.name)
        assert timed_verdict(exercise, text).outcome == "not attempted", text


def test_body_that_only_looks_empty_is_judged():
    exercise = find_exercise("01.1")
    for source in (
        "def read_reply(reply): return ''",
        "def read_reply(reply): return reply and None",
    ):
        assert timed_verdict(exercise, source).outcome == "not yet"
    inherits = "from react_lab import RepeatLimit\nclass CycleGuard(RepeatLimit): pass"
    assert timed_verdict(find_exercise("05.2"), inherits).outcome != "not attempted"


def test_stub_left_on_a_later_path_is_not_yet():
    source = (
        "def read_reply(reply):\n    if 'Action' in reply:\n        return ('action', 'double', '21')\n"
        "    raise NotImplementedError"
    )
    verdict = timed_verdict(find_exercise("01.1"), source)
    assert verdict.outcome == "not yet"
    assert "it raised NotImplementedError (line 4 of your cell)" in verdict.message


def test_deadline_leaves_a_cell_under_a_second():
    assert engine_module.SECONDS <= 0.9


@pytest.fixture
def short_deadline(monkeypatch):
    monkeypatch.setattr(engine_module, "SECONDS", 0.2)


@pytest.mark.usefixtures("short_deadline")
@pytest.mark.parametrize("case", SABOTAGED.values(), ids=SABOTAGED)
def test_sabotaged_function_is_not_yet(case):
    exercise = find_exercise("01.2")
    verdict = timed_verdict(exercise, bodies(exercise, case["body"]))
    assert verdict.outcome == "not yet"
    assert case["says"] in verdict.message
    assert len(verdict.message) < 1_500


QUICK = [name for name, case in SABOTAGED.items() if "seconds" not in case["says"]]


@each_exercise
def test_sabotage_passes_no_exercise(exercise):
    for name in QUICK:
        attempt = defined(bodies(exercise, SABOTAGED[name]["body"]), exercise.name)
        assert judge(exercise, attempt).outcome == "not yet", name


@pytest.mark.usefixtures("short_deadline")
def test_endless_loop_is_ended_and_prints_come_back():
    before = set(threading.enumerate())
    exercise = find_exercise("01.2")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        judge(
            exercise,
            defined(bodies(exercise, SABOTAGED["loops_and_prints"]["body"]), exercise.name),
        )
        print("after")
    assert out.getvalue() == "after\n"
    deadline = time.monotonic() + 2
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(threading.enumerate()) - before == set()


def test_line_number_is_that_of_the_learners_cell():
    source = (
        "import json\n\n\ndef read_reply(reply):\n    text = reply\n    return json.loads(text)"
    )
    verdict = timed_verdict(find_exercise("01.1"), source)
    assert "JSONDecodeError" in verdict.message
    assert "(line 6 of your cell)" in verdict.message


def test_source_of_the_line_is_shown_where_it_is_known(tmp_path):
    cell = tmp_path / "cell.py"
    cell.write_text("def read_reply(reply):\n    return reply.no_such\n", "utf-8")
    space: dict = {}
    exec(compile(cell.read_text("utf-8"), str(cell), "exec"), space)
    verdict = judge(find_exercise("01.1"), space["read_reply"])
    assert "(line 2 of your cell: return reply.no_such)" in verdict.message


def test_changed_input_is_noticed():
    source = (
        "def write_prompt(rules, question, steps):\n"
        "    text = f'{rules}\\n\\nQuestion: {question}\\n'\n"
        "    while steps:\n"
        "        reply, observation = steps.pop(0)\n"
        "        text += f'{reply}\\nObservation: {observation}\\n'\n"
        "    return text"
    )
    verdict = timed_verdict(find_exercise("01.2"), source)
    assert verdict.outcome == "not yet"
    assert "changed input: [('Thought: t', '7')] became []. Work on a copy." in verdict.message
    with pytest.raises(InputChanged):
        calling([1])(list.clear)


@pytest.mark.parametrize(
    ("number", "attempt", "says"),
    [
        ("01.1", "a text", 'check("01.1", read_reply), without brackets'),
        ("01.1", ("answer", "x"), "it got ('answer', 'x')"),
        ("05.2", object(), "check needs the class itself"),
        ("05.2", len, 'check("05.2", CycleGuard)'),
    ],
)
def test_object_of_the_wrong_kind_gets_a_sentence(number, attempt, says):
    verdict = judge(find_exercise(number), attempt)
    assert verdict.outcome == "not yet"
    assert says in verdict.message


def test_async_function_gets_a_sentence_and_no_warning():
    verdict = timed_verdict(find_exercise("01.1"), "async def read_reply(reply): return ('a',)")
    assert "a coroutine (write def, not async def)" in verdict.message


def test_wrong_number_of_parameters_is_told():
    verdict = timed_verdict(find_exercise("01.1"), "def read_reply(): return 1")
    assert "read_reply() takes 0 positional arguments but 1 was given" in verdict.message


def test_all_checks_share_one_deadline(monkeypatch):
    monkeypatch.setattr(engine_module, "SECONDS", 0.2)
    slow = Check("slow", lambda f: time.sleep(0.15), None, "here")
    endless = Check("endless", lambda f: f(), None, "there")
    base = find_exercise("01.1")
    exercise = Exercise(**{**vars(base), "checks": (slow, endless)})
    given, trying = [], engine_module._try

    def watched(check, attempt, seconds, **more):
        given.append(seconds)
        return trying(check, attempt, seconds, **more)

    monkeypatch.setattr(engine_module, "_try", watched)
    verdict = judge(exercise, lambda: time.sleep(5))
    assert "nothing within 0.2 seconds" in verdict.message
    assert given == [pytest.approx(0.2, abs=0.01), pytest.approx(0.05)]


def test_interrupt_at_the_keyboard_is_not_swallowed(monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("react_lab.exercises.protecting.call_with_deadline", interrupted)
    with pytest.raises(KeyboardInterrupt):
        judge(find_exercise("01.1"), lambda reply: reply)


# Small parts.


@pytest.mark.parametrize(
    ("got", "expected", "equal"),
    [
        (1, True, False),
        (True, True, True),
        (0, False, False),
        (None, None, True),
        ("", None, False),
        ([1], (1,), False),
        (2.0, 2, True),
        ({"a": 1}, {"a": 1}, True),
        (type("Odd", (str,), {"__eq__": lambda *_: True, "__hash__": None})("x"), "y", False),
    ],
)
def test_same_is_strict(got, expected, equal):
    assert same(got, expected) is equal


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a" * 300, repr("a" * 300)),
        ({3, 1, 2}, "{1, 2, 3}"),
        (object(), "<object object>"),
        (range(3), "range(0, 3)"),
        (10**5000, "an int whose repr raises ValueError"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_short_is_deterministic(value, text):
    assert short(value) == text


def test_described_says_what_is_odd():
    assert described("42", 42, "") == "'42' (a str; expected is an int)"
    assert described(None, "x", "printed") == "None (it printed something: return it instead)"
    assert described(None, None, "printed") == "None"


def test_try_out_keeps_no_flood_of_prints():
    tried = try_out(lambda: [print("x" * 1000) for _ in range(1000)] and None, 1, 0.5)
    assert tried.in_time
    assert tried.got.startswith("None (it printed")


# What a learner calls.


def test_check_prints_three_outcomes():
    exercise = find_exercise("01.1")
    assert printed(check, "01.1", defined(exercise.stub, "read_reply")) == (
        "01.1 Read one reply: not attempted. "
        "Replace the line that raises NotImplementedError and run the cell again.\n"
    )
    assert printed(check, "01.1", None) == (
        "01.1 Read one reply: not attempted. "
        "Write your answer in place of the stub and run the cell again.\n"
    )
    assert printed(check, "01.1", lambda reply: "?").startswith("01.1 Read one reply: not yet. \n")
    passing = defined(exercise.solution, "read_reply")
    assert printed(check, "01.1", passing) == "01.1 Read one reply: passed. Well done.\n"


@pytest.mark.parametrize("number", ["01.9", "99.1", "x", "", 1.1, None, "01"])
def test_unknown_number_says_which_there_are(number):
    for function in (check, hint, solution, find_exercise):
        args = (number, len) if function is check else (number,)
        with pytest.raises(UsageError, match=r"01\.2|01, "):
            function(*args)


def test_check_without_an_object_says_what_to_pass():
    with pytest.raises(UsageError, match=r'check\("01\.1", read_reply\)'):
        check("01.1")


def test_hints_come_one_at_a_time_and_stay_at_the_third():
    first, second, third = find_exercise("01.1").hints
    said = [printed(hint, "01.1") for _ in range(4)]
    assert said[0] == f"01.1 hint 1 of 3: {first}\n"
    assert said[1] == f"01.1 hint 2 of 3: {second}\n"
    assert said[2] == said[3]
    assert said[2].startswith(f"01.1 hint 3 of 3: {third}\n")
    assert 'solution("01.1")' in said[2]
    assert printed(hint, "01.2").startswith("01.2 hint 1 of 3")


def test_solution_prints_the_worked_answer():
    assert printed(solution, "05.3") == find_exercise("05.3").solution.strip() + "\n"


# Progress.


def test_nothing_is_written_before_something_was_attempted(own_progress):
    for exercise in EXERCISES:
        printed(check, exercise.id, defined(exercise.stub, exercise.name))
    assert not own_progress.exists()
    assert {row[3] for row in progress("01").rows} == {"not attempted"}


def test_best_outcome_is_kept_and_the_session_shows_the_last(own_progress):
    passing = defined(find_exercise("01.1").solution, "read_reply")
    printed(check, "01.1", lambda reply: 1)
    assert progress().rows[1][3] == "not yet"
    printed(check, "01.1", passing)
    printed(check, "01.1", lambda reply: 1)
    assert json.loads(own_progress.read_text("utf-8")) == {"01.1": "passed"}
    assert progress("01").rows[0] == ("01.1", "Read one reply", 8, "not yet")
    assert progress().passed == 1


def test_one_notebook_never_depends_on_the_file(own_progress):
    empty = repr(progress("01"))
    own_progress.write_text('{"01.1": "passed"}', "utf-8")
    assert repr(progress("01")) == empty
    assert empty.splitlines()[0] == f"01.1  {'Read one reply':<34}   8 min  not attempted"
    assert empty.splitlines()[-1] == "0 of 3 passed"
    assert "1 of " in repr(progress())


def test_progress_as_a_table_is_escaped(monkeypatch):
    row = ("01.1", "<b>bold</b>", 8, "passed")
    page = progress_module.Progress((row,))._repr_html_()
    assert "<td>&lt;b&gt;bold&lt;/b&gt;</td>" in page
    assert "<caption>1 of 1 passed</caption>" in page


@pytest.mark.parametrize("content", ["", "{", "[1]", '"x"', "\x00\xff", "[" * 100_000])
def test_broken_file_is_tolerated_and_kept(own_progress, content):
    own_progress.write_text(content, "utf-8")
    assert progress().passed == 0
    printed(check, "01.1", defined(find_exercise("01.1").solution, "read_reply"))
    assert progress().passed == 1
    assert own_progress.with_name("progress.json.broken").read_text("utf-8") == content


def test_entries_of_other_versions_are_kept(own_progress):
    own_progress.write_text('{"77.1": "passed", "note": [1], "01.1": "odd"}', "utf-8")
    printed(check, "01.1", lambda reply: 1)
    kept = json.loads(own_progress.read_text("utf-8"))
    assert kept == {"77.1": "passed", "note": [1], "01.1": "not yet"}


def test_folder_is_made_and_nothing_is_left_behind(tmp_path, monkeypatch):
    path = tmp_path / "new" / "kept.json"
    monkeypatch.setenv("REACT_LAB_PROGRESS", str(path))
    printed(check, "01.1", lambda reply: 1)
    assert [p.name for p in path.parent.iterdir()] == ["kept.json"]


def test_path_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    monkeypatch.setenv("REACT_LAB_PROGRESS", str(blocked / "kept.json"))
    assert "not yet" in printed(check, "01.1", lambda reply: 1)


def test_default_file_is_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("REACT_LAB_PROGRESS")
    monkeypatch.chdir(tmp_path)
    printed(check, "01.1", lambda reply: 1)
    assert [p.name for p in tmp_path.iterdir()] == [".react_lab_progress.json"]


def test_two_notebooks_at_once_lose_nothing(own_progress):
    wanted = [e.id for e in EXERCISES]
    threads = [
        threading.Thread(target=progress_module.remember, args=(n, "passed")) for n in wanted
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert json.loads(own_progress.read_text("utf-8")) == dict.fromkeys(wanted, "passed")


def test_lock_of_a_killed_kernel_does_not_stop_progress(own_progress):
    own_progress.with_name("progress.json.lock").write_text("", "utf-8")
    printed(check, "01.1", lambda reply: 1)
    assert json.loads(own_progress.read_text("utf-8")) == {"01.1": "not yet"}


# Quizzes.

QUESTIONS = [(n, k, q) for n in notebooks() for k, q in enumerate(find_questions(n), 1)]
each_question = pytest.mark.parametrize(
    ("notebook", "k", "question"), QUESTIONS, ids=[f"{n}-{k}" for n, k, _ in QUESTIONS]
)


@each_question
def test_question_is_whole(notebook, k, question):
    assert list(question.options) == list("abcd")[: len(question.options)]
    assert len(question.options) >= 3
    assert question.hint
    assert all(text and len(reason) > 10 for text, reason in question.options.values())
    reasons = [reason for _, reason in question.options.values()]
    assert len(set(reasons)) == len(reasons)


@each_question
def test_answer_gives_verdict_and_reason(notebook, k, question):
    shown = quiz(notebook)
    for letter, (_, reason) in question.options.items():
        verdict = "Right." if letter == question.right else "Not this one."
        assert shown.answer(k, letter) == f"{verdict} {reason}"
    assert shown.answer(k, f" {question.right.upper()} ").startswith("Right.")


@pytest.mark.parametrize("notebook", notebooks())
def test_quiz_has_three_to_five_questions_and_no_pattern(notebook):
    questions = find_questions(notebook)
    assert 3 <= len(questions) <= 5
    assert len({question.right for question in questions}) > 1


@pytest.mark.parametrize(("number", "letter"), [(0, "a"), (9, "a"), ("1", "a"), (1, "z"), (1, 2)])
def test_answer_outside_the_quiz_says_what_there_is(number, letter):
    with pytest.raises(UsageError, match=r"1 to 4|a, b, c"):
        quiz("01").answer(number, letter)
    with pytest.raises(UsageError, match="choose from"):
        quiz("98")


def test_text_and_page_hold_every_question_and_option():
    for notebook in notebooks():
        text, page = str(quiz(notebook)), quiz(notebook).to_html()
        for question in find_questions(notebook):
            assert question.text in text
            assert all(option in text for option, _ in question.options.values())
            assert page.count("<div>") == 1 + sum(len(q.options) for q in find_questions(notebook))
    assert repr(quiz("01")) == "Quiz 01, 4 questions. Run this cell to use it."


@pytest.fixture
def widget():
    pytest.importorskip("ipywidgets")
    odd = Question("<i>odd</i>?", {"a": ("<b>", "No <b>."), "b": ("y", "Yes.")}, "b", "Think <b>.")
    shown = type(quiz("01"))("01", (odd,))
    heading, choice, buttons, verdict = shown.box.children[0].children
    return shown, heading, choice, buttons.children, verdict


def test_widget_gives_the_same_verdict_as_the_code(widget):
    shown, _, choice, (checking, hinting), verdict = widget
    assert (choice.value, checking.description, hinting.description) == (None, "Check 1", "Hint 1")
    checking.click()
    assert verdict.value == '<div role="status">Choose an answer first.</div>'
    choice.value = "b"
    checking.click()
    assert verdict.value == f'<div role="status">{shown.answer(1, "b")}</div>'
    hinting.click()
    assert verdict.value == '<div role="status">Think &lt;b&gt;.</div>'


def test_widget_escapes_and_shows_its_own_errors(widget, monkeypatch):
    shown, heading, choice, (checking, _), verdict = widget
    assert "&lt;i&gt;odd&lt;/i&gt;?" in heading.value
    assert "<b>" not in heading.value.replace("<b>1.", "")
    choice.value = "a"
    checking.click()
    assert verdict.value == '<div role="status">Not this one. No &lt;b&gt;.</div>'
    monkeypatch.setattr(shown, "answer", lambda *args: 1 / 0)
    checking.click()
    assert "ZeroDivisionError" in verdict.value


def test_stored_form_is_text_and_page_without_widget_ids():
    pytest.importorskip("ipywidgets")
    first, second = (quiz("01")._repr_mimebundle_() for _ in range(2))
    for kind in ("text/plain", "text/html"):
        assert first[kind] == second[kind]
    assert first["text/plain"] == repr(quiz("01"))
    assert "application/vnd.jupyter.widget-view+json" in first


# Notebooks hold what the definitions say.


def cells_of(notebook: str):
    found = sorted(NOTEBOOKS.glob(f"{notebook}_*.ipynb"))
    if not found:
        pytest.skip(f"notebook {notebook} does not exist yet")
    return json.loads(found[0].read_text("utf-8"))["cells"]


@each_exercise
def test_notebook_cells_are_the_definitions(exercise):
    sources = ["".join(cell["source"]) for cell in cells_of(exercise.id[:2])]
    assert exercise_cell(exercise.id) in sources
    assert exercise_text(exercise.id) in sources


@pytest.mark.parametrize("notebook", notebooks())
def test_notebook_has_no_exercise_without_definition(notebook):
    known = {exercise.id for exercise in load_exercises(notebook)}
    texts = ["".join(c["source"]) for c in cells_of(notebook) if c["cell_type"] == "code"]
    asked = {
        call.args[0].value
        for text in texts
        if "check(" in text
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "check"
    }
    assert asked == known


@each_exercise
def test_exercise_cell_runs_as_it_stands(exercise):
    source = f"from react_lab.exercises import check\n{exercise_cell(exercise.id)}"
    assert "not attempted" in printed(exec, source, {})
