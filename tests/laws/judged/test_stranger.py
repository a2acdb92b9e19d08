"""Whatever somebody writes who was never let in changes nothing for those who are."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.routing import ask, purge, serve
from tests.laws.judged.drawn import SCOPES, Drawn, apart
from tests.model.judging import ACCOUNTS, AGENTS, TEAM

EVE = ACCOUNTS["eve"]
HONEST = ("ann", "bob")


def without(world: Drawn) -> View:
    """Return the view of what the others wrote."""
    kept = {name: one for name, one in world.registers.items() if one.author != EVE}
    return View(kept, world.lists)


def offered(view: View, account: str) -> list[str]:
    """Return what an account is offered, but for eve's own team."""
    own = {"charge:" + one for one in view.held.objects("team_") if one != TEAM}
    return [one for one in serve.offered(view, account) if one not in own]


def seen(view: View) -> dict[str, Any]:
    """Return what the others see, keep and are sent, but for eve's own memories and links."""

    def others(found: dict[str, str]) -> dict[str, str]:
        return {m: n for m, n in found.items() if view.held.registers[n].author != EVE}

    memories = [m for m in view.held.objects("mem_") if view.held.proof(m)[0] != EVE]
    scopes = [*SCOPES[:2], "charge:" + TEAM]
    frames = {scope: serve.frame(view, scope) for scope in scopes}
    return {
        "reads": {name: others(view.reads(AGENTS[name])) for name in HONEST},
        "links": {name: others(view.links(AGENTS[name])) for name in HONEST},
        "members": {scope: view.members.members(scope) for scope in SCOPES[:2]},
        "ever": {scope: view.members.ever(scope) for scope in SCOPES[:2]},
        "line": view.teams.line(TEAM),
        "frames": frames,
        "lists": {scope: serve.lists(view, scope, names) for scope, names in frames.items()},
        "offered": {name: offered(view, ACCOUNTS[name]) for name in HONEST},
        "told": {name: serve.told(view, ACCOUNTS[name]) for name in HONEST},
        "void": {n: why for n, why in view.void().items() if view.held.registers[n].author != EVE},
        "spent": {
            (name, memory): purge.is_spent(view, ACCOUNTS[name], memory)
            for name in HONEST
            for memory in memories
        },
    }


@given(apart)
def test_a_stranger_changes_nothing_for_others(world: Drawn) -> None:
    """With all that a stranger wrote and without it, the others see and are sent the same."""
    assert seen(world.view()) == seen(without(world))


@given(apart)
def test_a_stranger_gets_nothing_of_the_team(world: Drawn) -> None:
    """It is offered no scope of the team, told nothing, and answered about its own alone."""
    view = world.view()
    assert not {*serve.offered(view, EVE)} & {*SCOPES[:2], "charge:" + TEAM}
    assert serve.told(view, EVE) == []
    mine = [name for name, one in world.registers.items() if one.author == EVE]
    about = {world.registers[name].object for name in ask.answers(view, mine)}
    owners = {view.held.proof(one)[0] for one in about if one.startswith("mem_")}
    assert owners <= {EVE}
