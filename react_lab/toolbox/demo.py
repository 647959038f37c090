"""The usual tools and a complete agent, for notebooks and for a first look."""

from __future__ import annotations

from typing import Any

from ..agent import Agent
from ..contracts import TextContract
from ..llm import SimulatedLLM
from ..tools import Toolbox
from .calculator import calculator, calculator_zh
from .clock import clock, make_clock
from .documents import make_documents
from .shop import shop, shop_zh
from .weather import weather, weather_zh


def demo_tools(language: str = "en") -> Toolbox:
    """Return calculator, weather, shop, clock, list_documents and read_document."""
    documents = make_documents(language=language)
    if language == "zh":
        return Toolbox([calculator_zh, weather_zh, shop_zh, make_clock(language="zh"), *documents])
    return Toolbox([calculator, weather, shop, clock, *documents])


def demo_agent(language: str = "en", **changes: Any) -> Agent:
    """Return an agent on the simulated model with the usual tools; `changes` replace its parts.

    >>> demo_agent(guards=()).guards
    ()
    """
    parts: dict[str, Any] = {
        "llm": SimulatedLLM(),
        "tools": demo_tools(language),
        "contract": TextContract(language=language),  # type: ignore[arg-type]
    }
    return Agent(**(parts | changes))
