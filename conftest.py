"""What holds for every test, doctest and notebook: no network, no settings of the user's."""

from __future__ import annotations

import runpy
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "tests"))

from isolation import OFFLINE, isolate  # noqa: E402  found in the folder just named


def pytest_configure(config: pytest.Config) -> None:
    # By path: a system may have a module sitecustomize of its own, imported long ago.
    runpy.run_path(str(OFFLINE / "sitecustomize.py"))
    home = tempfile.TemporaryDirectory(prefix="react_lab_tests_")
    config.add_cleanup(home.cleanup)
    isolate(Path(home.name))
    # nbval opens this file relative to the current folder, wherever pytest was started
    config.option.nbval_sanitize_with = str(ROOT / "tests" / "sanitize.cfg")
