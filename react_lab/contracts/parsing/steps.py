"""Read one step: the tool that it names and the arguments that it gives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...records import Action
from .bare import read_bare
from .inputs import refuse_second
from .json_calls import Call, calls_in_json
from .names import is_finish, is_nothing, resolve
from .parts import Part, Reply
from .repairs import Refused
from .shaping import shape
from .vocabulary import PYTHON_CALL

_LABELLED_ANSWER = re.compile(r"(?:final answer|最终答案)[*_]{0,2}[ \t]{0,3}[:：]", re.IGNORECASE)
_CODE_LINE = re.compile(r"(?m:^)[ \t]*+([^\W\d][\w.]{0,80})\(")
_REMARK = re.compile(r"(\S{1,80})\s{1,3}[(（][^()（）]{0,80}[)）]?")
_LIST = re.compile(r"\s?(?:[,;/&+，、]|\band\b|\bor\b|和)\s?")
_NAMED_ANSWER = re.compile(r"(?:answer|final_answer)\s?=\s?(?=[\"'])")


@dataclass
class Step:
    """Hold the parts of one step: where its action is named and its input is given."""

    action: Part | None = None
    given: Part | None = None

    @property
    def has_arguments(self) -> bool:
        """Tell whether the action is a call that holds its arguments."""
        return bool(self.action and self.action.calls and self.action.calls[0].args not in ({}, ""))

    @property
    def wants_input(self) -> bool:
        """Tell whether an Action Input may still belong to this step."""
        labelled = self.action is not None and self.action.kind == "action"
        return labelled and self.given is None and not self.has_arguments


@dataclass(frozen=True)
class Found:
    """Hold what a step says: an action, or an answer in the form of an action."""

    action: Action | None = None
    answer: str | None = None
    thought: str = ""


class StepReader:
    """Read the steps of a reply; each may be an action, an answer or nothing."""

    def __init__(self, reply: Reply) -> None:
        self.reply, self.text = reply, reply.text
        self.tools, self.notes = reply.tools, reply.notes

    def quote(self, step: Step) -> str:
        """Return the line that an error about a step should quote."""
        part = step.action or step.given
        return self.text[part.label : part.end].strip() if part else ""

    def written(self, step: Step) -> str:
        """Return the name that a step gives its tool."""
        return self.reply.named(step.action) if step.action else ""

    def acts(self, step: Step) -> bool:
        """Tell whether a step asks for a tool, known or not."""
        if step.action is None or step.action.kind == "call":
            return step.action is not None
        name = self.written(step)
        idle = is_nothing(name) or is_finish(name, self.tools) or self._labelled_answer(step.action)
        return resolve(name, self.tools) is not None or not idle

    def read(self, step: Step) -> list[Found]:
        """Return what a step says: nothing where it says that no action is needed."""
        action = step.action
        assert action is not None
        if action.refused:
            raise action.refused
        if action.calls and (step.given is None or step.has_arguments):
            return self._calls(action, self.quote(step))
        name = self.written(step)
        if not name:
            raise Refused("missing_action", self.quote(step))
        if (found := self._labelled_answer(action)) and resolve(name, self.tools) is None:
            self.notes.add("inline_answer", *found.span())
            return [Found(answer=clean_answer(self.text[found.end() : action.end]))]
        return self._named(name, step)

    def _labelled_answer(self, action: Part) -> re.Match[str] | None:
        found = _LABELLED_ANSWER.match(self.text, action.start)
        return found if found and found.end() <= action.end else None

    def _named(self, written: str, step: Step) -> list[Found]:
        action, name = step.action, resolve(written, self.tools)
        assert action is not None
        if name is None and is_finish(written, self.tools):
            self.notes.add("finish_action", action.label, action.end)
            return [Found(answer=self._finish(step.given))]
        if name is None and is_nothing(written):
            self.notes.add("none_action", action.label, action.end)
            return []
        if name is None:
            name = self._before_remark(written, step)
        if self.text[action.start : action.end].strip() != name and not action.calls:
            self.notes.add("tool_name", action.start, action.end, name)
        if step.given is None and self.tools[name]:
            raise Refused("missing_input", self.quote(step))
        return [Found(Action(name, self._input(name, step.given) if step.given else {}))]

    def _before_remark(self, written: str, step: Step) -> str:
        """Return the tool before a remark in brackets, if the name itself is exact."""
        remarked = _REMARK.fullmatch(written)
        if remarked and remarked[1] in self.tools and step.given:
            return remarked[1]
        several = _LIST.split(written)
        named = len(several) > 1 and all(resolve(name, self.tools) for name in several)
        raise Refused("multiple_actions" if named else "unknown_tool", self.quote(step))

    def _input(self, name: str, part: Part) -> Any:
        if part.refused:
            raise part.refused
        params, quote = self.tools[name], self.text[part.label : part.end].strip()
        following = self.reply.parts[self.reply.parts.index(part) + 1 :]
        try:
            if part.given is None:
                args = read_bare(self.text, part.start, part.end, params, self.notes)
                return self._no_code(name, args)
            refuse_second(self.text, part.given, following[0].end)
            args = self._nested_call(name, part.given.args)
        except Refused as refused:
            raise Refused(refused.code, refused.quote or quote) from None
        if self.text[part.end : following[0].end].strip():
            self.notes.add("trailing_text", part.end, following[0].end)
        return args

    def _nested_call(self, name: str, args: Any) -> Any:
        """Unwrap a whole call written into the input; refuse it where it is another tool's."""
        if not isinstance(args, dict) or not args or set(args) <= set(self.tools[name]):
            return args
        calls = [call for call in calls_in_json(args, self.tools) if call.name]
        inner = resolve(str(calls[0].name), self.tools) if calls else None
        if inner is None:
            return args
        if inner != name or len(calls) > 1:
            raise Refused("multiple_actions")
        made = json.dumps(calls[0].args, ensure_ascii=False, default=str)
        self.notes.add("nested_call", self.reply.parts[-1].start, self.reply.parts[-1].start, made)
        return self._shaped(name, calls[0].args)

    def _no_code(self, name: str, args: Any) -> Any:
        """Refuse a call in Python written into the input: a tool's name and a bracket."""
        head = PYTHON_CALL.match(args) if isinstance(args, str) else None
        if head and head[1] in self.tools:
            raise Refused("invalid_input" if head[1] == name else "multiple_actions")
        return args

    def _finish(self, part: Part | None) -> str:
        if part is None:
            return clean_answer("")
        if part.refused:
            raise part.refused
        given = part.given.value if part.given else self.text[part.start : part.end]
        return clean_answer(finish_text(given))

    def _calls(self, action: Part, quote: str) -> list[Found]:
        """Read the calls of a notation of its own."""
        found = [item for call in action.calls if (item := self._call(call, action, quote))]
        for tail in self.reply.parts[self.reply.parts.index(action) + 1 :]:
            for line in _CODE_LINE.finditer(self.text, tail.start, tail.end):
                if line[1] in self.tools:  # a second call, without any label
                    raise Refused("multiple_actions", line[0])
        return found

    def _call(self, call: Call, action: Part, quote: str) -> Found | None:
        if call.name is None:
            return Found(answer=clean_answer(as_text(call.answer)), thought=call.thought)
        name, span = resolve(call.name, self.tools), (action.label, action.end)
        if name is None and is_finish(call.name, self.tools):
            self.notes.add("finish_action", *span)
            return Found(answer=clean_answer(finish_text(call.args)), thought=call.thought)
        if name is None and is_nothing(call.name):
            return None
        if name is None:
            raise Refused("unknown_tool", quote)
        if name != call.name:
            self.notes.add("tool_name", *span, name)
        try:
            args = self._shaped(name, call.args, span)
        except Refused as refused:
            raise Refused(refused.code, refused.quote or quote) from None
        return Found(Action(name, args), thought=call.thought)

    def _shaped(self, name: str, args: Any, span: tuple[int, int] = (0, 0)) -> Any:
        params = self.tools[name]
        nothing = args is None or (isinstance(args, str) and not args.strip())
        if not nothing and (args != {} or "{" in self.text[slice(*span)] or not params):
            return args if args == {} else shape(args, params, self.notes, span)
        if params:
            raise Refused("missing_input")
        return {}


def finish_text(given: Any) -> str:
    """Return the answer that the input of a finish action holds."""
    if isinstance(given, Mapping):
        answer = given.get("answer", given.get("final_answer"))
        values = list(given.values())
        return as_text(
            answer if answer is not None else values[0] if len(values) == 1 else given or None
        )
    text = as_text(given).strip().strip("`").strip()
    named = _NAMED_ANSWER.match(text)
    text = text[named.end() :] if named else text
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted and text[0] not in text[1:-1] else text


def as_text(value: Any) -> str:
    """Return a value as text: a string as it is, nothing as "", all else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def clean_answer(written: str) -> str:
    """Strip an answer of what was opened before it; refuse an empty one."""
    text = written.strip(" \t\r\n\ufeff\u200b\u3000")
    for mark in ("```", "**"):
        if text.endswith(mark) and text.count(mark) % 2:
            text = text.removesuffix(mark).rstrip()
    if not text.strip("*_`\"'. …"):
        raise Refused("empty_answer", written[:200])
    return text
