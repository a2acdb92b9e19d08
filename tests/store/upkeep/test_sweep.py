"""After a sweep no byte of what was erased is left, and what is still to be swept is counted."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from agent_memory_os.errors import Unswept
from agent_memory_os.store.upkeep import sweep
from agent_memory_os.store.write import writing
from tests.store.sample import Fleet, bytes_of


def erase(fleet: Fleet, *memory_ids: str) -> list[str]:
    """Take memories away without sweeping; return what they said."""
    with writing(fleet.database) as writer:
        return [text for memory_id in memory_ids for text in writer.erase(memory_id)]


def left(fleet: Fleet, *words: str) -> list[str]:
    """Return the words that can still be read in the file or its log."""
    content = bytes_of(fleet.path) + bytes_of(fleet.path + "-wal")
    return [word for word in words if word.encode() in content]


def pending(fleet: Fleet) -> int:
    """Return how many erased memories the file still counts as unswept."""
    with fleet.database.read() as snapshot:
        return sweep.pending(snapshot)


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Count how often the whole file is written anew."""
    calls: list[str] = []
    original = sweep.rewrite

    def rewrite(database: object) -> None:
        calls.append("rewritten")
        original(database)  # type: ignore[arg-type]

    monkeypatch.setattr(sweep, "rewrite", rewrite)
    yield calls


def test_everything_that_a_memory_said_is_told(fleet: Fleet) -> None:
    """What is looked for afterwards is every text: versions, tags, source and index terms too."""
    memory = fleet.remember(
        "the canary sings",
        summary="a bird",
        tags=("yellow", "small"),
        source={"file": "birds.md", "at": [{"line": 7, "note": "in the cage"}]},
        author="finch",
        session="garden",
    )
    fleet.node.memories.edit(fleet.ada, memory.id, {"content": "the sparrow sings"}, "a mistake")
    told = " ".join(erase(fleet, memory.id))
    for word in (
        *("canary", "sparrow", "a bird", "yellow", "birds.md", "in the cage", "finch", "garden"),
        *("a mistake", "sing"),
    ):
        assert word in told
    assert erase(fleet, memory.id) == []


def test_a_sweep_leaves_nothing(fleet: Fleet) -> None:
    """Words, their stems, tags, sources and past versions are gone from file and log."""
    words = ("canaries", "canari", "sparrowhawk", "nightingale", "birds.md", "yellowish")
    memory = fleet.remember("canaries sing", tags=("yellowish",), source={"file": "birds.md"})
    fleet.node.memories.edit(fleet.ada, memory.id, {"content": "a sparrowhawk"}, "nightingale")
    assert left(fleet, *words)
    texts = erase(fleet, memory.id)
    assert pending(fleet) == 1
    sweep.sweep(fleet.database, texts)
    assert left(fleet, *words) == []
    assert pending(fleet) == 0
    assert left(fleet, "copper") == ["copper"]


def test_the_file_is_written_anew_only_where_it_must(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not while no remnant is found, and is where the words are not known any more."""
    memories = [fleet.remember(f"canary {number} warbles") for number in range(4)]
    with counted(monkeypatch) as calls:
        sweep.sweep(fleet.database, erase(fleet, memories[0].id))
        assert calls == []
        erase(fleet, memories[1].id)
        sweep.sweep(fleet.database)
        assert calls == ["rewritten"]
        erase(fleet, memories[2].id)
        sweep.sweep(fleet.database, erase(fleet, memories[3].id))
        assert calls == ["rewritten"] * 2
        sweep.sweep(fleet.database, ["x" * 200_001])
        assert calls == ["rewritten"] * 3
    assert left(fleet, "warble") == []
    assert pending(fleet) == 0


def test_a_remnant_is_found_and_swept(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a copy of a row was left in a page that was balanced, it goes with the rest."""
    memory = fleet.remember("the canary warbles")
    with closing(sqlite3.connect(fleet.path, isolation_level=None)) as connection:
        # Another program, which does not overwrite what it deletes.
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("INSERT INTO audit VALUES (77, 0, '', '', '', 'the canary warbles')")
        connection.execute("DELETE FROM audit WHERE seq = 77")
    with counted(monkeypatch) as calls:
        sweep.sweep(fleet.database, erase(fleet, memory.id))
        assert calls == ["rewritten"]
    assert left(fleet, "warble") == []


def test_a_reader_that_does_not_end_is_told_of(fleet: Fleet) -> None:
    """While somebody reads an earlier state the sweep is not done, says so, and is done later."""
    memory = fleet.remember("the canary warbles")
    fleet.database.patience = 0.2
    with fleet.database.read() as snapshot:
        texts = erase(fleet, memory.id)
        with pytest.raises(Unswept, match="is still reading") as told:
            sweep.sweep(fleet.database, texts)
        assert told.value.remedy == "mend"
        assert snapshot.value("SELECT count(*) FROM memories WHERE id = ?", (memory.id,)) == 1
        assert pending(fleet) == 1
    sweep.sweep(fleet.database)
    assert pending(fleet) == 0
    assert left(fleet, "warble") == []


def test_a_writer_in_the_way_is_told_of(fleet: Fleet) -> None:
    """While another process holds the lock for too long the sweep is not done, and says so."""
    memory = fleet.remember("the canary warbles")
    texts = erase(fleet, memory.id)
    fleet.database.patience = 0.1
    with closing(sqlite3.connect(fleet.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unswept, match="Another process is writing"):
            sweep.sweep(fleet.database, texts)
    assert pending(fleet) == 1


def test_a_large_file_is_not_rewritten_in_memory(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing a large file anew goes through a file, and leaves nothing behind either."""
    monkeypatch.setattr(sweep, "_LARGE_FILE", 1000)
    memory = fleet.remember("the canary warbles")
    erase(fleet, memory.id)
    sweep.sweep(fleet.database)
    assert left(fleet, "warble") == []


def test_nothing_is_left_after_much_coming_and_going(fleet: Fleet) -> None:
    """After hundreds of edits and erasures of all lengths, nothing erased can be read."""
    chance = random.Random(3)
    held: dict[str, list[str]] = {}
    gone: list[str] = []
    for number in range(240):
        word = f"canary{number:04}q"
        text = f"{word} " * chance.choice([1, 4, 20, 60, 400])
        if number % 3 or len(held) < 5:
            held[fleet.remember(text).id] = [word]
        elif chance.random() < 0.5:
            memory_id = chance.choice(list(held))
            fleet.node.memories.edit(fleet.ada, memory_id, {"content": text})
            held[memory_id].append(word)
        else:
            memory_id = chance.choice(list(held))
            gone += held.pop(memory_id)
            sweep.sweep(fleet.database, erase(fleet, memory_id))
    assert len(gone) > 20
    assert left(fleet, *gone) == []
    kept = [word for words in held.values() for word in words]
    assert left(fleet, *kept) == kept
