"""Who is in charge of a team: the account of its admin, on all of its devices.

Whatever is written of a team or its projects by anybody else would count nowhere; so it is refused.
"""

from __future__ import annotations

from agent_memory_os.errors import NotAllowed
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.write import Writer


def check_charge(writer: Writer, team: str) -> None:
    """Raise :class:`NotAllowed` unless this node's account is in charge of a team."""
    for held in organisation.teams(writer.transaction, None):
        if held.id == team and held.admin != writer.account:
            raise NotAllowed(
                f"Another account is in charge of team {held.name}; ask it to do that."
            )


def is_in_charge(writer: Writer, scope: str) -> bool:
    """Say whether this node's account is in charge of a team, or of a project's team."""
    team = team_of(writer.transaction, scope)
    every = organisation.teams(writer.transaction, None)
    return any(one.id == team and one.admin == writer.account for one in every)


def team_of(snapshot: Snapshot, scope: str) -> str:
    """Return the team of ``team:ID`` or ``project:ID``; empty where it is not known."""
    kind, _, object_id = scope.partition(":")
    if kind == "team":
        return object_id
    return next(iter(organisation.proof_of(snapshot, "project", object_id)), "")
