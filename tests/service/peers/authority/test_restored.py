"""Tests of acts of authority in a restored node, and of acts that end half way."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.errors import NotAllowed
from agent_memory_os.federation import identity, recovery
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.peers import Address, PeerChange
from agent_memory_os.service.peers.authority import handover, revocation
from agent_memory_os.service.upkeep import restore
from agent_memory_os.store.peer import peers, receipts
from tests.service.peers.authority.stage import TEAM, Stage

OPERATOR = Principal.operator()
LISTS = "SELECT count(*) FROM lists"


def lists(stage: Stage) -> int:
    """Return how many lists the desk holds."""
    with stage.desk.context.database.read() as snapshot:
        return int(snapshot.value(LISTS))


def test_an_act_is_done_whole_or_not_at_all(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it ends between its lists and its register, neither is there."""

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    before = lists(stage)
    with monkeypatch.context() as patch:
        patch.setattr(handover, "put_signed", dies)
        patch.setattr(revocation, "put_signed", dies)
        with pytest.raises(KeyboardInterrupt):
            stage.desk.organisation.hand_over(TEAM, "mira")
        with pytest.raises(KeyboardInterrupt):
            stage.desk.peers.revoke_device("lap")
    assert lists(stage) == before
    assert stage.admin(stage.desk) == stage.account(stage.desk)
    assert [one.state for one in stage.desk.peers.devices()] == ["certified", "certified"]


def test_what_was_handed_over_and_revoked_stays_so_in_a_restored_node(
    stage: Stage, tmp_path: Path
) -> None:
    """A backup from before brings back neither the admin nor the device, nor the recovery key."""
    recovery.take_off(stage.desk.context.home)
    copy = stage.desk.upkeep.backup(str(tmp_path / "copy.db"), with_keys=True)
    assert "recovery.pub" in Path(copy.path + ".keys").read_text()
    stage.desk.organisation.hand_over(TEAM, "mira")
    stage.desk.peers.revoke_device("lap")
    restore(stage.desk.context, copy.path, force=True)
    assert stage.admin(stage.desk) == stage.account(stage.mira)
    with pytest.raises(NotAllowed):
        stage.desk.organisation.add_project(TEAM, "site")
    assert {one.state for one in stage.desk.peers.devices()} == {"certified", "revoked"}
    stage.settle(stage.desk, stage.mira)
    assert stage.admin(stage.mira) == stage.account(stage.mira)


def test_who_was_removed_is_no_peer_of_a_restored_node(stage: Stage, tmp_path: Path) -> None:
    """A peer that was removed or limited since the backup stays so, and may hold copies."""
    stage.mira.peers.change("desk", PeerChange(ceiling="shared"))
    copy = stage.mira.upkeep.backup(str(tmp_path / "copy.db"))
    memory = stage.add(stage.mira, "for the team")
    stage.settle()
    stage.mira.peers.change("desk", PeerChange(ceiling=f"team:{TEAM}"))
    stage.mira.peers.remove("lap")
    done = restore(stage.mira.context, copy.path, force=True)
    assert (
        "What was taken back since the backup stays so: peers removed or limited 2." in done.notes
    )
    assert [(one.name, one.ceiling) for one in stage.mira.peers.list()] == [
        ("desk", f"team:{TEAM}")
    ]
    lap = stage.device(stage.lap)
    with stage.mira.context.database.read() as snapshot:
        assert peers.unwanted(snapshot) == {lap}
    stage.settle(stage.mira, stage.desk)
    stage.mira.memories.revoke(stage.agent(stage.mira), memory)
    found = {one.device: one for one in stage.mira.receipts.get(OPERATOR, memory)}
    assert (found[lap].state, found[lap].copies) == ("unreachable", 1)
    again = stage.mira.upkeep.backup(str(tmp_path / "again.db"))
    assert restore(stage.mira.context, again.path, force=True).notes == ()


def test_who_was_added_since_a_backup_may_hold_copies(stage: Stage, tmp_path: Path) -> None:
    """It is no peer of the restored node, which does not know what it was given."""
    card, lap = stage.lap.peers.card().card, stage.device(stage.lap)
    stage.mira.peers.remove("lap")
    copy = stage.mira.upkeep.backup(str(tmp_path / "copy.db"))
    stage.mira.peers.add(card, "attic", Address())
    restore(stage.mira.context, copy.path, force=True)
    assert [one.name for one in stage.mira.peers.list()] == ["desk"]
    with stage.mira.context.database.read() as snapshot:
        assert [(one.device, one.is_whole) for one in receipts.former(snapshot)] == [(lap, 0)]
    stage.mira.peers.add(card, "attic", Address())
    with stage.mira.context.database.read() as snapshot:
        known = {one.device: one.under for one in peers.every(snapshot)}
    assert known[lap] == "", "how far it was given anything is not known"


def test_keys_without_the_recovery_key_are_put_back(stage: Stage, tmp_path: Path) -> None:
    """A home that is made of such a backup is the same account, and has no recovery key."""
    from agent_memory_os import settings, wiring

    recovery.take_off(stage.desk.context.home)
    copy = stage.desk.upkeep.backup(str(tmp_path / "copy.db"), with_keys=True)
    home = tmp_path / "again"
    wiring.restore(settings.read(str(home), None, {}), copy.path)
    assert identity.account_of(str(home)) == stage.account(stage.desk)
    assert not recovery.lies_in(str(home))
    assert identity.root_key(str(home)) is not None
