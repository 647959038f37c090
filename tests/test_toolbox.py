"""The ready tools: fixed data, exact refusals, nothing outside the folder."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from react_lab.errors import UsageError
from react_lab.records import Action
from react_lab.toolbox import (
    demo_agent,
    demo_tools,
    encyclopedia_tools,
    make_ask_user,
    make_clock,
    make_documents,
    make_encyclopedia,
)
from react_lab.toolbox.documents import best_passages, bm25, split_passages
from react_lab.toolbox.encyclopedia import load_entries, similar_titles
from react_lab.toolbox.world import CITIES, find_city, read_date, read_table
from react_lab.tools import Toolbox, lint_tool

BOXES = {language: demo_tools(language) for language in ("en", "zh")}


def see(tool, args, language="en", box=None):
    return (box or BOXES[language]).run(Action(tool, args), language)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_ready_tool_is_well_described_and_quick(language):
    tools = [
        *demo_tools(language).values(),
        *encyclopedia_tools(language).values(),
        make_ask_user([], language),
    ]
    assert [tool.name for tool in tools] == (
        "calculator weather shop clock list_documents read_document search lookup ask_user".split()
    )
    for tool in tools:
        assert lint_tool(tool) == []
        assert tool.timeout is None


def test_both_languages_have_the_same_parameters():
    assert BOXES["en"].signatures == BOXES["zh"].signatures


# Weather, shop and clock


@pytest.mark.parametrize(
    ("args", "language", "text"),
    [
        ({"city": "Lisbon"}, "en", "Lisbon, Monday 2026-06-15: 22.5 °C, overcast, no rain"),
        (
            {"city": "lisboa", "date": "14 June"},
            "en",
            "Lisbon, Sunday 2026-06-14: 27.5 °C, partly cloudy, no rain",
        ),
        ({"city": "里斯本"}, "zh", "里斯本，2026-06-15（周一）：22.5 °C，阴，无雨"),
        ({"city": "Zürich", "date": "昨天"}, "zh", "苏黎世，2026-06-14（周日）：19 °C，大雨，有雨"),
    ],
)
def test_weather_is_one_tidy_line(args, language, text):
    observation = see("weather", args, language)
    assert (observation.status, observation.text) == ("ok", text)


def test_the_weather_table_is_complete():
    rows = read_table("forecast.csv")
    days = {row["date"] for row in rows}
    assert len({(row["city"], row["date"]) for row in rows}) == len(rows) == len(CITIES) * len(days)
    assert {row["city"] for row in rows} == {city.name for city in CITIES}
    for row in rows:
        assert see("weather", {"city": row["city"], "date": row["date"]}, "zh").status == "ok"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"city": "Atlantis"}, "no data for a city named 'Atlantis'"),
        ({"city": "Lisbn"}, "Did you mean Lisbon"),
        ({"city": "Paris, Texas"}, "no data for a city named 'Paris, Texas'"),
        ({"city": "Lisbon", "date": "2026-08-03"}, "the table runs from 2026-06-08 to 2026-06-22"),
        ({"city": "Lisbon", "date": "soon"}, "the date 'soon' cannot be read; write today"),
        ({"city": "Lisbon", "date": "05/06/2026"}, "cannot be read"),
    ],
)
def test_weather_is_never_invented(args, said):
    observation = see("weather", args)
    assert observation.status == "tool_error"
    assert said in observation.text
    assert "°C" not in observation.text


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("today", 15), ("", 15), ("Tomorrow", 16), ("the day after tomorrow", 17), ("yesterday", 14),
        ("今天", 15), ("明天", 16), ("昨天", 14), ("2026-06-14", 14), ("2026/6/14", 14),
        ("14 June", 14), ("June 14", 14), ("14th of June 2026", 14), ("June 14th, 2026", 14),
        ("Mon, 15 June 2026", 15), ("15/06/2026", 15), ("06/15/2026", 15), ("15.6.2026", 15),
        ("6月14日", 14), ("2026 年 6 月 14 日", 14), ("２０２６-０６-１４", 14), ("2026-06-14T00:00:00Z", 14),
        ("Friday", 19), ("on Tuesday", 16), ("周二", 16), ("星期天", 21), ("Monday", 15), ("next Monday", 22),
    ],
)  # fmt: skip
def test_dates_are_read_as_people_write_them(written, day):
    assert read_date(written).isoformat() == f"2026-06-{day}"


@pytest.mark.parametrize(
    "written",
    ["soon", "05/06/2026", "31 June", "June", "mayhem 3", "3 or 4 June", "2026-13-01", "x" * 5000],
)
def test_dates_with_no_or_two_readings_are_not_read(written):
    assert read_date(written) is None


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("LISBOA", "Lisbon"), ("Lisbon, Portugal", "Lisbon"), ("Paris (France)", "Paris"), ("里斯本", "Lisbon"),
        ("北京市", "Beijing"), ("Zürich", "Zurich"), ("São Paulo", None), ("new  york", "New York"),
        ("Paris, Texas", None), ("Lisbon,", "Lisbon"), ("", None), (",", None), ("x" * 5000, None),
    ],
)  # fmt: skip
def test_cities_are_found_by_their_names(written, name):
    city = find_city(written)
    assert (city and city.name) == name


def test_no_name_means_two_cities():
    names = [find_city(name) for city in CITIES for name in (city.name, city.zh, *city.aliases)]
    assert names == [city for city in CITIES for _ in (city.name, city.zh, *city.aliases)]


@pytest.mark.parametrize(
    ("args", "language", "text"),
    [
        ({"product": "umbrella"}, "en", "umbrella: 14.90 EUR each, 23 in stock"),
        ({"product": "3 Umbrellas"}, "en", "umbrella: 14.90 EUR each, 23 in stock"),
        ({"product": "the flashlight"}, "en", "torch: 12.40 EUR each, 31 in stock"),
        ({"product": "knives"}, "en", "knife: 16.80 EUR each, 5 in stock"),
        ({"product": "雨伞"}, "zh", "雨伞：单价 14.90 EUR，库存 23 件"),
        ({"item": "umbrella"}, "zh", "雨伞：单价 14.90 EUR，库存 23 件"),
    ],
)
def test_the_shop_knows_price_and_stock(args, language, text):
    assert see("shop", args, language).text == text


def test_the_shop_sells_what_it_sells():
    assert (
        see("shop", "unicorn").text
        == "Error: tool shop failed: the shop sells no product named 'unicorn'."
    )
    assert "Did you mean kettle" in see("shop", "kettel").text


def test_no_product_name_means_two_products():
    rows = read_table("products.csv")
    names = [
        name
        for row in rows
        for name in (row["name"], row["zh"], *filter(None, row["aliases"].split("|")))
    ]
    assert len({name.casefold() for name in names}) == len(names)


@pytest.mark.parametrize(
    ("args", "language", "text"),
    [
        ({}, "en", "London: 13:00 on Monday 2026-06-15 (UTC+01:00)"),
        ({"city": "Tokyo"}, "en", "Tokyo: 21:00 on Monday 2026-06-15 (UTC+09:00)"),
        ({"city": "New Delhi"}, "en", "Delhi: 17:30 on Monday 2026-06-15 (UTC+05:30)"),
        ({"city": "东京"}, "zh", "东京：21:00，2026-06-15（周一）"),
    ],
)
def test_the_clock_stands_still(args, language, text):
    assert see("clock", args, language).text == text


def test_the_clock_can_be_set():
    clock = make_clock(lambda: datetime(2030, 1, 1, 23, 30, tzinfo=UTC))
    assert clock("Tokyo") == "Tokyo: 08:30 on Wednesday 2030-01-02 (UTC+09:00)"
    assert "no time for a city named 'Mars'" in see("clock", "Mars", box=Toolbox([clock])).text


# Documents


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    (inside / "deeper").mkdir(parents=True)
    (inside / "short.txt").write_text("Keys hang on hook 3.", "utf-8")
    (inside / "deeper" / "hidden.txt").write_text("secret", "utf-8")
    (inside / "empty.md").write_text("", "utf-8")
    (inside / "data.bin").write_bytes(b"\x00")
    (inside / "binary.txt").write_bytes(b"\x00\x01\xff")
    (inside / "mark.txt").write_text("\ufeffMarked.", "utf-8")
    (inside / "large.txt").write_text("x" * 1_000_001, "utf-8")
    (tmp_path / "outside.txt").write_text("secret", "utf-8")
    if os.name != "nt":
        (inside / "leak.txt").symlink_to(tmp_path / "outside.txt")
        (inside / "chain.txt").symlink_to(inside / "leak.txt")
        (inside / "same.txt").symlink_to(inside / "short.txt")
        (inside / "gone.txt").symlink_to(inside / "nowhere.txt")
    return inside


def read(folder, name, query="", language="en"):
    box = Toolbox(make_documents(folder, language))
    return box.run(Action("read_document", {"name": name, "query": query}), language)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.txt", "..", ".", "", "deeper/hidden.txt", "/etc/passwd", "..\\outside.txt", "C:\\hidden.txt",
        "short.txt/../../outside.txt", "./short.txt", "leak.txt", "chain.txt", "gone.txt", "data.bin",
        "short.txt\x00.md", "~/x.txt", "%2e%2e/outside.txt", "x" * 5000,
    ],
)  # fmt: skip
def test_nothing_outside_the_folder_is_read(folder, name):
    observation = read(folder, name)
    assert observation.status == "tool_error"
    assert "secret" not in observation.text
    assert "there are: binary.txt, empty.md" in observation.text


def test_an_absolute_path_to_an_inside_file_is_refused_too(folder):
    assert read(folder, str(folder / "short.txt")).status == "tool_error"


@pytest.mark.parametrize("name", ["short.txt", "Short", " SHORT.TXT ", "same.txt"])
def test_a_document_is_found_by_its_plain_name(folder, name):
    assert read(folder, name).text == "Keys hang on hook 3."


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("binary.txt", "binary.txt is not a text file"),
        ("large.txt", "large.txt is larger than 1,000,000 bytes"),
    ],
)
def test_binary_and_large_files_are_refused(folder, name, said):
    assert said in read(folder, name).text


def test_a_byte_order_mark_is_no_text(folder):
    assert read(folder, "mark.txt").full == "Marked."


def test_an_empty_document_says_so(folder):
    assert read(folder, "empty").status == "empty"


def test_only_what_can_be_read_is_listed(folder):
    listed = Toolbox(make_documents(folder)).run(Action("list_documents", {})).text.split(", ")
    links = ["same.txt"] if os.name != "nt" else []
    assert listed == sorted(
        ["binary.txt", "empty.md", "large.txt", "mark.txt", "short.txt", *links]
    )


def test_an_empty_folder_and_a_missing_one(tmp_path):
    text = Toolbox(make_documents(tmp_path)).run(Action("list_documents", {})).text
    assert text.endswith("The folder is empty.")
    with pytest.raises(UsageError, match="is no folder"):
        make_documents(tmp_path / "nowhere")


def test_short_documents_come_whole():
    assert (
        see("read_document", "menu.txt").text
        == Path(make_documents.__globals__["FOLDER"], "menu.txt").read_text("utf-8").strip()
    )


@pytest.mark.parametrize(
    ("name", "query", "language", "starts", "holds", "lacks"),
    [
        (
            "handbook.txt",
            "How much is the yearly fee?",
            "en",
            "[",
            "A year costs 48 EUR",
            "first-aid kit",
        ),
        (
            "handbook.txt",
            "",
            "en",
            "[document of about 496 tokens, only its opening is shown",
            "founded in 1987",
            "wardens",
        ),
        (
            "handbook.txt",
            "zebra",
            "en",
            "[document of about 496 tokens, no passage has a word of 'zebra'",
            "1987",
            "wardens",
        ),
        ("lighthouse.txt", "height in metres and steps", "en", "[", "148 steps", "paraffin"),
        (
            "手册.txt",
            "会费多少",
            "zh",
            "[文档约 348 个 token，以下是其中",
            "成人每年48欧元",
            "急救箱",
        ),
        ("灯塔.txt", "", "zh", "[文档约 304 个 token，只显示开头", "礁石角", "1938"),
    ],
)
def test_of_long_documents_the_best_passages_come(name, query, language, starts, holds, lacks):
    text = see("read_document", {"name": name, "query": query}, language).text
    assert text.startswith(starts)
    assert holds in text
    assert lacks not in text
    assert len(text) < 1_800


@pytest.mark.parametrize(
    ("query", "language", "starts"),
    [
        ("cats", "en", "[1 passage of a document of about "),
        ("cats dogs", "en", "[2 passages of a document of about "),
        ("cats", "zh", "[文档约 361 个 token，以下是其中 1 段] "),
    ],
)
def test_one_passage_is_called_one(tmp_path, query, language, starts):
    parts = [f"All about {animal}. " * 30 for animal in ("cats", "dogs", "bees")]
    (tmp_path / "animals.txt").write_text("\n\n".join(parts), "utf-8")
    box = Toolbox(make_documents(tmp_path, language))
    seen = see("read_document", {"name": "animals", "query": query}, language, box)
    assert seen.text.startswith(starts)


def test_bm25_agrees_with_a_sum_by_hand():
    # One word, in the first of two documents of two words: idf ln 2, tf factor 1 at mean length.
    assert bm25([["cat", "sat"], ["dog", "sat"]], ["cat"]) == pytest.approx(
        [0.6931471805599453, 0.0]
    )


def test_rare_words_weigh_more_than_common_ones():
    passages = "The walk is long.\n\nThe walk has a bridge.\n\nThe walk ends."
    assert best_passages(passages, "walk bridge", n=1) == ["The walk has a bridge."]


def test_passages_are_cut_by_paragraph_then_sentence_and_keep_their_heading():
    text = "# Meals\n\nSoup is free.\n\n" + "A sentence of some words. " * 60
    pieces = split_passages(text, size=50)
    assert pieces[0] == "# Meals\nSoup is free."
    assert all(piece.endswith(".") and len(piece) <= 200 for piece in pieces)
    assert sum(piece.count("A sentence") for piece in pieces) == 60


def test_a_text_without_any_end_is_cut_all_the_same():
    assert max(map(len, split_passages("x" * 10_000, size=100))) <= 400


# Encyclopedia


def test_search_gives_first_sentences_and_lookup_the_next_with_a_term():
    box = encyclopedia_tools()
    assert see("search", "the lantern bridge", box=box).text == (
        "The Lantern Bridge crosses the Vell in Harrowmere. The first bridge was lost in the Flood of 1911."
    )
    assert see("lookup", "bridge", box=box).text.startswith(
        "(Result 1 / 2) The Lantern Bridge crosses"
    )
    assert see("lookup", "bridge", box=box).text.startswith(
        "(Result 2 / 2) The first bridge was lost"
    )
    assert (
        see("lookup", "bridge", box=box).text
        == "No more results for bridge in Lantern Bridge. Try another term."
    )
    assert (
        see("lookup", "designed", box=box).text == "(Result 1 / 1) It was designed by Tobias Fenn."
    )
    assert see("lookup", "zebra", box=box).text.startswith("No result for zebra in Lantern Bridge.")


def test_search_opens_by_chinese_title_and_alias():
    box = encyclopedia_tools("zh")
    assert see("search", "灯笼桥", "zh", box).text.startswith("The Lantern Bridge crosses")
    assert see("search", "亚特兰蒂斯", "zh", box).text.startswith("找不到 亚特兰蒂斯")


def test_what_is_not_there_gives_similar_titles():
    assert similar_titles("Fennik") == ["Fennick", "Fennick pear"]
    assert see("search", "Vell bridges", box=encyclopedia_tools()).text.startswith(
        "Could not find Vell bridges. Similar: Vell"
    )
    assert see("search", "Atlantis", box=encyclopedia_tools()).text.endswith(
        "nothing similar. Try another name."
    )


def test_lookup_needs_a_search_and_a_failed_search_closes_the_entry():
    box = encyclopedia_tools()
    assert "search an entity first" in see("lookup", "x", box=box).text
    see("search", "Saltby", box=box)
    see("search", "Atlantis", box=box)
    assert see("lookup", "Saltby", box=box).status == "tool_error"


def test_each_pair_has_its_own_open_entry():
    (search, _), (_, lookup) = make_encyclopedia(), make_encyclopedia()
    search("Saltby")
    with pytest.raises(Exception, match="no entry is open"):
        lookup("Saltby")


def test_lookups_side_by_side_give_each_result_once():
    search, lookup = make_encyclopedia()
    search("Vell")
    with ThreadPoolExecutor(4) as pool:
        found = sorted(pool.map(lookup, ["Vell"] * 4))
    assert [text[:14] for text in found] == ["(Result 1 / 1)", *["No more result"] * 3]


def test_entries_are_consistent():
    entries = load_entries()
    names = [name for entry in entries for name in entry.names]
    assert 55 <= len(entries) <= 70
    assert len(set(map(str.casefold, names))) == len(names)
    for entry in entries:
        assert 3 <= len(entry.sentences) <= 5
        assert any(name[0] >= "\u4e00" for name in entry.names[1:]) or entry.names[1][0].isdigit()


def test_entries_chain():
    titles = [entry.title for entry in load_entries()]
    for entry in load_entries():
        others = [t for t in titles if t != entry.title and t in " ".join(entry.sentences)]
        assert others, f"{entry.title} leads nowhere"


# Asking back, and the demo


def test_the_user_answers_by_script_or_by_function():
    box = Toolbox([make_ask_user(["In Porto.", " "])])
    texts = [see("ask_user", "Where is home?", box=box).text for _ in range(3)]
    assert texts[0] == "In Porto."
    assert texts[1].startswith("(no result)")
    assert (
        texts[2]
        == "Error: tool ask_user failed: nobody answers; go on with what you know, or say what is missing"
    )
    assert make_ask_user(str.upper)("why?") == "WHY?"
    assert make_ask_user("only one")("?") == "only one"


def test_the_demo_agent_can_be_changed():
    assert list(demo_agent().tools) == list(BOXES["en"])
    assert demo_agent("zh").contract.language == "zh"
    assert demo_agent(guards=()).guards == ()


def test_the_world_loads_no_heavy_library():
    code = "import sys, react_lab.toolbox.world, react_lab.toolbox; print([m for m in ('numpy', 'httpx', 'IPython', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
