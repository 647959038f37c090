"""Find exercises and quizzes by number; a notebook's module is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from ..errors import UsageError
from .records import Exercise, Question


def notebooks() -> tuple[str, ...]:
    """Return the numbers of the notebooks that have exercises, such as "01"."""
    names = (module.name for module in iter_modules(import_module(__package__).__path__))
    return tuple(sorted(name[2:] for name in names if name.startswith("nb")))


def load_exercises(notebook: str) -> tuple[Exercise, ...]:
    """Return a notebook's exercises; raise UsageError where it has none."""
    return tuple(_module(notebook).EXERCISES)


def find_exercise(number: str) -> Exercise:
    """Return the exercise with a number such as "01.2"; raise UsageError if there is none."""
    if not isinstance(number, str) or "." not in number:
        raise UsageError(f'an exercise has a number in quotes such as "01.2", got {number!r}')
    found = load_exercises(number.split(".")[0])
    for exercise in found:
        if exercise.id == number:
            return exercise
    raise UsageError(f"no exercise {number!r}: there are {', '.join(e.id for e in found)}")


def find_questions(notebook: str) -> tuple[Question, ...]:
    """Return a notebook's quiz; raise UsageError where it has none."""
    return tuple(_module(notebook).QUIZ)


def _module(notebook: str) -> ModuleType:
    if notebook not in notebooks():
        known = ", ".join(notebooks())
        raise UsageError(f"notebook {notebook!r} has no exercises: choose from {known}")
    return import_module(f".nb{notebook}", __package__)
