"""A temper's slips: the ways of the fault catalogue (F and B) in which a reply comes out wrong.

A reply has one slip at most. Examples in the prompt (R17) and a lead-in make slips rarer;
after an error that says exactly what was wrong there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .temper import Dice, Temper
from .writing import Reply

#: Full-width spellings of the labels, which Chinese models mix in (R16).
_CHINESE_LABELS = {
    "Thought": "思考",
    "Action Input": "行动输入",
    "Action": "行动",
    "Final Answer": "最终答案",
}


def care(*, examples: bool, lead_in: bool, corrected: bool) -> float:
    """Return the factor by which slips get rarer."""
    if corrected:
        return 0.0
    return (0.3 if examples else 1.0) * (0.5 if lead_in else 1.0)


def slip_in_call(reply: Reply, temper: Temper, dice: Dice, factor: float) -> Reply:
    """Return the reply with a wrong tool name or argument (B3, B4), if that happens."""
    if not reply.calls:
        return reply
    (name, args), *rest = reply.calls
    if dice.happens("unknown_tool", temper.unknown_tool * factor):
        name = ("web_search", "python", "Search the web")[dice.pick("wrong tool", 3)]
    elif dice.happens("wrong_argument", temper.wrong_argument * factor) and args:
        args = {f"{key}_1" if i == 0 else key: value for i, (key, value) in enumerate(args.items())}
    return replace(reply, calls=((name, args), *rest))


def slip_in_text(reply: Reply, text: str, temper: Temper, dice: Dice, factor: float) -> str:
    """Return the text of a reply with the slip that happens, if any."""
    for name, (fits, spoil) in TEXT_SLIPS.items():
        if fits(reply) and dice.happens(name, getattr(temper, name) * factor):
            return spoil(reply, text)
    return text


def full_width(text: str) -> str:
    """Write the labels in Chinese, with the full-width colon."""
    for label, chinese in _CHINESE_LABELS.items():
        text = re.sub(rf"^{label}( ?\d*): ?", rf"{chinese}\1：", text, flags=re.MULTILINE)
    return text


def _acts(reply: Reply) -> bool:
    return bool(reply.calls)


def _answers(reply: Reply) -> bool:
    return reply.answer is not None


def _either(reply: Reply) -> bool:
    return True


def _prose(reply: Reply, text: str) -> str:
    name, args = reply.calls[0]
    return f"{reply.thought} I will use {name} for {', '.join(map(str, args.values()))} and then answer."


def _action_and_answer(reply: Reply, text: str) -> str:
    if text.startswith("{"):
        return json.dumps(json.loads(text) | {"final_answer": "41"}, ensure_ascii=False)
    return (
        f"{text}\n<final_answer>41</final_answer>"
        if "<action>" in text
        else f"{text}\nFinal Answer: 41"
    )


def _two_actions(reply: Reply, text: str) -> str:
    _, args = reply.calls[0]
    other = {key: f"{value} again" for key, value in args.items()}
    old = json.dumps(args, ensure_ascii=False)
    head = (
        text[: text.find("\n") + 1] if "<action>" not in text and not text.startswith("{") else ""
    )
    return text + "\n" + text[len(head) :].replace(old, json.dumps(other, ensure_ascii=False))


def _markdown(reply: Reply, text: str) -> str:
    if text.startswith(("{", "<")):
        return f"```\n{text}\n```"
    return re.sub(
        r"^((?:Thought|Action Input|Action|Final Answer)(?: \d+)?:)",
        r"**\1**",
        text,
        flags=re.MULTILINE,
    )


def _loose_json(reply: Reply, text: str) -> str:
    args: Mapping[str, Any] = reply.calls[0][1]
    return text.replace(json.dumps(args, ensure_ascii=False), repr(dict(args))[:-1] + ",}")


def _wrapper(reply: Reply, text: str) -> str:
    given = json.dumps(reply.calls[0][1], ensure_ascii=False)
    return text.replace(given, json.dumps({"arguments": reply.calls[0][1]}, ensure_ascii=False))


def _action_none(reply: Reply, text: str) -> str:
    return re.sub(r"(?<=^Action: ).*(?:\n.*)?$", "None", text, flags=re.MULTILINE)


def _partial_stop(reply: Reply, text: str) -> str:
    return f"{text}\nObserv"


def _thinking(reply: Reply, text: str) -> str:
    return f"<think>\nI could write Final Answer: 41 at once.\n</think>\n{text}"


def _cut_off(reply: Reply, text: str) -> str:
    return text[: text.rfind("}") - 1] if "}" in text else text


def _empty_answer(reply: Reply, text: str) -> str:
    return text.replace(reply.answer or "", "", 1) if reply.answer else text


Slip = tuple[Callable[[Reply], bool], Callable[[Reply, str], str]]
#: Each slip of the text by its name in the temper: when it can happen, and what it does.
TEXT_SLIPS: Mapping[str, Slip] = {
    "prose": (_acts, _prose),
    "action_and_answer": (_acts, _action_and_answer),
    "two_actions": (_acts, _two_actions),
    "markdown": (_either, _markdown),
    "loose_json": (_acts, _loose_json),
    "wrapper": (_acts, _wrapper),
    "action_none": (_acts, _action_none),
    "partial_stop": (_acts, _partial_stop),
    "thinking": (_either, _thinking),
    "cut_off": (_acts, _cut_off),
    "empty_answer": (_answers, _empty_answer),
}
