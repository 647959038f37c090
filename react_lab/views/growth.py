"""How the prompt grows: estimated tokens by role at every step (notebooks 06 and 08)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..records import Message, Messages, Run, estimate_tokens
from .escape import show

ROLES = ("system", "user", "assistant", "tool")
#: Both are read on light and on dark pages: colour and letter.
COLOURS = {"system": "#0072B2", "user": "#E69F00", "assistant": "#009E73", "tool": "#CC79A7"}
ROWS = 60
Row = Mapping[str, int]


def growth(run: Run) -> list[Row]:
    """Return the estimated tokens of each role in the prompt of every step.

    >>> run = Run("2 + 2?")
    >>> growth(run)
    []
    """
    counted: dict[int, Counter[str]] = {}
    return [_by_role(step.messages, counted) for step in run.steps]


def growth_text(run: Run) -> str:
    """Return the growth as a table with a total."""
    rows = growth(run)
    roles = [role for role in ROLES if any(row[role] for row in rows)]
    lines = ["step  " + "".join(f"{role:>11}" for role in roles) + "      total"]
    for number, row in enumerate(rows, 1):
        cells = "".join(f"{row[role]:>11,}" for role in roles)
        lines.append(f"{number:>4}  {cells}{sum(row.values()):>11,}")
    return "\n".join(lines)


def growth_html(run: Run) -> str:
    """Return the growth as bars, with the numbers beside them."""
    rows = list(enumerate(growth(run), 1))
    shown = rows[:: max(1, -(-len(rows) // ROWS))]
    most = max((sum(row.values()) for _, row in rows), default=1) or 1
    legend = " ".join(f'<span style="color:{COLOURS[r]}">■</span> {r}' for r in ROLES)
    note = (
        ""
        if len(shown) == len(rows)
        else f" · every {-(-len(rows) // ROWS)}th step of {len(rows):,}"
    )
    bars = "".join(_bar(number, row, most) for number, row in shown)
    return f"<div>Estimated tokens in the prompt: {legend}{show(note)}</div><table>{bars}</table>"


def _by_role(messages: Messages, counted: dict[int, Counter[str]]) -> Counter[str]:
    links: list[Messages] = []
    node: Messages | None = messages
    while node is not None and id(node) not in counted:
        links.append(node)
        node = node.parent
    total = counted[id(node)] if node is not None else Counter[str]()
    for link in reversed(links):
        total = total + _counts(link.added)
        counted[id(link)] = total
    return total


def _counts(messages: Sequence[Message]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for message in messages:
        arguments = sum(estimate_tokens(call.arguments) for call in message.tool_calls)
        counts[message.role] += estimate_tokens(message.content) + arguments
    return counts


def _bar(number: int, row: Row, most: int) -> str:
    parts = "".join(_part(role, row[role], most) for role in ROLES if row[role])
    told = ", ".join(f"{role} {row[role]:,}" for role in ROLES if row[role])
    return (
        f'<tr><td style="white-space:nowrap">step {number}</td><td style="width:60%;text-align:left"><div style="display:flex">'
        f"{parts}</div></td><td>{sum(row.values()):,} ({told})</td></tr>"
    )


def _part(role: str, tokens: int, most: int) -> str:
    style = f"background-color:{COLOURS[role]};width:{100 * tokens / most:.2f}%;height:12px"
    return f'<div style="{style}" title="{role}: {tokens:,} tokens"></div>'
