"""A model behind any endpoint that speaks OpenAI's chat completions (notebook 10)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...records import Completion, Message
from .problems import EndpointError, RequestRefused, from_status, read_json
from .retrying import keep_trying, seconds_to_wait
from .settings import BASE_URL, MODEL, Secret, checked_url, endpoint, public_url, setting
from .streaming import StreamedReply
from .wire import MOST_STOPS, message_json, read_reply

if TYPE_CHECKING:
    from .transport import Answer

_NOTES = {
    "first": "the endpoint refused {name!r} ({why}): asked again without it",
    "later": "{name!r} was left out: the endpoint refused it before",
}


class OpenAICompatibleLLM:
    """Ask any endpoint that speaks OpenAI's chat completions.

    Address, model and key come from the arguments, else from REACT_LAB_BASE_URL,
    REACT_LAB_MODEL and REACT_LAB_API_KEY; a local server needs no key. Raise UsageError
    where address or model is missing. `temperature`, `max_tokens` and `seed` are not sent
    when None; `extra` holds further fields of the request, such as a grammar.

    Time-outs are in seconds. `read_timeout` is the longest silence: without streaming that
    is the whole time of a reply. `total_timeout` bounds a call with its repetitions; it is
    looked at whenever something arrives, so a silent server is left after `read_timeout`.
    A call that failed in passing (429, 5xx, time-out, broken reply) is made again up to
    `retries` times. 429 waits as long as Retry-After says, half a minute at most.

    A field that the endpoint refuses by name is left out from then on, and the reply's
    `notes` say so. Stop sequences are always cut on our side too. With `on_text` the reply
    is streamed, and `on_text` gets the text so far at each piece; it starts anew when a
    broken stream is asked for again.

    ============ ================================= ============================================
    endpoint     base_url                          what to know
    ============ ================================= ============================================
    llama.cpp    http://127.0.0.1:8080/v1          any model name is taken; tools need a chat
                                                   template that has them, else they are dropped
                                                   without a word; `extra={"grammar": ...}`
    Ollama       http://127.0.0.1:11434/v1         HTTP 400 "does not support tools" for many
                                                   models; a prompt longer than num_ctx loses
                                                   its beginning without a word
    vLLM         http://127.0.0.1:8000/v1          tools need --enable-auto-tool-choice and
                                                   --tool-call-parser, else HTTP 400
    OpenAI       https://api.openai.com/v1         reasoning models refuse `stop`,
                                                   `temperature` and `max_tokens`, which is then
                                                   sent as max_completion_tokens
    other clouds as their page says, often .../v1  Azure's filter answers HTTP 400 with
                                                   content_filter: the run ends as that
    ============ ================================= ============================================

    >>> OpenAICompatibleLLM("http://127.0.0.1:8080/v1", "smollm2-135m", seed=1)
    OpenAICompatibleLLM('http://127.0.0.1:8080/v1', 'smollm2-135m')
    """

    base_url = model = ""  # so that a half-made client can be shown in a traceback

    def __init__(
        self,
        base_url: str | None = None,
        model: str | None = None,
        api_key: str | Secret | None = None,
        *,
        temperature: float | None = 0,
        max_tokens: int | None = 512,
        seed: int | None = None,
        connect_timeout: float = 5.0,
        read_timeout: float = 120.0,
        total_timeout: float = 300.0,
        retries: int = 1,
        stream: bool = False,
        on_text: Callable[[str], Any] | None = None,
        extra: Mapping[str, Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        api_key = Secret.or_environment(api_key)  # first of all: no frame below holds the key
        if api_key.problem:
            raise UsageError(api_key.problem)
        self._secret = api_key
        self.base_url = checked_url(setting(base_url, BASE_URL, "http://127.0.0.1:8080/v1"))
        self.model = setting(model, MODEL, "qwen2.5")
        self.temperature, self.max_tokens, self.seed = temperature, max_tokens, seed
        self.connect_timeout, self.read_timeout = connect_timeout, read_timeout
        self.total_timeout, self.retries = total_timeout, retries
        self.stream, self.on_text = stream or on_text is not None, on_text
        self.extra = dict(extra or {})
        self.sleep, self.clock = sleep, clock
        #: fields that the endpoint refused by name
        self.refused: set[str] = set()
        self._max_tokens_name = "max_tokens"
        self._check()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the reply; raise an EndpointError when there is none.

        `request` and `response` of both are the JSON as sent and received.
        """
        deadline = self.clock() + self.total_timeout
        notes = [
            _NOTES["later"].format(name=n) for n in self._wanted(stop, tools) if n in self.refused
        ]
        while True:
            body = self.body(messages, stop=stop, tools=tools)
            try:
                reply, tries = keep_trying(self, partial(self._ask, body, stop, deadline), deadline)
            except RequestRefused as error:
                if not self._leave_out(error, body):
                    raise
                notes += [_NOTES["first"].format(name=n, why=error) for n in error.fields]
                continue
            return replace(reply, request=body, notes=(*reply.notes, *notes, *tries))

    def body(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        """Return the JSON that would be sent."""
        fields = {"model": self.model, "messages": [message_json(m) for m in messages]}
        wanted = self._wanted(stop, tools)
        fields |= {name: value for name, value in wanted.items() if name not in self.refused}
        if "max_tokens" in fields:
            fields[self._max_tokens_name] = fields.pop("max_tokens")
        return {name: value for name, value in (fields | self.extra).items() if value is not None}

    def models(self) -> list[str]:
        """Ask the endpoint which models it serves: the cheapest test of address and key."""
        answer = self._exchange("models", None, self.clock() + self.total_timeout)
        if answer.status != 200:
            raise from_status(answer.status, answer.text, (), None)
        value = read_json(answer.text)
        listed = value.get("data") if isinstance(value, dict) else None
        return [str(item["id"]) for item in listed or () if isinstance(item, dict) and "id" in item]

    def changed(self, **settings: Any) -> OpenAICompatibleLLM:
        """Return a client with other settings; the key goes with it."""
        names = (
            "model temperature max_tokens seed connect_timeout read_timeout total_timeout retries"
        )
        names += " stream on_text extra sleep clock base_url"
        if unknown := set(settings) - set(names.split()):
            raise UsageError(
                f"no setting {sorted(unknown)[0]!r}: there are {names.replace(' ', ', ')}"
            )
        kept = {name: getattr(self, name) for name in names.split()}
        return type(self)(api_key=self._secret, **(kept | settings))

    def __repr__(self) -> str:
        return f"OpenAICompatibleLLM({public_url(self.base_url)!r}, {self.model!r})"

    def _wanted(self, stop: Sequence[str], tools: Sequence[Any]) -> dict[str, Any]:
        wanted = {
            "stop": list(stop)[:MOST_STOPS] or None,
            "tools": list(tools) or None,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "stream": self.stream or None,
            "stream_options": {"include_usage": True} if self.stream else None,
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def _ask(self, body: Mapping[str, Any], stop: Sequence[str], deadline: float) -> Completion:
        streamed = StreamedReply(stop, self.on_text) if body.get("stream") else None
        text = ""
        try:
            answer = self._exchange("chat/completions", body, deadline, streamed and streamed.add)
            text = answer.text
            if answer.status != 200:
                wait = seconds_to_wait(answer.retry_after, time.time())
                raise from_status(answer.status, text, body, wait)
            if streamed and answer.streamed:
                return streamed.completion(self.model)
            return read_reply(text, stop, self.model)
        except EndpointError as error:
            error.request = body
            error.response = (
                {"events": streamed.events} if streamed and streamed.events else {"body": text}
            )
            raise

    def _exchange(
        self, path: str, body: Mapping[str, Any] | None, deadline: float, on_event: Any = None
    ) -> Answer:
        # Here and not above: httpx is loaded by the first call, not by the import of the kit.
        from .transport import Call, exchange

        call = Call(
            endpoint(self.base_url, path),
            None if body is None else json.dumps(body).encode(),
            self._secret,
            self.connect_timeout,
            self.read_timeout,
            deadline,
            self.clock,
        )
        return exchange(call, on_event)

    def _leave_out(self, error: RequestRefused, body: Mapping[str, Any]) -> bool:
        """Remember refused fields; tell whether the next request will be another."""
        if "max_tokens" in error.fields and "max_completion_tokens" in str(error):
            self._max_tokens_name = "max_completion_tokens"
            return "max_tokens" in body
        self.refused.update(error.fields)
        return any(name in body and name not in self.extra for name in error.fields)

    def _check(self) -> None:
        times = {n: getattr(self, n) for n in ("connect_timeout", "read_timeout", "total_timeout")}
        for name, seconds in times.items():
            if not seconds > 0:
                raise UsageError(f"{name} must be above 0 seconds, got {seconds!r}")
        if self.retries < 0 or self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError(
                f"retries must be at least 0 and max_tokens at least 1, got {self.retries} and {self.max_tokens}"
            )
