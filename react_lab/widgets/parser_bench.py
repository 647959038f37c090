"""ParserBench: read a malformed reply three ways, and switch repairs off (notebook 04)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import traitlets

from ..contracts.parsing.corpus import Case
from ..errors import UsageError
from ..views.escape import one_line, show, visible
from ..views.parser_bench import Bench, bench_html, bench_text, read_bench, reading_line
from .base import Parts, Shell, code_html, notice_html, style_sheet
from .parser_cases import (
    FIRST,
    OWN,
    TOOLS,
    Cases,
    known_repairs,
    read_tools,
    travels,
    write_tools,
)
from .repair_row import RepairRow, marks


class ParserBench(Shell):
    """Show how a reply is read: its parts, each repair, and what two other parsers make of it.

    `ParserBench()` opens a case of the corpus, `ParserBench(reply, tools)` a reply of your
    own; `tools` is {name: {parameter: type}} or a toolbox. The state: `reply`, `tools_text`
    (the tools as JSON), `off` (names of repairs) and `picked` (the case picked last). What
    you typed last is kept under "your own" while you look at cases.
    """

    reply = traitlets.Unicode()
    tools_text = traitlets.Unicode()
    off = traitlets.Any(frozenset())
    picked = traitlets.Unicode(FIRST)

    def __init__(
        self,
        reply: str | None = None,
        tools: Any = None,
        *,
        case: str = FIRST,
        off: str | Iterable[str] = (),
    ) -> None:
        self.cases = Cases()
        self._drawing = False
        self._own = ("", write_tools(TOOLS))
        found = self.cases[case]
        given = write_tools(TOOLS if tools is None else tools)
        texts = (found["text"], write_tools(found["tools"])) if reply is None else (reply, given)
        self.tools, self.wrong = read_tools(texts[1]), ""
        super().__init__(reply=texts[0], tools_text=texts[1], off=off, picked=case)
        self._take_in()
        self._build(Parts())
        self._connect()

    # --- what is done

    def pick(self, id: str) -> None:
        """Show a case of the corpus; raise UsageError for an id that there is not."""
        case = self.cases[id]
        self._fill(case["text"], write_tools(case["tools"]), id)

    def next_case(self) -> None:
        """Show the case after the one picked last."""
        self.pick(self.cases.beside(self.picked, 1))

    def previous_case(self) -> None:
        """Show the case before the one picked last."""
        self.pick(self.cases.beside(self.picked, -1))

    def toggle(self, name: str) -> None:
        """Switch a repair off, or on again."""
        self.off = self.off ^ known_repairs(name)

    def all_on(self) -> None:
        """Switch all repairs on."""
        self.off = frozenset()

    @property
    def case(self) -> Case | None:
        """Return the case that is shown; None where the reply or the tools are your own."""
        case = self.cases[self.picked]
        shown = self.reply, self.tools_text
        return case if shown == (case["text"], write_tools(case["tools"])) else None

    @property
    def bench(self) -> Bench:
        """Return the readings of what is shown."""
        return read_bench(self.reply, self.tools, off=self.off, case=self.case)

    # --- how it is shown

    def code(self) -> str:
        """Return the line that reads the same without the widget."""
        off = f", off=frozenset({sorted(self.off)!r})" if self.off else ""
        return f"parse_reply({self.reply!r}, {self.tools!r}{off})"

    def to_text(self) -> str:
        """Return the readings, the repairs and what is wrong with the fields, as text."""
        return "\n".join(filter(None, [self._state(), visible(self.wrong), bench_text(self.bench)]))

    def to_html(self) -> str:
        """Return a picture of what is shown."""
        return f"<div>{self._page(self.bench)}{code_html(self.code())}</div>"

    def __repr__(self) -> str:
        where = repr(self.picked) if self.case else OWN
        off = f", without {', '.join(sorted(self.off))}" if self.off else ""
        return f"ParserBench({where}{off}: {one_line(reading_line(self.bench.parsed), 80)})"

    @traitlets.validate("reply", "tools_text")  # type: ignore[untyped-decorator]
    def _travelling(self, proposal: dict[str, Any]) -> str:
        return travels(proposal["value"])

    @traitlets.validate("off")  # type: ignore[untyped-decorator]
    def _known(self, proposal: dict[str, Any]) -> frozenset[str]:
        return known_repairs(proposal["value"])

    def _fill(self, reply: str, tools_text: str, picked: str) -> None:
        # All at once: a case's reply with the tools of the one before is nobody's text.
        with self.hold_trait_notifications():
            self.reply, self.tools_text, self.picked = reply, tools_text, picked

    def _take_in(self) -> None:
        """Read the tools, keeping the last good ones, and keep what is no case."""
        try:
            self.tools, self.wrong = read_tools(self.tools_text), ""
        except UsageError as error:
            self.wrong = f"{error}. The tools before are used: {', '.join(self.tools) or 'none'}"
        if self.case is None:
            self._own = self.reply, self.tools_text

    def _build(self, parts: Parts) -> None:
        bench = self.bench
        self.categories = parts.choices(
            (OWN, *self.cases.ids), "Cases", "choices categories", index=self._index()
        )
        actions = {
            "Previous case": self.previous_case,
            "Next case": self.next_case,
            "All repairs on": self.all_on,
        }
        self.buttons = parts.actions({name: self.safely(act) for name, act in actions.items()})
        self.reply_field = parts.text("Reply", self.reply)
        self.tools_field = parts.text("Tools", self.tools_text, rows=2)
        self.repairs = RepairRow(parts, self.safely(self.toggle), bench.switches)
        self.page = parts.html(self._live(bench), "page")
        fields = (self.reply_field, self.tools_field, self.repairs.control)
        self.box = parts.box((self.categories, self.buttons, *fields, self.page), "parser")

    def _connect(self) -> None:
        self.observe(self._changed, ["reply", "tools_text", "off", "picked"])
        self.observe(self._draw, "notice")
        traitlets.link((self, "reply"), (self.reply_field, "value"))
        traitlets.link((self, "tools_text"), (self.tools_field, "value"))
        self.categories.observe(self.safely(self._chosen), "index")

    def _chosen(self, change: dict[str, Any]) -> None:
        if self._drawing or change["new"] is None:
            return
        name = self.categories.options[change["new"]]
        if name == OWN:
            self._fill(*self._own, self.picked)
        else:
            self.pick(self.cases.ids[name][0])

    def _index(self) -> int:
        return 1 + list(self.cases.ids).index(self.case["category"]) if self.case else 0

    def _changed(self, change: Any) -> None:
        self._take_in()
        self.notice = ""
        self._draw()

    def _draw(self, change: Any = None) -> None:
        bench = self.bench
        self._drawing = True
        try:
            self.categories.index = self._index()
        finally:
            self._drawing = False
        self.repairs.draw(bench.switches)
        self.page.value = self._live(bench)

    def _live(self, bench: Bench) -> str:
        said = notice_html(self.notice) + notice_html(self.wrong)
        marked = f'<div class="{marks(bench.switches)}">{self._page(bench)}</div>'
        return f"{style_sheet()}{said}{marked}{code_html(self.code())}"

    def _page(self, bench: Bench) -> str:
        return f"<div>{show(self._state())}</div>{bench_html(bench)}"

    def _state(self) -> str:
        where = self.cases.place(self.picked) if self.case else OWN
        off = ", ".join(sorted(self.off))
        return f"{where}; {f'switched off: {off}' if off else 'all repairs are on'}"
