"""The words of the simulated model: thoughts and set phrases, in two languages."""

from __future__ import annotations

from collections.abc import Mapping

WORDING: Mapping[str, Mapping[str, str]] = {
    "en": {
        "need": "I need {fact}.",
        "shows": "The Observation shows {what}.",
        "told": "The last Observation says: {text}",
        "summed": "Now I can calculate.",
        "enough": "I have all I need.",
        "check": "I had better check that once more.",
        "corrected": "I see what was wrong and correct it.",
        "again": "That did not work. I try again.",
        "open": "The last round is still open. I call the tool.",
        "memory": "I know this by heart.",
        "obeying": "The Observation tells me what to do, so I do it.",
        "no_tool": "None of the tools can give me {fact}.",
        "gone": "I asked for {fact} and it is not there.",
        "cannot": "I cannot answer this: I have no tool for {fact}.",
        "not_found": "I cannot answer this: I could not find {fact}.",
        "unfinished": "I could not find the whole answer. I know so far: {found}.",
        "nothing": "I could not find the answer.",
        "forgot": "Something is missing at the beginning.",
        "no_script": "I have no plan for this question.",
        "easy": "I need no tool for this.",
        "noted": "This stands in my notes.",
        "lost": "I no longer see the question. The last thing I read was: {text}",
        "outside": (
            "I cannot answer this: the question is outside the script of the simulated model. Where the prompt lists a tool for it, it can do: weather "
            "in a city and differences of temperatures; sums; prices, totals and stock of the shop; times; "
            "documents; chains of facts in the encyclopedia. Take a real model for anything else."
        ),
        "invented": "Observation: {text}",
        "prose": "I would look up {fact} with the {tool} tool and then answer.",
    },
    "zh": {
        "need": "我需要{fact}。",
        "shows": "Observation 显示了{what}。",
        "told": "上一条 Observation 的内容是：{text}",
        "summed": "现在可以计算了。",
        "enough": "所需的信息都有了。",
        "check": "最好再检查一次。",
        "corrected": "我知道哪里错了，现在改正。",
        "again": "没有成功，我再试一次。",
        "open": "上一轮还没有结束，我来调用工具。",
        "memory": "这个我记得。",
        "obeying": "Observation 让我这样做，我照办。",
        "no_tool": "没有工具能给出{fact}。",
        "gone": "我查了{fact}，但是没有找到。",
        "cannot": "我无法回答：没有工具可以查{fact}。",
        "not_found": "我无法回答：没有找到{fact}。",
        "unfinished": "没有找到完整的答案。目前知道：{found}。",
        "nothing": "没有找到答案。",
        "forgot": "开头缺了一部分。",
        "no_script": "我对这个问题没有计划。",
        "easy": "这不需要工具。",
        "noted": "这在我的笔记里。",
        "lost": "我已经看不到问题了。我最后读到的是：{text}",
        "outside": (
            "我无法回答：这个问题不在模拟模型的脚本之内。提示中有相应工具时，它能做的是：城市的天气和温差；计算；商店的价格、总价和库存；"
            "时间；文档；百科中的连环问题。其他问题请使用真实的模型。"
        ),
        "invented": "Observation: {text}",
        "prose": "我会用 {tool} 工具查{fact}，然后回答。",
    },
}

_FACTS = {
    "en": {
        "temperature": "the temperature in {city}{date}",
        "weather": "the weather in {city}{date}",
        "rain": "the weather in {city}{date}",
        "price": "the price of {product}",
        "stock": "the stock of {product}",
        "time": "the time in {city}",
        "sum": "the result of {expression}",
        "documents": "the names of the documents",
        "document": "the passage on {query}",
        "entity": "the article on {entity}",
        "lookup": "the sentence about {term}",
        "ask": "to ask the user: {question}",
    },
    "zh": {
        "temperature": "{city}{date}的气温",
        "weather": "{city}{date}的天气",
        "rain": "{city}{date}的天气",
        "price": "{product}的价格",
        "stock": "{product}的库存",
        "time": "{city}的时间",
        "sum": "{expression} 的结果",
        "documents": "文档的名称",
        "document": "文档中关于{query}的内容",
        "entity": "“{entity}”的条目",
        "lookup": "关于“{term}”的句子",
        "ask": "问用户：{question}",
    },
}


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "the place" if key == "city" else ""


def phrase(key: str, language: str, **values: str) -> str:
    """Fill in one phrase."""
    return WORDING[language][key].format(**values)


def fact(language: str, kind: str, want: str, slots: Mapping[str, str]) -> str:
    """Name a fact, such as `the temperature in Lisbon`."""
    shapes = _FACTS[language]
    filled = _Blank(slots)
    day = slots.get("date", "today")
    filled["date"] = "" if day in ("today", "今天") else f" {day}" if language == "en" else day
    return (shapes.get(want) or shapes[kind]).format_map(filled).rstrip("?？")


_QUESTIONS = {
    "en": {
        "temperature": "What is the temperature in {city}{date}?",
        "weather": "What is the weather in {city}{date}?",
        "rain": "Will it rain in {city}{date}?",
        "price": "What is the price of {product}?",
        "stock": "How many {product} are in stock?",
        "time": "What time is it in {city}?",
        "sum": "Calculate {expression}",
    },
    "zh": {
        "temperature": "{city}{date}的气温是多少？",
        "weather": "{city}{date}的天气怎么样？",
        "rain": "{city}{date}会下雨吗？",
        "price": "{product}的价格是多少？",
        "stock": "{product}的库存有多少？",
        "time": "{city}现在几点？",
        "sum": "计算 {expression}",
    },
}


def sub_question(language: str, kind: str, want: str, slots: Mapping[str, str]) -> str:
    """Ask for a fact in a question of its own."""
    shapes = _QUESTIONS[language]
    shape = shapes.get(want) or shapes.get(kind)
    if shape is None:
        return fact(language, kind, want, slots)
    filled = _Blank(slots)
    day = slots.get("date", "")
    filled["date"] = f" {day}" if day and language == "en" else day
    return shape.format_map(filled)
