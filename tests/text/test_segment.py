"""The terms of a text."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.text import segment
from agent_memory_os.text.query import query_terms
from agent_memory_os.text.segment import cut, terms

ANY_TEXT = st.text(st.characters())
FRAGMENTS = st.lists(
    st.sampled_from(
        "The deploy don't C++ C# .NET POL-358 state-of-the-art 2026-05-08 v1.2.3 gen-itgc后50条 "
        "用户身份验证 데이터베이스 ภาษาไทย café Привет 👍🏽 a/b e-mail userId x@y.org \0 \ud800 "
        "\" ' - "
        "https://ex.org/a?b=c \u3000 \u200b １２ ﷺ".split(" ")
    )
    | st.text(st.characters(), max_size=6)
).map(" ".join)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("The users deployed it.", ["the", "user", "deploy", "it"]),
        ("GitHub, IT; (word)", ["github", "git", "hub", "it", "word"]),
        ("步2 重跑", ["步", "2", "重", "重跑", "跑"]),
        ("café CAFÉ", ["cafe", "cafe"]),
        ("Use .NET now", ["use", ".net", "net", "now"]),
        ("ﬁ ㎏ ﷺ", ["fi", "kg", "صلى", "الله", "عليه", "وسلم"]),
        ("NOT", ["not"]),
        ("a AND", ["a", "and"]),
    ],
)
def test_texts_give_their_terms_in_order(text: str, found: list[str]) -> None:
    """Terms come in the order of the text."""
    assert terms(text) == found


@given(ANY_TEXT | FRAGMENTS)
def test_every_term_of_any_text_is_legal(text: str) -> None:
    """A term is not empty, not too long, and without spaces, controls and surrogates."""
    for term in terms(text):
        assert 0 < len(term) <= 64
        assert term.split() == [term]
        assert not any(unicodedata.category(sign) in ("Cc", "Cs") for sign in term)


@given(FRAGMENTS)
def test_terms_of_a_text_are_those_of_its_chunks(text: str) -> None:
    """What stands between spaces gives the same terms in any company, met before or not."""
    assert terms(text) == [term for chunk in text.split() for term in cut(chunk)]


@given(st.lists(FRAGMENTS, min_size=1, max_size=4), st.data())
def test_what_stands_between_spaces_is_found(texts: list[str], data: st.DataObject) -> None:
    """Each term of a question that is a chunk of a text is a term of the text."""
    text = "\n".join(texts)
    for chunk in data.draw(st.lists(st.sampled_from(text.split() or [""]), max_size=5)):
        assert set(query_terms(chunk)) <= set(terms(text))


@given(st.text("悬空引用清零用户身份验证データベース", min_size=1), st.data())
def test_any_part_of_a_chinese_or_japanese_run_is_found(run: str, data: st.DataObject) -> None:
    """In a run without spaces, each stretch is found, from one character on."""
    begin = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(begin + 1, len(run)))
    assert set(query_terms(run[begin:end])) <= set(terms(f"步2 重跑{run}gen"))


@given(ANY_TEXT | FRAGMENTS)
def test_the_index_takes_terms_as_they_are(text: str) -> None:
    """FTS5 with the ASCII tokenizer keeps each term whole, with a scope before it."""
    database = sqlite3.connect(":memory:")
    signs = "!#$%&()*+,-./:;<=>?@[\\]^_`{|}~''"
    database.execute(
        f"CREATE VIRTUAL TABLE t USING fts5(x, tokenize=\"ascii tokenchars '{signs}'\")"
    )
    found = terms(text)
    database.execute("INSERT INTO t VALUES (?)", (" ".join(f"1a:{term}" for term in found),))
    for term in set(found):
        rows = database.execute("SELECT count(*) FROM t WHERE t MATCH ?", (f'"1a:{term}"',))
        assert rows.fetchone() == (1,)
        rows = database.execute("SELECT count(*) FROM t WHERE t MATCH ?", (f'"1b:{term}"',))
        assert rows.fetchone() == (0,)
    database.close()


@given(st.text(st.characters(max_codepoint=0x7F), max_size=20))
def test_plain_words_take_the_short_way_to_the_same_terms(text: str) -> None:
    """The quick answer for a plain word is the one that the full cut gives."""
    for chunk in text.split():
        quick = segment._plain(chunk)  # noqa: SLF001 - the law is about the short way itself
        assert quick in ((), cut(chunk))


def test_chunks_are_remembered_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many words pass, a bounded number is kept, and none that is long."""
    monkeypatch.setattr(segment, "_REMEMBERED", 100)
    known = segment._Known()  # noqa: SLF001 - the promise is about what is kept
    for number in range(1_030):
        assert known[f"w{number}"] == cut(f"w{number}")
        assert len(known) <= 100
    assert len(known) == 30
    assert known["x" * 100] == ("x" * 64,)
    assert len(known) == 30


def test_importing_compiles_and_loads_nothing_that_english_does_not_need() -> None:
    """A command that starts cold pays for no pattern and no table before it needs them."""
    program = (
        "import sys\n"
        "import agent_memory_os.text.query, agent_memory_os.text.dates\n"
        "import agent_memory_os.text.redact, agent_memory_os.text.tokens\n"
        "from agent_memory_os.text.pattern import pattern\n"
        "from agent_memory_os.text.redact import mask\n"
        "assert pattern.cache_info().currsize == 0\n"
        "agent_memory_os.text.query.query_terms('what did POL-358 say')\n"
        "mask('nothing here')\n"
        "for name in ('unicodedata', 'agent_memory_os.text.script',\n"
        "             'agent_memory_os.text.secret', 'agent_memory_os.text.calendar'):\n"
        "    assert name not in sys.modules, name\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
