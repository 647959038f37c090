"""The parser beside other parsers and on hostile text: goals G8 (a usual reply), G9 (storms).

    python tests/benchmarks/bench_parser.py              about 30 seconds
    python tests/benchmarks/bench_parser.py --rounds 3

The peers are langchain-classic's and llama-index's ReAct parsers; one that cannot be imported
is left out, and the reason is printed. All times are CPU times, medians over interleaved
rounds, so that load hits all alike. A storm is a short shape written again and again up to a
size, alone and behind the labels of an action; the slowest place counts. The exit status is 1
when a goal is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]

from test_parsing import SHAPES_OF_NOISE, STARTS, TOOLS, storm  # noqa: E402

from react_lab.contracts.parsing import parse_reply  # noqa: E402

REPLY = (
    "Thought: The question asks how long the ice road to the island is, and I do not know it."
    " A search for the road by its name should give the length, and then I only have to turn"
    " the kilometres into miles before I answer.\nAction: search\n"
    'Action Input: {"query": "length of the ice road to Hailuoto, kilometres"}'
)
#: the same with a bold label, which the stages behind the first one read
UNTIDY = REPLY.replace("Action:", "**Action:**")
NAIVE = re.compile(r"Action: *(.*?)\nAction Input: *(.*)", re.DOTALL)

SHORT, MIDDLE, LONG = 16_000, 20_000, 200_000
MOST_SECONDS, WANTED_SECONDS = 0.005, 0.001
#: ten times the text; a quadratic parser takes a hundred times as long
MOST_GROWTH = 20
PEER_SIZE = 1_000

Parser = Callable[[str], Any]


def langchain_parser() -> Parser:
    """Return langchain-classic's parser of ReAct text; raise ImportError."""
    from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser

    return ReActSingleInputOutputParser().parse


def llama_parser() -> Parser:
    """Return llama-index's parser of ReAct text; raise ImportError."""
    from llama_index.core.agent.react.output_parser import ReActOutputParser

    return ReActOutputParser().parse


def peers() -> dict[str, Parser]:
    """Return the peers that are installed; print why another is left out."""
    found = {}
    for name, load in (("langchain-classic", langchain_parser), ("llama-index", llama_parser)):
        try:
            found[name] = load()
        except ImportError as error:
            print(f"    {name} is skipped: {error}")
    return found


def own(text: str) -> Any:
    """Read a text with the kit's parser."""
    return parse_reply(text, TOOLS)


def seconds(parser: Parser, text: str, times: int = 1) -> float:
    """Return the CPU seconds of one reading, the mean of so many; errors count as readings."""
    started = time.process_time()
    for _ in range(times):
        with contextlib.suppress(Exception):
            parser(text)
    return (time.process_time() - started) / times


def interleaved(rounds: int, measures: list[Callable[[], float]]) -> list[float]:
    """Return the median of each measure, taken in turn."""
    taken = [[measure() for measure in measures] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*taken, strict=True)]


def compare(rounds: int, others: dict[str, Parser]) -> bool:
    """Print the time of a usual reply with each parser; tell whether G8 is met."""
    named: dict[str, tuple[Parser, str]] = {
        "naive regex": (NAIVE.search, REPLY),
        "react_lab": (own, REPLY),
        "react_lab, untidy reply": (own, UNTIDY),
        **{name: (parser, REPLY) for name, parser in others.items()},
    }
    run = [lambda p=parser, t=text: seconds(p, t, 500) for parser, text in named.values()]
    took = dict(zip(named, interleaved(rounds, run), strict=True))
    print(f"CPU microseconds for a reply of {len(REPLY)} characters (untidy: a bold label)")
    for name, value in took.items():
        print(f"    {name:<26} {value * 1e6:8.2f}")
    met = [_against(name, took, most) for name, most in GOALS.items() if name in took]
    return all(met)


#: the kit's time over a peer's may be so much
GOALS = {"langchain-classic": 2.0, "llama-index": 1 / 6}


def _against(name: str, took: dict[str, float], most: float) -> bool:
    ratio = took["react_lab"] / took[name]
    verdict = "ok" if ratio <= most else "MISSED"
    print(f"G8  react_lab over {name:<36} {ratio:7.3f} x    must {most:.3g}  {verdict}")
    return ratio <= most


def storms(rounds: int) -> bool:
    """Print a line for each hostile shape; tell whether G9 is met."""
    print(f"\n{'shape':<26} {SHORT:>9,} {MIDDLE:>9,} {LONG:>9,}  growth   (milliseconds)")
    rows = [_storm(rounds, shape) for shape in SHAPES_OF_NOISE]
    worst, growth = max(row[0] for row in rows), max(row[1] for row in rows)
    quick = sum(row[0] <= WANTED_SECONDS for row in rows)
    met = worst <= MOST_SECONDS and growth <= MOST_GROWTH
    print(
        f"G9  {len(rows)} shapes: slowest {worst * 1e3:.2f} ms at {SHORT:,} (must"
        f" {MOST_SECONDS * 1e3:g}; {quick} within {WANTED_SECONDS * 1e3:g}), growth at most"
        f" {growth:.1f} (must {MOST_GROWTH})  {'ok' if met else 'MISSED'}"
    )
    return met


def _storm(rounds: int, shape: str) -> tuple[float, float]:
    sizes = (SHORT, MIDDLE, LONG)
    texts = [storm(shape, size, start) for start in STARTS for size in sizes]
    took = interleaved(
        rounds, [lambda t=text: seconds(own, t, 1 + LONG // 4 // len(t)) for text in texts]
    )
    places = [took[at : at + 3] for at in range(0, len(took), 3)]
    short, middle, long = max(places)
    growth = max(long / middle for _, middle, long in places)
    linear = "linear" if growth <= MOST_GROWTH else "NOT LINEAR"
    late = "" if short <= MOST_SECONDS else "  <-- slow"
    shown = repr(shape)[:26]
    print(
        f"{shown:<26} {short * 1e3:9.2f} {middle * 1e3:9.2f} {long * 1e3:9.2f} {growth:7.1f}  {linear}{late}"
    )
    return short, growth


def peers_in_storms(others: dict[str, Parser]) -> None:
    """Print each parser's slowest storm of a small size, taken once: no goal of ours."""
    if not others:
        return
    print(f"\nslowest storm of {PEER_SIZE:,} characters, milliseconds (no goal)")
    for name, parser in {"react_lab": own, **others}.items():
        took = [
            (seconds(parser, storm(shape, PEER_SIZE, start)), shape, start)
            for shape in SHAPES_OF_NOISE
            for start in STARTS
        ]
        value, shape, start = max(took)
        print(f"    {name:<26} {value * 1e3:8.2f}   {start + shape!r}...")


def main() -> int:
    """Measure, print, and return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    others = peers()
    gc.collect()
    gc.freeze()  # else a collection goes through all that the imports left
    met = [compare(rounds, others), storms(rounds)]
    peers_in_storms(others)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
