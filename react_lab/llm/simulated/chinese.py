"""Step 2 in Chinese: the same grammar for the other half of the kit's prompts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from .chinese_phrases import (
    COUNTER,
    common_date,
    digits,
    items,
    place_name,
    quantity,
    temperature,
    total,
    valued,
)
from .lookups import CHINESE, CHINESE_FIRST
from .numbers import chinese_sum
from .plan import Formula, Need, Plan
from .ranking import CHINESE_LIST, CHINESE_PRICE, CHINESE_WARMTH, best_of, names_in

Node = str | Need | Formula
_POLITE = re.compile(r"^(?:请问|请告诉我|请计算|请|计算一下|计算|算一下|我想知道|你好)[，,]?")
_COLD = re.compile(r"低|冷|凉")
_TAIL = r"(?:是|为|等于)?(?:多少|几)?(?:摄氏)?(?:度|元|欧元|欧)?"


@lru_cache(maxsize=256)
def understand(question: str) -> Plan | None:
    """Return the plan for a question, or None outside the grammar."""
    text = re.sub(r"\s+", " ", question).strip()
    text = re.split(r"(?<=[。！？])(?=.)", text)[-1].rstrip("？?。.！! ")
    text = _POLITE.sub("", _POLITE.sub("", text))
    bare = re.sub(r"(?:的结果)?(?:是|等于|=)?(?:多少|几)$", "", text).strip()
    if expression := chinese_sum(bare):
        return Plan((Need("sum", (("expression", expression),)),), valued(""))
    for pattern, build in (*CHINESE_FIRST, *FRAMES, *CHINESE):
        if (match := re.search(pattern, text)) and (plan := build(match, text)):
            return plan
    return None


def _warmer_by(match: re.Match[str], text: str) -> Plan:
    one, two = temperature(match[1], common_date(text)), temperature(match[2], common_date(text))
    if not two.slots[0][1]:
        two = Need("weather", (one.slots[0], two.slots[1]), "temperature")
    cold = bool(_COLD.search(match[3]))
    names = [place_name(need, one.slots[1] != two.slots[1]) for need in (one, two)]

    def say(values: Sequence[str]) -> str:
        colder = cold != values[0].startswith("-")
        return f"{names[0]}比{names[1]}{'低' if colder else '高'} {values[0].lstrip('-')} °C。"

    return Plan((total(Formula("{0} - {1}", (two, one) if cold else (one, two))),), say)


def _is_warmer(match: re.Match[str], text: str) -> Plan:
    needs = tuple(temperature(place, common_date(text)) for place in (match[1], match[2]))
    cold = bool(_COLD.search(match[3]))

    def say(values: Sequence[str]) -> str:
        one, two = map(float, values)
        yes = one < two if cold else one > two
        return f"{'是' if yes else '否'}：{place_name(needs[0], False)} {values[0]} °C，{place_name(needs[1], False)} {values[1]} °C。"

    return Plan(needs, say)


def _which(match: re.Match[str], text: str) -> Plan | None:
    needs = [temperature(name, common_date(text)) for name in names_in(match["list"], CHINESE_LIST)]
    return best_of(
        needs, match["word"], lambda i, value: f"{place_name(needs[i], False)}（{value} °C）"
    )


def _weather(match: re.Match[str], text: str) -> Plan:
    return Plan(
        (Need("weather", temperature(match[1], common_date(text)).slots, "weather"),), valued("")
    )


def _warm(match: re.Match[str], text: str) -> Plan:
    return Plan((temperature(match[1], common_date(text)),), valued("°C"))


def _fahrenheit(match: re.Match[str], text: str) -> Plan:
    need = temperature(match[1], common_date(text))
    return Plan((total(Formula("{0} * 9 / 5 + 32", (need,))),), valued("°F"))


def _rain(match: re.Match[str], text: str) -> Plan:
    need = temperature(match[1], common_date(text))
    return Plan(
        (Need("weather", need.slots, "rain"),),
        lambda v: {"yes": "会下雨。", "no": "不会下雨。"}[v[0]],
    )


def _clock(match: re.Match[str], text: str) -> Plan:
    city = re.sub(r"^(?:现在|请问)|(?:现在|当地|的)+$", "", match[1]).strip()
    return Plan((Need("time", (("city", city),) if city else (), "time"),), valued(""))


def _cost(match: re.Match[str], text: str) -> Plan | None:
    node = items(re.sub(r"(?:一共|总共|合计|共|的?(?:总价|价格|单价)|各)+$", "", match[1]))
    return Plan((total(node),), valued("EUR")) if node else None


def _change(match: re.Match[str], text: str) -> Plan | None:
    node = items(match[2])
    return Plan((total(Formula(f"{match[1]} - {{0}}", (node,))),), valued("EUR")) if node else None


def _afford(match: re.Match[str], text: str) -> Plan | None:
    node = items(match[2])
    if not isinstance(node, Need):
        return None
    return Plan(
        (total(Formula(f"{match[1]} / {{0}}", (node,))),),
        lambda values: f"{int(float(values[0]))}",
    )


def _dearer(match: re.Match[str], text: str) -> Plan | None:
    one, two = items(match[1]), items(match[2])
    pair = (two, one) if "便宜" in match[3] else (one, two)
    return Plan((total(Formula("{0} - {1}", pair)),), valued("EUR")) if one and two else None  # type: ignore[arg-type]


def _cheaper(match: re.Match[str], text: str) -> Plan | None:
    names = names_in(match["list"], CHINESE_LIST)
    nodes = [items(name) for name in names]

    def say(place: int, value: str) -> str:
        node = nodes[place]
        name = node.slots[0][1] if isinstance(node, Need) else names[place]
        return f"{name}（{value} EUR）"

    return best_of([total(node) if node else None for node in nodes], match["word"], say)


def _stock(match: re.Match[str], text: str) -> Plan | None:
    node = items(re.sub(r"^(?:商店里?|店里)?(?:的|有)?|的$", "", match[1]))
    return (
        Plan((Need("price", node.slots, "stock"),), valued("件"))
        if isinstance(node, Need)
        else None
    )


def _quantity_plan(match: re.Match[str], text: str) -> Plan | None:
    found = quantity(digits(re.sub(_TAIL + "$", "", match[1])), common_date(text))
    return Plan((total(found[0]),), valued(found[1])) if found else None


Frame = tuple[str, Callable[[re.Match[str], str], "Plan | None"]]
FRAMES: tuple[Frame, ...] = (
    (r"(.+?)比(.*?)(暖和|热|高|低|冷|凉快?)(?:了)?(?:多少|几)", _warmer_by),
    (r"(.+?)(?:是否|是不是)?比(.+?)(?:更)?(暖和|热|高|低|冷|凉快?)(?:吗|么|$)", _is_warmer),
    *((pattern, _which) for pattern in CHINESE_WARMTH),
    (r"(.+?)的?(?:气温|温度)?(?:是|有)?(?:多少|几)?华氏", _fahrenheit),
    (r"(.+?)(?:会不会|会|有没有|是否会?|在)?(?:下雨|有雨|带伞)", _rain),
    (r"(.*?)(?:现在)?(?:是)?(?:几点|什么时间|的时间)", _clock),
    (r"(.+?)比(.+?)(贵|便宜)(?:了)?多少", _dearer),
    *((pattern, _cheaper) for pattern in CHINESE_PRICE),
    (
        r"(\d+(?:\.\d+)?) ?(?:欧元|EUR|元|欧)(?:可以|能|最多|够)*买?(?:可以|能)?(?:多少|几)"
        + COUNTER
        + r"?(.+)",
        _afford,
    ),
    (
        r"(?:付|用|给|有)?(\d+(?:\.\d+)?) ?(?:欧元|EUR|元|欧)[，,]?(?:买|购买)(.+?)[，,]?(?:后|应|还|剩|找)",
        _change,
    ),
    (r"(.+?)(?:的)?(?:库存(?:有|是|还有)?(?:多少)?|还有多少(?:件|库存))", _stock),
    (r"(.+)的?天气(?!温)(?:怎么样|如何|怎样|好吗|是什么)?", _weather),
    (r"(.*(?:减|加|乘|除|平均|温差|差价|价格差|%|百分之|一半|两倍).*)", _quantity_plan),
    (
        r"(.+?)(?:一共|总共|合计|共)?(?:的?(?:总价|价格|单价))?(?:要|需要|得|是|卖|花)?(?:多少钱|多少欧元|多少元|什么价)",
        _cost,
    ),
    (r"(.+?)的(?:总价|价格|单价)", _cost),
    (r"(.+?)的?(?:气温|温度)?(?:是|有)?(?:多少度|多少摄氏度|几度|多热|多冷)", _warm),
    (r"(.+?)的?(?:气温|温度)(?:是|有)?(?:多少|几|$)", _warm),
    (r"(.+)", _quantity_plan),
)
