"""Nothing in the tests can leave this machine, kernels included, and the block is real."""

from __future__ import annotations

import socket
import subprocess
import sys

import httpx
import nbformat
import pytest
from nbclient import NotebookClient

# Reserved for documentation: nothing answers there, blocked or not.
ELSEWHERE = "192.0.2.1"
ATTEMPT = f"import socket; socket.create_connection(({ELSEWHERE!r}, 80), timeout=0.2)"


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("host", [ELSEWHERE, "2001:db8::1", "example.org", "10.0.0.1"])
def test_this_process_is_refused(host):
    with pytest.raises(OSError, match="the tests run offline: refused to reach"):
        socket.create_connection((host, 80), timeout=0.2)


def test_datagrams_are_refused():
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        pytest.raises(OSError, match="refused to reach"),
    ):
        sender.sendto(b"?", (ELSEWHERE, 53))


def test_httpx_is_refused():
    with pytest.raises(httpx.ConnectError, match="the tests run offline"):
        httpx.get(f"http://{ELSEWHERE}/", trust_env=False)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_reached(listener, host):
    socket.create_connection((host, listener), timeout=2).close()


def test_a_child_process_is_refused():
    child = subprocess.run([sys.executable, "-c", ATTEMPT], capture_output=True, text=True)
    assert child.returncode == 1
    assert "OfflineError: the tests run offline: refused to reach '192.0.2.1'" in child.stderr


def test_a_notebook_kernel_is_refused(tmp_path):
    source = f"try:\n    {ATTEMPT}\nexcept OSError as error:\n    print(error)"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, timeout=30, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert (
        "the tests run offline: refused to reach '192.0.2.1'" in notebook.cells[0].outputs[0].text
    )
