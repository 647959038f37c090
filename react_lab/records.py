"""What a run is made of: frozen records, oldest idea first (notebooks 00 and 05).

A run is data: a question and the steps so far. Each step holds the messages exactly as
sent and the reply exactly as received, so nothing about the past is ever guessed.

>>> run = Run("What is 2 + 2?")
>>> run.finished
False
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from .writing import written

Role = Literal["system", "user", "assistant", "tool"]
StopReason = Literal[
    "final_answer",
    "max_steps",
    "token_budget",
    "format_errors",
    "repeated_action",
    "llm_error",
    "content_filter",
    "truncated",
    "cancelled",
]
ErrorCode = Literal[
    "empty_output",
    "missing_action",
    "missing_input",
    "invalid_input",
    "unknown_tool",
    "multiple_actions",
    "empty_answer",
    "action_and_answer",
    "truncated",
]
Status = Literal[
    "ok",
    "empty",
    "tool_error",
    "timeout",
    "unknown_tool",
    "invalid_args",
    "refused",
    "format_error",
    "guard",
]

_CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: about 4 Latin or 1.6 Chinese characters each."""
    if text.isascii():
        return (len(text) + 3) // 4
    chinese = len(_CHINESE.findall(text))
    return round((len(text) - chinese) / 4 + chinese / 1.6 + 0.49)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Hold one native call as the endpoint sent it; `arguments` is unparsed JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """Hold one message as sent; `tool_calls` and `tool_call_id` are for native calling."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    def __str__(self) -> str:
        calls = "".join(f"\n[{c.id}] {c.name}({c.arguments})" for c in self.tool_calls)
        tag = f"{self.role} {self.tool_call_id}" if self.tool_call_id else self.role
        return f"[{tag}]\n{self.content}{calls}"


class Messages(Sequence[Message]):
    """Hold a prompt as a chain that shares everything it has in common with the last one.

    A run of n steps would store n growing prompts, which is quadratic; a chain stores each
    message once. Indexing and iterating cost time linear in the length.
    """

    __slots__ = ("_length", "_links", "added", "parent", "tokens")

    def __init__(self, added: Sequence[Message] = (), parent: Messages | None = None) -> None:
        self.added, self.parent = tuple(added), parent
        before = (parent._length, parent._links, parent.tokens) if parent is not None else (0, 0, 0)
        tokens = before[2]
        for message in self.added:
            tokens += estimate_tokens(message.content)
            for call in message.tool_calls:
                tokens += estimate_tokens(call.arguments)
        self._length: int = before[0] + len(self.added)
        self._links: int = before[1] + 1
        self.tokens: int = tokens  #: estimated tokens of all messages

    def extend(self, added: Sequence[Message]) -> Messages:
        """Return a longer prompt; this one stays as it is."""
        return Messages(added, self)

    @property
    def last(self) -> Message:
        """Return the last message."""
        return self.added[-1] if self.added else self[-1]

    def with_last(self, message: Message) -> Messages:
        """Return a prompt of the same length whose last message is another."""
        if self.added:
            return Messages((*self.added[:-1], message), self.parent)
        return Messages((*self[:-1], message))

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Message]:
        parts: list[tuple[Message, ...]] = []
        node: Messages | None = self
        while node is not None:
            parts.append(node.added)
            node = node.parent
        for part in reversed(parts):
            yield from part

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[Messages], tuple[tuple[Message, ...], Messages | None]]:
        """Pickle the part back to a link with one bit less in its number, a short way to the first."""
        parts: list[tuple[Message, ...]] = []
        node: Messages | None = self
        while node is not None and node._links > self._links & (self._links - 1):
            parts.append(node.added)
            node = node.parent
        return Messages, (tuple(m for part in reversed(parts) for m in part), node)

    def __str__(self) -> str:
        return "\n\n".join(str(message) for message in self)

    def __repr__(self) -> str:
        return f"Messages({self._length} messages, about {self.tokens} tokens)"


@dataclass(frozen=True, slots=True)
class Usage:
    """Count the tokens of one model call; `estimated` is true when no server counted."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = True

    @property
    def total(self) -> int:
        """Return prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """Hold one reply as received.

    `finish_reason` says why the *reply* ended (stop, length, content_filter, tool_calls,
    error; none where no model spoke, as in a summary); why the *run* ended is its stop_reason. `request` and `response` are the JSON
    on the wire, where there was a wire.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage | None = None
    model: str = ""
    request: Mapping[str, Any] | None = field(default=None, repr=False)
    response: Mapping[str, Any] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """Name a tool and its arguments: a mapping, or a bare string as the model wrote it."""

    tool: str
    args: Mapping[str, Any] | str
    call_id: str | None = None

    def __str__(self) -> str:
        return f"{self.tool}({written(self.args)})"


@dataclass(frozen=True, slots=True)
class Repair:
    """Say that a named repair fired: what it `saw`, what it `made`, where in the reply."""

    name: str
    saw: str
    made: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Mark a part of the reply: thought, action, input, answer or ignored text."""

    part: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FormatError:
    """Hold a code from the closed set and the message that tells the model what to fix."""

    code: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """Hold what a reply was read as: actions, or an answer, or an error.

    `kept` is the part of the reply that goes back into the prompt: an invented
    Observation and all after it is cut.
    """

    thought: str = ""
    actions: tuple[Action, ...] = ()
    answer: str | None = None
    error: FormatError | None = None
    repairs: tuple[Repair, ...] = ()
    spans: tuple[Span, ...] = ()
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """Hold what came back: `text` as shown to the model, `full` before it was shortened."""

    text: str
    status: Status = "ok"
    tool: str = ""
    full: str = ""
    call_id: str | None = None
    tries: int = 1
    seconds: float = field(default=0.0, compare=False, repr=False)

    @property
    def ok(self) -> bool:
        """Tell whether a tool really returned something."""
        return self.status == "ok"


@dataclass(frozen=True, slots=True)
class Step:
    """Hold one turn of the loop, complete: sent, received, read, done, seen.

    `failure` is set when the world failed (no reply, cut off, filtered); `guard` names the
    guard that answered instead of a tool. `model_seconds` is left out of comparisons.
    """

    messages: Messages
    reply: Completion
    parsed: Parsed
    observations: tuple[Observation, ...] = ()
    usage: Usage = Usage()
    guard: str = ""
    failure: str = ""
    model_seconds: float = field(default=0.0, compare=False, repr=False)

    @property
    def action(self) -> Action | None:
        """Return the first action, or None."""
        return self.parsed.actions[0] if self.parsed.actions else None

    @property
    def observation(self) -> str:
        """Return the observations as shown to the model, a line each."""
        return "\n".join(o.text for o in self.observations)

    def __str__(self) -> str:
        lines = [f"Thought: {self.parsed.thought}"] if self.parsed.thought else []
        lines += [f"Action: {action}" for action in self.parsed.actions]
        lines += [f"Repaired: {repair.name}" for repair in self.parsed.repairs]
        for seen in self.observations:
            tries = f" ({seen.tries} tries)" if seen.tries > 1 else ""
            lines.append(f"Observation{tries}: {seen.text}")
        lines += [f"Failure: {self.failure}"] if self.failure else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Run:
    """Hold a question and the steps so far; immutable, so every moment of it can be kept.

    `usage` counts the tokens of all steps. `detail` says more about the stop_reason. `parent`,
    `forked_at` (a step number, from 1) and `change` tell where a fork came from.
    """

    question: str
    steps: tuple[Step, ...] = ()
    answer: str | None = None
    stop_reason: StopReason | None = None
    detail: str = ""
    usage: Usage = Usage(estimated=False)
    parent: Run | None = field(default=None, compare=False, repr=False)
    forked_at: int | None = field(default=None, compare=False)
    change: str = field(default="", compare=False)

    @property
    def finished(self) -> bool:
        """Tell whether a stop_reason has been set."""
        return self.stop_reason is not None

    def step(self, number: int) -> Step:
        """Return step `number`, counted from 1; raise UsageError outside the run."""
        if not 1 <= number <= len(self.steps):
            from .errors import UsageError

            steps = f"this run has steps 1 to {len(self.steps)}"
            raise UsageError(f"step {number} does not exist: {steps}")
        return self.steps[number - 1]

    def messages(self, step: int) -> Messages:
        """Return the prompt exactly as sent at a step, counted from 1."""
        return self.step(step).messages

    def findings(self) -> list[str]:
        """List what the tools did return, as `tool: text`, for a run without an answer."""
        return [f"{o.tool}: {o.text}" for s in self.steps for o in s.observations if o.ok]

    def __str__(self) -> str:
        lines = [f"Question: {self.question}"]
        for number, step in enumerate(self.steps, 1):
            lines += [f"--- step {number}", str(step)] if str(step) else [f"--- step {number}"]
        lines += [] if self.answer is None else [f"Answer: {self.answer}"]
        detail = f" ({self.detail})" if self.detail else ""
        return "\n".join([*lines, f"Stopped: {self.stop_reason or 'still running'}{detail}"])

    def __repr__(self) -> str:
        answer = "" if self.answer is None else f", answer={self.answer!r}"
        return f"Run({self.question!r}, {len(self.steps)} steps, {self.stop_reason or 'running'}{answer})"

    def _repr_html_(self) -> str:
        from .views import run_html  # the one arrow that points down: only a notebook asks for it

        return run_html(self)
