"""What is held, and what it means, follows from what was written and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.register import Register, to_bytes
from agent_memory_os.model.routing.slot import Slot, displaced, pinned, slot_of
from tests.laws.judged.drawn import SCOPES, Drawn, worlds
from tests.model.judging import ACCOUNTS, AGENTS, TEAM

CHANCE = st.integers(0, 2**32).map(Random)


def kept_of(world: Drawn, order: Iterable[str]) -> dict[str, Register]:
    """Return what a store keeps that takes registers in, one by one, in an order."""
    pins = pinned(world.lists)
    held: dict[str, Register] = {}
    slots: dict[Slot, set[str]] = {}
    for name in order:
        register = held[name] = world.registers[name]
        slot = slot_of(register)
        if slot is not None:
            names = slots.setdefault(slot, set())
            names.add(name)
            for gone in displaced([(one, held[one]) for one in names], pins):
                names.discard(gone)
                del held[gone]
    return held


def answers(view: View) -> dict[str, Any]:
    """Return what people see of a view."""
    return {
        "reads": {name: view.reads(agent) for name, agent in AGENTS.items()},
        "links": {name: view.links(agent) for name, agent in AGENTS.items()},
        "members": {scope: view.members.members(scope) for scope in SCOPES[:2]},
        "admin": view.teams.admin(TEAM),
        "line": view.teams.line(TEAM),
    }


@given(worlds, CHANCE)
def test_any_order_is_kept_the_same(world: Drawn, chance: Random) -> None:
    """In any order, in parts and repeated, a store keeps the same registers, byte for byte."""
    names = list(world.registers)
    first = kept_of(world, names)
    chance.shuffle(names)
    again = kept_of(world, [*names, *names[: len(names) // 2]])
    assert sorted(map(to_bytes, first.values())) == sorted(map(to_bytes, again.values()))
    half = names[: len(names) // 2]
    parts = [*kept_of(world, half), *kept_of(world, names[len(names) // 2 :])]
    assert kept_of(world, parts).keys() == first.keys()


@given(worlds, CHANCE)
def test_the_order_of_a_set_changes_nothing(world: Drawn, chance: Random) -> None:
    """A view answers the same, whatever order its registers and lists are in."""
    names, lists = list(world.registers), list(world.lists)
    chance.shuffle(names)
    chance.shuffle(lists)
    other = View(
        {name: world.registers[name] for name in names},
        {name: world.lists[name] for name in lists},
    )
    view = world.view()
    assert answers(other) == answers(view)
    assert other.void() == view.void()


@given(worlds)
def test_what_is_not_kept_is_missed_by_nobody(world: Drawn) -> None:
    """What a store keeps means what all of it would mean: no void version hides one that counts."""
    held = View(kept_of(world, world.registers), world.lists)
    assert answers(held) == answers(world.view())


@given(worlds)
def test_a_view_does_not_change(world: Drawn) -> None:
    """What is added to a set afterwards is no part of a view that was made of it."""
    view = world.view()
    before = answers(View(dict(world.registers), dict(world.lists)))
    world.registers.clear()
    world.lists.clear()
    assert answers(view) == before
    assert view.agents(ACCOUNTS["ann"]) == [AGENTS["ann"]]
