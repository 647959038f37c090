"""What ParserBench picks from and reads from its fields, as data: cases, tools, repairs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..contracts.parsing import REPAIRS, load_cases
from ..contracts.parsing.corpus import Case
from ..errors import UsageError

OWN = "your own"
#: The case that more repairs fire on than on any other.
FIRST = "markdown_labels-10"
TOOLS = {"search": {"query": "string"}}
_SHAPE = 'write {"search": {"query": "string"}}: each tool, its parameters, their types'


class Cases:
    """Find the cases of the corpus by id, by category, and one after another."""

    def __init__(self) -> None:
        self.by_id = {case["id"]: case for case in load_cases()}
        self.ids: dict[str, list[str]] = {}
        for case in self.by_id.values():
            self.ids.setdefault(case["category"], []).append(case["id"])
        self.order = [id for ids in self.ids.values() for id in ids]

    def __getitem__(self, id: str) -> Case:
        """Return a case; raise UsageError for an id that there is not."""
        if id not in self.by_id:
            raise UsageError(f"there is no case {id!r}: write its category and number: {FIRST!r}")
        return self.by_id[id]

    def beside(self, id: str, steps: int) -> str:
        """Return the id that stands so many steps further; after the last comes the first."""
        return self.order[(self.order.index(id) + steps) % len(self.order)]

    def place(self, id: str) -> str:
        """Return where a case stands in its category."""
        category = self[id]["category"]
        ids = self.ids[category]
        return f"case {ids.index(id) + 1} of {len(ids)} in {category}"


def read_tools(text: str) -> dict[str, dict[str, str]]:
    """Return the tools that a text describes; raise UsageError that says what is wrong."""
    try:
        tools = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the tools are no JSON ({error}): {_SHAPE}") from None
    if not isinstance(tools, dict):
        raise UsageError(f"the tools are no JSON object: {_SHAPE}")
    for name, params in tools.items():
        if not isinstance(params, dict):
            raise UsageError(f"the tool {name!r} has no object of parameters: {_SHAPE}")
        for param, kind in params.items():
            if not isinstance(kind, str):
                raise UsageError(f"the type of {name}.{param} is no string: {_SHAPE}")
    return tools


def write_tools(tools: Any) -> str:
    """Return a toolbox, or a dict of tools, as the text that `read_tools` reads."""
    signatures: Mapping[str, Mapping[str, str]] = getattr(tools, "signatures", tools)
    try:
        plain = {name: dict(params) for name, params in signatures.items()}
        return travels(json.dumps(plain, ensure_ascii=False))
    except (AttributeError, TypeError, ValueError):
        raise UsageError(f"these are no tools: {_SHAPE}, or give a toolbox") from None


def travels(text: str) -> str:
    """Return a text that can go to the page: half a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def known_repairs(names: str | Iterable[str]) -> frozenset[str]:
    """Return the names as a set; raise UsageError for one that is no repair."""
    found = frozenset([names] if isinstance(names, str) else names)
    if unknown := sorted(map(str, found - REPAIRS.keys())):
        raise UsageError(f"there is no repair {unknown[0]!r}: choose from {', '.join(REPAIRS)}")
    return found
