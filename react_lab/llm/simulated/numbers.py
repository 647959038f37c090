"""Numbers and sums as people write them, in digits and in words, English and Chinese.

>>> english_sum("twelve times (3 plus 4)")
'12 * (3 + 4)'
>>> chinese_sum("三百二十加上5的平方")
'320 + 5 ** 2'
"""

from __future__ import annotations

import re

_SMALL = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * n
    for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_WORD = "|".join([*_SMALL, *_TENS, *_SCALES])
_NUMBER_WORDS = re.compile(
    rf"\b(?<!the )(?:a (?=hundred|thousand|million|dozen))?(?:{_WORD})(?:(?:[ -]|,? and )(?:{_WORD}))*\b",
    re.IGNORECASE,
)
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_UNITS = {"十": 10, "百": 100, "千": 1_000}
_CHINESE_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千万]+(?:点[零一二三四五六七八九]+)?")
_ENGLISH = (
    (r"(?<=\d),(?=\d{3}\b)", ""),
    (r"\bthe sum of ([\d.]+) and ([\d.]+)", r"\1 + \2"),
    (r"\bthe product of ([\d.]+) and ([\d.]+)", r"\1 * \2"),
    (r"\bthe difference (?:of|between) ([\d.]+) and ([\d.]+)", r"\1 - \2"),
    (r"\b(?:the )?square root of \(?([\d.]+)\)?", r"\1 ** 0.5"),
    (r"([\d.]+) ?(?:%|percent) of ", r"\1 / 100 * "),
    (r"\bhalf of ", "0.5 * "),
    (r"\btwice ", "2 * "),
    (r"\bplus\b|\badded to\b", "+"),
    (r"\bminus\b|\bless\b", "-"),
    (r"\btimes\b|\bmultiplied by\b|×|·|(?<=\d) ?x ?(?=\d)", "*"),
    (r"\bdivided by\b|\bover\b|÷", "/"),
    (r"\b(?:to the power of|raised to)\b|\^", "**"),
    (r"\bsquared\b|²", "** 2"),
    (r"\bcubed\b|³", "** 3"),
)
_CHINESE = (
    (r"（", "("),
    (r"）", ")"),
    (r"([\d.]+) ?和 ?([\d.]+) ?的和", r"\1 + \2"),
    (r"([\d.]+) ?[与和] ?([\d.]+) ?的差", r"\1 - \2"),
    (r"([\d.]+) ?[与和] ?([\d.]+) ?的[乘积]+", r"\1 * \2"),
    (r"([\d.]+) ?的 ?(?:百分之 ?([\d.]+)|([\d.]+) ?%)", r"\2\3 / 100 * \1"),
    (r"百分之 ?([\d.]+)", r"\1 / 100"),
    (r"([\d.]+) ?的平方根", r"\1 ** 0.5"),
    (r"的平方", " ** 2"),
    (r"的立方", " ** 3"),
    (r"的 ?([\d.]+) ?次方", r" ** \1"),
    (r"加上?|＋", " + "),
    (r"减去?|－", " - "),
    (r"除以|÷", " / "),
    (r"乘以?|×", " * "),
)
_SUM = re.compile(r"[\d.\s+\-*/()%]+")
_OPERATOR = re.compile(r"[\d)]\s*(?:[+\-*/%])")


def english_numbers(text: str) -> str:
    """Replace number words by digits; `the one in Oslo` holds no number."""
    text = text.replace("a dozen", "12")
    return _NUMBER_WORDS.sub(lambda m: str(_english_value(m[0])), text)


def english_sum(text: str) -> str | None:
    """Return an expression, or None where the text is no sum."""
    return _tidy_sum(english_numbers(text), _ENGLISH)


def chinese_numbers(text: str) -> str:
    """Replace Chinese numerals by digits."""
    return _CHINESE_NUMBER.sub(lambda m: _chinese_value(m[0]), text)


def chinese_sum(text: str) -> str | None:
    """Return an expression, or None where the text is no sum."""
    return _tidy_sum(chinese_numbers(text), _CHINESE + _ENGLISH[:1] + _ENGLISH[10:11])


def _tidy_sum(text: str, replacements: tuple[tuple[str, str], ...]) -> str | None:
    for pattern, replacement in replacements:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    text = re.sub(r"\s*(\*\*|[+\-*/%])\s*", r" \1 ", text).strip(" .?=")
    text = re.sub(r"(^|[(*/+-] ?)- (?=\d)", r"\1-", re.sub(r"\s+", " ", text)).strip()
    return text if _SUM.fullmatch(text) and _OPERATOR.search(text) else None


def _english_value(words: str) -> int:
    total, current = 0, 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in _SMALL or word in _TENS:
            current += _SMALL.get(word, _TENS.get(word, 0))
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total, current = total + max(current, 1) * _SCALES[word], 0
    return total + current


def _chinese_value(text: str) -> str:
    whole, _, part = text.partition("点")
    if not set(whole) & set("十百千万"):
        digits = "".join(str(_DIGITS[c]) for c in whole)
        return digits + ("." + "".join(str(_DIGITS[c]) for c in part) if part else "")
    total, section, digit = 0, 0, 0
    for c in whole:
        if c == "万":
            total, section, digit = total + (section + digit) * 10_000, 0, 0
        elif c in _UNITS:
            section, digit = section + (digit or 1) * _UNITS[c], 0
        else:
            digit = _DIGITS[c]
    return str(total + section + digit) + (
        "." + "".join(str(_DIGITS[c]) for c in part) if part else ""
    )
