"""Law 1 of what is told as it happens: a reader learns what changed for it, and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import AUDIENCE, GONE, MEMORY, Event
from tests.laws.event import View, ever_readable, told, view
from tests.laws.plan import START, VERBS, Step, build, plans, some, steps, take
from tests.laws.world import World, new_world

KEPT = [*START, Step("add", 0, 16), Step("add", 0, 48), Step("add", 0, 4), Step("add", 1)]
"""Ann shares with a team, with it and its project, and with bob; bob keeps one to himself."""

OFTEN = ("share", "share", "share", "revoke", "edit", "forget", "bring back", "erase", "leave")
HAPPENS = steps((*OFTEN, *OFTEN, *VERBS))


def readers(world: World) -> dict[str, Principal]:
    """Return who may ask for events in a world, by names for reports."""
    return world.principals()


@some(3)
@given(st.lists(HAPPENS, min_size=1, max_size=12))
def test_each_step_tells_each_reader_what_it_changed_for_it(plan: list[Step]) -> None:
    """After any step every reader is told exactly what it can see of it, and else nothing."""
    with new_world() as world:
        build(world, KEPT)
        events = world.node.events
        for step in plan:
            before = {who: view(world, one) for who, one in readers(world).items()}
            cursors = {who: events.begin(one) for who, one in readers(world).items()}
            take(world, step)
            for who, reader in readers(world).items():
                if who in before:
                    found, _ = events.since(reader, cursors[who])
                    assert len(set(found)) == len(found)
                    expected = told(before[who], view(world, reader))
                    assert set(found) == expected, f"{who} after {step}"


@some(0.8)
@given(plans())
def test_many_steps_at_once_tell_no_more(plan: list[Step]) -> None:
    """Whoever asks late learns of all that is there or gone, in any portions, and of no secret."""
    with new_world() as world:
        build(world, KEPT)
        events = world.node.events
        began = {who: view(world, one) for who, one in readers(world).items()}
        cursors = {who: events.begin(one) for who, one in readers(world).items()}
        build(world, plan)
        for who, reader in readers(world).items():
            if who in began:
                whole, end = events.since(reader, cursors[who])
                assert events.since(reader, end)[0] == ()
                hidden = world.hidden_words(reader)
                gone = {event.memory for event in whole if event.kind == GONE}
                assert gone <= ever_readable(world, reader)
                shown = {event.memory for event in whole} - gone
                assert not shown & set(hidden)
                check_whole(began[who], view(world, reader), whole)
                in_parts, cursor = list[Event](), cursors[who]
                while part := events.since(reader, cursor, 2):
                    in_parts += part[0]
                    cursor = part[1]
                    if not part[0]:
                        break
                memories = [event for event in in_parts if event.kind == MEMORY]
                assert memories == [event for event in whole if event.kind == MEMORY]


def check_whole(before: View, after: View, whole: tuple[Event, ...]) -> None:
    """Check what must be told of many steps: every difference, unless all is to be read again."""
    if not after.is_there:
        assert whole == ()
        return
    kinds = {event.kind for event in whole}
    named = {event.memory: event for event in whole}
    if (before.scopes, before.is_there) != (after.scopes, after.is_there):
        assert AUDIENCE in kinds
    if AUDIENCE in kinds:
        return
    for name, state in after.memories.items():
        if before.memories.get(name) != state:
            assert named[name].kind == MEMORY
            assert named[name].version == state[0]
    for name in set(before.memories) - set(after.memories):
        assert named[name].kind == GONE


@some(0.4)
@given(plans(10))
def test_what_is_hidden_changes_no_event(plan: list[Step]) -> None:
    """What happens out of a reader's sight changes neither what it is told, nor the order."""
    with new_world() as world:
        build(world, START)
        ann = Principal.of_agent(world.agents["ann"])
        dan = world.node.organisation.add_agent("dan2")
        world.node.organisation.add_team("hiddenteam")
        world.node.organisation.join("dan2", "team:hiddenteam")
        events, cursor = world.node.events, world.node.events.begin(ann)
        quiet = world.node.events.begin(ann)
        for number, step in enumerate(plan):
            _happen_apart(world, dan.id, number)
            assert events.since(ann, quiet)[0] == (), step
            take(world, step)
            quiet = events.begin(ann)
        told_of, _ = events.since(ann, cursor)
        assert all(event.memory not in world.hidden_words(ann) or event.kind == GONE
                   for event in told_of)  # fmt: skip


def _happen_apart(world: World, agent: str, number: int) -> None:
    """Let an agent that shares with nobody do all that can be done to a memory of its own."""
    from agent_memory_os.service.memory.add import NewMemory

    apart, memories = Principal.of_agent(agent), world.node.memories
    kept = memories.add(apart, NewMemory(f"apart {number}"), "team:hiddenteam").memory
    memories.edit(apart, kept.id, {"content": f"apart again {number}"})
    memories.revoke(apart, kept.id)
    memories.share(apart, kept.id, "team:hiddenteam")
    memories.forget(apart, kept.id)
    if number % 2:
        memories.bring_back(apart, kept.id)
    elif number % 3:
        memories.erase(apart, [kept.id])
