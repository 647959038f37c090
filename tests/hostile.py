"""Texts that a page must show and never obey, and runs that are full of them."""

from __future__ import annotations

from react_lab import (
    Action,
    Completion,
    FormatError,
    Message,
    Messages,
    Observation,
    Parsed,
    Repair,
    Run,
    Span,
    Step,
    ToolCall,
)

TEXTS = {
    "script": "<script>window.hacked = 1; alert(1)</script>",
    "image": "<img src=x onerror=\"window.hacked = 1\"><svg onload='window.hacked = 1'>",
    "link": '<a href="javascript:window.hacked=1">click</a> javascript:window.hacked=1',
    "attribute": '" onmouseover="window.hacked=1" style="position:fixed;inset:0" x=\'',
    "closing": "</details></summary></pre></bdi></td></table></div></style></title></script> --> ]]> {{x}}",
    "style": "<style>*{display:none}</style><link rel=stylesheet href=http://evil.example/x.css>",
    "ansi": "\x1b[31mred\x1b[0m\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "right to left": "invoice\u202egpj.exe \u2067abc\u2069 שלום",
    "nul": "a\x00b\x08c\x7f\x85d\u2028e\ufefff\U000e0041",
    "lone surrogate": "half \ud83d pair",
    "markdown": "```\n# heading\n[x](javascript:alert(1)) ![y](http://evil.example/y.png) `` | a | b |",
    "mathjax": "$\\href{javascript:window.hacked=1}{x}$ \\(\\unicode{x}\\)",
    "zalgo": "Z" + "\u0310\u0332\u0489" * 200,
    "entity": "&lt;script&gt; &#60;b&#62; &amp;amp;",
}
LONG_LINE = "x" * 1_000_000


def hostile_run(text: str) -> Run:
    """Return a run that holds a text in every place that a model or a tool can write to."""
    call = ToolCall(text, text, text)
    first = Messages([Message("system", text), Message("user", text)])
    second = first.extend([Message("assistant", text, (call,)), Message("tool", text, (), text)])
    asked = Step(
        first,
        Completion(
            text, (call,), finish_reason=text, model=text, request={text: [text]}, notes=(text,)
        ),
        Parsed(
            text,
            (Action(text, {text: text}), Action(text, text)),
            repairs=(Repair(text, text, text),),
            spans=(Span(text, 0, len(text)), Span("thought", 0, 3)),
            kept=text,
        ),
        (Observation(text, "ok", text, full=text * 2), Observation(text, "tool_error", text)),
        guard=text,
    )
    failed = Step(
        second, Completion(text), Parsed(text, error=FormatError(text, text)), failure=text
    )
    answered = Step(second, Completion(text), Parsed(text, answer=text, kept=text))
    parent = Run(text, (asked,), detail=text)
    return Run(
        text,
        (asked, failed, answered),
        text,
        "final_answer",
        text,
        parent=parent,
        forked_at=1,
        change=text,
    )
