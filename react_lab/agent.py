"""The agent and the only loop (built by hand in notebook 01, finished in notebook 05).

An agent is plain data: a model, tools and four interchangeable parts. `iter_steps` asks
for one more step until a rule says stop, and yields the run after each; `run_agent`
collects it; `fork` goes back.

>>> from react_lab.llm import ScriptedLLM
>>> run_agent(Agent(ScriptedLLM(["Final Answer: 4"])), "What is 2 + 2?").answer
'4'
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from .context import ContextPolicy, KeepAll
from .contracts import Contract, TextContract
from .errors import LLMError, UsageError
from .guards import Guard, Nudge, Stop, default_guards
from .llm.base import LLM, estimate_usage
from .records import (
    Completion,
    Message,
    Messages,
    Observation,
    Parsed,
    Run,
    Step,
    StopReason,
    Usage,
)
from .tools import Tool, Toolbox

#: Replies that ended in the world, not in the model: (finish_reason, stop_reason).
_WORLD: dict[str, StopReason] = {
    "length": "truncated",
    "content_filter": "content_filter",
    "error": "llm_error",
}
_ENDED = {stop_reason: finish_reason for finish_reason, stop_reason in _WORLD.items()}
#: finish_reasons of replies that came but must not be read.
_UNUSABLE = {
    "length": "the reply was cut off at the token limit: raise max_tokens",
    "content_filter": "the reply was withheld by the endpoint's content filter",
}
_LIMITS = ("max_steps", "token_budget", "repeated_action")
_LAST_CALL = {
    "en": "There is no step left. Give the best answer the Observations allow, in the final format.",
    "zh": "没有剩余的步骤了。请根据已有的 Observation，用最终格式给出尽可能好的答案。",
}


def force(agent: Agent, run: Run) -> Run:
    """End at a limit without an answer; `run.findings()` has what was found so far."""
    return run


def generate(agent: Agent, run: Run) -> Run:
    """End at a limit with one last call for the best answer from the observations."""
    step = draft_step(agent, _with_request(agent, run))
    run = append(run, replace(step, guard="generate"), run.stop_reason, run.detail)
    answer = step.parsed.answer or ("" if step.parsed.actions else step.parsed.kept)
    return replace(run, answer=answer.strip() or None) if not step.failure else run


@dataclass(frozen=True)
class Agent:
    """Hold everything a run needs, as data; change a part with `dataclasses.replace`.

    `tools` takes functions, tools or a Toolbox. `guards=None` means `default_guards`.
    `at_limit` is `force` or `generate` (LangChain's `early_stopping_method`).
    """

    llm: LLM
    tools: Iterable[Tool | Callable[..., Any]] | Toolbox = ()
    contract: Contract = TextContract()
    context: ContextPolicy = KeepAll()
    guards: tuple[Guard, ...] | None = None
    at_limit: Callable[[Agent, Run], Run] = force

    def __post_init__(self) -> None:
        if not hasattr(self.llm, "complete"):
            raise UsageError(
                f"llm={self.llm!r} has no method complete: wrap a function in FunctionLLM"
            )
        if not isinstance(self.tools, Toolbox):
            object.__setattr__(self, "tools", Toolbox(self.tools))
        guards = (
            default_guards(self.contract.language) if self.guards is None else tuple(self.guards)
        )
        object.__setattr__(self, "guards", guards)


def iter_steps(agent: Agent, question: str | Run) -> Iterator[Run]:
    """Yield the run after each step until it has a stop_reason.

    `question` is a text, or an unfinished run to go on with. Ctrl-C ends the run as
    cancelled, with all finished steps. Raise UsageError for an empty question.
    """
    run = question if isinstance(question, Run) else Run(_checked(question))
    prompt = _Prompt(agent)
    while not run.finished:
        try:
            draft = draft_step(agent, prompt.messages(run))
            nudge, stop = ask_guards(agent, run, draft)
            step = act(agent, draft, nudge, stop)
            run = append(run, step, *outcome(step, stop))
            if run.stop_reason in _LIMITS:
                run = agent.at_limit(agent, run)
        except KeyboardInterrupt:
            run = replace(run, stop_reason="cancelled", detail="interrupted during a step")
        yield run


def run_agent(agent: Agent, question: str | Run) -> Run:
    """Run to the end and return the run.

    An exception that a part of your own raised carries the run so far as `error.run`.
    """
    latest = question if isinstance(question, Run) else None
    try:
        for run in iter_steps(agent, question):
            latest = run
    except Exception as error:
        error.run = latest  # type: ignore[attr-defined]
        raise
    assert latest is not None
    return latest


def fork(
    agent: Agent,
    run: Run,
    step: int,
    *,
    reply: str | Completion | None = None,
    observation: str | None = None,
    question: str | None = None,
) -> Run:
    """Go back to `step` (counted from 1) and return an unfinished run to go on from.

    The steps before it are kept and not paid for again. With `reply` the model is taken to
    have said that at `step`; with `observation` the tool is taken to have returned that;
    with `question` the question is another; with none of them the step is asked again by
    `agent`, which may be another agent than the first.
    """
    if reply is not None and observation is not None:
        raise UsageError("pass reply= or observation=, not both: a new reply gets its own result")
    old = run.step(step)
    cut = Run(
        run.question if question is None else _checked(question),
        run.steps[: step - 1],
        usage=sum((s.usage for s in run.steps[: step - 1]), Usage(estimated=False)),
        parent=run,
        forked_at=step,
        change="question" if question is not None else "asked again",
    )
    if reply is not None:
        return _with_reply(agent, cut, reply)
    if observation is not None:
        seen = (_edited(old, observation), *old.observations[1:])
        changed = replace(old, observations=seen, guard="")
        return replace(append(cut, changed, None), change="observation")
    return cut


def draft_step(agent: Agent, messages: Messages) -> Step:
    """Ask the model and read its reply: a step that has not been acted on."""
    started = time.perf_counter()
    reply, failure = _ask(agent, messages)
    seconds = time.perf_counter() - started
    assert isinstance(agent.tools, Toolbox)
    beside = agent.contract.request_tools(agent.tools)
    usage = reply.usage or estimate_usage(messages.tokens, beside, reply.text, reply.tool_calls)
    parsed = Parsed(kept=reply.text) if failure else agent.contract.read(reply, agent.tools)
    return Step(messages, reply, parsed, (), usage, "", failure, seconds)


def ask_guards(agent: Agent, run: Run, draft: Step) -> tuple[tuple[str, Nudge] | None, Stop | None]:
    """Return the first nudge, with the guard's name, and the first stop."""
    nudge, stop = None, None
    for guard in agent.guards or ():
        verdict = guard.check(run, draft)
        if verdict is None:
            continue
        if isinstance(verdict, Stop):
            stop = stop or verdict
        else:
            nudge = nudge or (type(guard).__name__, verdict)
    return nudge, stop


def act(agent: Agent, draft: Step, nudge: tuple[str, Nudge] | None, stop: Stop | None) -> Step:
    """Complete a draft: the nudge, the format error, or what the tools returned."""
    parsed = draft.parsed
    if draft.failure or (stop and not stop.run_tools and not parsed.error):
        return draft
    if parsed.error:
        return _completed(draft, agent.contract.observe_error(parsed))
    if nudge:
        observation = Observation(nudge[1].text, "guard", full=nudge[1].text)
        return _completed(draft, (observation,), nudge[0])
    if parsed.answer is not None:
        return draft
    assert isinstance(agent.tools, Toolbox)
    return _completed(draft, agent.tools.run_all(parsed.actions, agent.contract.language))


def outcome(step: Step, stop: Stop | None) -> tuple[StopReason | None, str]:
    """Return how the run stands after a step: (stop_reason, detail), or (None, "")."""
    if step.failure:
        return _WORLD.get(step.reply.finish_reason, "llm_error"), step.failure
    if step.parsed.answer is not None and not step.guard:
        return "final_answer", ""
    return (stop.reason, stop.detail) if stop else (None, "")


def append(run: Run, step: Step, stop_reason: StopReason | None, detail: str = "") -> Run:
    """Return the run with one more step: the one place where a step is added."""
    answer = step.parsed.answer if stop_reason == "final_answer" else run.answer
    steps, usage = (*run.steps, step), run.usage + step.usage
    kept = run.parent, run.forked_at, run.change
    return Run(run.question, steps, answer, stop_reason, detail, usage, *kept)


def _completed(draft: Step, observations: tuple[Observation, ...], guard: str = "") -> Step:
    """Do what `replace` does, at a third of its cost: this runs once a step."""
    d = draft
    return Step(
        d.messages, d.reply, d.parsed, observations, d.usage, guard, d.failure, d.model_seconds
    )


class _Prompt:
    """Build each prompt from the one before where the context policy keeps everything."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.body: Messages | None = None

    def messages(self, run: Run) -> Messages:
        contract = self.agent.contract
        shown = self.agent.context.select(run.steps)
        if shown is run.steps and self.body is not None:
            body = self.body.extend(contract.show(run.steps[-1]))
        else:
            assert isinstance(self.agent.tools, Toolbox)
            body = Messages(contract.opening(run.question, self.agent.tools))
            for step in shown:
                body = body.extend(contract.show(step))
        self.body = body if shown is run.steps else None
        return contract.sent(body, run.question)


def _ask(agent: Agent, messages: Messages) -> tuple[Completion, str]:
    assert isinstance(agent.tools, Toolbox)
    contract = agent.contract
    try:
        reply = agent.llm.complete(
            messages, stop=contract.stop, tools=contract.request_tools(agent.tools)
        )
        reply = Completion(reply) if isinstance(reply, str) else reply
        if not isinstance(reply, Completion):
            raise TypeError(f"complete() must return a Completion, got {type(reply).__name__}")
    except UsageError:
        raise
    except LLMError as error:
        reason = _ENDED.get(error.stop_reason, "error")
        failed = Completion(
            "", finish_reason=reason, request=error.request, response=error.response
        )
        return failed, str(error)
    except Exception as error:
        return Completion("", finish_reason="error"), f"{type(error).__name__}: {error}"
    return reply, _UNUSABLE.get(reply.finish_reason, "")


def _with_request(agent: Agent, run: Run) -> Messages:
    body = _Prompt(agent).messages(run)
    last, text = body.last, _LAST_CALL[agent.contract.language]
    if last.role != "user":
        return body.extend([Message("user", text)])
    return body.with_last(Message("user", f"{last.content}\n{text}"))


def _with_reply(agent: Agent, cut: Run, reply: str | Completion) -> Run:
    given = reply if isinstance(reply, Completion) else Completion(reply)
    # A last call at the limit is the real model's, not the given reply once more.
    once = replace(agent, llm=_Given(given), at_limit=lambda _, run: agent.at_limit(agent, run))
    return replace(next(iter_steps(once, cut)), change="reply")


@dataclass(frozen=True)
class _Given:
    reply: Completion

    def complete(self, messages: Any, *, stop: Any = (), tools: Any = ()) -> Completion:
        return self.reply


def _edited(step: Step, text: str) -> Observation:
    if not step.observations:
        raise UsageError("this step has no observation to change: pass reply= instead")
    return replace(step.observations[0], text=text, full=text, status="ok")


def _checked(question: str) -> str:
    if not isinstance(question, str) or not question.strip():
        raise UsageError(f"the question must be a text with something in it, got {question!r}")
    return question
