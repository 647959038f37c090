"""Faults B1 to B9: the reply is well formed, and the behaviour is wrong."""

from __future__ import annotations

from typing import Any

from ..records import Completion
from .definition import Moment, fault
from .reply_parts import Parts, earlier_calls
from .schedules import EveryTime
from .transport_faults import TransportFault
from .writing import on_action, on_answer, on_parts

_LAST_CALL = ("There is no step left", "没有剩余的步骤了")
_NO_TOOLS = ("Search the web for it", "python_repl", "browser")


@fault(
    seam="reply",
    id="B1",
    recovery="All from the first Observation on is cut on our side; the tool is really run.",
    evidence=("llama_index#11518", "llama_index#12865"),
)
@on_action
def invented_observation(parts: Parts, moment: Moment) -> str:
    """The model writes the tool's result itself and goes on to an answer."""
    invented = {
        "lines": "Observation: 41 (invented)",
        "json": '{"observation": "41 (invented)"}',
        "xml": "<observation>41 (invented)</observation>",
    }[parts.dialect]
    answer = parts.answering("41", "Now I know.").write()
    return f"{parts.write()}\n{invented}\n{answer}"


@fault(
    seam="transport",
    id="B2",
    recovery="The call is made again without the stop sequences; the reply is cut on our side.",
    evidence=("smolagents#1671", "crewAI#2661", "litellm#10080", "dify#18971"),
    schedule=EveryTime(),
)
def stop_refused(reply: Completion, moment: Moment) -> Completion:
    """The endpoint answers 400 to a request with stop sequences."""
    if not moment.stop:
        return reply
    raise TransportFault("HTTP 400: unsupported parameter 'stop'", status=400, transient=False)


@fault(
    seam="reply",
    id="B3",
    recovery="The Observation lists the tools there are; the call is never guessed.",
    evidence=("langchain#1559", "langchain#3785", "langchain#10240", "openhuman#4118"),
)
@on_action
def unknown_tool(parts: Parts, moment: Moment) -> str:
    """The model calls a tool that does not exist, or writes a sentence as its name."""
    return parts.having(tool=moment.random.choice(_NO_TOOLS)).write()


@fault(
    seam="reply",
    id="B4",
    recovery="The Observation names the parameter, what was expected and what came.",
    evidence=("humux#78",),
)
@on_action
def wrong_argument(parts: Parts, moment: Moment) -> str | None:
    """An argument has a name that does not exist, or a value of the wrong type."""
    if "" in parts.args or not parts.args:
        return None
    (name, value), *rest = parts.args.items()
    wrong: dict[str, Any] = moment.random.choice([{"thing_1": value}, {name: {"nested": value}}])
    return parts.having(input={**wrong, **dict(rest)}).write()


@fault(
    seam="reply",
    id="B5",
    recovery="The second call gets a reminder, the third ends the run as repeated_action.",
    expected="safe stop",
    evidence=("docker-agent PR#2123", "pi#9637", "nanobot PR#3077"),
    schedule=EveryTime(),
)
@on_parts
def same_call_again(parts: Parts, moment: Moment) -> str | None:
    """The model makes its last call again and again."""
    calls = earlier_calls(moment.messages)
    return calls[-1].write() if calls and _differ(calls[-1], parts) else None


@fault(
    seam="reply",
    id="B6",
    recovery="The repeat guard looks at the last ten steps, so it sees the cycle.",
    expected="safe stop",
    evidence=("AgentBench appendix J.2.4",),
    schedule=EveryTime(),
)
@on_parts
def cycle_of_two(parts: Parts, moment: Moment) -> str | None:
    """The model goes back and forth between two calls."""
    calls = earlier_calls(moment.messages)
    if len(calls) < 2 or not _differ(calls[-1], calls[-2]):
        return None
    return calls[-2].write() if _differ(calls[-2], parts) else None


@fault(
    seam="reply",
    id="B7",
    recovery="A guard asks for a tool result before the answer.",
    evidence=("MAST FM-3.1", "MAST FM-3.2"),
)
@on_action
def premature_answer(parts: Parts, moment: Moment) -> str | None:
    """The model answers from memory before any tool has returned."""
    if earlier_calls(moment.messages):
        return None
    return parts.answering("about 41", "I know this by heart.").write()


@fault(
    seam="reply",
    id="B8",
    recovery="An empty answer is a format error; the model is asked once more.",
    evidence=("xagent#1312", "agentscope-java#2750", "langgraph#6235"),
)
@on_answer
def empty_answer(parts: Parts, moment: Moment) -> str:
    """The final answer is empty, or the reply holds reasoning only."""
    thinking = f"<think>{parts.thought or 'I have it.'}</think>"
    return moment.random.choice([parts.having(answer="").write(), thinking, ""])


@fault(
    seam="reply",
    id="B9",
    recovery="At the step limit one last call asks for the best answer so far.",
    evidence=("ysymyth/ReAct: finish[] after 7 steps",),
    schedule=EveryTime(),
)
@on_answer
def never_finishes(parts: Parts, moment: Moment) -> str | None:
    """The model checks once more, each time spelled a little differently, and never answers."""
    calls = earlier_calls(moment.messages)
    if (
        not calls
        or not calls[-1].args
        or any(text in moment.messages[-1].content for text in _LAST_CALL)
    ):
        return None
    last = calls[-1]
    *others, (name, value) = last.args.items()
    args = {**dict(others), name: _respelled(value, moment.step)}
    return last.acting(last.tool, args, "I had better check once more.").write()


def _respelled(value: Any, step: int) -> Any:
    """Add blanks, which a guard that compares arguments takes for another call."""
    return value.rstrip() + " " * step if isinstance(value, str) else value


def _differ(one: Parts, other: Parts) -> bool:
    return (one.tool, one.args) != (other.tool, other.args)


BEHAVIOUR_FAULTS = (
    invented_observation,
    stop_refused,
    unknown_tool,
    wrong_argument,
    same_call_again,
    cycle_of_two,
    premature_answer,
    empty_answer,
    never_finishes,
)
