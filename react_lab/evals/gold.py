"""What counts as a right answer: a text, a number, a set of texts, or saying that none is known.

An answer may be a whole sentence, so each rule looks for the gold inside it.

>>> is_right(8, "Lisbon is 8 °C warmer than Oslo.", "How much warmer is Lisbon than Oslo?")
True
>>> is_right(ABSTAIN, "I have no price for a unicorn.", "What does a unicorn cost?")
True
"""

from __future__ import annotations

import re
import unicodedata

from .admitting import admits

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-−]?\d[\d,]*(?:\.\d+)?")
_DATE_OR_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\d{1,2}月\d{1,2}日|\d{4}年|UTC[+-]\d+")
_FIGURE = re.compile(r"\d\s*(?:°|℃|EUR\b|€|euros?\b|degrees?\b|度|欧元|元)", re.IGNORECASE)
#: How far a number may be off.
TOLERANCE = 0.05


class Abstain:
    """Mark a task whose right answer is to say that there is none."""

    def accepts(self, answer: str, question: str) -> bool:
        """Look for the admission, and for a temperature or a price that nobody gave.

        A figure from the question may be repeated.
        """
        said = answer
        for asked in _FIGURE.finditer(question):
            said = said.replace(asked[0], "")
        return admits(answer) and _FIGURE.search(said) is None

    def __repr__(self) -> str:
        return "ABSTAIN"


ABSTAIN = Abstain()
Gold = str | float | frozenset[str] | Abstain


def is_right(gold: Gold, answer: str | None, question: str = "") -> bool:
    """Tell whether an answer is right; none and blank are wrong.

    A text must occur as whole words, whatever the case; of a set, all must. A number must
    be the first or the last of the answer, by its size alone ("3 °C colder" is -3 °C
    warmer); numbers of the question, dates and times do not count.
    """
    if answer is None or not answer.strip():
        return False
    if isinstance(gold, Abstain):
        return gold.accepts(answer, question)
    if isinstance(gold, str):
        return _holds(answer, gold)
    if isinstance(gold, frozenset):
        return all(_holds(answer, part) for part in gold)
    asked = [n for n in numbers(question) if not _near(n, gold)]
    found = [n for n in numbers(answer) if n not in asked]
    return bool(found) and (_near(found[0], gold) or _near(found[-1], gold))


def numbers(text: str) -> list[float]:
    """Return the numbers of a text in order; those of dates and times are left out."""
    text = _DATE_OR_TIME.sub(" ", unicodedata.normalize("NFKC", text))
    return [float(n.replace("−", "-").replace(",", "")) for n in _NUMBER.findall(text)]


def _near(number: float, gold: float) -> bool:
    return abs(abs(number) - abs(gold)) <= TOLERANCE + 1e-9


def _holds(answer: str, wanted: str) -> bool:
    found = rf"(?<![a-z0-9]){re.escape(_plain(wanted))}(?![a-z0-9])"
    return re.search(found, _plain(answer)) is not None


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.sub(r"[*_`\"'“”‘’]", "", text).split())
