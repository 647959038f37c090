"""Real models: any OpenAI-compatible endpoint, over httpx (notebook 10).

`client` is what you use; `wire` and `streaming` turn messages into JSON and back,
`retrying` decides about another try, `problems` names what can go wrong, `settings` holds
the key, and `transport` is the one module of the kit that imports httpx.
"""

from .client import OpenAICompatibleLLM
from .problems import (
    BrokenReply,
    ConnectionFailed,
    ContentFiltered,
    EndpointError,
    RateLimited,
    RequestRefused,
    ServerFailed,
    TimedOut,
)
from .settings import Secret

__all__ = [
    "BrokenReply",
    "ConnectionFailed",
    "ContentFiltered",
    "EndpointError",
    "OpenAICompatibleLLM",
    "RateLimited",
    "RequestRefused",
    "Secret",
    "ServerFailed",
    "TimedOut",
]
