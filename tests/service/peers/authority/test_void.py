"""Tests of coming back into a team: frozen stays frozen, void stays void, and one is told so."""

from __future__ import annotations

from agent_memory_os.model.principal import Principal
from tests.service.peers.authority.stage import TEAM, Stage

SCOPE = f"team:{TEAM}"


def test_who_comes_back_is_told_what_does_not_count(stage: Stage) -> None:
    """What its remover had seen stays, the rest is void until it is shared once more."""
    frozen = stage.add(stage.mira, "seen by the remover")
    stage.settle()
    unseen = stage.add(stage.mira, "not seen by the remover")
    stage.edit(stage.mira, frozen, "changed, and not seen by the remover")
    stage.desk.organisation.leave("mira@mira", SCOPE)
    assert stage.seen(stage.desk) == {"seen by the remover"}
    stage.settle()
    assert stage.seen(stage.desk) == {"seen by the remover"}
    (told,) = stage.mira.sync.status().void
    assert (told.scope, told.agent, told.is_out) == (SCOPE, "mira", True)
    assert {*told.memories} >= {unseen}
    stage.desk.organisation.join("mira@mira", SCOPE)
    stage.settle()
    seen = stage.seen(stage.desk)
    assert "not seen by the remover" not in seen
    (told,) = stage.mira.sync.status().void
    assert (told.memories, told.is_out) == ((unseen,), False)
    assert stage.desk.sync.status().void == ()
    stage.clock.now += 1000
    stage.mira.memories.share(stage.agent(stage.mira), unseen, SCOPE)
    stage.settle()
    assert stage.mira.sync.status().void == ()
    assert "not seen by the remover" in stage.seen(stage.desk)
    for node in stage.nodes:
        assert not [one for one in node.upkeep.doctor(Principal.operator()) if one.state == "fault"]
