"""The lists of packages agree, and each place that builds an environment has what it needs."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


# What may stand at the top, besides dotfiles: set by the owner.
TOP_LEVEL = {
    *("notebooks", "react_lab", "tests", "binder"),
    *("requirements.txt", "README.md", "pyproject.toml", "LICENSE"),
}


def test_the_top_level_holds_what_was_agreed():
    git = ["git", "-C", str(ROOT), "ls-files", "-z"]
    files = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split("\0")
    top = {name.partition("/")[0] for name in files if name}
    assert {name for name in top if not name.startswith(".")} == TOP_LEVEL


def listed(name: str) -> list[str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def test_a_learner_gets_everything_that_the_package_imports():
    assert set(PROJECT["dependencies"]) <= set(listed("requirements.txt"))


@pytest.mark.parametrize("name", ["requirements.txt", "binder/requirements.txt"])
def test_every_requirement_has_both_bounds(name):
    for line in listed(name):
        assert re.fullmatch(r"[a-z-]+>=[\d.]+,<[\d.]+", line), line


def test_every_dependency_has_both_bounds():
    extras = PROJECT["optional-dependencies"]
    for line in [*PROJECT["dependencies"], *(line for lines in extras.values() for line in lines)]:
        assert ">=" in line, line
        assert ",<" in line, line


def test_binder_installs_the_package_on_a_supported_python():
    # Binder reads no pyproject.toml where there is a folder binder/: without runtime.txt it
    # takes a Python that is too old.
    assert "-e ." in (ROOT / "binder/requirements.txt").read_text().splitlines()
    version = (ROOT / "binder/runtime.txt").read_text().strip()
    assert version in ("python-3.11", "python-3.12", "python-3.13")
    assert set(listed("binder/requirements.txt")) <= set(listed("requirements.txt"))


@pytest.mark.parametrize("name", [".ci/run", "binder/postBuild"])
def test_scripts_can_be_run(name):
    assert os.access(ROOT / name, os.X_OK)
    assert (ROOT / name).read_bytes().startswith(b"#!")


def test_the_workflow_tests_every_supported_python():
    text = (ROOT / ".github/workflows/test.yml").read_text()
    assert 'python: ["3.11", "3.12", "3.13"]' in text
    assert PROJECT["requires-python"] == ">=3.11,<3.14"
