"""What other programs wrote is made to fit a memory, or reported."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.importers.base import Found, Skipped
from agent_memory_os.importers.fit import fit
from agent_memory_os.model import canonical
from agent_memory_os.model.memory import MAX_CONTENT_BYTES, MAX_LABEL, MAX_TAGS, Content, check

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
"""Lone surrogates and NUL included."""


def test_words_are_cleaned_and_not_cut() -> None:
    """Line ends are plain, NUL is gone, a lone surrogate is a sign, and blanks around are off."""
    fitted = fit(Found("k", " a\r\nb\rc\0d\ud83d \n", {}), "a:1")
    assert isinstance(fitted, Found)
    assert fitted.content == "a\nb\ncd�"


def test_labels_are_cut_to_their_size() -> None:
    """Tags, author and session are single lines of a size that a memory takes."""
    tags = ("a\nb", "", " ", "a b", *(str(number) for number in range(99)))
    fitted = fit(Found("k", "x", {}, tags=tags, author="n" * 999, session="s\ts"), "a:1")
    assert isinstance(fitted, Found)
    assert fitted.tags[:3] == ("a b", "0", "1")
    assert len(fitted.tags) == MAX_TAGS
    assert len(fitted.author) == MAX_LABEL
    assert fitted.session == "s s"


def test_what_is_too_much_or_nothing_is_reported() -> None:
    """Words that no memory holds, and blanks, are skipped with their place."""
    large = fit(Found("k", "茶" * (MAX_CONTENT_BYTES // 3 + 1), {}), "a:1")
    assert large == Skipped("a:1", "a text of more than 1 MiB, which is more than a memory holds")
    assert fit(Found("k", " \0\n", {}), "a:2") == Skipped("a:2", "nothing but blanks")


@given(
    content=ANY_TEXT,
    label=ANY_TEXT,
    tags=st.lists(ANY_TEXT, max_size=5),
    links=st.lists(ANY_TEXT, max_size=3),
)
def test_what_fits_is_a_memory(content: str, label: str, tags: list[str], links: list[str]) -> None:
    """Whatever stands in a source, a finding that is not skipped passes the rules of memories."""
    source = {"file": label, "links": links, "line": 1}
    given_ = Found(label, content, source, summary=label, tags=tuple(tags), author=label)
    fitted = fit(given_, "a:1")
    if isinstance(fitted, Found):
        memory = Content(fitted.content, 0, 0, tags=fitted.tags, author=fitted.author)
        assert check(memory) is memory
        assert canonical.encode([fitted.key, dict(fitted.source), fitted.summary])
