"""Teams, and who is in them."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_os.cli import grid, moving, receipts
from agent_memory_os.cli.desk import Desk
from agent_memory_os.cli.invitation import USUAL_MINUTES, Minutes, NoWait, give_out
from agent_memory_os.cli.receipts import Wait, Within
from agent_memory_os.cli.secret import RecoveryKey, with_key
from agent_memory_os.cli.word import AgentName, DryRun, NewName, Notes, TeamName, Yes
from agent_memory_os.errors import UnknownName
from agent_memory_os.model.organisation import Project, Team
from agent_memory_os.service.context import FLEET_FILE
from agent_memory_os.service.organisation import TeamView
from agent_memory_os.service.rename import Renamed
from agent_memory_os.value import cast

To = Annotated[
    str,
    typer.Option(
        "--to",
        help="A member: an agent such as mira@mira, a peer, or an account by its id.",
        metavar="ACCOUNT",
        show_default=False,
    ),
]
HEADS = ("TEAM", "MEMBERS", "PROJECTS")


def create(desk: Desk, team: TeamName, *, notes: Notes = "") -> None:
    """Make a team.

    Example: agent-memory team create apollo
    """
    made = desk.node.organisation.add_team(team, notes)
    desk.say(f"Made team {made.name}. Add members: agent-memory team add-member {made.name} AGENT")
    desk.give({"team": shape_of(made)})


def show(desk: Desk) -> None:
    """List the teams, with their members and projects.

    Example: agent-memory team list
    """
    found = desk.node.organisation.teams()
    if found:
        desk.say(*grid.table(HEADS, [_row(view) for view in found]))
    else:
        desk.say("No team yet. Make one: agent-memory team create NAME")
    desk.give({"teams": [_shape_of_view(view) for view in found]})


def add_member(desk: Desk, team: TeamName, member: AgentName) -> None:
    """Add an agent to a team: it sees what is shared with the team.

    Example: agent-memory team add-member apollo codex
    """
    is_new = desk.node.organisation.join(member, f"team:{team}")
    desk.say(f"{member} {'is now' if is_new else 'was already'} in team {team}.")
    desk.give({"team": team, "agent": member, "changed": is_new})


def remove_member(
    desk: Desk,
    team: TeamName,
    member: AgentName,
    *,
    wait: Wait = False,
    within: Within = None,
) -> None:
    """Take an agent out of a team and its projects, at once.

    Example: agent-memory team remove-member apollo codex
    """
    receipts.take_out(desk, "team", team, member, within, wait=wait)


def invite(
    desk: Desk, team: TeamName, *, minutes: Minutes = USUAL_MINUTES, no_wait: NoWait = False
) -> None:
    """Invite somebody into a team: print the code that they join by.

    Whoever joins gets what is shared with the team, and nothing else.

    Example: agent-memory team invite apollo
    """
    give_out(desk, desk.node.invitations.team(team, minutes), no_wait=no_wait)


def hand_over(desk: Desk, team: TeamName, *, to: To, yes: Yes = False) -> None:
    """Put somebody who is in a team in charge of it, in your place.

    What stands in the team stays. Only the recovery key of whoever made the team takes it back.

    Example: agent-memory team hand-over apollo --to mira@mira
    """
    name = _view(desk, team).team.name
    desk.confirm(f"Put {to} in charge of team {name}? You can change nothing in it then.", yes=yes)
    done = desk.node.organisation.hand_over(team, to)
    desk.say(f"{to} is in charge of team {done.name} now, and you are not.")
    desk.give({"team": shape_of(done), "admin": done.admin})


def take_back(desk: Desk, team: TeamName, *, recovery_key: RecoveryKey = None) -> None:
    """Take back a team that you made, with your account's recovery key.

    Example: agent-memory team take-back apollo --recovery-key FILE
    """
    act = desk.node.organisation.take_back
    done = with_key(desk, recovery_key, lambda key: act(team, key))
    desk.say(f"You are in charge of team {done.name} again.")
    desk.give({"team": shape_of(done), "admin": done.admin})


def rename(desk: Desk, team: TeamName, new_name: NewName) -> None:
    """Give a team another name; its members and what is shared with it stay.

    Example: agent-memory team rename apollo artemis
    """
    done = desk.node.organisation.rename_team(team, new_name)
    desk.say(f"Team {done.old_name} is now {done.thing.name}.")
    desk.tell(*told(done))
    desk.give({"team": shape_of(cast("Team", done.thing)), "old_name": done.old_name})


def delete(desk: Desk, team: TeamName, *, yes: Yes = False, dry_run: DryRun = False) -> None:
    """End a team and its projects: what was shared with it stays with its owners.

    Example: agent-memory team delete apollo --dry-run
    """
    view = _view(desk, team)
    members = ", ".join(view.members) or "nobody"
    projects = ", ".join(project.name for project, _ in view.projects) or "none"
    desk.say(f"Team {view.team.name}: members {members}; projects {projects}.")
    if not dry_run:
        desk.confirm(f"End team {view.team.name}? It cannot be brought back.", yes=yes)
        desk.node.organisation.remove_team(team)
        desk.say(f"Ended team {view.team.name}.")
    desk.give({"team": _shape_of_view(view), "deleted": not dry_run})


def told(done: Renamed) -> list[str]:
    """Return what a person is told of a rename beside the names."""
    return [f"{FLEET_FILE} says so, too, now."] if done.in_file else []


def _view(desk: Desk, team: str) -> TeamView:
    for view in desk.node.organisation.teams():
        if team in (view.team.name, view.team.id):
            return view
    raise UnknownName(f"There is no team called {team!r}. See: agent-memory team list")


def _row(view: TeamView) -> tuple[str, ...]:
    projects = [f"{project.name} ({', '.join(names) or '-'})" for project, names in view.projects]
    return (view.team.name, ", ".join(view.members) or "-", ", ".join(projects) or "-")


def shape_of(team: Team | Project) -> dict[str, object]:
    """Return a team or a project as JSON holds it."""
    return {"id": team.id, "name": team.name, "notes": team.notes, "state": team.state}


def _shape_of_view(view: TeamView) -> dict[str, object]:
    projects = [{**shape_of(project), "members": list(names)} for project, names in view.projects]
    return {**shape_of(view.team), "members": list(view.members), "projects": projects}


COMMANDS = {
    "create": create,
    "list": show,
    "add-member": add_member,
    "remove-member": remove_member,
    "invite": invite,
    "hand-over": hand_over,
    "take-back": take_back,
    "rename": rename,
    "delete": delete,
    "move-memories": moving.team,
}
