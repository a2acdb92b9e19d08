"""Mending makes anew what follows from something else, and touches nothing that does not."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_memory_os import wiring
from agent_memory_os.errors import Busy, DamagedDatabase
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import RecallRequest
from agent_memory_os.service.memory.change import UNDO_MS
from agent_memory_os.store.file.disk import claimed
from agent_memory_os.store.write import writing
from tests.store.sample import OPERATOR, ROOT, Fleet, bytes_of

MEND = """
import sys
from agent_memory_os import settings, wiring
upkeep = wiring.open_upkeep(settings.read(sys.argv[1], None, {}))
print("mending", flush=True)
print(upkeep.mend())
"""


def found(fleet: Fleet, query: str, principal: Principal | None = None) -> list[str]:
    """Return what somebody finds by a query: Ada, if nobody else."""
    request = RecallRequest(query, now=wiring.clock())
    return [hit.memory.id for hit in fleet.node.recall.search(principal or fleet.ada, request).hits]


def test_a_sound_node_needs_no_mending(fleet: Fleet) -> None:
    """Where nothing is wrong nothing is done, and no byte of the file changes."""
    assert fleet.database.empty_log()
    before = bytes_of(fleet.path)
    assert fleet.node.upkeep.mend() == ()
    fleet.database.empty_log()
    assert bytes_of(fleet.path) == before


def test_everything_that_can_be_mended_is_at_once(fleet: Fleet) -> None:
    """Indexes, the organisation, links and the search index are all made anew in one go."""
    before = found(fleet, "copper kettles", fleet.bob)
    assert before
    fleet.say("DROP INDEX memories_by_same")
    fleet.say("DELETE FROM memberships")
    fleet.say("DELETE FROM links")
    fleet.say("DELETE FROM terms_data")
    fleet.node.close()
    done = fleet.node.upkeep.mend()
    assert len(done) == 3
    assert [each.name for each in fleet.node.upkeep.doctor(OPERATOR) if each.state != "ok"] == []
    assert found(fleet, "copper kettles", fleet.bob) == before
    assert fleet.node.upkeep.mend() == ()


def test_a_missing_index_alone_leaves_the_search_index_alone(fleet: Fleet) -> None:
    """What is made again is only what is missing."""
    fleet.say("DROP INDEX memories_by_same")
    assert fleet.node.upkeep.mend() == (
        "What was missing was made again: the index memories_by_same is missing.",
    )


@pytest.mark.parametrize("content", [b"\0" * 9000, b"notes of mine\n" * 500])
def test_a_damaged_file_is_not_written_to(fleet: Fleet, content: bytes) -> None:
    """What is no database is named and left as it is, byte for byte, by mending and reindexing."""
    fleet.node.close()
    Path(fleet.path).write_bytes(content)
    for act in (fleet.node.upkeep.mend, fleet.node.upkeep.reindex):
        with pytest.raises(DamagedDatabase, match="left as it") as told:
            act()
        assert told.value.remedy == "restore"
    assert Path(fleet.path).read_bytes() == content


def test_a_file_with_damaged_pages_is_not_written_to(fleet: Fleet) -> None:
    """A file with a page that was overwritten is named and left as it is, byte for byte."""
    fleet.node.close()
    content = bytearray(Path(fleet.path).read_bytes())
    content[4096 * 9 : 4096 * 10] = b"\xa5" * 4096
    Path(fleet.path).write_bytes(content)
    with pytest.raises(DamagedDatabase, match="cannot be made anew"):
        fleet.node.upkeep.mend()
    fleet.node.close()
    assert Path(fleet.path).read_bytes() == bytes(content)


def test_a_foreign_schema_is_not_mended(fleet: Fleet) -> None:
    """Where a table of ours is missing, nothing pretends to know what was in it."""
    fleet.say("DROP TABLE audit")
    with pytest.raises(DamagedDatabase, match="the table audit is missing"):
        fleet.node.upkeep.mend()


def test_contents_are_verified_and_never_changed(fleet: Fleet) -> None:
    """A content that is not what its register says stays a fault, whatever is mended beside it."""
    fleet.say("UPDATE memories SET content = 'altered' WHERE rowid = 1")
    fleet.say("UPDATE teams SET name = 'soyuz'")
    fleet.node.upkeep.mend()
    assert fleet.ask("SELECT content FROM memories WHERE rowid = 1") == [("altered",)]
    faults = [each.name for each in fleet.node.upkeep.doctor(OPERATOR) if each.state == "fault"]
    assert faults == ["registers"]


def test_what_was_not_swept_is_swept(fleet: Fleet) -> None:
    """A sweep that was cut short is finished by mending, with what is known by then."""
    memory = fleet.remember("the canary warbles")
    with writing(fleet.database) as writer:
        writer.erase(memory.id)
    assert fleet.node.upkeep.mend() == ("Nothing is left in the file of what was erased.",)
    assert b"warble" not in bytes_of(fleet.path) + bytes_of(fleet.path + "-wal")


def test_what_was_forgotten_long_ago_goes(fleet: Fleet) -> None:
    """A purge takes content, versions and index terms; the tombstone and the audit stay."""
    old = [fleet.remember(f"the canary {number} warbles") for number in range(3)]
    new = fleet.remember("the sparrow chirps")
    for memory in (*old, new):
        fleet.node.memories.forget(fleet.ada, memory.id)
    fleet.say(
        "UPDATE memories SET forgotten_at = ? WHERE content LIKE '%canary%'",
        (wiring.clock() - UNDO_MS - 1,),
    )
    assert fleet.node.upkeep.purge() == 3
    assert fleet.node.upkeep.purge() == 0
    content = bytes_of(fleet.path) + bytes_of(fleet.path + "-wal")
    assert b"warble" not in content
    assert b"sparrow" in content
    gone = {row[0] for row in fleet.ask("SELECT id FROM tombstones")}
    assert gone == {memory.id for memory in old}
    assert fleet.ask("SELECT count(*) FROM audit WHERE action = 'purge'") == [(3,)]


def test_mending_that_is_killed_leaves_the_old_or_the_new(fleet: Fleet) -> None:
    """Killed at any moment, mending leaves a node that can be mended, and loses no memory."""
    fleet.fill(1500)
    count = fleet.ask("SELECT count(*) FROM memories")
    for delay in (0.0, 0.15, 0.3, 0.45, 0.6):
        fleet.say("DELETE FROM memberships")
        fleet.say("DELETE FROM terms_idx")
        fleet.node.close()
        process = subprocess.Popen(
            [sys.executable, "-c", MEND, str(fleet.home)], stdout=subprocess.PIPE, cwd=ROOT
        )
        assert process.stdout
        assert process.stdout.readline() == b"mending\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        members = fleet.ask("SELECT count(*) FROM memberships")
        looked_up = fleet.ask("SELECT count(*) > 0 FROM terms_idx")
        assert (members, looked_up) in [
            ([(0,)], [(0,)]),
            ([(4,)], [(0,)]),
            ([(4,)], [(1,)]),
        ]
        assert fleet.ask("PRAGMA integrity_check") == [("ok",)]
        assert fleet.ask("SELECT count(*) FROM memories") == count
    fleet.node.upkeep.mend()
    assert fleet.node.upkeep.check().ok


def test_an_index_is_made_anew_when_asked_for(fleet: Fleet) -> None:
    """Reindexing makes the index anew and says how much it holds."""
    before = found(fleet, "copper kettles")
    fleet.say("DELETE FROM terms_data")
    fleet.node.close()
    assert fleet.node.upkeep.reindex() == 14
    assert found(fleet, "copper kettles") == before


def test_two_do_not_mend_one_node_at_once(fleet: Fleet) -> None:
    """While one process mends or reindexes, another is told to try again, and changes nothing."""
    with claimed(str(fleet.home)):
        for act in (fleet.node.upkeep.mend, fleet.node.upkeep.reindex):
            with pytest.raises(Busy, match="Another process is putting"):
                act()
    assert fleet.node.upkeep.mend() == ()


def test_how_far_it_has_come_is_told(fleet: Fleet) -> None:
    """Examining, mending and reindexing tell of shares that make one; less if little is done."""
    fleet.fill(1500)
    upkeep = fleet.node.upkeep
    for act in (lambda told: upkeep.doctor(OPERATOR, told), upkeep.reindex):
        shares: list[float] = []
        act(shares.append)
        assert sum(shares) == pytest.approx(1.0)
        assert len(shares) > 4
    fleet.say("DELETE FROM terms_idx")
    fleet.node.close()
    shares = []
    assert upkeep.mend(shares.append)
    assert sum(shares) == pytest.approx(1.0)
    shares = []
    assert upkeep.mend(shares.append) == ()
    assert sum(shares) == pytest.approx(0.5)
