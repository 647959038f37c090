"""Tasks with gold answers, and intervals for what is measured on them (notebook 11)."""

from .generated import generate_tasks
from .gold import ABSTAIN
from .intervals import wilson
from .tasks import TASKS, Task, check_answer, tasks_in

__all__ = ["ABSTAIN", "TASKS", "Task", "check_answer", "generate_tasks", "tasks_in", "wilson"]
