"""Exercises with checks, hints and solutions, quizzes, and progress.

To add an exercise, in five lines:

1. write an `Exercise` into `EXERCISES` of `exercises/nbNN.py`: goal, stub (its body raises
   NotImplementedError), checks, three hints, a solution;
2. add two or more wrong solutions, each with the part of the message it must get;
3. put `exercise_text("NN.k")` and `exercise_cell("NN.k")` into the notebook as two cells;
4. import only what the notebook and those before it have shown;
5. run `pytest tests/test_exercises.py`. It proves that the stub is "not attempted", that
   the solution passes within a second, that each wrong solution fails for its own reason,
   that a learner's function which raises, hangs or returns nonsense is "not yet", and that
   the notebook's cells are the definition's.

A quiz is a tuple `QUIZ` of three to five `Question`s in the same module. Checks run the
learner's own object; a `Check` whose `run` is `calling(...)` also notices changed input.
"""

from .engine import check, exercise_cell, exercise_text, hint, solution
from .progress import progress
from .quiz import quiz
from .records import Check, Exercise, Question, calling
from .registry import find_exercise, find_questions, load_exercises, notebooks

__all__ = [
    "Check",
    "Exercise",
    "Question",
    "calling",
    "check",
    "exercise_cell",
    "exercise_text",
    "find_exercise",
    "find_questions",
    "hint",
    "load_exercises",
    "notebooks",
    "progress",
    "quiz",
    "solution",
]
