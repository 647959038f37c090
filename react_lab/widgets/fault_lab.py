"""FaultLab: break a run on purpose, and watch which defence answers (notebook 07).

Choose a seam, a fault, when it fires and which defences are on; `Run once` shows the clean
and the faulted run side by side, `Run batch` fills a step histogram and a heatmap while
the page stays free. The line of code below does the same without the widget.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from ..agent import Agent
from ..evals.tasks import Task, check_answer
from ..faults import Trial, find_fault
from ..guards import StepLimit
from ..tools import Toolbox
from ..views.escape import block, show
from .fault_choice import Choice
from .fault_controls import FaultControls
from .fault_view import batch_html, batch_text, trial_html, trial_text

#: A batch redraws its pictures this often, and pauses this long (seconds) after each trial.
REDRAWS, PAUSE = 4, 0.002


class FaultLab:
    """Show what a fault does to an agent on a task.

    `task` is a question or a Task; `tasks` are those of a batch (else the one task). An
    answer is right when it is that of the clean run, or fits the Task's gold. `print(lab)`
    gives the text, `lab.choose(fault="B1")` sets the controls, `lab.trial` and
    `lab.trials` hold the results.
    """

    def __init__(self, agent: Agent, task: Any, *, tasks: Sequence[Any] = ()) -> None:
        self.agent, self.task, self.tasks = agent, task, tuple(tasks) or (task,)
        self._check = (
            check_answer if all(isinstance(t, Task) for t in (task, *self.tasks)) else None
        )
        self.trials: list[Trial] = []
        self._batch: asyncio.Task[None] | None = None
        self._stopped = False
        assert isinstance(agent.tools, Toolbox)
        self.controls = FaultControls(agent.tools, seeds=5)
        self.status, self.code = widgets.HTML(), widgets.HTML()
        self.result, self.batch = widgets.HTML(), widgets.HTML()
        self.box = widgets.VBox(
            [self.controls.panel, self.status, self.code, self.result, self.batch]
        )
        self._connect()
        self.run_once()

    # --- what is chosen

    @property
    def choice(self) -> Choice:
        """Return what the controls say."""
        c = self.controls
        off = tuple(name for name, box in c.defences.items() if not box.value)
        return Choice(
            c.fault.value,
            c.when.value,
            c.number.value,
            c.p.value,
            c.seed.value,
            c.tool.value,
            off,
        )

    def choose(self, **changes: Any) -> FaultLab:
        """Set controls by name: fault, when, number, p, seed, tool, off; return the lab.

        Each is a field of `Choice`. Raise UsageError for a fault that does not exist.
        """
        if "fault" in changes:
            chosen = find_fault(changes.pop("fault"))
            self.controls.seam.value, self.controls.fault.value = chosen.seam, chosen.id
        if "off" in changes:
            self.controls.set_defences(changes.pop("off"))
        for name, value in changes.items():
            getattr(self.controls, name).value = value
        return self

    # --- what is done

    def run_once(self) -> Trial:
        """Run the task without and with the fault, and show both."""
        self.trial = self.choice.run(self.agent, self.task, check=self._check)
        self.result.value = trial_html(self.trial)
        self._say(f"Ran {self.trial.fault}: {self.trial.judgement.verdict}.")
        return self.trial

    async def run_batch(self) -> list[Trial]:
        """Run the batch, letting the page breathe after each trial; return its trials."""
        choice, seeds = self.choice, self.controls.seeds.value
        size = choice.batch_size(self.tasks, seeds)
        self.controls.progress.max, self.controls.progress.value, self._stopped = size, 0, False
        batch: list[Trial] = []
        for trial in choice.batch(self.agent, self.tasks, seeds, check=self._check):
            batch.append(trial)
            self.trials.append(trial)
            self.controls.progress.value = len(batch)
            self._say(f"{len(batch)} of {size} trials.")
            if len(batch) % max(1, size // REDRAWS) == 0:
                self._draw_batch()
            await asyncio.sleep(PAUSE)
            if self._stopped:
                break
        self._draw_batch()
        stopped = " Stopped." if self._stopped else " Done."
        self._say(f"{len(batch)} of {size} trials.{stopped}")
        return batch

    def stop(self) -> None:
        """End a running batch after its current trial."""
        self._stopped = True

    def clear(self) -> None:
        """Forget the trials of all batches."""
        self.trials.clear()
        self.controls.progress.value = 0
        self._draw_batch()
        self._say("No trials.")

    # --- how it is shown

    def to_text(self) -> str:
        """Return all that the widget shows, as text."""
        parts = [self.choice.code(), trial_text(self.trial), self._batch_text()]
        return "\n\n".join(part for part in parts if part)

    def to_html(self) -> str:
        """Return a picture of the current state that needs no kernel and no script."""
        return (
            f"<div><p><b>FaultLab</b></p>{trial_html(self.trial)}{self.batch.value}"
            f"<p>The same in code</p>{block(self.choice.code())}</div>"
        )

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        off = f", without {', '.join(self.choice.off)}" if self.choice.off else ""
        return f"FaultLab({self.choice.fault}{off}: {self.trial.judgement.verdict})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        live = self.box._repr_mimebundle_()
        bundle = dict(live[0] if isinstance(live, tuple) else live)
        return bundle | {"text/plain": repr(self), "text/html": self.to_html()}

    def _batch_text(self) -> str:
        return batch_text(self.trials, self._limit()) if self.trials else ""

    def _draw_batch(self) -> None:
        self.batch.value = batch_html(self.trials, self._limit())

    def _limit(self) -> int | None:
        limits = [g.limit for g in self.agent.guards or () if isinstance(g, StepLimit)]
        return limits[0] if limits else None

    def _connect(self) -> None:
        c = self.controls
        boxes = list(c.defences.values())
        for control in (c.fault, c.when, c.number, c.p, c.seed, c.tool, *boxes):
            control.observe(self._show_code, "value")
        c.once.on_click(self._safely(self.run_once))
        c.start.on_click(self._safely(self._start))
        c.stop.on_click(self._safely(self.stop))
        c.clear.on_click(self._safely(self.clear))
        self._show_code()

    def _show_code(self, change: Any = None) -> None:
        if self.controls.fault.value:
            self.code.value = f"<p>The same in code</p>{block(self.choice.code())}"

    def _start(self) -> None:
        if self._batch is None or self._batch.done():
            self._batch = asyncio.get_running_loop().create_task(self._run_quietly())

    async def _run_quietly(self) -> None:
        try:
            await self.run_batch()
        except Exception as error:
            self._say(f"{type(error).__name__}: {error}")

    def _safely(self, action: Callable[[], Any]) -> Callable[[Any], None]:
        """Show an exception in the status line: a callback's own would be seen nowhere."""

        def on_click(button: Any) -> None:
            try:
                action()
            except Exception as error:
                self._say(f"{type(error).__name__}: {error}")

        return on_click

    def _say(self, text: str) -> None:
        self.status.value = f'<div role="status">{show(text)}</div>'
