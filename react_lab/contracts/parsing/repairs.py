"""The repairs by name, each with one sentence, and the notebook in which they are written down.

A repair is something in a reply that was not as asked for and has one reading all the
same. All else is an error. Every one can be switched off by name.
"""

from __future__ import annotations

from ...records import ErrorCode, Repair

#: in the order in which they are tried
REPAIRS = {
    "reasoning_block": "A reasoning block is thinking: nothing in it is read or goes back.",
    "channels": "Of a reply in channels, analysis is thinking and only the rest is read.",
    "end_of_turn": "A turn token is noise before the reply and ends it behind the reply.",
    "quoted_example": "A fenced, tagged or indented example inside a thought is only quoted.",
    "invented_observation": "The first Observation line ends the step: only a tool writes one.",
    "dangling_stop": "Half an Observation label at the very end is what is left of a stop word.",
    "label_form": "Labels may be bold, numbered, in other words or another language.",
    "one_line_step": "Action and Action Input may share a line if the JSON ends the reply.",
    "inline_answer": "Final Answer inside a line still answers: it runs nothing.",
    "native_call": "A call in JSON, tags or tokens at the top level is read as an action.",
    "call_syntax": "tool(args) and tool[text] behind the Action label are a whole action.",
    "tool_name": "Case, blanks, hyphens, quotes and prefixes of a tool's name do not matter.",
    "finish_action": "An action named finish or final_answer is the answer, if no tool is.",
    "none_action": "An action named none beside an answer means that there is no action.",
    "code_fence": "A code fence or back-ticks around the input are taken off.",
    "lead_in": "A few words before the JSON of the input are skipped.",
    "parentheses": "Parentheses or one tag around the JSON of the input are taken off.",
    "single_quotes": "Single quotes around keys and strings are read as double quotes.",
    "curly_quotes": "Curly quotes around keys and strings are read as double quotes.",
    "mixed_quotes": "A string may open with a straight and close with a curly quote.",
    "bare_keys": "A key without quotes is read as a key.",
    "python_literals": "True, False, None and tuples are read as JSON.",
    "trailing_comma": "A comma before a closing bracket is dropped.",
    "comments": "Comments between the values are skipped.",
    "full_width_punctuation": "Full-width colons, commas and brackets count between values.",
    "raw_newline": "A line break inside a string is kept as one.",
    "bad_escapes": "A backslash that escapes nothing is kept as a backslash.",
    "loose_numbers": "Numbers such as .5, 5. and +3 are read.",
    "doubled_braces": "Doubled braces, copied from a prompt template, are read as single ones.",
    "escaped_quotes": "Quotes escaped all over, without outer quotes, are read as quotes.",
    "quoted_text": "Quotes around the whole of a bare text are taken off.",
    "trailing_text": "Text behind the first complete value is ignored.",
    "double_encoded": "An object that was encoded as a string is decoded once.",
    "one_element_list": "A list that holds one object is read as that object.",
    "wrapper_key": "A lone key such as args or parameters around the object is taken off.",
    "nested_call": "A whole call of the same tool inside the input is read as its arguments.",
    "repeated_call": "The same call written twice is one call.",
}

#: what a reply is refused as where the repair it needs is switched off
REFUSED_AS: dict[str, ErrorCode] = {
    "native_call": "missing_action",
    "one_line_step": "missing_action",
    "inline_answer": "missing_action",
    "tool_name": "unknown_tool",
    "finish_action": "unknown_tool",
    "none_action": "unknown_tool",
    "call_syntax": "unknown_tool",
    "repeated_call": "multiple_actions",
    "nested_call": "multiple_actions",
}


class Refused(Exception):
    """Stop reading: a code of the closed set, and the line to quote."""

    def __init__(self, code: ErrorCode, quote: str = "") -> None:
        super().__init__(code)
        self.code: ErrorCode = code
        self.quote = quote


class Notes:
    """Write down which repairs fired, the first time each; know which are switched off."""

    def __init__(self, text: str, off: frozenset[str] = frozenset()) -> None:
        self.text, self.off = text, off
        self.repairs: dict[str, Repair] = {}

    def allows(self, name: str) -> bool:
        """Tell whether a repair is on."""
        return name not in self.off

    def add(self, name: str, start: int, end: int, made: str = "") -> None:
        """Note that a repair read text[start:end] as `made`; refuse where it is switched off."""
        if name in self.off:
            raise Refused(REFUSED_AS.get(name, "invalid_input"), self.text[start:end])
        if name not in self.repairs:
            saw = self.text[start : min(end, start + 200)]
            self.repairs[name] = Repair(name, saw, made[:200], start, end)

    def merge(self, repairs: list[Repair]) -> None:
        """Add what a reader of values noted."""
        for repair in repairs:
            self.repairs.setdefault(repair.name, repair)
