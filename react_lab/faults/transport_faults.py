"""Faults T1 to T10: what happens between us and the endpoint.

Raised here as a client would report them, so that they need no server; the test suite
raises the same ones at the HTTP level too, from a local stub server.
"""

from __future__ import annotations

from dataclasses import replace

from ..errors import LLMError
from ..records import Completion
from .definition import Moment, fault
from .reply_parts import read_parts
from .schedules import EveryTime


class TransportFault(LLMError):
    """Say how a call failed: `status` is the HTTP status, `transient` invites one retry.

    `retry_after` is what the server asked to wait, in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        transient: bool = True,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{message} (simulated)")
        self.status = status
        self.transient = transient
        self.retry_after = retry_after


@fault(
    seam="transport",
    id="T1",
    recovery="One retry; the number of steps stays the same.",
    evidence=("AgentChaos llm_timeout_*",),
)
def timeout(reply: Completion, moment: Moment) -> Completion:
    """The endpoint does not answer in time."""
    raise TransportFault("no reply within 60 seconds")


@fault(
    seam="transport",
    id="T2",
    recovery="One retry after the wait the header asks for, capped.",
    evidence=("smolagents PR#2107", "pi#9595", "MemOS#1620", "Helicone#5672"),
)
def too_many_requests(reply: Completion, moment: Moment) -> Completion:
    """The endpoint answers 429 and says when to come back."""
    raise TransportFault("HTTP 429: too many requests", status=429, retry_after=0.0)


@fault(
    seam="transport",
    id="T3",
    recovery="A bounded retry, then a typed error that ends the run as llm_error.",
    evidence=("AgentChaos llm_error_burst",),
)
def server_error(reply: Completion, moment: Moment) -> Completion:
    """The endpoint answers 500 or 503."""
    status = moment.random.choice([500, 503])
    raise TransportFault(f"HTTP {status}: the server failed", status=status)


@fault(
    seam="transport",
    id="T4",
    recovery="No retry, for it would fail again; the run ends as llm_error and says why.",
    expected="safe stop",
    evidence=("smolagents#1671", "litellm#10080"),
    schedule=EveryTime(),
)
def bad_request(reply: Completion, moment: Moment) -> Completion:
    """The endpoint answers 400 or 401: the request itself is wrong."""
    status, why = moment.random.choice([(400, "bad request"), (401, "the key is not valid")])
    raise TransportFault(f"HTTP {status}: {why}", status=status, transient=False)


@fault(
    seam="transport",
    id="T5",
    recovery="Half a reply is never read as a reply; the call is made again.",
    evidence=("AgentChaos", "LLMock", "pytest-llmchaos"),
)
def stream_cut(reply: Completion, moment: Moment) -> Completion:
    """The stream ends half-way, with no end mark."""
    raise TransportFault(f"the stream ended after {len(reply.text) // 2} characters, unfinished")


@fault(
    seam="transport",
    id="T6",
    recovery="A typed error, and one retry.",
    evidence=("AgentChaos compound_proxy_html",),
)
def html_body(reply: Completion, moment: Moment) -> Completion:
    """A proxy answers with an HTML page, or the JSON is broken."""
    raise TransportFault("the body is not JSON: '<html><h1>502 Bad Gateway</h1>'")


@fault(
    seam="transport",
    id="T7",
    recovery="A typed error, not an IndexError, and one retry.",
    evidence=("keep PR#6705", "FastChat PR#3874", "agentops#176"),
)
def no_choices(reply: Completion, moment: Moment) -> Completion:
    """The endpoint answers 200 with an empty list of choices."""
    raise TransportFault("the reply has no choices", status=200)


@fault(
    seam="transport",
    id="T8",
    recovery="The run ends as content_filter, with no silent loop.",
    expected="safe stop",
    evidence=("agent-zero#1747",),
)
def content_filter(reply: Completion, moment: Moment) -> Completion:
    """The endpoint's content filter withholds the reply."""
    return replace(reply, text="", tool_calls=(), finish_reason="content_filter")


@fault(
    seam="transport",
    id="T9",
    recovery="The cut action is not run; the run ends as truncated and says what to raise.",
    expected="safe stop",
    evidence=("pi PR#6285", "agent-zero#1836", "vllm#58228"),
)
def length_limit(reply: Completion, moment: Moment) -> Completion:
    """The reply is cut at the token limit."""
    text = _cut_inside(reply.text)
    cut = read_parts(text)
    if cut and cut.tool:
        moment.plant(cut.tool, cut.input)
    return replace(reply, text=text, finish_reason="length")


@fault(
    seam="transport",
    id="T10",
    recovery="No content counts as an empty reply: a format error, and the model is asked again.",
    evidence=("agent-zero#950",),
)
def null_content(reply: Completion, moment: Moment) -> Completion:
    """The content of the reply is null."""
    return replace(reply, text="", tool_calls=())


def _cut_inside(text: str) -> str:
    """Cut a reply inside its input or its answer, where what is left still reads well."""
    parts = read_parts(text)
    inside = (parts.answer or parts.input) if parts else text
    return text[: text.rfind(inside) + max(1, len(inside) // 4)]


TRANSPORT_FAULTS = (
    timeout,
    too_many_requests,
    server_error,
    bad_request,
    stream_cut,
    html_body,
    no_choices,
    content_filter,
    length_limit,
    null_content,
)
