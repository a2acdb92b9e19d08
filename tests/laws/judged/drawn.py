"""Worlds of registers that Hypothesis draws: honest and hostile writes of three accounts.

A world grows by moves, each a few numbers that say who writes what, by what it relies on, and from
when; so a failing one shrinks. Nothing is refused but what no node would take for its form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from agent_memory_os.model import register as group
from agent_memory_os.model.authority import kept, write
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.identifier import link_id, memory_id, team_id
from tests.model.judging import ACCOUNTS, AGENTS, CONTENT, DEVICES, PROJECT_SCOPE, TEAM_SCOPE, Small

PEOPLE = ("ann", "bob", "eve")
SCOPES = (TEAM_SCOPE, PROJECT_SCOPE, "global", *(f"agent:{AGENTS[name]}" for name in PEOPLE))
Move = tuple[int, ...]


class Drawn(Small):
    """A world that grows by moves; in some nobody lets eve in or puts her in charge but herself."""

    def __init__(self, moves: list[Move], *, lets_in: bool = True) -> None:
        super().__init__(PEOPLE)
        self.lets_in = lets_in
        self.team()
        self.chart(group.PROJECT_NAME, {"name": "site"})
        for name in PEOPLE[:2]:
            self.insider("add", name, under=self.member("add", name))
        for move in moves:
            self.grow(move)

    def grow(self, move: Move) -> None:
        """Make one write."""
        kind, who, rest = move[0] % len(MOVES), PEOPLE[move[1] % 3], list(move[2:])
        MOVES[kind](self, who, rest)

    def choice(self, rest: list[int], *values: Any) -> Any:  # noqa: ANN401 - one of any values
        """Take the next number, and by it one of some values."""
        return values[(rest.pop() if rest else 0) % len(values)]

    def other(self, who: str, rest: list[int]) -> str:
        """Return somebody whom a person adds, removes or hands over to."""
        return str(self.choice(rest, *(PEOPLE if self.lets_in or who == "eve" else PEOPLE[:2])))

    def step(self, who: str, rest: list[int]) -> str:
        """Return by what somebody claims to be in charge."""
        held = self.view().held
        steps = [
            name for team in held.objects("team_") for name, _ in held.of(team, group.TEAM_ADMIN)
        ]
        mine = [name for name in steps if self.registers[name].value["to"] == ACCOUNTS[who]]
        return str(self.choice(rest, "", *mine, *steps))

    def add_of(self, who: str, scope: str, rest: list[int]) -> str:
        """Return an add that somebody's write names: the first that holds, or any."""
        if not scope.startswith(("team:", "project:")):
            return ""
        held = self.view().held
        kind, _, object_id = scope.partition(":")
        entries = [
            name
            for other in (who, *PEOPLE)
            for name, one in held.of(object_id, f"{kind}.member:{AGENTS[other]}")
            if one.value["act"] == "add"
        ]
        standing = sorted(self.view().members.adds(scope, AGENTS[who]))
        return str(self.choice(rest, *standing, *standing, *entries, "ab" * 32))

    def lists_of(self, made: list[Kept], rest: list[int]) -> tuple[Kept, ...]:
        """Return the lists of a register as they are made, some of them away or cut."""
        fate = self.choice(rest, 0, 0, 0, 1, 2)
        if fate == 1:
            return tuple(made[1:])
        return (
            tuple(one._replace(entries=one.entries[::2]) for one in made) if fate else tuple(made)
        )


def content(world: Drawn, who: str, rest: list[int]) -> None:
    """Write a content, now or dated back."""
    scope = world.choice(rest, *SCOPES, "")
    add = world.add_of(who, scope, rest)
    world.say(
        who,
        world.choice(rest, "a", "b"),
        scope,
        add,
        number=world.choice(rest, 0, 1),
        life=world.choice(rest, 1, 1, 3),
        stamp=world.choice(rest, None, None, 1 << 16, (1 << 16) + 40),
        device=world.choice(rest, 0, 0, 1),
    )


def grant(world: Drawn, who: str, rest: list[int]) -> None:
    """Switch a grant."""
    scope, length = world.choice(rest, *SCOPES), world.choice(rest, 1, 1, 2, 3)
    add = world.add_of(who, scope, rest) if length % 2 else ""
    device, number = world.choice(rest, 0, 0, 1), world.choice(rest, 0, 1)
    world.grant(who, scope, add, length, number=number, device=device)


def shared(world: Drawn, who: str, rest: list[int]) -> None:
    """Write a content and open its scope, as honest people do."""
    scope, number = world.choice(rest, *SCOPES), world.choice(rest, 0, 1)
    standing = sorted(world.view().members.adds(scope, AGENTS[who]))
    add = standing[0] if standing else ""
    if standing or not scope.startswith(("team:", "project:")):
        world.say(who, world.choice(rest, "a", "b"), scope, add, number=number)
        world.grant(who, scope, add, number=number)


def life(world: Drawn, who: str, rest: list[int]) -> None:
    """End a memory, or bring it back."""
    world.end(who, world.choice(rest, 2, 2, 3, 4), world.choice(rest, 0, 1))


def link(world: Drawn, who: str, rest: list[int]) -> None:
    """Assert a link, or take it back."""
    weight, scope = world.choice(rest, 300, 300, 0), world.choice(rest, TEAM_SCOPE, PROJECT_SCOPE)
    world.link(
        who, weight, scope if weight else "", world.add_of(who, scope, rest) if weight else ""
    )


def member(world: Drawn, who: str, rest: list[int]) -> None:
    """Add or remove somebody, in charge or not."""
    act, whom = world.choice(rest, "add", "remove"), world.other(who, rest)
    scope, step = world.choice(rest, TEAM_SCOPE, PROJECT_SCOPE), world.step(who, rest)
    view, object_id = world.view(), scope.partition(":")[2]
    more: dict[str, Any] = {}
    if act == "remove":
        more["lists"] = world.lists_of(write.frozen(view, object_id, AGENTS[whom]), rest)
    elif world.choice(rest, 1, 1, 0):
        more["sees"] = write.sees(view, scope, AGENTS[whom])
    if scope == PROJECT_SCOPE and act == "add":
        more["under"] = world.add_of(whom, TEAM_SCOPE, rest)
    (world.member if scope == TEAM_SCOPE else world.insider)(act, whom, by=who, step=step, **more)


def charge(world: Drawn, who: str, rest: list[int]) -> None:
    """Hand the team over, or take it back, in charge or not."""
    view, by = world.view(), world.choice(rest, "admin", "admin", "recovery")
    to = ACCOUNTS[world.other(who, rest)]
    value = {
        "to": to,
        "by": by,
        "turn": view.teams.turn(TEAM_SCOPE[5:]) + 1 if by == "recovery" else 0,
    }
    step = world.step(who, rest) if by == "admin" else ""
    lists = world.lists_of(write.remaining(view, TEAM_SCOPE[5:]), rest)
    world.chart(group.TEAM_ADMIN, value, by=who, step=step, lists=lists)


def rival(world: Drawn, who: str, rest: list[int]) -> None:
    """Hand a team of one's own over to oneself."""
    proof = (ACCOUNTS[who], "ef" * 16)
    value = {
        "to": ACCOUNTS[world.choice(rest, who, *PEOPLE)],
        "by": "admin",
        "turn": 0,
        "lists": [],
    }
    world.put(who, team_id(*proof), group.TEAM_ADMIN, value, proof)


def narrow(world: Drawn, who: str, rest: list[int]) -> None:
    """Take a memory out of the team or the project, in charge or not."""
    memory = world.memory(world.choice(rest, *PEOPLE), world.choice(rest, 0, 1))[0]
    name = world.choice(rest, group.TEAM_NARROW, group.PROJECT_NARROW)
    value = {"record": kept.place_of(memory), "length": world.choice(rest, 2, 1, 4)}
    world.chart(name, value, by=who, step=world.step(who, rest))


def theft(world: Drawn, who: str, rest: list[int]) -> None:
    """Revoke the second device of somebody, who spares some of what it wrote."""
    device = DEVICES[who][1][0]
    view = world.view()
    names = sorted(world.registers)[:: world.choice(rest, 1, 2, 3)]
    lists = world.lists_of([write.spared(view, ACCOUNTS[who], device, set(names))], rest)
    sees = write.seen_revocations(view, ACCOUNTS[who], device) if world.choice(rest, 0, 1) else []
    world.certify(who, 1, state="revoked", sees=sees, lists=lists)


def planted(world: Drawn, who: str, rest: list[int]) -> None:
    """Write as another account's agent, under one's own account."""
    whom = world.choice(rest, *PEOPLE)
    proof = (ACCOUNTS[who], AGENTS[whom], "0" * 31 + str(world.choice(rest, 0, 1)))
    memory = memory_id(*proof)
    scope = world.choice(rest, *SCOPES)
    relies = {scope: world.add_of(whom, scope, rest)}
    world.put(who, memory, group.CONTENT, {**CONTENT, "content": "planted"}, proof, relies)
    value = {"length": 1, "by": AGENTS[whom]}
    shared = relies if scope.startswith(("team:", "project:")) else {}
    world.put(who, memory, group.GRANT + scope, value, proof, shared)


def weigh(world: Drawn, who: str, rest: list[int]) -> None:
    """Assert a link in the name of another's agent."""
    whom = world.choice(rest, *PEOPLE)
    ends = (world.memory("ann")[0], world.memory("bob")[0])
    proof = (*ends, "related_to", AGENTS[whom])
    relies = {TEAM_SCOPE: world.add_of(whom, TEAM_SCOPE, rest)}
    value = {"weight": world.choice(rest, 0, 900)}
    world.put(who, link_id(*proof), group.LINK, value, proof, relies if value["weight"] else {})


MOVES: tuple[Callable[[Drawn, str, list[int]], None], ...] = (
    shared,
    content,
    grant,
    life,
    link,
    member,
    charge,
    narrow,
    rival,
    theft,
    planted,
    weigh,
)

numbers = st.lists(st.integers(0, 11), min_size=2, max_size=9).map(tuple)
moves = st.lists(numbers, max_size=14)
worlds = moves.map(Drawn)
"""Worlds of three accounts, of which two have agents in the team and its project."""
apart = moves.map(lambda found: Drawn(found, lets_in=False))
"""Worlds in which the third was never let in by anybody who had the right to."""
