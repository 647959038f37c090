"""What holds for every test, doctest and notebook: no network, no settings of the user's."""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
OFFLINE = ROOT / "tests" / "offline"

collect_ignore = ["build", "dist"]


def pytest_configure(config: pytest.Config) -> None:
    # By path: a system may have a module sitecustomize of its own, imported long ago.
    runpy.run_path(str(OFFLINE / "sitecustomize.py"))
    inherited = os.environ.get("PYTHONPATH")
    paths = [str(OFFLINE), str(ROOT), *([inherited] if inherited else [])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    home = tempfile.TemporaryDirectory(prefix="react_lab_tests_")
    config.add_cleanup(home.cleanup)
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        os.environ[name] = str(Path(home.name) / name.lower())
    # nbval opens this file relative to the current folder, wherever pytest was started
    config.option.nbval_sanitize_with = str(ROOT / "tests" / "sanitize.cfg")
