"""Moving memories on the command line: what is shown, asked and done."""

from __future__ import annotations

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from tests.cli.program import Program
from tests.store.sample import open_home

AGENTS = ("agent", "move-memories", "ann", "eve", "--as-operator")
TEAMS = ("team", "move-memories", "apollo", "artemis", "--as-operator")


def furnish(program: Program) -> None:
    """Give the fleet an agent in no team, a team of Ann alone, and memories of Ann and Bob."""
    node = open_home(program.home)
    node.organisation.add_team("artemis")
    node.organisation.join("ann", "team:artemis")
    ann, bob = (Principal.of_agent(node.organisation.agent(name).id) for name in ("ann", "bob"))
    for number in range(6):
        node.memories.add(ann, NewMemory(f"kettle {number}\nof copper"))
    for who in (ann, bob):
        node.memories.add(who, NewMemory("ours", tags=("t",)), "team:apollo, global")
    node.close()


def test_an_agents_memories_are_moved(fleet: Program) -> None:
    """The first few are shown, who would lose what, and what to say; each is moved once."""
    furnish(fleet)
    assert "--as-operator" in fleet.fails(1, *AGENTS[:-1])
    dry = fleet.do(*AGENTS, "--dry-run")
    assert dry.startswith("From ann to eve, 7 memories:\n  - kettle 0 of copper\n")
    assert "  … and 2 more\nShared as before: global (1).\n" in dry
    assert dry.endswith("eve may not share with, and who would lose it: team:apollo (1).\n")
    assert "--drop-grants" in fleet.fails(1, *AGENTS, "--yes")
    asked = fleet.fails(1, *AGENTS, "--drop-grants")
    assert asked.startswith("Move 7 memories of ann to eve, and end those grants?")
    assert fleet.do(*AGENTS, "--tag", "u") == "Nothing of ann is to be moved.\n"
    assert fleet.do(*AGENTS, "--drop-grants", "--yes").endswith("Moved 7 memories to eve.\n")
    again = fleet.do(*AGENTS, "--all", "--yes")
    assert again == "Nothing of ann is to be moved; 7 memories moved before.\n"
    back = fleet.json("agent", "move-memories", "eve", "ann", "--as-operator", "--back", "--yes")
    assert (back["moved"], back["kept"]) == (7, [{"audience": "global", "memories": 1}])


def test_a_teams_memories_are_moved(fleet: Program) -> None:
    """What is shared with the one is shared with the other; whose is not in it stays."""
    furnish(fleet)
    assert "--as-operator" in fleet.fails(1, *TEAMS[:-1])
    kept = fleet.do(*TEAMS, "--keep", "--yes")
    assert kept == (
        "Shared with team apollo, and with artemis as well then, 1 memory:\n"
        "  - ours\n"
        "Left as shared, for bob is not in team artemis: 1 memory.\n"
        "Shared 1 memory with team artemis.\n"
    )
    assert fleet.fails(1, *TEAMS).startswith("Share 1 memory with team artemis, not apollo?")
    assert fleet.json(*TEAMS, "--yes")["moved"] == 1
    nothing = "Nothing that team apollo reads is to be shared with artemis.\n"
    assert fleet.do(*TEAMS, "--yes").startswith(nothing)
