"""Exercises and quiz of notebook 08."""

from __future__ import annotations

from .records import Check, Exercise, Question, calling


def _cut(text: str, limit: int, expected: str, look: str) -> Check:
    return Check(f"{text!r}, limit {limit}", calling(text, limit), expected, look)


def _fit(steps: list[tuple[int, bool]], budget: int, expected: list[int], look: str) -> Check:
    return Check(f"{steps}, budget {budget}", calling(steps, budget), expected, look)


def _facts(facts: list[str], prompt: str, expected: list[str], look: str) -> Check:
    return Check(f"{facts} in {prompt!r}", calling(facts, prompt), expected, look)


EXERCISES = (
    Exercise(
        id="08.1",
        title="Cut, and say so",
        difficulty="easy",
        minutes=6,
        goal="Return a text of at most `limit` characters as it is. Of a longer one keep the first `limit` characters and add "
        "` ... [N characters left out]`, where N is how many are missing. The marker comes on top of the limit; a limit of 0 keeps "
        "nothing else.",
        name="cut",
        stub='''def cut(text, limit):
    """Return the text, or its start and how much is missing."""
    raise NotImplementedError''',
        checks=(
            _cut(
                "Oslo: 14.5 °C, fog",
                7,
                "Oslo: 1 ... [11 characters left out]",
                "truncate_v2: the marker",
            ),
            _cut("Oslo", 9, "Oslo", "a short text needs no marker"),
            _cut("Oslo", 4, "Oslo", "a text of exactly `limit` characters is not cut"),
            _cut("Oslo", 0, " ... [4 characters left out]", "text[:0] is empty, text[:-0] as well"),
        ),
        hints=(
            "Compare the length with the limit first, and leave early.",
            "What is missing is len(text) - limit.",
            'An f-string: f"{text[:limit]} ... [{missing} characters left out]"',
        ),
        solution='''def cut(text, limit):
    missing = len(text) - limit
    return text if missing <= 0 else f"{text[:limit]} ... [{missing} characters left out]"''',
        wrong=(
            (
                """def cut(text, limit):
    return text[:limit]""",
                "truncate_v2: the marker",
            ),
            (
                '''def cut(text, limit):
    return f"{text[:limit]} ... [{max(0, len(text) - limit)} characters left out]"''',
                "a short text needs no marker",
            ),
            (
                '''def cut(text, limit):
    if len(text) < limit:
        return text
    return f"{text[:limit]} ... [{len(text) - limit} characters left out]"''',
                "exactly `limit`",
            ),
        ),
    ),
    Exercise(
        id="08.2",
        title="A window in tokens",
        difficulty="medium",
        minutes=12,
        goal="`steps` is a list of (tokens, failed), oldest first. Return the positions to show, oldest first. Failed steps are always "
        "shown and paid for first. Then take the newest of the others while they fit into what is left of `budget`; stop at the first "
        "that does not fit.",
        name="fit",
        stub='''def fit(steps, budget):
    """Return the positions of the steps that fit, such as [0, 3, 4]."""
    raise NotImplementedError''',
        checks=(
            _fit(
                [(10, False), (10, False), (10, False)],
                20,
                [1, 2],
                "the newest come first, and the result is sorted",
            ),
            _fit(
                [(10, True), (10, False), (10, False)],
                20,
                [0, 2],
                "a failed step is always shown, and paid for first: 10 is left for the others",
            ),
            _fit([(50, True), (10, False)], 20, [0], "a failed step, whatever the budget"),
            _fit(
                [(10, False), (40, False), (10, False)],
                30,
                [2],
                "stop at the first that does not fit: a gap would be a lie about the past",
            ),
            _fit([], 20, [], "a run that has not begun"),
        ),
        hints=(
            "Two passes: the failed ones first, then the others from the end.",
            "Take what the failed ones cost off the budget before the second pass.",
            "In the second pass: `if tokens > budget: break`, else take it and pay.",
        ),
        solution="""def fit(steps, budget):
    shown = [i for i, (_, failed) in enumerate(steps) if failed]
    budget -= sum(steps[i][0] for i in shown)
    for i in reversed(range(len(steps))):
        tokens, failed = steps[i]
        if failed:
            continue
        if tokens > budget:
            break
        shown.append(i)
        budget -= tokens
    return sorted(shown)""",
        wrong=(
            (
                """def fit(steps, budget):
    shown = []
    for i in reversed(range(len(steps))):
        budget -= steps[i][0]
        if budget < 0:
            break
        shown.append(i)
    return sorted(shown)""",
                "got:      [1, 2]",
            ),
            (
                """def fit(steps, budget):
    shown = [i for i, (_, failed) in enumerate(steps) if failed]
    budget -= sum(steps[i][0] for i in shown)
    for i in reversed(range(len(steps))):
        tokens, failed = steps[i]
        if not failed and tokens <= budget:
            shown.append(i)
            budget -= tokens
    return sorted(shown)""",
                "stop at the first that does not fit",
            ),
            (
                """def fit(steps, budget):
    shown = [i for i, (_, failed) in enumerate(steps) if failed]
    for i in reversed(range(len(steps))):
        tokens, failed = steps[i]
        if failed:
            continue
        if tokens > budget:
            break
        shown.append(i)
        budget -= tokens
    return sorted(shown)""",
                "got:      [0, 1, 2]",
            ),
            (
                """def fit(steps, budget):
    shown = []
    for i, (tokens, failed) in enumerate(steps):
        if failed or tokens <= budget:
            shown.append(i)
            budget -= tokens
    return shown""",
                "the newest come first",
            ),
        ),
    ),
    Exercise(
        id="08.3",
        title="What was forgotten",
        difficulty="medium",
        minutes=10,
        goal="Return the facts that do not stand in the prompt, in the order given. A fact counts only as a whole: `37` does not stand "
        "in `137` nor in `37.5`, and `mug` not in `mugs`. Upper and lower case are the same.",
        name="forgotten",
        stub='''def forgotten(facts, prompt):
    """Return the list of facts that the prompt no longer holds."""
    raise NotImplementedError''',
        checks=(
            _facts(["14.5 °C", "mug"], "Oslo: 14.5 °C, fog", ["mug"], "a plain search"),
            _facts(["37"], "Delhi: 37.5 °C", ["37"], "first_sentence_v1, which made 37 of 37.5"),
            _facts(["37"], "room 137", ["37"], "what stands before the fact"),
            _facts(["37"], "It has 37.", [], "a full stop after a number is no decimal point"),
            _facts(["Mug", "37.5"], "a mug for 37.5 EUR", [], "re.IGNORECASE"),
            _facts(["24 EUR (net)"], "lamp: 24 EUR (net)", [], "re.escape: a fact is a text"),
        ),
        hints=(
            "Search for re.escape(fact) with something before and behind it.",
            r"Before: (?<![\w.]). Behind: no letter or digit, and no point with a digit after it.",
            r"re.search(rf'(?<![\w.]){re.escape(fact)}(?!\w|\.\d)', prompt, re.IGNORECASE)",
        ),
        solution="""import re


def forgotten(facts, prompt):
    def stands(fact):
        pattern = rf"(?<![\\w.]){re.escape(fact)}(?!\\w|\\.\\d)"
        return re.search(pattern, prompt, re.IGNORECASE)

    return [fact for fact in facts if not stands(fact)]""",
        wrong=(
            (
                """def forgotten(facts, prompt):
    return [fact for fact in facts if fact.lower() not in prompt.lower()]""",
                "which made 37 of 37.5",
            ),
            (
                """import re
def forgotten(facts, prompt):
    return [f for f in facts if not re.search(rf"{re.escape(f)}(?!\\w|\\.\\d)", prompt, re.IGNORECASE)]""",
                "what stands before the fact",
            ),
            (
                """import re
def forgotten(facts, prompt):
    return [f for f in facts if not re.search(rf"(?<![\\w.]){re.escape(f)}(?![\\w.])", prompt, re.IGNORECASE)]""",
                "is no decimal point",
            ),
            (
                """import re
def forgotten(facts, prompt):
    return [f for f in facts if not re.search(rf"(?<![\\w.]){f}(?!\\w|\\.\\d)", prompt, re.IGNORECASE)]""",
                "re.escape",
            ),
        ),
    ),
)

QUIZ = (
    Question(
        "A window of three steps keeps every prompt small. Why did the ten cities cost so much and give no answer?",
        {
            "a": (
                "the window was not small enough",
                "A smaller window forgets even sooner: the cycle only gets shorter.",
            ),
            "b": (
                "the answer needs all ten facts at once, and the window never holds more than three",
                "Each fact is paid for again and again. A small prompt is no cheap run.",
            ),
            "c": ("the tool was slow", "The tool answered at once, every time."),
        },
        "b",
        "Look at the list of cities that the run asked for.",
    ),
    Question(
        "Which steps must a policy never drop or shorten?",
        {
            "a": (
                "those that failed",
                "What went wrong, and what the message said about it, is what keeps the model from doing it again.",
            ),
            "b": ("those with long Observations", "Those are the first candidates to shorten."),
            "c": (
                "the first ones",
                "They may hold what is needed, or not; it depends on the task.",
            ),
        },
        "a",
        "Remember Lisbonn.",
    ),
    Question(
        "First sentences solved the cities and failed at the basket. What decides?",
        {
            "a": (
                "the number of steps",
                "Ten cities against nine products: nearly the same.",
            ),
            "b": ("the model", "It was the same simulated model."),
            "c": (
                "where in the Observation the needed fact stands",
                "So a tool that puts the fact first makes a cheap policy safe.",
            ),
        },
        "c",
        "Read one Observation of each tool.",
    ),
    Question(
        "A run with a small model limit ended with stop_reason final_answer. Is it fine?",
        {
            "a": ("yes, that is what final_answer means", "It means that the model wrote one."),
            "b": (
                "not before you have read the answer",
                "The one in this notebook said that it could no longer see the question.",
            ),
            "c": ("no, final_answer is an error", "It is how every good run ends, too."),
        },
        "b",
        "The stop_reason says why the run ended, not whether the answer is right.",
    ),
)
