"""One form of text: what may be stored, and what is alike for search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.text.normalise import clean, fold, unify

ANY_TEXT = st.text(st.characters())


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("", ""),
        ("plain\r\n\ttext \x1b[0m", "plain\r\n\ttext \x1b[0m"),
        ("a\0b", "a\ufffdb"),
        ("\ud800x\udfff", "\ufffdx\ufffd"),
        ("\ud83d\ude00", "\ufffd\ufffd"),
        ("  e\u0301 ﬁ 步２ \u200b ", "  e\u0301 ﬁ 步２ \u200b "),
    ],
)
def test_only_what_cannot_be_stored_is_replaced(text: str, cleaned: str) -> None:
    """NUL and lone surrogates become U+FFFD; all else is kept to the byte."""
    assert clean(text) == cleaned


@given(ANY_TEXT)
def test_what_is_clean_can_be_stored_and_stays(text: str) -> None:
    """A cleaned text has a UTF-8 form without NUL, keeps its length, and is clean."""
    cleaned = clean(text)
    assert b"\0" not in cleaned.encode()
    assert len(cleaned) == len(text)
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Hello World", "hello world"),
        ("café CAFÉ cafe\u0301", "cafe cafe cafe"),
        ("Straße ŁÓDŹ Øresund Æther", "strasse lodz oresund aether"),
        ("İstanbul ışık", "istanbul isik"),
        ("Αθήνα ΑΘΗΝΑ σοφός", "αθηνα αθηνα σοφοσ"),
        ("Ёлка за́мок", "елка замок"),
        ("ＡＢＣ　１２３ ﬁn", "abc 123 fin"),
        ("٣ ३ ๓", "3 3 3"),
        ("‘a’ “b” «c» ‐–— …", '\'a\' "b" "c" ---- ...'),
        ("co\u00adop zero\u200bwidth \ufeffbom", "coop zerowidth bom"),
        ("العَرَبِيَّة שָׁלוֹם", "العربية שלום"),
        ("ｶﾞ", "ガ"),
        ("1️⃣ ❤️", "1 ❤"),
    ],
)
def test_what_a_person_takes_for_the_same_folds_alike(text: str, folded: str) -> None:
    """Case, width, accents, typographic marks and invisible characters make no difference."""
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("й", "и"),
        ("ї", "і"),
        ("が", "か"),
        ("パ", "ハ"),
        ("한", "하"),
        ("की", "क"),
        ("ปี", "ป"),
        ("น้ำ", "นำ"),
        ("👍", "👎"),
        ("用戶", "用户"),
    ],
)
def test_marks_that_make_another_letter_are_kept(one: str, other: str) -> None:
    """What differs in meaning differs when it is folded."""
    assert fold(one) != fold(other)


@given(ANY_TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    """The folded form is a form: it folds to itself."""
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_ascii_folds_to_its_lower_case(text: str) -> None:
    """Of ASCII only the case goes."""
    assert fold(text) == text.lower()
    assert unify(text) == text


def test_case_is_kept_where_words_are_cut_by_it() -> None:
    """`unify` does all that `fold` does, but for case."""
    assert unify("Café—Ｇｅｎ") == "Cafe--Gen"
