"""Write any value as text, whatever it is.

>>> written({"a": 1})
"{'a': 1}"
>>> class Odd:
...     def __repr__(self):
...         raise ValueError("no")
>>> written(Odd())
'<Odd that cannot be written out: ValueError>'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def written(value: object, how: Callable[[Any], str] = repr) -> str:
    """Return `how(value)`, or what kept it from being written: depth, or a fault of its own."""
    try:
        return how(value)
    except Exception as error:
        return f"<{type(value).__name__} that cannot be written out: {type(error).__name__}>"
