"""Keep keys out of everything that leaves the notebook.

A run holds what was sent and received, and a key can be anywhere in it: pasted into a
question, echoed by an endpoint, printed by a tool. Exports replace what looks like a key,
and what the caller names.

>>> redact("Authorization: Bearer abc123def456")
'Authorization: Bearer [redacted]'
>>> redact("the word is xyzzy", secrets=["xyzzy"])
'the word is [redacted]'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..records import Messages, Run

REDACTED = "[redacted]"
#: Levels of lists and objects inside each other that are kept: no reader of ours makes more,
#: and what is nested without an end would end every export.
DEEPEST = 100
DEEPER = "[nested too deeply]"
_KEEP_NAME = (
    # a header, as text or inside JSON
    r"(?P<header>\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token)\s+)?)[^\s\"',;]{6,}",
    r"(?P<bearer>\bbearer\s+)[\w.~+/=-]{12,}",
    # name = value; a type such as `api_key: string` is too short to be a key
    r"(?P<named>\b(?:x[-_])?(?:api|access|auth|secret)[-_]?(?:key|token)[\"']?\s*[:=]\s*[\"']?)[\w.~+/=-]{12,}",
    r"(?P<password>\b(?:password|passwd)[\"']?\s*[:=]\s*[\"']?)[^\s\"',;]{6,}",
    r"(?P<cookie>\b(?:set-)?cookie[\"']?\s*:\s*[\"']?)[^\n\"']{8,}",
    r"(?P<user>\bhttps?://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)",
)
_WHOLE = (
    r"\bsk-[\w-]{12,}",
    r"\b(?:gh[pousr]_|github_pat_|glpat-|hf_|xox[abprs]-|pypi-|npm_|gsk_|xai-|r8_)[\w-]{12,}",
    r"\bA(?:KI|SI)A[A-Z0-9]{16}\b",
    r"\bAIza[\w-]{30,}",
    r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}",
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
)
_LOOKS_LIKE_A_KEY = re.compile("|".join([*_KEEP_NAME, *_WHOLE]), re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"authorization|api[-_]?key|password|secret|cookie|access[-_]?token", re.IGNORECASE
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace what looks like a key, and each of `secrets`, by `[redacted]`."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    return _LOOKS_LIKE_A_KEY.sub(_keep_name, text)


def redact_run(run: Run, secrets: Iterable[str] = ()) -> Run:
    """Return the run and its parents without keys; the same run where there are none."""
    line: list[Run] = []
    node: Run | None = run
    while node is not None:
        line.append(node)
        node = node.parent
    clean = _Cleaner(tuple(secrets))
    done: Run | None = None
    for found in reversed(line):
        alone = clean(found if found.parent is None else replace(found, parent=None))
        done = found if alone == found and done is found.parent else replace(alone, parent=done)
    assert done is not None
    return done


class _Cleaner:
    """Redact any record; what is shared is cleaned once, and what is clean stays as it is."""

    def __init__(self, secrets: tuple[str, ...]) -> None:
        self.secrets = secrets
        self.done: dict[int, tuple[Any, Any]] = {}
        self.level = 0

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            return redact(value, self.secrets)
        if isinstance(value, Mapping | list | tuple):
            return self._nested(value)
        if isinstance(value, Messages):
            return self._messages(value)
        return self._record(value) if is_dataclass(value) else value

    def _nested(self, value: Any) -> Any:
        if self.level == DEEPEST:
            return DEEPER
        self.level += 1
        try:
            if isinstance(value, Mapping):
                return self._mapping(value)
            cleaned = type(value)(map(self, value))
            return value if cleaned == value else cleaned
        finally:
            self.level -= 1

    def _mapping(self, value: Mapping[Any, Any]) -> Mapping[Any, Any]:
        cleaned = {self(key): self._item(key, item) for key, item in value.items()}
        return value if cleaned == value else cleaned

    def _item(self, key: Any, item: Any) -> Any:
        named = isinstance(key, str) and isinstance(item, str) and _SECRET_NAME.search(key)
        return REDACTED if named and item else self(item)

    def _record(self, value: Any) -> Any:
        if id(value) in self.done:
            return self.done[id(value)][1]
        old = {field.name: getattr(value, field.name) for field in fields(value)}
        new = {name: self(item) for name, item in old.items()}
        changed = {
            name: item for name, item in new.items() if item is not old[name] and item != old[name]
        }
        cleaned = replace(value, **changed) if changed else value
        self.done[id(value)] = value, cleaned  # the value too: its id must stay its own
        return cleaned

    def _messages(self, value: Messages) -> Messages:
        links: list[Messages] = []
        node: Messages | None = value
        while node is not None and id(node) not in self.done:
            links.append(node)
            node = node.parent
        done: Messages | None = None if node is None else self.done[id(node)][1]
        for link in reversed(links):
            added = self(link.added)
            same = added is link.added and done is link.parent
            done = link if same else Messages(added, done)
            self.done[id(link)] = link, done
        return value if done is None else done


def _keep_name(found: re.Match[str]) -> str:
    return next((name for name in found.groups() if name), "") + REDACTED
