"""From what a person writes as an audience to grants: nothing misspelt is stored, nothing told."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import TooLarge, UnknownAudience
from agent_memory_os.service.audience import nearest, resolve
from tests.store.sample import Fleet


def refusal(fleet: Fleet, audience: str, owner: str = "eve") -> str:
    """Return the words with which an audience is refused to an agent."""
    principal = getattr(fleet, owner)
    with fleet.database.read() as snapshot, pytest.raises(UnknownAudience) as fault:
        resolve(snapshot, principal.agent, audience)
    return str(fault.value)


@pytest.mark.parametrize(
    ("audience", "names"),
    [
        ("private", []),
        ("global", ["global"]),
        ("agent:eve", ["agent:eve"]),
        ("team:apollo", ["team:apollo"]),
        ("project:apollo/site", ["project:apollo/site"]),
        ("project:site", ["project:apollo/site"]),
        (" team:apollo ,agent:eve, team:apollo", ["team:apollo", "agent:eve"]),
    ],
)
def test_names_become_scopes_with_ids(fleet: Fleet, audience: str, names: list[str]) -> None:
    """Each grant that an owner may give is found by its name, once, and holds an id."""
    with fleet.database.read() as snapshot:
        scopes = resolve(snapshot, str(fleet.ada.agent), audience)
        again = [resolve(snapshot, str(fleet.ada.agent), one.scope)[0] for one in scopes]
    assert [scope.name for scope in scopes] == names
    assert list(scopes) == again
    for scope in scopes:
        kind = scope.scope.partition(":")[0]
        assert (scope.add is not None) == (kind in ("team", "project"))


@pytest.mark.parametrize(
    "audience", ["globl", "Team:apollo", "team:ghost", "*", "agent:", "team:apolo", "", "agent:%"]
)
def test_a_typo_is_refused_and_never_stored(fleet: Fleet, audience: str) -> None:
    """Whatever is misspelt is refused by an add and by a share, and no grant is made."""
    memory = fleet.remember("words")
    with pytest.raises(UnknownAudience):
        fleet.remember("others", audience)
    with pytest.raises(UnknownAudience):
        fleet.node.memories.share(fleet.ada, memory.id, audience)
    assert fleet.ask("SELECT count(*) FROM grants") == [(0,)]


def test_an_audience_has_an_end(fleet: Fleet) -> None:
    """Whoever names more than anybody means is refused before a name is looked up."""
    with fleet.database.read() as snapshot:
        assert len(resolve(snapshot, str(fleet.ada.agent), "global," * 999 + "team:apollo")) == 2
        for text in ("a," * 1_000_000, "global," * 1_000, "agent:eve," * 2_000):
            with pytest.raises(TooLarge, match="at most 1,000 grants"):
                resolve(snapshot, str(fleet.ada.agent), text)


def test_near_names_are_offered(fleet: Fleet) -> None:
    """The nearest names are offered, among those that the owner may share with."""
    assert "team:apollo" in refusal(fleet, "team:apolo", "ada")
    assert "agent:bob" in refusal(fleet, "agent:bobb")
    assert "project:apollo/site" in refusal(fleet, "project:apollo/sit", "ada")


def test_a_team_that_is_not_ones_own_reads_like_none(fleet: Fleet) -> None:
    """Who is no member is told the same of a team that exists as of one that does not."""
    for known, unknown in (("team:apollo", "team:zeus"), ("project:apollo/site", "project:zeus/x")):
        told = refusal(fleet, known).replace(known.partition(":")[2], "NAME")
        assert told == refusal(fleet, unknown).replace(unknown.partition(":")[2], "NAME")
    (team,) = fleet.node.organisation.teams()
    told = refusal(fleet, f"team:{team.team.id}")
    assert "apollo" not in told


def test_a_name_that_is_two_must_be_told_apart(fleet: Fleet) -> None:
    """Two projects of one name are named by their teams, or by their ids."""
    fleet.node.organisation.add_team("soyuz")
    fleet.node.organisation.join("ada", "team:soyuz")
    fleet.node.organisation.add_project("soyuz", "site")
    fleet.node.organisation.join("ada", "project:soyuz/site")
    assert "More than one project is called 'site'" in refusal(fleet, "project:site", "ada")
    assert fleet.remember("x", "project:soyuz/site").audience == ("project:soyuz/site",)


def test_a_removed_agent_is_nobody_to_share_with(fleet: Fleet) -> None:
    """Nothing new is shared with an agent that left the fleet, nor with a team that ended."""
    fleet.node.organisation.remove_agent("eve")
    assert "no agent called 'eve'" in refusal(fleet, "agent:eve", "ada")
    fleet.node.organisation.remove_team("apollo")
    for audience in ("team:apollo", "project:apollo/site"):
        assert "no audience of yours" in refusal(fleet, audience, "ada")


def test_who_left_a_team_shares_no_more_with_it(fleet: Fleet) -> None:
    """After leaving, and after joining the team alone again, the project is not one's own."""
    fleet.node.organisation.leave("ada", "team:apollo")
    for audience in ("team:apollo", "project:apollo/site"):
        assert "no audience of yours" in refusal(fleet, audience, "ada")
    fleet.node.organisation.join("ada", "team:apollo")
    assert fleet.remember("x", "team:apollo").audience == ("team:apollo",)
    assert "no audience of yours" in refusal(fleet, "project:apollo/site", "ada")


def test_nearest_are_those_that_look_alike() -> None:
    """The most alike come first, whatever their case, at most three, and none that is not."""
    known = ["apollo", "Apollo-2", "zeus", "apolo", "polo"]
    assert nearest("APOLLO", known)[0] == "apollo"
    assert len(nearest("apollo", [*known, "apollo3", "apollo4"])) == 3
    assert nearest("xyz", known) == []


def test_a_name_without_its_kind_is_told_with_it(fleet: Fleet) -> None:
    """Whoever writes a bare name is told what may be meant, of what it may share with alone."""
    fleet.node.organisation.add_team("bob")
    fleet.node.organisation.join("ada", "team:bob")
    assert "did you mean agent:eve?" in refusal(fleet, "eve", "ada")
    assert "did you mean agent:bob or team:bob?" in refusal(fleet, "team:apollo, bob", "ada")
    assert "did you mean project:apollo/site?" in refusal(fleet, "apollo/site", "ada")
    assert "write private" in refusal(fleet, "apollo", "eve")
    assert "write private" in refusal(fleet, "apollo/site", "eve")


def test_who_is_no_member_is_told_how_to_become_one(fleet: Fleet) -> None:
    """The remedy names the owner, and is the same whether the team is there or not."""
    for team in ("apollo", "ghost"):
        with fleet.database.read() as snapshot, pytest.raises(UnknownAudience) as fault:
            resolve(snapshot, str(fleet.eve.agent), f"team:{team}")
        assert fault.value.about == {"kind": "team", "name": team, "agent": "eve"}
