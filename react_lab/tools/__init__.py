"""Turn typed Python functions into tools that a model can call (notebook 03).

Name, description, parameters and JSON Schema come from the function's signature and
docstring; there is no second list to maintain. A call gives an `Observation` and never
raises for the model's mistakes.

>>> @tool
... def add(a: int, b: int) -> int:
...     '''Add two whole numbers.'''
...     return a + b
>>> Toolbox([add]).run(Action("add", {"a": "2", "b": 3})).text
'5'
"""

from ..records import Action
from .definition import Tool, tool
from .lint import lint_tool
from .toolbox import Toolbox

__all__ = ["Action", "Tool", "Toolbox", "lint_tool", "tool"]
