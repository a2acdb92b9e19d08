"""What is called otherwise here or elsewhere is called so everywhere, and no two look alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os import settings, wiring
from agent_memory_os.errors import UnknownAudience, UnknownName
from agent_memory_os.model.register import TEAM_NAME
from agent_memory_os.service.peers import PeerChange
from agent_memory_os.store import organisation
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import writing
from tests.federation.exchange.party import Party, meet
from tests.service.peers.nodes import Pair


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Party, Party]]:
    """Two accounts that each made a team apollo, with Ann's scout in both."""
    ann, sam = Party(tmp_path / "ann", "ann"), Party(tmp_path / "sam", "sam")
    for party in (ann, sam):
        party.agent("scout")
        party.node.organisation.add_team("apollo")
        party.node.organisation.join("scout", "team:apollo")
    meet(ann, sam, ["scout"], ["scout"])
    sam.node.organisation.join("scout@ann", "team:apollo")
    settle(ann, sam)
    yield ann, sam
    for party in (ann, sam):
        party.node.close()


def settle(ann: Party, sam: Party) -> None:
    """Have them exchange, and find nothing wrong with either."""
    ann.sync(sam)
    assert ann.node.upkeep.check().ok


def teams(party: Party) -> dict[str, tuple[str, ...]]:
    """Return the members of each team by its name."""
    return {view.team.name: view.members for view in party.node.organisation.teams()}


def test_two_teams_of_one_name_are_told_apart(two: tuple[Party, Party]) -> None:
    """The other account's has it behind its name, wherever either is named or shown."""
    ann, sam = two
    assert teams(ann) == {"apollo": ("scout",), "apollo@sam": ("scout", "scout@sam")}
    assert teams(sam) == {"apollo": ("scout", "scout@ann")}
    for name, words in (("apollo", "ours"), ("apollo@sam", "theirs")):
        memory = ann.remember("scout", words, f"team:{name}")
        assert ann.memory("scout", memory).audience == (f"team:{name}",)
    settle(ann, sam)
    assert list(sam.read("scout").values()) == ["theirs"]
    sam.node.organisation.add_project("apollo", "site")
    sam.node.organisation.join("scout@ann", "project:apollo/site")
    settle(ann, sam)
    memory = ann.remember("scout", "the site's", "project:apollo@sam/site")
    assert ann.memory("scout", memory).audience == ("project:apollo@sam/site",)


def test_names_follow_what_is_called_otherwise(two: tuple[Party, Party]) -> None:
    """After an exchange, or at once where it was done here, each is called as it is now."""
    ann, sam = two
    sam.node.organisation.rename_team("apollo", "artemis")
    sam.node.organisation.rename_agent("scout", "rover")
    settle(ann, sam)
    assert teams(ann) == {"apollo": ("scout",), "artemis": ("rover@sam", "scout")}
    sam.node.organisation.rename_team("artemis", "apollo")
    settle(ann, sam)
    ann.node.peers.change("sam", PeerChange(name="samuel"))
    assert teams(ann) == {"apollo": ("scout",), "apollo@samuel": ("rover@samuel", "scout")}
    assert ann.node.upkeep.check().ok
    ann.node.organisation.rename_team("apollo", "zeus")
    assert teams(ann) == {"apollo": ("rover@samuel", "scout"), "zeus": ("scout",)}
    assert ann.node.upkeep.check().ok
    ann.node.peers.remove("samuel")
    label = sam.account[4:12]
    assert teams(ann)["apollo"] == (f"rover@{label}", "scout")
    ann.node.organisation.rename_team("zeus", "artemis")
    assert ann.node.upkeep.check().ok


def test_a_name_that_means_several_is_refused(two: tuple[Party, Party], tmp_path: Path) -> None:
    """It is told how each of them is written."""
    ann, _ = two
    ann.node.organisation.remove_team("apollo")
    assert set(teams(ann)) == {"apollo"}
    cleo = Party(tmp_path / "cleo", "cleo")
    cleo.agent("scout")
    cleo.node.organisation.add_team("apollo")
    meet(ann, cleo, ["scout"], ["scout"])
    cleo.node.organisation.join("scout@ann", "team:apollo")
    settle(ann, cleo)
    assert set(teams(ann)) == {"apollo@cleo", "apollo@sam"}
    both = "write team:apollo@cleo or team:apollo@sam"
    with pytest.raises(UnknownAudience, match=both):
        ann.remember("scout", "whose?", "team:apollo")
    with pytest.raises(UnknownName, match="write apollo@cleo or apollo@sam"):
        ann.node.organisation.join("scout", "team:apollo")
    cleo.node.organisation.leave("scout@ann", "team:apollo")
    settle(ann, cleo)
    with pytest.raises(UnknownAudience, match="No team alone is called 'apollo': write team:apo"):
        ann.remember("scout", "whose?", "team:apollo")
    cleo.node.close()


def test_a_name_that_can_be_none_is_not_shown(two: tuple[Party, Party]) -> None:
    """A team that somebody calls like an id, or like another's, is called by its own id here."""
    ann, sam = two
    (team,) = [view.team for view in sam.node.organisation.teams()]
    ours = next(view.team for view in ann.node.organisation.teams() if view.team.id != team.id)
    for name in (ours.id, "apollo@ann", "global", "a\nb", ""):
        with writing(sam.node.context.database) as writer:
            proof = organisation.proof_of(writer.transaction, "team", team.id)
            writer.put(Draft(team.id, TEAM_NAME, {"name": name}, proof))
        settle(ann, sam)
        assert set(teams(ann)) == {"apollo", team.id}


def test_another_device_follows(own: Pair, tmp_path: Path) -> None:
    """Who acts there by default goes on to, and of two new names one is there on both."""
    wiring.set_default_agent(own.lap, "scout")
    own.settle()
    own.desk.organisation.rename_agent("scout", "rover")
    own.settle()
    assert [view.agent.name for view in own.lap.organisation.agents()] == ["rover"]
    read = settings.read(str(tmp_path / "lap"), None, {})
    node = wiring.open_node(read)
    agent = node.organisation.agent("rover").id
    assert (wiring.acting(node, read)[0].agent, node.default_agent) == (agent, "rover")
    (tmp_path / "lap" / "node.toml").write_text('# read again\ndefault_agent = "scout"\n')
    assert wiring.refresh(node) == ()
    assert node.default_agent == "rover"
    node.close()
    for device, name in ((own.lap, "ranger"), (own.desk, "racer")):
        own.clock.now += 1000
        device.organisation.rename_agent("rover", name)
    own.settle()
    for device in (own.desk, own.lap):
        assert [view.agent.name for view in device.organisation.agents()] == ["racer"]


def test_two_that_came_to_one_name_are_named_by_their_ids(own: Pair) -> None:
    """Two devices that gave one name to two agents, and one to two teams, are both told so."""
    desk, lap = own.desk.organisation, own.lap.organisation
    for device, name in ((desk, "x"), (lap, "y")):
        device.add_agent(name)
        device.rename_agent(name, "z")
        device.add_team("apollo")
    own.settle()
    for device in (desk, lap):
        ids = [view.agent.id for view in device.agents() if view.agent.name == "z"]
        with pytest.raises(UnknownName, match="More than one agent") as refused:
            device.agent("z")
        assert all(name in str(refused.value) for name in ids)
        ids = [view.team.id for view in device.teams()]
        with pytest.raises(UnknownName, match="More than one team") as refused:
            device.join("scout", "team:apollo")
        assert all(name in str(refused.value) for name in ids)
