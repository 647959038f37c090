"""Where the endpoint is and how it is asked: arguments first, then the environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ...errors import UsageError

BASE_URL, MODEL, API_KEY = "REACT_LAB_BASE_URL", "REACT_LAB_MODEL", "REACT_LAB_API_KEY"
_HIDDEN = "***"
_EXAMPLE = "http://127.0.0.1:8080/v1"


class Secret:
    """Hold a key that never prints: not by repr, str, format, copy, asdict or pickle.

    A pickled Secret carries nothing; where it is read again, REACT_LAB_API_KEY of that
    process takes its place. `problem` says what is wrong with the key, without the key.

    >>> f"{Secret('sk-123')} {[Secret('sk-123')]}"
    '*** [Secret(set)]'
    """

    __slots__ = ("_reveal", "problem")

    def __init__(self, value: str | Secret | None = None) -> None:
        text = value.reveal() if isinstance(value, Secret) else (value or "").strip()
        usable = text.isascii() and text.isprintable() and " " not in text
        self._reveal: Callable[[], str] = lambda: text
        self.problem = (
            ""
            if usable
            else ("the API key holds blanks, line breaks or characters beyond ASCII: copy it again")
        )

    @classmethod
    def or_environment(cls, value: str | Secret | None) -> Secret:
        """Return the given key, or that of REACT_LAB_API_KEY."""
        return cls(os.environ.get(API_KEY) if value is None else value)

    def reveal(self) -> str:
        """Return the key: for the request's header and for nothing else."""
        return self._reveal()

    def scrub(self, text: str, shortest: int = 12) -> str:
        """Return a text without the key; keys shorter than `shortest` are words, not keys."""
        key = self._reveal()
        return text.replace(key, _HIDDEN) if len(key) >= shortest and key in text else text

    def __bool__(self) -> bool:
        return bool(self._reveal())

    def __repr__(self) -> str:
        return f"Secret({'set' if self else 'empty'})"

    def __str__(self) -> str:
        return _HIDDEN

    def __format__(self, spec: str) -> str:
        return _HIDDEN

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: Any) -> Secret:
        return self

    def __reduce__(self) -> tuple[Callable[[], Secret], tuple[()]]:
        return _from_environment, ()


def _from_environment() -> Secret:
    return Secret(os.environ.get(API_KEY))


def setting(given: str | None, name: str, example: str) -> str:
    """Return an argument, or the environment's value; raise UsageError without either."""
    value = given if given is not None else os.environ.get(name, "")
    if not value.strip():
        what = name.removeprefix("REACT_LAB_").lower()
        raise UsageError(f"no {what}: pass {what}={example!r} or set {name}")
    return value.strip()


def checked_url(url: str) -> str:
    """Return a base URL without a closing slash; raise UsageError for one that cannot work."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port beyond 65535, a bracket that never closes
        usable = None
    if not usable:
        shown = url.partition("?")[0].rpartition("@")[2]
        raise UsageError(f"base_url {shown!r} is no http address: write one such as {_EXAMPLE!r}")
    if parts.username or parts.password:
        raise UsageError("base_url holds a user name or password: pass the key as api_key instead")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


@lru_cache(maxsize=32)
def endpoint(base_url: str, path: str) -> str:
    """Return the address of one of the endpoint's services; a query stays at the end."""
    parts = urlsplit(base_url)
    return urlunsplit((parts.scheme, parts.netloc, f"{parts.path}/{path}", parts.query, ""))


def public_url(url: str) -> str:
    """Return a URL as it may be shown: without query, user name and password."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
