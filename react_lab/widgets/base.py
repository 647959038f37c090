"""What all widgets share: few parts, callbacks that cannot fail unseen, a picture that stays.

A widget is a `Shell`: a handful of traits for its state, and a box of `Parts` that show it.
To write one, subclass `Shell`; in `__init__` make the parts, connect them with
`self.safely(...)` and set `self.box`; then say how it looks without a kernel (`to_html`)
and as text (`to_text`).

Rules that the parts follow:

- Every text of a model or a tool goes through `react_lab.views`; nothing else makes HTML.
- A choice is a row of buttons. Arrow keys in a drop-down, a list or a radio button move
  JupyterLab's cell selection instead of the choice.
- An exception in a callback would show nowhere in a notebook: `safely` shows it in the widget.
- ipywidgets opens a channel for each widget and one more for each layout and style. All
  parts of one `Parts` share one layout and one style; a style sheet does what layouts did.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any

import ipywidgets
import traitlets

from ..errors import UsageError
from ..views.escape import block, show
from .actions import Actions
from .background import start

Update = Callable[..., None]


_KINDS = (ipywidgets.ToggleButtons, ipywidgets.IntSlider, ipywidgets.HTML, ipywidgets.Text)
#: One style that every kind of part accepts, so that all parts can share one channel.
_Style: Any = type("_Style", tuple(kind.style.klass for kind in _KINDS), {})


class Parts:
    """Make the parts of one widget, all with one layout and one style."""

    def __init__(self) -> None:
        self._shared = {"layout": ipywidgets.Layout(), "style": _Style()}

    def html(self, value: str = "", role: str = "") -> Any:
        """Return a piece of HTML; its value must come from `react_lab.views`."""
        return ipywidgets.HTML(value, _dom_classes=_classes(role), **self._shared)

    def choices(
        self, options: Iterable[str], label: str = "", role: str = "choices", **state: Any
    ) -> Any:
        """Return a row of buttons of which one is pressed."""
        return ipywidgets.ToggleButtons(
            options=tuple(options),
            description=label,
            _dom_classes=_classes(role),
            **state,
            **self._shared,
        )

    def actions(
        self, actions: Mapping[str, Callable[[], Any]], label: str = "", role: str = "actions"
    ) -> Actions:
        """Return a row of buttons that each do something; one channel for all of them."""
        return Actions(actions, description=label, _dom_classes=_classes(role), **self._shared)

    def slider(self, label: str, largest: int, value: int = 1) -> Any:
        """Return a slider from 1 to `largest`."""
        return ipywidgets.IntSlider(
            value, 1, largest, description=label, _dom_classes=_classes("slider"), **self._shared
        )

    def number(self, label: str, value: int, largest: int) -> Any:
        """Return a field for a whole number from 1 to `largest`."""
        return ipywidgets.BoundedIntText(
            value,
            min=1,
            max=largest,
            description=label,
            _dom_classes=_classes("number"),
            **self._shared,
        )

    def text(self, label: str, value: str = "", rows: int = 5) -> Any:
        """Return a field for several lines of text."""
        return ipywidgets.Textarea(
            value, description=label, rows=rows, _dom_classes=_classes("text"), **self._shared
        )

    def box(self, children: Iterable[Any], role: str) -> Any:
        """Return a box; how its children stand is said in the style sheet, by `role`."""
        return ipywidgets.VBox(
            tuple(children), layout=self._shared["layout"], _dom_classes=_classes(f"box {role}")
        )


class Shell(traitlets.HasTraits):  # type: ignore[misc]
    """Be a widget: `box` is what a notebook shows, `notice` the last thing it said."""

    notice = traitlets.Unicode()

    def __init__(self, **state: Any) -> None:
        super().__init__(**state)
        self.box: Any = None
        self._tasks: set[Any] = set()

    def to_text(self) -> str:
        """Return what the widget shows, as text."""
        raise NotImplementedError

    def to_html(self) -> str:
        """Return a picture of the widget that needs no kernel and no script."""
        raise NotImplementedError

    def safely(self, action: Callable[..., Any]) -> Update:
        """Wrap a callback: an exception becomes the notice, a good end clears it."""

        def callback(*args: Any) -> None:
            try:
                self.notice = ""
                action(*args)
            except Exception as error:
                self.notice = f"{type(error).__name__}: {error}"

        return callback

    def in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start something that goes on while the page stays free; its exception is shown."""
        try:
            task = start(self._watched(work))
        except UsageError:
            work.close()
            raise
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watched(self, work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except Exception as error:
            self.notice = f"{type(error).__name__}: {error}"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        live = self.box._repr_mimebundle_()
        bundle = dict(live[0] if isinstance(live, tuple) else live)
        return bundle | {"text/plain": repr(self), "text/html": self.to_html()}


def notice_html(text: str) -> str:
    """Return a notice that a screen reader announces; nothing for an empty one."""
    return f'<div role="status" class="react-lab-notice">{show(text, 2_000)}</div>' if text else ""


def code_html(code: str) -> str:
    """Return the line that does the same without the widget."""
    return f'<div class="react-lab-code">The same in code{block(code)}</div>'


def style_sheet() -> str:
    """Return the style sheet that the parts' roles stand in."""
    from importlib.resources import files

    return f"<style>{(files(__package__) / 'widgets.css').read_text('utf-8')}</style>"


def _classes(role: str) -> tuple[str, ...]:
    return tuple(f"react-lab-{name}" for name in role.split())
