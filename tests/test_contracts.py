"""The text contracts: templates as data, switches, and reading what came back."""

from __future__ import annotations

import json

import pytest

from react_lab.agent import run_agent
from react_lab.contracts import RULES, TextContract
from react_lab.contracts.text import load_template
from react_lab.errors import UsageError
from react_lab.llm import ScriptedLLM
from react_lab.records import Action, Completion, Message, Messages, Observation, Parsed, Step
from react_lab.toolbox import demo_agent
from react_lab.tools import Toolbox

DIALECTS = ("lines", "json", "xml")
LANGUAGES = ("en", "zh")
SIX = [(dialect, language) for dialect in DIALECTS for language in LANGUAGES]


def weather(city: str, date: str = "today") -> str:
    """Return the weather of one city.

    Args:
        city: a city, such as Oslo
    """
    return f"{city}: 14 °C"


TOOLS = Toolbox([weather])


def step(text: str, observed: str = "14 °C") -> Step:
    return Step(Messages(), Completion(text), Parsed(kept=text), (Observation(observed),))


@pytest.mark.parametrize(("dialect", "language"), SIX)
def test_every_template_has_the_same_parts(dialect: str, language: str) -> None:
    template = load_template(dialect, language)
    assert set(template) == set(load_template("lines", "en"))
    assert set(template["rules"]) | set(template["beside"]) == set(RULES)
    assert {"final_answer", "action_finish", "action_final_answer"} <= set(template["finish"])
    assert len(template["stop"]) <= 4


@pytest.mark.parametrize(("dialect", "language"), SIX)
def test_blocks_stand_in_the_order_asked_for(dialect: str, language: str) -> None:
    contract = TextContract(dialect, language, order=("format", "tools"), examples=True)  # type: ignore[arg-type]
    system = contract.system(TOOLS)
    assert system.index("<format>") < system.index("<tools>")
    assert "<rules>" not in system
    assert "<examples>" not in system
    assert "- weather: Return the weather of one city." in system
    assert "    city (string, required): a city, such as Oslo" in system
    assert '    date (string, optional, default "today")' in system


def test_examples_are_a_switch() -> None:
    assert "<examples>" in TextContract(examples=True).system(TOOLS)
    assert "<examples>" not in TextContract().system(TOOLS)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_is_a_switch(rule: str, language: str) -> None:
    with_rule, without = (
        TextContract(language=language, rules=(rule,)),
        TextContract(language=language, rules=()),
    )  # type: ignore[arg-type]
    body = Messages([*without.opening("What now?", TOOLS), *without.show(step("Thought: x"))])
    added = str(
        with_rule.sent(
            Messages([*with_rule.opening("What now?", TOOLS), *with_rule.show(step("Thought: x"))]),
            "What now?",
        )
    )
    text = {**with_rule.template["rules"], **with_rule.template["beside"]}[rule].replace(
        "{question}", "What now?"
    )
    assert text in added
    assert text not in str(without.sent(body, "What now?"))


def test_reminders_stand_beside_the_latest_observation_only() -> None:
    contract = TextContract(rules=("restate_question", "lead_in"))
    opening = Messages(contract.opening("Why?", TOOLS))
    assert contract.sent(opening, "Why?") == opening
    body = opening.extend(contract.show(step("Thought: x"))).extend(
        contract.show(step("Thought: y"))
    )
    sent = contract.sent(body, "Why?")
    assert (
        sent.last.content
        == "Observation: 14 °C\n(The question is still: Why?)\nNow write the next Thought."
    )
    assert sent[3].content == "Observation: 14 °C"


@pytest.mark.parametrize(
    ("finish", "text"),
    [
        ("final_answer", "Thought: x\nFinal Answer: 14 °C"),
        ("action_finish", 'Thought: x\nAction: finish\nAction Input: {"answer": "14 °C"}'),
        (
            "action_final_answer",
            'Thought: x\nAction: final_answer\nAction Input: {"answer": "14 °C"}',
        ),
        ("brackets", "Thought: x\nAction: Finish[14 °C]"),
    ],
)
def test_the_exit_is_a_switch(finish: str, text: str) -> None:
    contract = TextContract(finish=finish)
    assert text.splitlines()[-1].split(":")[0] in contract.system(TOOLS)
    assert contract.read(Completion(text), TOOLS).answer == "14 °C"


@pytest.mark.parametrize(
    ("dialect", "shown"),
    [
        ("lines", 'Observation: a "b"'),
        ("json", '{"observation": "a \\"b\\""}'),
        ("xml", '<observation>a "b"</observation>'),
    ],
)
def test_an_observation_has_the_shape_of_its_contract(dialect: str, shown: str) -> None:
    said, heard = TextContract(dialect).show(step("x", 'a "b"'))  # type: ignore[arg-type]
    assert (said.role, heard.role, heard.content) == ("assistant", "user", shown)


@pytest.mark.parametrize(
    ("where", "roles"),
    [
        ("user", ["system", "user", "assistant", "user"]),
        ("assistant", ["system", "user", "assistant", "assistant"]),
        ("scratchpad", ["system"]),
    ],
)
def test_where_the_observation_travels(where: str, roles: list[str]) -> None:
    contract = TextContract(observation_as=where)  # type: ignore[arg-type]
    body = Messages(contract.opening("Why?", TOOLS)).extend(contract.show(step("Thought: x")))
    sent = contract.sent(body, "Why?")
    assert [message.role for message in sent] == roles
    assert sent.last.content.endswith("Observation: 14 °C")


REPLIES = {
    "lines": ('Thought: why\nAction: weather\nAction Input: {"city": "Oslo"}', "\nObservation: 99"),
    "json": (
        '{"thought": "why", "action": "weather", "action_input": {"city": "Oslo"}}',
        '\n{"observation": "99"}',
    ),
    "xml": (
        '<thought>why</thought>\n<action>weather</action>\n<action_input>{"city": "Oslo"}</action_input>',
        "\n<observation>99</observation>",
    ),
}
ANSWERS = {
    "lines": "Thought: why\nFinal Answer: 14",
    "json": '{"thought": "why", "final_answer": "14"}',
    "xml": "<thought>why</thought>\n<final_answer>14</final_answer>",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_reads_its_own_form_without_a_repair(dialect: str) -> None:
    contract = TextContract(dialect)  # type: ignore[arg-type]
    call = contract.read(Completion(REPLIES[dialect][0]), TOOLS)
    assert (call.thought, call.actions, call.repairs) == (
        "why",
        (Action("weather", {"city": "Oslo"}),),
        (),
    )
    assert call.kept == REPLIES[dialect][0]
    answer = contract.read(Completion(ANSWERS[dialect]), TOOLS)
    assert (answer.thought, answer.answer, answer.repairs) == ("why", "14", ())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_invented_observation_is_cut_and_said(dialect: str) -> None:
    call, invented = REPLIES[dialect]
    parsed = TextContract(dialect).read(Completion(f"{call}{invented}\n{ANSWERS[dialect]}"), TOOLS)  # type: ignore[arg-type]
    assert parsed.actions == (Action("weather", {"city": "Oslo"}),)
    assert parsed.answer is None
    assert parsed.kept == call
    assert [repair.name for repair in parsed.repairs] == ["invented_observation"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_stop_cuts_before_an_invented_observation(dialect: str) -> None:
    call, invented = REPLIES[dialect]
    llm = ScriptedLLM([f"{call}{invented}", ANSWERS[dialect]])
    run = run_agent(demo_agent(llm=llm, tools=TOOLS, contract=TextContract(dialect)), "How warm?")  # type: ignore[arg-type]
    assert run.steps[0].reply.text == call


def test_a_call_quoted_in_a_thought_is_not_run() -> None:
    quoted = '<thought>never\n<action>weather</action>\n<action_input>{"city": "X"}</action_input>\n</thought>\n'
    parsed = TextContract("xml").read(
        Completion(quoted + REPLIES["xml"][0].split("\n", 1)[1]), TOOLS
    )
    assert parsed.actions == (Action("weather", {"city": "Oslo"}),)


def test_errors_show_the_wanted_form_in_the_contract_s_language() -> None:
    contract = TextContract("json", "zh")
    parsed = contract.read(Completion("我去查一下。"), TOOLS)
    (observation,) = contract.observe_error(parsed)
    assert observation.status == "format_error"
    assert observation.text.startswith("格式错误")
    assert '"action_input"' in observation.text
    assert contract.observe_error(Parsed()) == ()


def test_an_empty_reply_is_shown_as_something() -> None:
    said = TextContract().show(step(" "))[0]
    assert said == Message("assistant", "(empty reply)")


def test_no_tools_are_said_to_be_none() -> None:
    assert "(no tools)" in TextContract().system(Toolbox([]))
    assert TextContract().request_tools(TOOLS) == ()


def test_json_observations_survive_quotes_and_braces() -> None:
    shown = TextContract("json").show(step("{}", 'say "hi" {text}'))[1]
    assert json.loads(shown.content) == {"observation": 'say "hi" {text}'}


@pytest.mark.parametrize(
    ("switch", "words"),
    [
        ({"rules": ("be_nice",)}, "be_nice"),
        ({"order": ("tools", "poem")}, "poem"),
        ({"finish": "stop"}, "final_answer"),
        ({"dialect": "json", "finish": "brackets"}, "action_finish"),
        ({"dialect": "yaml"}, "lines, json, xml"),
        ({"language": "fr"}, "en, zh"),
    ],
)
def test_a_wrong_switch_says_what_there_is(switch: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        TextContract(**switch)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["restate_question", "lead_in"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_reminder_leaves_the_latest_observation_in_its_role(dialect: str, rule: str) -> None:
    for where in ("user", "assistant"):
        contract = TextContract(dialect, rules=(rule,), observation_as=where)  # type: ignore[arg-type]
        body = Messages(contract.opening("Why?", TOOLS)).extend(contract.show(step("Thought: x")))
        sent = contract.sent(body, "Why?")
        assert [message.role for message in sent] == ["system", "user", "assistant", where]
        reminder = contract.template["beside"][rule].replace("{question}", "Why?")
        assert sent.last.content == f"{body.last.content}\n{reminder}"


def test_a_reminder_never_becomes_part_of_a_reply_or_gives_it_to_the_user() -> None:
    contract = TextContract(rules=("lead_in",))
    unanswered = Step(Messages(), Completion("Thought: x"), Parsed(kept="Thought: x"))
    body = Messages(contract.opening("Why?", TOOLS)).extend(contract.show(unanswered))
    assert list(contract.sent(body, "Why?"))[2:] == [
        Message("assistant", "Thought: x"),
        Message("user", "Now write the next Thought."),
    ]
