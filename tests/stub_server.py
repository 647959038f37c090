"""A server on loopback that plays every fault of the wire, for the tests.

A plan is a list of acts, one for each request; the last one is played again and again.

    with StubServer([status(429, headers={"Retry-After": "1"}), says("hello")]) as server:
        client = OpenAICompatibleLLM(server.base_url, "stub")

`server.bodies` and `server.headers` hold what arrived, `server.connections` counts.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

Act = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Read a request, then let the act of the plan answer it."""

    protocol_version = "HTTP/1.1"
    server: StubServer
    body: dict[str, Any]

    def setup(self) -> None:
        super().setup()
        with self.server.lock:
            self.server.connections += 1
            self.server.open.append(self.connection)

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._act()

    def do_GET(self) -> None:
        self.body = {}
        self._act()

    def _act(self) -> None:
        with self.server.lock:
            number = len(self.server.bodies)
            self.server.bodies.append(self.body)
            self.server.headers.append(dict(self.headers))
            act = self.server.plan[min(number, len(self.server.plan) - 1)]
        act(self)

    def send(self, status: int, body: bytes, content_type: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": content_type,
            "Content-Length": str(len(body)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, value: Any, status: int = 200, **headers: str) -> None:
        self.send(status, json.dumps(value).encode(), "application/json", **headers)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def drop(self) -> None:
        """Close the connection at once, as a server that crashed does."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class StubServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Play a plan on a free port of loopback."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, plan: Sequence[Act]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan = list(plan)
        self.lock = threading.Lock()
        self.connections = 0
        self.open: list[socket.socket] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.finished = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: a client that hangs up is what some tests are about."""

    def __enter__(self) -> StubServer:
        threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.finished.set()
        self.shutdown()
        for connection in self.open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


# What a server may do --------------------------------------------------------------------


def message(
    content: str | None = "", *, finish: str | None = "stop", **fields: Any
) -> dict[str, Any]:
    """Return the JSON of a reply."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **fields},
        "finish_reason": finish,
    }
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "stub", "model": "stub-1", "choices": [choice], "usage": usage}


def call(name: str, arguments: str, id: str = "call_1") -> dict[str, Any]:
    """Return the JSON of one tool call."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def says(content: str | None = "", **options: Any) -> Act:
    """Reply with a text; `options` as in `message`."""
    return lambda handler: handler.send_json(message(content, **options))


def calls(*asked: dict[str, Any], content: str | None = None) -> Act:
    """Reply with tool calls."""
    return says(content, finish="tool_calls", tool_calls=list(asked))


def replies(value: Any, status: int = 200, **headers: str) -> Act:
    """Reply with any JSON."""
    return lambda handler: handler.send_json(value, status, **headers)


def status(
    code: int, message: str = "no", /, *, headers: dict[str, str] | None = None, **error: Any
) -> Act:
    """Reply with an error, as OpenAI writes one."""
    return replies({"error": {"message": message, **error}}, code, **(headers or {}))


def body(text: str, code: int = 200, content_type: str = "text/html") -> Act:
    """Reply with any text."""
    return lambda handler: handler.send(code, text.encode(), content_type)


def drops() -> Act:
    """Hang up before a byte of the reply."""
    return lambda handler: handler.drop()


def silent() -> Act:
    """Never reply; the test's end ends it."""
    return lambda handler: (handler.server.finished.wait(5), handler.drop())[0]


def dribbles(pause: float) -> Act:
    """Send a byte now and then, for ever: no read time-out notices."""

    def act(handler: Handler) -> None:
        handler.begin_stream()
        while not handler.server.finished.wait(pause):
            handler.chunk(" ")

    return act


def slow(seconds: float, then: Act) -> Act:
    """Wait, then do something else."""
    return lambda handler: (time.sleep(seconds), then(handler))[1]


def refuses(
    *fields: str,
    then: Act,
    code: int = 400,
    text: str = "Unsupported parameter: '{}' is not supported",
) -> Act:
    """Refuse requests that hold one of these fields, by name."""

    def act(handler: Handler) -> None:
        held = [name for name in fields if name in handler.body]
        (status(code, text.format(held[0]), param=held[0]) if held else then)(handler)

    return act


def delta(content: str | None = None, *, finish: str | None = None, **fields: Any) -> str:
    """Return one event of a stream."""
    piece = {"index": 0, "delta": {"content": content, **fields}, "finish_reason": finish}
    return json.dumps({"model": "stub-1", "choices": [piece]})


USAGE = json.dumps({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}})


def streams(*events: str, done: bool = True, usage: bool = True) -> Act:
    """Send events as a stream and end it well."""

    def act(handler: Handler) -> None:
        handler.begin_stream()
        for event in (*events, *([USAGE] if usage else []), *(["[DONE]"] if done else [])):
            handler.chunk(f"data: {event}\n\n")
        handler.wfile.write(b"0\r\n\r\n")

    return act


def streams_text(text: str, pieces: int = 4) -> Act:
    """Stream a text in pieces, as llama.cpp does: the first piece's content is null."""
    size = max(1, -(-len(text) // pieces))
    parts = [delta(text[at : at + size]) for at in range(0, len(text), size)]
    return streams(delta(None, role="assistant"), *parts, delta(finish="stop"))


def streams_and_breaks(*events: str) -> Act:
    """Send events, then hang up inside the chunked body."""

    def act(handler: Handler) -> None:
        handler.begin_stream()
        for event in events:
            handler.chunk(f"data: {event}\n\n")
        handler.wfile.flush()
        handler.drop()

    return act
