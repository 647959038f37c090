"""The native contract: ids, order, broken calls, calls written as text, and the fallback."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from stub_server import StubServer, call, calls, refuses, says

from react_lab import agent as agent_module
from react_lab.agent import Agent, fork, generate, run_agent
from react_lab.context import FirstSentences, KeepLast
from react_lab.contracts import NativeContract, TextContract
from react_lab.contracts.calls import read_calls
from react_lab.contracts.fallback import never_saw_tools
from react_lab.errors import UsageError
from react_lab.evals import TASKS, check_answer
from react_lab.guards import StepLimit, default_guards
from react_lab.llm import FunctionLLM, OpenAICompatibleLLM, ScriptedLLM, SimulatedLLM
from react_lab.records import Action, Completion, Message, ToolCall, Usage, estimate_tokens
from react_lab.toolbox import demo_tools
from react_lab.tools import Toolbox, tool
from react_lab.trace import run_from_json, run_to_json
from react_lab.views import export_markdown

QUESTION = "What is 2 + 2?"


@tool(timeout=None)
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@tool(timeout=None)
def echo(text: str) -> str:
    """Return a text."""
    return text


TOOLS = Toolbox([add, echo])
SUM = ToolCall("c1", "add", '{"a": 2, "b": 2}')
NO_REPEATS = default_guards()[:2]


def asked(*given: ToolCall, text: str = "") -> Completion:
    return Completion(text, given, "tool_calls")


def agent(replies: Sequence[str | Completion], **changes: Any) -> Agent:
    return replace(Agent(ScriptedLLM(replies), TOOLS, NativeContract()), **changes)


# The ordinary run -------------------------------------------------------------------------


def test_a_call_and_its_result_travel_as_messages() -> None:
    run = run_agent(agent([asked(SUM, text="I add."), "It is 4."]), QUESTION)
    assert (run.answer, run.stop_reason) == ("It is 4.", "final_answer")
    assert list(run.messages(2)) == [
        *NativeContract().opening(QUESTION, TOOLS),
        Message("assistant", "I add.", (SUM,)),
        Message("tool", "4", tool_call_id="c1"),
    ]
    assert run.steps[0].parsed.thought == "I add."
    assert run.steps[0].observations[0].call_id == "c1"


def test_the_prompt_holds_no_tools_and_no_format() -> None:
    system = NativeContract().opening(QUESTION, TOOLS)[0].content
    assert "add" not in system
    assert "<format>" not in system
    assert "Never make the same call twice." in system
    assert NativeContract().request_tools(TOOLS) == TOOLS.schemas
    assert "不要重复同样的调用" in NativeContract("zh").opening("?", TOOLS)[0].content


def test_rules_beside_the_latest_result() -> None:
    contract = NativeContract(rules=("restate_question", "lead_in"))
    run = run_agent(agent([asked(SUM), "4"], contract=contract), QUESTION)
    assert run.messages(1).last.content == f"Question: {QUESTION}"
    assert run.messages(2).last == Message(
        "user", f"(The question is still: {QUESTION})\nNow make the next call, or answer."
    )
    with pytest.raises(UsageError, match="unknown rules"):
        NativeContract(rules=("no_such_rule",))


def test_several_calls_run_side_by_side_and_return_in_the_order_asked() -> None:
    first_waits = threading.Event()

    @tool
    def slow() -> str:
        """Wait for the other."""
        assert first_waits.wait(5)
        return "slow"

    @tool
    def quick() -> str:
        """Let the other go on."""
        first_waits.set()
        return "quick"

    reply = asked(ToolCall("s", "slow", "{}"), ToolCall("q", "quick", "{}"))
    run = run_agent(agent([reply, "done"], tools=Toolbox([slow, quick])), QUESTION)
    assert [(o.call_id, o.text) for o in run.steps[0].observations] == [
        ("s", "slow"),
        ("q", "quick"),
    ]
    assert [m.tool_call_id for m in run.messages(2) if m.role == "tool"] == ["s", "q"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_simulated_model_gives_the_same_answers_in_text_and_native(language: Any) -> None:
    tasks = [task for task in TASKS if task.language == language]
    contracts = (TextContract(language=language), NativeContract(language))
    for task in tasks:
        runs = [
            run_agent(Agent(SimulatedLLM(), demo_tools(language), c), task.question)
            for c in contracts
        ]
        assert runs[0].answer == runs[1].answer, task.id
        assert check_answer(task, runs[1].answer), task.id
        assert not any(step.parsed.error for step in runs[1].steps), task.id


# Broken calls -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "args", "repairs"),
    [
        ('{"a": 1, "b": 2}', {"a": 1, "b": 2}, ()),
        ('{"a": 1, "b": 2} and that is it', {"a": 1, "b": 2}, ("extra_text",)),
        ('"{\\"a\\": 1, \\"b\\": 2}"', {"a": 1, "b": 2}, ("quoted_text", "double_encoded")),
        ("{'a': 1, 'b': 2}", {"a": 1, "b": 2}, ("single_quotes",)),
        ('```json\n{"a": 1, "b": 2}\n```', {"a": 1, "b": 2}, ("code_fence",)),
        ('{"arguments": {"a": 1, "b": 2}}', {"a": 1, "b": 2}, ("wrapper_key",)),
    ],
)
def test_arguments_that_can_be_read(arguments: str, args: Any, repairs: tuple[str, ...]) -> None:
    read = read_calls([ToolCall("c", "add", arguments)], TOOLS.signatures)[0]
    assert read.action == Action("add", args, "c")
    assert tuple(repair.name for repair in read.repairs) == repairs
    assert read.error is None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"a": 1, "b":', "truncated"),
        ('{"a": 1, "b": 2', "truncated"),
        ("", "missing_input"),
        ("null", "missing_input"),
        ("[1, 2]", "invalid_input"),
        ('{"a": 1 + 1, "b": 2}', "invalid_input"),
        ('{"a": 1, "b": 2}{"a": 3, "b": 4}', "multiple_actions"),
        ("{" * 10_000, "invalid_input"),
    ],
)
def test_arguments_that_cannot_be_read_are_answered_by_a_tool_message(
    arguments: str, code: str
) -> None:
    run = run_agent(agent([asked(ToolCall("c", "add", arguments)), asked(SUM), "4"]), QUESTION)
    error = run.steps[0].parsed.error
    assert error is not None
    assert error.code == code
    assert run.steps[0].observations[0].call_id == "c"
    assert run.messages(2)[2].tool_calls == (ToolCall("c", "add", "{}"),)
    assert run.messages(2)[3] == Message("tool", error.message, tool_call_id="c")
    assert "a call of add with" in error.message
    assert run.answer == "4"


def test_a_sound_call_beside_a_broken_one_is_not_run_and_told_so() -> None:
    ran: list[str] = []

    @tool(timeout=None)
    def send(text: str) -> str:
        """Send a text."""
        ran.append(text)
        return "sent"

    reply = asked(ToolCall("x", "send", '{"text": "a"}'), ToolCall("y", "send", '{"text": "b'))
    run = run_agent(agent([reply, "done"], tools=Toolbox([send])), QUESTION)
    assert ran == []
    texts = [o.text for o in run.steps[0].observations]
    assert (
        texts[0]
        == "Not run: another call in the same reply could not be read. Make this call again."
    )
    assert texts[1].startswith('Format error: the reply stops in the middle in \'{"text": "b\'')


def test_three_broken_replies_end_the_run() -> None:
    broken = [asked(ToolCall(f"c{n}", "add", "{")) for n in range(3)]
    assert run_agent(agent(broken), QUESTION).stop_reason == "format_errors"


def test_unknown_and_empty_names_are_observations() -> None:
    reply = asked(
        ToolCall("x", "ad", "{}"), ToolCall("y", "", "{}"), ToolCall("z", "rm -rf /", "nonsense")
    )
    run = run_agent(agent([reply, "done"]), QUESTION)
    observed = run.steps[0].observations
    assert [o.status for o in observed] == ["unknown_tool"] * 3
    assert "Did you mean add?" in observed[0].text
    assert [c.name for c in run.messages(2)[2].tool_calls] == ["ad", "unknown", "unknown"]


def test_a_name_with_a_prefix_is_repaired() -> None:
    run = run_agent(agent([asked(ToolCall("x", "functions.add", SUM.arguments)), "4"]), QUESTION)
    assert run.steps[0].observation == "4"
    assert run.steps[0].parsed.repairs[0].name == "tool_name"


def test_missing_and_doubled_ids_are_made_unique() -> None:
    read = read_calls(
        [replace(SUM, id=""), replace(SUM, id="c"), replace(SUM, id="c")], TOOLS.signatures
    )
    assert [call.action.call_id for call in read] == ["call_1", "c", "c_3"]
    assert [[r.name for r in call.repairs] for call in read] == [["call_id"], [], ["call_id"]]


def test_a_wrong_argument_is_an_observation() -> None:
    run = run_agent(agent([asked(ToolCall("x", "add", '{"a": "two", "b": 2}')), "4"]), QUESTION)
    assert run.steps[0].observations[0].status == "invalid_args"


@pytest.mark.parametrize("reply", ["", "  \n", "<think>hm</think>"])
def test_an_empty_answer_is_sent_back(reply: str) -> None:
    run = run_agent(agent([reply, "4"]), QUESTION)
    assert run.steps[0].parsed.error is not None
    assert run.answer == "4"


def test_a_nudge_answers_every_call() -> None:
    both = asked(SUM, replace(SUM, id="c2"))
    run = run_agent(agent([both, both, "4"]), QUESTION)
    assert run.steps[1].guard == "RepeatLimit"
    results = [m for m in run.messages(3) if m.role == "tool"]
    assert len(results) == 4
    assert results[2].content == results[3].content
    assert "You made this same call at step 1" in results[3].content


def test_calls_that_a_stop_left_undone_are_answered_for_the_last_request() -> None:
    same = [asked(SUM)] * 3
    run = run_agent(agent([*same, "so it is 4"], at_limit=generate), QUESTION)
    assert run.stop_reason == "repeated_action"
    assert run.answer == "so it is 4"
    assert [m.content for m in run.messages(4) if m.role == "tool"][-1] == "(not run)"


def test_a_fork_changes_a_result_and_keeps_its_id() -> None:
    a = agent([asked(SUM), "4"])
    forked = run_agent(a, fork(a, run_agent(a, QUESTION), 1, observation="5"))
    assert forked.messages(2).last == Message("tool", "5", tool_call_id="c1")


# Calls written as text --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "add", "arguments": {"a": 2, "b": 2}}',
        '```json\n{"name": "add", "arguments": {"a": 2, "b": 2}}\n```',
        '<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 2}}\n</tool_call>',
        'Thought: I add.\nAction: add\nAction Input: {"a": 2, "b": 2}',
    ],
)
def test_a_call_written_as_text_is_run_and_never_the_answer(text: str) -> None:
    run = run_agent(agent([text, "4"]), QUESTION)
    assert run.steps[0].action is not None
    assert run.steps[0].action.tool == "add"
    assert run.messages(2)[2:] == (Message("assistant", text), Message("user", "Observation: 4"))
    assert run.answer == "4"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"name": "add", "arguments": {"a": 2,', "truncated"),
        ('{"name": "subtract", "arguments": {}}', "unknown_tool"),
        ("Action: add", "missing_input"),
    ],
)
def test_a_broken_call_written_as_text_is_an_error(text: str, code: str) -> None:
    run = run_agent(agent([text, "4"]), QUESTION)
    assert run.steps[0].parsed.error is not None
    assert run.steps[0].parsed.error.code == code
    assert run.answer == "4"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It is 4.", "It is 4."),
        ("Final Answer: 4", "4"),
        ("<think>2 and 2</think>\nIt is 4.", "It is 4."),
        ('{"sum": 4}', '{"sum": 4}'),
        ("No tool of mine can book a flight; I don't have tools for that.",) * 2,
    ],
)
def test_plain_content_is_the_answer(text: str, answer: str) -> None:
    assert run_agent(agent([text]), QUESTION).answer == answer


# The fallback -----------------------------------------------------------------------------

TEXT_CALL = 'Thought: I add.\nAction: add\nAction Input: {"a": 2, "b": 2}'


def endpoint(server: StubServer) -> Agent:
    llm = OpenAICompatibleLLM(server.base_url, "m", "", sleep=lambda seconds: None)
    return Agent(llm, TOOLS, NativeContract())


def test_an_endpoint_that_refuses_tools_gets_labelled_lines() -> None:
    refusing = [
        refuses("tools", then=says(text), text="gemma does not support {}")
        for text in ("prose", "prose", TEXT_CALL, "Just prose.", "Final Answer: 4")
    ]
    with StubServer(refusing) as server:
        run = run_agent(endpoint(server), QUESTION)
    assert run.answer == "4"
    assert [bool(body.get("tools")) for body in server.bodies] == [True, False, False, False, False]
    text_system = TextContract().opening(QUESTION, TOOLS)[0].content
    assert [m.content == text_system for m in (run.messages(1)[0], run.messages(2)[0])] == [
        False,
        True,
    ]
    assert list(run.messages(3)) == [
        *TextContract().opening(QUESTION, TOOLS),
        Message("assistant", TEXT_CALL),
        Message("user", "Observation: 4"),
    ]
    said = run.steps[0].observation
    assert said.startswith("This endpoint did not pass the tools on to the model.")
    assert "HTTP 400: gemma does not support tools" in said
    assert said in str(run)
    assert run.steps[2].parsed.error is not None, (
        "prose is no answer once the form is labelled lines"
    )
    for step, body in zip(run.steps, server.bodies[1:], strict=True):
        assert [m.content for m in step.messages] == [m["content"] for m in body["messages"]]


def test_an_endpoint_that_drops_tools_silently_is_noticed_by_its_token_count() -> None:
    tools = demo_tools()
    with StubServer([says("I think it is 5."), says("Final Answer: 4")]) as server:
        run = run_agent(replace(endpoint(server), tools=tools), QUESTION)
    assert run.answer == "4"
    assert "the prompt had 11 tokens, the tools alone have about" in run.steps[0].observation


def test_the_fallback_writes_earlier_calls_as_text() -> None:
    def reply(messages: Sequence[Message]) -> str:
        return (
            "As an AI language model I cannot."
            if messages[-1].role == "tool"
            else "Final Answer: 4"
        )

    a = agent([asked(SUM, text="I add.")])
    run = run_agent(replace(a, guards=(StepLimit(1),)), QUESTION)
    run = run_agent(replace(a, llm=FunctionLLM(reply)), replace(run, stop_reason=None))
    assert run.messages(3)[2:] == (
        Message("assistant", f"Thought: I add.\nAction: add\nAction Input: {SUM.arguments}"),
        Message("user", "Observation: 4"),
    )
    assert run.answer == "4"


def test_the_fallback_keeps_results_apart_whose_ids_came_twice() -> None:
    once, twice = (replace(SUM, id="", arguments=f'{{"a": {n}, "b": 0}}') for n in (1, 2))
    replies = [asked(once), asked(twice), "As an AI language model I cannot.", "Final Answer: 2"]
    run = run_agent(agent([], llm=_InTurn(replies)), QUESTION)
    seen = [m.content for m in run.messages(4) if m.content.startswith("Observation: ")]
    assert seen == ["Observation: 1", "Observation: 2"]


@pytest.mark.parametrize("policy", [KeepLast(1), FirstSentences(1)])
def test_the_fallback_survives_context_policies(policy: Any) -> None:
    replies = [
        "As an AI language model I have no tools.",
        TEXT_CALL,
        TEXT_CALL.replace("2", "3"),
        "Final Answer: 6",
    ]
    run = run_agent(agent(replies, context=policy, llm=_InTurn(replies)), QUESTION)
    assert run.messages(4)[0] == TextContract().opening(QUESTION, TOOLS)[0]
    assert run.answer == "6"


class _InTurn:
    """Reply in turn, whatever the prompt."""

    def __init__(self, replies: Sequence[str | Completion]) -> None:
        self.left = list(replies)

    def complete(self, messages: Any, *, stop: Any = (), tools: Any = ()) -> Completion:
        reply = self.left.pop(0)
        return Completion(reply) if isinstance(reply, str) else reply


def test_the_fallback_can_be_switched_off() -> None:
    contract = NativeContract(fallback=None)
    run = run_agent(
        agent(["As an AI language model I have no tools."], contract=contract), QUESTION
    )
    assert run.answer == "As an AI language model I have no tools."


def test_the_fallback_speaks_the_contract_s_language() -> None:
    contract = NativeContract("zh")
    assert contract.fallback is not None
    run = run_agent(
        agent(["我没有可用的工具。", "Final Answer: 4"], contract=contract), "2+2等于多少？"
    )
    assert run.messages(2)[0] == contract.fallback.opening("?", TOOLS)[0]
    assert run.messages(2)[1].content == "问题：2+2等于多少？"


def test_what_shows_that_tools_never_arrived() -> None:
    request = {"messages": [{"role": "user", "content": "?"}], "tools": list(TOOLS.schemas)}
    few = Usage(10, 5, estimated=False)
    called = request | {"messages": [{"role": "tool", "content": "4"}]}
    cases = [
        (Completion("I can't look that up."), ""),
        (Completion("x", usage=few, request=request), "the prompt had 10 tokens"),
        (Completion("x", usage=replace(few, estimated=True), request=request), ""),
        (Completion("x", usage=replace(few, prompt_tokens=5000), request=request), ""),
        (Completion("x", usage=few, request=called), ""),
        (Completion("x", request={"messages": []}), "the request was sent without tools"),
        (Completion("I don't have access to any tools."), "the model wrote"),
        (Completion("I do not have tools for booking flights."), ""),
    ]
    for reply, why in cases:
        assert never_saw_tools(reply, TOOLS).startswith(why), reply
        assert bool(never_saw_tools(reply, TOOLS)) == bool(why), reply
    assert never_saw_tools(cases[1][0], Toolbox()) == ""


def test_the_loop_knows_nothing_of_native_calls() -> None:
    source = inspect.getsource(agent_module.iter_steps)
    assert not any(word in source.lower() for word in ("native", "tool_calls", "fallback"))


def test_history_that_goes_back_is_always_valid_json() -> None:
    reply = asked(ToolCall("a", "add", "{broken"), ToolCall("b", "echo", '{"text": "\\ud83d"}'))
    with StubServer(
        [calls(call("add", "{broken", "a"), call("echo", '{"text": 1}', "b")), says("4")]
    ) as server:
        run_agent(endpoint(server), QUESTION)
    run = run_agent(agent([reply, "4"]), QUESTION)
    for sent in (server.bodies[1]["messages"][2]["tool_calls"],):
        assert all(isinstance(json.loads(item["function"]["arguments"]), dict) for item in sent)
    assert all(isinstance(json.loads(c.arguments), dict) for c in run.messages(2)[2].tool_calls)


def test_the_estimate_counts_the_tools_that_travel_beside_the_messages():
    tools = demo_tools()
    beside = estimate_tokens(json.dumps(tools.schemas, ensure_ascii=False))
    for llm in (SimulatedLLM(), FunctionLLM(lambda messages: "The answer is 4.")):
        agent = Agent(llm, tools, contract=NativeContract(fallback=None))
        step = run_agent(agent, "What is 2 + 2?").steps[0]
        assert step.usage.prompt_tokens == step.messages.tokens + beside
        assert step.usage.estimated


@pytest.mark.parametrize("depth", [70, 500, 5_000])
@pytest.mark.parametrize("pair", ["[]", '{"a":}'], ids=["list", "object"])
def test_arguments_nested_too_deeply_are_a_format_error_as_in_text(depth: int, pair: str) -> None:
    opening, closing = pair[:-1], pair[-1]
    arguments = '{"text": ' + opening * depth + "1" + closing * depth + "}"
    run = run_agent(agent([asked(ToolCall("c1", "echo", arguments)), "I stop."]), QUESTION)
    assert (run.stop_reason, run.answer) == ("final_answer", "I stop.")
    error = run.steps[0].parsed.error
    assert error is not None and error.code == "invalid_input"
    assert run.steps[0].action == Action("echo", arguments, "c1")
    assert run_from_json(run_to_json(run)) == run
    assert "echo" in export_markdown(run)


@pytest.mark.parametrize("arguments", ['{"a": 1, "a": 2, "b": 3}', '{"a": NaN, "b": 3}'])
def test_arguments_with_two_readings_or_none_are_refused_as_in_text(arguments: str) -> None:
    (read,) = read_calls([ToolCall("c1", "add", arguments)], TOOLS.signatures)
    in_text = TextContract().read(Completion(f"Action: add\nAction Input: {arguments}"), TOOLS)
    assert in_text.error is not None
    assert (read.error, read.action.args) == (in_text.error.code, arguments)
