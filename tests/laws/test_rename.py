"""Names are for people: whoever is called otherwise, everybody reads what they read before."""

from __future__ import annotations

from agent_memory_os.model.recall import Filter
from tests.laws.crowd import crowd
from tests.laws.whole import MANY
from tests.laws.world import World, new_world


def told(world: World) -> dict[str, list[str]]:
    """Return which memories everybody finds, lists and exports, and how many of each owner."""
    memories, found = world.node.memories, {}
    for who, principal in world.principals().items():
        listed = memories.list(principal, limit=MANY, wanted=Filter()).memories
        counts = sorted((one.id, one.shown, one.forgotten) for one in memories.owners(principal))
        ids = [line.partition('"id":"')[2][:36] for line in world.node.transfer.export(principal)]
        found[who] = [*(memory.id for memory in listed), *map(repr, counts), *ids]
    return found


def test_a_rename_changes_nothing_of_who_reads_what() -> None:
    """After every agent, team and project has another name, the gate lets through the same."""
    with new_world() as world:
        crowd(world)
        before = told(world)
        organisation = world.node.organisation
        for name in sorted(world.active):
            organisation.rename_agent(name, f"{name}-too")
        for view in organisation.teams():
            for project, _ in view.projects:
                organisation.rename_project(project.id, f"{project.name}-too")
            organisation.rename_team(view.team.id, f"{view.team.name}-too")
        assert told(world) == before
