"""The wire itself: the one module of the kit that imports httpx.

Clients are lent, one to each call at a time, and share one TLS context: calls one after
the other use one connection, calls side by side one each. A client for every call costs
some thirty times as much; one client for all threads gets slow beyond a few dozen.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import httpx
from httpx_sse import EventSource, SSEError

from .problems import BrokenReply, ConnectionFailed, DroppedConnection, EndpointError, TimedOut
from .settings import Secret, public_url

_HEADERS = (
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
    ("Accept-Encoding", "gzip, deflate"),
    ("User-Agent", "react-lab"),
)
#: Servers of this machine are asked directly: a proxy from the environment cannot reach them.
_OWN_MACHINE = {f"all://{host}": None for host in ("127.0.0.1", "localhost", "[::1]")}


@dataclass(frozen=True)
class Call:
    """Hold one HTTP call; time-outs in seconds, `clock` as time.monotonic."""

    url: str
    content: bytes | None
    secret: Secret
    connect_timeout: float
    read_timeout: float
    deadline: float
    clock: Callable[[], float] = field(repr=False)

    @property
    def timeout(self) -> dict[str, float]:
        """Return the time-outs of httpx, none of them past the deadline."""
        left = max(self.deadline - self.clock(), 0.001)
        connect, read = min(self.connect_timeout, left), min(self.read_timeout, left)
        return {"connect": connect, "read": read, "write": read, "pool": connect}


@dataclass(frozen=True)
class Answer:
    """Hold what came back: a body, or "" where the events were handed on."""

    status: int
    text: str
    streamed: bool = False
    retry_after: str = ""


class Clients:
    """Lend httpx clients and take them back; `made` counts them."""

    def __init__(self) -> None:
        self._free: list[httpx.Client] = []
        self._inherited: list[list[httpx.Client]] = []
        self._process = os.getpid()
        self.made = 0

    @contextmanager
    def lend(self) -> Iterator[httpx.Client]:
        """Lend a client for one call."""
        if self._process != os.getpid():  # a forked child must not write to its parent's sockets
            self._inherited.append(self._free)
            self._free, self._process = [], os.getpid()
        try:
            client = self._free.pop()
        except IndexError:
            client = self._make()
        try:
            yield client
        finally:
            self._free.append(client)

    def close(self) -> None:
        """Close the connections that are kept open; the next call opens one anew."""
        while self._free:
            self._free.pop().close()

    def _make(self) -> httpx.Client:
        self.made += 1
        limits = httpx.Limits(keepalive_expiry=30.0)
        return httpx.Client(verify=_tls(), limits=limits, mounts=_OWN_MACHINE)


CLIENTS = Clients()
atexit.register(CLIENTS.close)


def exchange(call: Call, on_event: Callable[[str], bool] | None = None) -> Answer:
    """Make a call; hand the events of a stream to `on_event` until it returns False.

    A kept connection that the server has closed meanwhile is replaced once: some servers
    close it after every stream, without saying so. Raise an EndpointError that has neither
    frames nor a cause from inside httpx, where the header with the key is a local variable.
    """
    answer = _once(call, on_event)
    if isinstance(answer, DroppedConnection):
        answer = _once(call, on_event)
    if isinstance(answer, EndpointError):
        raise answer
    return answer


@cache
def _tls() -> Any:
    return httpx.create_ssl_context()


def _once(call: Call, on_event: Callable[[str], bool] | None) -> Answer | EndpointError:
    begun = False
    try:
        with CLIENTS.lend() as client, _open(client, call) as response:
            begun = True
            return _read(response, call, on_event)
    except httpx.ConnectTimeout:
        return TimedOut(
            f"no connection to {public_url(call.url)} within {call.connect_timeout:g} seconds"
        )
    except httpx.TimeoutException:
        return _timed_out(call)
    except (httpx.ConnectError, httpx.ProxyError, httpx.InvalidURL) as error:
        return ConnectionFailed(f"cannot connect to {public_url(call.url)}: {_short(error)}")
    except (httpx.DecodingError, SSEError) as error:
        return BrokenReply(f"the reply cannot be read: {_short(error)}")
    except httpx.TransportError as error:
        return _broken(call, error, begun=begun)


def _broken(call: Call, error: httpx.TransportError, *, begun: bool) -> EndpointError:
    where, why = public_url(call.url), _short(error)
    if begun:
        return BrokenReply(f"the reply broke off half-way: {why}")
    if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in why:
        return BrokenReply(f"what {where} sent back is not HTTP: {why}")
    return DroppedConnection(f"{where} closed the connection before it replied")


def _open(client: httpx.Client, call: Call) -> AbstractContextManager[httpx.Response]:
    """Send the request; what returns holds no key, and its frame is gone by then.

    Made by hand, a request costs a fifth of what `client.build_request` takes to merge
    settings that are not used here.
    """
    method = "GET" if call.content is None else "POST"
    headers = list(_HEADERS)
    if call.secret:
        headers.append(("Authorization", f"Bearer {call.secret.reveal()}"))
    request = httpx.Request(
        method,
        _parsed(call.url),
        headers=headers,
        content=call.content,
        extensions={"timeout": call.timeout},
    )
    del headers
    return closing(client.send(request, stream=True))


@lru_cache(maxsize=32)
def _parsed(url: str) -> httpx.URL:
    return httpx.URL(url)


def _read(response: httpx.Response, call: Call, on_event: Callable[[str], bool] | None) -> Answer:
    assert isinstance(response.stream, httpx.SyncByteStream)
    response.stream = _UntilDeadline(response.stream, call)
    kind = response.headers.get("content-type", "")
    if on_event and response.status_code == 200 and kind.startswith("text/event-stream"):
        for event in EventSource(response).iter_sse():
            if not on_event(call.secret.scrub(event.data)):
                break  # leaving closes the connection: not every server keeps its word on it
        return Answer(200, "", streamed=True)
    text = response.read().decode("utf-8", "replace")
    text = call.secret.scrub(text, 12 if response.status_code == 200 else 4)
    return Answer(response.status_code, text, retry_after=response.headers.get("retry-after", ""))


class _UntilDeadline(httpx.SyncByteStream):
    """Hand bytes on until the deadline: httpx itself only times each silence."""

    def __init__(self, stream: httpx.SyncByteStream, call: Call) -> None:
        self.stream, self.call = stream, call

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.stream:
            if self.call.clock() > self.call.deadline:
                raise httpx.ReadTimeout("")
            yield piece

    def close(self) -> None:
        self.stream.close()


def _timed_out(call: Call) -> TimedOut:
    if call.clock() >= call.deadline:
        return TimedOut("the call was not done within its total time-out: raise total_timeout")
    return TimedOut(
        f"nothing came for {call.read_timeout:g} seconds: raise read_timeout, or try stream=True"
    )


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__
