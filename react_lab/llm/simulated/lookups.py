"""Step 2 for what is looked up in texts: documents, encyclopedia, and asking the user back."""

from __future__ import annotations

import re
from collections.abc import Callable

from .chains import chain
from .plan import Need, Plan

Build = Callable[[re.Match[str], str], "Plan | None"]
_HOME = re.compile(
    r"^(?:my |our )?(?:home|here|my (?:city|town|place)|our (?:city|town))$|^(?:我家|家里?|这里|我的城市|我们这里|我这儿)$",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"^(?:the )?(?:city|place|town) (?:where|in which|of) (?:the )?(.+?)(?: (?:takes?|is taking|took) place| is held| is)?$"
    r"|^(?:举行)?(.+?)(?:所在|举行|召开)的(?:那个)?(?:城市|地方|地点)$",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:what|which|who|where|when|how (?:many|much)|how|is|are|was|does|do|did|has|have|can|may|an?|the|there)\b|in year|[?？]|是谁|(?:是|有)?(?:多少|什么|哪一年|几)",
    re.IGNORECASE,
)
#: What the kit's documents are about, for questions that name none: words, and the document's topic.
_TOPICS = (
    (r"spring meeting", "spring-meeting.txt"),
    (r"autumn meeting", "autumn-meeting.txt"),
    (r"春季聚会", "春季聚会.txt"),
    (r"\bbus\b", "bus.txt"),
    (r"\bmenu\b|\bsoup\b|\bbread\b|fish pie|\btea\b", "menu.txt"),
    (r"packing list|to pack\b", "packing-list.txt"),
    (r"\btreasurer|wardens are|\bthe wardens|\bboat shed", "people.txt"),
    (r"司库|船棚|谁是管理员|管理员是", "成员.txt"),
    (r"\blighthouse|\bparaffin|\bkeepers?\b", "lighthouse.txt"),
    (r"灯塔|守塔人", "灯塔.txt"),
    (
        r"\bwarden|\bmember|\bholiday|\bclubs?\b|alarm code|first-aid|\bheating|\breceipt|\bdogs?\b",
        "handbook.txt",
    ),
    (r"会费|协会|管理员|会员|假期|警报|急救|暖气", "手册.txt"),
)


def place(text: str) -> str | Need:
    """Return a place as it is, or the need that says which place is meant."""
    if _HOME.match(text):
        chinese = bool(re.search(r"[\u4e00-\u9fff]", text))
        question = "你说的是哪个城市？" if chinese else "Which city do you mean?"
        return Need("ask", (("question", question),), "place")
    if match := _WHERE.match(text):
        topic = match[1] or match[2]
        return Need("document", (("name", file_name(topic)), ("query", topic)), "place")
    return text


def file_name(topic: str) -> str:
    """Guess the name of the document about a topic, as a model would."""
    known = next((name for words, name in _TOPICS if re.search(words, topic, re.IGNORECASE)), None)
    words = re.sub(
        r"^(?:the|our|my) |\.txt$| ?(?:document|file|文档|文件)$", "", topic.strip().lower()
    )
    return known or f"{words.replace(' ', '-')}.txt"


def _named(words: str) -> str:
    name = re.sub(
        r"^(?:the|our|my) |\.txt$| ?(?:document|file|文档|文件)$", "", words.strip().lower()
    )
    return f"{name.replace(' ', '-')}.txt"


def wanted(question: str) -> str:
    """Return what kind of value a question wants."""
    kinds = (
        (r"which year|what year|哪一?年", "year"),
        (r"how many|how much|how (?:high|tall|long|far|deep)|多少|几[天个人年米级]", "number"),
        (r"what time|at which time|when does .* (?:begin|leave|start)|几点", "clock"),
        (r"^where|which (?:city|town|place)|哪里|在哪|哪个城市", "place"),
        (r"^who\b|是谁|^谁", "person"),
    )
    return next(
        (kind for pattern, kind in kinds if re.search(pattern, question, re.IGNORECASE)), "passage"
    )


def _in_document(name: str, rest: str) -> Plan | None:
    query = re.sub(r"\s+", " ", _ASKING.sub(" ", rest)).strip(" ，,的")
    want = wanted(rest.strip())
    need = Need("document", (("name", _named(name)), ("query", query)), want)
    return Plan((need,), lambda values: values[0])


def _topic(match: re.Match[str], text: str) -> Plan | None:
    name = next((name for words, name in _TOPICS if re.search(words, text, re.IGNORECASE)), None)
    return _in_document(name, text) if name and not text.endswith("天气") else None


def _list(match: re.Match[str], text: str) -> Plan:
    return Plan((Need("documents", (), "documents"),), lambda values: values[0])


def _one(need: Need | None, unit: str = "") -> Plan | None:
    return Plan((need,), lambda values: f"{values[0]} {unit}".strip()) if need else None


#: frames that name a document come before all others, the rest after them
ENGLISH_FIRST: tuple[tuple[str, Build], ...] = (
    (r"^(?:which|what) documents|^list (?:all )?(?:the )?documents", _list),
    (
        r"^according to (?:the )?([\w.-]+(?: [\w.-]+){0,2}?)(?: document| file)?, ?(.+)$",
        lambda m, t: _in_document(m[1], m[2]),
    ),
    (
        r"^(.+?),? according to (?:the )?([\w. -]+?)(?: document| file)?$",
        lambda m, t: _in_document(m[2], m[1]),
    ),
    (
        r"^what does (?:the )?([\w. -]+?)(?: document| file)? say about (.+)$",
        lambda m, t: _in_document(m[1], m[2]),
    ),
)
ENGLISH: tuple[tuple[str, Build], ...] = (
    (
        r"^(?:in (?:which|what) year|when) (?:was|is|were|did) (.+?) (built|opened|founded|born|finished|printed|signed|climbed|died|die|won|designed)$",
        lambda m, t: _one(chain(m[1], "year", m[2])),
    ),
    (
        r"^(?:where|in (?:which|what) [a-z]+) (?:was|is|does|did|do) (.+?) (born|buried|come from|hang|held|signed|rise|take place)$",
        lambda m, t: _one(
            chain(
                m[1],
                "relation",
                {"hang": "hangs", "rise": "rises", "take place": "held"}.get(m[2], m[2]),
            )
        ),
    ),
    (
        r"^who (designed|built|wrote|painted|founded|climbed) (.+)$",
        lambda m, t: _one(chain(m[2], "relation", m[1])),
    ),
    (
        r"^how many ([a-z]+) (?:does|did|do|has|have|are|live)(?: there)?(?: in| on)? (?:the )?(.+?)(?: have)?$",
        lambda m, t: (
            _one(chain(m[2], "number", m[1]), m[1])
            if m[2][0].isupper() or " of " in m[2] or " where " in m[2]
            else None
        ),
    ),
    (r"^how (high|tall|long|deep) is (.+)$", lambda m, t: _one(chain(m[2], "number", m[1]))),
    (r"^(?:who|what|which) (?:is|was) (.+)$", lambda m, t: _one(chain(m[1], "name"))),
    (
        r"^(?:who|what) (?:is|was) ((?:The |the )?(?-i:[A-Z]).+)$",
        lambda m, t: _one(chain(m[1], "about")),
    ),
    (r"^(?:who|what|when|where|how|which|in|at|is|does|may|can|tell)\b", _topic),
)
CHINESE_FIRST: tuple[tuple[str, Build], ...] = (
    (r"有哪些文档|列出.*文档", _list),
    (
        r"^(?:根据|按照|据)《?(.+?)》?(?:文档|文件)?(?:的规定|里|中)?[，,](.+)$",
        lambda m, t: _in_document(m[1], m[2]),
    ),
    (
        r"^(.+文档|手册)(?:里|中)?(?:关于|对)(.+?)(?:说了什么|怎么说|是怎么说的)",
        lambda m, t: _in_document(m[1], m[2]),
    ),
)
CHINESE: tuple[tuple[str, Build], ...] = (
    (r"春季聚会(?!.*(?:气温|天气|多少度))|司库|船棚|管理员|会费|协会的", _topic),
    (
        r"^(.+?)(?:是|在)?哪一?年(建成|建造|开放|开通|出版|创立|成立|出生|完成|签署|去世)的?$",
        lambda m, t: _one(chain(m[1], "year", m[2])),
    ),
    (
        r"^(.+?)(?:是)?(?:在)?(?:哪里|哪儿|哪个城市|哪个地方)(出生|来自|举行|签署|发源)的?$",
        lambda m, t: _one(chain(m[1], "relation", m[2])),
    ),
    (
        r"^(.+?)(出生|葬|挂|来自|举行|发源)(?:于|在)?(?:哪里|哪儿|哪个城市|哪个地方)$",
        lambda m, t: _one(chain(m[1], "relation", m[2])),
    ),
    (r"^谁(设计|建造|写|画|创立)了?(.+)$", lambda m, t: _one(chain(m[2], "relation", m[1]))),
    (r"^(.+?)有多少(人|页|级|公里)", lambda m, t: _one(chain(m[1], "number", m[2]))),
    (r"^(.+的.+?)(?:是谁|是什么|是哪里|叫什么)$", lambda m, t: _one(chain(m[1], "name"))),
)
