"""What the model is told when a call goes wrong: templates, as data, in two languages.

Each says what was wrong, what is allowed and, where it helps, one example.
"""

TEXTS = {
    "en": {
        "unknown_tool": "Error: there is no tool named {name!r}.{close} Available tools: {tools}.",
        "close": " Did you mean {names}?",
        "no_tools": "none",
        "bare": "Error: tool {tool} needs a JSON object with {params}, not the bare text {value}. Example: {example}",
        "not_object": "Error: the input of tool {tool} must be a JSON object, got {value}. Example: {example}",
        "missing": "parameter {param!r} is missing; it expects {expected}",
        "extra": "parameter {param!r} does not exist (allowed: {allowed})",
        "wrong": "parameter {param!r} expects {expected}; got {value}",
        "one_of": "one of {choices}",
        "typed": "{article} {kind}",
        "invalid": "Error: tool {tool} was not called: {problems}. Example: {example}",
        "failed": "Error: tool {tool} failed: {why}",
        "timeout": "Error: tool {tool} gave no result within {seconds:g} seconds. Try other arguments or another tool.",
        "empty": "(no result) Tool {tool} found nothing. {hint}",
        "empty_hint": "Try other arguments or another tool.",
        "cut": " ... [{left_out:,} of {total:,} characters left out] ... ",
        "one_call": "Not run: one tool call a turn. Call {tool} again by itself if you still need it.",
    },
    "zh": {
        "unknown_tool": "错误：没有名为 {name!r} 的工具。{close}可用的工具：{tools}。",
        "close": "你是不是想用 {names}？",
        "no_tools": "无",
        "bare": "错误：工具 {tool} 需要包含 {params} 的 JSON 对象，而不是一段文字 {value}。示例：{example}",
        "not_object": "错误：工具 {tool} 的输入必须是 JSON 对象，收到的是 {value}。示例：{example}",
        "missing": "缺少参数 {param!r}，应为{expected}",
        "extra": "参数 {param!r} 不存在（允许的参数：{allowed}）",
        "wrong": "参数 {param!r} 应为{expected}；收到 {value}",
        "one_of": "以下之一：{choices}",
        "typed": " {kind}",
        "invalid": "错误：工具 {tool} 没有被调用：{problems}。示例：{example}",
        "failed": "错误：工具 {tool} 执行失败：{why}",
        "timeout": "错误：工具 {tool} 在 {seconds:g} 秒内没有返回结果。请换参数或换工具。",
        "empty": "（无结果）工具 {tool} 什么也没找到。{hint}",
        "empty_hint": "请换参数或换工具。",
        "cut": " ……[共 {total:,} 个字符，省略 {left_out:,} 个]…… ",
        "one_call": "未执行：每轮只能调用一个工具。如仍需要，请单独再调用 {tool}。",
    },
}


def say(key: str, language: str = "en", **values: object) -> str:
    """Fill in one template."""
    return TEXTS[language][key].format(**values)
