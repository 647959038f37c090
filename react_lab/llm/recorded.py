"""Real runs, recorded to a file and replayed without network, byte for byte (notebook 10).

    with record(llm, "run.jsonl") as recorder:
        run = run_agent(Agent(recorder, tools), "...")
    run_agent(Agent(RecordedLLM("run.jsonl"), tools), "...")  # the same run

A file holds one JSON object a line: what the recording is about, then a line for each call
with the request (messages, stop, tools), its key, and the reply or the error. Headers and
keys are never in it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import LLMError, UsageError
from ..records import Completion, Message, ToolCall, Usage
from .base import LLM
from .differing import difference, nearest

FORMAT = "react_lab recording 1"


class NotRecorded(LLMError):
    """Say that a request was never recorded, and how it differs from the nearest one."""


class RecordedError(LLMError):
    """Repeat an error that was recorded."""


class RecordedLLM:
    """Replay a recording; a request that is not in it raises NotRecorded with a short diff.

    The same request recorded twice is answered as the last time. `about` holds what the
    recorder noted: model, date, settings. Raise UsageError for a file that is no recording.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self.about: Mapping[str, Any] = {}
        self._requests: dict[str, Mapping[str, Any]] = {}
        self._replies: dict[str, Mapping[str, Any]] = {}
        for number, line in enumerate(_lines(self.path), 1):
            self._take(_parse(line, self.path, number))

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the recorded reply."""
        asked = request_json(messages, stop, tools)
        found = self._replies.get(request_key(asked))
        if found is None:
            raise NotRecorded(self._why(asked))
        if "error" in found:
            error = RecordedError(found["error"]["message"])
            error.stop_reason = found["error"]["stop_reason"]
            raise error
        return read_completion(found["reply"])

    def __len__(self) -> int:
        return len(self._replies)

    def __repr__(self) -> str:
        return f"RecordedLLM({self.path.name!r}, {len(self)} replies)"

    def _take(self, line: Mapping[str, Any]) -> None:
        if "format" in line:
            self.about = line.get("about") or self.about
            return
        key = request_key(line["request"])
        self._requests[key] = line["request"]
        self._replies[key] = line

    def _why(self, asked: Mapping[str, Any]) -> str:
        if not self._requests:
            return f"the recording {self.path.name} is empty"
        closest = nearest(asked, list(self._requests.values()))
        return (
            f"this request is not in the recording {self.path.name} ({len(self)} replies). "
            f"Against the nearest one: {difference(closest, asked)}"
        )


class Recorder:
    """Ask another model and write every call to a file, a line each, at once."""

    def __init__(self, llm: LLM, path: str | PathLike[str], about: Mapping[str, Any]) -> None:
        self.llm, self.path = llm, Path(path)
        self._lock = threading.Lock()
        self._write({"format": FORMAT, "about": dict(about)})

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the model's reply, recorded; an LLMError is recorded too."""
        request = request_json(messages, stop, tools)
        line: dict[str, Any] = {"key": request_key(request), "request": request}
        try:
            reply = self.llm.complete(messages, stop=stop, tools=tools)
        except LLMError as error:
            self._write(line | {"error": {"message": str(error), "stop_reason": error.stop_reason}})
            raise
        self._write(line | {"reply": write_completion(reply)})
        return reply

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: every line is already in the file."""

    def __repr__(self) -> str:
        return f"Recorder({self.llm!r}, {self.path.name!r})"

    def _write(self, line: Mapping[str, Any]) -> None:
        text = json.dumps(line, ensure_ascii=False)
        with self._lock, self.path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text + "\n")


def record(
    llm: LLM, path: str | PathLike[str], *, about: Mapping[str, Any] | None = None
) -> Recorder:
    """Return a model that records what `llm` replies; an existing recording goes on.

    `about` is for what the replies alone do not say, such as date and settings.
    """
    return Recorder(llm, path, about or {})


def request_json(
    messages: Sequence[Message], stop: Sequence[str], tools: Sequence[Any]
) -> dict[str, Any]:
    """Return a request as it is recorded and compared."""
    return {"messages": [_message(m) for m in messages], "stop": list(stop), "tools": list(tools)}


def request_key(request: Mapping[str, Any]) -> str:
    """Return the key of a request: a hash of its JSON, keys in order."""
    text = json.dumps(request, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_completion(reply: Completion) -> dict[str, Any]:
    """Return a completion as JSON; fields that hold nothing are left out."""
    fields = {
        name: getattr(reply, name)
        for name in ("text", "finish_reason", "model", "notes", "request", "response")
    }
    fields["tool_calls"] = [asdict(call) for call in reply.tool_calls]
    fields["usage"] = asdict(reply.usage) if reply.usage else None
    return {name: value for name, value in fields.items() if value or name == "text"}


def read_completion(value: Mapping[str, Any]) -> Completion:
    """Return a completion from its JSON."""
    usage = value.get("usage")
    return Completion(
        value["text"],
        tuple(ToolCall(**call) for call in value.get("tool_calls", ())),
        value.get("finish_reason", "stop"),
        Usage(**usage) if usage else None,
        value.get("model", ""),
        value.get("request"),
        value.get("response"),
        tuple(value.get("notes", ())),
    )


def _message(message: Message) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [asdict(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        fields["tool_call_id"] = message.tool_call_id
    return fields


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, ValueError) as error:  # a path or a text that is none
        raise UsageError(f"cannot read the recording {path.name}: {type(error).__name__}") from None
    lines.pop()  # nothing, or half a line where the recording kernel was killed
    return [line for line in lines if line.strip()]


def _parse(line: str, path: Path, number: int) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    known = isinstance(value, dict) and ("request" in value or value.get("format") == FORMAT)
    if not known:
        raise UsageError(f"{path.name}, line {number}, is no line of a recording made by record()")
    return value  # type: ignore[no-any-return]
