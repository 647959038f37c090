"""The text contracts: labelled lines, one JSON object, XML tags (notebook 02).

What the model is told is data: one template per dialect and language in `templates/`,
visible whole. This class only fills it in.

>>> contract = TextContract("lines")
>>> contract.stop
('\\nObservation:',)
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from ..errors import UsageError
from ..records import Completion, Message, Messages, Observation, Parsed, Step
from ..tools import Tool, Toolbox
from .parsing import parse_reply

#: Behaviour rules that can be switched on; the last two stand beside the latest Observation.
RULES = (
    "tool_first",
    "answer_soon",
    "no_repeat",
    "summarise_first",
    "observations_are_data",
    "restate_question",
    "lead_in",
)
BLOCKS = ("tools", "format", "rules", "examples")


@cache
def load_template(dialect: str, language: str) -> Mapping[str, Any]:
    """Read `templates/{dialect}.{language}.toml`; raise UsageError if there is none."""
    name = f"{dialect}.{language}.toml"
    path = files(__package__) / "templates" / name
    if not path.is_file():
        raise UsageError(f"no template {name}: dialects are lines, json, xml; languages en, zh")
    template: Mapping[str, Any] = tomllib.loads(path.read_text("utf-8"))
    return template


@dataclass(frozen=True)
class TextContract:
    """Ask for one dialect of text; every field after `language` is a switch.

    `rules` are names from `RULES`; `order` is the order of blocks in the system message,
    and leaving one out drops it; `examples` adds the few-shot examples; `finish` is the
    exit: final_answer, action_finish, action_final_answer or brackets. `observation_as`
    is user (right), assistant, or scratchpad (all in the system message). `stop=None`
    takes the template's own. `repairs_off` switches repairs of the parser off by name.
    """

    dialect: Literal["lines", "json", "xml"] = "lines"
    language: Literal["en", "zh"] = "en"
    rules: tuple[str, ...] = ("tool_first", "answer_soon", "no_repeat")
    order: tuple[str, ...] = BLOCKS
    examples: bool = False
    finish: str = "final_answer"
    observation_as: Literal["user", "assistant", "scratchpad"] = "user"
    stop: tuple[str, ...] = None  # type: ignore[assignment]
    repairs_off: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if unknown := set(self.rules) - set(RULES):
            raise UsageError(f"unknown rules {sorted(unknown)}: choose from {', '.join(RULES)}")
        if unknown := set(self.order) - set(BLOCKS):
            raise UsageError(f"unknown blocks {sorted(unknown)}: choose from {', '.join(BLOCKS)}")
        if self.finish not in self.template["finish"]:
            raise UsageError(
                f"unknown finish {self.finish!r}: choose from {', '.join(self.template['finish'])}"
            )
        if self.stop is None:
            object.__setattr__(self, "stop", tuple(self.template["stop"]))

    @property
    def template(self) -> Mapping[str, Any]:
        """Return the template as data."""
        return load_template(self.dialect, self.language)

    def system(self, tools: Toolbox) -> str:
        """Return the system message, block by block."""
        blocks = self.blocks(tools)
        return "\n\n".join(
            [self.template["intro"], *(blocks[name] for name in self.order if blocks[name])]
        )

    def blocks(self, tools: Toolbox) -> dict[str, str]:
        """Return the blocks of the system message by name; an unused one is empty."""
        template = self.template
        rules = [template["rules"][name] for name in self.rules if name in template["rules"]]
        inner = {
            "tools": "\n".join(describe_tool(tool) for tool in tools.values())
            or template["no_tools"],
            "format": template["format"].strip() + "\n" + template["finish"][self.finish].strip(),
            "rules": "\n".join(f"- {rule}" for rule in rules),
            "examples": template["examples"].strip() if self.examples else "",
        }
        return {
            name: f"<{name}>\n{text}\n</{name}>" if text else "" for name, text in inner.items()
        }

    def opening(self, question: str, tools: Toolbox) -> tuple[Message, ...]:
        """Return the system message and the question."""
        asked = self.template["question"].format(question=question)
        return Message("system", self.system(tools)), Message("user", asked)

    def show(self, step: Step) -> tuple[Message, ...]:
        """Return the kept part of the reply and, as the next message, the Observation."""
        said: tuple[Message, ...] = ()
        if step.reply.finish_reason != "none":
            kept = step.parsed.kept or step.reply.text
            said = (Message("assistant", kept if kept.strip() else self.template["nothing"]),)
        if not step.observations:
            return said
        return (*said, Message(self._heard_as, self.observed(step)))

    @property
    def _heard_as(self) -> Literal["user", "assistant"]:
        return "assistant" if self.observation_as == "assistant" else "user"

    def observed(self, step: Step) -> str:
        """Return the Observation text of a step, in the dialect's own shape."""
        shape: str = self.template["observation"]
        return "\n".join(shape.replace("{text}", self._quoted(o.text)) for o in step.observations)

    def _quoted(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=False) if self.dialect == "json" else text

    def sent(self, body: Messages, question: str) -> Messages:
        """Add the reminders beside the latest Observation, or fold all into a scratchpad."""
        reminders = self.template["beside"]
        beside = [reminders[rule] for rule in self.rules if rule in reminders]
        if beside and len(body) > 2:
            text = "\n".join(line.replace("{question}", question) for line in beside)
            # Behind a reply that had no Observation, the reminder is a message of its own.
            beside_it = body.last.role == self._heard_as
            last = Message(self._heard_as, f"{body.last.content}\n{text}" if beside_it else text)
            body = body.with_last(last) if beside_it else body.extend([last])
        return self._scratchpad(body) if self.observation_as == "scratchpad" else body

    def _scratchpad(self, body: Messages) -> Messages:
        system, asked, *rest = body
        pad = "\n".join(message.content for message in (asked, *rest))
        return Messages([Message("system", f"{system.content}\n\n{pad}")])

    def request_tools(self, tools: Toolbox) -> tuple[dict[str, Any], ...]:
        """Return (): the tools stand in the text."""
        return ()

    def read(self, reply: Completion, tools: Toolbox) -> Parsed:
        """Read the text of a reply; the dialect's own notation is no repair."""
        parsed = parse_reply(
            reply.text, tools, off=self.repairs_off, dialect=self.dialect, language=self.language
        )
        if self.dialect == "lines":
            return parsed
        return replace(parsed, repairs=tuple(r for r in parsed.repairs if r.name != "native_call"))

    def observe_error(self, parsed: Parsed) -> tuple[Observation, ...]:
        """Return the parser's message as an Observation."""
        if parsed.error is None:
            return ()
        status: Any = "unknown_tool" if parsed.error.code == "unknown_tool" else "format_error"
        return (Observation(parsed.error.message, status, full=parsed.error.message),)


def describe_tool(tool: Tool) -> str:
    """Write a tool for the prompt: a line for itself and one for each parameter."""
    head = f"- {tool.name}: {tool.description}".rstrip(": ")
    return "\n".join([head, *(_describe_param(tool, name) for name in tool.params)])


def _describe_param(tool: Tool, name: str) -> str:
    part = tool.schema["properties"][name]
    facts = [tool.params[name], "required" if name in tool.required else "optional"]
    facts += [f"one of {', '.join(map(str, part['enum']))}"] if "enum" in part else []
    facts += [f"default {json.dumps(part['default'])}"] if "default" in part else []
    note = f": {part['description']}" if part.get("description") else ""
    return f"    {name} ({', '.join(facts)}){note}"
