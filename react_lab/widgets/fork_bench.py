"""ForkBench: go back to a step, change something, and run on (notebook 06).

The steps before the fork are kept, not asked for again: the bench counts the model calls
that were made and those that were saved. The fork knows its parent, and the tree shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import traitlets

from ..agent import Agent
from ..errors import UsageError
from ..records import Run
from ..views.badges import headline
from ..views.compare import compare_html, compare_text
from ..views.diff import lines_html, text_diff
from ..views.escape import isolated, show
from ..views.run import counted, ending, run_html
from ..views.tree import branches, describe_run, tree_html, tree_text
from .background import StopSign, in_thread, steps_in_background
from .base import Parts, Shell, code_html, notice_html, style_sheet
from .fork_edit import CHANGES, CountingLLM, Edit, named, seeded, text_before

#: Branches that can be picked; older ones stay in the tree and in `runs`.
BRANCHES = 30
OWN = "this agent"


class ForkBench(Shell):
    """Show a run and its forks, and make new ones.

    The state: `run` (the selected branch), `step` (where to go back to, from 1), `change`
    (a name of `CHANGES`), `text` (what to put there), `agent_name`, `times`. `others` are
    agents to go on with instead: another prompt, other tools, another model. With
    `times` above 1 a simulated model gets another seed each time. `runs` has all branches.
    """

    run = traitlets.Any()
    step = traitlets.Int(1)
    change = traitlets.Enum(CHANGES, "ask again")
    text = traitlets.Unicode()
    agent_name = traitlets.Unicode(OWN)
    times = traitlets.Int(1)

    def __init__(
        self, run: Run, agent: Agent, *, others: Mapping[str, Agent] | None = None
    ) -> None:
        if not run.steps:
            raise UsageError("this run has no step to go back to: run it first")
        self.agents = {OWN: agent, **(others or {})}
        self.runs = [branch.run for branch in branches([run])]
        self.calls, self.saved = 0, 0
        self._stopped: StopSign | None = None
        self._drawing = False
        super().__init__(run=run)
        self._build(Parts())
        self._connect()

    # --- what is done

    @property
    def edit(self) -> Edit:
        """Return what the controls say."""
        return Edit(self.step, self.change, "" if self.change == "ask again" else self.text)

    async def go(self) -> list[Run]:
        """Fork and run on, `times` times; return the new runs and select the last with a step."""
        if self._stopped is not None:
            raise UsageError("a fork is still going on: stop it first")
        self._stopped = StopSign()
        made: list[Run] = []
        parent, edit, name = self.run, self.edit, self.agent_name
        try:
            for number in range(self.times):
                if not self._stopped.is_set():
                    made.append(await self._one(name, number, parent, edit))
                    self.runs.append(made[-1])
                    self._draw()
        finally:
            self._stopped = None
        self._select_last(made)
        return made

    def stop(self) -> None:
        """End the run that is going on, as cancelled; it stays in the tree."""
        if self._stopped is not None:
            self._stopped.set()

    def clear(self) -> None:
        """Forget all forks but the line of the first run."""
        first = self.runs[0]
        self.runs, self.calls, self.saved = [first], 0, 0
        self._select(first)

    # --- how it is shown

    def code(self) -> str:
        """Return the line that does the same as Fork and run on."""
        named = "agent" if self.agent_name == OWN else f"others[{self.agent_name!r}]"
        return self.edit.code(named)

    def to_text(self) -> str:
        """Return the tree, the costs and the comparison with the parent as text."""
        parts = [tree_text(self.runs, self.run), self._costs()]
        if self.run.parent is not None:
            parts.append(compare_text(self.run.parent, self.run))
        return "\n\n".join(parts)

    def to_html(self) -> str:
        """Return the tree, the costs and the selected run."""
        return f"<div>{tree_html(self.runs, self.run)}<p>{show(self._costs())}</p>{run_html(self.run)}</div>"

    def __repr__(self) -> str:
        return f"ForkBench({counted(len(self.runs), 'run')}, step {self.step}, {self.change!r})"

    async def _one(self, name: str, number: int, parent: Run, edit: Edit) -> Run:
        assert self._stopped is not None
        agent = seeded(self.agents[name], number)
        counting = CountingLLM(agent.llm)
        try:
            fork: Run
            going, fork = await in_thread(edit.begin, replace(agent, llm=counting), parent)
            fork = fork if name == OWN else named(fork, name)
            self.saved += edit.saved_calls()
            async for longer in steps_in_background(going, fork, self._stopped):
                fork = longer
                self.notice = f"running: step {len(fork.steps)}"
        finally:
            self.calls += counting.calls
        self.notice = ""
        return fork

    def _costs(self) -> str:
        forks = len(self.runs) - 1
        made = f"{counted(self.calls, 'model call')} made, {self.saved:,} saved"
        return f"{counted(forks, 'fork')}: {made} (the steps before a fork are not asked for again)"

    def _build(self, parts: Parts) -> None:
        self.branches = parts.choices(
            self._labels(), "Branch", "choices branches", index=self._index()
        )
        self.slider = parts.slider("Go back to step", len(self.run.steps))
        self.changes = parts.choices(CHANGES, "Change", "choices")
        self.field = parts.text("New text")
        self.who = parts.choices(self.agents, "Run on with", "choices")
        self.number = parts.number("Times", 1, 100)
        actions = {
            "Fork and run on": lambda: self.in_background(self.go()),
            "Stop": self.stop,
            "Clear": self.clear,
        }
        self.buttons = parts.actions({name: self.safely(act) for name, act in actions.items()})
        self.page = parts.html(self._page(), "page")
        controls = (self.branches, self.slider, self.changes, self.field, self.who, self.number)
        self.box = parts.box((*controls, self.buttons, self.page), "forks")

    def _connect(self) -> None:
        controls = {
            "step": self.slider,
            "change": self.changes,
            "text": self.field,
            "agent_name": self.who,
            "times": self.number,
        }
        for name, control in controls.items():
            traitlets.link((self, name), (control, "value"))
        self.branches.observe(self.safely(self._pick), "index")
        self.observe(self._refill, ["run", "step", "change"])
        self.observe(self._draw, ["run", "step", "change", "text", "agent_name", "times", "notice"])

    def _pick(self, change: dict[str, Any]) -> None:
        if change["new"] is not None and not self._drawing:
            self.run = self._pickable()[change["new"]]

    def _select_last(self, made: list[Run]) -> None:
        with_steps = [run for run in made if run.steps]
        if with_steps:
            self._select(with_steps[-1])
        elif made:  # there is no step to show
            self._draw()
            self.notice = f"the fork ended before its first step: {ending(made[-1])}"

    def _select(self, run: Run) -> None:
        self.run = run
        self._draw()

    def _pickable(self) -> list[Run]:
        with_steps = [run for run in self.runs if run.steps]
        return [with_steps[0], *with_steps[1:][1 - BRANCHES :]]

    def _labels(self) -> list[str]:
        numbers = {id(branch.run): branch.number for branch in branches(self.runs)}
        return [f"{numbers[id(run)]} {describe_run(run)[:40]}" for run in self._pickable()]

    def _index(self) -> int | None:
        found = [n for n, run in enumerate(self._pickable()) if run is self.run]
        return found[0] if found else None

    def _refill(self, change: Any) -> None:
        self.step = min(self.step, len(self.run.steps))
        self.text = text_before(self.run, self.step, self.change, self.agents[OWN])

    def _draw(self, change: Any = None) -> None:
        self.slider.max = max(1, len(self.run.steps))
        labels = tuple(self._labels())
        self._drawing = True
        try:
            with self.branches.hold_sync():
                if labels != tuple(self.branches.options):
                    self.branches.options = labels
                self.branches.index = self._index()
        finally:
            self._drawing = False
        self.page.value = self._page()

    def _page(self) -> str:
        step = self.run.step(self.step)
        here = f"<div><b>Step {self.step}</b> · {isolated(headline(step), 160)}</div>"
        compared = ""
        if self.run.parent is not None:
            compared = f"<div><b>Parent (a) and fork (b)</b></div>{compare_html(self.run.parent, self.run)}"
        return (
            f"{style_sheet()}{notice_html(self.notice)}{here}{self._edited()}{code_html(self.code())}"
            f"<div><b>Branches</b></div>{tree_html(self.runs, self.run)}"
            f"<div>{show(self._costs())}</div>{compared}"
        )

    def _edited(self) -> str:
        if self.change == "ask again":
            return "<div>The model is asked again at this step.</div>"
        before = text_before(self.run, self.step, self.change, self.agents[OWN])
        if before == self.text:
            return f"<div>The {show(self.change)} is as it was: edit the text above.</div>"
        return lines_html(text_diff(before, self.text, self.change))
