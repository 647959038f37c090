"""R18: what it does when it is asked for something other than a step.

Plans are numbered lines (or a JSON list), each a question of its own that the grammar
knows; summaries keep every result; a review and a routing question are answered with one
of the words offered (`OK or REVISE`, `yes or no`), a confidence with a number or a word.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence

from .plan import Ask, Plan, resolve_all
from .wording import sub_question

_KINDS = {
    "summary": r"^\W*(?:please )?summari[sz]e|^\W*write a summary|用[^。\n]{0,8}概括|总结(?:一下|这些|以上)|^\W*概括",
    "plan": r"\b(?:make|write|draft|give|create)\b[^.\n]{0,20} plan\b|\blist the (?:steps|sub-?questions)|break [^.\n]{0,30}(?:down|into)|(?:制定|写出|列出|写)[^。\n]{0,8}(?:计划|步骤)|分解",
    "review": r"\b(?:reflect|review|critici[sz]e|critique|verify)\b|check (?:the|this|your|whether)|is (?:the|this) answer (?:right|correct|supported)|反思|检查[^。\n]{0,10}(?:答案|回答)|核对|审查",
    "confidence": r"how (?:sure|confident|certain)|confidence|(?:多大|几成)的?把握|多确定|置信|信心",
    "route": r"without (?:a |the |any )?tools?\b|need (?:a |the |any )?tools?\b|answer (?:it )?directly|需不?需要(?:使用)?工具|是否需要(?:使用)?工具|直接回答",
}
_CHOICE = re.compile(
    r"[`'\"“「]?([A-Za-z]\w*|[\u4e00-\u9fff]{1,4}?)[`'\"”」]?(?: (?:if|when)[^,;.\n]*,?;?)? ?(?:\bor\b|\botherwise\b|或者?|还是|/) ?[`'\"“「]?([A-Za-z]\w*|[\u4e00-\u9fff]{1,4})[`'\"”」]?"
)
_ANSWER = re.compile(
    r"^[ \t]*(?:(?:Proposed |Draft |Final |Your )?Answer|(?:建议的|最终)?(?:答案|回答))[ \t]*[:：][ \t]*(.+)$",
    re.MULTILINE | re.IGNORECASE,
)
_STEP = re.compile(
    r"^Action: (\w+)\((.*)\)\s*$\n(?:^(?!Action|Thought|Observation).*\n)*^Observation: (.*)$",
    re.MULTILINE,
)
_SUMMED = re.compile(
    r"^(?:Observation[:：]|Summary of earlier steps:|先前步骤的概括：)\s*(.*)$", re.MULTILINE
)


def requested(text: str) -> str | None:
    """Return which kind of request a text makes, or None."""
    return next(
        (
            kind
            for kind, pattern in _KINDS.items()
            if re.search(pattern, text, re.IGNORECASE | re.MULTILINE)
        ),
        None,
    )


def embedded_question(text: str) -> str:
    """Return the question that a request is about."""
    found = re.findall(r"[^.?!。！？\n:：]*[?？]", text)
    return max(found, key=len).strip(" \"'“”「」") if found else text.strip()


def summarise(text: str, language: str) -> str:
    """Keep every result of a run's steps, with the call that gave it."""
    word = {"en": "gave", "zh": "得到"}[language]
    lines = [f"{m[1]}({_as_json(m[2])}) {word} {m[3].rstrip('.。')}" for m in _STEP.finditer(text)]
    if not lines:
        lines = [m[1].rstrip(".。") for m in _SUMMED.finditer(text)] or [
            text.strip().splitlines()[-1][:200]
        ]
    return "; ".join(lines)


def _as_json(text: str) -> str:
    try:
        return json.dumps(ast.literal_eval(text), ensure_ascii=False)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def write_plan(plan: Plan | None, question: str, text: str, language: str) -> str:
    """Write a plan: a question for each fact, and the sum at the end."""
    asks = list[Ask]()

    def note(ask: Ask) -> str:
        if ask not in asks:
            asks.append(ask)
        number = asks.index(ask) + 1
        return f"(step {number})" if language == "en" else f"（第{number}步）"

    if plan:
        resolve_all(plan.parts, note)
    lines = [sub_question(language, ask.kind, ask.want, ask.slots) for ask in asks] or [question]
    if "json" in text.lower():
        return json.dumps(lines, ensure_ascii=False)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def review(text: str, language: str) -> str:
    """Say whether every number of the proposed answer stands in what was observed."""
    proposed = [*_ANSWER.finditer(text)]
    answer = proposed[-1][1] if proposed else ""
    rest = text[: proposed[-1].start()] + text[proposed[-1].end() :] if proposed else text
    numbers = re.findall(r"\d+(?:\.\d+)?", answer)
    missing = [n for n in numbers if not re.search(rf"(?<![\d.]){re.escape(n)}(?![\d.]*\d)", rest)]
    good = bool(answer) and not missing
    word = choice(text, good, ("OK", "REVISE") if language == "en" else ("正确", "修改"))
    return word if good else f"{word}{_because(missing, language)}"


def _because(missing: Sequence[str], language: str) -> str:
    if language == "zh":
        return f"：观察中没有 {missing[0]}。" if missing else "：没有答案。"
    return f": no Observation says {missing[0]}." if missing else ": there is no answer."


def choice(text: str, good: bool, usual: tuple[str, str]) -> str:
    """Return the first or the second of the words that a request offers."""
    listed = [m for m in _CHOICE.finditer(text) if m[1].lower() not in ("tool", "more", "one")]
    exact = [
        m
        for m in listed
        if m[1].isupper() or m[1].lower() in ("yes", "ok", "direct", "right", "correct", "是", "对")
    ]
    words = (exact[-1][1], exact[-1][2]) if exact else usual
    return words[0] if good else words[1]


def confidence(text: str, sure: float, language: str) -> str:
    """Say how sure it is, on the scale asked for."""
    if re.search(
        r"low\W+(?:medium|middle)|高.{0,3}中.{0,3}低|低.{0,3}中.{0,3}高", text, re.IGNORECASE
    ):
        words = ("low", "high") if language == "en" else ("低", "高")
        return words[sure > 0.5]
    if re.search(r"100|percent|百分", text):
        return str(round(sure * 100))
    return (
        str(round(sure * 10)) if re.search(r"(?:1|0) ?(?:to|-|到) ?10\b", text) else f"{sure:.2f}"
    )


def route(text: str, needs_tool: bool, language: str) -> str:
    """Choose the word that a routing question offers for this case."""
    words = choice(text, True, ("DIRECT", "TOOLS")), choice(text, False, ("DIRECT", "TOOLS"))
    swap = bool(re.search(r"tool|loop|agent|search|工具", words[0], re.IGNORECASE))
    asks_need = bool(
        re.search(r"need (?:a |the |any )?tools?|需要(?:使用)?工具", text, re.IGNORECASE)
    )
    swap = swap or (asks_need and words[0].lower() in ("yes", "是", "需要"))
    return words[needs_tool == (not swap)]
