"""Faults F1 to F10: the reply does not have the form that was asked for.

Each function gets the text of a well-formed reply and returns what a model wrote in its
place, in a public report. Where there is nothing to break it returns the text unchanged.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .definition import Moment, fault
from .reply_parts import Parts
from .schedules import EveryTime
from .writing import decoy_args, on_action, on_answer, on_parts

_REASONING = "<think>\nPerhaps like this:\n{call}\nObservation: 41\nNo, better:\n</think>\n"


@fault(
    seam="reply",
    id="F1",
    recovery="A format error that quotes the exact format; the model writes the step again.",
    evidence=("langchain#1358", "llama-models#113"),
)
@on_parts
def prose_without_action(parts: Parts, moment: Moment) -> str:
    """The model says in prose what it would do and writes no Action line."""
    return _prose(parts)


@fault(
    seam="reply",
    id="F2",
    recovery="A call and an answer in one step are refused as ambiguous; nothing is run.",
    evidence=("langchain#20704", "llama_index PR#13459"),
)
@on_action
def action_and_answer(parts: Parts, moment: Moment) -> str:
    """The reply calls a tool and gives a Final Answer at once."""
    return parts.having(answer="about 41, I think").write()


@fault(
    seam="reply",
    id="F3",
    recovery="Two different calls in one step are refused; the model is asked for one.",
    evidence=("dspy-go#167", "DB-GPT PR#3074"),
)
@on_action
def several_rounds(parts: Parts, moment: Moment) -> str:
    """The reply holds a second Thought and Action, written before any result was seen."""
    other = parts.acting(parts.tool, decoy_args(parts, moment), "Then I continue.")
    return f"{parts.write()}\n{other.write()}"


@fault(
    seam="reply",
    id="F4",
    recovery="A repair strips fence, bold and backticks around the markers.",
    evidence=("DB-GPT PR#3074", "hello-agents PR#127"),
)
@on_parts
def decorated_markers(parts: Parts, moment: Moment) -> str:
    """Markers stand in bold, in backticks or inside a code fence."""
    if parts.dialect != "lines" or moment.random.random() < 0.3:
        return f"```{'json' if parts.dialect == 'json' else ''}\n{parts.write()}\n```"
    return re.sub(r"(?m)^([\w ]+?)[:：]", r"**\1:**", parts.write())


@fault(
    seam="reply",
    id="F5",
    recovery="Strict JSON first, then narrow repairs; quotes are never swapped in the whole text.",
    evidence=("NeMo-Agent-Toolkit PR#730", "json_repair#140"),
)
@on_action
def sloppy_json(parts: Parts, moment: Moment) -> str | None:
    """The JSON has single quotes, curly quotes or a trailing comma."""
    spoil = moment.random.choice([repr, _trailing_comma, _curly_quotes])
    if "" in parts.args or not parts.args:
        return None
    if parts.dialect == "json":
        return spoil(json.loads(parts.write()))
    return parts.having(input=spoil(parts.args)).write()


@fault(
    seam="reply",
    id="F6",
    recovery="A repair unwraps the call where only one reading exists.",
    evidence=("llama_index#12455", "dify-official-plugins PR#3703"),
)
@on_action
def wrapped_call(parts: Parts, moment: Moment) -> str | None:
    """The call is written as `tool({...})`, or its arguments in a wrapper object."""
    if "" in parts.args or not parts.args:
        return None
    if parts.dialect == "lines" and moment.random.random() < 0.5:
        return parts.having(tool=f"{parts.tool}({parts.input})", input="").write()
    return parts.having(input={"arguments": parts.args}).write()


@fault(
    seam="reply",
    id="F7",
    recovery="A format error asks for the final answer; the thought never leaks as one.",
    evidence=("crewAI#4186",),
)
@on_answer
def action_none(parts: Parts, moment: Moment) -> str:
    """Done, the model writes `Action: None` in place of an answer."""
    return parts.having(
        tool=moment.random.choice(["None", "N/A"]), input="None", answer=None
    ).write()


@fault(
    seam="reply",
    id="F8",
    recovery="A dangling prefix of the stop sequence is trimmed.",
    evidence=("Qwen3#197", "vllm#3584"),
)
@on_parts
def partial_stop_word(parts: Parts, moment: Moment) -> str:
    """The server cuts a little late and leaves half of the stop sequence."""
    return f"{parts.write()}\n{moment.random.choice(['Observ', 'Observation', 'Obs'])}"


@fault(
    seam="reply",
    id="F9",
    recovery="The reasoning block is dropped before anything is read.",
    evidence=("DB-GPT PR#2996", "dify#22521"),
)
@on_parts
def labels_in_reasoning(parts: Parts, moment: Moment) -> str | None:
    """A `<think>` block holds an Action and an Observation that are only thought about."""
    if not parts.tool:
        thought = "<think>\nFinal Answer: 41\nNo, wait.\n</think>\n"
        return thought + parts.write()
    decoy = parts.acting(parts.tool, decoy_args(parts, moment))
    return _REASONING.format(call=decoy.write()) + parts.write()


@fault(
    seam="reply",
    id="F10",
    recovery="Three format errors in a row end the run as format_errors.",
    expected="safe stop",
    evidence=("llama_index PR#19431", "llama_index#19392", "agent-zero#1747"),
    schedule=EveryTime(),
)
@on_parts
def format_errors_forever(parts: Parts, moment: Moment) -> str:
    """The model never writes the format, whatever it is told."""
    return _prose(parts)


def _prose(parts: Parts) -> str:
    if parts.answer is not None:
        return f"{parts.thought} So it comes to {parts.answer}, as far as I can see.".strip()
    return f"{parts.thought} I would ask {parts.tool} about that next.".strip()


def _trailing_comma(value: Any) -> str:
    return f"{json.dumps(value, ensure_ascii=False)[:-1]},}}"


def _curly_quotes(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(r'"([^"\\]*)"', "\u201c\\1\u201d", text)


FORMAT_FAULTS = (
    prose_without_action,
    action_and_answer,
    several_rounds,
    decorated_markers,
    sloppy_json,
    wrapped_call,
    action_none,
    partial_stop_word,
    labels_in_reasoning,
    format_errors_forever,
)
