"""Another name: ids, memories and memberships stay, and the fleet file says the same."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import (
    AlreadyExists,
    BadFleetFile,
    InvalidInput,
    Refused,
    UnknownAudience,
    UnknownName,
)
from agent_memory_os.service.fleet_file import Change, FleetFile, rewritten
from agent_memory_os.service.memory.add import NewMemory
from tests.store.sample import Fleet, open_home

FILE = """\
# Who is here. claude is the first.
[agents.claude]   # claude's own lines
kind = "claude-code"
notes = "claude builds apollo/site for apollo"
teams = ["apollo", 'house.hold', "apollo2"]
projects = ["apollo/site"]

[agents."iris.home"]
kind = "hermes"
teams = [
  "apollo",  # apollo, too
]
projects = ["apollo/site", "apollo/site2"]

[teams.apollo]
notes = "apollo"

[projects."apollo/site"]
notes = "site of apollo"
"""


def said(text: str, old: str, new: str, kind: str) -> str:
    """Return the file's text under another name, which must be in it."""
    done = rewritten(text, Change(kind, old, new), "agents.toml")
    assert done is not None
    return done


def test_an_agent_keeps_all_but_its_name(fleet: Fleet) -> None:
    """Its id, memories, memberships and grants stay; the old name is nobody's."""
    private, shared = fleet.remember("mine"), fleet.remember("ours", "team:apollo")
    theirs = fleet.node.memories.add(fleet.bob, NewMemory("for ada"), "agent:ada").memory
    done = fleet.node.organisation.rename_agent("ada", "lovelace")
    assert (done.thing.id, done.old_name, done.in_file) == (fleet.ada.agent, "ada", False)
    view = fleet.node.organisation.whoami(fleet.ada)
    assert (view.agent.name, view.teams) == ("lovelace", ("apollo",))
    for memory in (private, shared):
        assert fleet.node.memories.get(fleet.ada, memory.id).owner_name == "lovelace"
    assert fleet.node.memories.get(fleet.bob, theirs.id).audience == ("agent:lovelace",)
    with pytest.raises(UnknownName):
        fleet.node.organisation.agent("ada")
    with pytest.raises(UnknownAudience):
        fleet.node.memories.share(fleet.bob, theirs.id, "agent:ada")
    again = fleet.node.organisation.rename_agent("lovelace", "ada")
    assert (again.thing.name, again.thing.id) == ("ada", fleet.ada.agent)


def test_an_agents_name_is_free_where_nobody_has_or_had_it(fleet: Fleet) -> None:
    """Neither a name in use, nor a removed agent's, nor a first name can be taken."""
    organisation = fleet.node.organisation
    for name in ("bob", "global", "a b"):
        with pytest.raises((AlreadyExists, InvalidInput)):
            organisation.rename_agent("ada", name)
    organisation.remove_agent("eve")
    with pytest.raises(AlreadyExists, match="was removed"):
        organisation.rename_agent("ada", "eve")
    organisation.rename_agent("ada", "lovelace")
    for act in (
        lambda: organisation.rename_agent("bob", "ada"),
        lambda: organisation.add_agent("ada"),
        lambda: organisation.ensure_agent("ada"),
    ):
        with pytest.raises(AlreadyExists, match="first name of agent lovelace"):
            act()
    assert organisation.rename_agent("lovelace", "lovelace").thing.name == "lovelace"


def test_the_default_agent_goes_on_under_its_new_name(fleet: Fleet) -> None:
    """Who acts where none is named is the same agent as before."""
    fleet.say("UPDATE node SET default_agent = 'ada'")
    fleet.node.organisation.rename_agent("bob", "builder")
    fleet.node.organisation.rename_agent("ada", "lovelace")
    assert fleet.ask("SELECT default_agent FROM node") == [("lovelace",)]


def test_a_project_keeps_its_team(fleet: Fleet) -> None:
    """It is renamed within its team, where the name is free; what is shared with it stays."""
    shared = fleet.remember("plan", "project:apollo/site")
    organisation = fleet.node.organisation
    organisation.add_project("apollo", "shop")
    organisation.add_team("zeus")
    organisation.add_project("zeus", "web")
    with pytest.raises(AlreadyExists):
        organisation.rename_project("apollo/site", "shop")
    with pytest.raises(InvalidInput, match="stays so"):
        organisation.rename_project("apollo/site", "zeus/site")
    with pytest.raises(UnknownName):
        organisation.rename_project("apollo/cellar", "web")
    assert organisation.rename_project("site", "apollo/web").old_name == "site"
    assert fleet.node.memories.get(fleet.bob, shared.id).audience == ("project:apollo/web",)
    with pytest.raises(UnknownAudience):
        fleet.remember("more", "project:apollo/site")


@pytest.mark.parametrize(
    ("kind", "old", "new", "lines"),
    [
        ("agents", "claude", "klaus", {1: "[agents.klaus]   # claude's own lines"}),
        ("agents", "claude", "kl.aus", {1: '[agents."kl.aus"]   # claude\'s own lines'}),
        ("agents", "iris.home", "iris", {7: '[agents."iris"]'}),
        ("teams", "house.hold", "home", {4: 'teams = ["apollo", \'home\', "apollo2"]'}),
        (
            "projects",
            "apollo/site",
            "apollo/web",
            {
                5: 'projects = ["apollo/web"]',
                12: 'projects = ["apollo/web", "apollo/site2"]',
                17: '[projects."apollo/web"]',
            },
        ),
        (
            "teams",
            "apollo",
            "art.emis",
            {
                4: 'teams = ["art.emis", \'house.hold\', "apollo2"]',
                5: 'projects = ["art.emis/site"]',
                10: '  "art.emis",  # apollo, too',
                12: 'projects = ["art.emis/site", "art.emis/site2"]',
                14: '[teams."art.emis"]',
                17: '[projects."art.emis/site"]',
            },
        ),
    ],
)
def test_only_the_name_is_changed(kind: str, old: str, new: str, lines: dict[int, str]) -> None:
    """Comments, notes, order, and names that only look alike stay to the letter."""
    expected = FILE.splitlines()
    for number, line in lines.items():
        expected[number] = line
    assert said(FILE, old, new, kind).splitlines() == expected
    other = "apollo/other" if kind == "projects" else "other"
    assert said(said(FILE, old, other, kind), other, old, kind) == FILE


@pytest.mark.parametrize(
    "text",
    [
        "[agents]\nclaude.kind = 'codex'\nclaude.notes = 'claude'\n",
        "agents.claude.kind = 'codex'\n",
        "agents = {claude = {kind = 'codex'}}\n",
        "\ufeff[agents.'claude']\r\nkind = 'codex'\r\n",
    ],
)
def test_it_is_found_however_it_is_written(text: str) -> None:
    """Dotted keys, inline tables, any quotes, and files of other systems are rewritten."""
    done = said(text, "claude", "klaus", "agents")
    assert list(tomllib.loads(done.removeprefix("\ufeff"))["agents"]) == ["klaus"]
    assert done.count("\r") == text.count("\r")


def test_what_is_not_declared_is_left_alone(fleet: Fleet) -> None:
    """A file that does not name what is renamed is not touched, and may be missing."""
    assert rewritten(FILE, Change("agents", "apollo", "x"), "f") is None
    assert rewritten("", Change("agents", "ada", "x"), "f") is None
    path = fleet.home / "agents.toml"
    path.write_text("# nobody\n")
    before = path.stat().st_mtime_ns
    assert not fleet.node.organisation.rename_agent("ada", "lovelace").in_file
    assert path.stat().st_mtime_ns == before


def test_what_cannot_be_rewritten_is_refused() -> None:
    """An escape hides the name from a look at the text: better no rename than half of one."""
    with pytest.raises(BadFleetFile, match="cannot be rewritten safely"):
        rewritten('[agents."cl\\u0061ude"]\n', Change("agents", "claude", "klaus"), "f")
    with pytest.raises(BadFleetFile, match="is no TOML"):
        rewritten("[agents", Change("agents", "claude", "klaus"), "f")


NAMES = st.sampled_from(["a", "b", "a.b", "site", "x-y", "é", "ab"])
AGENTS = st.dictionaries(
    NAMES,
    st.fixed_dictionaries(
        {},
        optional={
            "teams": st.lists(NAMES, max_size=3, unique=True),
            "projects": st.lists(st.tuples(NAMES, NAMES).map("/".join), max_size=3, unique=True),
            "notes": st.sampled_from(["a", "a/b", "[agents.a]", "x"]),
        },
    ),
    max_size=3,
)
KINDS = st.sampled_from(["agents", "teams", "projects"])


@given(AGENTS, KINDS, NAMES, NAMES)
def test_any_file_says_the_same_under_the_new_name(
    agents: dict[str, object], kind: str, old: str, project: str
) -> None:
    """Renamed and renamed back, a file is what it was, to the letter."""
    import tomli_w

    text = tomli_w.dumps({"agents": agents}) if agents else ""
    old, new = (f"{old}/{project}", f"{old}/zz") if kind == "projects" else (old, "z.z")
    done = rewritten(text, Change(kind, old, new), "f")
    if done is None:
        assert old not in tomllib.loads(text).get("agents", {}) or kind != "agents"
        return
    assert tomllib.loads(done) != tomllib.loads(text)
    back = said(done, new, old, kind)
    assert tomllib.loads(back) == tomllib.loads(text)


def test_the_file_is_renamed_with_the_agent(fleet: Fleet) -> None:
    """The file keeps its mode, and what it says is then what is: nobody is made anew."""
    path = fleet.home / "agents.toml"
    path.write_text('# mine\n[agents.ada]\nteams = ["apollo"]\n')
    path.chmod(0o640)
    done = fleet.node.organisation.rename_agent("ada", "lovelace")
    assert done.in_file
    assert path.read_text() == '# mine\n[agents.lovelace]\nteams = ["apollo"]\n'
    assert path.stat().st_mode & 0o777 == 0o640
    node = open_home(fleet.home)
    assert node.warnings == ()
    assert [view.agent.name for view in node.organisation.agents()] == ["bob", "eve", "lovelace"]
    assert node.organisation.agent("lovelace").id == fleet.ada.agent
    node.close()


def test_a_link_to_the_file_stays_a_link(fleet: Fleet, tmp_path: Path) -> None:
    """Who keeps the file elsewhere finds it rewritten there."""
    real = tmp_path / "dotfiles.toml"
    real.write_text("[agents.ada]\n")
    (fleet.home / "agents.toml").symlink_to(real)
    assert fleet.node.organisation.rename_agent("ada", "lovelace").in_file
    assert (fleet.home / "agents.toml").is_symlink()
    assert real.read_text() == "[agents.lovelace]\n"


def test_a_refused_rename_leaves_the_file(fleet: Fleet) -> None:
    """Where the name is taken, neither the node nor the file is changed."""
    path = fleet.home / "agents.toml"
    path.write_text("[agents.ada]\n")
    with pytest.raises(AlreadyExists):
        fleet.node.organisation.rename_agent("ada", "bob")
    assert path.read_text() == "[agents.ada]\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """What the system refuses is told in a sentence, and the file is what it was."""
    path = tmp_path / "agents.toml"
    path.write_text("[agents.ada]\n")
    (tmp_path / f"agents.toml.{os.getpid()}").mkdir()
    file = FleetFile(str(path))
    assert file.rename("agents", "ada", "eve")
    with pytest.raises(Refused, match="cannot be used"):
        file.write()
    assert path.read_text() == "[agents.ada]\n"


def test_a_file_with_the_old_name_is_a_fault(fleet: Fleet) -> None:
    """What is put back under the old name makes no second agent: it is told, with its line."""
    fleet.node.organisation.rename_agent("ada", "lovelace")
    (fleet.home / "agents.toml").write_text('[agents.bob]\n[agents.ada]\nteams = ["apollo"]\n')
    node = open_home(fleet.home)
    (warning,) = node.warnings
    assert "line 2: agent ada is called lovelace now" in warning
    assert [view.agent.name for view in node.organisation.agents()] == ["bob", "eve", "lovelace"]
    with pytest.raises(BadFleetFile):
        node.organisation.add_team("zeus")
    node.close()
