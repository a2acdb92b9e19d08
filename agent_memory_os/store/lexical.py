"""The lexical index, from the store's side: entering, leaving, and asking within a gate.

Each term of a memory is entered once for each scope that may see it, as ``scope:term``. A search
asks only for terms under the scopes of its gate, so that it never touches a row it may not see,
and how often a term occurs is counted inside those scopes: what is hidden changes nothing. What was
entered is kept beside the index, for only the very same words take it out again; the index can be
thrown away and rebuilt from the memories at any time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from agent_memory_os.model.recall import Filter
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.gate import Gate, narrowed
from agent_memory_os.store.queries import Queries
from agent_memory_os.text.segment import terms
from agent_memory_os.value import NamedTuple

_sql = Queries("lexical")

INDEX_FORM = 1
"""Which way text becomes terms; another number in the file means that it must be re-indexed."""


class Indexer:
    """Brings the index up to date for the memories that one transaction touched."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._totals: dict[int, list[int]] = {}
        self._owner_scopes: dict[int, int] = {}

    def refresh(self, row: int, *, is_new: bool = False) -> None:
        """Make the index hold what the memory says now, for the scopes that see it now."""
        held = None if is_new else self._transaction.row(_sql["held"], (row,))
        wanted = self._wanted(row)
        if held == wanted:
            return
        if held is not None:
            self._transaction.execute(_sql["leave"], (row, entry(*held)))
            self._count(*held, sign=-1)
        if wanted is None:
            self._transaction.execute(_sql["drop"], (row,))
            return
        self._transaction.execute(_sql["enter"], (row, entry(*wanted)))
        if held is None:
            self._transaction.execute(_sql["keep"], (row, *wanted))
        else:
            self._transaction.execute(_sql["keep_again"], (*wanted, row))
        self._count(*wanted, sign=1)

    def owner_scope(self, owner_row: int) -> int:
        """Return the scope under which an agent's own memories are entered."""
        if owner_row not in self._owner_scopes:
            scope: int = self._transaction.value(_sql["owner_scope"], (owner_row,))
            self._owner_scopes[owner_row] = scope
        return self._owner_scopes[owner_row]

    def enter(self, fresh: Mapping[int, tuple[str, Iterable[int]]]) -> None:
        """Put memories into the index that are new and active.

        By their rows: what each is found by, and the scopes that see it.
        """
        self.enter_words({row: (words_of(text), seen_by) for row, (text, seen_by) in fresh.items()})

    def enter_words(self, fresh: Mapping[int, tuple[str, Iterable[int]]]) -> None:
        """Do what :meth:`enter` does, where the terms of each memory are known already."""
        entries: list[tuple[int, str]] = []
        kept: list[tuple[int, str, str]] = []
        for row, (words, seen_by) in fresh.items():
            scopes = " ".join(map(str, sorted(set(seen_by))))
            entries.append((row, entry(scopes, words)))
            kept.append((row, scopes, words))
            self._count(scopes, words, sign=1)
        self._transaction.many(_sql["enter"], entries)
        self._transaction.many(_sql["keep"], kept)

    def put(self, row: int, scopes: str, words: str) -> None:
        """Put a memory into the index that is not in it, of which all is known already."""
        self._transaction.execute(_sql["enter"], (row, entry(scopes, words)))
        self._transaction.execute(_sql["keep"], (row, scopes, words))
        self._count(scopes, words, sign=1)

    def leave(self, row: int) -> None:
        """Take a memory out of the index, before its row goes."""
        held = self._transaction.row(_sql["held"], (row,))
        if held is not None:
            self._transaction.execute(_sql["leave"], (row, entry(*held)))
            self._transaction.execute(_sql["drop"], (row,))
            self._count(*held, sign=-1)

    def note(self, row: int) -> None:
        """Remember what should be entered, and enter nothing: for an index to be made anew."""
        self._transaction.execute(_sql["drop"], (row,))
        wanted = self._wanted(row)
        if wanted is not None:
            self._transaction.execute(_sql["keep"], (row, *wanted))

    def close(self) -> None:
        """Write the totals of the scopes that changed."""
        self._transaction.many(_sql["count"], self.totals())
        self._totals.clear()

    def totals(self) -> list[tuple[int, int, int]]:
        """Return by how many memories and terms each scope has changed: both, and its row."""
        found = self._totals.items()
        return [(change[0], change[1], scope) for scope, change in found if any(change)]

    def _wanted(self, row: int) -> tuple[str, str] | None:
        source = self._transaction.row(_sql["source"], (row,))
        if source is None or source[0] != "active":
            return None
        granted = self._transaction.rows(_sql["granted"], (row,))
        scopes = sorted({source[1], *(grant[0] for grant in granted)})
        words = terms(text_of_row(*source[2:]))
        return " ".join(map(str, scopes)), " ".join(words)

    def _count(self, scopes: str, words: str, *, sign: int) -> None:
        length = sign * (words.count(" ") + 1 if words else 0)
        for scope in scopes.split(" "):
            change = self._totals.setdefault(int(scope), [0, 0])
            change[0] += sign
            change[1] += length


def words_of(text: str) -> str:
    """Return the index terms of a text as they are kept, with spaces between."""
    return " ".join(terms(text))


def text_of_row(content: str, summary: str | None, tags: str | None) -> str:
    """Return what a memory is found by, of its row."""
    return text_of(content, summary or "", json.loads(tags) if tags else ())


def text_of(content: str, summary: str, tags: Sequence[str]) -> str:
    """Return what a memory is found by: its words, its summary and its tags."""
    return "\n".join([content, summary, *tags]) if summary or tags else content


def entry(scopes: str, words: str) -> str:
    """Return what is entered of a memory: each of its terms once under each of its scopes."""
    if not words:
        return ""
    distinct = dict.fromkeys(words.split(" "))
    marks = [f" {scope}:" for scope in scopes.split(" ")]
    return "".join([mark + mark.join(distinct) for mark in marks])[1:]


class Reach(NamedTuple):
    """The scopes of a gate that hold anything, how many memories they hold, and index terms."""

    scopes: tuple[int, ...]
    documents: int
    words: int


def reach(snapshot: Snapshot, gate: Gate) -> Reach:
    """Return how far a search inside a gate reaches: an empty scope is not worth a look."""
    filled = snapshot.rows(_sql["filled"], (json.dumps(gate.scopes),))
    scopes = tuple(row[0] for row in filled)
    return Reach(scopes, sum(row[1] for row in filled), sum(row[2] for row in filled))


def frequency(snapshot: Snapshot, within: Reach, term: str) -> int:
    """Return how many memories in some scopes, at least one, have a term."""
    count: int = snapshot.value(_sql["frequency"], (_any_scope(within, term),))
    return count


def matches(
    snapshot: Snapshot, within: Reach, groups: Sequence[Sequence[str]], limit: int
) -> list[int]:
    """Return rows in some scopes, at least one, with a term of every group, newest first."""
    return [row[0] for row in snapshot.rows(_sql["matches"], (_all_of(within, groups), limit))]


def shown(
    snapshot: Snapshot,
    gate: Gate,
    within: Reach,
    groups: Sequence[Sequence[str]],
    wanted: Filter,
    limit: int,
) -> list[int]:
    """Return what :func:`matches` does, of those rows alone that pass the gate and the filter."""
    parameters = {**narrowed(gate, wanted, snapshot.now), "limit": limit}
    parameters["expression"] = _all_of(within, groups)
    return [row[0] for row in snapshot.rows(_sql["shown"], parameters)]


def _all_of(within: Reach, groups: Sequence[Sequence[str]]) -> str:
    return " AND ".join(
        "(" + " OR ".join(_any_scope(within, term) for term in group) + ")" for group in groups
    )


def _any_scope(within: Reach, term: str) -> str:
    quoted = term.replace('"', '""')
    return " OR ".join([f'"{scope}:{quoted}"' for scope in within.scopes])


def sweep(transaction: Transaction) -> None:
    """Write the index anew from itself, so that no word that left it stays in the file."""
    transaction.execute(_sql["sweep"])


def sweep_some(transaction: Transaction, pages: int, *, begins: bool) -> bool:
    """Do a part of what :func:`sweep` does, about so many pages; say whether anything is left."""
    before = transaction.total_changes
    transaction.execute(_sql["merge"], (-pages if begins else pages,))
    # The command is one change itself.
    return transaction.total_changes - before > 1
