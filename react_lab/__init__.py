"""Build an LLM agent with your own hands: loop, parser, tools, faults, widgets.

Names are imported on first use, so that `import react_lab` costs next to nothing and
loads none of pydantic, httpx, matplotlib or ipywidgets.
"""

import sys
from importlib import import_module

# An old Python reads this file before `__main__` can tell which one is needed: nothing in
# it is newer than Python 2.7.
if sys.version_info >= (3, 11):
    from typing import Any  # noqa: F401  used by a type comment

from .version import __version__  # noqa: F401  the build reads it here

_WHERE = {
    "records": (
        "Action Completion FormatError Message Messages Observation Parsed Repair Run Span Step "
        "ToolCall Usage"
    ),
    "errors": "LLMError ReactLabError ToolDefinitionError ToolFailure TransientFailure UsageError",
    "tools": "Tool Toolbox tool",
    "contracts": "ChatExamples NativeContract TextContract",
    "contracts.parsing": "parse_reply",
    "context": "FirstSentences KeepAll KeepLast Summarise",
    "guards": "FormatErrorLimit PrematureFinish RepeatLimit StepLimit TokenBudget default_guards",
    "llm": "FunctionLLM OpenAICompatibleLLM RecordedLLM ScriptedLLM SimulatedLLM record",
    "llm.laptop": "LaptopLLM laptop_server",
    "agent": "Agent force fork generate iter_steps run_agent",
    "toolbox": "demo_agent demo_tools",
    "evals": "TASKS Task check_answer",
    "faults": "FAULTS inject",
    "trace": "run_from_json run_to_json",
    "views": "export_html export_markdown run_log",
    "widgets": "CompareRuns FaultLab ForkBench ModelPicker ParserBench PromptLab StepInspector",
}
_HOME = {name: module for module, names in _WHERE.items() for name in names.split()}
__all__ = sorted(_HOME)


def __getattr__(name):  # type: (str) -> Any
    if name not in _HOME:
        raise AttributeError("react_lab has no %r; it has %s" % (name, ", ".join(__all__)))
    value = getattr(import_module("." + _HOME[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():  # type: () -> list[str]
    return sorted(set(globals()) | set(__all__))
