"""Pure functions from runs to escaped HTML and to plain text; no widgets here.

Each `*_html` has a twin `*_text` that says the same. Model and tool text goes through
`escape.show` and its kin, and through nothing else.
"""

from .compare import aligned, compare_html, compare_text, first_difference, pair_html, pair_text
from .diff import diff_html, diff_text, prompt_diff
from .growth import growth, growth_html, growth_text
from .log import run_log
from .page import export_html, export_markdown
from .parse import parse_html, parse_text
from .prompt import prompt_html, prompt_text
from .run import run_html
from .step import step_html, step_text
from .tree import tree_html, tree_text

__all__ = [
    "run_html",
    "run_log",
    "step_html",
    "step_text",
    "prompt_html",
    "prompt_text",
    "prompt_diff",
    "diff_html",
    "diff_text",
    "parse_html",
    "parse_text",
    "growth",
    "growth_html",
    "growth_text",
    "tree_html",
    "tree_text",
    "aligned",
    "first_difference",
    "compare_html",
    "compare_text",
    "pair_html",
    "pair_text",
    "export_html",
    "export_markdown",
]
