"""Tell whether an answer says that the answer is not known, not available or not found.

A negation alone is no such admission: it must go with what was not known or not there, in
the same part of the sentence.

>>> admits("The shop does not sell unicorns.")
True
>>> admits("2027-01-01 is not a valid date.")
False
"""

from __future__ import annotations

import re

_GAP = r"[^.!?;:,\n]{0,60}?"
#: Where facts are kept: what is not in one of these is not known.
_SOURCES = (
    r"(?:table|handbook|document|data|information|forecast|record|list|catalogu?e?|shop|store"
    r"|range|encyclopedia|article|text|passage|notes|calendar|script|result|knowledge)s?"
)
_KNOWING = (
    r"(?:know[ns]?|knew|find|found|answer(?:ed|able)?|tell|say[s]?|said|give[sn]?|provided?s?"
    r"|determined?|access(?:ed)?|retrieved?|look(?:ed)? up|check(?:ed)?|predict(?:ed)?"
    r"|have(?! to\b)|has(?! to\b)|had(?! to\b)|got|available|accessible|exists?|existing"
    r"|sell|sells|sold|stock(?:ed)?|carr(?:y|ies|ied)|offer(?:s|ed)?|list(?:s|ed)?"
    r"|mention(?:s|ed)?|stated?s?|contain(?:s|ed)?|included?s?|cover(?:s|ed)?|recorded"
    r"|written|noted|published|shown|sure|certain|aware)"
)
_ENGLISH = (
    r"\b(?:unknown|unavailable|nonexistent|non-existent|no idea|no such)\b",
    rf"(?:\b(?:not|cannot|no|none|nothing|neither|nobody|never|unable)\b|n['’]t\b){_GAP}\b{_KNOWING}\b",
    rf"(?:\b(?:not|no|nothing)\b|n['’]t\b){_GAP}\b(?:in|within|on|among|part of)\b{_GAP}\b{_SOURCES}\b",
    rf"\bno (?:[\w-]+ ){{0,2}}(?:answer|price|temperature|code|entry|match|{_SOURCES})\b",
    r"\b(?:have|has|had|is|are|there['’]s|finds?|found|lists?|contains?|mentions?|gives?|sells?|holds?"
    r"|knows?|says?) (?:no(?! (?:doubt|question|problem|need|reason))|nothing|none)\b",
    rf"\b(?:outside|beyond|out of){_GAP}\b{_SOURCES}\b",
)
_HAN_GAP = r"[^，。；：！？、,.;:!?\n]{0,15}?"
_HAN_SOURCES = "(?:表|数据|资料|手册|文档|文件|目录|清单|商店|店|百科|条目|范围|预报|记录|脚本|列)"
_CHINESE = (
    "不知道|不清楚|不了解|不确定|未知|不详|不可用|无从得知|不得而知|不存在",
    "(?:查|找|搜)(?:不[到出着]|无)|没(?:有|能)?(?:找|查|搜)到|未能?(?:找|查|搜)到",
    f"(?:无法|不能|没法|没办法|未能){_HAN_GAP}(?:回答|作答|答|确定|提供|给出|查|找|获|得|知|告诉|预[报测])",
    f"(?:没有|没|并?无){_HAN_GAP}(?:数据|信息|资料|记录|预报|价格|气温|密码|答案|条目|工具|结果|内容)",
    "(?:没有|没|未|不)(?:有|曾)?(?:提[到及供]|给出|说明|写[明到]?|记载|记录|收录|列出|包[含括]|卖|出?售|供应)",
    f"{_HAN_SOURCES}[里中内上]?(?:面|并|都|也)?没有",
    f"不在{_HAN_GAP}{_HAN_SOURCES}|超出",
)
_ADMISSION = re.compile("|".join((*_ENGLISH, *_CHINESE)), re.IGNORECASE)


def admits(answer: str) -> bool:
    """Tell whether a text, English or Chinese, says that no answer is known or to be had."""
    return _ADMISSION.search(answer) is not None
