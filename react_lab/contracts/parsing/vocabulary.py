"""The words, tags and tokens that mark the parts of a reply, as data and as patterns.

`EVENT` finds the next mark: a label, a fence or a tag at the start of a line, a closing tag
or a turn token anywhere. No two runs in a pattern can match the same characters, so that
every search takes time linear in the text.
"""

from __future__ import annotations

import re
from itertools import groupby

_LABELS = {
    "thought": "thought|thoughts|thinking|reasoning|analysis|plan|reflection|思考|想法|思路|分析|推理|考虑|考え"
    "|思考過程|思考过程|pensée|réflexion|pensamiento|pensamento|pensiero|gedanke|생각|мысль",
    "action": "action|actions|next action|chosen action|tool|tool name|tool to use|tool call|function"
    "|function name|function call|action name|行动|动作|操作|工具|工具名|工具名称|工具调用|调用工具|使用工具|执行"
    "|执行动作|下一步行动|行動|動作|アクション|ツール|acción|herramienta|ação|azione|aktion|werkzeug|outil|행동"
    "|действие|инструмент",
    "input": "action input|action inputs|actioninput|input|inputs|tool input|tool inputs|arguments|args"
    "|parameters|params|action arguments|action args|action parameters|tool arguments|tool args"
    "|tool parameters|function arguments|function input|行动输入|动作输入|操作输入|工具输入|输入|参数|行动参数"
    "|动作参数|工具参数|输入参数|行動輸入|動作輸入|輸入|參數|行動入力|アクション入力|入力|eingabe|aktionseingabe"
    "|aktion eingabe|entrée|entrée de l'action|entrée de l’action|entrada|entrada de acción"
    "|entrada de la acción|entrada da ação|input dell'azione|행동 입력|입력|входные данные|параметры|ввод",
    "observation": "observation|observations|obs|tool result|tool results|tool output|tool response"
    "|观察|观察结果|观测|观测结果|工具结果|工具返回|返回结果|觀察|觀察結果|観察|観察結果|結果|observación"
    "|observação|osservazione|beobachtung|관찰|наблюдение",
    "answer": "final answer|finalanswer|final response|最终答案|最终回答|最后答案|最终答复|最终结果|最終答案|最終回答"
    "|最終的な答え|最終的な回答|respuesta final|resposta final|risposta finale|réponse finale"
    "|endgültige antwort|finale antwort|최종 답변|최종 답|окончательный ответ|финальный ответ|итоговый ответ",
    "other": "question|human|user|system|assistant|问题|用户|問題|ユーザー",
}
#: the labels that the kit's own prompts ask for, in both languages; all others are repairs
PLAIN = {
    "thought": ("Thought", "思考"),
    "action": ("Action", "行动"),
    "input": ("Action Input", "行动输入"),
    "observation": ("Observation", "观察"),
    "answer": ("Final Answer", "最终答案"),
}
_TAGS = {
    "reasoning": "think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|scratch_pad"
    "|reflection|plan|planning|draft|cot|internal|inner_thoughts|inner_monologue|rationale|longcat_think",
    "quotation": "example|examples|document|documents|quote|blockquote|pre|code|page|email|context|excerpt",
    "observation": "observation|observations|tool_response|tool_responses|tool_result|tool_results"
    "|function_response|function_result|function_results|function_output|tool_output|tool_outputs|result"
    "|results|start_function_response",
    "answer": "final_answer|answer|final|final_response",
    "call": "tool_call|tool_calls|tool-call|toolcall|toolcalls|function_call|function_calls|functioncall"
    "|functioncalls|function-call|tool_use|invoke|function|action|tool|tool_name|action_name"
    "|longcat_tool_call|start_function_call",
}
#: marks that are no tags, and what closes the ones that need closing
_MARKS = {
    "reasoning": "[THINK] ◁think▷ <|begin_of_thought|> <|start_thinking|> <|START_THINKING|> <|think|>",
    "observation": "[TOOL_RESULTS] <|observation|> <|tool_response|> <｜tool▁outputs▁begin｜> <|START_TOOL_RESULT|>"
    " <|start_header_id|>ipython <|im_start|>tool <|tool|> ✿RESULT✿",
    "call": "[TOOL_CALLS] <|python_tag|> <|python_start|> <|tool_call|> <|tool_calls|> <|tool_call_begin|>"
    " <|tool_calls_section_begin|> <｜tool▁calls▁begin｜> <｜tool▁call▁begin｜> <|action_start|> <|START_ACTION|>"
    " <<function>> functools[ <|recipient|> <|from|>assistant >>>",
    "answer": "<|START_RESPONSE|>",
}
CLOSING_MARKS = {
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|start_thinking|>": "<|end_thinking|>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|think|>": "<|/think|>",
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
}


def _kinds(table: dict[str, str], separator: str) -> dict[str, str]:
    return {name: kind for kind, names in table.items() for name in names.split(separator)}


KIND_OF_LABEL = _kinds(_LABELS, "|")
KIND_OF_TAG = _kinds(_TAGS, "|")
KIND_OF_MARK = _kinds(_MARKS, " ")


def _alternatives(names: list[str]) -> str:
    """Write names as one pattern; the script and then the first letter decide quickly."""
    latin = [name for name in names if name[0].isascii()]
    others = [name for name in names if not name[0].isascii()]
    return rf"(?=[^\W\d_]{{2}})(?:(?=[a-zA-Z])(?:{_by_letter(latin)})|(?![a-zA-Z])(?:{_by_letter(others)}))"


def _by_letter(names: list[str]) -> str:
    ordered = sorted(names, key=lambda name: (name[0], -len(name)))
    groups = []
    for first, group in groupby(ordered, key=lambda name: name[0]):
        rests = "|".join(
            re.escape(name[1:]).replace("\\ ", r"\\?[ \t_\xa0\u3000-]{1,2}") for name in group
        )
        groups.append(f"[{first}{first.upper()}](?i:{rests})")
    return "|".join(groups)


B = r"[ \t\xa0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]"
#: the start of a line, however lines are broken
LINE = r"(?<![^\n\r\x0b\x0c\x85\u2028\u2029])"
#: markdown, bullets and emoji may stand before a label; quotes, brackets and `>` may not
_SYMBOL = r"(?:[^\w\s>\"'“”‘’「」『』`(\[{<|/\\$&%=+~^，。；：:【】«»‹›《》]|_)"
_PREFIX = rf"(?:(?:(?i:step)|步骤)?{B}?\d{{1,3}}[.)、:：]{B}*+)?+(?:{_SYMBOL}{{1,8}}+{B}*+){{0,3}}+"
_NAMES = _alternatives(list(KIND_OF_LABEL))
_NUMBER = rf"(?:{B}?(?:#?\d{{1,3}}|[(（]\d{{1,3}}[)）]))?+"
_TRIM = rf"{B}{{0,3}}+[*_✿]{{0,3}}+{B}{{0,3}}+"
_COLON = r"(?:[:：﹕∶]|->|=>|→)"
_LABEL = (
    rf"{_PREFIX}(?:(?P<name>{_NAMES})(?!\w){_NUMBER}(?P<trim>{_TRIM})(?:{_COLON}|(?P<bare>{B}*+(?![^\n\r])))"
    rf"|[\[【](?P<boxed>{_NAMES}){_NUMBER}[\]】]{_TRIM}{_COLON}?"
    rf"|`(?P<ticked>{_NAMES}){_NUMBER}`{_TRIM}{_COLON})"
)
_LOOSE = r"(?P<loose>(?!<)[^\w\n\r]{0,8}+(?i:observations?(?![a-z])|观察|观测|觀察|観察))"
_REASONING = "|".join(name for name, kind in KIND_OF_TAG.items() if kind == "reasoning")
#: each pattern below begins with `<` and is told apart by the next character
_CLOSED = rf"/(?=[a-zA-Z])(?:\w{{1,20}}:)?(?i:{_REASONING})>|\|(?:end_of_thought|end_thinking|END_THINKING|/think)\|>"
_ENDS = (
    r"\|(?:im_end|im_sep|eod|eom|endofturn|turn_end|message_end|eos_token|eot_id|endoftext|end|eom_id|end_of_text|return|eos|end_of_turn|user|END_OF_TURN_TOKEN|eot|call"
    r"|END_RESPONSE)\|>|/s>|eos>|eot>|EOT>|pad>|end_of_turn>|｜(?:end▁of▁sentence|User)｜>|end_code>"
)
_STARTS = (
    r"(?:\|(?:im_start|start_header_id|end_header_id|begin_of_text|START_OF_TURN_TOKEN|CHATBOT_TOKEN|start_of_role|end_of_role|assistant|start|bos)\|>"
    r"|s>|bos>|sop>|start_of_turn>|｜(?:Assistant|begin▁of▁sentence)｜>)"
)
_ROLE = r"(?:(?:assistant|model|user|system)\b)?+"
_INLINE = (
    rf"<(?:(?P<closing>{_CLOSED})|(?P<ends>{_ENDS})|(?P<starts>{_STARTS}){_ROLE})"
    r"|\[(?:(?P<closing_box>/THINK\])|(?P<ends_box>/INST\])|(?P<starts_box>INST\]))|(?P<closing_sign>◁/think▷)"
)
_FENCE = r"(?:```+|~~~+)"
_MARKUP = r"(?P<markup>(?=[<◁✿]|\[[A-Z]|>>>|functools\[))"
#: a short line of symbols alone marks nothing, and is told at once
_RULE = r"(?![^\w\n\r\x0b\x0c\x85\u2028\u2029`~\[【<>◁✿]{1,12}+[\n\r])"
_AT_LINE = rf"{B}*+(?=\S){_RULE}(?:(?P<fence>{_FENCE})|{_LABEL}|{_LOOSE}|{_MARKUP})"


EVENT = re.compile(rf"{_INLINE}|{LINE}{_AT_LINE}")
#: the same for a place that counts as the start of a line
EVENT_HERE = re.compile(rf"{B}*+(?:{_INLINE}|{_AT_LINE})")
_TURN = rf"(?:<(?:{_ENDS}|{_STARTS}{_ROLE})|\[/?INST\])"
TURN = re.compile(_TURN)
#: a turn token that is followed by this ends the reply; followed by words it is only mentioned
AFTER_TURN = re.compile(
    rf"{B}*+(?:[\n\r<]|\Z|(?:Human|User|Assistant|System|user|assistant|用户)\b)"
)
FENCE_LINE = re.compile(rf"{LINE}{B}*+{_FENCE}[^\n`]*")
#: nothing more in the reply, or nothing but what was invented
REPLY_ENDS = re.compile(
    rf"\s*+(?:\Z|{_TURN}|[^\w\n\r]{{0,8}}+(?i:observations?(?![a-z])|观察|观测))"
)
#: half an Observation label
DANGLING = re.compile(
    r"(?:(?<=\n)|(?<=\r)|\A)[ \t*#]*+(?:Ob|Obs|Obse|Obser|Observ|Observa|Observat|Observati|Observatio|Observation|观|观察)[*]{0,2}\s*\Z"
)
#: a line that only opens or closes a fence names nothing
FENCED_NAME = re.compile(r"(?:```+|~~~+)\w{0,20}")
#: a fence or a back-tick before what it holds
FENCE_BEFORE = re.compile(r"(?:(?:```+|~~~+)[\w+-]{0,20}+|`)?\s*+")
#: a call as Python writes it: a name and a bracket
PYTHON_CALL = re.compile(r"([^\W\d][\w.]{0,80})\(")
MARK = re.compile("|".join(map(re.escape, KIND_OF_MARK)))
TAG = re.compile(r"<(?:[|｜]?\w{1,20}[:｜|])?(?P<name>[\w-]{1,40})(?P<after>[>=\s])")


def fold_label(written: str) -> str:
    """Return a label's name as it stands in the table."""
    name = re.sub(r"[\s_\-]+", " ", written).lower()
    return name if name in KIND_OF_LABEL else name.replace(" ", "-")
