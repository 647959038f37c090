"""One reply under three readers, with single repairs switched off (notebook 04).

>>> print(bench_text(read_bench("Final Answer: 4", {})))
strict: answer: 4 (the same)
tolerant: answer: 4
naive regex: answer: 4 (the same)
answer: 4
error: none
repairs: none
[answer 0-15] Final Answer: 4
Observation: none, the run ends with this answer
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..contracts.parsing import (
    REPAIRS,
    as_result,
    parse_naive,
    parse_reply,
    parse_strict,
    score_parser,
)
from ..records import Completion, Parsed, Repair
from .escape import block, isolated, show, visible
from .parse import parse_text, spans_html

TOLERANT = "tolerant"
#: A longer reply (in characters) is read once by each reader, and not once more for each repair.
LONGEST = 20_000
_LONG = f"not tried: the reply is longer than {LONGEST:,} characters"


@dataclass(frozen=True)
class Switch:
    """Say what a repair does here, and how the reply reads when this one is switched over.

    `repair` is None where it has nothing to do here; `fired` is False too where the reading
    ends before it, or where it is off.
    """

    name: str
    on: bool
    fired: bool
    repair: Repair | None
    otherwise: Parsed | None


@dataclass(frozen=True)
class Bench:
    """Hold a reply, its three readings by the reader's name, and the repairs that matter to it.

    `case` is a case of the corpus that the reply was taken from, unchanged, or None.
    """

    text: str
    readings: Mapping[str, Parsed]
    switches: tuple[Switch, ...]
    case: Mapping[str, Any] | None = None

    @property
    def parsed(self) -> Parsed:
        """Return the tolerant reading."""
        return self.readings[TOLERANT]


def read_bench(
    text: str,
    tools: Any,
    *,
    off: frozenset[str] = frozenset(),
    case: Mapping[str, Any] | None = None,
) -> Bench:
    """Read a reply in all three ways; `off` names repairs that the tolerant one does without."""
    readings = {
        "strict": parse_strict(text, tools),
        TOLERANT: parse_reply(text, tools, off=off),
        "naive regex": parse_naive(text, tools),
    }
    seen = {repair.name: repair for repair in parse_reply(text, tools).repairs}
    fired = {repair.name: repair for repair in readings[TOLERANT].repairs}
    seen |= fired
    switches = tuple(
        Switch(name, name not in off, name in fired, seen.get(name), _other(text, tools, off, name))
        for name in REPAIRS
        if name in seen or name in off
    )
    return Bench(text, readings, switches, case)


def reading_line(parsed: Parsed) -> str:
    """Return a reading as one line: the action, the answer, or the error's code."""
    if parsed.error is not None:
        return f"error: {parsed.error.code}"
    if parsed.answer is not None:
        return f"answer: {parsed.answer}"
    return "; ".join(f"action: {action!s}" for action in parsed.actions)


def verdict(bench: Bench, reader: str) -> str:
    """Judge a reading by the case's expected one, or else by the tolerant reading."""
    parsed = bench.readings[reader]
    if bench.case is None:
        return "" if reader == TOLERANT else _compared(as_result(parsed), as_result(bench.parsed))
    row = score_parser(lambda text, tools: as_result(parsed), [dict(bench.case)]).rows[0]
    if row.dangerous:
        return "dangerous"
    if row.accepted:
        return "as expected" if row.exact else "as defensible"
    return "missed" if parsed.error is not None else "wrong"


def _compared(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    if one == other:
        return "the same"
    return "also an error" if one["kind"] == other["kind"] == "error" else "another reading"


def observed(parsed: Parsed) -> str:
    """Return the Observation that the model would get, or why the parser writes none."""
    if parsed.error is not None:
        return parsed.error.message
    if parsed.answer is not None:
        return "none, the run ends with this answer"
    return "what the tool returns, for the action is run"


def expected_line(case: Mapping[str, Any]) -> str:
    """Return what a case should be read as."""
    want = case["expect"]
    said = {"action": f"{want.get('tool')}({want.get('args')!r})", "final": want.get("answer")}
    kind = "answer" if want["kind"] == "final" else want["kind"]
    return f"{kind}: {said.get(want['kind'], want.get('code'))}"


def _other(text: str, tools: Any, off: frozenset[str], name: str) -> Parsed | None:
    return parse_reply(text, tools, off=off ^ {name}) if len(text) <= LONGEST else None


# --- as text


def bench_text(bench: Bench) -> str:
    """Return the three readings, the tolerant one in full, and each repair switched over."""
    lines = _case_lines(bench.case)
    for reader, parsed in bench.readings.items():
        judged = verdict(bench, reader)
        lines.append(f"{reader}: {reading_line(parsed)}{f' ({judged})' if judged else ''}")
    lines.append(parse_text(Completion(bench.text), bench.parsed))
    lines += [f"{_state(each)}; {_switched(each)}" for each in bench.switches]
    if bench.parsed.error is None:  # else it stands with the error already
        lines.append(f"Observation: {observed(bench.parsed)}")
    return visible("\n".join(lines))


def _case_lines(case: Mapping[str, Any] | None) -> list[str]:
    if case is None:
        return []
    return [f"case {case['id']}: {case['why']}", f"expected: {expected_line(case)}"]


def _state(switch: Switch) -> str:
    waits = switch.on and not switch.fired
    return f"{switch.name} is {'on' if switch.on else 'off'}{', not reached' if waits else ''}"


def _switched(switch: Switch) -> str:
    if switch.otherwise is None:
        return _LONG
    return f"switched {'off' if switch.on else 'on'}: {reading_line(switch.otherwise)}"


# --- as HTML


def bench_html(bench: Bench) -> str:
    """Return the same as HTML, the reply whole with its parts in colour."""
    return (
        f"{_case_html(bench.case)}<div><b>Reply, as the tolerant parser takes it apart</b></div>"
        f"{spans_html(bench.text, bench.parsed.spans)}{_readings_html(bench)}"
        f"<div><b>The Observation that the model would get</b>{block(observed(bench.parsed))}</div>"
        f"{_switches_html(bench.switches)}"
    )


def _case_html(case: Mapping[str, Any] | None) -> str:
    if case is None:
        return "<div>Your own reply: there is no expected reading.</div>"
    name, why = isolated(case["id"], 80), isolated(case["why"], 300)
    expected = isolated(expected_line(case), 500)
    return f"<div><b>{name}</b> {why}</div><div><b>Expected</b> {expected}</div>"


def _readings_html(bench: Bench) -> str:
    rows = "".join(
        f"<tr><td><b>{show(reader)}</b></td><td>{isolated(reading_line(parsed), 1_000)}</td>"
        f"<td>{_judged(verdict(bench, reader))}</td></tr>"
        for reader, parsed in bench.readings.items()
    )
    return f"<table><tr><th>parser</th><th>reads</th><th>verdict</th></tr>{rows}</table>"


def _judged(said: str) -> str:
    return f"<b>{show(said.upper())}</b>" if said == "dangerous" else show(said)


def _switches_html(switches: tuple[Switch, ...]) -> str:
    if not switches:
        return "<div>No repair fired.</div>"
    heads = ("repair", "before", "after", "with this one switched over")
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f"<table><tr>{head}</tr>{''.join(map(_row, switches))}</table>"


def _row(switch: Switch) -> str:
    repair = switch.repair
    before = f"{block(repair.saw)}at {repair.start}-{repair.end}" if repair else "did not fire"
    after = block(repair.made) if repair and repair.made else "no new text"
    name = f"<b>{_state(switch)}</b><div>{show(REPAIRS[switch.name])}</div>"
    cells = (name, before, after if repair else "", isolated(_switched(switch), 1_000))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
