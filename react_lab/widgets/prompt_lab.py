"""PromptLab: switch a piece of the prompt, see what changes in it and in the run (notebook 02).

The starting prompt is the agent's own. Each switch shows the prompt as the model would get
it, its tokens piece by piece, and the difference. A simulated or scripted model costs
nothing and answers in milliseconds, so the run follows at once; any other model is asked
only when Run is pressed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import traitlets

from ..agent import Agent, run_agent
from ..contracts import RULES, TextContract
from ..contracts.text import BLOCKS
from ..errors import UsageError
from ..llm import ScriptedLLM, SimulatedLLM
from ..records import Run
from ..tools import Toolbox
from ..views.escape import block, visible
from ..views.prompt_lab import details_html, lab_text, overview_html
from ..views.prompt_parts import Variant
from .background import StopSign, steps_in_background
from .base import Parts, Shell, code_html, notice_html, style_sheet
from .prompt_pieces import (
    ORDERS,
    RIGHT,
    STOPS,
    contract_code,
    contract_of,
    pieces_of,
    text_contract,
)

#: Rows of which one is chosen: the field of `Pieces`, its label and its options.
ROWS = {
    "dialect": ("Dialect", ("lines", "json", "xml")),
    "language": ("Language", ("en", "zh")),
    "order": ("Order", ORDERS),
    "finish": ("Exit", ("final_answer", "action_finish", "action_final_answer", "brackets")),
    "observation_as": ("Observation as", ("user", "assistant", "scratchpad")),
    "stop": ("Stop", (RIGHT, *STOPS)),
}
AT_ONCE = "The model is simulated or scripted: each change runs at once."
CARICATURE = "A simulated model is a caricature: it shows how to measure, not what real models do."
ASK = "Press Run to ask the model: it is asked only then."


class PromptLab(Shell):
    """Show an agent's prompt with a switch for each piece, and the run that follows.

    The state is `pieces` (a `Pieces`); set it with `choose(dialect="json", stop="none")` or
    `switch("no_repeat")`. `contract` is what the switches make, `run` its run or None,
    `runs` all runs by contract. `at_once=None` means: run at each change where the model
    is simulated or scripted. Raise UsageError for an agent without a `TextContract`.
    """

    pieces = traitlets.Any()

    def __init__(self, agent: Agent, question: str, *, at_once: bool | None = None) -> None:
        self.start = text_contract(agent)
        if not question.strip():
            raise UsageError(f"the question must be a text with something in it, got {question!r}")
        self.agent, self.question = agent, question
        free = isinstance(agent.llm, SimulatedLLM | ScriptedLLM)
        self.at_once = free if at_once is None else at_once
        self.runs: dict[TextContract, Run] = {}
        self._stopped: StopSign | None = None
        super().__init__(pieces=pieces_of(self.start))
        self._run_at_once(self.start)
        self._build(Parts())
        self._connect()

    # --- what is chosen

    @property
    def contract(self) -> TextContract:
        """Return the contract that the switches make."""
        return contract_of(self.pieces, self.start)

    @property
    def run(self) -> Run | None:
        """Return the run of the prompt as it is now, if there is one."""
        return self.runs.get(self.contract)

    def choose(self, **changes: Any) -> PromptLab:
        """Set switches by name, each a field of `Pieces`; return the lab.

        Raise UsageError for what the template does not have; nothing changes then.
        """
        if unknown := set(changes) - set(vars(self.pieces)):
            raise UsageError(
                f"there is no switch {sorted(unknown)[0]!r}: choose from {', '.join(vars(self.pieces))}"
            )
        pieces = replace(self.pieces, **changes)
        self._run_at_once(contract_of(pieces, self.start))
        self.pieces = pieces
        return self

    def switch(self, name: str) -> PromptLab:
        """Switch one block or rule on or off; return the lab."""
        switched = self.pieces.switched(name)
        return self.choose(blocks=switched.blocks, rules=switched.rules)

    def reset(self) -> None:
        """Go back to the starting prompt; its run and all others stay."""
        self.choose(**vars(pieces_of(self.start)))

    # --- what is done

    async def go(self) -> Run | None:
        """Run the prompt as it is now, and first the starting one if it has no run to compare.

        Return the run; None where it was stopped before it began.
        """
        if self._stopped is not None:
            raise UsageError("a run is still going on: stop it first")
        stopped = self._stopped = StopSign()
        contract = self.contract
        try:
            if contract != self.start and not _complete(self.runs.get(self.start)):
                await self._one(self.start, stopped)
            if not stopped.is_set():
                await self._one(contract, stopped)
        finally:
            self._stopped = None
        return self.runs.get(contract)

    def stop(self) -> None:
        """End the run that is going on, as cancelled."""
        if self._stopped is not None:
            self._stopped.set()

    async def _one(self, contract: TextContract, stopped: StopSign) -> None:
        agent = replace(self.agent, contract=contract)
        which = "the starting prompt" if contract == self.start else "this prompt"
        self.notice = f"running {which}"
        async for run in steps_in_background(agent, self.question, stopped):
            self.runs[contract] = run
            self.notice = f"running {which}: step {len(run.steps)}"
        self.notice = ""

    def _run_at_once(self, contract: TextContract) -> None:
        if self.at_once and contract not in self.runs:
            self.runs[contract] = run_agent(replace(self.agent, contract=contract), self.question)

    # --- how it is shown

    def code(self) -> str:
        """Return the line that does the same."""
        changed = f"replace(agent, contract={contract_code(self.contract)})"
        return f"run_agent({changed if self.contract != self.start else 'agent'}, question)"

    def to_text(self) -> str:
        """Return the tokens, the runs, the changes, the prompt and the line of code as text."""
        return f"{lab_text(*self._variants(), self._hints())}\n\nthe same in code\n{visible(self.code())}"

    def to_html(self) -> str:
        """Return the same as a picture that needs no kernel and no script."""
        start, now = self._variants()
        shown = [overview_html(start, now, self._hints()), *details_html(start, now)]
        return f"<div>{''.join(shown)}<div>The same in code</div>{block(self.code())}</div>"

    def __repr__(self) -> str:
        ended = "not run" if self.run is None else self.run.stop_reason or "running"
        return f"PromptLab({contract_code(self.contract)}: {ended})"

    def _variants(self) -> tuple[Variant, Variant]:
        assert isinstance(self.agent.tools, Toolbox)
        start, now = (
            Variant(contract, self.agent.tools, self.question, self.runs.get(contract))
            for contract in (self.start, self.contract)
        )
        return start, now

    def _hints(self) -> list[str]:
        hints = [AT_ONCE if self.at_once else ASK]
        return [*hints, CARICATURE] if isinstance(self.agent.llm, SimulatedLLM) else hints

    def _page(self) -> str:
        overview = overview_html(*self._variants(), self._hints())
        scrolled = "".join(
            f'<div class="react-lab-scroll" tabindex="0">{part}</div>'
            for part in details_html(*self._variants())
        )
        shown = f"{notice_html(self.notice)}{overview}{scrolled}{code_html(self.code())}"
        # The style sheet marks the switches by these names: to change a row of buttons from
        # here would make the page build it anew, and the keyboard would lose its place.
        on = [f"react-lab-on-{name}" for name in (*self.pieces.blocks, *self.pieces.rules)]
        return f'{style_sheet()}<div class="{" ".join(on)}">{shown}</div>'

    # --- its parts

    def _build(self, parts: Parts) -> None:
        self.rows = {
            name: parts.choices(
                dict.fromkeys((*options, getattr(self.pieces, name))),
                label,
                value=getattr(self.pieces, name),
            )
            for name, (label, options) in ROWS.items()
        }
        self.switches = {
            "blocks": self._switches(parts, BLOCKS, "Blocks"),
            "rules": self._switches(parts, RULES, "Rules"),
        }
        actions = {
            "Run": lambda: self.in_background(self.go()),
            "Stop": self.stop,
            "Back to the start": self.reset,
        }
        self.buttons = parts.actions({name: self.safely(act) for name, act in actions.items()})
        self.page = parts.html(self._page(), "page")
        controls = (*self.rows.values(), *self.switches.values(), self.buttons)
        self.box = parts.box((*controls, self.page), "prompt")

    def _switches(self, parts: Parts, names: Iterable[str], label: str) -> Any:
        press = {name: partial(self.safely(self.switch), name) for name in names}
        return parts.actions(press, label, "actions switches")

    def _connect(self) -> None:
        for row in self.rows.values():
            row.observe(self.safely(self._pick), "value")
        self.observe(self._draw, ["pieces", "notice"])

    def _pick(self, change: Any) -> None:
        name = next(name for name, row in self.rows.items() if row is change["owner"])
        if change["new"] == getattr(self.pieces, name):
            return
        try:
            self.choose(**{name: change["new"]})
        finally:
            self._draw()  # a choice that was refused goes back

    def _draw(self, change: Any = None) -> None:
        for name, row in self.rows.items():
            row.value = getattr(self.pieces, name)
        self.page.value = self._page()


def _complete(run: Run | None) -> bool:
    return run is not None and run.finished and run.stop_reason != "cancelled"
