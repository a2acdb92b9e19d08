"""What was taken back since a backup stays so when the backup is restored, and nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import Busy, Forgotten
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.upkeep import RestoreReport
from agent_memory_os.service.upkeep import restore as restore_in
from agent_memory_os.store.upkeep import retraction, sweep
from agent_memory_os.store.write import writing
from tests.store.sample import OPERATOR, Fleet, bytes_of

restoring = importlib.import_module("agent_memory_os.service.upkeep.restore")


def backup(fleet: Fleet, name: str = "one.db") -> str:
    """Make a backup beside the home."""
    return fleet.node.upkeep.backup(str(fleet.home.parent / name)).path


def restore(fleet: Fleet, source: str) -> RestoreReport:
    """Restore, as the command does."""
    return wiring.restore(settings.read(str(fleet.home), None, {}), source, force=True)


def texts(fleet: Fleet, principal: Principal | None = None) -> set[str]:
    """Return what somebody may read: Ada, if nobody else."""
    page = fleet.node.memories.list(principal or fleet.ada, Filter(), 1000)
    return {memory.text for memory in page.memories}


def members(fleet: Fleet, name: str = "apollo") -> tuple[str, ...]:
    """Return the members of a team."""
    return next(view.members for view in fleet.node.organisation.teams() if view.team.name == name)


def is_well(fleet: Fleet) -> bool:
    """Say whether a doctor finds nothing."""
    return all(found.state == "ok" for found in fleet.node.upkeep.doctor(OPERATOR))


def test_what_was_erased_stays_erased(fleet: Fleet) -> None:
    """It is not back, nor is a byte of it in the file or in the copy of what was there."""
    gone = fleet.remember("the canary warbles", "global", key="k")
    kept = fleet.remember("the sparrow chirps")
    source = backup(fleet)
    fleet.node.memories.erase(fleet.ada, [gone.id])
    fleet.node.memories.edit(fleet.ada, kept.id, {"content": "the sparrow is silent"})
    report = restore(fleet, source)
    assert report.notes == ("What was taken back since the backup stays so: memories erased 1.",)
    assert {"the sparrow chirps"} <= texts(fleet)
    for path in (fleet.path, fleet.path + "-wal", report.kept):
        assert b"warble" not in bytes_of(path)
    assert b"warble" in bytes_of(source)
    with pytest.raises(Forgotten):
        fleet.node.memories.add(fleet.ada, NewMemory("the canary warbles", key="k"))
    assert is_well(fleet)


def test_what_came_later_and_was_erased_is_known_to_be(fleet: Fleet) -> None:
    """A tombstone is kept of what the backup never held, also of an agent that it never knew."""
    source = backup(fleet)
    fred = Principal.of_agent(fleet.node.organisation.add_agent("fred").id)
    for principal in (fleet.ada, fred):
        new = NewMemory("the canary warbles", key="k")
        gone = fleet.node.memories.add(principal, new).memory
        fleet.node.memories.erase(principal, [gone.id])
    assert restore(fleet, source).notes == ()
    assert {agent.agent.name for agent in fleet.node.organisation.agents()} == {"ada", "bob", "eve"}
    assert fleet.node.organisation.add_agent("fred").id == fred.agent
    for principal in (fleet.ada, fred):
        with pytest.raises(Forgotten):
            fleet.node.memories.add(principal, NewMemory("the canary warbles", key="k"))
    assert is_well(fleet)


def test_what_was_forgotten_stays_so_and_can_come_back(fleet: Fleet) -> None:
    """It is forgotten as the backup held it, and for as long as it may be it comes back."""
    gone = fleet.remember("the canary warbles", "team:apollo")
    source = backup(fleet)
    fleet.node.memories.edit(fleet.ada, gone.id, {"content": "the canary sings"})
    fleet.node.memories.forget(fleet.ada, gone.id)
    report = restore(fleet, source)
    assert "memories forgotten 1" in report.notes[0]
    assert "the canary warbles" not in texts(fleet)
    fleet.node.memories.bring_back(fleet.ada, gone.id)
    assert "the canary warbles" in texts(fleet, fleet.bob)
    assert is_well(fleet)


def test_what_was_revoked_stays_so(fleet: Fleet) -> None:
    """Who lost a memory does not get it back, who did not keeps it, and nobody is new to it."""
    shared = fleet.remember("the canary warbles", "team:apollo, agent:eve")
    source = backup(fleet)
    fleet.node.memories.revoke(fleet.ada, shared.id, "agent:eve")
    fleet.node.memories.share(fleet.ada, shared.id, "global")
    report = restore(fleet, source)
    assert "shares revoked 1" in report.notes[0]
    assert fleet.node.memories.get(fleet.ada, shared.id).audience == ("team:apollo",)
    assert "the canary warbles" not in texts(fleet, fleet.eve)
    assert "the canary warbles" in texts(fleet, fleet.bob)


def test_who_left_does_not_come_back(fleet: Fleet) -> None:
    """Who was taken out of a team or of the fleet stays out, and what was ended stays ended."""
    organisation = fleet.node.organisation
    organisation.add_team("artemis")
    organisation.join("eve", "team:artemis")
    fleet.remember("the canary warbles", "team:apollo")
    source = backup(fleet)
    organisation.leave("bob", "team:apollo")
    organisation.remove_team("artemis")
    organisation.remove_project("apollo/site")
    organisation.remove_agent("eve")
    report = restore(fleet, source)
    assert "members and groups removed" in report.notes[0]
    assert members(fleet) == ("ada",)
    assert [view.team.name for view in organisation.teams()] == ["apollo"]
    assert organisation.teams()[0].projects == ()
    assert [view.agent.name for view in organisation.agents()] == ["ada", "bob"]
    assert "the canary warbles" not in texts(fleet, fleet.bob)
    assert is_well(fleet)


def test_who_left_and_joined_again_is_a_member_and_no_more(fleet: Fleet) -> None:
    """A member by a new add stays one, and what stood on the old add is over, as it was."""
    source = backup(fleet)
    fleet.node.organisation.leave("bob", "team:apollo")
    fleet.node.organisation.join("bob", "team:apollo")
    assert restore(fleet, source).notes == ()
    assert members(fleet) == ("ada", "bob")
    assert fleet.node.organisation.teams()[0].projects[0][1] == ("ada",)


def shared_again(fleet: Fleet) -> None:
    """Take a share back, and share again."""
    fleet.node.memories.revoke(fleet.ada, found(fleet).id)
    fleet.node.memories.share(fleet.ada, found(fleet).id, "global")


def found(fleet: Fleet) -> Any:  # noqa: ANN401 - a memory
    """Return the memory that has its fate."""
    listed = fleet.node.memories.list(OPERATOR, Filter(state="all"), 1000).memories
    forgotten = fleet.node.memories.list(OPERATOR, Filter(state="forgotten"), 1000).memories
    return next(one for one in (*listed, *forgotten) if "canary" in one.text)


def undone(fleet: Fleet) -> None:
    """Forget, and bring back."""
    fleet.node.memories.forget(fleet.ada, found(fleet).id)
    fleet.node.memories.bring_back(fleet.ada, found(fleet).id)


def test_who_left_the_team_after_coming_back_to_its_project_left_both(fleet: Fleet) -> None:
    """An add to a project that stands on nothing any more makes nobody a member."""
    source = backup(fleet)
    fleet.node.organisation.leave("bob", "project:apollo/site")
    fleet.node.organisation.join("bob", "project:apollo/site")
    fleet.node.organisation.leave("bob", "team:apollo")
    restore(fleet, source)
    assert members(fleet) == ("ada",)
    assert fleet.node.organisation.teams()[0].projects[0][1] == ("ada",)


OVER: dict[str, tuple[Callable[[Fleet], object], Callable[[Fleet], object]]] = {
    "a share": (lambda f: f.node.memories.revoke(f.ada, found(f).id), shared_again),
    "a life": (lambda f: f.node.memories.forget(f.ada, found(f).id), undone),
    "a member": (
        lambda f: f.node.organisation.leave("bob", "team:apollo"),
        lambda f: f.node.organisation.join("bob", "team:apollo"),
    ),
    "an agent": (
        lambda f: f.node.organisation.remove_agent("eve"),
        lambda f: f.node.organisation.add_agent("eve"),
    ),
}
"""What ends something, and what begins it again."""


def state(fleet: Fleet) -> tuple[object, ...]:
    """Return what ends and begins again."""
    memory = found(fleet)
    agents = tuple(view.agent.name for view in fleet.node.organisation.agents())
    return (memory.state, memory.audience, members(fleet), agents)


@pytest.mark.parametrize("what", OVER)
def test_a_newer_backup_knows_better(fleet: Fleet, what: str) -> None:
    """What had ended in an older state, and held again in a newer backup, holds after it."""
    end, begin = OVER[what]
    fleet.remember("the canary warbles", "global")
    begun = state(fleet)
    end(fleet)
    older = backup(fleet, "older.db")
    ended = state(fleet)
    if what == "a share":
        fleet.node.memories.share(fleet.ada, found(fleet).id, "global")
    elif what == "a life":
        fleet.node.memories.bring_back(fleet.ada, found(fleet).id)
    else:
        begin(fleet)
    newer = backup(fleet, "newer.db")
    restore(fleet, older)
    assert state(fleet) == ended != begun
    assert restore(fleet, newer).notes == ()
    assert state(fleet) == begun


@pytest.mark.parametrize("what", ["a share", "a life"])
def test_what_was_taken_back_last_counts(fleet: Fleet, what: str) -> None:
    """What was ended in an older state after a newer backup was made is over, at any length."""
    end, begin_again = OVER[what]
    fleet.remember("the canary warbles", "global")
    older = backup(fleet, "older.db")
    begin_again(fleet)
    newer = backup(fleet, "newer.db")
    restore(fleet, older)
    end(fleet)
    ended = state(fleet)
    restore(fleet, newer)
    assert state(fleet) == ended
    assert is_well(fleet)


def during(monkeypatch: pytest.MonkeyPatch, act: Callable[[int], object]) -> None:
    """Have something be done after what was taken back has been read, each time."""
    carry, times = restoring._carry, 0  # noqa: SLF001 - the moment in between

    def carried(*words: object) -> object:
        nonlocal times
        times += 1
        done = carry(*words)
        act(times)
        return done

    monkeypatch.setattr(restoring, "_carry", carried)


def test_what_is_taken_back_meanwhile_stays_so(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure, a revocation or a removal at the last moment is taken up before the end."""
    memories = [fleet.remember(f"the canary {number} warbles", "global") for number in range(3)]
    source = backup(fleet)
    acts: list[Callable[[], object]] = [
        lambda: fleet.node.memories.erase(fleet.ada, [memories[0].id]),
        lambda: fleet.node.memories.revoke(fleet.ada, memories[1].id),
        lambda: fleet.node.organisation.leave("bob", "team:apollo"),
        lambda: fleet.node.memories.forget(fleet.ada, memories[2].id),
    ]
    during(monkeypatch, lambda times: acts[times - 1]() if times <= len(acts) else None)
    report = restore(fleet, source)
    assert report.notes[0].endswith(
        "memories erased 1, memories forgotten 1, shares revoked 1, members and groups removed 1."
    )
    assert not any("canary" in text for text in texts(fleet, fleet.eve))
    assert members(fleet) == ("ada",)
    assert is_well(fleet)


def test_what_is_added_meanwhile_is_in_the_copy(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who only adds keeps nobody from restoring; the copy of what was there holds it."""
    source = backup(fleet)
    during(monkeypatch, lambda times: fleet.remember(f"the canary {times} warbles"))
    report = restore(fleet, source)
    assert b"canary 1 warbles" in bytes_of(report.kept)
    assert "the canary 1 warbles" not in texts(fleet)


def test_who_takes_back_without_end_is_told_of(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where others take back again and again, nothing is restored, and that is said."""
    memories = fleet.fill(400)
    source = backup(fleet)
    before = len(texts(fleet))
    context = fleet.node.context
    context.database.patience = 0.2
    during(
        monkeypatch,
        lambda times: fleet.node.memories.forget(fleet.ada, memories[times].id),
    )
    with pytest.raises(Busy, match="keep writing"):
        restore_in(context, source, force=True)
    assert len(texts(fleet)) < before
    assert is_well(fleet)


def test_what_cannot_be_read_is_told_of(fleet: Fleet) -> None:
    """Where a part of what was there is damaged the rest counts, and the report says so."""
    forgotten, erased = (fleet.remember(f"the canary {number} warbles") for number in range(2))
    source = backup(fleet)
    fleet.node.memories.forget(fleet.ada, forgotten.id)
    fleet.node.memories.erase(fleet.ada, [erased.id])
    roots = fleet.ask("SELECT rootpage FROM sqlite_schema WHERE name = 'tombstones'")
    fleet.database.empty_log()
    fleet.node.close()
    with open(fleet.path, "r+b") as file:
        file.seek((int(str(roots[0][0])) - 1) * 4096)
        file.write(b"\\xa5" * 4096)
    report = restore(fleet, source)
    # Of what was erased only its ended life could be read.
    assert "memories forgotten 2" in report.notes[0]
    assert "could not be read whole" in report.notes[1]
    assert not any("canary" in text for text in texts(fleet))


def test_a_damaged_node_says_nothing_of_what_was_taken_back(fleet: Fleet) -> None:
    """Where nothing can be read of what was there, the report says what may be back."""
    source = backup(fleet)
    fleet.node.close()
    Path(fleet.path).write_bytes(b"\\0" * 9000)
    report = restore(fleet, source)
    assert any("something may be back" in note for note in report.notes)


def test_what_was_not_swept_is_swept_later(fleet: Fleet) -> None:
    """What was erased and not swept is not in the copy, and the restored file still counts it."""
    gone = fleet.remember("the canary warbles")
    source = backup(fleet)
    with writing(fleet.database) as writer:
        writer.erase(gone.id)
    report = restore(fleet, source)
    assert b"warbl" not in bytes_of(report.kept)
    with fleet.database.read() as snapshot:
        assert sweep.pending(snapshot) == 1
    assert fleet.node.upkeep.mend() == ("Nothing is left in the file of what was erased.",)
    assert b"warbl" not in bytes_of(fleet.path) + bytes_of(fleet.path + "-wal")


def test_what_was_taken_back_is_told(fleet: Fleet) -> None:
    """A file tells all that was taken back in it, and of one change on what came after that."""
    before = retraction.read(fleet.database)
    assert before.is_whole
    gone = fleet.remember("the canary warbles", "global")
    fleet.node.memories.revoke(fleet.ada, gone.id)
    after = retraction.read(fleet.database, before.last_change)
    assert [*after.grants] == [(gone.id, "memory.grant:global")]
    assert after.lives == {}
    assert after.adds_to(before)
    again = retraction.read(fleet.database, after.last_change)
    assert not again.adds_to(after)
    with closing(fleet.node):
        fleet.node.memories.forget(fleet.ada, gone.id)
    assert retraction.read(fleet.database, after.last_change).adds_to(after)


def test_the_audit_goes_on(fleet: Fleet) -> None:
    """What was done since the backup is in the audit afterwards, once, and so is the restore."""
    gone = fleet.remember("the canary warbles")
    fleet.node.memories.list(OPERATOR, Filter())
    source = backup(fleet)
    fleet.node.memories.erase(fleet.ada, [gone.id])
    fleet.node.memories.list(OPERATOR, Filter())
    for _ in range(2):
        restore(fleet, source)
    acts = [str(row[0]) for row in fleet.ask("SELECT action FROM audit ORDER BY at, seq")]
    assert acts == ["list", "erase", "list", "restore", "restore"]
    page = fleet.node.upkeep.audit(fleet.ada)
    assert [entry.action for entry in page.entries] == ["erase"]
