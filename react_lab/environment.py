"""Make `.venv` beside the package and install into it, with the standard library alone.

What is installed is remembered in a stamp: a hash of what was asked for, of the files that
list it, of Python's version and of the folder. An environment that does not work, that
another Python made, or whose installation was interrupted is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("pyproject.toml", "requirements.txt")
UNFINISHED = ".react_lab_unfinished"
LOG = ".react_lab_install.log"
INSTALLING = "Installing collected packages"  # pip's last phase, the one that writes files
# One wheel is chosen over a newer source archive; byte code is made when a module is first
# used, which is a third of the time of an installation.
PIP = ("-m", "pip", "install", "--prefer-binary", "--no-compile", "--no-input")
PIP_QUIET = ("--disable-pip-version-check", "--progress-bar=off", "--no-warn-script-location")
# JupyterLab asks the network for news and updates unless it is told not to.
NO_NEWS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
}
NO_VENV = (
    "This Python cannot make environments: its venv or ensurepip module is missing. On Debian "
    "or Ubuntu: sudo apt install python{version}-venv. Elsewhere: install Python from "
    "python.org. Then run the same command again."
)
#: What pip's output may hold, in order, and what to do about it.
ADVICE = (
    (
        ("407 proxy", "proxy authentication", "proxyerror", "cannot connect to proxy"),
        "The proxy refused the connection. Set it with your name and password and run the same "
        "command again: HTTPS_PROXY=http://user:password@host:port",
    ),
    (
        ("certificate_verify_failed", "certificate verify failed", "sslerror", "sslcertverif"),
        "The package index's certificate was not accepted, often because a company proxy puts "
        "its own in place. Set PIP_CERT to the file of your company's certificate and run the "
        "same command again.",
    ),
    (
        ("no space left",),
        "The disk is full. The kit needs about 500 MB for .venv; free some and run the same "
        "command again.",
    ),
    (
        ("permission denied", "read-only file system", "access is denied"),
        "A file cannot be written. Copy the project's folder to a place that is yours and run "
        "the command there.",
    ),
    (
        (
            "name resolution",
            "name or service not known",
            "nodename nor servname",
            "getaddrinfo failed",
            "failed to establish a new connection",
            "connection refused",
            "connection reset",
            "newconnectionerror",
            "connecttimeout",
            "readtimeout",
            "timed out",
            "network is unreachable",
        ),
        "The package index could not be reached. Check the network, or set HTTPS_PROXY if you "
        "are behind a proxy, and run the same command again; what was downloaded is kept.",
    ),
    (
        ("no matching distribution", "resolutionimpossible"),
        "pip found no fitting package. If your pip uses an index of its own (pip config list), "
        "it may lack one; else run the same command with another Python of 3.11 to 3.13.",
    ),
)
OTHER_ADVICE = "pip could not install a package. Run the same command again; .venv is made anew."


class LauncherError(Exception):
    """Carry a sentence for the person at the keyboard."""


def ensure_environment(
    kind: str, installs: Sequence[Sequence[str]], modules: Sequence[str], root: Path = ROOT
) -> Path:
    """Return the Python of `root`/.venv, with everything installed that was asked for.

    `kind` names the stamp, `installs` are arguments of `pip install`, and `modules` are
    looked for (not imported) to see whether the environment is whole. Raise LauncherError
    with a sentence that says what to do.
    """
    check_folder(root)
    home = root / ".venv"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp, wanted = home / f".react_lab_{kind}", fingerprint(installs, root)
    stamped = stamp.is_file() and stamp.read_text("utf-8") == wanted
    if stamped and works(python, modules):
        return python
    started = time.monotonic()
    if stamped or interrupted(home) or not works(python, ["pip"]):
        make_environment(home)
    print("Installing; the first time this takes a minute or two ...", flush=True)
    _install_all(python, installs, root)
    stamp.write_text(wanted, "utf-8")
    print(f"Installed in {time.monotonic() - started:.0f} seconds.", flush=True)
    return python


def check_folder(root: Path) -> None:
    """Raise LauncherError unless `root` is a clone of the project."""
    if missing := [name for name in NEEDED if not (root / name).is_file()]:
        raise LauncherError(
            f"{missing[0]} is missing in {root}: run the command in a clone of the project."
        )


def fingerprint(installs: Sequence[Sequence[str]], root: Path) -> str:
    """Return a hash of all that decides what an environment must hold."""
    parts = [repr(sys.version_info[:3]), repr([list(i) for i in installs]), str(root)]
    parts += [(root / name).read_text("utf-8") for name in NEEDED]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def works(python: Path, modules: Sequence[str]) -> bool:
    """Tell whether an environment's Python starts, is of this version and has the modules."""
    script = (
        "import sys, importlib.util as u; sys.exit("
        f"sys.version_info[:2] != {sys.version_info[:2]!r} "
        f"or not all(map(u.find_spec, {list(modules)!r})))"
    )
    command = [str(python), "-I", "-c", script]
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def interrupted(home: Path) -> bool:
    """Tell whether an installation ended while files were being written."""
    log = home / LOG
    return (home / UNFINISHED).exists() and log.is_file() and INSTALLING in _read(log)


def make_environment(home: Path) -> None:
    """Make an empty environment, in the place of a broken one."""
    verb = "Making .venv anew" if home.exists() or home.is_symlink() else "Making .venv"
    print(f"{verb} with Python {'.'.join(map(str, sys.version_info[:3]))} ...", flush=True)
    try:
        remove(home)
    except OSError as error:
        raise LauncherError(
            f"{home} cannot be removed ({error.strerror}). Close what uses it, such as an open "
            "JupyterLab, delete the folder yourself, and run the same command again."
        ) from None
    # Inside .venv this is the Python that made it, which is still there when .venv is not.
    base = getattr(sys, "_base_executable", None) or sys.executable
    done = subprocess.run([base, "-m", "venv", str(home)], capture_output=True, text=True)
    if done.returncode:
        raise LauncherError(explain_venv(done.stdout + done.stderr, home))


def remove(home: Path) -> None:
    """Remove a folder, a file or a link (never what it points to), if there is one."""
    if home.is_symlink() or home.is_file():
        home.unlink()
    elif home.exists():
        shutil.rmtree(home)


def explain_venv(output: str, home: Path) -> str:
    """Say why an environment could not be made and what to do."""
    low = output.lower()
    if "ensurepip" in low or "no module named venv" in low:
        return NO_VENV.format(version=".".join(map(str, sys.version_info[:2])))
    if "permission denied" in low or "read-only" in low:
        return (
            f"{home.parent} cannot be written. Copy the project's folder to a place that is "
            "yours and run the command there."
        )
    if "path separator" in low:
        return (
            f"Python makes no environment in a path that holds {os.pathsep!r}: move {home.parent}."
        )
    return f"The environment could not be made.\n\nPython said:\n{_tail(output)}"


def explain_pip(output: str) -> str:
    """Say what a failure of pip means and what to do; pip's last lines follow."""
    low = output.lower()
    found = (advice for signs, advice in ADVICE if any(sign in low for sign in signs))
    return f"{next(found, OTHER_ADVICE)}\n\npip said:\n{_tail(output)}"


def _read(log: Path) -> str:
    return log.read_text("utf-8", errors="replace")


def _tail(output: str, n: int = 6) -> str:
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in lines[-n:])


def _install_all(python: Path, installs: Sequence[Sequence[str]], root: Path) -> None:
    home = root / ".venv"
    try:
        (home / UNFINISHED).touch()
        for arguments in installs:
            _install(python, arguments, root)
        settings = home / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps(NO_NEWS), "utf-8")
        (home / UNFINISHED).unlink()
    except OSError as error:
        raise LauncherError(explain_pip(str(error))) from None


def _install(python: Path, arguments: Sequence[str], root: Path) -> None:
    log = root / ".venv" / LOG
    with log.open("wb") as output:
        command = [str(python), *PIP, *PIP_QUIET, *arguments]
        # A user's own setting may send packages to the home folder: not these.
        environment = {**os.environ, "PIP_USER": "0"}
        pip = subprocess.Popen(
            command, cwd=root, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            _follow(pip, log)
        finally:
            pip.kill()
            pip.wait()
    if pip.returncode:
        raise LauncherError(explain_pip(_read(log)))


def _follow(pip: subprocess.Popen[bytes], log: Path) -> None:
    terminal, started, said = sys.stdout.isatty(), time.monotonic(), ""
    pause = 0.5 if terminal else 15
    while True:
        try:
            pip.wait(pause)
        except subprocess.TimeoutExpired:
            text = f"  {progress(log)} ({time.monotonic() - started:.0f} s)"
            print(f"\r{text:<{len(said)}}" if terminal else text, end="" if terminal else "\n")
            sys.stdout.flush()
            said = text
        else:
            print(f"\r{'':<{len(said)}}\r" if terminal else "", end="", flush=True)
            return


def progress(log: Path) -> str:
    """Say in a few words how far pip is."""
    lines = _read(log).splitlines()
    last = next((line for line in lines if line.startswith(INSTALLING)), None)
    if last is None:
        return f"found {sum(line.startswith('Collecting ') for line in lines)} packages"
    total = last.count(",") + 1
    packages = "Lib" if os.name == "nt" else "lib/python*"
    here = log.parent.glob(f"{packages}/site-packages/*.dist-info")
    return f"installing {total} packages, {min(total, sum(1 for _ in here))} done"
