"""The fleet file: what it lists is so, what it does not list stays, and a fault changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_memory_os.errors import BadFleetFile
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.fleet import parse
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.node import LocalNode
from tests.store.sample import OPERATOR, ROOT, open_home

GOOD = """
[agents.claude]
kind = "claude-code"
teams = ["apollo"]
projects = ["apollo/site"]

[agents.iris]
kind = "hermes"
display_name = "Iris"
notes = "assists"
teams = ["apollo", "household"]

[teams.apollo]
notes = "those who build"

[projects."apollo/site"]
notes = "the page"
"""


def write(home: Path, text: str) -> LocalNode:
    """Write the fleet file of a home and open its node."""
    home.mkdir(exist_ok=True)
    path = home / "agents.toml"
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))
    return open_home(home)


def teams_of(node: LocalNode) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the teams and projects of each agent of a node."""
    return {view.agent.name: (view.teams, view.projects) for view in node.organisation.agents()}


def test_a_file_makes_the_fleet(tmp_path: Path) -> None:
    """Agents, teams, projects, memberships and notes are as the file says."""
    node = write(tmp_path / "home", GOOD)
    assert node.warnings == ()
    assert teams_of(node) == {
        "claude": (("apollo",), ("apollo/site",)),
        "iris": (("apollo", "household"), ()),
    }
    iris = node.organisation.agent("iris")
    assert (iris.kind, iris.display_name, iris.notes) == ("hermes", "Iris", "assists")
    apollo, household = node.organisation.teams()
    assert (apollo.team.notes, household.team.notes) == ("those who build", "")
    assert [project.notes for project, _ in apollo.projects] == ["the page"]


def test_the_same_file_again_writes_nothing(tmp_path: Path) -> None:
    """A file that was only touched is read once more, and makes no register."""
    node = write(tmp_path / "home", GOOD)
    with node.context.database.read() as snapshot:
        before = snapshot.value("SELECT count(*) FROM registers")
    again = write(tmp_path / "home", GOOD)
    with again.context.database.read() as snapshot:
        assert snapshot.value("SELECT count(*) FROM registers") == before


def test_what_is_taken_out_of_a_line_is_left(tmp_path: Path) -> None:
    """A team that is gone from an agent's list is left, with its projects, whoever added it."""
    node = write(tmp_path / "home", GOOD)
    claude, iris = (Principal.of_agent(node.organisation.agent(n).id) for n in ("claude", "iris"))
    shared = node.memories.add(iris, NewMemory("words"), "team:apollo").memory
    node.organisation.add_team("extra")
    node.organisation.join("claude", "team:extra")
    assert node.memories.get(claude, shared.id)
    node = write(
        tmp_path / "home", GOOD.replace('teams = ["apollo"]\nprojects = ["apollo/site"]', "")
    )
    assert teams_of(node)["claude"] == ((), ())
    assert node.memories.list(claude, Filter()).memories == ()
    node = write(tmp_path / "home", GOOD)
    assert teams_of(node)["claude"] == (("apollo",), ("apollo/site",))
    assert node.memories.get(claude, shared.id)


def test_what_is_not_listed_stays(tmp_path: Path) -> None:
    """Agents and teams that the file does not name are as they were, once named or not."""
    node = write(tmp_path / "home", GOOD)
    node.organisation.add_agent("otto")
    node.organisation.join("otto", "team:household")
    node = write(tmp_path / "home", '[agents.claude]\nkind = "codex"\n')
    assert teams_of(node) == {
        "claude": ((), ()),
        "iris": (("apollo", "household"), ()),
        "otto": (("household",), ()),
    }
    assert node.organisation.agent("claude").kind == "codex"
    assert [view.team.name for view in node.organisation.teams()] == ["apollo", "household"]
    (tmp_path / "home" / "agents.toml").unlink()
    assert len(teams_of(open_home(tmp_path / "home"))) == 3


def test_a_removed_agent_that_is_listed_is_back(tmp_path: Path) -> None:
    """The file decides for whom it lists: with the next change of the file the agent acts again."""
    node = write(tmp_path / "home", GOOD)
    held = node.organisation.agent("iris")
    node.organisation.remove_agent("iris")
    assert "iris" not in teams_of(open_home(tmp_path / "home"))
    node = write(tmp_path / "home", GOOD)
    assert node.organisation.agent("iris").id == held.id
    assert teams_of(node)["iris"] == (("apollo", "household"), ())


FAULTS = {
    "no TOML": ('[agents.claude]\nkind = "codex\n', "line 2"),
    "an unknown table": ("[agents.a]\n[agent.b]\n", "line 2: there is no table 'agent'"),
    "no table": ('agents = "a"\n', "line 1: agents is a table of tables"),
    "a table of texts": ('[agents]\na = "b"\n', "line 1: agents is a table of tables"),
    "an unknown field": ('[agents.a]\n\nteam = ["x"]\n', "line 3: an agent has no 'team'"),
    "an unknown kind": ('[agents.a]\nkind = "robot"\n', "line 2: there is no kind 'robot'"),
    "a number for text": ("[agents.a]\nnotes = 5\n", "line 2: notes of agent a is text"),
    "text for a list": ('[agents.a]\nteams = "x"\n', "line 2: teams of agent a is a list"),
    "a list of numbers": ("[agents.a]\nteams = [1]\n", "line 2: teams of agent a is a list"),
    "a bad agent": ('[agents."a b"]\n', "line 1: 'a b' cannot be the name of an agent"),
    "a bad team": ('[agents.a]\nteams = ["x y"]\n', "line 2: 'x y' cannot be the name of a team"),
    "a lone project": ('[agents.a]\nprojects = ["site"]\n', "is written team/project"),
    "a project without its team": (
        '[agents.a]\nteams = ["y"]\nprojects = ["x/site"]\n',
        "line 3: agent a is in project 'x/site' but not in team 'x'",
    ),
    "a bad project table": ("[projects.site]\n", "line 1: project 'site' is written team/project"),
    "a bad field of a team": ("[teams.x]\nowner = 'a'\n", "line 2: x may have notes"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_is_told_with_its_line(what: str) -> None:
    """Each kind of fault is one sentence that names the file and the line."""
    text, words = FAULTS[what]
    with pytest.raises(BadFleetFile, match="/home/agents") as fault:
        parse(text, "/home/agents.toml")
    assert words in str(fault.value)


def test_a_comment_is_no_place_of_a_fault() -> None:
    """The line that is told is where the word stands, and not a comment about it."""
    with pytest.raises(BadFleetFile, match="line 3"):
        parse('# robot\n[agents.a] # a robot\nkind = "robot"\n', "agents.toml")


def test_with_a_fault_the_last_good_state_holds(tmp_path: Path) -> None:
    """Reads and what narrows go on with a warning, what widens is refused, until it is mended."""
    home = tmp_path / "home"
    node = write(home, GOOD)
    iris = Principal.of_agent(node.organisation.agent("iris").id)
    memory = node.memories.add(iris, NewMemory("words"), "team:apollo").memory
    for text in (GOOD + "[agents", GOOD.replace("hermes", "robot")):
        node = write(home, text)
        memories = node.memories
        assert "agents.toml" in node.warnings[0]
        assert node.memories.get(iris, memory.id).text == "words"
        assert teams_of(node)["iris"] == (("apollo", "household"), ())
        with pytest.raises(BadFleetFile):
            memories.add(iris, NewMemory("more"))
        with pytest.raises(BadFleetFile):
            memories.share(iris, memory.id, "global")
        with pytest.raises(BadFleetFile):
            memories.bring_back(iris, memory.id)
        memories.revoke(iris, memory.id)
        assert open_home(home).warnings == node.warnings
    node = write(home, GOOD)
    assert node.warnings == ()
    node.memories.share(iris, memory.id, "global")


def test_a_file_that_is_no_text_is_a_fault_too(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, and a folder in the file's place, stop no read."""
    home = tmp_path / "home"
    write(home, GOOD)
    (home / "agents.toml").write_bytes(b"\xff\xfe[agents]")
    node = open_home(home)
    assert "cannot be read" in node.warnings[0]
    assert node.memories.list(OPERATOR, Filter()).memories == ()
    (home / "agents.toml").unlink()
    (home / "agents.toml").mkdir()
    assert "cannot be read" in open_home(home).warnings[0]
    assert "iris" in teams_of(open_home(home))


def test_the_example_is_a_fleet() -> None:
    """The example beside the source is a file that is taken."""
    parsed = parse((ROOT / "agents.toml.example").read_text(encoding="utf-8"), "agents.toml")
    assert parsed.agents
