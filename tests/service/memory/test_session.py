"""A session keeps its order: what is put at its end, and how it is read."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agent_memory_os.errors import InvalidInput, KeyReused, TooLarge
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from tests.laws.plan import START, build
from tests.laws.world import World, new_world

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def world() -> Iterator[World]:
    """Give a world with some agents."""
    with new_world() as made:
        yield build(made, START)


def by(world: World, name: str) -> Principal:
    """Return an agent, as who asks."""
    return Principal.of_agent(world.agents[name])


def say(world: World, text: str, who: str = "ann", session: str = "s", key: str = "") -> Memory:
    """Put something at the end of a session of an agent's."""
    new = NewMemory(text, session=session, key=key)
    return world.node.memories.append(by(world, who), new).memory


def told(world: World, who: str = "ann", session: str = "s", owner: str | None = None) -> list[str]:
    """Return what an agent is told of a session, two at a time."""
    found: list[str] = []
    cursor = ""
    while True:
        page = world.node.memories.session(by(world, who), session, owner, 2, cursor)
        found += [memory.content.content for memory in page.memories]
        cursor = page.following
        if not cursor:
            return found


def test_what_is_said_stands_in_its_order(world: World) -> None:
    """Each message is behind the one before it, the same words again too, by owner and session."""
    places = [say(world, text).content.position for text in ("hello", "yes", "hello")]
    assert places == [0, 1, 2]
    assert say(world, "hers", "bob").content.position == 0
    assert say(world, "elsewhere", session="t").content.position == 0
    assert told(world) == ["hello", "yes", "hello"]
    assert told(world, "bob") == ["hers"]
    assert told(world, "bob", owner="ann") == told(world, owner="nobody") == []


def test_two_at_once_get_each_a_place(world: World) -> None:
    """Messages that are put at the same moment by many get each its own position."""
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: say(world, f"number {n}"), range(24)))
    assert sorted(memory.content.position or 0 for memory in made) == list(range(24))
    assert len(told(world)) == 24


def test_a_place_is_not_given_twice(world: World) -> None:
    """What was forgotten keeps its position, and is there again when it is brought back."""
    say(world, "first")
    gone = say(world, "second")
    world.node.memories.forget(by(world, "ann"), gone.id)
    assert say(world, "third").content.position == 2
    assert told(world) == ["first", "third"]
    world.node.memories.bring_back(by(world, "ann"), gone.id)
    assert told(world) == ["first", "second", "third"]


def test_a_message_with_a_key_is_put_once(world: World) -> None:
    """The same key again is the message that is there, in its place; for other words it is none."""
    first = say(world, "hello", key="k")
    say(world, "more")
    assert say(world, "hello", key="k") == first
    assert told(world) == ["hello", "more"]
    with pytest.raises(KeyReused):
        say(world, "another", key="k")


def test_what_has_no_place_is_not_in_the_order(world: World) -> None:
    """A memory that only names a session is in none of its places; imported ones are, as said."""
    add = world.node.memories.add
    add(by(world, "ann"), NewMemory("beside", session="s"))
    add(by(world, "ann"), NewMemory("before", session="s", position=-(2**63)))
    add(by(world, "ann"), NewMemory("also before", session="s", position=-(2**63)))
    add(by(world, "ann"), NewMemory("fifth", session="s", position=5))
    assert say(world, "sixth").content.position == 6
    assert told(world) == ["before", "also before", "fifth", "sixth"]


def test_a_session_is_found_by_the_name_it_was_given(world: World) -> None:
    """A name is cleaned and masked in the same way when it is written and when it is asked for."""
    for name in (" a/b  ", TOKEN, "Größe 1"):
        say(world, f"in {name}", session=name)
        assert len(told(world, session=name)) == 1
    assert not [
        memory for memory in world.node.transfer.export(by(world, "ann")) if TOKEN in memory
    ]


def test_what_is_wrong_is_refused(world: World) -> None:
    """A session without a name, a foreign cursor, and an operator without an owner are refused."""
    ann, ask = by(world, "ann"), world.node.memories.session
    for name in ("", " ", "\n"):
        with pytest.raises(InvalidInput, match="has a name"):
            say(world, "nowhere", session=name)
        with pytest.raises(InvalidInput, match="has a name"):
            ask(ann, name)
    for name in ("s" * 201, "\u00e9" * 201):
        with pytest.raises(TooLarge, match="at most 200"):
            say(world, "nowhere", session=name)
        with pytest.raises(TooLarge, match="at most 200"):
            ask(ann, name)
    for cursor in ("x", "1", "1.x", "zz." + "a" * 32, "f" * 30 + "." + "a" * 32):
        with pytest.raises(InvalidInput, match="no cursor"):
            ask(ann, "s", cursor=cursor)
    with pytest.raises(InvalidInput, match="limit"):
        ask(ann, "s", limit=0)
    with pytest.raises(InvalidInput, match="say whose"):
        ask(Principal.operator(), "s")
    assert ask(Principal.operator(), "s", "ann").memories == ()
    with pytest.raises(InvalidInput, match="for which one"):
        world.node.memories.append(Principal.operator(), NewMemory("x", session="s"))


def test_the_last_place_that_there_is(world: World) -> None:
    """Behind the last position that there can be there is none: that is refused, and said."""
    add = world.node.memories.add
    add(by(world, "ann"), NewMemory("last", session="s", position=2**63 - 1))
    with pytest.raises(InvalidInput):
        say(world, "one more")
    assert told(world) == ["last"]
