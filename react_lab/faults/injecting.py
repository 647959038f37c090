"""Wrap a model, tools or a context policy so that a fault fires on schedule (notebook 07).

The wrappers go around any part. `inject` puts a fault next to the world: inside every
defence, because a defence that stood behind the fault could not answer it.

>>> from react_lab.agent import Agent, run_agent
>>> from react_lab.llm import ScriptedLLM
>>> from react_lab.faults.catalogue import FAULTS
>>> agent = Agent(ScriptedLLM(["Final Answer: 4", "Final Answer: 4"]))
>>> broken = inject(agent, FAULTS["B8"])
>>> run_agent(broken, "What is 2 + 2?").answer, firings(broken)
('4', Firings(B8 at step 1))
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

from ..agent import Agent
from ..context import ContextPolicy
from ..errors import UsageError
from ..llm.base import LLM
from ..records import Completion, Message, Step
from ..tools import Tool, Toolbox
from .definition import Fault, Firings, Moment
from .reply_parts import read_parts
from .schedules import OnlyTool, Schedule

NOTE = "injected fault"


@dataclass(frozen=True)
class _Trigger:
    """Fire one fault on its schedule; shared by the wrappers."""

    fault: Fault
    schedule: Schedule
    seed: int
    log: Firings

    def moment(self, tool: str = "", key: str = "", **around: Any) -> Moment | None:
        """Return the moment of a firing, or None when the schedule says no."""
        occasion = self.log.occasion(self.fault.id, tool, key)
        if not self.schedule.fires(occasion):
            return None
        generator = random.Random(f"{self.seed}:{self.fault.id}:{occasion.step}:{occasion.key}")
        named = isinstance(self.schedule, OnlyTool) and self.schedule.tool == tool
        return Moment(
            occasion.step, generator, self.log, self.fault.id, tool, named=named, **around
        )

    def change(self, before: Any, moment: Moment) -> Any:
        """Return what the fault makes of a value; record that it fired if it did."""
        try:
            after = self.fault.change(before, moment)
        except Exception as error:
            moment.fire(before, f"{type(error).__name__}: {error}")
            raise
        if after is not before and after != before:
            moment.fire(before, after)
        return after


class FaultyLLM:
    """Wrap a model: a fault at the reply or transport seam fires on schedule.

    Where the prompt does not come from `inject`, the step is counted from the assistant
    messages in it. Use a new wrapper for each run.
    """

    def __init__(
        self,
        llm: LLM,
        fault: Fault,
        schedule: Schedule | None = None,
        *,
        seed: int = 0,
        log: Firings | None = None,
    ) -> None:
        _check_seam(fault, "reply", "transport")
        self.llm = llm
        self.log = log or Firings()
        self._counts_steps = log is None
        self._trigger = _Trigger(fault, schedule or fault.schedule, seed, self.log)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the model's reply, broken when the schedule says so."""
        if self._counts_steps:
            self.log.step = 1 + sum(message.role == "assistant" for message in messages)
        reply = self.llm.complete(messages, stop=stop, tools=tools)
        moment = self._trigger.moment(_tool_of(reply), "reply", messages=messages, stop=stop)
        if moment is None:
            return reply
        if self._trigger.fault.seam == "reply":
            text = self._trigger.change(reply.text, moment)
            after = reply if text == reply.text else replace(reply, text=text)
        else:
            after = self._trigger.change(reply, moment)
        return after if after is reply else _noted(after, self._trigger.fault, reply)

    def __repr__(self) -> str:
        return f"FaultyLLM({self.llm!r}, {self._trigger.fault.id})"


def faulty_tools(
    toolbox: Toolbox,
    fault: Fault,
    schedule: Schedule | None = None,
    *,
    seed: int = 0,
    log: Firings | None = None,
) -> Toolbox:
    """Return a toolbox whose tools all pass through a fault at the tool seam.

    Signatures, descriptions and limits stay as they are, so the model notices nothing.
    """
    _check_seam(fault, "tool")
    trigger = _Trigger(fault, schedule or fault.schedule, seed, log or Firings())
    wrapped = [replace(tool, function=_faulty(tool, trigger)) for tool in toolbox.values()]
    return toolbox.having(*wrapped)


@dataclass(frozen=True)
class FaultyContext:
    """Wrap a context policy: tell the log which step it is, and fire a context fault."""

    policy: ContextPolicy
    log: Firings
    trigger: _Trigger | None = None

    def select(self, steps: Sequence[Step]) -> Sequence[Step]:
        """Return the steps to show, broken when the schedule says so."""
        self.log.begin_step(len(steps) + 1)
        shown = self.policy.select(steps)
        moment = self.trigger.moment(key="context") if self.trigger and shown else None
        return self.trigger.change(shown, moment) if self.trigger and moment else shown


def inject(
    agent: Agent,
    fault: Fault | str,
    schedule: Schedule | None = None,
    *,
    seed: int = 0,
    log: Firings | None = None,
) -> Agent:
    """Return an agent in which the fault fires on schedule; the given one stays as it is.

    `fault` is a Fault, or an id or name of the catalogue; `schedule=None` takes the
    fault's own. Runs of one injected agent may follow each other, each starts afresh; for
    runs side by side inject once for each. `firings(agent)` tells what really fired.
    """
    from .catalogue import find_fault

    fault, log = find_fault(fault), log or Firings()
    trigger = _Trigger(fault, schedule or fault.schedule, seed, log)
    seam_trigger = trigger if fault.seam == "context" else None
    agent = replace(
        agent,
        context=_innermost(agent.context, lambda policy: FaultyContext(policy, log, seam_trigger)),
    )
    if fault.seam in ("reply", "transport"):
        wrap = functools.partial(FaultyLLM, fault=fault, schedule=schedule, seed=seed, log=log)
        return replace(agent, llm=_innermost(agent.llm, wrap))
    if fault.seam == "tool":
        assert isinstance(agent.tools, Toolbox)
        tools = faulty_tools(agent.tools, fault, schedule, seed=seed, log=log)
        return replace(agent, tools=tools)
    return agent


def firings(agent: Agent) -> Firings:
    """Return what fired in the last run of an injected agent; raise UsageError for another."""
    part: Any = agent.context
    while not isinstance(part, FaultyContext):
        part = getattr(part, "inner", None)
        if part is None:
            raise UsageError("this agent has no fault in it: make one with inject(agent, fault)")
    return part.log


def _innermost(part: Any, wrap: Callable[[Any], Any]) -> Any:
    """Wrap a part below the defences around it: they are dataclasses with a field `inner`."""
    if is_dataclass(part) and not isinstance(part, type) and hasattr(part, "inner"):
        return replace(part, inner=_innermost(part.inner, wrap))
    return wrap(part)


def _faulty(tool: Tool, trigger: _Trigger) -> Callable[..., Any]:
    plain = inspect.isfunction(tool.function) or inspect.ismethod(tool.function)
    described = tool.function if plain else getattr(tool.function, "__call__", tool.function)  # noqa: B004

    @functools.wraps(described)
    def call(**args: Any) -> Any:
        result = tool.function(**args)
        if inspect.isawaitable(result):
            return _awaited(result, args)
        return finish(result, args)

    async def _awaited(result: Any, args: Mapping[str, Any]) -> Any:
        return finish(await result, args)

    def finish(result: Any, args: Mapping[str, Any]) -> Any:
        moment = trigger.moment(tool.name, f"{tool.name}{sorted(args.items())!r}", args=args)
        return result if moment is None else trigger.change(result, moment)

    return call


def _noted(after: Completion, fault: Fault, before: Completion) -> Completion:
    notes = (f"{NOTE} {fault.id}: {fault.explanation}", f"before the fault: {before.text}")
    return replace(after, notes=(*after.notes, *notes))


def _tool_of(reply: Completion) -> str:
    if reply.tool_calls:
        return reply.tool_calls[0].name
    parts = read_parts(reply.text)
    return parts.tool if parts else ""


def _check_seam(fault: Fault, *seams: str) -> None:
    if fault.seam not in seams:
        raise UsageError(
            f"fault {fault.id} sits at the {fault.seam} seam, this wrapper is for "
            f"{' and '.join(seams)}: use inject(agent, fault), which picks the wrapper"
        )
