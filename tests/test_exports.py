"""What `from react_lab import ...` offers, name by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

import react_lab

NAMES = """
Action Agent ChatExamples CompareRuns Completion FAULTS FaultLab FirstSentences ForkBench
FormatError FormatErrorLimit FunctionLLM KeepAll KeepLast LLMError LaptopLLM Message Messages
ModelPicker NativeContract Observation OpenAICompatibleLLM Parsed ParserBench PrematureFinish
PromptLab ReactLabError RecordedLLM Repair RepeatLimit Run ScriptedLLM SimulatedLLM Span Step
StepInspector StepLimit Summarise TASKS Task TextContract TokenBudget Tool ToolCall
ToolDefinitionError ToolFailure Toolbox TransientFailure Usage UsageError check_answer
default_guards demo_agent demo_tools export_html export_markdown force fork generate inject
iter_steps laptop_server parse_reply record run_agent run_from_json run_log run_to_json tool
""".split()


def test_the_exports_are_these():
    assert sorted(react_lab.__all__) == sorted(NAMES)


@pytest.mark.parametrize("name", react_lab.__all__)
def test_each_name_is_found(name):
    assert getattr(react_lab, name) is not None


@pytest.mark.parametrize("name", react_lab.__all__)
def test_each_name_says_what_it_is(name):
    value = getattr(react_lab, name)
    assert value.__doc__ or not callable(value)


def test_a_name_is_imported_once():
    assert react_lab.Run is react_lab.Run
    assert "Run" in vars(react_lab)


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(AttributeError, match=r"react_lab has no 'Runn'; it has .*, Run, "):
        react_lab.Runn  # noqa: B018


def test_dir_lists_the_names_before_they_are_loaded():
    script = "import react_lab; print(set(react_lab.__all__) <= set(dir(react_lab)))"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert child.stdout == "True\n", child.stderr


def test_the_version_is_the_package_s():
    assert react_lab.__version__ == "0.1.0"
