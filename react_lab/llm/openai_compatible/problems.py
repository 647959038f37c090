"""What can go wrong between us and an endpoint, each with its own end.

::

    LLMError
    └── EndpointError             any of the below; status, transient, request, response
        ├── ConnectionFailed      nobody listens, or the line broke          tried again
        ├── TimedOut              connect, read or total time-out            tried again
        ├── RateLimited           HTTP 429; waits as Retry-After says        tried again
        ├── ServerFailed          HTTP 5xx                                   tried again
        ├── BrokenReply           HTML, broken JSON, no choices, cut stream  tried again
        ├── RequestRefused        other HTTP 4xx: it would fail again
        └── ContentFiltered       HTTP 400 of a content filter; ends as content_filter
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import LLMError
from ...records import StopReason

#: Fields of the request that can be left out, and how a refusal names them.
DROPPABLE = {
    "stop": r"stop",
    "tools": r"tools?|tool[ _]use|tool[ _]choice|function[ _-]calling",
    "temperature": r"temperature",
    "seed": r"seed",
    "max_tokens": r"max_tokens",
    "stream_options": r"stream_options",
}
_REFUSAL = re.compile(
    r"not support|unsupported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|extra (?:inputs|fields)|requires --|not accept|not implemented|not available|not enabled"
    r"|no endpoints found|invalid (?:param|field|argument)",
    re.IGNORECASE,
)
_OVERFLOW = re.compile(
    r"context[ _](?:size|length|window)|exceed_context|too many tokens", re.IGNORECASE
)


class EndpointError(LLMError):
    """Say how a call failed; `transient` means that the same call may succeed in a moment.

    `status` is the HTTP status, where there was one.
    """

    transient = False
    stop_reason: StopReason = "llm_error"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ConnectionFailed(EndpointError):
    """Say that no connection could be made or that it broke."""

    transient = True


class DroppedConnection(ConnectionFailed):
    """Say that the server closed a kept connection before a byte of the reply came."""


class TimedOut(EndpointError):
    """Say which time-out passed."""

    transient = True


class RateLimited(EndpointError):
    """Say that the endpoint wants to be asked later; `retry_after` is in seconds."""

    transient = True
    retry_after: float | None = None


class ServerFailed(EndpointError):
    """Say that the server failed."""

    transient = True
    retry_after: float | None = None


class BrokenReply(EndpointError):
    """Say that what came back is no whole reply."""

    transient = True


class RequestRefused(EndpointError):
    """Say that the request itself is wrong; `fields` are those that were refused by name."""

    def __init__(
        self, message: str, *, status: int | None = None, fields: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, status=status)
        self.fields = fields


class ContentFiltered(EndpointError):
    """Say that the endpoint's filter refused the prompt."""

    stop_reason = "content_filter"


def from_status(
    status: int, text: str, sent: Iterable[str], retry_after: float | None
) -> EndpointError:
    """Return the error for an HTTP status other than 200 and its body."""
    value = read_json(text)
    said = _message(value) or _excerpt(text)
    fields = refused_fields(said, _param(value), sent) if status != 429 else ()
    if fields and status < 600:
        return RequestRefused(f"HTTP {status}: {said}", status=status, fields=fields)
    if status == 429:
        return _later(
            RateLimited(f"HTTP 429, too many requests: {said}", status=status), retry_after
        )
    if status >= 500 or status == 408:
        return _later(
            ServerFailed(f"HTTP {status}, the server failed: {said}", status=status), retry_after
        )
    if "content_filter" in _codes(value):
        return ContentFiltered(
            f"HTTP {status}, the content filter refused the prompt: {said}", status=status
        )
    return RequestRefused(f"HTTP {status}{_advice(status, said, value)}: {said}", status=status)


def refused_fields(message: str, param: str, sent: Iterable[str]) -> tuple[str, ...]:
    """Return the fields of a request that an error message says it does not take.

    >>> refused_fields("Unsupported parameter: 'stop' is not supported", "", ["stop", "seed"])
    ('stop',)
    """
    if not _REFUSAL.search(message):
        return ()
    names = [name for name in sent if name in DROPPABLE]
    if param in names:
        return (param,)
    return tuple(
        name for name in names if re.search(rf"\b(?:{DROPPABLE[name]})\b", message, re.IGNORECASE)
    )


def read_json(text: str) -> Any:
    """Return the JSON value of a whole text, or None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _later(error: Any, retry_after: float | None) -> EndpointError:
    error.retry_after = retry_after
    return error  # type: ignore[no-any-return]


def _advice(status: int, said: str, value: Any) -> str:
    if status in (401, 403):
        return ", the key was refused (check api_key or REACT_LAB_API_KEY)"
    if status == 404:
        return ", no such model or address (base_url usually ends in /v1)"
    if 300 <= status < 400:
        return ", the address has moved"
    if _OVERFLOW.search(said) or _OVERFLOW.search(" ".join(_codes(value))):
        return ", the prompt is longer than the model's window (use a context policy)"
    return ""


def _error(value: Any) -> Any:
    if isinstance(value, list) and value:
        value = value[0]
    return value.get("error", value) if isinstance(value, Mapping) else value


def _message(value: Any) -> str:
    error = _error(value)
    if isinstance(error, str):
        return error[:300]
    if not isinstance(error, Mapping):
        return ""
    detail = error.get("message") or error.get("detail") or error.get("msg") or ""
    if isinstance(detail, list):  # FastAPI: one entry for each field
        detail = "; ".join(
            f"{'.'.join(map(str, item.get('loc', ())))}: {item.get('msg', '')}"
            for item in detail
            if isinstance(item, Mapping)
        )
    return str(detail)[:300]


def _param(value: Any) -> str:
    error = _error(value)
    return str(error.get("param") or "") if isinstance(error, Mapping) else ""


def _codes(value: Any) -> tuple[str, ...]:
    error = _error(value)
    if not isinstance(error, Mapping):
        return ()
    return tuple(str(error.get(name) or "") for name in ("code", "type"))


def _excerpt(text: str) -> str:
    plain = " ".join(
        re.sub(
            r"<(?:script|style).*?</(?:script|style)>|<[^>]*>", " ", text[:5000], flags=re.DOTALL
        ).split()
    )
    return f"the body reads {plain[:120]!r}" if plain else "the body is empty"


def excerpt(text: str) -> str:
    """Return the first words of a body, without markup, to quote in a message."""
    return _excerpt(text)
