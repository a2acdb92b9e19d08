"""Whether the index finds what the memories say.

The index's own check and SQLite's both pass over some damage: an index whose lookup table lost
rows answers "nothing", and nobody complains. So every entry is read back and held against what was
entered (``documents``), terms from all over the index are really looked up, and what was entered
is held against the memories.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from contextlib import closing
from functools import reduce
from itertools import groupby
from operator import itemgetter, xor

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.store import lexical, node
from agent_memory_os.store.database import Database, Snapshot
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.upkeep import structure
from agent_memory_os.store.upkeep.progress import Progress, each, part, unwatched
from agent_memory_os.store.upkeep.reindex import is_right

_sql = Queries("upkeep")
_lexical = Queries("lexical")

_MOST_PROBES = 5_000
_QUICK_PROBES = 100
_SAMPLES = 300
_MASK = 2**64 - 1

_SHARE_OF_MEMORIES = 0.15
_SHARE_OF_ENTRIES = 0.7
"""How much of the time the parts of a thorough look take, about."""


def faults(database: Database, *, thorough: bool, progress: Progress = unwatched) -> list[str]:
    """Return what is wrong with the index, a sentence each; what is quick looks at a sample."""
    found: list[str] = []
    try:
        with database.read() as snapshot:
            found += _broken(snapshot) or entry_faults(
                snapshot, thorough=thorough, progress=progress
            )
    except DamagedDatabase as error:
        found.append(str(error))
    return found


def entry_faults(
    snapshot: Snapshot, *, thorough: bool, progress: Progress = unwatched
) -> list[str]:
    """Return where the entries are not those of the memories, a sentence each."""
    found = [*_stale(snapshot), *_unlike_memories(snapshot)]
    progress(_SHARE_OF_MEMORIES)
    if thorough:
        found += _unlike_totals(snapshot)
        return found + _unlike_entries(snapshot, part(progress, 1 - _SHARE_OF_MEMORIES))
    return [*found, *_not_found(snapshot)]


def _broken(snapshot: Snapshot) -> list[str]:
    """Have a copy of the index check itself: that is asked for by a write, which would wait."""
    with closing(structure.fresh()) as connection:
        settings = connection.execute(_sql["settings"]).fetchall()
        if snapshot.rows(_sql["settings"]) != settings:
            return ["the settings beneath it are not what they were"]
        for table in ("data", "idx"):
            connection.execute(_sql[f"drop_{table}"])
            rows = snapshot.rows(_sql[f"get_{table}"])
            connection.executemany(_sql[f"put_{table}"], rows)
        connection.execute(_lexical["check"])
    return []


def _stale(snapshot: Snapshot) -> list[str]:
    home = node.home(snapshot)
    if home is None or home.index_form == lexical.INDEX_FORM:
        return []
    return ["the index is of an earlier form"]


def _unlike_memories(snapshot: Snapshot) -> list[str]:
    """Compare what was entered with the memories: all of the scopes, some of the words."""
    every = max(1, snapshot.value(_sql["document_count"]) // _SAMPLES)
    held = snapshot.each(_sql["entered"], (0, -1))
    wrong = sum(not is_right(row, thorough=at % every == 0) for at, row in enumerate(held))
    wrong += len(snapshot.rows(_sql["not_to_be_entered"]))
    return [f"memories that are not entered as they are now: {wrong}"] if wrong else []


def _unlike_totals(snapshot: Snapshot) -> list[str]:
    counted: dict[int, list[int]] = {}
    for _, scopes, words in snapshot.each(_sql["documents"]):
        length = words.count(" ") + 1 if words else 0
        for scope in scopes.split(" "):
            total = counted.setdefault(int(scope), [0, 0])
            total[0] += 1
            total[1] += length
    held = {scope: [documents, words] for scope, documents, words in snapshot.rows(_sql["totals"])}
    wrong = [scope for scope in held if held[scope] != counted.get(scope, [0, 0])]
    return [f"audiences with wrong totals: {len(wrong)}"] if wrong else []


def _unlike_entries(snapshot: Snapshot, progress: Progress) -> list[str]:
    """Read the whole index back, and hold it against what was entered."""
    sums = array("Q", bytes(8 * (snapshot.value(_sql["largest_row"]) + 1)))
    probes, strays = _add_entries(snapshot, sums, part(progress, _SHARE_OF_ENTRIES))
    count: int = snapshot.value(_sql["document_count"])
    documents = snapshot.each(_sql["documents"])
    for row, scopes, words in each(documents, count, part(progress, 1 - _SHARE_OF_ENTRIES)):
        if words:
            sums[row] ^= reduce(xor, map(hash, lexical.entry(scopes, words).split(" "))) & _MASK
    wrong = sum(1 for left in sums if left) + strays
    found = [f"memories with other terms in the index than were entered: {wrong}"] if wrong else []
    return found + _lost(snapshot, probes)


def _add_entries(
    snapshot: Snapshot, sums: array[int], progress: Progress
) -> tuple[list[tuple[str, int]], int]:
    """Add up the hashes of the terms of each row; return terms to look up, and entries astray."""
    for name in ("open_entries", "open_terms"):
        snapshot.row(_sql[name])
    terms: int = snapshot.value(_sql["term_count"])
    every = max(1, terms // _MOST_PROBES)
    probes: list[tuple[str, int]] = []
    strays = 0
    postings = groupby(snapshot.each(_sql["entries"]), itemgetter(0))
    for term, entries in each(postings, terms, progress):
        digest = hash(term) & _MASK
        rows = [row for _, row in entries]
        if digest % every == 0:
            probes.append((term, len(rows)))
        for row in rows:
            try:
                sums[row] ^= digest
            except IndexError:
                strays += 1
    return probes, strays


def _not_found(snapshot: Snapshot) -> list[str]:
    every = max(1, snapshot.value(_sql["document_count"]) // _QUICK_PROBES)
    wrong = 0
    for row, scopes, words in snapshot.rows(_sql["some_documents"], (every,)):
        for entry in lexical.entry(scopes, words).split(" ")[:: max(1, words.count(" ") // 4)]:
            expression = '"' + entry.replace('"', '""') + '"'
            wrong += bool(entry) and snapshot.value(_sql["finds"], (expression, row)) is None
    return [f"memories that are not found by a word of theirs: {wrong}"] if wrong else []


def _lost(snapshot: Snapshot, probes: Sequence[tuple[str, int]]) -> list[str]:
    lost = 0
    for term, count in probes:
        expression = '"' + term.replace('"', '""') + '"'
        lost += snapshot.value(_lexical["frequency"], (expression,)) != count
    return [f"terms that were looked up and not found: {lost} of {len(probes)}"] if lost else []
