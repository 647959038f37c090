"""Break a run on purpose and watch which defence answers (notebook 07).

Forty faults at four seams, schedules that say when they fire, defences that can be
switched off one by one, and a verdict on each run.

>>> from react_lab.faults import FAULTS, inject
>>> FAULTS["B1"]
Fault(B1 invented_observation, at the reply: The model writes the tool's result itself \
and goes on to an answer.)
"""

from .batch import Tally, Trial, recovery_counts, run_batch, spread, tally, try_fault
from .catalogue import CATALOGUE, FAULTS, describe_faults, find_fault
from .defences import (
    DEFENCES,
    Defence,
    with_all_defences,
    with_defence,
    with_defences,
    without_defence,
)
from .definition import SEAMS, Fault, Firing, Firings, Moment, fault
from .injecting import FaultyContext, FaultyLLM, faulty_tools, firings, inject
from .schedules import (
    AtStep,
    EveryTime,
    FirstN,
    Occasion,
    Once,
    OnlyTool,
    Schedule,
    WithProbability,
    at,
)
from .symptoms import SYMPTOMS, Symptom, describe_symptoms, show_symptom
from .verdicts import (
    VERDICTS,
    Judgement,
    Recovery,
    incomplete,
    judge,
    recovery_path,
    unsafe_actions,
)

__all__ = [
    "CATALOGUE",
    "DEFENCES",
    "FAULTS",
    "SEAMS",
    "SYMPTOMS",
    "VERDICTS",
    "AtStep",
    "Defence",
    "EveryTime",
    "Fault",
    "FaultyContext",
    "FaultyLLM",
    "Firing",
    "Firings",
    "FirstN",
    "Judgement",
    "Moment",
    "Occasion",
    "Once",
    "OnlyTool",
    "Recovery",
    "Schedule",
    "Symptom",
    "Tally",
    "Trial",
    "WithProbability",
    "at",
    "describe_faults",
    "describe_symptoms",
    "fault",
    "faulty_tools",
    "find_fault",
    "firings",
    "incomplete",
    "inject",
    "judge",
    "recovery_counts",
    "recovery_path",
    "run_batch",
    "show_symptom",
    "spread",
    "tally",
    "try_fault",
    "unsafe_actions",
    "with_all_defences",
    "with_defence",
    "with_defences",
    "without_defence",
]
