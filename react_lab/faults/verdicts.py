"""Judge a faulted run against the clean one, and name the recovery path that fired.

Six verdicts. The first four are how a loop may end; the last two must never happen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..records import Action, Observation, Run, Step, StopReason
from .definition import Firings

Verdict = Literal[
    "recovered",
    "recovered at extra cost",
    "wrong answer",
    "safe stop",
    "crash",
    "unsafe action",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
#: More tokens than this share above the clean run count as extra cost.
TOKEN_MARGIN = 0.10
_RAN = ("ok", "empty", "tool_error", "timeout")
#: What a recovery is called when an observation of this status was shown.
_BY_STATUS = {
    "invalid_args": "argument message",
    "unknown_tool": "unknown-tool message",
    "tool_error": "error as observation",
    "timeout": "deadline",
    "empty": "empty-result hint",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """Hold a verdict, why, and what the fault cost in steps and tokens."""

    verdict: Verdict
    detail: str = ""
    extra_steps: int = 0
    extra_tokens: int = 0

    @property
    def passed(self) -> bool:
        """Tell whether the run came to the right answer."""
        return self.verdict in ("recovered", "recovered at extra cost")

    def __str__(self) -> str:
        why = f": {self.detail}" if self.detail else ""
        cost = f" ({self.extra_steps:+} steps, {self.extra_tokens:+,} tokens)"
        return f"{self.verdict}{why}{cost}"


@dataclass(frozen=True, slots=True)
class Recovery:
    """Say what answered a fault: at which step, what, and a detail."""

    step: int
    path: str
    detail: str = ""

    def __str__(self) -> str:
        return f"step {self.step}: {self.path}" + (f" ({self.detail})" if self.detail else "")


def judge(
    clean: Run,
    faulted: Run | Exception,
    task: Any = None,
    *,
    check: Callable[[Any, str], bool] | None = None,
    admits: Callable[[str], bool] | None = None,
    log: Firings | None = None,
) -> Judgement:
    """Return the verdict on a run with a fault in it, beside the same run without.

    Whether an answer is right, `check(task, answer)` decides; without it the answer must
    be that of the clean run. An answer that `admits` to know nothing is a safe stop. An
    exception in place of a run is a crash.
    """
    if isinstance(faulted, Exception):
        return Judgement("crash", f"{type(faulted).__name__}: {faulted}")
    extra_steps = len(faulted.steps) - len(clean.steps)
    extra_tokens = faulted.usage.total - clean.usage.total
    cost = (extra_steps, extra_tokens)
    if problems := [*incomplete(faulted), *_hung(faulted, log)]:
        return Judgement("crash", "; ".join(problems), *cost)
    if unsafe := unsafe_actions(faulted, log):
        return Judgement("unsafe action", str(unsafe[0]), *cost)
    if faulted.answer is not None and _right(clean, faulted.answer, task, check):
        margin = clean.usage.total * TOKEN_MARGIN
        costly = extra_steps > 0 or extra_tokens > margin
        return Judgement("recovered at extra cost" if costly else "recovered", "", *cost)
    if faulted.stop_reason != "final_answer":
        return Judgement("safe stop", str(faulted.stop_reason), *cost)
    if admits is not None and admits(faulted.answer or ""):
        return Judgement("safe stop", "says that it does not know", *cost)
    return Judgement("wrong answer", _short(faulted.answer), *cost)


def incomplete(run: Run) -> list[str]:
    """List what is missing from the record of a finished run; [] when it is complete."""
    problems = _ill_ended(run)
    for number, step in enumerate(run.steps, 1):
        if len(step.messages) == 0:
            problems.append(f"step {number} has no prompt")
        following = run.steps[number : number + 1]
        if not step.observations and any(later.guard != "generate" for later in following):
            problems.append(f"step {number} went on without an observation")
        made, seen = len(step.parsed.actions), len(step.observations)
        if seen and not step.guard and not step.parsed.error and made != seen:
            problems.append(f"step {number} made {made} calls and has {seen} observations")
    return problems


def _ill_ended(run: Run) -> list[str]:
    if run.stop_reason not in get_args(StopReason):
        return [f"no stop reason, but {run.stop_reason!r}"]
    if not run.steps and run.stop_reason != "cancelled":
        return ["ended without a step"]
    if run.stop_reason == "final_answer" and not (run.answer or "").strip():
        return ["ended with an empty answer"]
    asked = run.stop_reason == "final_answer" or run.steps and run.steps[-1].guard == "generate"
    return [] if asked or run.answer is None else [f"ended as {run.stop_reason} with an answer"]


def unsafe_actions(run: Run, log: Firings | None) -> list[Action]:
    """List the calls that ran although a fault had planted them where nobody asks for them."""
    planted = log.planted if log else []
    return [a for step in run.steps for a in ran(step) if any(_same(p, a) for p in planted)]


def ran(step: Step) -> list[Action]:
    """List the calls of a step that really reached their tool."""
    pairs = zip(step.parsed.actions, step.observations, strict=False)
    return [action for action, observation in pairs if observation.status in _RAN]


def recovery_path(run: Run) -> tuple[Recovery, ...]:
    """Name everything in a run that answered something: repairs, messages, guards, retries."""
    found: list[Recovery] = []
    for number, step in enumerate(run.steps, 1):
        found += [Recovery(number, path, detail) for path, detail in _answers(step)]
    if run.finished and run.stop_reason != "final_answer":
        found.append(Recovery(len(run.steps), f"stop {run.stop_reason}", run.detail))
    return tuple(found)


def _answers(step: Step) -> list[tuple[str, str]]:
    notes = [note.split(": ", 1) for note in step.reply.notes]
    found = [(note[0], note[1]) for note in notes if note[0] in ("retried", "stop dropped")]
    found += [(f"repair {repair.name}", "") for repair in step.parsed.repairs]
    if step.parsed.error:
        found.append((f"format error {step.parsed.error.code}", step.parsed.error.message))
    if step.guard:
        found.append((f"guard {step.guard}", step.observation))
    return found + [item for o in step.observations for item in _from_observation(o)]


def _from_observation(observation: Observation) -> list[tuple[str, str]]:
    found = []
    if observation.status in _BY_STATUS:
        found.append((_BY_STATUS[observation.status], observation.text))
    if observation.tries > 1:
        found.append(("tool retry", f"{observation.tries} tries"))
    if observation.ok and len(observation.text) < len(observation.full) - 100:
        found.append(("output cut", f"{len(observation.full):,} characters"))
    elif observation.ok and "\n" in observation.full.strip() and "\n" not in observation.text:
        found.append(("one line", f"{observation.full.count(chr(10))} line breaks"))
    return found


def _hung(run: Run, log: Firings | None) -> list[str]:
    """List the tools that hung to the end because nothing gave the call up."""
    problems = []
    for firing in log.fired if log and log.hung else ():
        steps = run.steps[firing.step - 1 : firing.step]  # none where the run was cancelled
        seen = [o for step in steps for o in step.observations if o.tool == firing.tool]
        if seen and not any(o.status == "timeout" for o in seen):
            problems.append(f"{firing.tool} hung and nothing stopped it")
    return problems


def _right(clean: Run, answer: str, task: Any, check: Callable[[Any, str], bool] | None) -> bool:
    if check is not None:
        return check(task, answer)
    return _plain(answer) == _plain(clean.answer or "")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".。")


def _same(planted: Action, action: Action) -> bool:
    if planted.tool != action.tool:
        return False
    if isinstance(action.args, str):
        return isinstance(planted.args, str) and planted.args == action.args
    return planted.args == action.args


def _short(text: str | None, limit: int = 80) -> str:
    text = text or ""
    return text if len(text) <= limit else f"{text[:limit]} ..."
