"""ModelPicker: choose the model of an agent, and test the connection (notebooks 00 and 10).

Nothing is asked before a click on "Test the connection". A pasted key goes from the field
straight into the kit's `Secret`; no trait, no widget state and no text ever holds it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import traitlets

from ..errors import LLMError, UsageError
from ..llm import LLM, TEMPERS
from ..llm.laptop import LaptopLLM, why_not
from ..llm.openai_compatible import Secret
from ..llm.openai_compatible.settings import BASE_URL, MODEL
from ..views.escape import one_line
from ..views.model_picker import Outcome, PickedModel, model_html, model_text, outcome_html
from .background import StopSign, unless_stopped
from .base import Shell, notice_html, style_sheet
from .key_field import Fields
from .model_choice import (
    ADDRESSES,
    KINDS,
    WHAT,
    ModelChoice,
    checked,
    from_environment,
    key_for,
    server_of,
    try_out,
)

LINES = {"recording": "File", "base_url": "Address", "model": "Model name"}
CHOSEN = ["kind", "temper", "seed", *LINES]


class ModelPicker(Shell):
    """Choose a simulated, recorded, local or remote model; `llm` is the chosen one.

    The state: `kind` (a name of `KINDS`) and what belongs to it: `temper` and `seed`, or
    `recording`, or `base_url` and `model`, which begin as REACT_LAB_BASE_URL and
    REACT_LAB_MODEL say. `tested` holds what the last test of the connection said; a test
    waits `patience` seconds at most.

        picker = ModelPicker()
        run_agent(Agent(picker.llm, tools), "What is 17 * 23?")
    """

    kind = traitlets.Enum(KINDS, "simulated")
    temper = traitlets.Enum(tuple(TEMPERS), "obedient")
    seed = traitlets.Int(0, min=0)
    recording = traitlets.Unicode()
    base_url = traitlets.Unicode()
    model = traitlets.Unicode()
    tested = traitlets.Instance(Outcome, ())

    def __init__(self, kind: str = "simulated", *, patience: float = 30.0, **state: Any) -> None:
        self.patience = patience
        self._secret = Secret()
        self._stopped: StopSign | None = None
        self._laptop: LaptopLLM | None = None
        self._starting = threading.Lock()
        known = {"base_url": from_environment(BASE_URL), "model": from_environment(MODEL)}
        super().__init__(kind=kind, **(known | state))
        self._picked = self._look()
        self._build(Fields())
        self._connect()

    # --- what is chosen

    @property
    def choice(self) -> ModelChoice:
        """Return what the controls say."""
        return ModelChoice(**{name: getattr(self, name) for name in CHOSEN})

    @property
    def llm(self) -> LLM:
        """Return the chosen model, ready for an agent; raise UsageError with what is missing.

        "laptop" starts its process here, which takes some seconds; `close` ends it.
        """
        return self._make(self.choice, key_for(self._secret, self.base_url)[0])

    def take_key(self, key: str | Secret) -> None:
        """Hold a key in memory for the address; raise UsageError for one that cannot be sent."""
        key = Secret(key)
        if key.problem:
            raise UsageError(key.problem)
        self._secret = key
        self._choose()

    def forget_key(self) -> None:
        """Let go of the pasted key."""
        self._secret = Secret()
        self._choose()

    # --- what is done

    async def test_connection(self) -> Outcome:
        """Ask the model one short question and return what came of it; `stop` ends the wait."""
        if self._stopped is not None:
            raise UsageError("a test is still going on: stop it first")
        self._choose()
        asked, stopped = self._picked, StopSign()
        self._stopped, self.tested = stopped, Outcome("being tested")
        try:
            outcome: Outcome = await unless_stopped(
                stopped, Outcome("the test was stopped"), self._ask
            )
        finally:
            self._stopped = None
        # Where the choice changed meanwhile, the result is about another model.
        self.tested = outcome if self._picked is asked else Outcome()
        return outcome

    def stop(self) -> None:
        """End a test that is going on; what the model still answers is dropped."""
        if self._stopped is not None:
            self._stopped.set()

    def close(self) -> None:
        """End the process of the laptop's model, where one was started."""
        if self._laptop is not None:
            self._laptop.stop()
            self._laptop = None

    # --- how it is shown

    def code(self) -> str:
        """Return the lines that do the same without the widget, and without the key."""
        return self._picked.code

    def to_text(self) -> str:
        """Return the chosen model, what it is, and what is known of the connection."""
        return model_text(replace(self._picked, tested=self.tested))

    def to_html(self) -> str:
        """Return the same as a table."""
        return f"<div>{model_html(self._picked)}{outcome_html(self.tested)}</div>"

    def __repr__(self) -> str:
        return f"ModelPicker({one_line(self._picked.name, 120)})"

    def _make(self, choice: ModelChoice, key: Secret) -> LLM:
        if choice.kind != "laptop" or why_not():
            return choice.make(key)
        with self._starting:
            if self._laptop is None or not self._laptop.server.running:
                self._laptop = LaptopLLM()
            return self._laptop

    def _ask(self) -> Outcome:
        choice, key = self.choice, key_for(self._secret, self.base_url)[0]
        try:
            outcome = try_out(self._make(choice, key), self.patience)
        except (LLMError, UsageError) as error:  # no model was made, so nothing was asked
            outcome = Outcome(str(error), False)
        return replace(outcome, text=key.scrub(outcome.text, 4))

    def _look(self) -> PickedModel:
        choice, (key, source) = self.choice, key_for(self._secret, self.base_url)
        facts = [("What it is", WHAT[choice.kind]), *choice.facts(key, source)]
        return PickedModel(choice.name(), tuple(facts), choice.code(source))

    def _build(self, fields: Fields) -> None:
        self.kinds = fields.choices(KINDS, "Model", "choices", value=self.kind)
        self.tempers = fields.choices(TEMPERS, "Temper", "choices", value=self.temper)
        self.number = fields.whole("Seed", self.seed)
        self.lines = {
            name: fields.line(title, getattr(self, name)) for name, title in LINES.items()
        }
        self.key_field = fields.key("Key", self.safely(self.take_key))
        tests = {"Test the connection": self._start, "Stop": self.stop}
        self.buttons = self._row(fields, tests)
        self.rows = {
            "simulated": [self.tempers, self.number],
            "recorded": [self.lines["recording"]],
            "laptop": [self._row(fields, {"End its process": self.close})],
            "endpoint": self._endpoint_rows(fields),
        }
        self.page = fields.html(self._page(), "page")
        rows = [fields.box(row, f"only-{kind}") for kind, row in self.rows.items()]
        self.box = fields.box((self.kinds, *rows, self.buttons, self.page), f"picker {self.kind}")

    def _start(self) -> None:
        self.in_background(self.test_connection())

    def _row(self, fields: Fields, actions: Mapping[str, Callable[[], Any]]) -> Any:
        return fields.actions({name: self.safely(act) for name, act in actions.items()})

    def _endpoint_rows(self, fields: Fields) -> list[Any]:
        usual = {name: partial(self.set_trait, "base_url", url) for name, url in ADDRESSES.items()}
        forget = self._row(fields, {"Forget the key": self.forget_key})
        address, model = self.lines["base_url"], self.lines["model"]
        return [self._row(fields, usual), address, model, self.key_field, forget]

    def _connect(self) -> None:
        controls = {"kind": self.kinds, "temper": self.tempers, "seed": self.number}
        for name, control in controls.items():
            traitlets.link((self, name), (control, "value"))
        for name, line in self.lines.items():
            line.observe(partial(self._write, name), "value")
        self.observe(self._moved, "base_url")
        self.observe(self._choose, CHOSEN)
        self.observe(self._draw, ["tested", "notice"])

    def _write(self, name: str, change: dict[str, Any]) -> None:
        if change["new"] != getattr(self, name):
            self.safely(self.set_trait)(name, change["new"])
            self.lines[name].value = getattr(self, name)  # a key in the wrong field goes away

    @traitlets.validate(*LINES)  # type: ignore
    def _without_key(self, proposal: Any) -> str:
        return checked(LINES[proposal["trait"].name], proposal["value"])

    @traitlets.validate("notice")  # type: ignore
    def _scrubbed(self, proposal: Any) -> str:
        return self._secret.scrub(proposal["value"], 4)

    def _moved(self, change: dict[str, Any]) -> None:
        # A key belongs to one server: it must not follow the address to another.
        if self._secret and change["old"] and server_of(change["old"]) != server_of(change["new"]):
            self._secret = Secret()
            self.notice = "The address is another server's: the key was forgotten. Paste its own."

    def _choose(self, change: Any = None) -> None:
        self.stop()
        self._picked, self.tested = self._look(), Outcome()
        for name, line in self.lines.items():
            line.value = getattr(self, name)
        self._draw()

    def _draw(self, change: Any = None) -> None:
        # Rows are hidden and not taken out: the page cannot remove a field that has the focus.
        self.box._dom_classes = tuple(f"react-lab-{role}" for role in ("box", "picker", self.kind))
        self.page.value = self._page()

    def _page(self) -> str:
        return (
            f"{style_sheet()}{notice_html(self.notice)}"
            f'<div role="status">{outcome_html(self.tested)}</div>{model_html(self._picked)}'
        )
