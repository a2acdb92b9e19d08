"""Ceilings: the most that an operator lets a peer be sent; they only reduce what the rules allow.

``full``: everything, to a device of one's own account. ``shared``: what the rules allow, and what
is shared with everybody besides. ``granted``: what the rules allow. Else teams and projects, with
commas between: those alone, a team with its projects. What tells a peer that something ended is
never held back.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.audience import is_scope
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.routing.serve import BACK, CHARGE, OWN, offered

FULL = "full"
SHARED = "shared"
GRANTED = "granted"
ALL = "global:"


def is_ceiling(text: str) -> bool:
    """Say whether a text is a ceiling in the form that is kept, with ids."""
    if text in (FULL, SHARED, GRANTED):
        return True
    return all(
        part.startswith(("team:", "project:")) and is_scope(part) for part in text.split(",")
    )


def routes(view: View, own: str, account: str, ceiling: str) -> list[str]:
    """Return the routes that a peer of an account is served, under its ceiling, by this node."""
    is_own = own == account
    found = offered(view, account, is_own=is_own)
    if ceiling == SHARED and not is_own:
        found.append(ALL + own)
    return [route for route in found if allows(view, ceiling, route)]


def allows(view: View, ceiling: str, route: str) -> bool:
    """Say whether a ceiling leaves a route."""
    if ceiling in (FULL, SHARED, GRANTED) or route.startswith((OWN, BACK)):
        return True
    return _is_below(view, ceiling.split(","), route)


def _is_below(view: View, scopes: Iterable[str], route: str) -> bool:
    scope = f"team:{route.removeprefix(CHARGE)}" if route.startswith(CHARGE) else route
    object_id = scope.partition(":")[2]
    team = view.teams.team_of(object_id) if scope.startswith("project:") else ""
    return any(one in (scope, f"team:{team}") for one in scopes)
