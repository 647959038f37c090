"""Find the wanted part in a passage of text: the sentence that fits best, then the value.

Sentences are compared by the words they share with what is looked for; Chinese is
compared by pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；;])|\s\|\s|\s\.\.\.\s|\n+")
_HEADING = re.compile(
    r"(?:^|(?<=\| )|(?<=\.\.\. )|(?<=\] ))([A-Z][a-z]+(?: [a-z]+)?|[\u4e00-\u9fff]{2,5})[.。] ?"
)
_CLAUSE = re.compile(r",\s|;|，|、|\sand\s|\sbut\s")
_STOP = frozenset(
    "a an and are at be been by can did do does for from had has have how in is it its many may much must of on or "
    "said say says tell that the their there this to was were what when where which who whose why will with year one".split()
)
_WORD = re.compile(r"[a-z]+|\d+|[\u4e00-\u9fff]+")
_NAME = r"[A-Z][\w'’.-]+(?: (?:of |de |van |the )?[A-Z][\w'’.-]+)*"
#: What a value of each kind looks like.
_VALUES = {
    "year": r"\b(1\d{3}|20\d\d)\b|(1\d{3}|20\d\d)(?=年)",
    "number": r"(?<![\d:.-])(\d[\d,]*(?:\.\d+)?)(?![\d:]|\.\d)",
    "clock": r"(\d{1,2}:\d\d)",
    "place": rf"\b(?:in|at) (?:the )?({_NAME})|在([\u4e00-\u9fff]{{2,6}}?)(?:举行|召开|出生|，|。|$)",
    "person": rf"(?:\bis|\bwas|\bby|\bwith|:) ({_NAME})|({_NAME}) (?:wrote|built|invented|composed|designed|founded|painted)|(?:是|由|在)([\u4e00-\u9fff·]{{2,9}}?)(?:那里|创|写|建|设计|，|。|（|$)",
}


def words(text: str) -> set[str]:
    """Return the words that count, without endings; Chinese as pairs of characters."""
    found = set[str]()
    for word in _WORD.findall(text.lower()):
        if word[0] >= "\u4e00":
            found |= {word[i : i + 2] for i in range(max(1, len(word) - 1))}
        elif word not in _STOP:
            found.add(re.sub(r"(?<=\w{3})(?:es|s|ed|ing)$", "", word))
    return found


def best_sentence(text: str, wanted: str, want: str = "") -> str | None:
    """Return the sentence that shares most with what is wanted, or None."""
    looked_for = words(wanted)
    pattern = _VALUES.get(want)

    def fit(sentence: str) -> float:
        shared = len(words(sentence) & looked_for)
        return shared + (0.5 if shared and pattern and re.search(pattern, sentence) else 0.0)

    sentences = [s.strip() for s in _SENTENCE.split(_HEADING.sub(r"\1: ", text)) if s.strip()]
    best = max(sentences, key=fit, default="")
    return best if fit(best) >= min(2, len(looked_for)) * 0.5 + 0.5 else None


def find_value(text: str, wanted: str, want: str) -> str | None:
    """Return the wanted value from a passage, the whole sentence where no kind is named."""
    sentence = best_sentence(text, wanted, want)
    pattern = _VALUES.get(want)
    if sentence is None or pattern is None:
        return sentence
    looked_for = words(wanted)
    clauses = [clause for clause in _CLAUSE.split(sentence) if re.search(pattern, clause)]
    clauses.sort(key=lambda clause: -len(words(clause) & looked_for))
    found = re.search(pattern, clauses[0] if clauses else sentence)
    return next((group.rstrip(".") for group in found.groups() if group), None) if found else None


def best_name(names: Sequence[str], topic: str) -> str | None:
    """Return the name that shares most with a topic, or None."""
    looked_for = words(topic.replace("-", " ").replace(".txt", ""))
    scored = [(len(words(name.replace("-", " ")) & looked_for), name) for name in names]
    best = max(scored, default=(0, ""), key=lambda pair: pair[0])
    return best[1] if best[0] else None
