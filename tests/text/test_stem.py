"""English stems, judged by Snowball's own implementation."""

from __future__ import annotations

import builtins
import re
from pydoc_data.topics import topics

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.text.stem import stem

ORACLE = snowballstemmer.stemmer("english")

SUFFIXES = (
    "s es ed ing ly edly ingly eed eedly ied ies ational tional enci anci izer ization ation ator "
    "alism aliti alli fulness ousli ousness iveness iviti biliti bli ogist ogi fulli lessli li "
    "icate iciti ical ative al ance ence er ic able ible ant ement ment ent ism ate iti ous ive "
    "ize ion e l ll y 's ' s'"
).split()
BEGINNINGS = (
    "gener commun arsen past univers later emerg organ inter inn out cann herr earr even succ "
    "proc exc d l t v"
).split()
LETTERS = "aeiouybcdlstnrgx'"
MADE_UP = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", *BEGINNINGS]),
    st.text(LETTERS, max_size=5),
    st.sampled_from(["", *SUFFIXES]),
    st.sampled_from(["", *SUFFIXES]),
)


def documented_words() -> list[str]:
    """Some thousands of words: what the standard library says of itself."""
    texts = [
        *topics.values(),
        *(str(getattr(thing, "__doc__", "")) for thing in vars(builtins).values()),
    ]
    return sorted(set(re.findall("[a-z]+", " ".join(texts).lower())))


def test_the_words_of_the_documentation_have_snowballs_stems() -> None:
    """Some thousands of real words have the stems that Snowball gives them."""
    words = documented_words()
    assert len(words) > 3_000
    assert {word: stem(word) for word in words} == dict(
        zip(words, ORACLE.stemWords(words), strict=True)
    )


@given(MADE_UP)
def test_made_up_words_have_snowballs_stems(word: str) -> None:
    """So have words made of the parts that the algorithm looks at."""
    assert stem(word) == ORACLE.stemWord(word)


@given(st.text(LETTERS, max_size=12))
def test_strings_of_letters_have_snowballs_stems(word: str) -> None:
    """So have strings that are no words, with many a vowel and y in a row."""
    assert stem(word) == ORACLE.stemWord(word)


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("deployments", "deploy"),
        ("deployed", "deploy"),
        ("dying", "die"),
        ("herring", "herring"),
        ("skies", "sky"),
        ("ties", "tie"),
        ("cries", "cri"),
        ("proceed", "proceed"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("hoping", "hope"),
        ("egged", "egg"),
        ("generously", "generous"),
        ("geologist", "geolog"),
        ("yyy", "yyy"),
        ("as", "as"),
        ("", ""),
    ],
)
def test_known_stems(word: str, stemmed: str) -> None:
    """The rules and exceptions of the published description hold."""
    assert stem(word) == stemmed


@given(st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1))
def test_a_word_of_letters_has_a_stem(word: str) -> None:
    """No word is stemmed to nothing, and none grows by more than a letter."""
    assert 0 < len(stem(word)) <= len(word) + 1


def test_stems_are_remembered_within_a_bound() -> None:
    """However many words pass, a bounded number is kept."""
    bound = stem.cache_info().maxsize
    assert bound is not None
    for number in range(bound + 10):
        stem(f"word{number}")
    assert stem.cache_info().currsize == bound
