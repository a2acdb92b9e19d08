"""Agents, teams, projects and owners from the command line."""

from __future__ import annotations

import shutil

from tests.cli.program import Program


def test_agents(program: Program) -> None:
    """An agent is added with its kind, listed, removed, and brought back."""
    added = program.json("agent", "add", "codex", "--kind", "codex", "--name", "The coder")
    assert added["agent"]["kind"] == "codex"
    assert "already" in program.fails(1, "agent", "add", "codex")
    assert "no kind" in program.fails(2, "agent", "add", "x", "--kind", "robot")
    for name in ("", "a b", "team:x", "*", "global", "-"):
        assert program.run("agent", "add", "--", name).status == 2
    found = fleet_of(program)
    assert found["codex"]["display_name"] == "The coder"
    program.do("agent", "remove", "codex")
    assert "codex" not in fleet_of(program)
    assert "codex (removed)" in program.do("agent", "list", "--all")
    assert "codex" in program.fails(2, "search", "x", "--as", "codex")
    again = program.json("agent", "add", "codex")
    assert again["agent"]["id"] == added["agent"]["id"]


def test_renaming(fleet: Program) -> None:
    """What is renamed goes on under its new name alone; and the files say it, too."""
    fleet.do("add", "the plan", "--share", "team:apollo,project:apollo/site")
    done = fleet.run("agent", "rename", "ann", "anna")
    assert done.out == "Agent ann is now anna.\n"
    assert "agents.toml says so, too" in done.err
    assert 'default_agent = "anna"' in (fleet.home / "node.toml").read_text()
    assert fleet.json("whoami")["agent"]["name"] == "anna"
    assert "Project apollo/site is now apollo/web." in fleet.do("project", "rename", "site", "web")
    assert fleet.json("team", "rename", "apollo", "artemis")["old_name"] == "apollo"
    memory = fleet.json("list", "--as", "bob")["memories"][0]
    assert (memory["owner"], memory["audience"]) == ("anna", ["team:artemis"])
    for words in (("search", "plan", "--as", "ann"), ("add", "x", "--share", "team:apollo")):
        fleet.fails(2, *words)
    assert "did you mean anna" in fleet.fails(2, "agent", "rename", "ann", "bob")
    assert "bob" in fleet.fails(1, "agent", "rename", "anna", "bob")
    fleet.do("agent", "add", "zoe")
    assert fleet.run("agent", "rename", "zoe", "zoa").err == ""
    told = fleet.fails(1, "agent", "add", "zoe")
    assert "first name of agent zoa" in told
    assert "agent-memory agent rename zoa zoe" in told


def fleet_of(program: Program) -> dict[str, dict[str, object]]:
    """Give the agents that are listed, by name."""
    return {agent["name"]: agent for agent in program.json("agent", "list")["agents"]}


def test_teams(program: Program) -> None:
    """A team is made, joined, left, renamed and ended; what is shared follows at once."""
    assert "No team yet" in program.do("team", "list")
    for name in ("ann", "bob"):
        program.do("agent", "add", name)
    program.do("team", "create", "apollo", "--notes", "builds it")
    assert program.json("team", "add-member", "apollo", "ann")["changed"] is True
    assert program.json("team", "add-member", "apollo", "ann")["changed"] is False
    program.do("team", "add-member", "apollo", "bob")
    program.do("add", "the plan", "--as", "ann", "--share", "team:apollo")
    assert program.found("plan", "--as", "bob") == ["the plan"]
    program.do("team", "rename", "apollo", "artemis")
    assert program.found("plan", "--as", "bob") == ["the plan"]
    assert "team:artemis" in program.do("list", "--as", "bob")
    program.do("team", "remove-member", "artemis", "bob")
    assert program.found("plan", "--as", "bob") == []
    program.do("team", "add-member", "artemis", "bob")
    (team,) = program.json("team", "list")["teams"]
    assert (team["name"], team["members"], team["notes"]) == (
        "artemis",
        ["ann", "bob"],
        "builds it",
    )
    assert "artemis" in program.fails(2, "team", "add-member", "artemi", "bob")
    assert "boob" in program.fails(2, "team", "add-member", "artemis", "boob")
    assert "already" in program.fails(1, "team", "create", "artemis")
    assert "ann, bob" in program.do("team", "delete", "artemis", "--dry-run")
    assert "--yes" in program.fails(1, "team", "delete", "artemis")
    assert program.found("plan", "--as", "bob") == ["the plan"]
    assert program.json("team", "delete", "artemis", "--yes")["deleted"] is True
    assert program.found("plan", "--as", "bob") == []
    assert "no team" in program.fails(2, "team", "delete", "artemis", "--yes")


def test_who_is_in_charge(fleet: Program) -> None:
    """A team goes to nobody but a member of another account, and is taken back from that alone."""
    hand_over = ("team", "hand-over", "apollo", "--to")
    assert "say --yes" in fleet.fails(1, *hand_over, "ann")
    assert "already" in fleet.fails(1, *hand_over, "ann", "--yes")
    assert "nobody took it" in fleet.fails(1, "team", "take-back", "apollo")


def test_projects(fleet: Program) -> None:
    """A project has members of its team alone, and is named with its team where need be."""
    fleet.do("project", "create", "shop", "--team", "apollo")
    assert "Say whose" in fleet.fails(2, "project", "create", "shop")
    assert "names team" in fleet.fails(2, "project", "create", "apollo/x", "--team", "other")
    assert "not in the project's team" in fleet.fails(2, "project", "add-member", "shop", "eve")
    fleet.do("project", "add-member", "apollo/shop", "bob")
    found = {one["name"]: one for one in fleet.json("project", "list")["projects"]}
    assert found["shop"]["members"] == ["bob"]
    assert found["site"]["team"] == "apollo"
    assert fleet.json("project", "remove-member", "shop", "bob")["changed"] is True
    fleet.do("add", "site plan", "--share", "project:apollo/site")
    assert "apollo/site" in fleet.do("whoami")
    assert "members ann" in fleet.do("project", "delete", "site", "--dry-run")
    assert "--yes" in fleet.fails(1, "project", "delete", "site")
    fleet.do("project", "delete", "apollo/site", "--yes")
    assert "no project" in fleet.fails(2, "project", "delete", "site")
    fleet.do("team", "create", "zeus")
    fleet.do("project", "create", "zeus/shop")
    assert "More than one" in fleet.fails(2, "project", "delete", "shop", "--yes")


def test_owners(fleet: Program) -> None:
    """Owners are listed as far as one may read; only the operator forgets all of one's memories."""
    fleet.do("add", "one")
    fleet.do("add", "two", "--as", "bob", "--share", "team:apollo")
    fleet.do("add", "three", "--as", "bob")
    owners = {one["name"]: one["memories"] for one in fleet.json("owner", "list")["owners"]}
    assert owners == {"ann": 1, "bob": 1}
    everyone = fleet.json("owner", "list", "--as-operator")["owners"]
    assert {one["name"]: one["memories"] for one in everyone} == {"ann": 1, "bob": 2}
    assert "bob" in fleet.do("owner", "list")
    assert "--as-operator" in fleet.fails(1, "owner", "delete", "bob")
    operator = ("owner", "delete", "bob", "--as-operator")
    shown = fleet.do(*operator, "--dry-run")
    assert "bob owns 2 memories" in shown
    assert "three" in shown
    assert "--yes" in fleet.fails(1, *operator)
    assert fleet.json(*operator, "--yes")["forgotten"] == 2
    assert fleet.json("list", "--as", "bob")["memories"] == []
    assert "bob" in fleet.fails(1, *operator, "--yes")


def test_whoami(fleet: Program) -> None:
    """It tells the agent, why it acts, its memberships and the home."""
    shown = fleet.do("whoami")
    for word in ("ann", "apollo", "apollo/site", "node.toml", str(fleet.home)):
        assert word in shown
    told = fleet.json("whoami", "--as", "eve", "--as-operator")
    assert (told["agent"]["kind"], told["named_by"], told["as_operator"]) == ("codex", "--as", True)
    assert fleet.json("whoami", AGENT_MEMORY_AGENT_ID="bob")["named_by"] == "AGENT_MEMORY_AGENT_ID"


def test_init(program: Program) -> None:
    """It makes the home, asks nothing, tells what to do next, and may be run again."""
    shown = program.do("init", "--agent", "claude", "--kind", "claude-code")
    assert str(program.home) in shown
    assert "claude (claude-code), made just now" in shown
    assert shown.count("\n  agent-memory ") == 3
    assert program.json("whoami")["agent"]["name"] == "claude"
    again = program.json("init")
    assert (again["made"], again["agent"]) == (False, "claude")
    assert program.json("init", "--agent", "codex", "--kind", "codex")["agent"] == "codex"
    assert program.json("whoami")["agent"]["name"] == "codex"
    assert program.fails(2, "init", "--agent", "a b")


def test_init_tells_of_a_home_that_others_may_read(program: Program) -> None:
    """Where a folder has other files in it, it is left as it is, and how to close it is said."""
    program.home.mkdir(mode=0o755)
    (program.home / "thesis.txt").write_text("mine")
    done = program.run("init")
    assert done.status == 0
    assert f"(mode 755). To close it: chmod 700 {program.home}" in done.err
    program.do("doctor", "--mend")
    assert program.run("init").err == ""


def test_a_copied_home_becomes_a_device(program: Program) -> None:
    """A copied home is noticed with every command until it is made a device of its own."""
    program.do("add", "tea")
    copy = program.folder / "copy"
    shutil.copytree(program.home, copy)
    for _ in range(2):
        assert "--new-device" in program.run("--home", str(copy), "list").err
    assert "device of its own" in program.do("--home", str(copy), "init", "--new-device")
    assert program.run("--home", str(copy), "list").err == ""
