"""Find the one tool that a written name can mean.

An exact match wins. Else only harmless noise is taken off: case, blanks, `-` for `_`,
quotes, brackets, a full stop, a prefix such as `functions.`. A misspelling stays unknown:
guessing a tool is how files get deleted.

>>> resolve("`Read File`", {"read_file": {}})
'read_file'
>>> resolve("raed_file", {"read_file": {}})
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Words that mean "no tool".
NOTHING = frozenset(
    "none|n/a|na|null|nil|nothing|no|skip|not needed|no action|no tool|no tool needed|none needed"
    "|no action needed|no action required|no tool required|not applicable|directly_answer"
    "|无|没有|不需要|空|暂无|无需|無|不用|无需行动|不需要工具|なし|不要|없음"
    "|keine|keines|aucun|aucune|ninguno|ninguna|nenhum|nessuno|нет".split("|")
)
#: Words that mean "I am done", unless a tool really has that name.
FINISH = frozenset(
    "finish finished finalanswer finalresponse finalise finalize final answer respond 完成 结束 "
    "最终答案 最终回答 答案 回答 最終答案 最終回答 終了".split()
)
_NOISE = " \t\r\n\xa0\u3000\u200b\ufeff`'\"“”‘’「」『』《》【】*<>[](){}.,;:!，。；：！、（）-"
_PREFIX = re.compile(
    r"(?:functions?|tools?|default_api|api|namespace|actions?)(?:[./]|::?)", re.IGNORECASE
)
_TOKEN = re.compile(r"<[|｜/][^<>]{0,60}>")
_LONGEST = 200


def resolve(written: str, tools: Iterable[str]) -> str | None:
    """Return the tool's own name, or None where not exactly one is meant."""
    if written in tools:
        return written
    name = _plain(written)
    if name in tools:
        return name
    wanted = fold(name)
    found = [tool for tool in tools if fold(tool) == wanted]
    return found[0] if len(found) == 1 and wanted else None


def _plain(written: str) -> str:
    name = _TOKEN.split(written[:_LONGEST], maxsplit=1)[0].replace("\\_", "_").strip(_NOISE)
    prefix = _PREFIX.match(name)
    return name[prefix.end() :].strip(_NOISE) if prefix else name


def fold(name: str) -> str:
    """Return a name without case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_\-‐–]+", "", name).casefold()


def is_nothing(written: str) -> bool:
    """Tell whether a name says that no tool is wanted."""
    name = (
        re.split(r"[(（,，;—–]| - ", written[:_LONGEST], maxsplit=1)[0]
        .strip(_NOISE + "_")
        .casefold()
    )
    return name in NOTHING or not name or re.match(r"(?:none|n/a)\b", name) is not None


def is_finish(written: str, tools: Iterable[str]) -> bool:
    """Tell whether a name is a finish exit."""
    return fold(written[:_LONGEST].strip(_NOISE)) in FINISH and resolve(written, tools) is None
