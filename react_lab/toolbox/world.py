"""The fixed calendar, the cities and the products that the tools share.

All of it was made up for the kit, so that no model can know it by heart.
"""

from __future__ import annotations

import csv
import difflib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib.resources import files

TODAY = date(2026, 6, 15)
WEEKDAYS_ZH = "一二三四五六日"
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")


@cache
def read_table(name: str) -> tuple[dict[str, str], ...]:
    """Read a data file of the toolbox as rows."""
    text = (files(__package__) / "data" / name).read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@dataclass(frozen=True)
class City:
    """Hold a city: its names, its offset from UTC in hours (in June 2026), its country's names."""

    name: str
    zh: str
    aliases: tuple[str, ...]
    offset: float
    countries: tuple[str, ...] = ()

    def named(self, language: str) -> str:
        """Return the name in a language."""
        return self.zh if language == "zh" else self.name


CITIES = tuple(
    City(
        row["name"],
        row["zh"],
        tuple(filter(None, row["aliases"].split("|"))),
        float(row["utc_hours"]),
        tuple(row["country"].split("|")),
    )
    for row in read_table("cities.csv")
)


def find_city(written: str) -> City | None:
    """Return the city that a name or alias means, in any case; None if there is none.

    A country may stand behind it: "Paris, France" is Paris, "Paris, Texas" is not.
    """
    name, *rest = re.split(r"[,，(（)）]", written)
    city = _city_names().get(_plain(name))
    behind = {_plain(part) for part in rest if part.strip()}
    return city if city and behind <= set(map(_plain, city.countries)) else None


@cache
def _city_names() -> dict[str, City]:
    return {_plain(name): city for city in CITIES for name in (city.name, city.zh, *city.aliases)}


def close_names(written: str, names: Iterable[str], n: int = 3) -> list[str]:
    """Return the names most like what was written."""
    by_plain = {_plain(name): name for name in names}
    found = difflib.get_close_matches(_plain(written), by_plain, n=n, cutoff=0.6)
    return [by_plain[name] for name in found]


def _plain(name: str) -> str:
    """Return a name without accents, case, spaces and dots; 市 (city) may stand behind it."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    kept = "".join(c for c in letters if not unicodedata.combining(c))
    return re.sub(r"[\s'’.\-]+|(?<=[\u4e00-\u9fff])市$", "", kept)


_DAYS_FROM_TODAY = {
    "": 0, "today": 0, "now": 0, "tonight": 0, "今天": 0, "今日": 0, "现在": 0,
    "tomorrow": 1, "明天": 1, "明日": 1, "day after tomorrow": 2, "后天": 2,
    "yesterday": -1, "昨天": -1, "昨日": -1, "day before yesterday": -2, "前天": -2,
}  # fmt: skip
_WEEKDAY = re.compile(
    r"(?:(?:on|this|next|coming) )?(mon|tues|wednes|thurs|fri|satur|sun)day|(?:星期|周|礼拜)([一二三四五六日天])"
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>\d{4})"
#: 15/06/2026 has one reading, 05/06/2026 two: it is not read.
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?:t[\d:]+z?)?",
        rf"(?:{_YEAR}年)?(?P<month>\d{{1,2}})月(?P<day>\d{{1,2}})[日号]?",
        rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?",
        rf"{_MONTH} {_DAY}(?:,? {_YEAR})?",
        rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}",
        rf"(?P<day>1[3-9]|2\d|3[01])/(?P<month>\d{{1,2}})/{_YEAR}",
        rf"(?P<month>\d{{1,2}})/(?P<day>1[3-9]|2\d|3[01])/{_YEAR}",
    )
)


def read_date(written: str) -> date | None:
    """Read a date as people write it, seen from TODAY; None where it cannot be read for sure."""
    text = " ".join(unicodedata.normalize("NFKC", written).casefold().split())
    text = re.sub(r"^(?:on |the )+|[.。]$|(?<=[年月]) | (?=[年月日号])", "", text)
    if text in _DAYS_FROM_TODAY:
        return TODAY + timedelta(days=_DAYS_FROM_TODAY[text])
    if day := _WEEKDAY.fullmatch(text):
        number = (
            _WEEKDAYS.index(day[1]) if day[1] else WEEKDAYS_ZH.index(day[2].replace("天", "日"))
        )
        ahead = (number - TODAY.weekday()) % 7
        return TODAY + timedelta(days=ahead or 7 * text.startswith("next"))
    text = re.sub(r"^(?:\w{3,6}day|(?:mon|tue|wed|thu|fri|sat|sun)),? ", "", text)
    found = next(filter(None, (pattern.fullmatch(text) for pattern in _DATES)), None)
    return _date(**found.groupdict()) if found else None


def _date(day: str, month: str, year: str | None) -> date | None:
    number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
    try:
        return date(int(year or TODAY.year), number, int(day))
    except ValueError:
        return None
