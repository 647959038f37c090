"""G6: what a call through the client costs over the same call of bare httpx.

    python tests/benchmarks/bench_client.py [--rounds 30]

CPU time of this process for runs of four calls on loopback, the ways interleaved, medians.
Must: at most 1.2 times bare httpx, and 3.5 times less than the openai package (measured
where it is installed); one connection for calls one after the other.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from react_lab.llm import OpenAICompatibleLLM
from react_lab.llm.openai_compatible.wire import message_json
from react_lab.records import Message

CALLS = 4
MESSAGES = [
    Message("system", "You answer questions with the help of tools. " * 20),
    Message("user", "Question: What is 1 + 2?"),
    Message("assistant", 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}'),
    Message("user", "Observation: 3"),
]
STOP = ["\nObservation:"]


@contextmanager
def bench_server(pause: float) -> Iterator[str]:
    """Run the benchmark's server in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("bench_server.py")), str(pause)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.stdin.close()


def connections(base_url: str) -> int:
    """Ask the server how many connections it has seen, this one apart."""
    with httpx.Client() as client:
        return int(client.get(f"{base_url}/count").json()["connections"]) - 1


def bare(base_url: str) -> Callable[[], Any]:
    """Return the same call as a program without the kit would make it."""
    client = httpx.Client(headers={"Authorization": "Bearer sk-bench"})
    body = {
        "model": "m",
        "messages": [message_json(message) for message in MESSAGES],
        "stop": STOP,
        "temperature": 0,
        "max_tokens": 512,
    }
    return lambda: client.post(f"{base_url}/chat/completions", json=body).json()["choices"][0][
        "message"
    ]


def ours(base_url: str) -> Callable[[], Any]:
    """Return a call through the client."""
    llm = OpenAICompatibleLLM(base_url, "m", "sk-bench")
    return lambda: llm.complete(MESSAGES, stop=STOP)


def openai(base_url: str) -> Callable[[], Any]:
    """Return the call through the openai package."""
    from openai import OpenAI

    client = OpenAI(base_url=base_url, api_key="sk-bench")
    sent: Any = [message_json(message) for message in MESSAGES]
    return lambda: client.chat.completions.create(
        model="m", messages=sent, stop=STOP, temperature=0, max_tokens=512
    )


def measure(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the median CPU seconds of a call, the ways in turn."""
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for call in ways.values():
        call()
    for _ in range(rounds):
        for name, call in ways.items():
            started = time.process_time()
            for _ in range(CALLS):
                call()
            spent[name].append((time.process_time() - started) / CALLS)
    return {name: statistics.median(times) for name, times in spent.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    makers = {"bare httpx": bare, "react_lab": ours}
    if importlib.util.find_spec("openai"):
        makers["openai"] = openai
    with bench_server(0) as base_url:
        llm = OpenAICompatibleLLM(base_url, "m", "sk-bench")
        for _ in range(20):
            llm.complete(MESSAGES)
        opened = connections(base_url)
        costs = measure({name: make(base_url) for name, make in makers.items()}, rounds)
    for name, seconds in costs.items():
        print(f"{name:12}{seconds * 1e6:9.0f} microseconds of CPU a call")
    ratio = costs["react_lab"] / costs["bare httpx"]
    print(f"over bare httpx: {ratio:.2f} (must be at most 1.2); connections of 20 calls: {opened}")
    good = ratio <= 1.2 and opened == 1
    if "openai" in costs:
        less = costs["openai"] / costs["react_lab"]
        print(f"the openai package costs {less:.1f} times as much (must be at least 3.5)")
        good = good and less >= 3.5
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
