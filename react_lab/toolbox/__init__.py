"""Ready tools over a small fixed world, all offline (notebook 03).

In this world today is always Monday 2026-06-15, so that a run gives the same result on
every machine. `demo_tools()` is the usual set, `demo_agent()` a complete agent.
"""

from .ask_user import make_ask_user
from .calculator import CalculatorError, calculate, calculator
from .clock import clock, make_clock
from .demo import demo_agent, demo_tools
from .documents import make_documents
from .encyclopedia import encyclopedia_tools, make_encyclopedia
from .shop import shop
from .weather import weather

__all__ = [
    "CalculatorError",
    "calculate",
    "calculator",
    "clock",
    "demo_agent",
    "demo_tools",
    "encyclopedia_tools",
    "make_ask_user",
    "make_clock",
    "make_documents",
    "make_encyclopedia",
    "shop",
    "weather",
]
