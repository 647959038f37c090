"""A quiz: a widget where there is a kernel, a static page where there is none, plain text.

The options are toggle buttons and not radio buttons: in a notebook the arrow keys of a
radio button move the selected cell instead of the choice.
"""

from __future__ import annotations

import html
from functools import cached_property
from typing import Any

from ..errors import UsageError
from .records import Question
from .registry import find_questions


def quiz(notebook: str) -> Quiz:
    """Return the quiz of a notebook, such as "01"."""
    return Quiz(notebook, find_questions(notebook))


class Quiz:
    """Show questions with options; `answer(1, "b")` gives in code what Check gives."""

    def __init__(self, notebook: str, questions: tuple[Question, ...]) -> None:
        self.notebook, self.questions = notebook, questions

    def answer(self, number: int, letter: str) -> str:
        """Return the verdict for an option of question `number`, counted from 1."""
        question = self._question(number)
        chosen = letter.strip().lower() if isinstance(letter, str) else letter
        if chosen not in question.options:
            raise UsageError(f"no option {letter!r}: choose from {', '.join(question.options)}")
        verdict = "Right." if chosen == question.right else "Not this one."
        return f"{verdict} {question.options[chosen][1]}"

    def hint(self, number: int) -> str:
        """Return the hint of a question."""
        return self._question(number).hint

    def to_text(self) -> str:
        """Return the questions and options as plain text."""
        lines = [f"Quiz {self.notebook}. {self._in_code()}"]
        for number, question in enumerate(self.questions, 1):
            lines.append(f"{number}. {question.text}")
            lines += [f"   {letter}) {text}" for letter, (text, _) in question.options.items()]
        return "\n".join(lines)

    __str__ = to_text

    def to_html(self) -> str:
        """Return the questions and options as a static, escaped page."""
        numbers = range(1, len(self.questions) + 1)
        body = "".join(self._question_html(number) for number in numbers)
        return f"<div><p>Quiz {self.notebook}. {html.escape(self._in_code())}</p>{body}</div>"

    def __repr__(self) -> str:
        return f"Quiz {self.notebook}, {len(self.questions)} questions. Run this cell to use it."

    def _in_code(self) -> str:
        return f"Answer in code with quiz({self.notebook!r}).answer(1, 'b')."

    def _question(self, number: int) -> Question:
        if number not in range(1, len(self.questions) + 1):
            raise UsageError(f"no question {number!r}: there are 1 to {len(self.questions)}")
        return self.questions[number - 1]

    def _question_html(self, number: int) -> str:
        question = self._question(number)
        items = "".join(
            f"<div>{letter}) {html.escape(text)}</div>"
            for letter, (text, _) in question.options.items()
        )
        return f"<p><b>{number}. {html.escape(question.text)}</b></p>{items}"

    @cached_property
    def box(self) -> Any:
        """Return the widget: for each question its options, Check, Hint and the verdict."""
        import ipywidgets as widgets

        return widgets.VBox([self._row(widgets, n) for n in range(1, len(self.questions) + 1)])

    def _row(self, widgets: Any, number: int) -> Any:
        choice = widgets.ToggleButtons(
            options=list(self._question(number).options),
            value=None,
            description=f"Answer {number}",
            style={"button_width": "3em"},
        )
        verdict = widgets.HTML(_status(""))
        check = _button(widgets, f"Check {number}", lambda: self._verdict(number, choice), verdict)
        hint = _button(widgets, f"Hint {number}", lambda: self.hint(number), verdict)
        shown = widgets.HTML(self._question_html(number))
        return widgets.VBox([shown, choice, widgets.HBox([check, hint]), verdict])

    def _verdict(self, number: int, choice: Any) -> str:
        return (
            "Choose an answer first." if choice.value is None else self.answer(number, choice.value)
        )

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None, **options: Any
    ) -> dict[str, Any]:
        bundle = self.box._repr_mimebundle_(**options)
        data = dict(bundle[0] if isinstance(bundle, tuple) else bundle)
        return data | {"text/plain": repr(self), "text/html": self.to_html()}


def _button(widgets: Any, name: str, say: Any, verdict: Any) -> Any:
    def clicked(_: Any) -> None:
        try:
            verdict.value = _status(say())
        except Exception as error:  # an exception in a callback would show nowhere
            verdict.value = _status(f"{type(error).__name__}: {error}")

    button = widgets.Button(description=name, layout={"width": "auto"})
    button.on_click(clicked)
    return button


def _status(text: str) -> str:
    return f'<div role="status">{html.escape(text)}</div>'
