"""What ForkBench changes, as data: where to go back to, and what to change there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..agent import Agent, fork
from ..errors import UsageError
from ..llm import SimulatedLLM
from ..records import Completion, Run
from ..tools import Toolbox

Change = Literal["ask again", "reply", "observation", "question", "tools"]
CHANGES: tuple[Change, ...] = ("ask again", "reply", "observation", "question", "tools")


@dataclass(frozen=True)
class Edit:
    """Hold a change at a step; `text` is the new reply, observation, question or tool list."""

    step: int
    change: Change = "ask again"
    text: str = ""

    def begin(self, agent: Agent, run: Run) -> tuple[Agent, Run]:
        """Return the agent that goes on and the unfinished run it goes on from."""
        if self.change == "tools":
            fewer = replace(agent, tools=chosen_tools(agent, self.text))
            return fewer, replace(fork(fewer, run, self.step), change="tools")
        given: dict[str, Any] = {} if self.change == "ask again" else {self.change: self.text}
        return agent, fork(agent, run, self.step, **given)

    def code(self, agent: str = "agent") -> str:
        """Return the line that does the same."""
        if self.change == "tools":
            names = ", ".join(map(repr, self.text.split()))
            fewer = f"replace({agent}, tools=[agent.tools[name] for name in ({names},)])"
            return f"run_agent(fewer := {fewer}, fork(fewer, run, {self.step}))"
        given = "" if self.change == "ask again" else f", {self.change}={self.text!r}"
        return f"run_agent({agent}, fork({agent}, run, {self.step}{given}))"

    def saved_calls(self) -> int:
        """Count the model calls of the first run that this fork does not make again."""
        return self.step if self.change in ("reply", "observation") else self.step - 1


def named(fork: Run, agent: str) -> Run:
    """Return the fork with a `change` that names the other agent that went on."""
    change = fork.change if " " in fork.change else f"changed {fork.change}"
    return replace(fork, change=f"{change}, with {agent}")


def text_before(run: Run, step: int, change: str, agent: Agent) -> str:
    """Return what stands there now, to be edited."""
    now = run.step(step)
    texts = {
        "reply": now.reply.text,
        "observation": now.observations[0].text if now.observations else "",
        "question": run.question,
        "tools": "\n".join(agent.tools),  # type: ignore[arg-type]
    }
    # Half a surrogate pair cannot travel to the page.
    return texts.get(change, "").encode("utf-8", "replace").decode("utf-8")


def chosen_tools(agent: Agent, text: str) -> Toolbox:
    """Return the agent's tools that are named, in that order; raise UsageError for others."""
    assert isinstance(agent.tools, Toolbox)
    names = text.split()
    if unknown := [name for name in names if name not in agent.tools]:
        known = ", ".join(agent.tools) or "none"
        raise UsageError(f"the agent has no tool {unknown[0]!r}: choose from {known}")
    return Toolbox([agent.tools[name] for name in names])


def seeded(agent: Agent, number: int) -> Agent:
    """Return an agent whose simulated model has another seed, so that runs can differ."""
    if number and isinstance(agent.llm, SimulatedLLM):
        return replace(agent, llm=SimulatedLLM(agent.llm.temper, agent.llm.seed + number))
    return agent


class CountingLLM:
    """Count the calls that a model really gets."""

    def __init__(self, llm: Any) -> None:
        self.llm, self.calls = llm, 0

    def complete(self, messages: Any, *, stop: Sequence[str] = (), tools: Any = ()) -> Completion:
        """Pass the call on."""
        self.calls += 1
        reply: Completion = self.llm.complete(messages, stop=stop, tools=tools)
        return reply
