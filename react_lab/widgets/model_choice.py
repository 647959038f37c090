"""What a model picker chooses between, the code for each choice, and the test of a connection.

A choice holds no key: the key is passed to `make` and goes on into the client's own secret.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ..errors import LLMError, UsageError
from ..llm import LLM, OpenAICompatibleLLM, RecordedLLM, SimulatedLLM
from ..llm.laptop import MODEL, why_not
from ..llm.openai_compatible import (
    BrokenReply,
    ConnectionFailed,
    EndpointError,
    RateLimited,
    Secret,
    ServerFailed,
    TimedOut,
)
from ..llm.openai_compatible.settings import BASE_URL
from ..records import Completion, Message
from ..trace import redact
from ..views.escape import one_line
from ..views.model_picker import Outcome

KINDS = ("simulated", "recorded", "laptop", "endpoint")
#: Where the usual servers listen; OpenAI's is the only one that needs a key.
ADDRESSES = {
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "Ollama": "http://127.0.0.1:11434/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "OpenAI": "https://api.openai.com/v1",
}
TEMPER_WORDS = {
    "obedient": "does what the prompt says and keeps to the format",
    "sloppy": "slips in one reply out of a few: format, tool names, arguments",
    "stubborn": "repeats calls and mistakes, also after being told",
    "forgetful": "has a short window and loses what came early",
    "gullible": "follows instructions that stand inside an observation",
}
WHAT = {
    "simulated": "a small program with fixed rules; it shows how to measure, not how real models behave",
    "recorded": "replies of a real model, replayed from a file without network; other requests have no reply",
    "laptop": f"{MODEL}, a small real model in a process on this machine; no key, no network",
    "endpoint": "any server that speaks OpenAI's chat completions, on this machine or far away",
}
_KEYS = {
    "pasted": "pasted, held in memory only",
    "environment": "that of REACT_LAB_API_KEY",
    "nowhere": "none; a server on this machine needs none",
}
#: The question of a connection's test, and how many tokens its reply may have.
ASK, MOST_TOKENS = "Reply with the word yes.", 100
_ADVICE = {
    ConnectionFailed: "See that the server runs and that the address is right.",
    TimedOut: "Check the address, and whether the server is still loading the model; then test again.",
    RateLimited: "Wait a minute and test again, or look at your account's limits.",
    ServerFailed: "Address and key are right, the server failed: look at its log, or test again later.",
    BrokenReply: "Check that the address is that of an OpenAI-compatible service; it usually ends in /v1.",
}


@dataclass(frozen=True)
class ModelChoice:
    """Hold what the controls say: the fields of the kinds that are not chosen do not count."""

    kind: str = "simulated"
    temper: str = "obedient"
    seed: int = 0
    recording: str = ""
    base_url: str = ""
    model: str = ""

    def make(self, key: Secret) -> LLM:
        """Return the model; raise UsageError with what is missing.

        For "laptop" that is always so: its process has an end, and whoever starts it keeps it.
        """
        if self.kind == "simulated":
            return SimulatedLLM(self.temper, self.seed)
        if self.kind == "recorded":
            if not self.recording:
                raise UsageError("no recording: write its file name, as record(llm, name) made it")
            return RecordedLLM(self.recording)
        if self.kind == "laptop":
            raise UsageError(
                f"{why_not() or 'start it as LaptopLLM()'} (help('react_lab.llm.laptop') says all)"
            )
        self._check_endpoint()
        return OpenAICompatibleLLM(self.base_url, self.model, key)

    def name(self) -> str:
        """Return the call that makes the model, without the key."""
        if self.kind == "simulated":
            return f"SimulatedLLM({self.temper!r}, seed={self.seed})"
        if self.kind == "recorded":
            return f"RecordedLLM({self.recording!r})"
        if self.kind == "laptop":
            return "LaptopLLM()"
        return f"OpenAICompatibleLLM({self.base_url!r}, {self.model!r})"

    def code(self, key: str) -> str:
        """Return the lines that make the model and test it; `key` says where its key is from."""
        if self.kind == "recorded":
            return f"llm = {self.name()}\nprint(len(llm), llm.about)"
        third = {"pasted": ", getpass('API key: '))", "environment": ")"}.get(key, ", '')")
        call = self.name()[:-1] + third if self.kind == "endpoint" else self.name()
        first = "from getpass import getpass\n" if key == "pasted" else ""
        return f"{first}llm = {call}\nprint(llm.complete([Message('user', {ASK!r})]).text)"

    def facts(self, key: Secret, source: str) -> list[tuple[str, str]]:
        """Return what to know about this choice, and what is missing; text by title."""
        found = []
        if self.kind == "simulated":
            found.append(("Temper", f"{self.temper}: it {TEMPER_WORDS[self.temper]}"))
        if self.kind == "endpoint":
            found.append(("Key", _KEYS[source]))
        try:
            llm = None if self.kind == "laptop" and not why_not() else self.make(key)
        except UsageError as error:
            return [*found, ("Not ready", str(error))]
        if isinstance(llm, RecordedLLM):
            found.append(("Holds", _holds(llm)))
        if key and self.kind == "endpoint" and self._unencrypted():
            found.append(("Careful", "the key would travel readable by others: use https"))
        return found

    def _unencrypted(self) -> bool:
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        return parts.scheme == "http" and host not in ("localhost", "::1") and host[:4] != "127."

    def _check_endpoint(self) -> None:
        if not self.base_url:
            raise UsageError(f"no address: write one such as {ADDRESSES['llama.cpp']}")
        if not self.model:
            raise UsageError("no model: write the name that the server knows it by")


def from_environment(name: str) -> str:
    """Return a setting of the environment; nothing for one that looks like a key."""
    value = os.environ.get(name, "").strip()
    return value if redact(value) == value else ""


def key_for(pasted: Secret, base_url: str) -> tuple[Secret, str]:
    """Return the key for an address and where it is from: pasted, environment or nowhere.

    A key of the environment goes to the environment's address and to no other.
    """
    if pasted:
        return pasted, "pasted"
    key = Secret.or_environment(None)
    own = from_environment(BASE_URL) in ("", base_url)
    return (key, "environment") if key and own else (Secret(), "nowhere")


def server_of(url: str) -> tuple[str, str]:
    """Return the scheme and the host with its port; two empty texts for no URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc


def checked(title: str, text: str) -> str:
    """Return a text of a field that everybody may see; raise UsageError for a key in it."""
    text = text.strip()
    if redact(text) != text:
        raise UsageError(f"the field {title!r} got what looks like a key: paste it into 'Key'")
    return text


def try_out(llm: Any, seconds: float) -> Outcome:
    """Ask a model one short question, or read what a recording is about; never raise LLMError."""
    if isinstance(llm, RecordedLLM):
        return Outcome(_holds(llm), True)
    client = getattr(llm, "client", llm)
    if isinstance(client, OpenAICompatibleLLM):
        times = {"read_timeout": seconds, "total_timeout": seconds}
        client = client.changed(max_tokens=MOST_TOKENS, retries=0, **times)
    try:
        return Outcome(_said(client.complete([Message("user", ASK)])), True)
    except LLMError as error:
        return Outcome(f"{type(error).__name__}: {error}. {_advice(error, client)}".strip(), False)


def _holds(llm: RecordedLLM) -> str:
    about = ", ".join(f"{name} {value}" for name, value in llm.about.items())
    return f"{len(llm)} recorded replies; {about or 'nothing is noted about them'}"


def _said(reply: Completion) -> str:
    text = f"replied {one_line(reply.text, 80)!r}" if reply.text.strip() else "sent an empty reply"
    used = f", {reply.usage.total} tokens" if reply.usage else ""
    notes = "".join(f"; {note}" for note in reply.notes)
    return f"{reply.model or 'the model'} {text} (finish_reason {reply.finish_reason}{used}){notes}"


def _advice(error: LLMError, client: Any) -> str:
    status = getattr(error, "status", None)
    if status in (401, 403):
        return "Paste the key again, or choose the address that it belongs to."
    if status == 404:
        return _served(client)
    return next((text for kind, text in _ADVICE.items() if isinstance(error, kind)), "")


def _served(client: OpenAICompatibleLLM) -> str:
    try:
        names = client.models()
    except EndpointError:
        names = []
    if not names:
        return "Correct the model's name or the address."
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"Correct the model's name; this server has {', '.join(names[:10])}{more}."
