"""The fixtures of the browser tests; `lab.py` says how to use them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lab import Lab, Notebook, why_not

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    # Last of all: Playwright keeps an event loop running in this thread until the session
    # ends, and the kernels of the notebook tests want one of their own.
    here = [item for item in items if item.path.is_relative_to(HERE)]
    for item in here:
        item.add_marker(pytest.mark.browser)
    items[:] = [item for item in items if not item.path.is_relative_to(HERE)] + here


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    reason = why_not()
    if reason and os.environ.get("REACT_LAB_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        server = Lab(tmp_path_factory.mktemp("lab"), playwright)
        yield server
        server.close()


@pytest.fixture
def open_notebook(lab):
    opened: list[Notebook] = []

    def open_one(name, theme="light", *, same_page=False):
        opened.append(Notebook(lab, name, theme, same_page=same_page))
        return opened[-1]

    yield open_one
    for notebook in opened:
        notebook.close()
    assert [problem for notebook in opened for problem in notebook.problems] == []
