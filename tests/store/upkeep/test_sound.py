"""Whether a file is sound is asked where a value fails, and answered by looking at all of it."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import DamagedDatabase, InvalidInput
from agent_memory_os.store.database import Database
from agent_memory_os.store.upkeep.sound import is_sound
from tests.store.sample import Fleet, furnish

DAMAGE = (
    "UPDATE memories SET content = content || '!'",
    "UPDATE memories SET tags = '{}'",
    "UPDATE memory_versions SET value = '{}'",
    "UPDATE registers SET value = 'x' WHERE value IS NOT NULL",
    "UPDATE proofs SET proof = '[]'",
    "UPDATE grants SET until = 1",
    "UPDATE teams SET name = 'other'",
    "UPDATE documents SET terms = 'x'",
    "DELETE FROM agents",
    "DROP TABLE proofs",
)


def sound(fleet: Fleet) -> bool:
    """Say whether the file of a fleet is sound."""
    return is_sound(fleet.path, fleet.database.clock, fleet.database.chance)


def fail(fleet: Fleet, error: Exception) -> None:
    """Fail amid a read."""
    with fleet.database.read():
        raise error


def test_what_was_written_is_sound(fleet: Fleet) -> None:
    """A node with memories of every state is sound, and a file of somebody else is not judged."""
    furnish(fleet)
    assert sound(fleet)
    fleet.database.maintain("PRAGMA application_id = 7")
    assert sound(fleet)


@pytest.mark.parametrize("statement", DAMAGE)
def test_any_damage_is_seen(fleet: Fleet, statement: str) -> None:
    """Wherever something was changed behind our back, the file is not sound any more."""
    furnish(fleet)
    fleet.database.maintain("PRAGMA foreign_keys = OFF", statement)
    assert not sound(fleet)


def test_a_fault_of_the_program_is_not_taken_for_damage(fleet: Fleet) -> None:
    """What fails in a sound file is raised as it is, and damage is told in its place in another."""
    furnish(fleet)
    for error in (KeyError("a"), TypeError("b"), ValueError("c"), AttributeError("d")):
        with pytest.raises(type(error)):
            fail(fleet, error)
    with pytest.raises(InvalidInput, match="64 bits"), fleet.database.read() as snapshot:
        snapshot.value("SELECT ?", (2**70,))
    fleet.say("UPDATE memories SET content = content || '!'")
    for _ in range(2):
        with pytest.raises(DamagedDatabase, match="a value in it is none of ours"):
            fail(fleet, KeyError("what a memory says"))


def test_a_file_in_doubt_is_not_looked_at(fleet: Fleet) -> None:
    """Where a file is doubted, what cannot be used is damage at once."""
    database = Database(fleet.path, fleet.database.clock, lambda: 0.5, is_doubted=True)
    with pytest.raises(DamagedDatabase), database.read():
        raise LookupError
    database.close()
