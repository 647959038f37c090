"""What holds for every test, doctest and notebook: no network, no settings of the user's.

Loaded by name from pyproject.toml: a conftest.py here would not be asked when pytest is
given the notebooks or the package alone. An editable install puts the project's folder on
Python's path, so it is found wherever pytest is started.
"""

from __future__ import annotations

import runpy
import sys
import tempfile
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
sys.path.insert(0, str(TESTS))

from isolation import OFFLINE, isolate  # noqa: E402  found in the folder just named


def pytest_configure(config: pytest.Config) -> None:
    """Isolate this process and all that it starts."""
    # By path: a system may have a module sitecustomize of its own, imported long ago.
    runpy.run_path(str(OFFLINE / "sitecustomize.py"))
    home = tempfile.TemporaryDirectory(prefix="react_lab_tests_")
    config.add_cleanup(home.cleanup)
    isolate(Path(home.name))
    # nbval opens this file relative to the current folder, wherever pytest was started
    config.option.nbval_sanitize_with = str(TESTS / "sanitize.cfg")
