"""Find the one tool that a written name can mean.

An exact match wins. Else only harmless noise is taken off: case, blanks, `-` for `_`,
quotes, brackets, a full stop, a prefix such as `functions.`. A misspelling stays unknown:
guessing a tool is how files get deleted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Words that mean "no tool".
NOTHING = frozenset(
    "none n/a na null nil nothing no skip - -- 无 没有 不需要 空 暂无 无需 keine aucun ninguno".split()
) | {"no action", "no tool", "not needed", "none needed", "no action needed", "no tool needed"}
#: Words that mean "I am done", unless a tool really has that name.
FINISH = frozenset(
    "finish finalanswer final answer finalresponse finalize respond done 完成 结束 最终答案 最终回答 答案 回答".split()
) - {"final", "done"}
_NOISE = " \t\r\n`'\"“”‘’「」『』《》*_<>[](){}.,;:!，。；：！、"
_PREFIX = re.compile(
    r"^(?:functions?|tools?|default_api|api|namespace|actions?)[.:/]", re.IGNORECASE
)
_TOKEN = re.compile(r"<[|｜][^<>]{0,60}[|｜]>.*$", re.DOTALL)


def resolve(written: str, tools: Mapping[str, object]) -> str | None:
    """Return the tool's own name, or None where not exactly one is meant."""
    if written in tools:
        return written
    name = _TOKEN.sub("", written).strip(_NOISE.replace("_", ""))
    name = _PREFIX.sub("", name).strip(_NOISE.replace("_", ""))
    if name in tools:
        return name
    wanted = fold(name)
    found = [tool for tool in tools if fold(tool) == wanted]
    return found[0] if len(found) == 1 and wanted else None


def fold(name: str) -> str:
    """Return a name without case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_\-‐–]+", "", name).casefold()


def is_nothing(written: str) -> bool:
    """Tell whether a name says that no tool is wanted."""
    name = re.sub(r"\(.*", "", written).strip(_NOISE).casefold()
    return name in NOTHING or re.match(r"^(none|n/a)\b", name) is not None


def is_finish(written: str, tools: Mapping[str, object]) -> bool:
    """Tell whether a name is a finish exit."""
    return resolve(written, tools) is None and fold(written.strip(_NOISE)) in FINISH
