"""Widgets: thin shells around the views; each has a text twin and a static snapshot.

Names are imported on first use: ipywidgets is loaded by the first widget.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "StepInspector": "inspector",
    "ForkBench": "fork_bench",
    "CompareRuns": "compare",
    "FaultLab": "fault_lab",
    "PromptLab": "prompt_lab",
    "ModelPicker": "model_picker",
    "ParserBench": "parser_bench",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"react_lab.widgets has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
