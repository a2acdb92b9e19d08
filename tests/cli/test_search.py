"""`search` finds what answers, shows where it comes from, and finds nothing where nothing does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.program import Program


def test_a_person_sees_words_and_where_they_come_from(fleet: Program) -> None:
    """A hit shows its words, and below them its id, type, owner, audience and age."""
    found = fleet.add("We deploy on Tuesdays.", "--type", "decision", "--share", "team:apollo")
    lines = fleet.do("search", "deploy", "day").splitlines()
    assert lines == [
        "1. We deploy on Tuesdays.",
        f"   {found[:14]} · decision · ann · team:apollo · just now",
    ]


def test_json_tells_the_score_and_the_reasons(fleet: Program) -> None:
    """An object for programs holds the whole memory, its score and what the score is made of."""
    found = fleet.add("We deploy on Tuesdays.")
    told = fleet.json("search", "deploy", "--explain")
    (hit,) = told["hits"]
    assert hit["memory"]["id"] == found
    assert hit["providers"] == ["lexical"]
    assert hit["score"] == pytest.approx(sum(hit["parts"].values()), abs=0.01)
    assert any(found in line for line in told["explanation"])
    assert "explanation" not in fleet.json("search", "deploy")
    assert f"1. {found[:14]} " in fleet.do("search", "deploy", "--explain")


def test_narrowing(fleet: Program) -> None:
    """Types, tags, owner, times and the limit narrow what is found."""
    fleet.do("add", "alpha one", "--type", "fact", "--tag", "x", "--tag", "y")
    fleet.do("add", "alpha two", "--tag", "x", "--event", "2020-02-02")
    fleet.do("add", "alpha three", "--as", "bob", "--share", "team:apollo")
    assert set(fleet.found("alpha")) == {"alpha one", "alpha two", "alpha three"}
    assert len(fleet.found("alpha", "--limit", "2")) == 2
    assert fleet.found("alpha", "--type", "fact") == ["alpha one"]
    assert set(fleet.found("alpha", "--type", "fact", "--type", "note", "--tag", "x")) == {
        "alpha one",
        "alpha two",
    }
    assert fleet.found("alpha", "--tag", "x", "--tag", "y") == ["alpha one"]
    assert fleet.found("alpha", "--owner", "bob") == ["alpha three"]
    event = ("--time-field", "event_at", "--until", "2020-02-03")
    assert fleet.found("alpha", *event, "--since", "2020-02-02") == ["alpha two"]
    assert fleet.found("alpha", *event, "--since", "2020-02-03", "--until", "1h") == []
    assert fleet.found("alpha", "--until", "1d") == []


def test_narrowing_to_who_said_it_and_where(fleet: Program) -> None:
    """What one person said, or what comes from one conversation, is all that a command shows."""
    fleet.do("add", "ship on Friday", "--author", "Priya", "--session", "standup")
    fleet.do("add", "ship on Monday", "--author", "Kim", "--session", "standup")
    fleet.do("add", "ship on Sunday", "--author", "Priya", "--session", "chat")
    fleet.do("add", "ship never")

    def told(*words: str) -> set[str]:
        pack = fleet.json("pack", "when do we ship", *words)["text"]
        moments = fleet.json("timeline", "now", *words)["moments"]
        listed = {memory["content"] for memory in fleet.json("list", *words)["memories"]}
        found = set(fleet.found("when do we ship", *words))
        assert found == listed == {moment["memory"]["content"] for moment in moments}
        assert {text for text in listed if text in pack} == found
        assert pack.count("ship") == len(found)
        return found

    assert told("--author", "Priya") == {"ship on Friday", "ship on Sunday"}
    assert told("--session", "standup") == {"ship on Friday", "ship on Monday"}
    assert told("--author", "Priya", "--session", "chat") == {"ship on Sunday"}
    assert told("--author", "Nobody") == set()


def test_pinned_and_recent_are_asked_for(fleet: Program) -> None:
    """What is pinned or newest comes without matching only where that is asked for."""
    fleet.do("add", "always greet in French", "--pin")
    fleet.do("add", "the kettle is broken")
    assert fleet.found("zebra") == []
    assert fleet.found("zebra", "--pinned") == ["always greet in French"]
    assert "the kettle is broken" in fleet.found("zebra", "--recent")


def test_nothing_found_is_an_answer(fleet: Program) -> None:
    """A question that nothing answers gives nothing, and status 0."""
    fleet.do("add", "tea")
    assert fleet.do("search", "zebra") == "Nothing found.\n"
    assert fleet.do("search", "") == "Nothing found.\n"
    assert fleet.json("search", "zebra")["hits"] == []


@pytest.mark.parametrize(
    "text",
    [
        "POL-358",
        "error:timeout",
        "don't",
        "state-of-the-art",
        "2026-05-08",
        "C++",
        "C#",
        '"',
        "NOT",
        "a AND",
        "🚀",
        "步2 重跑gen-itgc后50条悬空引用清零",
        "사용자 인증",
        "ユーザー認証",
        "การยืนยันตัวตน",
    ],
)
def test_any_string_is_a_question(fleet: Program, text: str) -> None:
    """What is stored is found by its own words, and no string is an error."""
    fleet.do("add", f"{text}")
    done = fleet.run("search", text)
    assert done.status == 0
    assert done.err == ""
    if any(char.isalnum() for char in text) and text not in ("NOT", "a AND"):
        assert fleet.found(text) == [text]


@pytest.mark.parametrize("query", ["悬空", "用户身份", "用户", "身份", "itgc", "db"])
def test_chinese(fleet: Program, query: str) -> None:
    """Chinese words of two characters are found, and Latin ones between them."""
    fleet.do("add", "步2 重跑gen-itgc后50条悬空引用清零")
    fleet.do("add", "用户身份验证 db 数据库")
    assert len(fleet.found(query)) == 1


def test_bytes_that_are_no_text(fleet: Program) -> None:
    """Words that are no UTF-8 are refused by every command: they would be kept as others."""
    for words in (
        ("add", b"caf\xe9 latin"),
        ("search", b"\xff\xfe"),
        ("pack", b"\xed\xa0\x80"),
        ("list", "--tag", b"\xff"),
        ("get", b"mem_\xff"),
        ("--as", b"\xff", "search", "x"),
        ("add", "x", "--key", b"\xff"),
        ("history", b"\xff"),
        ("team", "create", "a", "--notes", b"\xff"),
        ("export", b"\xff.jsonl"),
    ):
        assert "no UTF-8" in fleet.fails(2, *words)
    assert fleet.fails(2, "add", "-", stdin=b"caf\xe9 latin").startswith("The standard input is no")
    assert fleet.json("list")["memories"] == []


def test_a_file_whose_name_is_no_text(fleet: Program) -> None:
    """A file that is there may have any name."""
    place = os.fsencode(fleet.folder) + b"/caf\xe9.md"
    Path(os.fsdecode(place)).write_text("We drink tea.\n", encoding="utf-8")
    assert "1 new" in fleet.do("import", place)
    assert fleet.found("tea") == ["We drink tea."]


def test_each_sees_what_it_may(fleet: Program) -> None:
    """The gate holds for whoever asks, and the operator's view is asked for and audited."""
    fleet.do("add", "plan mine")
    fleet.do("add", "plan ours", "--share", "team:apollo")
    fleet.do("add", "plan for eve", "--share", "agent:eve")
    assert set(fleet.found("plan")) == {"plan mine", "plan ours", "plan for eve"}
    assert fleet.found("plan", "--as", "bob") == ["plan ours"]
    assert fleet.found("plan", AGENT_MEMORY_AGENT_ID="eve") == ["plan for eve"]
    assert len(fleet.found("plan", "--as-operator")) == 3
    assert fleet.found("plan", "--as", "bob", "--owner", "ann", "--type", "fact") == []


@pytest.mark.parametrize("agent", ["ghost", "*", "team:apollo", "operator", "global", "agt_x"])
def test_an_unknown_agent_sees_nothing(fleet: Program, agent: str) -> None:
    """Whoever is not known gets no row, and is told so."""
    fleet.do("add", "plan", "--share", "global")
    for command in (("search", "plan"), ("list",), ("pack", "plan"), ("stats",), ("owner", "list")):
        done = fleet.run("--as", agent, *command)
        assert done.status == 2, done
        assert "plan" not in done.out.replace("search plan", "")


def test_a_wrong_limit_or_time_is_told(fleet: Program) -> None:
    """Numbers and times out of range are told in a sentence."""
    assert "between 1 and" in fleet.fails(2, "search", "x", "--limit", "0")
    assert "--limit" in fleet.fails(2, "search", "x", "--limit", "ten")
    assert "is no time" in fleet.fails(2, "search", "x", "--since", "whenever")
    assert "does not come after" in fleet.fails(
        2, "search", "x", "--since", "2026-02-02", "--until", "2026-01-01"
    )
    assert "last_accessed" in fleet.fails(2, "search", "x", "--time-field", "last_accessed_at")
