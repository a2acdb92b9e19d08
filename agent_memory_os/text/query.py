"""The terms of a question.

They are cut as those of a text are (`text.segment`), so that what was written is found by what was
written, with three differences: each comes once; of a run of Chinese, Japanese, Korean, Thai and
the like only the pairs count; and stop words are left out, unless nothing else is left: then they
are what is asked for ("to be or not to be", `NOT`).

Promises: any string is a legal question; one in which nothing can be found gives no terms; every
term of a question that is a text's chunk between spaces is a term of that text.
"""

from __future__ import annotations

from functools import cache

from agent_memory_os.text.segment import cut
from agent_memory_os.text.stem import stem
from agent_memory_os.text.stop import STOP_CHARACTERS, STOP_WORDS


def query_terms(text: str) -> list[str]:
    """Return the distinct terms of a question, in order of appearance."""
    chunks = text.split()
    return _distinct(chunks, drop=True) or _distinct(chunks, drop=False)


def significant(term: str) -> bool:
    """Tell whether a term says what is asked for; a question of stop words has none that does.

    Such a question matches nearly everything: who answers it may want to see all of its terms.
    """
    return term not in _stop_terms() and STOP_CHARACTERS.isdisjoint(term)


@cache
def _stop_terms() -> frozenset[str]:
    return frozenset(map(stem, STOP_WORDS))


def _distinct(chunks: list[str], *, drop: bool) -> list[str]:
    found: dict[str, None] = {}
    for chunk in chunks:
        found |= dict.fromkeys(cut(chunk, asked=True, drop=drop))
    return list(found)
