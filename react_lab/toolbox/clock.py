"""A clock that stands still: the world's time is fixed, so that runs compare."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

from ..errors import ToolFailure
from ..tools import Tool, tool
from .world import CITIES, TODAY, WEEKDAYS_ZH, close_names, find_city

NOON = datetime(TODAY.year, TODAY.month, TODAY.day, 12, 0, tzinfo=UTC)


def make_clock(now: Callable[[], datetime] = lambda: NOON, language: str = "en") -> Tool:
    """Return a clock tool; `now` gives the time, with its zone."""

    def clock(city: str = "London") -> str:
        found = find_city(city)
        if found is None:
            near = close_names(city, [c.named(language) for c in CITIES])
            raise ToolFailure(_unknown(city, near, language))
        zone = timezone(timedelta(hours=found.offset))
        local = now().astimezone(zone)
        if language == "zh":
            return (
                f"{found.zh}：{local:%H:%M}，{local:%Y-%m-%d}（周{WEEKDAYS_ZH[local.weekday()]}）"
            )
        return f"{found.name}: {local:%H:%M} on {local:%A %Y-%m-%d} ({zone})"

    clock.__doc__ = _DESCRIPTION[language]
    return tool(clock, timeout=None, repeatable=True)


def _unknown(city: str, near: list[str], language: str) -> str:
    if language == "zh":
        return f"没有城市 {city!r} 的时间。" + (f"你是不是想查 {'、'.join(near)}？" if near else "")
    return f"no time for a city named {city!r}." + (
        f" Did you mean {', '.join(near)}?" if near else ""
    )


_DESCRIPTION = {
    "en": """Return the local time and date of one city. Use it whenever the current time or date matters. Example: city Tokyo.

    Args:
        city: the name of one city, such as Tokyo
    """,
    "zh": """查询一个城市的当地时间和日期。需要当前时间或日期时使用。例如：city 东京。

    参数：
        city: 一个城市的名称，例如 东京
    """,
}
clock = make_clock()
