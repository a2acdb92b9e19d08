"""The file is examined as a database: its pages, references and schema."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.store.upkeep import structure
from tests.store.sample import Fleet


def schema_faults(fleet: Fleet) -> list[str]:
    """Return what is wrong with a fleet's schema."""
    with fleet.database.read() as snapshot:
        return structure.schema_faults(snapshot)


def test_a_node_is_sound(fleet: Fleet) -> None:
    """Nothing is wrong with a node that was only used."""
    with fleet.database.read() as snapshot:
        assert structure.page_faults(snapshot, thorough=True) == []
        assert structure.page_faults(snapshot, thorough=False) == []
        assert structure.reference_faults(snapshot) == []
        assert structure.schema_faults(snapshot) == []


def test_a_damaged_page_is_found(fleet: Fleet) -> None:
    """A page that was overwritten is found, as a list of faults or as an error that says so."""
    for number in range(100):
        fleet.remember(f"{number} " + "word " * 60)
    root = fleet.ask("SELECT rootpage FROM sqlite_schema WHERE name = 'memories'")[0][0]
    assert isinstance(root, int)
    fleet.node.close()
    with open(fleet.path, "r+b") as file:
        file.seek((root - 1) * 4096 + 8)
        file.write(b"\xff" * 200)
    found: list[str] = []
    try:
        with fleet.database.read() as snapshot:
            found = structure.page_faults(snapshot, thorough=True)
    except DamagedDatabase as error:
        found = [str(error)]
    assert found


def test_an_index_that_lost_an_entry_is_found_by_the_thorough_check(fleet: Fleet) -> None:
    """What is missing in an index of SQLite's is found."""
    fleet.say("DROP INDEX memories_by_same")
    fleet.say("CREATE INDEX memories_by_same ON memories (same) WHERE rowid > 3")
    assert schema_faults(fleet) == ["the index memories_by_same is not as it was made"]


def test_a_reference_to_nothing_is_found(fleet: Fleet) -> None:
    """A row that names a row which is not there is found, with its table."""
    with fleet.database.connection() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM agents WHERE name = 'ada'")
        connection.execute("PRAGMA foreign_keys = ON")
    with fleet.database.read() as snapshot:
        found = structure.reference_faults(snapshot)
    assert "rows of memories that name no row of agents: 15" in found


@pytest.mark.parametrize(
    ("statement", "fault", "is_mendable"),
    [
        ("DROP INDEX memories_by_same", "the index memories_by_same is missing", True),
        ("DROP TABLE terms_data", "the table terms_data is missing", True),
        ("DROP TABLE audit", "the table audit is missing", False),
        ("CREATE TABLE extra (x)", "the table extra is not ours", False),
        ("ALTER TABLE links ADD COLUMN x TEXT", "the table links is not as it was made", False),
    ],
)
def test_each_fault_of_the_schema_is_named(
    fleet: Fleet, statement: str, fault: str, *, is_mendable: bool
) -> None:
    """What is missing, foreign or changed is named, and whether it can be made again."""
    fleet.say(statement)
    assert fault in schema_faults(fleet)
    assert structure.is_mendable(fault) == is_mendable


def test_what_holds_nothing_of_its_own_is_made_again(fleet: Fleet) -> None:
    """Indexes, and the tables beneath the full-text one, are made again as they were."""
    for name in ("memories_by_same", "registers_none", "links_by_src"):
        fleet.say(f"DROP INDEX IF EXISTS {name}")
    for name in ("terms_data", "terms_idx", "terms_config"):
        fleet.say(f"DROP TABLE {name}")
    with fleet.database.write() as transaction:
        structure.mend(transaction)
    assert schema_faults(fleet) == []
