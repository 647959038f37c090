"""A row of buttons acts on each click once, in whatever order the page's messages come."""

from __future__ import annotations

import asyncio

import pytest

from react_lab.errors import UsageError
from react_lab.widgets import actions as module
from react_lab.widgets.actions import Actions

CLICK = "click"


def played(messages, *, loop: bool) -> list[str]:
    """Return what was done after messages: a name is a change of the index, CLICK a click."""
    done: list[str] = []
    row = Actions({name: lambda name=name: done.append(name) for name in "abc"})

    def send():
        for message in messages:
            if message == CLICK:
                row._handle_custom_msg({"event": "click"}, [])
            else:
                row.set_state({"index": "abc".index(message)})

    async def wait_for_all():
        send()
        await asyncio.sleep(3 * module.GRACE)

    if loop:
        asyncio.run(wait_for_all())
    else:
        send()
    return done


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize(
    ("messages", "done"),
    [
        (["a", CLICK], "a"),
        (["a", CLICK, CLICK, CLICK], "aaa"),
        (["a", CLICK, "b", CLICK, "a", CLICK], "aba"),
        (["a", CLICK, "b", CLICK, CLICK], "abb"),
        ([CLICK], ""),
    ],
)
def test_each_click_counts_once(monkeypatch, messages, done, loop):
    monkeypatch.setattr(module, "GRACE", 0.01)
    assert played(messages, loop=loop) == list(done)


@pytest.mark.parametrize(
    ("messages", "done"),
    [
        (["a", CLICK, CLICK, "b"], "ab"),  # the change to b was held back behind its click
        (["a", CLICK, CLICK, CLICK, "b"], "aab"),
        (["a", CLICK, CLICK, "b", CLICK], "abb"),
        (["a", CLICK, CLICK, "b", CLICK, "c"], "abc"),
    ],
)
def test_a_click_that_comes_before_its_change(monkeypatch, messages, done):
    monkeypatch.setattr(module, "GRACE", 0.01)
    assert played(messages, loop=True) == list(done)


def test_a_click_long_after_the_last_change_is_acted_on_at_once(monkeypatch):
    done: list[str] = []
    row = Actions({"a": lambda: done.append("a")})

    async def click_again():
        row.set_state({"index": 0})
        row._handle_custom_msg({"event": "click"}, [])
        row._handle_custom_msg({"event": "click"}, [])
        assert done == ["a"]  # it waits for a change that may be on its way
        monkeypatch.setattr(module, "SETTLED", 0)
        row._handle_custom_msg({"event": "click"}, [])
        assert done == ["a", "a"]

    asyncio.run(click_again())


def test_pressing_by_name():
    done: list[str] = []
    row = Actions({"a": lambda: done.append("a")})
    row.press("a")
    assert done == ["a"]
    with pytest.raises(UsageError, match="no button 'b': choose from a"):
        row.press("b")
