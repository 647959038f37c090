"""StepInspector: read a run step by step (notebook 06).

One list and one pane, whatever the length of the run: a page of the list and the pane are
built when they are looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import traitlets

from ..agent import Agent
from ..errors import UsageError
from ..records import Run
from ..views.badges import badges_html, has_issue, headline
from ..views.escape import isolated, one_line, show
from ..views.run import ending, run_html
from ..views.step import PANES, step_html, step_line, step_text
from .background import StopSign, steps_in_background
from .base import Parts, Shell, code_html, notice_html, style_sheet
from .step_list import FILTERS, NOTHING, StepList, passing

#: Seconds between two steps of the play button, and of a live run of an instant model.
PLAY, PAUSE = 0.8, 0.3


_VIEWS = "from react_lab.views import {}\n"


class StepInspector(Shell):
    """Show a run: its steps in a list, the selected one from every side.

    The state is four traits: `run`, `step` (from 1; 0 while there is none), `pane` (a name
    of `PANES`) and `only` (a name of `FILTERS`). Setting one is what the controls do.
    `StepInspector.live(agent, question)` adds a start and a stop button.
    """

    run = traitlets.Any()
    step = traitlets.Int()
    pane = traitlets.Enum(tuple(PANES), "Scratchpad")
    only = traitlets.Enum(tuple(FILTERS), "all steps")

    def __init__(self, run: Run, *, agent: Agent | None = None, pause: float = PAUSE) -> None:
        self.agent, self.pause = agent, pause
        self._playing = False
        self._stopped: StopSign | None = None
        self._issues: tuple[Any, list[int]] = (None, [])
        super().__init__(run=run, step=min(1, len(run.steps)))
        self._build(Parts())
        self._connect()

    @classmethod
    def live(cls, agent: Agent, question: str, *, pause: float = PAUSE) -> StepInspector:
        """Return an inspector that runs `agent` when Start is pressed; Stop ends the run.

        `pause` is the time between two steps in seconds, so that an instant model can be
        followed by eye.
        """
        return cls(Run(question), agent=agent, pause=pause)

    # --- moving

    def next_step(self) -> None:
        """Select the next step that the filter shows."""
        self._move(self.shown, 1)

    def previous_step(self) -> None:
        """Select the step before that the filter shows."""
        self._move(self.shown, -1)

    def next_issue(self) -> None:
        """Select the next step with an error, a repair or a guard."""
        self._move(self.issues, 1)

    def previous_issue(self) -> None:
        """Select the last step before with an error, a repair or a guard."""
        self._move(self.issues, -1)

    @property
    def shown(self) -> list[int]:
        """Return the numbers of the steps that the filter shows."""
        return passing(self.run, self.only)

    @property
    def issues(self) -> list[int]:
        """Return the numbers of the steps with an issue."""
        if self._issues[0] is not self.run:
            found = [n for n, step in enumerate(self.run.steps, 1) if has_issue(step)]
            self._issues = self.run, found
        return self._issues[1]

    async def play(self) -> None:
        """Select one step after the other until the last, or until `stop` is called."""
        self._playing = True
        while self._playing and any(number > self.step for number in self.shown):
            await asyncio.sleep(PLAY)
            if self._playing:
                self.next_step()
        self._playing = False

    # --- running

    async def go(self) -> Run:
        """Run the agent from the question on and follow it; return the run."""
        if self.agent is None:
            raise UsageError("there is no agent to run: use StepInspector.live(agent, question)")
        if self._stopped is not None:
            raise UsageError("the run is still going on: stop it first")
        self._stopped = StopSign()
        self.run = Run(self.run.question)
        try:
            async for run in steps_in_background(self.agent, self.run, self._stopped):
                self.run = run
                self.step = len(run.steps)
                await asyncio.sleep(0 if run.finished else self.pause)
        finally:
            self._stopped = None
            self._draw()
        finished: Run = self.run
        return finished

    def stop(self) -> None:
        """End a run that is going on, as cancelled, and stop playing."""
        self._playing = False
        if self._stopped is not None:
            self._stopped.set()

    # --- how it is shown

    def code(self) -> str:
        """Return the line that shows the selected pane without the widget."""
        if not self.run.steps:
            return "await inspector.go()" if self.agent else "print(run)"
        own = {
            "Scratchpad": f"print(run.step({self.step}))",
            "Prompt as sent": f"print(run.messages({self.step}))",
            "Raw reply": f"print(run.step({self.step}).reply.text)",
            "Growth": _VIEWS.format("growth_text") + "print(growth_text(run))",
        }
        shown = f"print(step_text(run, {self.step}, {self.pane!r}))"
        return own.get(self.pane, _VIEWS.format("step_text") + shown)

    def to_text(self) -> str:
        """Return the list and the selected pane as text."""
        lines = [f"Question: {one_line(self.run.question, 200)}", self._ending()]
        for number in self.shown:
            mark = ">" if number == self.step else " "
            lines.append(f"{mark}{step_line(number, self.run.step(number))}")
        if self.run.steps:
            lines += [] if self.shown else [f"      {NOTHING}"]
            lines += [
                f"--- step {self.step}: {self.pane}",
                step_text(self.run, self.step, self.pane),
            ]
        return "\n".join(lines)

    def to_html(self) -> str:
        """Return the run as `run_html` shows it."""
        return run_html(self.run)

    def __repr__(self) -> str:
        return f"StepInspector({len(self.run.steps)} steps, step {self.step}, {self.pane!r})"

    def _actions(self) -> dict[str, Callable[[], Any]]:
        actions: dict[str, Callable[[], Any]] = {
            "Previous step": self.previous_step,
            "Next step": self.next_step,
            "Previous issue": self.previous_issue,
            "Next issue": self.next_issue,
            "Play": lambda: self.in_background(self.play()),
        }
        if self.agent is not None:
            actions["Start"] = lambda: self.in_background(self.go())
        return {**actions, "Stop": self.stop}

    def _move(self, numbers: list[int], direction: int) -> None:
        ahead = [number for number in numbers if (number - self.step) * direction > 0]
        if not ahead:
            which = "before" if direction < 0 else "after"
            raise UsageError(f"there is no such step {which} step {self.step}")
        self.step = min(ahead) if direction > 0 else max(ahead)

    @traitlets.validate("step")  # type: ignore
    def _checked(self, proposal: Any) -> int:
        number: int = proposal["value"]
        if number != 0 or self.run.steps:
            self.run.step(number)
        return number

    def _build(self, parts: Parts) -> None:
        # Each part begins with what it shows: that saves a message for each.
        actions = {name: self.safely(act) for name, act in self._actions().items()}
        self.buttons = parts.actions(actions)
        self.slider = parts.slider("Step", max(1, len(self.run.steps)))
        self.filters = parts.choices(FILTERS, "Show", "choices filter")
        self.list = StepList(parts, self._select, self.run, self.shown, self.step)
        self.panes = parts.choices(PANES, "", "choices panes")
        self.page = parts.html(self._page(), "page")
        controls = (self.buttons, self.slider, self.filters, self.list.control)
        self.box = parts.box((*controls, self.panes, self.page), "inspector")

    def _connect(self) -> None:
        self.slider.observe(self._slide, "value")
        self.panes.observe(
            self.safely(lambda change: self.set_trait("pane", change["new"])), "value"
        )
        self.filters.observe(
            self.safely(lambda change: self.set_trait("only", change["new"])), "value"
        )
        self.observe(self._draw, ["run", "step", "pane", "only", "notice"])

    def _select(self, number: int) -> None:
        self.safely(lambda: self.set_trait("step", number))()

    def _slide(self, change: dict[str, Any]) -> None:
        if self.run.steps:
            self._select(change["new"])

    def _draw(self, change: Any = None) -> None:
        if self.step > len(self.run.steps):
            self.step = len(self.run.steps)  # draws
            return
        self.slider.max = max(1, len(self.run.steps))
        self.slider.value = max(1, self.step)
        self.panes.value, self.filters.value = self.pane, self.only
        self.list.draw(self.run, self.shown, self.step)
        self.page.value = self._page()

    def _page(self) -> str:
        run, number = self.run, self.step
        head = f"<div><b>Question:</b> {isolated(run.question, 300)}</div><div>{show(self._ending(), 600)}</div>"
        if number:
            step = run.step(number)
            head += (
                f"<div><b>Step {number} of {len(run.steps)}</b> · {isolated(headline(step), 120)} "
                f"{badges_html(step)}</div>"
                f'<div class="react-lab-scroll" tabindex="0">{step_html(run, number, self.pane)}</div>'
            )
        return style_sheet() + head + notice_html(self.notice) + code_html(self.code())

    def _ending(self) -> str:
        if self.run.finished or self.run.steps or self.agent is None:
            return ending(self.run)
        return "running" if self._stopped else "not started: press Start"
