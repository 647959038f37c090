"""Chains of facts in an encyclopedia: `the town where the builder of the Iron Footbridge was born`.

A phrase becomes a need whose entity may be a need itself. What a relation looks like in an
entry, and which term to look up when the first sentences do not hold it, is data.
"""

from __future__ import annotations

import re

from .plan import Need

_NAME = r"((?:[A-Z][\w'’-]+|\d{4})(?: (?:of |the |on )?(?:[A-Z][\w'’-]+|\d{4}))*)"
_OF = r"(?:the )?(?:[a-z]+ )?"
#: relation: (words in a question, what it looks like in an entry, term to look up)
RELATIONS: dict[str, tuple[str, str, str]] = {
    "author": (
        r"author|writer|wrote|written|作者|写",
        rf"(?:book|poem|poems|novel|collection|history|work|written)[^.]*? by {_NAME}",
        "by",
    ),
    "builder": (
        r"builder|designer|architect|designed|built|设计者?|建造者?|建筑师",
        rf"(?:designed|built)[^.]*? by {_NAME}",
        "design",
    ),
    "painter": (
        r"painter|painted|画家|画",
        rf"(?:painting|picture|painted)[^.]*? by {_NAME}",
        "paint",
    ),
    "founder": (
        r"founder|founded|创立者?|创始人|创办人?",
        rf"(?:founded[^.]*? by|[Ff]ounder was) {_OF}{_NAME}",
        "found",
    ),
    "keeper": (r"(?:last )?keeper|守塔人", rf"keeper was {_NAME}", "keeper"),
    "mayor": (r"mayor|市长|镇长", rf"mayor is {_NAME}", "mayor"),
    "head": (r"head|校长", rf"head is {_OF}{_NAME}", "head"),
    "forester": (r"forester|护林员", rf"forester is {_NAME}", "forester"),
    "brother": (
        r"brother|sister|哥哥|弟弟|姐姐|妹妹",
        rf"(?:brother|sister)(?: was| of| is) {_OF}{_NAME}",
        "brother",
    ),
    "rival": (r"(?:old )?rival|对手", rf"rival is {_NAME}", "rival"),
    "record": (r"record holder|holds? the record|纪录保持者", rf"set in \d+ by {_NAME}", "record"),
    "prize": (r"prize|won|奖", rf"won the {_NAME}", "won"),
    "climber": (r"(?:first )?climber|climbed|登上|登顶者?", rf"climbed in \d+ by {_NAME}", "climb"),
    "capital": (r"capital|首府|首都", rf"capital is {_NAME}", "capital"),
    "birthplace": (
        r"birthplace|born|comes? from|出生|来自|出生地",
        rf"born in (?:the )?{_NAME}|(?:is|was) an? [\w ,]+? from {_NAME}|{_NAME} was born in the village",
        "born",
    ),
    "grave": (r"buried|grave|葬", rf"buried in {_NAME}", "buried"),
    "hangs": (r"hangs?|挂|收藏", rf"hangs in (?:the )?{_NAME}", "hangs"),
    "signed": (r"signed|签署|签订", rf"signed in {_NAME}", "signed"),
    "rises": (r"rises?|发源", rf"rises (?:in|on) {_NAME}", "rises"),
    "held": (r"held|takes? place|举行", rf"held in {_NAME}", "held"),
    "printed": (r"printed|出版", r"printed in (\d{4})", "printed"),
    "opened": (r"opened|开放|开通|开业", r"opened in (\d{4})", "opened"),
    "finished": (r"finished|完成", r"finished in (\d{4})", "finished"),
    "died": (r"died|去世", r"to (\d{4})\)", "died"),
}
#: the same words, when a year is asked for
_YEARS = {
    "built": r"built (?:in|between) (\d{4})",
    "founded": r"founded (?:there )?in (\d{4})",
    "born": r"\((?:born )?(\d{4})",
    "died": r"to (\d{4})\)",
    "signed": r"signed[^.]*?(\d{4})",
    "climbed": r"climbed in (\d{4})",
    "won": r"in (\d{4})",
    "designed": r"(\d{4})",
}
_YEAR_WORDS = {
    "建成": "built",
    "建造": "built",
    "创立": "founded",
    "成立": "founded",
    "出生": "born",
    "签署": "signed",
    "去世": "died",
}
_UNITS = {
    "high": "metres(?! long| deep)",
    "tall": "metres high",
    "long": "(?:kilo)?metres(?! high| deep)",
    "deep": "metres deep",
    "人": "people",
    "页": "pages",
    "级": "steps",
    "公里": "kilo",
}


def entity(phrase: str) -> str | Need | None:
    """Return the node of a phrase that names an entity, or None."""
    phrase = re.sub(r"^the (?=[A-Z])", "", phrase.strip(' ?？，,的《》“”"'))
    if match := re.fullmatch(r"(?:the )?([a-z ]+?) of (?:the )?(.+)", phrase):
        return _related(match[1], match[2])
    if match := re.fullmatch(r"(.+)['’]s ([a-z ]+)", phrase):
        return _related(match[2], match[1])
    if match := re.fullmatch(
        r"(?:the )?[a-z]+ (?:who|that|which) (?:was the |first )?([a-z]+) (.+)", phrase
    ):
        return _related(match[1], match[2])
    if match := re.fullmatch(
        r"(?:the )?[a-z]+ (?:in which|where|that) (.+?) (?:was |is |were )?([a-z]+(?: from)?)",
        phrase,
    ):
        return _related(match[2], match[1])
    if match := re.fullmatch(r"(.+)的(.+?)", phrase):
        return _related(match[2], match[1])
    if (
        re.match(r"[A-Z\u4e00-\u9fff]", phrase)
        and len(phrase) < 60
        and not re.search(r"[,，]| [a-z]+ [a-z]+ ", phrase)
    ):
        return phrase
    return None


def relation(word: str) -> str | None:
    """Return the relation that a word of a question means, or None."""
    return next(
        (name for name, (words, _, _) in RELATIONS.items() if re.fullmatch(words, word.strip())),
        None,
    )


def _related(word: str, phrase: str) -> Need | None:
    name, of = relation(word), entity(phrase)
    return Need("entity", (("entity", of), ("relation", name)), "relation") if name and of else None


def chain(phrase: str, kind: str, word: str = "") -> Need | None:
    """Return the need for a year, a number or another relation of what a phrase names."""
    of = entity(phrase)
    if of is None or kind == "name" and isinstance(of, str):
        return None
    if kind == "name":
        return of if isinstance(of, Need) else None
    if kind == "relation":
        return _related(word, phrase)
    return Need("entity", (("entity", of), ("relation", f"{kind}:{word}")), "relation")


def read_relation(name: str, text: str) -> str | None:
    """Return what a relation of an entry's text is, or None."""
    kind, _, word = name.partition(":")
    if kind == "about":
        return text.split(". ")[0].strip(" .") or None
    found = re.search(_pattern(kind, word), text)
    return next((group.rstrip(".") for group in found.groups() if group), None) if found else None


def _pattern(kind: str, word: str) -> str:
    if kind == "year":
        verb = _YEAR_WORDS.get(word, word)
        return _YEARS.get(verb) or RELATIONS.get(relation(verb) or "", ("", r"(\d{4})", ""))[1]
    if kind == "number":
        unit = _UNITS.get(word, rf"(?:\w+ )?{re.escape(word.rstrip('s'))}")
        return rf"(\d[\d,]*(?:\.\d+)?) ?(?:{unit})"
    return RELATIONS[kind][1]


def lookup_term(name: str) -> str:
    """Return the term to look up where the first sentences do not hold a relation."""
    kind, _, word = name.partition(":")
    if kind in ("year", "number"):
        return {
            "high": "metres",
            "tall": "metres",
            "long": "metres",
            "deep": "deep",
            "人": "people",
            "页": "pages",
        }.get(word, _YEAR_WORDS.get(word, word))
    return RELATIONS[kind][2] if kind in RELATIONS else "is"
