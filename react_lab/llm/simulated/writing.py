"""Step 6, writing the reply in the contract that was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .choosing import as_bare_text
from .prompt import Form

_USUAL = {
    "thought": "Thought",
    "action": "Action",
    "input": "Action Input",
    "final": "Final Answer",
}
Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Reply:
    """Hold a reply before it is written: a thought, and calls or an answer.

    `verbatim` is a whole text, for a reply that repeats an earlier one.
    """

    thought: str = ""
    calls: tuple[Call, ...] = ()
    answer: str | None = None
    verbatim: str = ""


def write(reply: Reply, form: Form, number: int) -> str:
    """Write a reply in a contract; without one it is prose."""
    if form.dialect in ("prose", "native"):
        return write_prose(reply)
    writer = {"json": _write_json, "xml": _write_xml}.get(form.dialect)
    return writer(reply, form) if writer else _write_lines(reply, form, number)


def write_prose(reply: Reply) -> str:
    """Write what people would read: no labels, nothing a parser could act on."""
    return " ".join(part for part in (reply.thought, reply.answer) if part)


def write_observation(text: str, form: Form, number: int) -> str:
    """Write an invented Observation in the shape of the contract."""
    if form.dialect == "json":
        return json.dumps({"observation": text}, ensure_ascii=False)
    if form.dialect == "xml":
        return f"<observation>{text}</observation>"
    return f"Observation{f' {number}' if form.numbered else ''}: {text}"


def _write_lines(reply: Reply, form: Form, number: int) -> str:
    label = {part: form.labels.get(part, usual) for part, usual in _USUAL.items()}
    count = f" {number}" if form.numbered else ""
    lines = (
        [f"{label['thought']}{count}: {reply.thought}"]
        if reply.thought and form.labels.get("thought")
        else []
    )
    for name, args in reply.calls[:1]:
        if form.dialect == "brackets":
            lines.append(f"{label['action']}{count}: {name}[{as_bare_text(args)}]")
            continue
        given = json.dumps(args, ensure_ascii=False) if form.json_input else as_bare_text(args)
        lines += [f"{label['action']}{count}: {name}", f"{label['input']}{count}: {given}"]
    if reply.answer is not None:
        lines += _exit(reply.answer, form, label, count)
    return "\n".join(lines)


def _exit(answer: str, form: Form, label: Mapping[str, str], count: str) -> list[str]:
    if form.finish == "brackets":
        return [f"{label['action']}{count}: Finish[{answer}]"]
    if form.finish.startswith("action_"):
        name = form.finish.removeprefix("action_")
        given = json.dumps({"answer": answer}, ensure_ascii=False) if form.json_input else answer
        return [f"{label['action']}{count}: {name}", f"{label['input']}{count}: {given}"]
    return [f"{label['final']}: {answer}"]


def _write_json(reply: Reply, form: Form) -> str:
    written: dict[str, Any] = {"thought": reply.thought} if reply.thought else {}
    for name, args in reply.calls[:1]:
        written |= {"action": name, "action_input": args}
    if reply.answer is not None:
        plain = {"final_answer": reply.answer}
        written |= (
            plain if form.finish in ("final_answer", "brackets") else _exit_call(reply.answer, form)
        )
    return json.dumps(written, ensure_ascii=False)


def _exit_call(answer: str, form: Form) -> dict[str, Any]:
    return {"action": form.finish.removeprefix("action_"), "action_input": {"answer": answer}}


def _write_xml(reply: Reply, form: Form) -> str:
    lines = [f"<thought>{reply.thought}</thought>"] if reply.thought else []
    for name, args in reply.calls[:1]:
        given = json.dumps(args, ensure_ascii=False)
        lines += [f"<action>{name}</action>", f"<action_input>{given}</action_input>"]
    if reply.answer is not None and form.finish.startswith("action_"):
        call = _exit_call(reply.answer, form)
        given = json.dumps(call["action_input"], ensure_ascii=False)
        lines += [f"<action>{call['action']}</action>", f"<action_input>{given}</action_input>"]
    elif reply.answer is not None:
        lines.append(f"<final_answer>{reply.answer}</final_answer>")
    return "\n".join(lines)
