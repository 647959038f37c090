"""A quick chat-completions server for the benchmarks: a fixed reply after a pause.

    python tests/benchmarks/bench_server.py PAUSE_SECONDS

prints its address and serves until its stdin closes. Asyncio and nothing else, so that it
takes as little of the machine as it can.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

REPLY = json.dumps(
    {
        "id": "bench",
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}',
                },
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
    REPLY
)


class Server:
    """Count connections and requests; reply after a pause."""

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.connections = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self.answer(head, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        length = next(
            (
                int(line[15:])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            ),
            0,
        )
        await reader.readexactly(length)
        if head.startswith(b"GET"):
            count = b'{"connections": %d}' % self.connections
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(count) + count)
            return
        if self.pause:
            await asyncio.sleep(self.pause)
        writer.write(HEAD + REPLY)


async def main(pause: float) -> None:
    server = Server(pause)
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0, backlog=256)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)  # without a word about the connections that are still open


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
