"""Ceilings as people write them: with the names of teams and projects, which are kept as ids."""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.routing.ceiling import FULL, GRANTED, SHARED
from agent_memory_os.service.named import find_scope
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot

_FORMS = f"{SHARED}, {GRANTED}, or teams and projects, as team:NAME,project:TEAM/NAME"


def kept(snapshot: Snapshot, text: str | None, *, is_own: bool) -> str:
    """Return a ceiling in the form that is kept, with ids; the usual one where none is named.

    Raises :class:`InvalidInput` for what is none, or is not for such a peer.
    """
    if text is None:
        return FULL if is_own else GRANTED
    plain = text.strip()
    if is_own:
        if plain != FULL:
            raise InvalidInput(
                f"A device of your own account is sent all of it: its ceiling is {FULL}."
            )
        return FULL
    if plain == FULL:
        raise InvalidInput(
            f"The ceiling {FULL} is for devices of your own account; for others it is {_FORMS}."
        )
    if plain in (SHARED, GRANTED):
        return plain
    parts = [part.strip() for part in plain.split(",")]
    if not all(part.startswith(("team:", "project:")) for part in parts):
        raise InvalidInput(f"{text!r} is no ceiling; it is {_FORMS}.")
    return ",".join(dict.fromkeys(find_scope(snapshot, part) for part in parts))


def shown(snapshot: Snapshot, ceiling: str) -> str:
    """Return a ceiling with the names of its teams and projects."""
    if ceiling in (FULL, SHARED, GRANTED):
        return ceiling
    names = {f"team:{team.id}": f"team:{team.name}" for team in organisation.teams(snapshot)}
    for project in organisation.projects(snapshot):
        names[f"project:{project.id}"] = f"project:{project.team_name}/{project.name}"
    return ",".join(names.get(scope, scope) for scope in ceiling.split(","))
