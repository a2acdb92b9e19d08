"""From what a person writes as an audience to the grants of a register.

Names are resolved among what the caller may know: the agents of this account and those of others
that are known here, and the teams and projects that it is a member of. A team that exists but is
not the caller's reads like one that does not exist. Nothing misspelt is ever stored: it is refused,
with the nearest names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial

from agent_memory_os.errors import UnknownAudience
from agent_memory_os.model.audience import GLOBAL, KINDS, PRIVATE, Grant, parse, parts_of
from agent_memory_os.model.organisation import is_called_like
from agent_memory_os.service.context import check_clock
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.value import NamedTuple

Names = list[tuple[str, str]]
"""Ids, and what they are called."""


class Scope(NamedTuple):
    """A resolved grant: its scope with an id, and the add register that the owner relies on."""

    scope: str
    name: str
    add: str | None


def resolve(snapshot: Snapshot, owner: str, audience: str) -> tuple[Scope, ...]:
    """Return the scopes that ``audience`` names for a memory of agent ``owner``.

    Raises :class:`UnknownAudience` for a misspelt form, an unknown name, and a team or project
    that the owner is no member of, and :class:`ClockWrong` where nothing can be shared now.
    """
    known = cache(partial(_known, snapshot, owner))
    for text in parts_of(audience):
        _refuse_bare_name(known, text)
    found = tuple(_resolve(snapshot, owner, grant, known(grant.kind)) for grant in parse(audience))
    if found:
        check_clock(snapshot)
    return found


def _refuse_bare_name(known_as: Callable[[str], Names], text: str) -> None:
    """Raise :class:`UnknownAudience` for a name without its kind, with what may be meant."""
    if not text or ":" in text or text in (GLOBAL, PRIVATE):
        return
    known = [(kind, name) for kind in KINDS for _, name in known_as(kind)]
    meant = [f"{kind}:{name}" for kind, name in known if name == text]
    if meant:
        raise UnknownAudience(f"{text!r} is no audience; did you mean {' or '.join(meant)}?")


def _resolve(snapshot: Snapshot, owner: str, grant: Grant, known: Names) -> Scope:
    if grant.kind == GLOBAL:
        return Scope(GLOBAL, GLOBAL, None)
    found = [(object_id, name) for object_id, name in known if grant.name in (object_id, name)]
    if not found and grant.kind == "project":
        found = [item for item in known if item[1].partition("/")[2] == grant.name]
    if len(found) > 1:
        ids = " or ".join(f"{grant.kind}:{object_id}" for object_id, _ in found)
        raise UnknownAudience(f"More than one {grant.kind} is called {grant.name!r}: write {ids}.")
    alike = [name for _, name in known if is_called_like(name, grant.name)]
    if not found and grant.kind == "team" and alike:
        many = "More than one team is" if len(alike) > 1 else "No team alone is"
        names = " or ".join(f"team:{name}" for name in alike)
        raise UnknownAudience(f"{many} called {grant.name!r}: write {names}.")
    if not found:
        raise _unknown(grant, organisation.agent_name(snapshot, owner), [name for _, name in known])
    scope = f"{grant.kind}:{found[0][0]}"
    add = None if grant.kind == "agent" else organisation.standing_add(snapshot, scope, owner)
    return Scope(scope, f"{grant.kind}:{found[0][1]}", add)


def _known(snapshot: Snapshot, owner: str, kind: str) -> Names:
    if kind == GLOBAL:
        return []
    if kind == "agent":
        known = [*organisation.agents(snapshot), *organisation.others(snapshot)]
        return [(agent.id, agent.name) for agent in known]
    if kind == "team":
        teams = organisation.teams(snapshot)
        return [(t.id, t.name) for t in teams if _is_member(snapshot, f"team:{t.id}", owner)]
    projects = organisation.projects(snapshot)
    return [
        (p.id, f"{p.team_name}/{p.name}")
        for p in projects
        if _is_member(snapshot, f"project:{p.id}", owner)
    ]


def _is_member(snapshot: Snapshot, scope: str, agent: str) -> bool:
    return any(member.id == agent for member in organisation.members(snapshot, scope))


def _unknown(grant: Grant, owner: str, names: Iterable[str]) -> UnknownAudience:
    written = f"{grant.kind}:{grant.name}"
    known = sorted(names)
    near = nearest(grant.name, known)
    offers = ", ".join(f"{grant.kind}:{name}" for name in near or known[:5])
    there = f" You may share with {offers}." if offers else ""
    if grant.kind == "agent":
        return UnknownAudience(f"There is no agent called {grant.name!r}.{there}")
    # The same words whether it exists or not: who is no member does not learn that it does.
    return UnknownAudience(
        f"{written} is no audience of yours: there is none, or the memory's owner is no member of "
        f"it.{there}",
        "" if near else "join",
        kind=grant.kind,
        name=grant.name,
        agent=owner,
    )


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three names that look like ``name``, the most alike first."""
    from difflib import get_close_matches

    folded = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    return [folded[match] for match in close]
