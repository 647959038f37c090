"""Runs that outlive the kernel: JSON, and the redaction every export goes through."""

from .json_runs import run_from_json, run_to_json
from .redaction import redact, redact_run

__all__ = ["redact", "redact_run", "run_from_json", "run_to_json"]
