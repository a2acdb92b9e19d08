"""Tests of revoking a device: what stays, what does not, and what it is told."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import (
    AlreadyExists,
    InvalidTime,
    NotAllowed,
    NotFound,
    Refused,
    Revoked,
)
from agent_memory_os.federation import recovery
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.peers import Address
from tests.service.peers.authority.stage import MINUTE_MS, Stage


def test_a_stolen_device_is_revoked_from_a_date_on(stage: Stage) -> None:
    """What came after the theft counts nowhere, what came before stays, and it gets nothing."""
    stage.add(stage.lap, "before the theft")
    changed = stage.add(stage.lap, "to be changed")
    rewritten = stage.add(stage.lap, "to be written again")
    stage.settle()
    stage.clock.now += MINUTE_MS
    stolen_at = stage.clock.now
    stage.clock.now += MINUTE_MS
    planted = stage.add(stage.lap, "by the thief")
    for memory in (changed, rewritten):
        stage.edit(stage.lap, memory, "changed by the thief")
    stage.settle()
    assert "by the thief" in stage.seen(stage.mira)
    foreseen = stage.desk.peers.revoke_device("lap", stolen_at, dry_run=True)
    assert stage.seen(stage.desk) >= {"by the thief", "changed by the thief"}
    assert {*foreseen.memories} == {planted, changed, rewritten}
    assert (foreseen.by, foreseen.peer, foreseen.is_done) == ("root", "lap", False)
    # What it said before is in its history here, and is written again by a device that stays.
    stage.edit(stage.desk, rewritten, "to be written again")
    done = stage.desk.peers.revoke_device("lap", stolen_at)
    assert done == foreseen._replace(is_done=True)
    assert done.stays > 0
    stays = {"before the theft", "to be written again"}
    assert stage.seen(stage.desk) == stays
    stage.add(stage.desk, "after the revocation")
    stage.settle(stage.desk, stage.mira)
    assert stage.seen(stage.mira) == {*stays, "after the revocation"}
    assert stage.desk.peers.get("lap").is_revoked
    assert [one.state for one in stage.desk.peers.devices()] == ["certified", "revoked"]
    assert [one.state for one in stage.desk.sync.run(["lap"])] == ["revoked"]
    stage.add(stage.lap, "a second time")
    list(stage.lap.sync.run())
    list(stage.mira.sync.run())
    list(stage.desk.sync.run())
    assert "after the revocation" not in stage.seen(stage.lap)
    assert "a second time" not in stage.seen(stage.mira) | stage.seen(stage.desk)
    for node in (stage.desk, stage.mira):
        assert node.peers.get("lap").is_revoked
        assert list(node.peers.preview("lap")) == []
        with pytest.raises(Revoked, match="was revoked by its account"):
            node.sync.export("lap", node.context.home)
        with pytest.raises(Revoked, match="was revoked by its account"):
            node.peers.add(stage.lap.peers.card().card, "again", own=node is stage.desk)
        assert not [one for one in node.upkeep.doctor(Principal.operator()) if one.state == "fault"]


def test_without_a_date_what_is_held_stays(stage: Stage) -> None:
    """All that had come stays, and what had not come is void wherever it comes from."""
    stage.add(stage.lap, "held by all")
    stage.settle()
    stage.add(stage.lap, "seen by mira alone")
    stage.settle(stage.lap, stage.mira)
    done = stage.desk.peers.revoke_device(stage.device(stage.lap)[:9])
    assert done.voided == 0
    stage.settle(stage.desk, stage.mira)
    assert stage.seen(stage.mira) == stage.seen(stage.desk) == {"held by all"}
    with pytest.raises(AlreadyExists, match="was revoked already"):
        stage.desk.peers.revoke_device("lap")
    with pytest.raises(Refused, match="only device"):
        stage.desk.peers.revoke_device(stage.device(stage.desk))


def test_what_cannot_be_revoked_is_told_in_a_sentence(stage: Stage) -> None:
    """Strangers, others' devices, dates to come and missing or wrong keys change nothing."""
    revoke, lap = stage.desk.peers.revoke_device, stage.lap.peers.revoke_device
    with pytest.raises(NotFound, match="no device 'nobody'"):
        revoke("nobody")
    with pytest.raises(NotFound, match="no device 'de'"):
        revoke("de")
    with pytest.raises(NotAllowed, match="of another account"):
        revoke("mira")
    with pytest.raises(InvalidTime, match="still to come"):
        revoke("lap", stage.clock.now + 1)
    with pytest.raises(Refused, match="you are at"):
        revoke(stage.device(stage.desk), stage.clock.now)
    with pytest.raises(Refused, match="root key of this account is not in"):
        lap("desk")
    with pytest.raises(NotAllowed, match="another account"):
        lap("desk", recovery_key=stage.recovery_key(stage.mira))
    for node in (stage.desk, stage.lap):
        assert [one.state for one in node.peers.devices()] == ["certified", "certified"]


def test_where_the_root_key_is_lost_the_recovery_key_goes_on(stage: Stage) -> None:
    """It revokes the lost machine from a further device, and certifies another one."""
    typed = stage.recovery_key(stage.desk)
    recovery.take_off(stage.desk.context.home)
    stage.add(stage.desk, "of the lost machine")
    stage.settle()
    done = stage.lap.peers.revoke_device("desk", recovery_key=typed)
    assert (done.by, done.voided) == ("recovery", 0)
    stage.settle(stage.lap, stage.mira)
    assert stage.mira.peers.get("desk").is_revoked
    assert stage.seen(stage.mira) == stage.seen(stage.lap) == {"of the lost machine"}
    with pytest.raises(Refused, match="root key of this account is not in"):
        stage.lap.invitations.device()
    assert stage.lap.invitations.device(recovery_key=typed).state == "open"


def test_a_device_is_certified_with_the_recovery_key(stage: Stage) -> None:
    """A card that was added by it is of a device of the account, everywhere."""
    from pathlib import Path

    from tests.service.peers.nodes import further

    folder = Path(stage.lap.context.home).parent
    new = further(folder / "new", stage.lap, stage.clock)
    address = Address(folder=str(folder / "between"))
    card = new.peers.card().card
    typed = stage.recovery_key(stage.desk)
    with pytest.raises(Refused):
        stage.lap.peers.add(card, "new", address, own=True)
    added = stage.lap.peers.add(card, "new", address, own=True, recovery_key=typed)
    assert added.is_certified
    assert stage.lap.peers.certify("new").is_own
    with pytest.raises(NotAllowed):
        stage.lap.peers.certify("mira", typed)
    new.peers.add(stage.lap.peers.card().card, "lap", address)
    stage.settle(stage.lap, new)
    stage.add(new, "of the new device")
    stage.settle(stage.lap, new)
    stage.settle(stage.lap, stage.mira)
    assert "of the new device" in stage.seen(stage.mira)
    assert new.peers.card().is_certified
    new.close()
