"""Decide what a reply says: actions, an answer, or an error (notebook 04).

The order: hide reasoning, cut at the first invented Observation, find the labels, read the
arguments. Most decisions are refusals; where two readings are possible and one of them
acts, it is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...records import Action, FormatError, Parsed, Repair, Span
from ..feedback import explain
from .cleaning import TURN_END, TURN_START, blank, hide_channels, hide_reasoning
from .inputs import InputError, call_arguments, read_input, unwrap
from .labels import DANGLING, Section, split
from .names import is_finish, is_nothing, resolve
from .native import Call, Unreadable, calls_in_json, calls_in_tags
from .values import Invalid, Truncated, read_value

Signatures = Mapping[str, Mapping[str, str]]
_CANONICAL = re.compile(r"Thought: ([^\n<`]*)\nAction: (\w+)\nAction Input: (?=\{)")
_CALL = re.compile(r"(?P<name>[^\W\d][\w .\-]{0,80}?)[ \t]*(?P<open>[(\[])")
_INLINE_STEP = re.compile(
    r"\baction[ \t]*[:：][ \t]*(?P<name>[\w.\-`*\"']{1,80})[ \t;,.]*\baction[ _]input[ \t]*[:：][ \t]*(?=[{])",
    re.IGNORECASE,
)
_INLINE_ANSWER = re.compile(
    r"final answer[*_]{0,2}[ \t]*[:：][*_]{0,2}|最终答案[ \t]*[:：]", re.IGNORECASE
)
_VISIBLE = re.compile(r"[^\s\u200b-\u200f\u2060\ufeff`~]")
_CODE_FENCE = re.compile(
    r"^[ \t]*```[ \t]*(?P<language>\w*)[ \t]*\n(?P<body>.*?)\n?[ \t]*(?:```[ \t]*)?\s*\Z",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class _Reading:
    """Collect what is found while a reply is read."""

    text: str
    tools: Signatures
    off: frozenset[str]
    used: list[tuple[str, int, int]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    thought: str = ""
    end: int | None = None  # where an invented Observation, or what is left of one, begins

    def note(self, name: str, start: int, end: int) -> None:
        self.used.append((name, start, end))


class _Refused(Exception):
    def __init__(self, code: str, quote: str = "") -> None:
        super().__init__(code)
        self.code, self.quote = code, quote


def parse_reply(
    text: str,
    tools: Any,
    *,
    off: frozenset[str] = frozenset(),
    dialect: str = "lines",
    language: str = "en",
) -> Parsed:
    """Read a reply; never raise, whatever the text.

    `tools` is {name: {parameter: type}} or an object with such `signatures`. `off` switches
    repairs off by name. `dialect` and `language` choose the shape that an error shows.
    """
    signatures: Signatures = getattr(tools, "signatures", tools)
    quick = _canonical(text, signatures)
    if quick is not None:
        return quick
    reading = _Reading(text, signatures, off)
    cleaned, kept_end = _clean(reading)
    try:
        calls, answer = _decide(reading, cleaned[:kept_end])
    except _Refused as refused:
        kept = _kept(text, cleaned, kept_end if reading.end is None else reading.end)
        message = explain(
            refused.code, quote=refused.quote, tools=signatures, dialect=dialect, language=language
        )
        error = FormatError(refused.code, message)  # type: ignore[arg-type]
        return Parsed(
            reading.thought, (), None, error, _repairs(reading), tuple(reading.spans), kept
        )
    kept = _kept(text, cleaned, kept_end if reading.end is None else reading.end)
    return Parsed(
        reading.thought, calls, answer, None, _repairs(reading), tuple(reading.spans), kept
    )


def _canonical(text: str, tools: Signatures) -> Parsed | None:
    head = _CANONICAL.match(text)
    if head is None or head[2] not in tools:
        return None
    try:
        value = read_value(text, head.end())
    except (Invalid, Truncated, RecursionError):
        return None
    args = value.value
    if (
        value.repairs
        or text[value.end :].strip()
        or len(args) < 2
        and not args.keys() <= tools[head[2]].keys()
    ):
        return None
    spans = (
        Span("thought", 0, head.end(1)),
        Span("action", *head.span(2)),
        Span("input", value.start, value.end),
    )
    return Parsed(head[1].strip(), (Action(head[2], args),), spans=spans, kept=text)


def _clean(reading: _Reading) -> tuple[str, int]:
    text = reading.text
    cleaned = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
    for name, function in (("reasoning_block", hide_reasoning), ("channels", hide_channels)):
        if name not in reading.off and ("<" in cleaned or "[" in cleaned or "◁" in cleaned):
            hidden = function(cleaned)
            if hidden != cleaned:
                reading.note(name, *_difference(cleaned, hidden))
                cleaned = hidden
    return cleaned, len(cleaned)


def _difference(before: str, after: str) -> tuple[int, int]:
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b), 0)
    end = next(
        (
            i
            for i, (a, b) in enumerate(zip(reversed(before), reversed(after), strict=True))
            if a != b
        ),
        0,
    )
    return start, len(before) - end


def _repairs(reading: _Reading) -> tuple[Repair, ...]:
    seen: dict[str, Repair] = {}
    for name, start, end in reading.used:
        saw = reading.text[start:end][:200]
        seen.setdefault(name, Repair(name, saw, "", start, end))
    return tuple(seen.values())


def _kept(text: str, cleaned: str, end: int) -> str:
    return cleaned[:end].strip("\n") if end < len(text) or cleaned != text else text


def _decide(reading: _Reading, text: str) -> tuple[tuple[Action, ...], str | None]:
    if not _VISIBLE.search(TURN_START.sub("", TURN_END.sub("", text))):
        raise _Refused(
            "missing_action" if _VISIBLE.search(reading.text) and reading.used else "empty_output"
        )
    text = _without_turn_starts(text)
    whole = _whole_json(reading, text)
    if whole is not None:
        return whole
    sections, end = split(text)
    if end < len(text):
        reading.note("invented_observation", end, len(reading.text))
        if TURN_END.match(text, end) is not None:
            reading.used[-1] = ("end_of_turn", end, len(reading.text))
    elif (dangling := DANGLING.search(text)) and sections[-1].kind != "answer":
        reading.note("dangling_stop", dangling.start(), len(text))
        end = dangling.start()
    reading.end = end if end < len(text) else None
    for section in sections:
        section.end = min(section.end, end)
    _mark(reading, sections, text)
    return _from_sections(reading, sections, text[:end])


def _without_turn_starts(text: str) -> str:
    for token in list(re.finditer(r"^[ \t]*+" + TURN_START.pattern, text, re.MULTILINE))[:4]:
        text = blank(text, *token.span())
    return text


def _mark(reading: _Reading, sections: list[Section], text: str) -> None:
    parts = {
        "thought": "thought",
        "action": "action",
        "input": "input",
        "answer": "answer",
        "prose": "ignored",
    }
    for section in sections:
        if text[section.start : section.end].strip():
            reading.spans.append(Span(parts[section.kind], section.label, section.end))
    thoughts = [text[s.start : s.end].strip() for s in sections if s.kind == "thought"]
    prose = text[sections[0].start : sections[0].end].strip() if sections[0].kind == "prose" else ""
    reading.thought = (thoughts[0] if thoughts else prose)[:20_000]


def _from_sections(
    reading: _Reading, sections: list[Section], text: str
) -> tuple[tuple[Action, ...], str | None]:
    answer = next((s for s in sections if s.kind == "answer"), None)
    steps = _steps(sections, text)
    if not steps and answer is None:
        return _without_labels(reading, sections, text)
    if any(step[0] is None for step in steps) and any(step[0] for step in steps):
        raise _Refused("multiple_actions", "an input without an action")
    calls = [call for step in steps if (call := _read_step(reading, *step, text)) is not None]
    finished = [c.answer for c in calls if c.answer is not None]
    actions = [c for c in calls if c.answer is None]
    if not actions:
        actions = _tagged_beside(reading, sections, text)
    if answer is not None or finished:
        if actions:
            raise _Refused("action_and_answer")
        return (), _answer(
            reading, text[answer.start : answer.end] if answer else finished[0], answer is not None
        )
    if not actions:
        raise _Refused("missing_action")
    return (_one(actions),), None


def _steps(sections: list[Section], text: str) -> list[tuple[Section | None, Section | None]]:
    steps: list[list[Section | None]] = []
    for section in sections:
        if section.kind == "action":
            steps.append([section, None])
        elif section.kind == "input":
            if steps and steps[-1][1] is None:
                steps[-1][1] = section
            else:
                steps.append([None, section])
    return [(a, b) for a, b in steps]


@dataclass(frozen=True)
class _Found:
    action: Action
    answer: str | None = None


def _read_step(
    reading: _Reading, action: Section | None, given: Section | None, text: str
) -> _Found | None:
    if action is None:
        if given is not None:
            raise _Refused("missing_action", text[given.label : given.end].strip())
        return None
    written = text[action.start : action.end]
    line = _first_line(written)
    quote = text[action.label : action.end].strip()
    native = _native_inside(reading, written, quote)
    if native is not None:
        return native
    if not line:
        raise _Refused("missing_action", quote)
    if resolve(line, reading.tools) is None:
        if is_nothing(line):
            return None
        if (called := _call_syntax(reading, written.strip(), given, text, quote)) is not None:
            return called
    input_text = text[given.start : given.end] if given else None
    if is_finish(line, reading.tools):
        return _Found(Action("finish", {}), _finish_text(input_text))
    name = resolve(line, reading.tools)
    if name is None:
        raise _Refused("unknown_tool", quote)
    if name != line:
        reading.note("tool_name", action.start, action.end)
    if (
        input_text is None
        and (after := written.strip()[len(line) :].strip())
        and reading.tools[name]
    ):
        input_text = after if after[:1] == "{" else None
    return _Found(Action(name, _input(reading, name, input_text, given or action, text)))


def _input(reading: _Reading, name: str, written: str | None, section: Section, text: str) -> Any:
    params = reading.tools[name]
    quote = text[section.label : section.end].strip()
    if written is None:
        if params:
            raise _Refused("missing_input", quote)
        return {}
    used: list[str] = []
    try:
        args = read_input(_cut_turn(written), params, reading.off, used)
    except InputError as error:
        raise _Refused(error.code, quote) from None
    for repair in used:
        reading.note(repair, section.start, section.end)
    return _same_tool(reading, name, args, quote)


def _same_tool(reading: _Reading, name: str, args: Any, quote: str) -> Any:
    """Unwrap a whole call written into the input; refuse it where it is another tool's."""
    params = reading.tools[name]
    if not isinstance(args, dict) or not args or set(args) <= set(params):
        return args
    calls = (
        calls_in_json(args)
        if {"action", "tool", "name", "function", "tool_name"} & set(args) - set(params)
        else None
    )
    if not calls or calls[0].args is None:
        return args
    inner = resolve(str(calls[0].name), reading.tools)
    if inner is None:
        return args
    if inner != name:
        raise _Refused("multiple_actions", quote)
    reading.note("nested_call", 0, 0)
    return calls[0].args


def _cut_turn(written: str) -> str:
    if written.lstrip(" \t\n`json")[:1] in ("{", "["):
        return written
    token = TURN_END.search(written)
    return written[: token.start()] if token else written


def _first_line(written: str) -> str:
    for line in written.splitlines():
        line = TURN_END.split(re.sub(r"<\|channel\|>.*", "", line))[0]
        cleaned = line.strip(" \t*_`'\"“”‘’「」，。,;\u3000\u200b\ufeff")
        if cleaned and not re.fullmatch(r"```+\w*", line.strip()):
            return cleaned
    return ""


def _call_syntax(
    reading: _Reading, written: str, given: Section | None, text: str, quote: str
) -> _Found | None:
    written = written.strip("`* \n")
    head = _CALL.match(written)
    if head is None:
        return None
    closer = _matching(written, head.end() - 1)
    finish = is_finish(head["name"], reading.tools)
    name = None if finish else resolve(head["name"], reading.tools)
    if name is None and not finish:
        return None
    if closer is None:
        raise _Refused("truncated", quote)
    if given is not None:
        raise _Refused("invalid_input" if name else "action_and_answer", quote)
    inner = written[head.end() : closer]
    _refuse_second_call(reading, written[closer + 1 :], name, inner, quote)
    reading.note("call_syntax", 0, 0)
    if name is None:
        return _Found(Action("finish", {}), _finish_text(_keyword_answer(inner)))
    return _Found(Action(name, _call_args(reading, name, head["open"], inner, quote)))


def _call_args(reading: _Reading, name: str, opener: str, inner: str, quote: str) -> Any:
    params = reading.tools[name]
    try:
        if opener == "[":
            args: Any = _bracketed(inner, params, reading)
        elif inner.strip()[:1] == "{":
            args = read_input(inner, params, reading.off, [])
        else:
            args = call_arguments(inner, params)
    except InputError as error:
        raise _Refused(error.code, quote) from None
    if params and args in ({}, ""):
        raise _Refused("missing_input", quote)
    return args


def _refuse_second_call(
    reading: _Reading, rest: str, name: str | None, inner: str, quote: str
) -> None:
    again = _CALL.search(rest)
    if again is None:
        return
    other = again["name"].split()[-1]
    found = resolve(other, reading.tools)
    if found is None and not is_finish(other, reading.tools):
        return
    end = _matching(rest, again.end() - 1)
    if end is None or rest[again.end() : end] != inner or found != name:
        raise _Refused("multiple_actions", quote)


def _bracketed(inner: str, params: Mapping[str, str], reading: _Reading) -> Any:
    if not inner.strip():
        return {}
    if len(params) == 1 and inner.strip()[:1] not in "{'\"":
        return inner.strip()
    return (
        read_input(inner, params, reading.off, [])
        if len(params) == 1 or inner.strip()[:1] == "{"
        else call_arguments(inner, params)
    )


def _keyword_answer(inner: str) -> str:
    try:
        value = call_arguments(inner, {"answer": "string"})
    except InputError:
        return inner
    if isinstance(value, dict):
        return str(next(iter(value.values()), "")) if len(value) == 1 else inner
    return str(value)


def _matching(text: str, start: int) -> int | None:
    """Return where the bracket at `start` closes, with regard to quotes."""
    opener, closer = text[start], {"(": ")", "[": "]"}[text[start]]
    depth, quote, at = 0, "", start
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif (
            char in "\"'"
            and (opener == "(" or text[at - 1] in "[=, ")
            and text[at - 1] in "([=, {:"
        ):
            quote = char
        elif char == opener:
            depth += 1
        elif char == closer:
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return text.rfind(closer) if quote and opener == "[" and closer in text[start:] else None


def _native_inside(reading: _Reading, written: str, quote: str) -> _Found | None:
    body = written.strip().removeprefix("```json").strip("`").strip()
    if not body.startswith(("{", "[{", "<tool_call", "<function", "<|tool")):
        return None
    calls = _json_calls(body) if body[0] in "{[" else _tag_calls(body, quote)
    if not calls:
        raise _Refused("invalid_input", quote)
    return _found(reading, calls, quote)


def _json_calls(body: str) -> list[Call] | None:
    try:
        value = read_value(body, 0)
    except Truncated:
        raise _Refused("truncated", body) from None
    except (Invalid, RecursionError):
        return None
    return calls_in_json(value.value)


def _tag_calls(text: str, quote: str) -> list[Call] | None:
    try:
        found = calls_in_tags(text)
    except Truncated:
        raise _Refused("truncated", quote) from None
    except (Unreadable, Invalid, RecursionError):
        raise _Refused("invalid_input", quote) from None
    return found[0] if found else None


def _found(reading: _Reading, calls: list[Call], quote: str) -> _Found:
    read = [_resolved(reading, call, quote) for call in calls]
    kinds = {found.answer is None for found in read}
    if len(kinds) > 1 or any(
        c.answer is not None and c.name is not None and f.answer is None
        for c, f in zip(calls, read, strict=True)
    ):
        raise _Refused("action_and_answer", quote)
    if any(found != read[0] for found in read):
        raise _Refused("multiple_actions", quote)
    reading.note("native_call", 0, 0)
    if calls[0].thought:
        reading.thought = calls[0].thought
    return read[0]


def _resolved(reading: _Reading, call: Call, quote: str) -> _Found:
    if call.name is None:
        return _Found(Action("finish", {}), _as_text(call.answer))
    name = resolve(str(call.name), reading.tools)
    if name is None and is_finish(str(call.name), reading.tools):
        return _Found(Action("finish", {}), _finish_text(call.args))
    if name is None:
        if is_nothing(str(call.name)):
            if call.answer is not None:
                return _Found(Action("finish", {}), _as_text(call.answer))
            raise _Refused("missing_action", quote)
        raise _Refused("unknown_tool", quote)
    params = reading.tools[name]
    if call.args is None or (call.args in ("", {}) and params and call.args == ""):
        if params:
            raise _Refused("missing_input", quote)
        return _Found(Action(name, {}))
    used: list[str] = []
    try:
        if isinstance(call.args, str) and call.args.strip()[:1] in ("{", "["):
            args = read_input(call.args, params, reading.off, used)
        else:
            args = unwrap(call.args, params, reading.off, used)
    except InputError as error:
        raise _Refused(error.code, quote) from None
    if isinstance(args, str) and len(params) != 1:
        if not params and not args.strip():
            args = {}
        else:
            raise _Refused("invalid_input", quote)
    return _Found(Action(name, args))


def _whole_json(reading: _Reading, text: str) -> tuple[tuple[Action, ...], str | None] | None:
    body = text.strip(" \t\r\n\ufeff\u200b")
    fenced = re.match(r"```+(?:json\w*|tool_call|tool_code|python|xml)?[ \t]*\n?", body)
    if fenced:
        body = body[fenced.end() :].strip()
    if body[:1] not in ("{", "["):
        return None
    if body.startswith(("[TOOL_CALLS]", "[INST]", "[THINK]", "[Waiting")):
        return None
    quote = body[:200]
    try:
        value = read_value(body, 0, reading.off)
    except Truncated:
        raise _Refused("truncated", quote) from None
    except (Invalid, RecursionError):
        return None
    if body[value.end :].strip("` \n;").strip() and split(body[value.end :])[0][1:]:
        return None
    calls = calls_in_json(value.value)
    if not calls:
        python = fenced and "tool_code" in fenced[0]
        if python:
            return None
        raise _Refused("missing_action", quote)
    rest = body[value.end :]
    more = _more_json(rest)
    found = _found(reading, [*calls, *more], quote)
    if found.answer is not None:
        return (), _answer(reading, found.answer, False)
    return (found.action,), None


def _more_json(rest: str) -> list[Call]:
    calls: list[Call] = []
    for tries, at in enumerate(re.finditer(r"\{(?=\s*[\"'])", rest)):
        if tries >= 4:
            break
        try:
            calls += calls_in_json(read_value(rest, at.start()).value) or []
        except (Invalid, Truncated, RecursionError):
            continue
    return [c for c in calls if c.args is not None or c.answer is not None]


def _without_labels(
    reading: _Reading, sections: list[Section], text: str
) -> tuple[tuple[Action, ...], str | None]:
    final = _final_channel(reading.text, text)
    if final is not None:
        return (), _answer(reading, final, True)
    calls = _tag_calls(text, text.strip()[:200])
    if calls:
        found = _found(reading, calls, text.strip()[:200])
        return (
            ((), _answer(reading, found.answer, False))
            if found.answer is not None
            else ((found.action,), None)
        )
    if (fence := _CODE_FENCE.search(text)) is not None and fence["body"].strip():
        read = _fenced_call(reading, fence)
        if read is not None:
            return (
                ((), _answer(reading, read.answer, False))
                if read.answer is not None
                else ((read.action,), None)
            )
    if inline := _INLINE_STEP.search(text):
        return _inline(reading, text, inline)
    if inline := _INLINE_ANSWER.search(text):
        return (), _answer(reading, text[inline.end() :], True)
    raise _Refused("missing_action", text.strip()[:200])


def _final_channel(original: str, text: str) -> str | None:
    head = re.search(r"<\|channel\|>\s*final\s*<\|message\|>", original)
    return text[head.end() :] if head and not text[: head.end()].strip() else None


def _fenced_call(reading: _Reading, fence: re.Match[str]) -> _Found | None:
    body = fence["body"].strip()
    if body[0] in "{[":
        calls = _json_calls(body)
        return _found(reading, calls, body[:200]) if calls else None
    if fence["language"] in ("tool_code", "tool_call", "python", "py", "") and (
        head := _CALL.match(body.removeprefix("print(").strip())
    ):
        inner = body.removeprefix("print(").strip()
        if resolve(head["name"], reading.tools) or is_finish(head["name"], reading.tools):
            return _call_syntax(
                reading,
                inner.removesuffix(")") if body.startswith("print(") else inner,
                None,
                body,
                body[:200],
            )
    return None


def _inline(
    reading: _Reading, text: str, step: re.Match[str]
) -> tuple[tuple[Action, ...], str | None]:
    quote = step[0]
    name = resolve(step["name"].strip("`*\"'"), reading.tools)
    if name is None:
        raise _Refused("unknown_tool", quote)
    try:
        value = read_value(text, step.end(), reading.off)
    except Truncated:
        raise _Refused("truncated", quote) from None
    except (Invalid, RecursionError):
        raise _Refused("invalid_input", quote) from None
    if text[value.end :].strip(" \n`*.;"):
        raise _Refused("missing_action", quote)
    reading.note("one_line_step", *step.span())
    return (Action(name, unwrap(value.value, reading.tools[name], reading.off, [])),), None


def _tagged_beside(reading: _Reading, sections: list[Section], text: str) -> list[_Found]:
    answer = next((s for s in sections if s.kind == "answer"), None)
    before = text[: answer.label] if answer else ""
    try:
        found = calls_in_tags(before) if before else None
    except (Truncated, Unreadable, Invalid, RecursionError):
        return []
    return [_resolved(reading, call, "") for call in found[0]] if found else []


def _one(found: list[_Found]) -> Action:
    actions = [f.action for f in found]
    if any(a != actions[0] for a in actions):
        raise _Refused("multiple_actions", ", ".join(a.tool for a in actions))
    return actions[0]


def _answer(reading: _Reading, written: str | None, labelled: bool) -> str:
    text = written or ""
    token = re.search(
        r"(?:" + TURN_END.pattern + r"|<\|call\|>)(?=\s*\Z|\s*(?:<|Human:|User:|\n))", text
    )
    if token:
        text = text[: token.start()]
    text = text.strip(" \t\r\n\ufeff\u200b\u3000")
    if labelled and text.endswith("```") and text.count("```") % 2:
        text = text[:-3].rstrip()
    if labelled and text.endswith("**") and text.count("**") % 2:
        text = text[:-2].rstrip()
    text = re.sub(r"^[*_]{2}\s+", "", text) if text.count("**") % 2 else text
    if not text.strip("*_`\"' .") and not text.strip("*_`\"' ").strip("."):
        raise _Refused("empty_answer", written or "")
    return text


def _finish_text(given: Any) -> str:
    if given is None:
        return ""
    if isinstance(given, dict):
        return (
            _as_text(next(iter(given.values()), ""))
            if len(given) <= 1 or "answer" not in given
            else _as_text(given["answer"])
        )
    text = str(given).strip().strip("`")
    if text.startswith("{"):
        try:
            value = read_value(text, 0).value
            if isinstance(value, dict):
                return _finish_text(value)
        except (Invalid, Truncated, RecursionError):
            return text
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def _as_text(value: Any) -> str:
    return (
        value
        if isinstance(value, str)
        else ""
        if value is None
        else json.dumps(value, ensure_ascii=False)
    )
