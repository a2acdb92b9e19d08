"""Tests of handing a team over, and of taking it back."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import InvalidInput, NotAllowed, Refused, UnknownName
from agent_memory_os.federation import recovery
from agent_memory_os.model.principal import Principal
from tests.service.peers.authority.stage import TEAM, Stage


def test_a_team_is_handed_over_and_taken_back(stage: Stage) -> None:
    """The member's account is in charge then, on every node, and the founder takes it back."""
    kept = stage.add(stage.desk, "kept by both")
    stage.settle()
    done = stage.desk.organisation.hand_over(TEAM, "mira@mira")
    assert done.admin == stage.account(stage.mira)
    with pytest.raises(NotAllowed, match="Another account is in charge"):
        stage.desk.organisation.add_project(TEAM, "site")
    stage.settle()
    assert {stage.admin(node) for node in stage.nodes} == {stage.account(stage.mira)}
    with pytest.raises(NotAllowed, match="Another account is in charge"):
        stage.lap.organisation.leave("mira@mira", f"team:{TEAM}")
    stage.mira.organisation.add_project(TEAM, "site")
    stage.mira.organisation.join("mira", f"project:{TEAM}/site")
    stage.mira.organisation.rename_team(TEAM, "apollo")
    stage.add(stage.mira, "of the new admin", f"project:{TEAM}/site")
    stage.settle()
    assert len(stage.desk.organisation.teams()[0].projects) == 1
    stage.mira.organisation.leave("scout@desk", f"team:{TEAM}")
    stage.settle()
    assert stage.members(stage.desk) == ("mira@mira",)
    taken = stage.desk.organisation.take_back(TEAM)
    assert taken.admin == stage.account(stage.desk)
    stage.desk.organisation.join("scout", f"team:{TEAM}")
    stage.settle()
    assert {stage.admin(node) for node in stage.nodes} == {stage.account(stage.desk)}
    assert {*stage.members(stage.mira)} == {"mira", "scout@desk"}
    with pytest.raises(NotAllowed):
        stage.mira.organisation.remove_team(TEAM)
    assert stage.desk.memories.get(stage.agent(stage.desk), kept).id == kept
    for node in stage.nodes:
        assert not [one for one in node.upkeep.doctor(Principal.operator()) if one.state == "fault"]


def test_whom_a_team_is_handed_over_to_and_by_whom(stage: Stage) -> None:
    """It goes to a member, however that is named, once, and from nobody but who is in charge."""
    hand_over, account = stage.desk.organisation.hand_over, stage.account(stage.mira)
    for unknown in ("nobody", "acc_" + "a" * 32):
        with pytest.raises(UnknownName):
            hand_over(TEAM, unknown)
    with pytest.raises(UnknownName):
        hand_over("artemis", "mira")
    with pytest.raises(Refused, match="already"):
        hand_over(TEAM, "scout")
    with pytest.raises(NotAllowed):
        stage.mira.organisation.hand_over(TEAM, "mira")
    for name in ("mira", stage.device(stage.mira), account):
        number = stage.desk.invitations.team(TEAM).number
        assert hand_over(TEAM, name).admin == account
        assert stage.desk.invitations.get(number).state == "ended"
        with pytest.raises(NotAllowed):
            hand_over(TEAM, name)
        stage.desk.organisation.take_back(TEAM)
    stage.desk.organisation.leave("mira@mira", f"team:{TEAM}")
    with pytest.raises(Refused, match="is not in team apollo"):
        hand_over(TEAM, "mira@mira")


def test_a_team_is_taken_back_by_its_founder_with_the_right_key_alone(stage: Stage) -> None:
    """Others, a wrong key, a mistyped key and no need of it are each told, and nothing is done."""
    take_back = stage.desk.organisation.take_back
    with pytest.raises(Refused, match="nobody took it"):
        take_back(TEAM)
    stage.desk.organisation.hand_over(TEAM, "mira")
    stage.settle()
    with pytest.raises(NotAllowed, match="Another account founded"):
        stage.mira.organisation.take_back(TEAM)
    with pytest.raises(NotAllowed, match="of another account"):
        take_back(TEAM, stage.recovery_key(stage.mira))
    typed = stage.recovery_key(stage.desk)
    wrong = ("b" if typed[0] != "b" else "c") + typed[1:]
    with pytest.raises(InvalidInput, match="mistyped"):
        take_back(TEAM, wrong)
    recovery.take_off(stage.desk.context.home)
    with pytest.raises(Refused, match="has to be typed"):
        take_back(TEAM)
    assert stage.admin(stage.desk) == stage.account(stage.mira)
    assert take_back(TEAM, typed).admin == stage.account(stage.desk)
