"""Weather from a fixed offline table; what is not in it is refused, never invented."""

from __future__ import annotations

from datetime import date as Date
from functools import cache

from ..errors import ToolFailure
from ..tools import tool
from .world import CITIES, TODAY, WEEKDAYS_ZH, close_names, find_city, read_date, read_table

_SKY_ZH = {
    "clear": "晴",
    "sunny": "晴朗",
    "partly cloudy": "多云",
    "overcast": "阴",
    "light rain": "小雨",
    "heavy rain": "大雨",
    "fog": "雾",
    "thunderstorm": "雷阵雨",
}
_WET = ("light rain", "heavy rain", "thunderstorm")


@cache
def _table() -> dict[tuple[str, str], tuple[str, str]]:
    return {(r["city"], r["date"]): (r["celsius"], r["sky"]) for r in read_table("forecast.csv")}


@tool(timeout=None)
def weather(city: str, date: str = "today") -> str:
    """Return the weather of one city on one day: temperature in °C, sky, rain. Use it for any question about weather; it knows about two weeks around today. Example: city Lisbon, date tomorrow.

    Args:
        city: the name of one city, such as Lisbon
        date: today, tomorrow, yesterday or a date such as 2026-06-14
    """
    return report(city, date, "en")


@tool(name="weather", timeout=None)
def weather_zh(city: str, date: str = "今天") -> str:
    """查询一个城市某一天的天气：气温（°C）、天空、降雨。凡是天气问题都用它；只有今天前后约两周的数据。例如：city 里斯本，date 明天。

    参数：
        city: 一个城市的名称，例如 里斯本
        date: 今天、明天、昨天，或日期，例如 2026-06-14
    """
    return report(city, date, "zh")


def report(city: str, date: str, language: str) -> str:
    """Return one line; raise ToolFailure for a city or a day that is not in the table."""
    found, day = find_city(city), read_date(date)
    if found is None:
        raise ToolFailure(_unknown_city(city, language))
    if day is None:
        raise ToolFailure(
            f"看不懂日期 {date!r}；请写 今天、明天、昨天 或 2026-06-14 这样的日期"
            if language == "zh"
            else f"the date {date!r} cannot be read; write today, tomorrow, yesterday or a date such as 2026-06-14"
        )
    row = _table().get((found.name, day.isoformat()))
    if row is None:
        raise ToolFailure(_no_data(found.named(language), day, language))
    celsius, sky = row
    if language == "zh":
        rain = "有雨" if sky in _WET else "无雨"
        return f"{found.zh}，{day}（周{WEEKDAYS_ZH[day.weekday()]}）：{celsius} °C，{_SKY_ZH[sky]}，{rain}"
    return (
        f"{found.name}, {day:%A} {day}: {celsius} °C, {sky}, {'rain' if sky in _WET else 'no rain'}"
    )


def _unknown_city(city: str, language: str) -> str:
    near = close_names(city, [name for c in CITIES for name in (c.name, c.zh, *c.aliases)])
    if language == "zh":
        return f"没有城市 {city!r} 的数据。" + (f"你是不是想查 {'、'.join(near)}？" if near else "")
    return f"no data for a city named {city!r}." + (
        f" Did you mean {', '.join(near)}?" if near else ""
    )


def _no_data(name: str, day: Date, language: str) -> str:
    days = sorted(key[1] for key in _table())
    if language == "zh":
        return f"没有 {name} 在 {day} 的数据；数据范围是 {days[0]} 至 {days[-1]}，今天是 {TODAY}"
    return f"no data for {name} on {day}; the table runs from {days[0]} to {days[-1]}, today is {TODAY}"
