"""Let the agent ask back when a question is ambiguous (notebook 12)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from ..errors import ToolFailure
from ..tools import Tool, tool


def make_ask_user(answers: Sequence[str] | Callable[[str], str], language: str = "en") -> Tool:
    """Return the tool ask_user: it takes scripted answers one by one, or calls a function.

    Pass `input` to be asked at the keyboard. When the script is used up, the model is told
    that nobody answers.

    >>> make_ask_user(["In Porto."])("Where is your home?")
    'In Porto.'
    """
    reply = answers if callable(answers) else _Script(answers, _NOBODY[language])

    def ask_user(question: str) -> str:
        return reply(question)

    ask_user.__doc__ = _DESCRIPTIONS[language]
    return tool(ask_user, timeout=None, empty_hint=_SILENCE[language], repeatable=True)


class _Script:
    def __init__(self, answers: Sequence[str], nobody: str) -> None:
        self._answers = iter([answers] if isinstance(answers, str) else answers)
        self._nobody, self._lock = nobody, Lock()

    def __call__(self, question: str) -> str:
        with self._lock:
            answer = next(self._answers, None)
        if answer is None:
            raise ToolFailure(self._nobody)
        return answer


_NOBODY = {
    "en": "nobody answers; go on with what you know, or say what is missing",
    "zh": "没有人回答；请根据已知信息继续，或说明缺少什么",
}
_SILENCE = {
    "en": "Go on with what you know, or say what is missing.",
    "zh": "请根据已知信息继续，或说明缺少什么。",
}
_DESCRIPTIONS = {
    "en": """Ask the user one short question and return the answer. Use it when the question can be meant in two ways or lacks something only the user knows; not for facts that another tool has. Example: question Which city do you call home?

    Args:
        question: one question to the user, such as Which city do you call home?
    """,
    "zh": """向用户询问一个简短的问题并返回回答。问题有歧义，或缺少只有用户知道的信息时使用；其他工具能查到的事实不要问。例如：question 你说的家在哪个城市？

    参数：
        question: 向用户提的一个问题，例如 你说的家在哪个城市？
    """,
}
