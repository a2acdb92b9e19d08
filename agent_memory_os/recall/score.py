"""The lexical features of candidates: what the words of a question say about each memory.

Everything is counted from what the reader may see: the pool of documents, and statistics of its
scopes. Nothing here knows of any other memory, so none can change a feature.

A memory is judged by its own words and by where it stands, for people and agents say things in
turns: an answer often lacks the words of the question, and the turn before it has them. Each
feature lies in [0, 1], and one that is 0 is left out:

``bm25``      its BM25, as a share of the best in the pool
``coverage``  how much of the question's weight (rare terms weigh more) it has
``breadth``   how many of the question's terms it has, as a share of them
``before``    the ``bm25`` of the memory before it in its session
``after``     the ``bm25`` of the memory after it in its session
``session``   the best ``bm25`` in its session
``author``    1 if it is by the one author whom the question names
``date``      1 if it is of a date that the question names
``length``    ln(1 + characters), full at 400: a longer one says more, up to a point
``question``  1 if it ends with a question mark: it asks, and answers little
``digit``     1 if it has a digit, and may say when or how many

A memory without a session stands for its own context, or a note would lose to chatter about the
same thing: ``session`` is its own ``bm25``, and ``before`` and ``after`` are half of it. What the
question names and the memory is (its author, its date) counts as present in it, for ``coverage``
and ``breadth``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import log, log1p

from agent_memory_os.model.recall import Candidate
from agent_memory_os.text.dates import DateSpan
from agent_memory_os.text.normalise import fold
from agent_memory_os.text.pattern import pattern
from agent_memory_os.text.segment import terms
from agent_memory_os.value import NamedTuple

PROVIDER = "lexical"

SATURATION = 1.2
"""BM25's k1: how soon a term that comes again stops to count."""

LENGTH_NORM = 0.5
"""BM25's b: how much a long memory's matches count for less."""

UNSEEN = 10
"""Memories that are taken to exist beside those in scope, so that a store of three does not take
its words for common ones."""

FULL_LENGTH = 400
"""Characters beyond which a memory does not count as longer."""

LONE_NEIGHBOUR = 0.5
"""What ``before`` and ``after`` are of its own ``bm25``, for a memory without a session."""

_ASKS = frozenset("?？؟")

_UNSPACED = "\u0e00"
"""From Thai on, scripts are cut into pairs of characters, and many a pair is no word."""


class Question(NamedTuple):
    """What is asked: the text, its distinct index terms, and the dates that it names."""

    text: str
    terms: Sequence[str]
    dates: Sequence[DateSpan] = ()


class Document(NamedTuple):
    """A memory of the pool: its row, index terms with repetition, and where it comes from.

    ``text`` gives the length, the question mark and the digit; of a very long memory its first and
    last thousand characters do. ``session`` is a key that no other owner's session has, empty for
    none; ``at`` is the time of the event, else of creation, in milliseconds of UTC.
    """

    row: int
    words: Sequence[str]
    text: str
    session: str = ""
    position: int | None = None
    author: str = ""
    at: int | None = None


class Statistics(NamedTuple):
    """What is known of the reader's scopes.

    How many memories they hold, how many index terms one has on average, and in how many of them
    each term of the question is (absent is 0).
    """

    documents: int
    average_length: float
    frequencies: Mapping[str, int]


class _Named(NamedTuple):
    """The author and the dates that a question names, and the terms that do the naming."""

    authors: frozenset[str]
    author_terms: frozenset[str]
    dates: Sequence[DateSpan]
    date_terms: frozenset[str]


class _Match(NamedTuple):
    """What the words of one document give: BM25, and the question's terms among its words."""

    bm25: float
    found: Sequence[str]
    weight: float


_NONE = _Match(0.0, (), 0.0)


def score(
    question: Question, documents: Sequence[Document], statistics: Statistics
) -> tuple[Candidate, ...]:
    """Return a candidate for each document, best BM25 first; none if no document has a term.

    The pool holds what matches and the neighbours in session of the best of it.
    """
    weights = _weights(question.terms, statistics)
    matches = _matches(weights, documents, statistics.average_length)
    best = max((match.bm25 for match in matches), default=0.0)
    if best <= 0.0:
        return ()
    own = [match.bm25 / best for match in matches]
    features = _context(documents, own)
    _add_form(features, documents)
    total = _total(weights, statistics.frequencies)
    _add_presence(features, matches, len(weights), total)
    named = _named(question, documents)
    if named.authors or named.dates:
        shares = {term: weight / total for term, weight in weights.items()}
        _add_named(features, documents, matches, named, shares)
    order = sorted(range(len(documents)), key=lambda place: (-own[place], documents[place].row))
    return tuple(
        Candidate(documents[place].row, rank, PROVIDER, features[place])
        for rank, place in enumerate(order, 1)
    )


def _weights(asked: Sequence[str], statistics: Statistics) -> dict[str, float]:
    """Return each term's inverse document frequency: a rare term weighs more.

    One that is nowhere weighs as much as the rarest, so that in a store of any size a question of
    four terms has a quarter of its weight in one that is rare.
    """
    count = statistics.documents + UNSEEN
    weights = {}
    for term in asked:
        frequency = min(max(1, statistics.frequencies.get(term, 0)), count)
        weights[term] = log(1.0 + (count - frequency + 0.5) / (frequency + 0.5))
    return weights


def _matches(
    weights: Mapping[str, float], documents: Iterable[Document], average_length: float
) -> list[_Match]:
    least = SATURATION * (1.0 - LENGTH_NORM)
    growth = SATURATION * LENGTH_NORM / max(average_length, 1.0)
    asked = frozenset(weights)
    matches = []
    for document in documents:
        words = document.words
        present = asked.intersection(words)
        if not present:
            matches.append(_NONE)
            continue
        norm = least + growth * len(words)
        # In the question's order: a sum of fractions depends on it, and a set has none.
        found = [term for term in weights if term in present]
        counts = [(weights[term], words.count(term)) for term in found]
        value = sum([w * n * (SATURATION + 1.0) / (n + norm) for w, n in counts])
        matches.append(_Match(value, found, sum([weight for weight, _ in counts])))
    return matches


def _context(documents: Sequence[Document], own: Sequence[float]) -> list[dict[str, float]]:
    """Return, for each document, its own match and those around it in its session."""
    places: dict[tuple[str, int], float] = {}
    sessions: dict[str, float] = {}
    for document, value in zip(documents, own, strict=True):
        session, position = document.session, document.position
        if session and value:
            sessions[session] = max(value, sessions.get(session, 0.0))
            if position is not None:
                place = (session, position)
                places[place] = max(value, places.get(place, 0.0))
    features = []
    for document, value in zip(documents, own, strict=True):
        session, position = document.session, document.position
        gained = {"bm25": value, "session": sessions.get(session, value)}
        if not session:
            gained["before"] = gained["after"] = value * LONE_NEIGHBOUR
        elif position is not None:
            gained["before"] = places.get((session, position - 1), 0.0)
            gained["after"] = places.get((session, position + 1), 0.0)
        features.append(gained)
    return features


def _add_form(features: Iterable[dict[str, float]], documents: Iterable[Document]) -> None:
    lengths = _lengths()
    digit = pattern(r"\d").search
    for gained, document in zip(features, documents, strict=True):
        text = document.text
        gained["length"] = lengths[min(len(text), FULL_LENGTH)]
        if text.rstrip()[-1:] in _ASKS:
            gained["question"] = 1.0
        if digit(text):
            gained["digit"] = 1.0


@cache
def _lengths() -> list[float]:
    return [log1p(length) / log1p(FULL_LENGTH) for length in range(FULL_LENGTH + 1)]


def _total(weights: Mapping[str, float], frequencies: Mapping[str, int]) -> float:
    """Return the weight of the whole question.

    A pair of characters that is in no memory counts for nothing: most stand across two words.
    """
    known = [w for term, w in weights.items() if term < _UNSPACED or frequencies.get(term, 0) > 0]
    return sum(known) or sum(weights.values())


def _add_presence(
    features: Iterable[dict[str, float]], matches: Iterable[_Match], asked: int, total: float
) -> None:
    for gained, match in zip(features, matches, strict=True):
        if match.found:
            gained["coverage"] = min(1.0, match.weight / total)
            gained["breadth"] = len(match.found) / asked


def _add_named(
    features: Iterable[dict[str, float]],
    documents: Iterable[Document],
    matches: Iterable[_Match],
    named: _Named,
    shares: Mapping[str, float],
) -> None:
    """Add whether each document is what the question names, and count the names as present."""
    authors, dates = named.authors, named.dates
    for gained, document, match in zip(features, documents, matches, strict=True):
        told: frozenset[str] = frozenset()
        if document.author in authors:
            gained["author"] = 1.0
            told = named.author_terms
        if dates and _is_of(document.at, dates):
            gained["date"] = 1.0
            told |= named.date_terms
        for term in sorted(told.difference(match.found)) if told else ():
            gained["coverage"] = min(1.0, gained.get("coverage", 0.0) + shares[term])
            gained["breadth"] = gained.get("breadth", 0.0) + 1.0 / len(shares)


def _is_of(at: int | None, dates: Iterable[DateSpan]) -> bool:
    return at is not None and any(span.start_ms <= at < span.end_ms for span in dates)


def _named(question: Question, documents: Iterable[Document]) -> _Named:
    authors = named_author(question.text, {document.author for document in documents})
    asked = frozenset(question.terms)
    return _Named(
        authors=authors,
        author_terms=asked.intersection(*(terms(author) for author in authors)),
        dates=question.dates,
        date_terms=asked.intersection(term for span in question.dates for term in terms(span.text)),
    )


def named_author(text: str, authors: Iterable[str]) -> frozenset[str]:
    """Return the one author whom the text names, in each spelling, or nothing.

    A name counts as a whole, in any case and with any punctuation between its words; one that is
    part of another that is named ("Ann" in "Ann Lee") does not. Of two that are named, neither is
    meant more than the other.
    """
    heard = _spaced(text)
    said = {author: _spaced(author) for author in authors}
    names = {name for name in said.values() if name.strip() and _is_in(name, heard)}
    longest = {name for name in names if not any(name.strip() in o for o in names - {name})}
    if len(longest) != 1:
        return frozenset()
    return frozenset(author for author, name in said.items() if name in longest)


def _spaced(text: str) -> str:
    words = pattern(r"[\W_]+").sub(" ", fold(text)).strip()
    return f" {words} "


def _is_in(name: str, heard: str) -> bool:
    return (name if name.strip() < _UNSPACED else name.strip()) in heard
