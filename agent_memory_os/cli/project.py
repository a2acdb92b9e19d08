"""Projects of teams, and who is in them."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, receipts
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.receipts import Wait, Within
from agent_memory_os.cli.team import shape_of, told
from agent_memory_os.cli.word import AgentName, DryRun, NewName, Notes, ProjectName, Yes
from agent_memory_os.errors import InvalidInput, UnknownName
from agent_memory_os.model.organisation import Project
from agent_memory_os.value import cast

OfTeam = Annotated[
    str,
    typer.Option(
        "--team",
        help="Its team, where PROJECT does not say it.",
        metavar="TEAM",
        show_default=False,
    ),
]
HEADS = ("PROJECT", "MEMBERS", "NOTES")


def create(desk: Desk, project: ProjectName, *, team: OfTeam = "", notes: Notes = "") -> None:
    """Make a project of a team, for what not all of the team should see.

    Example: agent-memory project create apollo/site
    """
    of_team, slash, name = project.rpartition("/")
    if slash and team and team != of_team:
        raise InvalidInput(f"{project} names team {of_team}, and --team says {team}.")
    if not (of_team or team):
        raise InvalidInput(f"Say whose project it is: agent-memory project create TEAM/{project}")
    made = desk.node.organisation.add_project(of_team or team, name, notes)
    full = f"{made.team_name}/{made.name}"
    desk.say(f"Made project {full}. Add members: agent-memory project add-member {full} AGENT")
    desk.give({"project": _shape(made)})


def show(desk: Desk) -> None:
    """List the projects, with their members.

    Example: agent-memory project list
    """
    found = _all(desk)
    rows = [
        (f"{project.team_name}/{project.name}", ", ".join(names) or "-", project.notes)
        for project, names in found
    ]
    if rows:
        desk.say(*grid.table(HEADS, rows))
    else:
        desk.say("No project yet. Make one: agent-memory project create TEAM/NAME")
    desk.give({"projects": [{**_shape(one), "members": list(names)} for one, names in found]})


def add_member(desk: Desk, project: ProjectName, member: AgentName) -> None:
    """Add an agent of the team to a project.

    Example: agent-memory project add-member apollo/site codex
    """
    is_new = desk.node.organisation.join(member, f"project:{project}")
    desk.say(f"{member} {'is now' if is_new else 'was already'} in project {project}.")
    desk.give({"project": project, "agent": member, "changed": is_new})


def remove_member(
    desk: Desk,
    project: ProjectName,
    member: AgentName,
    *,
    wait: Wait = False,
    within: Within = None,
) -> None:
    """Take an agent out of a project, at once.

    Example: agent-memory project remove-member apollo/site codex
    """
    receipts.take_out(desk, "project", project, member, within, wait=wait)


def rename(desk: Desk, project: ProjectName, new_name: NewName) -> None:
    """Give a project another name; its members and what is shared with it stay.

    Example: agent-memory project rename apollo/site web
    """
    done = desk.node.organisation.rename_project(project, new_name)
    now = cast("Project", done.thing)
    desk.say(f"Project {now.team_name}/{done.old_name} is now {now.team_name}/{now.name}.")
    desk.tell(*told(done))
    desk.give({"project": _shape(now), "old_name": done.old_name})


def delete(desk: Desk, project: ProjectName, *, yes: Yes = False, dry_run: DryRun = False) -> None:
    """End a project: what was shared with it stays with its owners.

    Example: agent-memory project delete apollo/site --dry-run
    """
    found, names = _one(desk, project)
    full = f"{found.team_name}/{found.name}"
    desk.say(f"Project {full}: members {', '.join(names) or 'nobody'}.")
    if not dry_run:
        desk.confirm(f"End project {full}? It cannot be brought back.", yes=yes)
        desk.node.organisation.remove_project(found.id)
        desk.say(f"Ended project {full}.")
    desk.give({"project": {**_shape(found), "members": list(names)}, "deleted": not dry_run})


def _all(desk: Desk) -> list[tuple[Project, tuple[str, ...]]]:
    return [found for view in desk.node.organisation.teams() for found in view.projects]


def _one(desk: Desk, project: str) -> tuple[Project, tuple[str, ...]]:
    known = _all(desk)
    exact = [f for f in known if project in (f[0].id, f"{f[0].team_name}/{f[0].name}")]
    found = exact or [one for one in known if one[0].name == project]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownName(f"More than one project is called {project!r}: write TEAM/{project}.")
    raise UnknownName(f"There is no project called {project!r}. See: agent-memory project list")


def _shape(project: Project) -> dict[str, object]:
    return {**shape_of(project), "team": project.team_name}


COMMANDS = {
    "create": create,
    "list": show,
    "add-member": add_member,
    "remove-member": remove_member,
    "rename": rename,
    "delete": delete,
}
