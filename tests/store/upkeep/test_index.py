"""Damage of the index is found, also where SQLite and the index itself see none, and is mended."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import pytest

from agent_memory_os import wiring
from agent_memory_os.errors import DamagedDatabase, ReadOnlyHome
from agent_memory_os.model.recall import RecallRequest
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from agent_memory_os.store import lexical
from agent_memory_os.store.upkeep import index, reindex
from tests.store.sample import OPERATOR, ROOT, Fleet, open_home

GARBAGE = "x'ffffffffffff'"
SHADOW_DAMAGE = {
    "half of the pages": "DELETE FROM terms_data WHERE id % 2 = 0 AND id > 10",
    "every page": "DELETE FROM terms_data",
    "the list of segments": "DELETE FROM terms_data WHERE id = 10",
    "a broken list": f"UPDATE terms_data SET block = {GARBAGE} WHERE id = 10",
    "broken pages": "UPDATE terms_data SET block = randomblob(2000) WHERE id > 10",
    "the lookup table": "DELETE FROM terms_idx",
    "the settings": "DELETE FROM terms_config",
    "another version": "UPDATE terms_config SET v = 99 WHERE k = 'version'",
    "a whole table": "DROP TABLE terms_data",
    "every table": "DROP TABLE terms_idx; DROP TABLE terms_data; DROP TABLE terms_config",
}
VIEW_DAMAGE = {
    "an entry too many": "INSERT INTO terms (rowid, text) VALUES (99, '2:stray')",
    "an entry too many for a row": "INSERT INTO terms (rowid, text) VALUES (2, '2:stray')",
    "what was entered": "UPDATE documents SET terms = 'other words' WHERE memory = 1",
    "its scopes": "UPDATE documents SET scopes = '1' WHERE memory = 6",
    "a memory that is not entered": "DELETE FROM documents WHERE memory = 2",
    "totals": "UPDATE scopes SET words = words + 1 WHERE kind = 'global'",
    "an earlier form": "UPDATE node SET index_form = 0",
    "one that is forgotten": "UPDATE memories SET state = 'forgotten' WHERE rowid = 6",
}


def faults(fleet: Fleet, *, thorough: bool = True) -> list[str]:
    """Return what is wrong with a fleet's index, as another process would find it."""
    fleet.node.close()
    return index.faults(fleet.database, thorough=thorough)


def damage(fleet: Fleet, statements: str) -> None:
    """Damage the index behind the node's back, in a process of its own."""
    program = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
    subprocess.run([sys.executable, "-c", program, fleet.path, statements], check=True, cwd=ROOT)


def rebuild(fleet: Fleet) -> int:
    """Make the index anew."""
    return reindex.rebuild(fleet.database)


def found(node: LocalNode, fleet: Fleet) -> list[str]:
    """Return the ids of what Ada finds by a word that most of her memories have."""
    request = RecallRequest("copper kettles", now=wiring.clock())
    return [hit.memory.id for hit in node.recall.search(fleet.ada, request).hits]


def test_an_index_that_was_only_used_is_sound(fleet: Fleet) -> None:
    """Whatever was added, edited, shared, revoked and forgotten, the index is what it should be."""
    assert faults(fleet) == []
    assert faults(fleet, thorough=False) == []


@pytest.mark.parametrize("statements", SHADOW_DAMAGE.values(), ids=SHADOW_DAMAGE)
def test_damage_beneath_the_index_is_found_and_mended(fleet: Fleet, statements: str) -> None:
    """Whatever is broken beneath the index is found, and made anew under a node that is open."""
    fleet.fill(200)
    node = open_home(fleet.home)
    before = found(node, fleet)
    assert len(before) > 5
    damage(fleet, statements)
    assert faults(fleet)
    # What has the node open is told, or finds too little; and goes on once the index is mended.
    with suppress(DamagedDatabase):
        found(node, fleet)
    assert rebuild(fleet) == 214
    assert found(node, fleet) == before == found(fleet.node, fleet)
    assert faults(fleet) == []
    node.close()


@pytest.mark.parametrize("statements", VIEW_DAMAGE.values(), ids=VIEW_DAMAGE)
def test_an_index_that_is_not_as_the_memories_are_is_found(fleet: Fleet, statements: str) -> None:
    """Whatever the index holds too much or too little of is found, and made anew."""
    fleet.say(statements)
    assert faults(fleet)
    rebuild(fleet)
    assert faults(fleet) == []


def test_what_has_used_the_index_goes_on_with_the_new_one(fleet: Fleet) -> None:
    """Connections that knew the old index find, add and take away in the new one."""
    memories = fleet.fill(300)
    other = open_home(fleet.home)
    request = RecallRequest("word00007x3", now=wiring.clock())
    for node in (fleet.node, other):
        node.memories.add(fleet.ada, NewMemory(content="canary warbles"))
        assert len(node.recall.search(fleet.ada, request).hits) == 1
    fleet.node.memories.erase(fleet.ada, [memories[9].id])
    assert len(fleet.node.recall.search(fleet.ada, request).hits) == 1
    assert rebuild(fleet) == 314
    for number, node in enumerate((fleet.node, other)):
        assert len(node.recall.search(fleet.ada, request).hits) == 1
        node.memories.add(fleet.ada, NewMemory(content=f"sparrow chirps {number}"))
        node.memories.forget(fleet.ada, memories[20 + number].id)
    other.close()
    assert faults(fleet) == []


def test_a_damaged_index_is_told_apart_from_damaged_memories(fleet: Fleet) -> None:
    """Who searches a damaged index is told that the memories are apart from it, and what to do."""
    damage(fleet, SHADOW_DAMAGE["every page"])
    with pytest.raises(DamagedDatabase, match="apart from it") as told:
        found(fleet.node, fleet)
    assert told.value.remedy == "reindex"


def test_a_term_that_is_not_looked_up_any_more_is_found_quickly(fleet: Fleet) -> None:
    """Where the index answers nothing although it holds all, the quick check notices too."""
    fleet.fill(200)
    damage(fleet, SHADOW_DAMAGE["the lookup table"])
    assert "are not found by a word of theirs" in faults(fleet, thorough=False)[0]


def test_strange_words_are_found_again(fleet: Fleet) -> None:
    """Words of any script, length and sign are entered as they are looked up."""
    for text in (
        'a "quoted" word, C++ and C#, don\'t, error:timeout, 2026-05-08',
        "步2 重跑gen-itgc后50条悬空引用清零 用户身份验证",
        "word" * 20_000,
        "👍 👎 \N{COMBINING ACUTE ACCENT} ﷽ ߘ",
        "tabs\tand\nlines\r\nand\x0bmore\x1c\x1dseparators\x85here\u2028there",
    ):
        fleet.remember(text)
    assert faults(fleet) == []


def test_a_closed_file_can_be_looked_at_all_the_same(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing has to be written to look at an index."""

    def refuse() -> None:
        raise ReadOnlyHome("closed")

    monkeypatch.setattr(fleet.database, "write", refuse)
    assert index.faults(fleet.database, thorough=True) == []


def test_the_form_is_written_down(fleet: Fleet) -> None:
    """An index that was made anew is of the present form."""
    fleet.say("UPDATE node SET index_form = 0")
    assert rebuild(fleet) == 14
    assert fleet.ask("SELECT index_form FROM node") == [(lexical.INDEX_FORM,)]
    assert fleet.node.upkeep.stats(OPERATOR).shown == 14
