"""Agents, teams and projects, and who is a member of what."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import AlreadyExists, InvalidInput, NotFound, UnknownName
from agent_memory_os.model.identifier import agent_id, kind_of
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from tests.store.sample import OPERATOR, Fleet


def test_agents_are_told_with_what_they_are_in(fleet: Fleet) -> None:
    """Agents come by name, with their teams and projects, each as it says of itself."""
    views = {view.agent.name: view for view in fleet.node.organisation.agents()}
    assert list(views) == ["ada", "bob", "eve"]
    assert (views["ada"].teams, views["ada"].projects) == (("apollo",), ("apollo/site",))
    assert (views["eve"].teams, views["eve"].projects) == ((), ())
    for view in views.values():
        assert fleet.node.organisation.whoami(Principal.of_agent(view.agent.id)) == view


def test_teams_are_told_with_members_and_projects(fleet: Fleet) -> None:
    """A team comes with the names of its members, and its projects with theirs."""
    (view,) = fleet.node.organisation.teams()
    assert (view.team.name, view.members) == ("apollo", ("ada", "bob"))
    assert [(one.name, members) for one, members in view.projects] == [("site", ("ada", "bob"))]


def test_an_agent_is_made_once(fleet: Fleet) -> None:
    """A name is one agent; its id commits to the account and the name."""
    organisation = fleet.node.organisation
    agent = organisation.add_agent("iris", "hermes", "Iris", "assists")
    assert (agent.kind, agent.display_name, agent.notes) == ("hermes", "Iris", "assists")
    assert agent.id == agent_id(agent.account, "iris")
    assert organisation.agent("iris") == organisation.agent(agent.id) == agent
    with pytest.raises(AlreadyExists):
        organisation.add_agent("iris")
    assert organisation.ensure_agent("iris") == (agent, False)
    assert organisation.ensure_agent("otto")[1]
    organisation.ensure_agent_or_id(agent.id)
    organisation.ensure_agent_or_id("otto")
    assert [view.agent.name for view in organisation.agents()] == [
        "ada",
        "bob",
        "eve",
        "iris",
        "otto",
    ]


def test_an_agent_that_was_removed_comes_back_by_name_alone(fleet: Fleet) -> None:
    """Whoever asks in its name is told that it was removed; adding it again brings it back."""
    organisation = fleet.node.organisation
    organisation.remove_agent("eve")
    for ask in (organisation.ensure_agent, organisation.ensure_agent_or_id, organisation.agent):
        with pytest.raises(UnknownName, match="was removed"):
            ask("eve")
    with pytest.raises(UnknownName, match="was removed"):
        organisation.ensure_agent_or_id(str(fleet.eve.agent))
    assert organisation.add_agent("eve").id == fleet.eve.agent
    assert organisation.ensure_agent("eve")[1] is False


@pytest.mark.parametrize("name", ["", "a b", "global", "agt_" + "a" * 32, "x" * 65])
def test_a_name_that_cannot_be_is_refused(fleet: Fleet, name: str) -> None:
    """Neither an agent nor a team or a project takes a name that could be mistaken."""
    organisation = fleet.node.organisation
    for make in (organisation.add_agent, organisation.ensure_agent, organisation.add_team):
        with pytest.raises(InvalidInput, match="cannot be the name"):
            make(name)
    with pytest.raises(InvalidInput, match="cannot be the name of a project"):
        organisation.add_project("apollo", name)
    with pytest.raises(InvalidInput, match="kinds are claude-code"):
        organisation.add_agent("x", "robot")


def test_a_removed_agent_acts_no_more_and_leaves_everything(fleet: Fleet) -> None:
    """It sees nothing and is a member of nothing; what it shared is still there for others."""
    shared = fleet.node.memories.add(fleet.bob, NewMemory("bob's"), "team:apollo").memory
    fleet.node.organisation.remove_agent("bob")
    assert fleet.node.memories.get(fleet.ada, shared.id).owner_name == "bob"
    with pytest.raises(NotFound):
        fleet.node.memories.get(fleet.bob, shared.id)
    assert fleet.node.organisation.scopes(fleet.bob) == ()
    (view,) = fleet.node.organisation.teams()
    assert view.members == ("ada",)
    gone = fleet.node.organisation.agents(removed=True)
    assert [one.agent.state for one in gone] == ["active", "removed", "active"]
    with pytest.raises(UnknownName):
        fleet.node.organisation.whoami(fleet.bob)
    with pytest.raises(UnknownName):
        fleet.node.organisation.remove_agent("bob")


def test_an_agent_that_comes_back_is_the_same_and_in_nothing(fleet: Fleet) -> None:
    """Under its name it has its id and its memories again, and no membership."""
    mine = fleet.node.memories.add(fleet.bob, NewMemory("bob's")).memory
    fleet.node.organisation.remove_agent("bob")
    agent = fleet.node.organisation.add_agent("bob", "codex")
    assert agent.id == fleet.bob.agent
    assert fleet.node.memories.get(fleet.bob, mine.id).text == "bob's"
    assert fleet.node.organisation.whoami(fleet.bob).teams == ()


def test_names_that_are_not_there_are_refused_with_near_ones(fleet: Fleet) -> None:
    """An unknown agent, team or project is named, with what looks like it or how to make it."""
    organisation = fleet.node.organisation
    with pytest.raises(UnknownName, match="did you mean ada"):
        organisation.agent("adda")
    with pytest.raises(UnknownName, match="no agent called 'zoe'"):
        organisation.agent("zoe")
    with pytest.raises(UnknownName, match="did you mean apollo"):
        organisation.join("ada", "team:apolo")
    with pytest.raises(UnknownName, match="project"):
        organisation.join("ada", "project:apollo/cellar")
    with pytest.raises(InvalidInput, match="write team:NAME or project:TEAM/NAME"):
        organisation.join("ada", "apollo")
    with pytest.raises(UnknownName):
        organisation.add_project("soyuz", "site")


def test_a_team_has_one_name_and_keeps_its_id(fleet: Fleet) -> None:
    """A rename keeps members and grants; a name that is taken is refused."""
    shared = fleet.remember("words", "team:apollo")
    organisation = fleet.node.organisation
    organisation.add_team("soyuz", "rockets")
    with pytest.raises(AlreadyExists):
        organisation.add_team("apollo")
    with pytest.raises(AlreadyExists):
        organisation.rename_team("apollo", "soyuz")
    renamed = organisation.rename_team("apollo", "artemis").thing
    assert kind_of(renamed.id) == "team"
    assert fleet.node.memories.get(fleet.bob, shared.id).audience == ("team:artemis",)
    assert [view.team.name for view in organisation.teams()] == ["artemis", "soyuz"]
    assert organisation.whoami(fleet.ada).projects == ("artemis/site",)


def test_an_ended_team_is_gone_with_its_projects(fleet: Fleet) -> None:
    """What was shared with it alone is its owner's again, and its name is free."""
    shared = [fleet.remember(scope, scope) for scope in ("team:apollo", "project:apollo/site")]
    organisation = fleet.node.organisation
    ended = organisation.remove_team("apollo")
    assert organisation.teams() == ()
    for memory in shared:
        with pytest.raises(NotFound):
            fleet.node.memories.get(fleet.bob, memory.id)
        assert fleet.node.memories.get(fleet.ada, memory.id).text == memory.text
    assert organisation.whoami(fleet.ada).projects == ()
    again = organisation.add_team("apollo")
    assert again.id != ended.id
    with pytest.raises(UnknownName):
        organisation.remove_project("apollo/site")


def test_an_ended_project_leaves_the_team(fleet: Fleet) -> None:
    """A project ends alone, and another of its name is another project."""
    shared = fleet.remember("words", "project:apollo/site")
    organisation = fleet.node.organisation
    with pytest.raises(AlreadyExists):
        organisation.add_project("apollo", "site")
    ended = organisation.remove_project("site")
    with pytest.raises(NotFound):
        fleet.node.memories.get(fleet.bob, shared.id)
    assert organisation.whoami(fleet.bob).teams == ("apollo",)
    assert organisation.add_project("apollo", "site", "anew").id != ended.id


def test_joining_and_leaving_say_whether_they_changed_anything(fleet: Fleet) -> None:
    """Joining twice and leaving twice write nothing the second time."""
    organisation = fleet.node.organisation
    assert organisation.join("eve", "team:apollo")
    assert not organisation.join("eve", "team:apollo")
    assert organisation.leave("eve", "team:apollo")
    registers = fleet.ask("SELECT count(*) FROM registers")
    assert not organisation.leave("eve", "team:apollo")
    assert fleet.ask("SELECT count(*) FROM registers") == registers


def test_a_projects_members_are_the_teams(fleet: Fleet) -> None:
    """Nobody joins a project without its team, and leaving the team leaves the project."""
    organisation = fleet.node.organisation
    with pytest.raises(InvalidInput, match="add it there first"):
        organisation.join("eve", "project:apollo/site")
    organisation.leave("bob", "team:apollo")
    assert organisation.whoami(fleet.bob).projects == ()
    organisation.join("bob", "team:apollo")
    assert organisation.whoami(fleet.bob).projects == ()
    assert organisation.join("bob", "project:apollo/site")
    assert organisation.whoami(fleet.bob).projects == ("apollo/site",)


def test_a_write_relies_on_an_add_that_stands(fleet: Fleet) -> None:
    """After leaving and coming back, a write in a project names the add that holds now."""
    organisation = fleet.node.organisation
    organisation.leave("ada", "team:apollo")
    for scope in ("team:apollo", "project:apollo/site"):
        organisation.join("ada", scope)
    fleet.remember("words", "project:apollo/site")
    standing = fleet.ask(
        """
        SELECT x.add_digest FROM memberships AS x JOIN scopes AS s ON s.id = x.scope
        JOIN memberships AS t ON t.agent = x.agent AND t.add_digest = x.under
        JOIN agents AS a ON a.id = x.agent WHERE s.kind = 'project' AND a.name = 'ada'
        """
    )
    (relied,) = fleet.ask("SELECT relies FROM reliances ORDER BY id DESC LIMIT 1")
    assert len(standing) == 1
    assert str(standing[0][0]) in str(relied[0])


def test_scopes_are_what_reaches_a_principal(fleet: Fleet) -> None:
    """An agent's scopes are its own, everybody's, and its live teams' and projects'."""
    kinds = [scope.partition(":")[0] for scope in fleet.node.organisation.scopes(fleet.ada)]
    assert kinds == ["agent", "global", "project", "team"]
    kinds = [scope.partition(":")[0] for scope in fleet.node.organisation.scopes(fleet.eve)]
    assert kinds == ["agent", "global"]
    assert fleet.node.organisation.scopes(OPERATOR) == ()
    assert fleet.node.organisation.scopes(Principal.of_agent("agt_x")) == ()
