"""The terms of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.text.query import query_terms, significant
from agent_memory_os.text.segment import terms

STORED = ["步2 重跑gen-itgc后50条悬空引用清零", "用户身份验证 db 数据库"]


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("悬空", [0]),
        ("用户身份", [1]),
        ("用户", [1]),
        ("身份", [1]),
        ("itgc", [0]),
        ("gen-itgc", [0]),
        ("db", [1]),
        ("数据库", [1]),
        ("50", [0]),
        ("零", [0]),
        ("库", [1]),
        ("没有", []),
    ],
)
def test_chinese_is_found_by_its_words(question: str, places: list[int]) -> None:
    """Each of the words is found in the text that has it, and in no other."""
    asked = set(query_terms(question))
    assert asked
    assert [place for place, text in enumerate(STORED) if asked <= set(terms(text))] == places


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("데이터베이스를 다시 색인했다", "데이터베이스를"),
        ("데이터베이스를 다시 색인했다", "색인"),
        ("東京タワーの近くで会議がある", "東京"),
        ("東京タワーの近くで会議がある", "タワー"),
        ("東京タワーの近くで会議がある", "会議"),
        ("ฉันรักภาษาไทยมาก", "ภาษาไทย"),
        ("ฉันรักภาษาไทยมาก", "รัก"),
        ("ᄒ한국어and日本語とไทย", "and"),
        ("배포deploy完了", "deploy"),
        ("배포deploy完了", "完了"),
        ("배포deploy完了", "배포"),
    ],
)
def test_other_scripts_are_found_by_their_words(text: str, question: str) -> None:
    """A word is found where no space parts it from its neighbours."""
    assert set(query_terms(question)) <= set(terms(text))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "POL-358",
            "error:timeout",
            "don't",
            "state-of-the-art",
            "2026-05-08",
            "C++",
            "C#",
            "NOT",
        ),
        *("a AND", "👍", "\ud800x", "OR", "NEAR(a b)", "col:x", "x*", "^x", '"quoted"', "(a OR b)"),
    ],
)
def test_what_is_stored_is_found_by_itself(text: str) -> None:
    """Any text with something in it gives terms as a question, and has them."""
    asked = query_terms(text)
    assert asked
    assert set(asked) <= set(terms(text))


@pytest.mark.parametrize("question", ["", " ", '"', "\0", "\ud800", "...", "→", "，。", "\u200b"])
def test_nothing_asked_gives_nothing(question: str) -> None:
    """A question in which nothing can be found has no terms."""
    assert query_terms(question) == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What did Caroline say about the deploys?", ["carolin", "say", "deploy"]),
        ("deploy, deploys; deployed", ["deploy"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("who is it", ["who", "is", "it"]),
        ("the", ["the"]),
        ("don't", ["dont"]),
        ("你是谁", ["你是", "是谁"]),
        ("谁", ["谁"]),
        ("我喜欢哪些菜系", ["喜欢", "些菜", "菜系"]),
    ],
)
def test_a_question_asks_for_what_says_something(question: str, asked: list[str]) -> None:
    """Stop words are left out and repetition too, unless nothing else is left."""
    assert query_terms(question) == asked


@given(st.text(st.characters()))
def test_any_string_is_a_question(text: str) -> None:
    """Terms of a question are distinct, and each chunk's are among those of the text."""
    asked = query_terms(text)
    assert len(set(asked)) == len(asked)
    assert set(asked) <= set(terms(text))


def test_stop_words_are_not_significant() -> None:
    """The terms that a question left out are told from those that say something."""
    asked = query_terms("who is it, and why does this have to be")
    assert asked
    assert not any(map(significant, asked))
    assert not significant("什么")
    assert significant("deploy")
    assert significant("用户")
    assert significant("c++")
