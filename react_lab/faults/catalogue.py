"""The fault catalogue: F format, B behaviour, T transport, O tool output, C context.

>>> FAULTS["B1"] is FAULTS["invented_observation"]
True
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from ..errors import UsageError
from .behaviour_faults import BEHAVIOUR_FAULTS
from .context_faults import CONTEXT_FAULTS
from .definition import Fault
from .format_faults import FORMAT_FAULTS
from .tool_faults import TOOL_FAULTS
from .transport_faults import TRANSPORT_FAULTS

CATALOGUE: tuple[Fault, ...] = (
    *FORMAT_FAULTS,
    *BEHAVIOUR_FAULTS,
    *TRANSPORT_FAULTS,
    *TOOL_FAULTS,
    *CONTEXT_FAULTS,
)
#: Every fault by id and by name.
FAULTS: Mapping[str, Fault] = MappingProxyType(
    {fault.id: fault for fault in CATALOGUE} | {fault.name: fault for fault in CATALOGUE}
)


def find_fault(fault: Fault | str) -> Fault:
    """Return a fault by id or name, or the fault itself; raise UsageError for another word."""
    if isinstance(fault, Fault):
        return fault
    if fault in FAULTS:
        return FAULTS[fault]
    close = ", ".join(difflib.get_close_matches(str(fault), FAULTS, 3)) or "F1, B1, T1, O1, C1"
    raise UsageError(f"there is no fault {fault!r}: try {close}; FAULTS lists all")


def describe_faults(*seams: str) -> str:
    """Return the catalogue as a table of text, of all seams or of some."""
    shown = [fault for fault in CATALOGUE if not seams or fault.seam in seams]
    width = max(len(fault.name) for fault in shown)
    return "\n".join(
        f"{fault.id:<4} {fault.name:<{width}}  {fault.seam:<9}  {fault.explanation}"
        for fault in shown
    )
