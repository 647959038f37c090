"""The corpus of malformed replies and the score of a parser on it (notebook 04).

*Exact* equals the expected reading; *accepted* equals it or one that is as defensible;
*dangerous* is an action that equals no accepted action: a call that should not have run,
or ran with another tool or other arguments. An exception counts as an error without a code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ...records import Parsed

Case = dict[str, Any]
Result = Mapping[str, Any]


@cache
def _load() -> tuple[str, ...]:
    path = files(__package__) / "data" / "malformed.jsonl"
    return tuple(line for line in path.read_text("utf-8").splitlines() if line.strip())


def load_cases() -> list[Case]:
    """Return the cases: id, category, text, tools, expect, also_ok, why, source."""
    return [json.loads(line) for line in _load()]


def as_result(parsed: Parsed) -> dict[str, Any]:
    """Return a reading in the corpus's shape: kind action, final or error."""
    if parsed.error is not None:
        return {"kind": "error", "code": parsed.error.code}
    if parsed.answer is not None:
        return {"kind": "final", "answer": parsed.answer}
    action = parsed.actions[0]
    return {"kind": "action", "tool": action.tool, "args": action.args}


@dataclass(frozen=True)
class CaseScore:
    """Hold what a parser made of one case."""

    id: str
    category: str
    got: Result
    exact: bool
    accepted: bool
    dangerous: bool


@dataclass(frozen=True)
class Score:
    """Count what a parser made of all cases."""

    rows: tuple[CaseScore, ...]

    @property
    def n(self) -> int:
        """Return the number of cases."""
        return len(self.rows)

    @property
    def exact(self) -> int:
        """Count readings that equal the expected one."""
        return sum(row.exact for row in self.rows)

    @property
    def accepted(self) -> int:
        """Count readings that equal the expected one or an alternative."""
        return sum(row.accepted for row in self.rows)

    @property
    def dangerous(self) -> int:
        """Count actions that should not have run as they were read."""
        return sum(row.dangerous for row in self.rows)

    def by_category(self) -> dict[str, tuple[int, int, int]]:
        """Return {category: (accepted, dangerous, cases)} in the corpus's order."""
        groups: dict[str, list[CaseScore]] = {}
        for row in self.rows:
            groups.setdefault(row.category, []).append(row)
        return {
            name: (sum(r.accepted for r in rows), sum(r.dangerous for r in rows), len(rows))
            for name, rows in groups.items()
        }

    def __repr__(self) -> str:
        return f"Score({self.accepted} of {self.n} accepted, {self.dangerous} dangerous)"


def score_parser(
    function: Callable[[str, Any], Result], cases: Sequence[Case], *, codes: str = "any"
) -> Score:
    """Run `function(text, tools)` over the cases; with codes="strict" error codes must agree."""
    return Score(tuple(_score(function, case, codes) for case in cases))


def _score(function: Callable[[str, Any], Result], case: Case, codes: str) -> CaseScore:
    try:
        got = function(case["text"], case["tools"])
    except Exception:
        got = {"kind": "error", "code": None}
    wants = [case["expect"], *case.get("also_ok", [])]
    same = [matches(got, want, case["tools"], codes) for want in wants]
    dangerous = got.get("kind") == "action" and not any(same)
    return CaseScore(case["id"], case["category"], got, same[0], any(same), dangerous)


def matches(got: Result, want: Result, tools: Mapping[str, Mapping[str, str]], codes: str) -> bool:
    """Tell whether two readings say the same."""
    if got.get("kind") != want["kind"]:
        return False
    if want["kind"] == "error":
        return codes == "any" or got.get("code") == want["code"]
    if want["kind"] == "final":
        return isinstance(got.get("answer"), str) and _text(got["answer"]) == _text(want["answer"])
    if got.get("tool") != want["tool"]:
        return False
    params = tools.get(want["tool"], {})
    return _same(_keyed(got.get("args"), params), _keyed(want["args"], params))


def _keyed(args: Any, params: Mapping[str, str]) -> Any:
    """Give a bare string of a one-parameter tool its key."""
    if isinstance(args, str):
        return {next(iter(params)): _text(args)} if len(params) == 1 else _text(args)
    if isinstance(args, Mapping) and len(params) == 1 and list(args) == list(params):
        return {
            key: _text(value) if isinstance(value, str) else value for key, value in args.items()
        }
    return args


def _text(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return type(a) is type(b) and bool(a == b) or _numbers(a, b)


def _numbers(a: Any, b: Any) -> bool:
    return isinstance(a, int | float) and isinstance(b, int | float) and a == b
