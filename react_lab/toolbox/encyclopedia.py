"""The ReAct paper's `search` and `lookup` (arXiv 2210.03629) over a small made-up encyclopedia.

`search` opens an entry and returns its first sentences, or similar titles; `lookup` returns
the next sentence of the open entry that holds a term, as Ctrl+F does. The entries are in
English and point at each other; each also has a Chinese title.

The two tools share which entry is open. That state lives outside the run, so `fork` cannot
rewind it: after a fork, search again. No other tool of the kit has a memory.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock

from ..errors import ToolFailure
from ..tools import Tool, Toolbox, tool

#: Sentences that `search` returns. The paper shows five, of Wikipedia's longer articles.
SHOWN = 2
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Entry:
    """Hold one entry: its names, the English title first, and its sentences."""

    names: tuple[str, ...]
    sentences: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the English title."""
        return self.names[0]


@cache
def load_entries() -> tuple[Entry, ...]:
    """Read `data/encyclopedia.txt`: a line of names, a line of text, a blank line."""
    text = (files(__package__) / "data" / "encyclopedia.txt").read_text("utf-8")
    blocks = (block.split("\n", 1) for block in text.strip().split("\n\n"))
    return tuple(
        Entry(
            tuple(name.strip() for name in names.split("|")), tuple(_SENTENCE.split(body.strip()))
        )
        for names, body in blocks
    )


class _Reader:
    """Hold which entry is open and how far a term was looked up; safe to share by threads."""

    def __init__(self, language: str) -> None:
        self._says = _SAYS[language]
        self._lock = Lock()
        self._open: Entry | None = None
        self._term, self._next = "", 0

    def search(self, entity: str) -> str:
        entry = _index().get(_plain(entity))
        with self._lock:
            self._open, self._term, self._next = entry, "", 0
        if entry is not None:
            return " ".join(entry.sentences[:SHOWN])
        similar = similar_titles(entity)
        key = "similar" if similar else "nothing"
        return self._says[key].format(entity=entity.strip(), similar=", ".join(similar))

    def lookup(self, term: str) -> str:
        with self._lock:
            if self._open is None:
                raise ToolFailure(self._says["closed"])
            found = (
                [s for s in self._open.sentences if _plain(term) in _plain(s)]
                if _plain(term)
                else []
            )
            if _plain(term) != self._term:
                self._term, self._next = _plain(term), 0
            number, self._next = self._next, self._next + 1
        if number < len(found):
            return self._says["result"].format(number=number + 1, n=len(found), text=found[number])
        return self._says["end" if found else "none"].format(
            term=term.strip(), title=self._open.title
        )


def make_encyclopedia(language: str = "en") -> tuple[Tool, Tool]:
    """Return search and lookup that share one open entry; make a pair for each agent."""
    reader = _Reader(language)

    def search(entity: str) -> str:
        return reader.search(entity)

    def lookup(term: str) -> str:
        return reader.lookup(term)

    search.__doc__, lookup.__doc__ = _DESCRIPTIONS[language]
    return tool(search, timeout=None), tool(lookup, timeout=None, repeatable=True)


def encyclopedia_tools(language: str = "en") -> Toolbox:
    """Return a toolbox of search and lookup.

    >>> tools = encyclopedia_tools()
    >>> tools["search"]("Saltby")
    'Saltby is a town on the mouth of the Issen, with 6,730 people. It is known for ...
    """
    return Toolbox(make_encyclopedia(language))


def similar_titles(entity: str, n: int = 5) -> list[str]:
    """Return titles that share a word with an entity or are spelled like it, the best first."""
    wanted = _plain(entity)
    scores: Mapping[str, float] = {
        entry.title: max(_likeness(wanted, _plain(name)) for name in entry.names)
        for entry in load_entries()
    }
    return sorted((t for t in scores if scores[t] >= 0.6), key=lambda t: (-scores[t], t))[:n]


def _likeness(wanted: str, name: str) -> float:
    shared = set(wanted.split()) & {word for word in name.split() if len(word) > 3}
    return len(shared) + difflib.SequenceMatcher(None, wanted, name).ratio()


@cache
def _index() -> dict[str, Entry]:
    return {_plain(name): entry for entry in load_entries() for name in entry.names}


def _plain(text: str) -> str:
    """Return a name without case, article, quotes and doubled spaces."""
    text = re.sub(r"[\"'“”’\[\]()（）?.]", "", text).casefold()
    return re.sub(r"^(?:the|an?) ", "", " ".join(text.split()))


_SAYS = {
    "en": {
        "similar": "Could not find {entity}. Similar: {similar}",
        "nothing": "Could not find {entity}, and nothing similar. Try another name.",
        "closed": "no entry is open; search an entity first",
        "result": "(Result {number} / {n}) {text}",
        "end": "No more results for {term} in {title}. Try another term.",
        "none": "No result for {term} in {title}. Try another term, or search another entity.",
    },
    "zh": {
        "similar": "找不到 {entity}。相近条目：{similar}",
        "nothing": "找不到 {entity}，也没有相近条目。请换一个名称。",
        "closed": "还没有打开条目，请先用 search 搜索一个条目",
        "result": "（结果 {number} / {n}）{text}",
        "end": "{title} 中没有更多包含 {term} 的句子。请换一个词。",
        "none": "{title} 中没有包含 {term} 的句子。请换一个词，或搜索别的条目。",
    },
}
_DESCRIPTIONS = {
    "en": (
        """Search one entity in the encyclopedia: return the first sentences of its entry, or similar titles. Use it for people, places, things and events; not for weather, prices or documents. Example: entity Lantern Bridge.

    Args:
        entity: one name, such as Lantern Bridge; not a question
    """,
        """Look up a term in the entry that search opened last: return the next sentence that holds it. Use it when the first sentences do not hold the answer; not before a search. Example: term born.

    Args:
        term: one word or a short phrase, such as born; the same term again gives the next sentence
    """,
    ),
    "zh": (
        """在百科中搜索一个条目：返回开头几句，或相近的条目名称。关于人物、地点、事物和事件时使用；不要用来查天气、价格或文档。例如：entity 灯笼桥。

    参数：
        entity: 一个名称，例如 灯笼桥；不要写成问句
    """,
        """在最近一次打开的条目中查找一个词：返回下一句包含它的句子。开头几句没有答案时使用；没有搜索之前不要使用。例如：term born。

    参数：
        term: 一个词或短语，条目为英文，例如 born；同一个词再查一次会返回下一句
    """,
    ),
}
