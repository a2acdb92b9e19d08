"""Agents."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os import wiring
from agent_memory_os.cli import grid, moving
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.team import told
from agent_memory_os.cli.word import AgentName, NewName, Notes
from agent_memory_os.model.organisation import AGENT_KINDS, Agent
from agent_memory_os.service.organisation import AgentView
from agent_memory_os.value import cast

Kind = Annotated[
    str,
    typer.Option("--kind", help=f"What program it is: {', '.join(AGENT_KINDS)}.", metavar="KIND"),
]
Name = Annotated[str, typer.Argument(help="Its name.", metavar="NAME", show_default=False)]
Title = Annotated[
    str, typer.Option("--name", help="How people call it.", metavar="TEXT", show_default=False)
]
Removed = Annotated[bool, typer.Option("--all", help="Also those that were removed.")]
HEADS = ("AGENT", "KIND", "TEAMS", "PROJECTS", "NAME")


def add(
    desk: Desk, agent_name: Name, *, kind: Kind = "custom", title: Title = "", notes: Notes = ""
) -> None:
    """Add an agent to the fleet.

    Example: agent-memory agent add codex --kind codex
    """
    made = desk.node.organisation.add_agent(agent_name, kind, title, notes)
    desk.say(f"Added agent {made.name} ({made.kind}).")
    desk.give({"agent": shape_of(made)})


def show(desk: Desk, *, removed: Removed = False) -> None:
    """List the agents, with their teams and projects.

    Example: agent-memory agent list
    """
    found = desk.node.organisation.agents(removed=removed)
    if found:
        desk.say(*grid.table(HEADS, [_row(view) for view in found]))
    else:
        desk.say("No agent yet. Add one: agent-memory agent add NAME")
    desk.give({"agents": [shape_of_view(view) for view in found]})


def rename(desk: Desk, agent_name: AgentName, new_name: NewName) -> None:
    """Give an agent another name; its memories, teams and grants stay.

    Example: agent-memory agent rename claude claude-laptop
    """
    if desk.reach is None:
        done = wiring.rename_agent(desk.local, agent_name, new_name)
    else:
        done = desk.node.organisation.rename_agent(agent_name, new_name)
    now = cast("Agent", done.thing)
    desk.say(f"Agent {done.old_name} is now {now.name}.")
    desk.tell(*told(done))
    desk.give({"agent": shape_of(now), "old_name": done.old_name})


def remove(desk: Desk, agent_name: AgentName) -> None:
    """Take an agent out of the fleet; its memories stay, and adding it again brings it back.

    Example: agent-memory agent remove codex
    """
    gone = desk.node.organisation.remove_agent(agent_name)
    desk.say(f"Removed agent {gone.name}; its memories stay.")
    desk.give({"agent": shape_of(gone) | {"state": "removed"}})


def _row(view: AgentView) -> tuple[str, ...]:
    agent = view.agent
    name = agent.name if agent.state == "active" else f"{agent.name} (removed)"
    teams, projects = ", ".join(view.teams) or "-", ", ".join(view.projects) or "-"
    return (name, agent.kind, teams, projects, agent.display_name)


def shape_of(agent: Agent) -> dict[str, object]:
    """Return an agent as JSON holds it."""
    return {
        "id": agent.id,
        "name": agent.name,
        "kind": agent.kind,
        "display_name": agent.display_name,
        "notes": agent.notes,
        "state": agent.state,
    }


def shape_of_view(view: AgentView) -> dict[str, object]:
    """Return an agent with its memberships as JSON holds it."""
    return {**shape_of(view.agent), "teams": list(view.teams), "projects": list(view.projects)}


COMMANDS = {
    "add": add,
    "list": show,
    "rename": rename,
    "remove": remove,
    "move-memories": moving.agent,
}
