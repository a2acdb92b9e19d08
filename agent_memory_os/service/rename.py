"""Giving agents, teams and projects another name.

A name is for people: ids, memories, memberships and grants stay as they are, and whoever asks by
the old name is told that nobody is called so. A name is free where nobody bears it; that of an
agent also where it was no other agent's first one, which its id is made of.

Where ``agents.toml`` declares what is renamed, the file is rewritten in the same step: else it
would make another agent or team of the old name when it is next read. Where that cannot be done,
the rename is refused.
"""

from __future__ import annotations

from agent_memory_os.errors import AlreadyExists, InvalidInput
from agent_memory_os.model import register as group
from agent_memory_os.model.identifier import agent_id
from agent_memory_os.model.organisation import Agent, Project, Team, check_name
from agent_memory_os.service import fleet_file
from agent_memory_os.service.charge import check_charge
from agent_memory_os.service.context import Context
from agent_memory_os.service.named import (
    check_free,
    find_agent,
    find_project,
    find_team,
    project_named,
)
from agent_memory_os.store import organisation
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple


class Renamed(NamedTuple):
    """What has another name now, what it was called, and whether ``agents.toml`` was rewritten."""

    thing: Agent | Team | Project
    old_name: str
    in_file: bool


def agent(context: Context, name: str, new_name: str) -> Renamed:
    """Give an agent another name; where it acts by default, it goes on to."""
    plain = check_name("agent", new_name)
    with fleet_file.kept(context) as file, context.widening() as writer:
        held = find_agent(writer.transaction, name)
        _check_agent_name(writer, held, plain)
        in_file = file.rename("agents", held.name, plain)
        value = {
            "name": plain,
            "kind": held.kind,
            "display_name": held.display_name,
            "notes": held.notes,
            "state": held.state,
        }
        value = {field: text for field, text in value.items() if text}
        _put(writer, "agent", held.id, group.AGENT, value)
    return Renamed(held._replace(name=plain), held.name, in_file)


def team(context: Context, name: str, new_name: str) -> Renamed:
    """Give a team another name; its projects are then written with it."""
    plain = check_name("team", new_name)
    with fleet_file.kept(context) as file, context.widening() as writer:
        held = find_team(writer.transaction, name)
        check_charge(writer, held.id)
        known = organisation.teams(writer.transaction)
        if any(one.name == plain and one.id != held.id for one in known):
            raise AlreadyExists(f"There is a team called {plain!r} already.")
        in_file = file.rename("teams", held.name, plain)
        value = {"name": plain, "notes": held.notes}
        _put(writer, "team", held.id, group.TEAM_NAME, value)
    return Renamed(held._replace(name=plain), held.name, in_file)


def project(context: Context, name: str, new_name: str) -> Renamed:
    """Give a project another name; the new one may be written ``TEAM/NAME``, with its own team."""
    of_team, slash, bare = new_name.rpartition("/")
    plain = check_name("project", bare)
    with fleet_file.kept(context) as file, context.widening() as writer:
        held = find_project(writer.transaction, name)
        check_charge(writer, held.team)
        (its_team,) = (t for t in organisation.teams(writer.transaction) if t.id == held.team)
        if slash and of_team not in (its_team.name, its_team.id):
            raise InvalidInput(
                f"{held.team_name}/{held.name} is a project of team {held.team_name}, and stays so."
            )
        taken = project_named(writer.transaction, its_team, plain)
        if any(one.id != held.id for one in taken):
            raise AlreadyExists(f"Team {its_team.name} has a project called {plain!r} already.")
        old, new = (f"{held.team_name}/{text}" for text in (held.name, plain))
        in_file = file.rename("projects", old, new)
        value = {"name": plain, "notes": held.notes}
        _put(writer, "project", held.id, group.PROJECT_NAME, value)
    return Renamed(held._replace(name=plain), held.name, in_file)


def _check_agent_name(writer: Writer, held: Agent, plain: str) -> None:
    for other in organisation.agents_named(writer.transaction, plain):
        if other.id != held.id:
            gone = "" if other.state == organisation.ACTIVE else "; it was removed"
            raise AlreadyExists(f"There is an agent called {plain!r} already{gone}.")
    first = agent_id(writer.account, plain)
    if first != held.id:
        check_free(writer.transaction, plain, first)


def _put(writer: Writer, kind: str, identifier: str, of: str, value: dict[str, str]) -> None:
    proof = organisation.proof_of(writer.transaction, kind, identifier)
    writer.put(Draft(identifier, of, value, proof))
