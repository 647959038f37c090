"""Exercises and quiz of notebook 05."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..guards import Nudge, Stop
from ..records import Action, Completion, Messages, Observation, Parsed, Run, Step, Usage
from .protecting import short
from .records import Check, Exercise, Question


def _step(tool: str, args: str = "", *, text: str | None = None, tokens: int = 0) -> Step:
    parsed = Parsed(actions=(Action(tool, {"q": args}),))
    seen = () if text is None else (Observation(text, tool=tool),)
    return Step(Messages(), Completion(""), parsed, seen, Usage(tokens, 0))


def _run(steps: Sequence[Step]) -> Run:
    return Run("a question", tuple(steps), usage=sum((s.usage for s in steps), Usage()))


def _verdicts(letters: str) -> Any:
    """Ask a guard along a sequence of calls; return what it said at each."""

    def ask(guard_class: Any) -> list[str]:
        guard = guard_class()
        steps: list[Step] = []
        said: list[str] = []
        for letter in letters:
            draft = _step("look", letter)
            verdict = guard.check(_run(steps), draft)
            said.append(_said(verdict))
            steps.append(_step("look", letter, text=letter))
        return said

    return ask


def _said(verdict: Any) -> str:
    if isinstance(verdict, Stop):
        return verdict.reason
    return {type(None): "-", Nudge: "nudge"}.get(type(verdict), f"neither: {short(verdict)}")


def _unreadable(guard_class: Any) -> list[str]:
    """Ask a guard along three drafts that call nothing."""
    guard, draft = guard_class(), Step(Messages(), Completion("Hm."), Parsed())
    return [_said(guard.check(_run([draft] * n), draft)) for n in range(3)]


def _two_tools(guard_class: Any) -> list[str]:
    """Ask a guard about two tools that are given the same args."""
    guard, first, second = guard_class(), _step("look", "A", text="A"), _step("find", "A")
    return [_said(guard.check(_run([]), first)), _said(guard.check(_run([first]), second))]


def _budget(tokens: int) -> Any:
    def ask(guard_class: Any) -> list[str]:
        guard = guard_class(100)
        steps: list[Step] = []
        said: list[str] = []
        for _ in range(4):
            verdict = guard.check(_run(steps), _step("look", tokens=tokens))
            said.append(_said(verdict))
            steps.append(_step("look", text="x", tokens=tokens))
        return said

    return ask


_FOUND = _run(
    [
        _step("shop", text="lamp: 24.50 EUR"),
        Step(
            Messages(), Completion(""), Parsed(), (Observation("Error: no", "tool_error", "shop"),)
        ),
        _step("clock"),
        _step("clock", text="21:00"),
    ]
)

EXERCISES = (
    Exercise(
        id="05.1",
        title="What was found so far",
        difficulty="easy",
        minutes=6,
        goal="A run ended at its limit. Return a text for the user: the answer if there is one; else `No answer. Found: ` and what "
        "the tools returned (`observation.text`), joined by `; `; or `No answer. Nothing was found.` A failed call found nothing: "
        "`observation.ok` tells. A step holds its observations in the tuple `step.observations`.",
        name="report",
        stub='''def report(run):
    """Return a text for the user, from run.answer or from the steps' observations."""
    raise NotImplementedError''',
        checks=(
            Check(
                "a run with the answer '11 degrees'",
                lambda f: f(Run("q", answer="11 degrees")),
                "11 degrees",
                "`run.answer`",
            ),
            Check(
                "two findings, between them a failed call and a step without an observation",
                lambda f: f(_FOUND),
                "No answer. Found: lamp: 24.50 EUR; 21:00",
                "`observation.ok`, `observation.text`, and *What happens at the limit*",
            ),
            Check(
                "a run whose only call failed",
                lambda f: f(_run(_FOUND.steps[1:2])),
                "No answer. Nothing was found.",
                "steps are no findings: look at what is left after `observation.ok`",
            ),
            Check(
                "a run without any step",
                lambda f: f(Run("q")),
                "No answer. Nothing was found.",
                "the third case in the goal",
            ),
        ),
        hints=(
            "Three cases, so three returns. Start with the answer.",
            "A step has a tuple of observations; you need two loops, or one comprehension with two for parts.",
            "[o.text for step in run.steps for o in step.observations if o.ok]",
        ),
        solution='''def report(run):
    if run.answer is not None:
        return run.answer
    found = [o.text for step in run.steps for o in step.observations if o.ok]
    return f"No answer. Found: {'; '.join(found)}" if found else "No answer. Nothing was found."''',
        wrong=(
            (
                """def report(run):
    found = [o.text for step in run.steps for o in step.observations]
    return run.answer or "No answer. Found: " + "; ".join(found)""",
                "Error: no",
            ),
            (
                """def report(run):
    found = [o.text for step in run.steps for o in step.observations if o.ok]
    return run.answer or "No answer. Found: " + "; ".join(found)""",
                "'No answer. Found: '",
            ),
            (
                """def report(run):
    return run.answer or "No answer. Found: " + "; ".join(run.findings())""",
                "shop: lamp",
            ),
            (
                """def report(run):
    return run.answer""",
                "got:      None",
            ),
        ),
    ),
    Exercise(
        id="05.2",
        title="A guard against cycles",
        difficulty="medium",
        minutes=12,
        goal="Write a guard class, as `OnlyOslo` above. `check(run, draft)` returns `Nudge(text)` at the second identical call within the last ten "
        "steps, `Stop('repeated_action', text)` at the third, else None. Compare tool and args of `draft.action` with those "
        "of `step.action`.",
        name="CycleGuard",
        stub='''class CycleGuard:
    def check(self, run, draft):
        """Return None, Nudge(text) or Stop("repeated_action", text)."""
        raise NotImplementedError''',
        checks=(
            Check(
                "calls A B C D",
                _verdicts("ABCD"),
                ["-", "-", "-", "-"],
                "different arguments are different calls",
            ),
            Check(
                "calls A A A",
                _verdicts("AAA"),
                ["-", "nudge", "repeated_action"],
                "count the earlier identical calls",
            ),
            Check(
                "calls A B A B",
                _verdicts("ABAB"),
                ["-", "-", "nudge", "nudge"],
                "*Break and repair*: not only the last step",
            ),
            Check("A, ten others, A", _verdicts("ABCDEFGHIJKA"), ["-"] * 12, "run.steps[-10:]"),
            Check(
                "A, nine others, A",
                _verdicts("ABCDEFGHIJA"),
                ["-"] * 10 + ["nudge"],
                "the tenth step back still counts",
            ),
            Check(
                "look(A), then find(A)",
                _two_tools,
                ["-", "-"],
                "another tool with the same args is another call",
            ),
            Check(
                "three replies that call nothing",
                _unreadable,
                ["-", "-", "-"],
                "`draft.action` is None there: nothing is repeated",
            ),
        ),
        hints=(
            "How many of the last ten steps have the same action as the draft?",
            "sum(step.action == draft.action for step in run.steps[-10:]) counts them.",
            "0 earlier ones: None. 1: Nudge. 2 or more: Stop.",
        ),
        solution="""from react_lab.guards import Nudge, Stop


class CycleGuard:
    def check(self, run, draft):
        earlier = sum(step.action == draft.action for step in run.steps[-10:])
        if draft.action is None or earlier == 0:
            return None
        if earlier == 1:
            return Nudge("You made this call before; use its result.")
        return Stop("repeated_action", "the same call three times")""",
        wrong=(
            (
                """from react_lab.guards import Nudge, Stop
class CycleGuard:
    def check(self, run, draft):
        if run.steps and run.steps[-1].action == draft.action:
            return Stop("repeated_action", "x") if len(run.steps) > 1 else Nudge("x")""",
                "calls A B A B",
            ),
            (
                """from react_lab.guards import Nudge, Stop
class CycleGuard:
    def check(self, run, draft):
        n = sum(s.action == draft.action for s in run.steps)
        return None if n == 0 else Nudge("x") if n == 1 else Stop("repeated_action", "x")""",
                "ten others",
            ),
            (
                """from react_lab.guards import Nudge, Stop
class CycleGuard:
    def check(self, run, draft):
        n = sum(s.action.tool == draft.action.tool for s in run.steps[-10:])
        return None if n == 0 else Nudge("x") if n == 1 else Stop("repeated_action", "x")""",
                "calls A B C D",
            ),
            (
                """from react_lab.guards import Nudge, Stop
class CycleGuard:
    def check(self, run, draft):
        n = sum(s.action == draft.action for s in run.steps[-10:])
        return None if n == 0 else Nudge("x") if n == 1 else Stop("repeated_action", "x")""",
                "call nothing",
            ),
            (
                """from react_lab.guards import Nudge, Stop
class CycleGuard:
    def check(self, run, draft):
        n = sum(s.action == draft.action for s in run.steps[-9:])
        return None if n == 0 else Nudge("x") if n == 1 else Stop("repeated_action", "x")""",
                "the tenth step back",
            ),
            (
                """from react_lab.guards import Nudge, Stop
class CycleGuard:
    def check(self, run, draft):
        n = sum(s.action.args == draft.action.args for s in run.steps[-10:] if draft.action)
        return None if n == 0 else Nudge("x") if n == 1 else Stop("repeated_action", "x")""",
                "another tool",
            ),
        ),
    ),
    Exercise(
        id="05.3",
        title="A token budget",
        difficulty="medium",
        minutes=10,
        goal="Write a guard class, a budget of `tokens` for a run. `check` returns `Stop('token_budget', text)` once the tokens of "
        "the run and of the draft together reach the budget, else None. `run.usage.total` and `draft.usage.total` count them.",
        name="Budget",
        stub='''class Budget:
    def __init__(self, tokens):
        self.tokens = tokens

    def check(self, run, draft):
        """Return None or Stop("token_budget", text)."""
        raise NotImplementedError''',
        checks=(
            Check(
                "budget 100, steps of 30 tokens",
                _budget(30),
                ["-", "-", "-", "token_budget"],
                "120 tokens after the fourth call",
            ),
            Check(
                "budget 100, steps of 50 tokens",
                _budget(50),
                ["-", "token_budget", "token_budget", "token_budget"],
                "*reach*, not *exceed*: 100 of 100 is spent",
            ),
            Check(
                "budget 100, one step of 500 tokens",
                _budget(500),
                ["token_budget"] * 4,
                "the draft's own tokens are spent too",
            ),
        ),
        hints=(
            "Add two numbers and compare with a third.",
            "The draft has been paid for already: its reply is there.",
            "if run.usage.total + draft.usage.total >= self.tokens: return Stop(...)",
        ),
        solution="""from react_lab.guards import Stop


class Budget:
    def __init__(self, tokens):
        self.tokens = tokens

    def check(self, run, draft):
        spent = run.usage.total + draft.usage.total
        return Stop("token_budget", f"{spent} tokens") if spent >= self.tokens else None""",
        wrong=(
            (
                """from react_lab.guards import Stop
class Budget:
    def __init__(self, tokens):
        self.tokens = tokens
    def check(self, run, draft):
        return Stop("token_budget", "x") if run.usage.total >= self.tokens else None""",
                "steps of 30 tokens",
            ),
            (
                """from react_lab.guards import Stop
class Budget:
    def __init__(self, tokens):
        self.tokens = tokens
    def check(self, run, draft):
        return Stop("token_budget", "x") if run.usage.total + draft.usage.total > self.tokens else None""",
                "steps of 50 tokens",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "finish_reason and stop_reason: which belongs to what?",
        {
            "a": (
                "they are two names for one thing",
                "A reply can end normally (finish_reason stop) many times within one run.",
            ),
            "b": ("stop_reason ends a reply, finish_reason ends a run", "The other way round."),
            "c": (
                "finish_reason ends a reply, stop_reason ends a run",
                "The server sets the first for each reply, the loop sets the second once.",
            ),
        },
        "c",
        "Which of the two does the server send?",
    ),
    Question(
        "A run has used 7 of 8 steps and the model asks for a tool. What does StepLimit(8) do?",
        {
            "a": (
                "it lets the tool run, then ends the run",
                "The eighth step is completed, so its result stands in run.findings().",
            ),
            "b": (
                "it ends the run before the tool is run",
                "The call has been paid for; its result may be the finding that saves the run.",
            ),
            "c": (
                "it asks the model to hurry",
                "That is what `generate` does, after the limit and with one more call.",
            ),
        },
        "a",
        "How many prices were kept under a limit of two steps?",
    ),
    Question(
        "Why does RepeatLimit let a failed call be tried again?",
        {
            "a": ("it does not", "It reminds only where the earlier call returned something."),
            "b": (
                "because the model knows better",
                "It does not; that is why the calls are counted all the same.",
            ),
            "c": (
                "because the failure may be passing",
                "A time-out or a busy service can be gone a moment later. It still counts, so it cannot go on for ever.",
            ),
        },
        "c",
        "Think of a network.",
    ),
    Question(
        "A run ended with stop_reason max_steps and an answer. How can that be?",
        {
            "a": ("a bug", "It is what at_limit=generate does."),
            "b": (
                "one last call was made for a best answer",
                "The stop_reason stays honest, so that you can tell a forced answer from a normal one.",
            ),
            "c": ("the answer came at step 8", "Then the stop_reason is final_answer."),
        },
        "b",
        "Compare `force` and `generate`.",
    ),
)
