"""What a peer is served, scope by scope.

A peer's account is offered the scopes in which its agents are now, and what is sent to those agents
alone; what it wrote itself, so that a device which was restored gets it back; the organisation of
a team that it founded or is in charge of; and, to a device of one's own account, all that is the
account's, and everybody that is known here. In a scope stand its *frame* (the organisation, with
the devices of its people, and the lists of the scope) and its *records*: of every memory that is or
ever was shared there, the grants and the life; and its content while the grant holds, those
versions that count there. So a revocation goes wherever its grant went.

Whoever is out is *told* why: its removals, the team's hand-overs, the narrowings of its own
records, and the devices that signed those. It is told nothing of what came later.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.held import Named
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.authority.team import scope_of
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.register import (
    AGENT,
    CONTENT,
    DEVICE,
    GRANT,
    LIFE,
    LINK,
    PROJECT_NARROW,
    TEAM_ADMIN,
    TEAM_NARROW,
    Register,
)

OWN = "own:"
BACK = "back:"
CHARGE = "charge:"


def offered(view: View, account: str, *, is_own: bool = False) -> list[str]:
    """Return the scopes that an account's devices are served; ``is_own``: it is this node's."""
    agents = view.agents(account)
    joined = [
        scope for scope in view.scopes() if any(view.members.adds(scope, agent) for agent in agents)
    ]
    charge = [
        CHARGE + team
        for team in view.held.objects("team_")
        if account in (view.held.proof(team)[0], view.teams.admin(team))
    ]
    own = [OWN + account] if is_own else [BACK + account]
    return [*own, *charge, *joined, *(f"agent:{agent}" for agent in agents)]


def frame(view: View, scope: str) -> list[str]:
    """Return the registers of the organisation that go before the records of a scope."""
    kind, _, object_id = scope.partition(":")
    if kind == "own":
        teams = _teams_of(view, object_id)
        found = [name for team in teams for name in frame(view, CHARGE + team)]
        everybody = people(view, view.held.objects("acc_"), view.held.objects("agt_"))
        return sorted({*found, *everybody})
    if kind == "back":
        return people(view, [object_id], view.agents(object_id))
    if kind == "charge":
        scopes = [scope_of(one) for one in [object_id, *view.teams.projects(object_id)]]
        return sorted({name for one in scopes for name in frame(view, one)})
    if kind == "global":
        return people(view, [object_id], view.agents(object_id))
    if kind == "agent":
        memories = _shared_with(view, scope)
        owners = {view.held.proof(memory)[1] for memory in memories}
        accounts = {view.held.proof(memory)[0] for memory in memories}
        return people(view, accounts, owners)
    agents = view.members.ever(scope)
    accounts = {view.held.account_of.get(agent, "") for agent in agents}
    accounts |= view.teams.admins(view.teams.team_of(object_id))
    chart = [name for name, _ in _chart(view, object_id)]
    return sorted({*chart, *_handed(view, object_id), *people(view, accounts, agents)})


def lists(view: View, scope: str, names: Iterable[str]) -> list[str]:
    """Return the lists that go with a scope: its own, and those of the devices in its frame.

    What nobody committed to who may have been in charge is no list of a scope.
    """
    scopes = _scopes_of(view, scope)
    found = [one for one in map(view.held.registers.__getitem__, names) if _is_device(one)]
    accounts = {one.object for one in found}
    objects = {one.partition(":")[2] for one in scopes}
    for object_id in objects.union(map(view.teams.team_of, objects)):
        found += [one for _, one in _chart(view, object_id)]
    named = {name for one in found for name in one.value.get("lists", ())}
    held = view.held.lists
    return sorted(
        name for name in named if name in held and held[name].scope in accounts.union(scopes)
    )


def _scopes_of(view: View, scope: str) -> set[str]:
    """Return the teams and projects whose lists go with a scope."""
    kind, _, object_id = scope.partition(":")
    if kind not in ("charge", "own"):
        return {scope} if is_shared(scope) else set()
    teams, scopes = [object_id], set[str]()
    if kind == "own":
        teams = _teams_of(view, object_id)
        scopes = {one for agent in view.agents(object_id) for one in view.scopes_of(agent)}
    objects = [one for team in teams for one in [team, *view.teams.projects(team)]]
    return {one for one in [*scopes, *map(scope_of, objects)] if is_shared(one)}


def _chart(view: View, object_id: str) -> list[Named]:
    """Return the registers of a team or project by those who may have been in charge."""
    return [one for one in view.held.about(object_id) if view.teams.may_have_been(one[1])]


def _handed(view: View, object_id: str) -> list[str]:
    """Return the hand-overs of a project's team: who is in charge says what counts in it.

    Whoever is served the project alone has them from nowhere else.
    """
    steps = view.held.of(view.teams.team_of(object_id), TEAM_ADMIN)
    return [name for name, one in steps if view.teams.may_have_been(one)]


def _is_device(register: Register) -> bool:
    return register.group.startswith(DEVICE)


def records(view: View, scope: str) -> list[str]:
    """Return the registers of memories and links that a scope has."""
    kind, _, account = scope.partition(":")
    if kind in ("own", "back"):
        return [name for name, one in view.held.registers.items() if one.author == account]
    if kind == "charge":
        return []
    found = [name for one in _shared_with(view, scope) for name in record(view, scope, one)]
    return found + _links(view, scope)


def record(view: View, scope: str, memory: str) -> list[str]:
    """Return the registers of one memory that a scope has, of one that was ever shared there."""
    found = [name for name, _ in view.held.of(memory, GRANT + scope)]
    found += [name for name, _ in view.held.of(memory, LIFE)]
    if view.memories.holds(memory, scope):
        found += [name for name, _ in view.memories.living(memory, scope)]
    return found


def written(view: View, memory: str) -> list[str]:
    """Return the registers of one memory that its owner's account is given back.

    Of the contents those that live: what was forgotten is kept for a while where it was, and is
    not the same everywhere.
    """
    return [
        name
        for name, one in view.held.about(memory)
        if one.group != CONTENT or view.memories.lives(memory, one)
    ]


def link_record(view: View, scope: str, link: str) -> list[str]:
    """Return the registers of one link that a team or project has: both ends were shared there."""
    ends = view.held.proof(link)[:2]
    if not is_shared(scope) or not all(view.held.of(end, GRANT + scope) for end in ends):
        return []
    versions = view.held.of(link, LINK)
    return [name for name, one in versions if not view.memories.reason_in(scope, name, one)]


def told(view: View, account: str, mine: Container[str] | None = None) -> list[str]:
    """Return what an account is told of the scopes in which its agents are no more.

    ``mine`` are the places of its memories, where the view does not hold those.
    """
    found: set[str] = set()
    places = _places(view, account) if mine is None else mine
    for scope in view.scopes():
        out = [
            agent
            for agent in view.agents(account)
            if agent in view.members.ever(scope) and not view.members.adds(scope, agent)
        ]
        if out:
            found |= set(_ended(view, scope, places, out))
    return sorted(found)


def signed_by(view: View, names: Iterable[str]) -> list[str]:
    """Return the registers that certify or revoke the devices of these registers' authors."""
    return people(view, {view.held.registers[name].author for name in names}, ())


def token(names: Iterable[str]) -> str:
    """Return what a scope's frame and lists are known by: another one starts its cursors anew."""
    return sha256("".join(sorted(names)).encode()).hexdigest()


def _places(view: View, account: str) -> set[str]:
    memories = view.held.objects("mem_")
    return {kept.place_of(one) for one in memories if view.held.proof(one)[0] == account}


def _ended(view: View, scope: str, mine: Container[str], out: list[str]) -> Iterator[str]:
    object_id = scope.partition(":")[2]
    team = view.teams.team_of(object_id)
    steps = view.held.of(team, TEAM_ADMIN)
    found = [one for one in steps if view.teams.may_have_been(one[1])]
    for name, one in _chart(view, object_id):
        group, _, subject = one.group.partition(":")
        is_mine = group in (TEAM_NARROW, PROJECT_NARROW) and one.value["record"] in mine
        if subject in out or is_mine:
            found.append((name, one))
    names = [name for name, _ in found]
    yield from names
    yield from signed_by(view, names)


def _teams_of(view: View, account: str) -> list[str]:
    return [one for one in view.held.objects("team_") if account in view.teams.admins(one)]


def _shared_with(view: View, scope: str) -> list[str]:
    return [one for one in view.held.objects("mem_") if view.held.of(one, GRANT + scope)]


def _links(view: View, scope: str) -> list[str]:
    return [name for one in view.held.objects("lnk_") for name in link_record(view, scope, one)]


def people(view: View, accounts: Iterable[str], agents: Iterable[str]) -> list[str]:
    """Return the registers of the devices of some accounts, and of some agents."""
    held = view.held
    devices = [
        name
        for account in accounts
        for group in held.groups(account, DEVICE)
        for name, _ in held.of(account, group)
    ]
    profiles = [name for agent in agents for name, _ in held.of(agent, AGENT)]
    return sorted({*devices, *profiles})
