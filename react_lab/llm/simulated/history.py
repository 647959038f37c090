"""Step 1, the other half: the question and what has happened since.

Whatever the roles are, the past is read as rounds: what it said, and what it heard. A
prompt of messages and one long string give the same rounds, but in the string the
Observations carry no role (R4), and as assistant text they carry the wrong one (R3).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...records import Message, Messages, estimate_tokens
from .tool_list import read_json

_QUESTION = re.compile(
    r"^[ \t]*(?:Question|Task|User question|问题|用户问题|任务)[ \t]*[:：][ \t]*(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)
_HEARD = re.compile(
    r"^(?:Observation(?: ?\d+)?\s*[:：][ \t]*|观察(?:结果)?\s*[:：][ \t]*|<observation>|(?=\{\"observation\"))",
    re.MULTILINE,
)
_SAID = re.compile(
    r"^(?:(?:Thought|Action|Action Input|Final Answer)(?: ?\d+)?\s*[:：]|(?:思考|想法|行动|动作|最终答案)\s*[:：]|<(?:thought|action|final_answer)>|\{\"(?:thought|action)\")",
    re.MULTILINE,
)
_OPEN = re.compile(r"(?:^|\n)[ \t]*(Thought|Action|思考|行动)( ?\d+)?\s*[:：][ \t]*$")
_STILL = re.compile(r"(?:question is still|问题仍然是)\s*[:：]\s*(.*?)\s*[)）]?\s*$", re.MULTILINE)
_LEAD_IN = re.compile(
    r"^.*(?:Now write|next Thought|现在写|下一个 ?Thought).*$", re.MULTILINE | re.IGNORECASE
)
_LAST_CALL = re.compile(
    r"^.*(?:no step left|best answer the Observations allow|没有剩余的步骤).*$",
    re.MULTILINE | re.IGNORECASE,
)
_TOOL = re.compile(
    r"^[ \t*`#>-]*(?:Action|行动|动作)(?: ?\d+)?[*`]*\s*[:：][*`\s]*(.+)$",
    re.MULTILINE | re.IGNORECASE,
)
_INPUT = re.compile(
    r"^[ \t*`#>-]*(?:Action Input|行动输入|动作输入|Input)(?: ?\d+)?[*`]*\s*[:：]\s*",
    re.MULTILINE | re.IGNORECASE,
)
_GAVE = re.compile(
    r"\b(\w+)\((\{[^{}]*\}|'[^']*'|\"[^\"]*\")\) (?:gave|得到) (.*?)(?=; \w+\(|$)", re.MULTILINE
)

Args = Mapping[str, Any] | str


@dataclass(frozen=True)
class Round:
    """Hold one round: what was said and asked for, and what was heard (None: nothing)."""

    number: int
    said: str = ""
    tool: str = ""
    args: Args = ""
    heard: str | None = None
    role: str = "user"

    @property
    def call(self) -> tuple[str, str]:
        """Return tool and arguments in a form that compares."""
        return self.tool, json.dumps(self.args, sort_keys=True, ensure_ascii=False, default=str)


@dataclass(frozen=True)
class Conversation:
    """Hold a prompt, read."""

    setup: str
    question: str
    rounds: tuple[Round, ...] = ()
    opened: str = ""  # a label the prompt ends with, for the reply to go on from
    numbered: bool = False  # that label has a number
    restated: bool = False
    lead_in: bool = False
    last_call: bool = False  # there is no step left
    tokens: int = 0

    @property
    def last(self) -> str:
        """Return the last thing heard."""
        return (self.rounds[-1].heard or "") if self.rounds else ""


def read_conversation(messages: Sequence[Message]) -> Conversation:
    """Read messages into setup, question and rounds."""
    listed = list(messages)
    place, start, end = _find_question(listed)
    text = listed[place].content if listed else ""
    before = [m.content for m in listed[:place] if m.role in ("system", "user")]
    setup = "\n".join([*before, text[:start]])
    asked, pad = _split_question(text[end:])
    role = listed[place].role if listed else "user"
    pieces = [*_pieces(pad, role), *_message_pieces(listed[place + 1 :], role)]
    setup += "".join(f"\n{m.content}" for m in listed[place + 1 :] if m.role == "system")
    last = listed[-1].content if listed else ""
    still = _STILL.search(last)
    opened = _OPEN.search(last)
    return Conversation(
        setup,
        still[1] if still else asked,
        tuple(_rounds(pieces)),
        opened[1] if opened else "",
        bool(opened and opened[2]),
        still is not None,
        _LEAD_IN.search(last) is not None,
        _LAST_CALL.search(last) is not None,
        messages.tokens
        if isinstance(messages, Messages)
        else sum(estimate_tokens(m.content) for m in listed),
    )


def within_window(conversation: Conversation, window: int) -> Conversation:
    """Return what a model with a small window still sees: start and end, not the middle."""
    excess = conversation.tokens - window
    if excess <= 0:
        return conversation
    question = conversation.question if conversation.restated else ""
    rounds = list(conversation.rounds)
    while excess > 0 and len(rounds) > 1:
        lost = rounds.pop(0)
        excess -= estimate_tokens(lost.said) + estimate_tokens(lost.heard or "")
    return replace(conversation, question=question, rounds=tuple(rounds))


def _find_question(messages: Sequence[Message]) -> tuple[int, int, int]:
    for index in sorted(range(len(messages)), key=lambda i: messages[i].role != "user"):
        if messages[index].role in ("user", "system") and not _HEARD.match(messages[index].content):
            text = re.sub(
                r"<examples>.*?</examples>",
                lambda m: " " * len(m[0]),
                messages[index].content,
                flags=re.DOTALL,
            )
            if found := [*_QUESTION.finditer(text)]:
                return index, found[-1].start(), found[-1].end()
    users = [i for i, m in enumerate(messages) if m.role == "user" and not _HEARD.match(m.content)]
    asking = [i for i in users if re.search(r"[?？]\s*$", messages[i].content)]
    index = (asking or users[:1] or [max(0, len(messages) - 1)])[-1]
    return index, 0, 0


def _split_question(text: str) -> tuple[str, str]:
    ends = [m.start() for m in (_SAID.search(text), _HEARD.search(text)) if m]
    end = min(ends, default=len(text))
    return re.sub(r"\n\s*\(?(?:Thought|思考)?$", "", text[:end]).strip(), text[end:]


Piece = tuple[str, str, str, Any]  # ("said" or "heard", text, role, native calls or call id)


def _pieces(text: str, role: str) -> Iterator[Piece]:
    """Split one string into what was said and what was heard, by its labels."""
    text = _OPEN.sub("", text)
    position = 0
    while text[position:].strip():
        heard = _HEARD.search(text, position)
        start = heard.start() if heard else len(text)
        if text[position:start].strip():
            yield "said", text[position:start].strip(), role, ()
        if not heard:
            return
        said = _SAID.search(text, heard.end())
        position = said.start() if said else len(text)
        yield "heard", _clean(text[heard.start() : position]), role, None


def _message_pieces(messages: Sequence[Message], first_role: str) -> Iterator[Piece]:
    for message in messages:
        if message.role == "assistant" and not _HEARD.match(message.content):
            if message.tool_calls:
                yield "said", message.content, "assistant", message.tool_calls
            else:
                inner = [*_pieces(message.content, "own text")]
                yield from inner or [("said", "", "assistant", ())]
        elif message.role != "system":
            yield "heard", _clean(message.content), message.role, message.tool_call_id


def is_heard(message: Message) -> bool:
    """Tell whether a message is an Observation."""
    return message.role == "tool" or _HEARD.match(message.content) is not None


def _clean(text: str) -> str:
    text = _LAST_CALL.sub("", _LEAD_IN.sub("", _STILL.sub("", text)))
    text = re.sub(r"\n\s*[(（]?(?:The|这个)?\s*$", "", text).strip()
    if (
        text.startswith("{")
        and isinstance(value := read_json(text), dict)
        and "observation" in value
    ):
        return str(value["observation"])
    text = _HEARD.sub("", text, count=1) if _HEARD.match(text) else text
    return re.sub(r"\s*</observation>\s*$", "", text).strip()


def _rounds(pieces: Sequence[Piece]) -> Iterator[Round]:
    number, waiting = 0, list[tuple[str, Round]]()
    for kind, text, role, extra in pieces:
        if kind == "said":
            yield from (item for _, item in waiting)
            number += 1
            waiting = _said(number, text, extra)
            continue
        index = next((i for i, (key, _) in enumerate(waiting) if key == (extra or "")), 0)
        if waiting:
            yield replace(waiting.pop(index)[1], heard=text, role=role)
        elif summary := [
            Round(number, "", m[1], read_json(m[2]) or m[2].strip("'\""), m[3], "summary")
            for m in _GAVE.finditer(text)
        ]:
            yield from summary
        else:
            yield Round(number, heard=text, role=role)
    yield from (item for _, item in waiting)


def _said(number: int, text: str, calls: Any) -> list[tuple[str, Round]]:
    if calls:
        return [
            (c.id, Round(number, text, c.name, read_json(c.arguments) or c.arguments))
            for c in calls
        ]
    return [("", Round(number, text, *read_call(text)))]


def read_call(text: str) -> tuple[str, Args]:
    """Return the tool and the arguments that a reply of its own asked for, or ("", "")."""
    if tagged := re.search(
        r"<action>\s*(\w+)\s*</action>(?:\s*<action_input>(.*?)</action_input>)?", text, re.DOTALL
    ):
        return tagged[1], _value(tagged[2] or "")
    value = read_json(text) if text.lstrip().startswith(("{", "`")) else None
    if isinstance(value, dict) and (
        name := value.get("action") or value.get("tool") or value.get("name")
    ):
        given = value.get("action_input", value.get("args", value.get("arguments", "")))
        return str(name), given if isinstance(given, dict) else str(given)
    if not (named := _TOOL.search(text)):
        return "", ""
    name = named[1].strip().strip("`*\"'")
    if inline := re.match(r"(\w+)\s*[\[(](.*)[\])]\.?$", name, re.DOTALL):
        return inline[1], _value(inline[2])
    given = _INPUT.search(text, named.end())
    return name, _value(text[given.end() :]) if given else ""


def _value(text: str) -> Args:
    value = read_json(text) if text.lstrip().startswith(("{", "`")) else None
    return value if isinstance(value, dict) else text.strip().strip("\"'`")
