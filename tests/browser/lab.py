"""A real JupyterLab in a real browser, for tests.

One server and one Chromium serve all tests of a session. The notebooks are a copy, so
nothing in the repository changes, and the server has settings of its own. Use two fixtures:

``lab``
    the server: `lab.folder` is the copied notebook folder, `lab.write(name, *sources)`
    puts a small notebook of your own into it.
``open_notebook(name, theme="light")``
    open a notebook of that folder with a live kernel and give a `Notebook`. At the end of
    the test it is closed, its kernel is shut down, and the test fails if the page logged an
    error or asked for anything outside this machine. With `same_page=True` JupyterLab is
    loaded once for all such tests: quicker, for tests that leave nothing behind.

A test::

    def test_inspector(open_notebook):
        notebook = open_notebook("06_looking_inside.ipynb", theme="dark")
        notebook.run_all()
        notebook.output(7).get_by_role("button", name="Next step").click()
        expect(notebook.output(7)).to_contain_text("step 2")
        notebook.screenshot("inspector-dark")

Wait with Playwright's `expect(...)` (`from lab import expect`), never with a sleep. Cells are counted from 0, text
cells included, as in the file. `notebook.page` and `notebook.panel` are Playwright's own.
Screenshots are taken only where the environment variable REACT_LAB_SHOTS names a folder.

Without Playwright or a Chromium the tests are skipped, with the reason; with
REACT_LAB_REQUIRE_BROWSER=1 they fail instead. REACT_LAB_CHROMIUM names another browser.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat

try:
    from playwright.sync_api import TimeoutError as PlaywrightTimeout
    from playwright.sync_api import expect
except ImportError:  # the fixtures skip every test, with the reason
    expect = None

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
SECONDS = 60_000


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None."""
    named = os.environ.get("REACT_LAB_CHROMIUM")
    return named or next((path for name in BROWSERS if (path := shutil.which(name))), None)


def why_not() -> str | None:
    """Return why the browser tests cannot run here, or None."""
    if importlib.util.find_spec("playwright") is None:
        return 'playwright is not installed: pip install -e ".[browser]"'
    if find_chromium() is None:
        return "no Chromium found: install the package chromium, or set REACT_LAB_CHROMIUM"
    return None


class Lab:
    """Run one JupyterLab server over a copy of the notebooks, and one browser."""

    def __init__(self, home: Path, playwright: object) -> None:
        self.home = home
        self.folder = home / "work" / "notebooks"
        _copy_notebooks(self.folder)
        self.token = secrets.token_hex(16)
        self.url = f"http://127.0.0.1:{_free_port()}"
        self.log = home / "server.log"
        self.server = self._start()
        self.browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=CHROMIUM_OPTIONS
        )
        self.shared: Page | None = None

    def page(self, *, same: bool) -> Page:
        """Return a page with JupyterLab in it: a new one, or the one that tests share."""
        if not same:
            return Page(self)
        self.shared = self.shared or Page(self)
        return self.shared

    def write(self, name: str, *sources: str) -> str:
        """Write a notebook of these code cells into the folder; return its name."""
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=KERNEL)
        nbformat.write(notebook, self.folder / name)
        return name

    def request(self, method: str, path: str) -> bytes:
        """Send one request to the server's own interface."""
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(self.url + path, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.read()

    def shut_kernels(self) -> None:
        """Shut down every kernel."""
        for session in json.loads(self.request("GET", "/api/sessions")):
            self.request("DELETE", f"/api/sessions/{session['id']}")

    def close(self) -> None:
        """Close the browser and the server."""
        self.browser.close()
        self.server.terminate()
        try:
            self.server.wait(10)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += ["--ip=127.0.0.1", f"--port={self.url.rpartition(':')[2]}"]
        command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={self.folder.parent}"]
        command += ["--expose-app-in-browser", "--LabApp.extension_manager=readonly"]
        with self.log.open("wb") as log:
            server = subprocess.Popen(
                command, env=self._environment(), stdout=log, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + 60
        while not self._answers():
            if server.poll() is not None or time.monotonic() > deadline:
                server.kill()
                raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(0.1)
        return server

    def _answers(self) -> bool:
        try:
            self.request("GET", "/api/status")
        except OSError:
            return False
        return True

    def _environment(self) -> dict[str, str]:
        settings = self.home / "settings"
        for name, values in SETTINGS.items():
            file = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(settings),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.home / "workspaces"),
            "JUPYTER_TOKEN": self.token,
            "PYTHONPATH": os.pathsep.join(paths),
        }


KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


IS_IDLE = """path => {
    const shown = jupyterapp.shell.currentWidget;
    return shown?.context?.path === path && shown.context.isReady
        && shown.sessionContext.session?.kernel?.status === "idle";
}"""

# JupyterLab takes its own splash screen away twice when the machine is slow; no widget does this.
SPLASH = "Failed to execute 'removeChild' on 'Node': The node to be removed is not a child"
# The command to run all may return, and the kernel be idle for a moment, while cells are still
# waiting for their turn: each has run once it has its number.
HAVE_RUN = """() => jupyterapp.shell.currentWidget.content.model.toJSON().cells.every(cell =>
    cell.cell_type !== "code" || cell.execution_count !== null || !cell.source.length)"""


class Page:
    """Hold one page with JupyterLab loaded; `problems` lists what went wrong in it."""

    def __init__(self, lab: Lab) -> None:
        self.here = lab.url.partition("://")[2]
        self.problems: list[str] = []
        self.tab = lab.browser.new_page(viewport={"width": 1400, "height": 1000})
        self._watch()
        address = f"{lab.url}/lab?token={lab.token}&reset"
        self.tab.goto(address, wait_until="domcontentloaded")
        self.tab.wait_for_function("globalThis.jupyterapp !== undefined", timeout=SECONDS)
        self.tab.evaluate("jupyterapp.restored.then(() => true)")

    def _watch(self) -> None:
        def console(message):
            if message.type == "error":
                self.problems.append(f"console: {message.text}")

        def leaving(kind):
            def look(event):
                if not self._local(event.url):
                    self.problems.append(f"{kind} left this machine: {event.url}")

            return look

        self.tab.on("console", console)

        def failed(error):
            if SPLASH not in error.message:
                self.problems.append(f"page: {error}")

        self.tab.on("pageerror", failed)
        self.tab.on("request", leaving("request"))
        self.tab.on("websocket", leaving("socket"))

    def _local(self, url: str) -> bool:
        return url.startswith(("data:", "blob:", f"http://{self.here}/", f"ws://{self.here}/"))


class Notebook:
    """Drive one open notebook; `problems` lists what went wrong in the page."""

    def __init__(self, lab: Lab, name: str, theme: str, *, same_page: bool = False) -> None:
        self.lab, self.name, self.path = lab, name, f"notebooks/{name}"
        self.in_lab = lab.page(same=same_page)
        self.page = self.in_lab.tab
        self.problems = self.in_lab.problems = []
        self.panel = self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.set_theme(theme)
        self.command("docmanager:open", path=self.path, factory="Notebook")
        self.wait_idle()

    def wait_idle(self) -> None:
        """Wait until the kernel is there and idle."""
        # Not by the notebook's own indicator: it says "idle" while there is no kernel yet,
        # and Run All then clears the outputs and runs nothing.
        self.page.wait_for_function(IS_IDLE, arg=self.path, timeout=2 * SECONDS)

    def set_theme(self, theme: str) -> None:
        """Switch to the "light" or the "dark" theme and wait until it shows."""
        wanted = f"body[data-jp-theme-name='{THEMES[theme]}']"
        if self.page.locator(wanted).count() == 0:
            self.command("apputils:change-theme", theme=THEMES[theme])
        self.page.locator(wanted).wait_for(state="attached", timeout=SECONDS)  # it has no size

    def command(self, name: str, **arguments: object) -> None:
        """Run a command of JupyterLab and wait for its end (not for one that opens a dialog)."""
        script = "async ([name, args]) => { await jupyterapp.commands.execute(name, args) }"
        self.page.evaluate(script, [name, arguments])

    def run_all(self) -> None:
        """Run all cells and wait for the last one, or for a minute if one stops the rest."""
        self.page.set_default_timeout(120_000)
        self.command("notebook:run-all-cells")
        with contextlib.suppress(PlaywrightTimeout):
            self.page.wait_for_function(HAVE_RUN, timeout=60_000)
        self.wait_idle()
        self.page.set_default_timeout(30_000)

    def cell(self, index: int):
        """Return the locator of a cell, counted from 0 as in the file."""
        return self.panel.locator(f".jp-Notebook-cell[data-windowed-list-index='{index}']")

    def output(self, index: int):
        """Return the locator of a cell's outputs."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def content(self) -> dict:
        """Return the notebook as JupyterLab would save it now."""
        return self.page.evaluate("jupyterapp.shell.currentWidget.content.model.toJSON()")

    def counts(self) -> list[int | None]:
        """Return the execution counts of the code cells."""
        return [cell["execution_count"] for cell in self._code()]

    def failures(self) -> dict[int, str]:
        """Return the exceptions in the outputs, by the number of the code cell, from 0."""
        return {
            number: f"{output['ename']}: {output['evalue']}"
            for number, cell in enumerate(self._code())
            for output in cell["outputs"]
            if output["output_type"] == "error"
        }

    def errors(self) -> list[str]:
        """Return the exceptions in the outputs, as `ZeroDivisionError: division by zero`."""
        return list(self.failures().values())

    def screenshot(self, name: str) -> Path | None:
        """Save the page as `name`.png into the folder REACT_LAB_SHOTS, if there is one."""
        folder = os.environ.get("REACT_LAB_SHOTS")
        if not folder:
            return None
        path = Path(folder) / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path)
        return path

    def close(self) -> None:
        """Close the notebook without saving it and shut down its kernel."""
        if self.in_lab is not self.lab.shared or not self._closed():
            self.page.close(run_before_unload=False)
            self.lab.shared = None if self.in_lab is self.lab.shared else self.lab.shared
        self.lab.shut_kernels()

    def _closed(self) -> bool:
        # Reverted first, or JupyterLab asks whether to save.
        script = """async () => {
            const panel = jupyterapp.shell.currentWidget;
            await panel.context.revert();
            panel.close();
        }"""
        try:
            self.page.evaluate(script)
            gone = "!jupyterapp.shell.currentWidget?.context"
            self.page.wait_for_function(gone, timeout=5000)
        except Exception:  # a crash or a dialog that the test left behind
            return False
        return True

    def _code(self) -> list[dict]:
        return [cell for cell in self.content()["cells"] if cell["cell_type"] == "code"]


def _copy_notebooks(folder: Path) -> None:
    folder.mkdir(parents=True)
    source = ROOT / "notebooks"
    if source.is_dir():
        ignored = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__", ".*")
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=ignored)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
