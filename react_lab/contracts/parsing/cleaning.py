"""Blank out what was not meant for us, keeping every position.

Reasoning blocks, turn tokens and channel headers become blanks of the same length, so that
a position in the cleaned text is a position in the reply.
"""

from __future__ import annotations

import re

_TAGS = "think|thinking|thought|reasoning|analysis|scratchpad|reflection|seed:think|internal|inner_thoughts"
_THINK = re.compile(
    rf"^[ \t\ufeff\u200b]*(?:<(?P<tag>{_TAGS})>|\[(?P<box>THINK)\]|<\|(?P<bar>begin_of_thought|start_thinking)\|>|◁think▷)",
    re.MULTILINE | re.IGNORECASE,
)
_ORPHAN = re.compile(
    rf"(?:</(?:{_TAGS})>|\[/THINK\]|<\|(?:end_of_thought|end_thinking)\|>|◁/think▷)[ \t]*(?=\n|\Z|<|final answer|thought|action|最终答案|思考|行动)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>")
#: tokens that end a turn: all after them is another turn
TURN_END = re.compile(
    r"<\|(?:im_end|eot_id|endoftext|end|eom_id|end_of_text|return|eos|end_of_turn|user|END_OF_TURN_TOKEN)\|>|</s>|<eos>|<end_of_turn>|<｜end▁of▁sentence｜>|<\|END_RESPONSE\|>|\[/INST\]"
)
#: tokens that open a turn; nothing but noise
TURN_START = re.compile(
    r"(?:<\|(?:im_start|start_header_id|begin_of_text|START_OF_TURN_TOKEN|CHATBOT_TOKEN|START_RESPONSE|assistant|start)\|>|<s>|<bos>|<start_of_turn>|<｜(?:Assistant|begin▁of▁sentence)｜>|\[INST\]|<\|end_header_id\|>)(?:assistant|model)?",
)


def blank(text: str, start: int, end: int) -> str:
    """Return the text with a part turned into blanks; line breaks stay."""
    hidden = re.sub(r"[^\n]", " ", text[start:end])
    return text[:start] + hidden + text[end:]


def hide_reasoning(text: str) -> str:
    """Blank out reasoning blocks; one that never closes hides all that follows."""
    opening = _THINK.search(text)
    guard = re.search(
        r"^[ \t]*(?:final answer|最终答案)\s*[:：]", text, re.MULTILINE | re.IGNORECASE
    )
    if opening is None:
        return _hide_orphan(text, guard)
    parts, position = [], 0
    while opening is not None:
        if guard is not None and opening.start() > guard.start() and guard.start() >= position:
            break
        end = _close(text, opening)
        parts += [
            text[position : opening.start()],
            re.sub(r"[^\n]", " ", text[opening.start() : end]),
        ]
        position = end
        opening = _THINK.search(text, position) if position < len(text) else None
        if guard is not None and guard.start() < position:
            guard = re.compile(guard.re.pattern, guard.re.flags).search(text, position)
    return "".join([*parts, text[position:]])


def _close(text: str, opening: re.Match[str]) -> int:
    tag = opening["tag"] or "think"
    if opening["box"]:
        closer = "[/THINK]"
    elif opening["bar"]:
        closer = "<|end_" + opening["bar"].split("_", 1)[1] + "|>"
    elif "◁" in opening[0]:
        closer = "◁/think▷"
    else:
        closer = f"</{tag}>"
    end = re.compile(re.escape(closer), re.IGNORECASE).search(text, opening.end())
    return end.end() if end else len(text)


def _hide_orphan(text: str, guard: re.Match[str] | None) -> str:
    closer = _ORPHAN.search(text)
    if closer is None:
        return text
    starts_line = not text[text.rfind("\n", 0, closer.start()) + 1 : closer.start()].strip()
    if guard is not None and guard.start() < closer.start() and not starts_line:
        return text
    return blank(text, 0, closer.end())


def hide_channels(text: str) -> str:
    """Keep the last `final` or `commentary` channel of a channel-formatted reply."""
    heads = list(_CHANNEL.finditer(text))
    if not heads or text[: heads[0].start()].replace("<|start|>assistant", "").strip():
        return text
    kept = [h for h in heads if h[1] != "analysis"] or [heads[-1]]
    if kept[-1][1] == "analysis":
        return blank(text, 0, len(text))
    if kept[-1][1] == "final" and len(kept) > 0:
        cleaned = blank(text, 0, kept[-1].end())
        return cleaned[: kept[-1].end()] + cleaned[kept[-1].end() :]
    return text
