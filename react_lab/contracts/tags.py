"""Read the tags of the XML contract as labels, so that one parser reads both.

Each opening tag and its label have the same length (`<action>` and `Action: `), so every
position in the translated text is a position in the reply.

>>> tags_to_labels("<thought>why</thought>\\n<action>clock</action>")
'Thought: why          \\nAction: clock         '
"""

from __future__ import annotations

import re

_LABELS = {
    "<thought>": "Thought: ",
    "<action>": "Action: ",
    "<action_input>": "Action Input: ",
    "<final_answer>": "Final Answer: ",
    "<observation>": "Observation: ",
}
_OPENING = re.compile(rf"^(?:{'|'.join(_LABELS)})|(?<=> )(?:{'|'.join(_LABELS)})", re.MULTILINE)
_CLOSING = re.compile(r"</(?:thought|action|action_input|final_answer|observation)>")
_THOUGHT = re.compile(r"(?<=<thought>).*?(?=</thought>)", re.DOTALL)


def tags_to_labels(text: str) -> str:
    """Return the reply with labels for tags; what a thought quotes stays quoted."""
    text = _THOUGHT.sub(lambda m: m[0].replace("\n", " "), text)
    text = re.sub(r"(</\w+>)(?=<)", lambda m: m[1][:-1] + "\n", text)
    text = re.sub(
        r"</(?:thought|action|action_input|final_answer|observation)(?=\n)",
        lambda m: " " * len(m[0]),
        text,
    )
    text = _CLOSING.sub(lambda m: " " * len(m[0]), text)
    return _OPENING.sub(lambda m: _LABELS[m[0]], text)
