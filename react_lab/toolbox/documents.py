"""Read documents inside one folder, and of long ones only the best passages.

A name is looked up in the folder's own list, so no path of the model's is ever opened.
Passages are ranked by BM25 (Robertson and Zaragoza, 2009, with k1 = 1.5 and b = 0.75);
Chinese is split into pairs of characters, everything else into words. It is written out
here because a lesson reads it; the kept libraries bring numpy with them.

>>> best_passages("Dogs bark.\\n\\nCats purr all day.", "what do cats do?", n=1)
['Cats purr all day.']
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..errors import ToolFailure, UsageError
from ..records import estimate_tokens
from ..tools import Tool, tool

FOLDER = Path(__file__).parent / "data" / "documents"
#: Tokens of a document shown whole and of a passage; bytes of the largest file read.
SHORT, PASSAGE, LARGEST = 300, 125, 1_000_000
_SUFFIXES = (".txt", ".md")
_WORD = re.compile(r"[\u3400-\u9fff]+|(?:(?![\u3400-\u9fff])[^\W_])+(?:\.\d+)?")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_STOP = frozenset(
    "a an and are at by for from how in is it of on or that the this to was what when where which who with".split()
)


def make_documents(folder: str | Path = FOLDER, language: str = "en") -> tuple[Tool, Tool]:
    """Return the tools list_documents and read_document, bound to one folder.

    Raise UsageError when the folder does not exist.
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        raise UsageError(f"{str(folder)!r} is no folder: pass an existing one")

    def list_documents() -> str:
        return ", ".join(_names(root))

    def read_document(name: str, query: str = "") -> str:
        text = _read(root, name, language)
        return text if estimate_tokens(text) <= SHORT else _excerpt(text, query, language)

    list_documents.__doc__, read_document.__doc__ = _DESCRIPTIONS[language]
    hint = "The folder is empty." if language == "en" else "文件夹为空。"
    return tool(list_documents, timeout=None, empty_hint=hint), tool(
        read_document, timeout=None, limit=4_000
    )


def best_passages(text: str, query: str, n: int = 3) -> list[str]:
    """Return the `n` passages that match a query best, in the order of the text.

    No passage is returned where no word of the query occurs.
    """
    passages = split_passages(text)
    scores = bm25([_words(passage) for passage in passages], _words(query))
    ranked = sorted(range(len(passages)), key=lambda i: (-scores[i], i))[:n]
    return [passages[i] for i in sorted(ranked) if scores[i] > 0]


def bm25(documents: Sequence[Sequence[str]], query: Sequence[str]) -> list[float]:
    """Score each document (a list of words) for a query."""
    counts = [Counter(words) for words in documents]
    mean = sum(map(len, documents)) / max(len(documents), 1) or 1.0
    scores = [0.0] * len(documents)
    for word in set(query):
        holding = sum(word in count for count in counts)
        weight = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        for i, count in enumerate(counts):
            if n := count[word]:
                scores[i] += weight * n * 2.5 / (n + 1.5 * (0.25 + 0.75 * len(documents[i]) / mean))
    return scores


def split_passages(text: str, size: int = PASSAGE) -> list[str]:
    """Split by paragraph, long paragraphs by sentence, into pieces of about `size` tokens.

    A heading stays with the paragraph below it.
    """
    headed = re.sub(r"^(#+ .*)\n\s*\n", r"\1\n", text, flags=re.MULTILINE)
    paragraphs = filter(None, map(str.strip, re.split(r"\n\s*\n", headed)))
    return [piece for paragraph in paragraphs for piece in _pieces(paragraph, size)]


def _pieces(paragraph: str, size: int) -> list[str]:
    if estimate_tokens(paragraph) <= size:
        return [paragraph]
    pieces = [""]
    for sentence in _SENTENCE.split(paragraph):
        for start in range(0, len(sentence), 4 * size):
            part = sentence[start : start + 4 * size]
            if pieces[-1] and estimate_tokens(pieces[-1] + part) > size:
                pieces.append("")
            space = " " if pieces[-1] and pieces[-1][-1].isascii() else ""
            pieces[-1] += space + part
    return pieces


def _excerpt(text: str, query: str, language: str) -> str:
    says, size = _SAYS[language], estimate_tokens(text)
    passages = best_passages(text, query) if query.strip() else []
    if passages:
        said = says["passage" if len(passages) == 1 else "passages"]
        return said.format(n=len(passages), size=size) + " " + " ... ".join(passages)
    key = "no_match" if query.strip() else "opening"
    return (
        says[key].format(size=size, query=query.strip()[:80])
        + " "
        + " ".join(split_passages(text)[:2])
    )


def _words(text: str) -> list[str]:
    words: list[str] = []
    for word in _WORD.findall(text.lower()):
        if word[0] > "\u3400":
            words += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        elif word not in _STOP:
            words.append(word[:-1] if len(word) > 3 and word.endswith("s") else word)
    return words


def _names(root: Path) -> list[str]:
    return sorted(
        p.name for p in root.iterdir() if p.suffix.lower() in _SUFFIXES and _inside(root, p)
    )


def _inside(root: Path, path: Path) -> bool:
    """Tell whether a path is a file of the folder, links followed to their end."""
    real = path.resolve()
    return real.parent == root and real.is_file()


def _read(root: Path, name: str, language: str) -> str:
    says, names = _SAYS[language], _names(root)
    found = _find(name, names)
    if found is None:
        far = "/" in name or "\\" in name or name.strip() in ("", ".", "..")
        listed = ", ".join(names) or says["none"]
        raise ToolFailure(
            says["outside" if far else "unknown"].format(name=name[:80], names=listed)
        )
    data = _bytes(root / found)
    if len(data) > LARGEST:
        raise ToolFailure(says["large"].format(name=found, limit=LARGEST))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\x00"
    if "\x00" in text:
        raise ToolFailure(says["binary"].format(name=found))
    return text


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


def _find(name: str, names: Sequence[str]) -> str | None:
    """Return the listed name that is meant: in any case, with or without its ending."""
    wanted = name.strip().casefold()
    by_name = {listed.casefold(): listed for listed in names}
    stems = [listed for listed in names if Path(listed).stem.casefold() == wanted]
    return by_name.get(wanted) or (stems[0] if len(stems) == 1 else None)


_SAYS = {
    "en": {
        "passage": "[1 passage of a document of about {size} tokens]",
        "passages": "[{n} passages of a document of about {size} tokens]",
        "opening": "[document of about {size} tokens, only its opening is shown; pass a query with words to look for]",
        "no_match": "[document of about {size} tokens, no passage has a word of {query!r}; try other words; its opening]",
        "unknown": "there is no document {name!r}; there are: {names}",
        "outside": "{name!r} is outside the documents folder; there are: {names}",
        "large": "{name} is larger than {limit:,} bytes",
        "binary": "{name} is not a text file",
        "none": "none",
    },
    "zh": {
        "passage": "[文档约 {size} 个 token，以下是其中 1 段]",
        "passages": "[文档约 {size} 个 token，以下是其中 {n} 段]",
        "opening": "[文档约 {size} 个 token，只显示开头；请用 query 指明要找的内容]",
        "no_match": "[文档约 {size} 个 token，没有包含 {query!r} 的段落；请换关键词；以下是开头]",
        "unknown": "没有文档 {name!r}；现有文档：{names}",
        "outside": "{name!r} 不在文档文件夹内；现有文档：{names}",
        "large": "{name} 超过 {limit:,} 字节",
        "binary": "{name} 不是文本文件",
        "none": "无",
    },
}
_DESCRIPTIONS = {
    "en": (
        "List the names of all documents. Use it when you do not know which document holds an answer. Example: no arguments.",
        """Read one document of the folder; of a long one, the passages that match the query. Use it for facts about the club, its house and its people. Example: name handbook.txt, query holiday.

    Args:
        name: a document's name, such as handbook.txt
        query: the words to look for, such as holiday days
    """,
    ),
    "zh": (
        "列出所有文档的名称。不知道答案在哪个文档时使用。例如：不需要参数。",
        """读取一个文档；文档较长时返回与 query 最相关的段落。关于协会、会所和成员的事实用它。例如：name 手册.txt，query 假期。

    参数：
        name: 文档名称，例如 手册.txt
        query: 要查找的词，例如 假期 天数
    """,
    ),
}
