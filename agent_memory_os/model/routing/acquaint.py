"""Acquaintance: whose devices a node may come to know by itself, and how few it exchanges with.

Two accounts that both have somebody in a team share it. The devices of such an account may become
peers without a person adding them, for what both may see of each other: the teams that they share.
That gives nobody a right: what a peer is served follows from the registers, and a ceiling only
reduces it. It ends with the last team that is shared, and with the device.

Not everybody exchanges with everybody: of those that were learned two a time, at random, beside
those that a person added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.team import scope_of
from agent_memory_os.model.register import DEVICE

FEW = 3
"""So many peers are all exchanged with."""

AT_RANDOM = 2
"""How many of those that were learned are exchanged with at a time, where there are more."""

T = TypeVar("T")


def accounts_in(view: View, scopes: Iterable[str]) -> set[str]:
    """Return the accounts that have somebody in one of some teams and projects now."""
    return {
        view.held.account_of[agent]
        for scope in scopes
        for agent in view.members.members(scope)
        if agent in view.held.account_of
    }


def shared(view: View, own: str) -> dict[str, list[str]]:
    """Return the teams that an account shares with each other one, as scopes, by account."""
    found: dict[str, list[str]] = {}
    for team in sorted(view.held.objects("team_")):
        scope = scope_of(team)
        inside = accounts_in(view, [scope])
        for account in inside - {own} if own in inside else ():
            found.setdefault(account, []).append(scope)
    return found


def was_in(view: View, account: str, scope: str) -> bool:
    """Say whether an account ever had somebody in a team or project."""
    return any(view.members.adds(scope, agent) for agent in view.agents(account))


def devices(view: View, account: str) -> list[str]:
    """Return the devices that an account certified and has not revoked."""
    return sorted(
        group.removeprefix(DEVICE)
        for group in view.held.groups(account, DEVICE)
        if not view.devices.revocations(account, group.removeprefix(DEVICE))
    )


def chosen(always: Sequence[T], others: Sequence[T], draw: Callable[[int], int]) -> list[T]:
    """Return who is exchanged with now: all of the first, and few of the others.

    ``draw`` gives a number below the one that it is given, by chance.
    """
    if len(always) + len(others) <= FEW:
        return [*always, *others]
    left, drawn = list(others), list[T]()
    while left and len(drawn) < AT_RANDOM:
        drawn.append(left.pop(draw(len(left))))
    return [*always, *drawn]
