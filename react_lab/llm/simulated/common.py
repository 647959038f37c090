"""What needs no tool: a little common knowledge, small talk, and what it can do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from .tool_list import SeenTool

_KNOWN = (
    (r"capital of france|法国的?首都", "Paris", "巴黎"),
    (r"capital of (?:italy)|意大利的?首都", "Rome", "罗马"),
    (r"capital of japan|日本的?首都", "Tokyo", "东京"),
    (r"capital of portugal|葡萄牙的?首都", "Lisbon", "里斯本"),
    (r"capital of norway|挪威的?首都", "Oslo", "奥斯陆"),
    (r"days.*\bweek\b|(?:星期|周).*几天|几天.*(?:星期|周)", "7", "7 天"),
    (r"hours.*\bday\b|一天.*几?个?(?:小时|多少小时)", "24", "24 小时"),
    (r"minutes.*\bhour\b|一(?:个)?小时.*分钟", "60", "60 分钟"),
    (r"months.*\byear\b|一年.*(?:几|多少)个?月", "12", "12 个月"),
    (r"colou?r.*\bsky\b|天空.*颜色", "blue", "蓝色"),
)
_ECHO = re.compile(
    r"^(?:please )?(?:reply|answer|say|respond)(?: only)?(?: with)?(?: only| just)?(?: the word| the words)? [\"'“‘]?([\w' -]+?)[\"'”’]?[.!]*$"
    r"|^请?只?(?:回答|回复|说)[：:]?[“\"'「]?([^“”\"'「」。]+?)[”\"'」]?(?:[一两二三]个字)?[。！]*$",
    re.IGNORECASE,
)
_ABLE = re.compile(
    r"what can you do|what (?:tools|can i ask)|how can you help|which tools|你能做什么|你会做什么|你能帮|有哪些工具",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|good morning|thanks|thank you|你好|您好|谢谢)\W*$", re.IGNORECASE
)


def common_answer(question: str, language: str, tools: Mapping[str, SeenTool]) -> str | None:
    """Return the answer to a question that needs no tool, or None."""
    chinese = language == "zh"
    kind, text = _known(question, chinese)
    return _abilities(tools, chinese) if kind == "able" else text


@lru_cache(maxsize=256)
def _known(question: str, chinese: bool) -> tuple[str, str | None]:
    if _ABLE.search(question):
        return "able", None
    if _GREETING.match(question):
        return "greeting", "你好！" if chinese else "Hello!"
    for pattern, english_answer, chinese_answer in _KNOWN:
        if re.search(pattern, question, re.IGNORECASE):
            return "fact", chinese_answer if chinese else english_answer
    echo = _ECHO.search(question.strip())
    return "echo", (echo[1] or echo[2]).strip() if echo else None


def _abilities(tools: Mapping[str, SeenTool], chinese: bool) -> str:
    shown = [f"{name} ({first_sentence(tool.description)})" for name, tool in tools.items()]
    if not shown:
        return (
            "我没有工具，只能凭记忆回答。"
            if chinese
            else "I have no tools and can only answer from memory."
        )
    return ("我可以使用：" if chinese else "I can use: ") + "; ".join(shown)


def first_sentence(text: str) -> str:
    """Return the first sentence of a description, without its full stop."""
    return re.split(r"(?<=\w)\.(?:\s|$)|。", text, maxsplit=1)[0].strip()
