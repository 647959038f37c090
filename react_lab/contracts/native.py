"""The native contract: the endpoint's own tool calls instead of text (notebook 09).

The tools travel beside the messages, the model answers with calls that carry an id, and
each result goes back in a `tool` message with that id. An answer is a reply without calls.

>>> NativeContract().stop
('\\nObservation:',)
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..errors import UsageError
from ..records import (
    Action,
    Completion,
    FormatError,
    Message,
    Messages,
    Observation,
    Parsed,
    Step,
    ToolCall,
)
from ..tools import Toolbox
from .calls import ReadCall, read_calls
from .fallback import as_text, asked_in_text, never_saw_tools
from .feedback import explain
from .parsing import parse_reply
from .text import RULES, TextContract, load_template

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class NativeContract:
    """Ask for native tool calls; `rules` are names from `RULES`.

    A reply that writes a call as text is read as that call and not taken for the answer;
    some models do so, above all small ones. Where the reply shows that the model never saw
    the tools, the run goes on with `fallback`, a contract of labelled lines, and one step
    of the run says so; this costs one call in each run, so choose TextContract for an
    endpoint that you know has no tools. `fallback=None` takes any text for the answer.
    """

    language: Literal["en", "zh"] = "en"
    rules: tuple[str, ...] = ("tool_first", "answer_soon", "no_repeat")
    fallback: TextContract | None = TextContract()
    stop: tuple[str, ...] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if unknown := set(self.rules) - set(RULES):
            raise UsageError(f"unknown rules {sorted(unknown)}: choose from {', '.join(RULES)}")
        if self.fallback and self.fallback.dialect != "lines":
            raise UsageError(f"the fallback writes labelled lines, not {self.fallback.dialect!r}")
        if self.fallback and self.fallback.language != self.language:
            translated = replace(self.fallback, language=self.language)
            object.__setattr__(self, "fallback", translated)
        if self.stop is None:
            object.__setattr__(self, "stop", tuple(self.template["stop"]))

    @property
    def template(self) -> Mapping[str, Any]:
        """Return the template as data."""
        return load_template("native", self.language)

    def system(self, tools: Toolbox) -> str:
        """Return the system message: no tools and no format, these travel beside it."""
        listed = [
            self.template["rules"][name] for name in self.rules if name in self.template["rules"]
        ]
        rules = "\n".join(f"- {rule}" for rule in listed)
        return "\n\n".join(
            [self.template["intro"], *([f"<rules>\n{rules}\n</rules>"] if rules else [])]
        )

    def opening(self, question: str, tools: Toolbox) -> tuple[Message, ...]:
        """Return the system message and the question."""
        asked = self.template["question"].format(question=question)
        return Message("system", self.system(tools)), Message("user", asked)

    def show(self, step: Step) -> tuple[Message, ...]:
        """Return the calls and a `tool` message for each; without calls, text and Observation."""
        if text_system := self._switched(step):
            return (Message("system", text_system),)
        calls = [action for action in step.parsed.actions if action.call_id is not None]
        if calls:
            sent = tuple(map(_sendable, calls))
            return Message("assistant", step.parsed.thought, sent), *self._results(step, calls)
        said: tuple[Message, ...] = ()
        if step.reply.finish_reason != "none":
            kept = (step.parsed.kept or step.reply.text).strip("\n")
            said = (Message("assistant", kept if kept.strip() else self.template["nothing"]),)
        seen = "\n".join(
            self.template["observation"].replace("{text}", o.text) for o in step.observations
        )
        return (*said, Message("user", seen)) if seen else said

    def sent(self, body: Messages, question: str) -> Messages:
        """Return the body, with the reminders behind the latest result; as text once switched."""
        if self.fallback and any(message.role == "system" for message in body[1:]):
            return self.fallback.sent(as_text(body, self.fallback, question), question)
        beside = [
            self.template["beside"][rule] for rule in self.rules if rule in self.template["beside"]
        ]
        if not beside or len(body) <= 2:
            return body
        text = "\n".join(line.replace("{question}", question) for line in beside)
        return body.extend([Message("user", text)])

    def request_tools(self, tools: Toolbox) -> tuple[dict[str, Any], ...]:
        """Return the tools with their JSON Schemas."""
        return tools.schemas

    def read(self, reply: Completion, tools: Toolbox) -> Parsed:
        """Read the calls, else a call written as text, else the answer."""
        if reply.tool_calls:
            return self._read_calls(reply, read_calls(reply.tool_calls, tools.signatures), tools)
        if self.fallback and asked_in_text(reply, self.fallback.system(tools)):
            return self.fallback.read(reply, tools)
        parsed = parse_reply(reply.text, tools, dialect="native", language=self.language)
        if parsed.error is None or parsed.error.code not in ("missing_action", "empty_output"):
            return parsed
        why = never_saw_tools(reply, tools) if self.fallback else ""
        if self.fallback and why:
            return self._switch(parsed, why, self.fallback.system(tools))
        text = parsed.kept.strip()
        return replace(parsed, thought="", answer=text, error=None) if text else parsed

    def observe_error(self, parsed: Parsed) -> tuple[Observation, ...]:
        """Return the error as an Observation, or one for each call of the reply."""
        if parsed.error is None:
            return ()
        message = parsed.error.message
        if message.startswith(self.template["switch"]):
            return (Observation(message.split("\n", 1)[0], "format_error", full=message),)
        status: Any = "unknown_tool" if parsed.error.code == "unknown_tool" else "format_error"
        if not parsed.actions:
            return (Observation(message, status, full=message),)
        return tuple(self._observe_call(action, message, status) for action in parsed.actions)

    def _read_calls(self, reply: Completion, read: tuple[ReadCall, ...], tools: Toolbox) -> Parsed:
        broken = next((call for call in read if call.error), None)
        return Parsed(
            thought=reply.text.strip(),
            actions=tuple(call.action for call in read),
            error=self._explain(broken, tools) if broken else None,
            repairs=tuple(repair for call in read for repair in call.repairs),
            kept=reply.text,
        )

    def _explain(self, call: ReadCall, tools: Toolbox) -> FormatError:
        assert call.error is not None
        message = explain(
            call.error,
            quote=str(call.action.args),
            tools=tools.signatures,
            dialect="native",
            language=self.language,
            tool=call.action.tool,
        )
        return FormatError(call.error, message)

    def _observe_call(self, action: Action, message: str, status: Any) -> Observation:
        broken = isinstance(action.args, str)
        text = message if broken else self.template["beside_broken"]
        return Observation(text, status, action.tool, text, action.call_id)

    def _switch(self, parsed: Parsed, why: str, text_system: str) -> Parsed:
        """Turn a reply without tools into the step that changes the contract."""
        message = f"{self.template['switch']} ({why})\n{text_system}"
        return replace(parsed, error=FormatError("missing_action", message))

    def _switched(self, step: Step) -> str:
        full = step.observations[0].full if step.observations else ""
        return full.partition("\n")[2] if full.startswith(self.template["switch"]) else ""

    def _results(self, step: Step, calls: list[Action]) -> tuple[Message, ...]:
        """Answer every call, as endpoints demand: by its result, or by what came instead."""
        texts = {o.call_id: o.text for o in step.observations}
        instead = texts.get(None, self.template["not_run"])
        return tuple(Message("tool", texts.get(a.call_id, instead), (), a.call_id) for a in calls)


def _sendable(action: Action) -> ToolCall:
    """Return a call as history; broken arguments or names would make endpoints refuse the prompt."""
    args = action.args if isinstance(action.args, Mapping) else {}
    name = action.tool if _NAME.fullmatch(action.tool) else "unknown"
    return ToolCall(str(action.call_id), name, json.dumps(args, ensure_ascii=False))
