"""Put a streamed reply together; a stream without an end mark is never a reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...records import Completion, ToolCall, Usage
from .problems import BrokenReply, excerpt, read_json
from .wire import content_text, make_completion, read_usage, without_reasoning

DONE = "[DONE]"


class StreamedReply:
    """Collect the events of a stream; `add` returns False when nothing more is needed."""

    def __init__(self, stop: Sequence[str], on_text: Callable[[str], Any] | None) -> None:
        self.stop, self.on_text = tuple(stop), on_text
        self.events: list[str] = []
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[dict[str, str]] = []
        self.at: dict[Any, dict[str, str]] = {}
        self.finish_reason: str | None = None
        self.usage: Usage | None = None
        self.model = ""
        self.done = False

    def add(self, data: str) -> bool:
        """Take the data of one event."""
        self.events.append(data)
        if data.strip() == DONE:
            self.done = True
            return False
        value = read_json(data)
        if not isinstance(value, Mapping):
            raise BrokenReply(f"an event of the stream is not JSON: {excerpt(data)}")
        if value.get("error"):
            error = value["error"]
            said = error.get("message") if isinstance(error, Mapping) else error
            raise BrokenReply(f"the stream ended with an error: {str(said)[:200]}")
        self.model = str(value.get("model") or self.model)
        self.usage = read_usage(value.get("usage")) or self.usage
        choices = value.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
            return self._choice(choices[0])
        return True

    def completion(self, model: str) -> Completion:
        """Return the reply; raise BrokenReply where the stream stopped before its end."""
        text = "".join(self.content)
        if not (self.done or self.finish_reason):
            raise BrokenReply(
                f"the stream broke off after {len(text):,} characters, before its end mark"
            )
        calls = tuple(ToolCall(c["id"], c["name"], c["arguments"]) for c in self.calls)
        return make_completion(
            text,
            calls,
            self.finish_reason or ("tool_calls" if calls else "stop"),
            stop=self.stop,
            usage=self.usage,
            model=self.model or model,
            reasoning="".join(self.reasoning),
            response={"events": self.events},
        )

    def _choice(self, choice: Mapping[str, Any]) -> bool:
        delta = choice.get("delta")
        delta = delta if isinstance(delta, Mapping) else {}
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        self.reasoning.append(
            content_text(delta.get("reasoning_content") or delta.get("reasoning"))
        )
        for piece in delta.get("tool_calls") or ():
            if isinstance(piece, Mapping):
                self._call(piece)
        written = content_text(delta.get("content"))
        return self._text(written) if written else True

    def _text(self, written: str) -> bool:
        self.content.append(written)
        visible = without_reasoning("".join(self.content))
        ends = [at for at in (visible.find(word) for word in self.stop if word) if at >= 0]
        if self.on_text is not None:
            self.on_text(visible[: min(ends)] if ends else visible)
        if ends:
            self.finish_reason = "stop"
        return not ends

    def _call(self, piece: Mapping[str, Any]) -> None:
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, id_ = str(function.get("name") or ""), str(piece.get("id") or "")
        place = piece.get("index")
        known = self.at.get(place)
        if known is None or (name and id_ and id_ != known["id"]):
            known = self.at[place] = {"id": id_, "name": "", "arguments": ""}
            self.calls.append(known)
        known["name"] = known["name"] or name
        arguments = function.get("arguments")
        known["arguments"] += (
            arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""
        )
