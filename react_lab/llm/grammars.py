"""Constrain what a local model may write: GBNF for labelled lines, JSON Schema for JSON.

A grammar fixes the form and not the sense: every reply can be read, and may still be
wrong. llama.cpp's server takes both, as fields of the request.

>>> constrained = lines_grammar({"clock": {"city": "string"}})
>>> OpenAICompatibleLLM("http://127.0.0.1:8080/v1", "any", extra=constrained)  # doctest: +SKIP
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Signatures = Mapping[str, Mapping[str, str]]
_RULES = r"""
words ::= [^\n]{1,120}
string ::= "\"" ([^"\\\x00-\x1f] | "\\" ["\\/bfnrt]){0,60} "\""
number ::= "-"? [0-9]{1,15} ("." [0-9]{1,6})?
boolean ::= "true" | "false"
"""
_SCHEMAS: dict[str, dict[str, Any]] = {
    kind: {"type": kind} for kind in ("integer", "number", "boolean")
}
_SCHEMAS["string"] = {"type": "string", "maxLength": 60}
_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def lines_grammar(tools: Signatures) -> dict[str, str]:
    """Return the field that makes a reply one well-formed step of labelled lines.

    `tools` is `Toolbox.signatures`. Every parameter is written, in the order of the
    signature; one of another type than text, number or truth value is written as text.
    Thoughts and answers end at 120 characters, texts at 60: a small model would go on until
    max_tokens, and a reply that is cut off is not well formed. 120 tokens are enough.
    """
    steps = [f"tool{number}" for number, _ in enumerate(tools)]
    rules = [
        f"tool{number} ::= {_step(name, params)}"
        for number, (name, params) in enumerate(tools.items())
    ]
    ends = " | ".join([*steps, "final"])
    head = [f'root ::= "Thought: " words "\\n" ({ends})', 'final ::= "Final Answer: " words']
    return {"grammar": "\n".join([*head, *rules, _RULES.strip()]) + "\n"}


def json_format(tools: Signatures) -> dict[str, Any]:
    """Return the field that makes a reply one step of the JSON contract, by JSON Schema."""
    text = {"type": "string", "maxLength": 120}
    shapes = [_shape({"thought": text, "final_answer": text})]
    for name, params in tools.items():
        inner = {param: _SCHEMAS.get(kind, _SCHEMAS["string"]) for param, kind in params.items()}
        shapes.append(
            _shape({"thought": text, "action": {"const": name}, "action_input": _shape(inner)})
        )
    schema = {"name": "step", "strict": True, "schema": {"anyOf": shapes}}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _step(name: str, params: Mapping[str, str]) -> str:
    parts = [_quoted(f"Action: {name}\nAction Input: {{")]
    for number, (param, kind) in enumerate(params.items()):
        parts += [
            _quoted(f"{', ' if number else ''}{json.dumps(param)}: "),
            _TYPES.get(kind, "string"),
        ]
    return " ".join([*parts, _quoted("}")])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _shape(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
