"""One record is judged by the organisation as it is judged among all that is held."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from hypothesis import given

from agent_memory_os.model.authority import write
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.memory import is_shared
from agent_memory_os.model.merge import fault_of
from agent_memory_os.model.register import Register
from agent_memory_os.model.routing import ask, purge, serve
from agent_memory_os.model.routing.shown import shown, shown_link
from tests.laws.judged.drawn import SCOPES, Drawn, worlds
from tests.model.judging import ACCOUNTS, AGENTS

TEAMS = tuple(scope for scope in SCOPES if is_shared(scope))


def organisation(world: Drawn) -> View:
    """Return the view of all that is not about memories and links."""
    found = {n: one for n, one in world.registers.items() if not is_record(one)}
    return View(found, world.lists)


def is_record(register: Register) -> bool:
    """Say whether a register is about a memory or a link."""
    return register.object.startswith(("mem_", "lnk_"))


def alone(world: Drawn, ground: View, *objects: str) -> View:
    """Return the view of some objects, by the organisation."""
    found = {name: one for name, one in world.registers.items() if one.object in objects}
    return ground.about(found)


def judged(view: View, memory: str) -> dict[Any, Any]:
    """Return everything that is asked of a view about a memory."""
    memories = view.memories
    by_scope: dict[str, Callable[[str], Any]] = {
        "length": lambda scope: memories.length(memory, scope),
        "reached": lambda scope: memories.reached(memory, scope),
        "revoked": lambda scope: memories.is_revoked(memory, scope),
        "versions": lambda scope: memories.versions(memory, scope),
        "living": lambda scope: memories.living(memory, scope),
        "shown": lambda scope: memories.shown(memory, [scope]),
        "served": lambda scope: serve.record(view, scope, memory),
    }
    return {
        "audience": memories.audience(memory),
        "own": memories.own(memory),
        "dead": memories.is_dead(memory),
        "again": write.again(view, memory),
        "reads": {name: view.reads(agent).get(memory) for name, agent in AGENTS.items()},
        "written": serve.written(view, memory),
        **{(name, scope): asked(scope) for name, asked in by_scope.items() for scope in SCOPES},
        **{
            (name, trusts): (
                shown(view, account, memory, trusts=trusts),
                purge.is_spent(view, account, memory, trusts=trusts),
            )
            for name, account in ACCOUNTS.items()
            for trusts in (False, True)
        },
    }


@given(worlds)
def test_a_memory_is_judged_alone_as_among_all(world: Drawn) -> None:
    """Whatever is asked about a memory, and of each of its registers, has the same answer."""
    view, ground = world.view(), organisation(world)
    for memory in view.held.objects("mem_"):
        other = alone(world, ground, memory)
        assert judged(other, memory) == judged(view, memory)
        for name, _ in view.held.about(memory):
            reasons = [view.reason(name, scope) for scope in ("", *SCOPES)]
            assert [other.reason(name, scope) for scope in ("", *SCOPES)] == reasons


@given(worlds)
def test_a_question_about_a_memory_is_asked_and_answered_alone(world: Drawn) -> None:
    """What is asked about all memories, and answered, is what is about each of them."""
    view, ground = world.view(), organisation(world)
    alike = [alone(world, ground, memory) for memory in view.held.objects("mem_")]
    for account in ACCOUNTS.values():
        for peer, offered in product(ACCOUNTS.values(), ((), SCOPES[:1], SCOPES)):
            asked = [name for other in alike for name in ask.asks(other, account, peer, offered)]
            assert sorted(ask.asks(view, account, peer, offered)) == sorted(asked)
    for other in alike:
        names = list(other.held.everything)
        assert ask.answers(other, names) == ask.answers(view, names)


@given(worlds)
def test_a_link_is_judged_beside_its_ends(world: Drawn) -> None:
    """With the registers of both ends, a link is shown and served as among all."""
    view, ground = world.view(), organisation(world)
    for link in view.held.objects("lnk_"):
        other = alone(world, ground, link, *view.held.proof(link)[:2])
        for scope in TEAMS:
            assert serve.link_record(other, scope, link) == serve.link_record(view, scope, link)
            assert other.memories.asserted(link, scope) == view.memories.asserted(link, scope)
        for agent in AGENTS.values():
            assert other.links(agent).get(link) == view.links(agent).get(link)
        for account in ACCOUNTS.values():
            assert shown_link(other, account, link) == shown_link(view, account, link)


@given(worlds)
def test_an_organisation_is_the_same_beside_any_record(world: Drawn) -> None:
    """What is about no memory or link is judged without them, and stands under each of them."""
    view, ground = world.view(), organisation(world)
    names = [name for name, one in world.registers.items() if not is_record(one)]
    assert [ground.reason(name) for name in names] == [view.reason(name) for name in names]
    assert ground.scopes() == view.scopes() == alone(world, ground).scopes()
    for scope in TEAMS:
        assert ground.members.members(scope) == view.members.members(scope)
        assert serve.frame(ground, scope) == serve.frame(view, scope)


@given(worlds)
def test_what_is_drawn_has_its_form(world: Drawn) -> None:
    """No world holds what every node refuses."""
    assert [one for one in world.registers.values() if fault_of(one)] == []
