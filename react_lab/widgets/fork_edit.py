"""What ForkBench changes, as data: where to go back to, and what to change there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..agent import Agent, fork
from ..contracts import OwnPrompt
from ..errors import UsageError
from ..llm import SimulatedLLM
from ..records import Completion, Run
from ..tools import Toolbox

Change = Literal["ask again", "reply", "observation", "question", "prompt", "tools"]
CHANGES: tuple[Change, ...] = ("ask again", "reply", "observation", "question", "prompt", "tools")
#: Changes of the agent that goes on; the others change the run.
OF_THE_AGENT = ("prompt", "tools")


@dataclass(frozen=True)
class Edit:
    """Hold a change at a step; `text` is what takes the place of what `change` names."""

    step: int
    change: Change = "ask again"
    text: str = ""

    def begin(self, agent: Agent, run: Run) -> tuple[Agent, Run]:
        """Return the agent that goes on and the unfinished run it goes on from."""
        if self.change in OF_THE_AGENT:
            changed = self._changed(agent)
            return changed, replace(fork(changed, run, self.step), change=self.change)
        given: dict[str, Any] = {} if self.change == "ask again" else {self.change: self.text}
        return agent, fork(agent, run, self.step, **given)

    def code(self, agent: str = "agent") -> str:
        """Return the line that does the same."""
        if self.change in OF_THE_AGENT:
            names = ", ".join(map(repr, self.text.split()))
            part = f"tools=[agent.tools[name] for name in ({names},)]"
            if self.change == "prompt":
                part = f"contract=OwnPrompt({agent}.contract, {self.text!r})"
            changed = f"replace({agent}, {part})"
            return f"run_agent(changed := {changed}, fork(changed, run, {self.step}))"
        given = "" if self.change == "ask again" else f", {self.change}={self.text!r}"
        return f"run_agent({agent}, fork({agent}, run, {self.step}{given}))"

    def _changed(self, agent: Agent) -> Agent:
        if self.change == "tools":
            return replace(agent, tools=chosen_tools(agent, self.text))
        return replace(agent, contract=OwnPrompt(agent.contract, self.text))

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
        "prompt": system_message(run, agent),
        "tools": "\n".join(agent.tools),  # type: ignore[arg-type]
    }
    # Half a surrogate pair cannot travel to the page.
    return texts.get(change, "").encode("utf-8", "replace").decode("utf-8")


def system_message(run: Run, agent: Agent) -> str:
    """Return the system message that the agent begins with; "" where it has none."""
    assert isinstance(agent.tools, Toolbox)
    opening = agent.contract.opening(run.question, agent.tools)
    return opening[0].content if opening else ""


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
