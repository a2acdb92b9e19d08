"""Followers of events are told all of it, in bounded room, until the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest

from agent_memory_os.api.stream import follower as follower_of
from agent_memory_os.api.stream import streams
from agent_memory_os.api.stream.follower import Follower
from agent_memory_os.api.stream.streams import Streams
from agent_memory_os.errors import Busy, InvalidInput
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from tests.api.served import Served, opened


@pytest.fixture
def node() -> Iterator[Served]:
    """Give a node that is opened, and nowhere served."""
    with opened() as found:
        yield found


def eve(node: Served) -> Principal:
    """Return agent eve as it acts."""
    return Principal.of_agent(node.node.organisation.agent("eve").id)


def add(node: Served, count: int, words: str = "number") -> list[str]:
    """Let ann share so many memories with eve, and return their ids."""
    ann = Principal.of_agent(node.node.organisation.agent("ann").id)
    many = ((NewMemory(f"{words} {n}"), "agent:eve") for n in range(count))
    return [done.memory.id for done in node.node.memories.add_many(ann, many)]


def during(
    node: Served, act: Callable[[Streams, Follower], Awaitable[None]], *, is_in: bool = True
) -> None:
    """Do something while eve follows what happens."""

    async def work() -> None:
        ending = asyncio.Event()
        found = Streams(node.node, node.door.metrics, ending)
        follower = await found.follow(eve(node), "", lambda: is_in)
        try:
            await act(found, follower)
        finally:
            follower.close()
            ending.set()

    asyncio.run(work())


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until something holds."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - it is no event that tells it
            await asyncio.sleep(0.01)


async def taken(follower: Follower, count: int) -> list[str]:
    """Return the memories of the next events, until there are so many."""
    told: list[str] = []
    async with asyncio.timeout(60):
        while len(told) < count:
            news = await follower.news()
            assert news is not None
            told += [event.memory for event in news.events]
    return told


def test_a_slow_follower_holds_little_and_misses_nothing(
    node: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for a follower is bounded; what it did not take in time it reads from the file."""
    monkeypatch.setattr(streams, "_PORTION", 2)
    monkeypatch.setattr(follower_of, "_WAITING", 3)

    async def act(_: Streams, follower: Follower) -> None:
        kept = add(node, 20)
        await until(lambda: follower.is_behind)
        assert follower.waiting <= 3
        assert await taken(follower, 20) == kept
        more = add(node, 1, "more")
        assert await taken(follower, 1) == more

    during(node, act)


def test_who_may_follow_no_longer_is_told_nothing(node: Served) -> None:
    """Where a key is no longer good there is no news, whatever happened."""

    async def act(_: Streams, follower: Follower) -> None:
        add(node, 1)
        assert await follower.news() is None

    during(node, act, is_in=False)


def test_a_fault_of_a_look_is_no_end(node: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file cannot be read for a moment, it is looked at again."""
    real, calls = node.node.events.pulse, []

    def pulse() -> tuple[int, int]:
        calls.append(1)
        if len(calls) < 3:
            raise Busy("The file is held.")
        return real()

    monkeypatch.setattr(node.node.events, "pulse", pulse)

    async def act(_: Streams, follower: Follower) -> None:
        kept = add(node, 1)
        assert await taken(follower, 1) == kept

    during(node, act)


def test_an_unforeseen_fault_ends_streams(node: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for what nobody looks for any more."""

    def pulse() -> tuple[int, int]:
        raise ZeroDivisionError

    monkeypatch.setattr(node.node.events, "pulse", pulse)

    async def act(found: Streams, follower: Follower) -> None:
        assert await follower.news() is None
        assert found.looking is not None
        with pytest.raises(ZeroDivisionError):
            await found.looking

    during(node, act)


def test_a_place_is_free_again_however_it_ends(node: Served) -> None:
    """Streams that end, or never begin, leave no place taken and nobody looking."""

    async def work() -> None:
        ending = asyncio.Event()
        found = Streams(node.node, node.door.metrics, ending)
        for _ in range(streams.MAX_STREAMS + 1):
            with pytest.raises(InvalidInput):
                await found.follow(eve(node), "x", lambda: True)
            follower = await found.follow(eve(node), "", lambda: True, waits=False)
            news = await follower.news()
            assert news is not None
            assert news.events == ()
            assert await follower.news() is None
            follower.close()
        follower = await found.follow(eve(node), "", lambda: True)
        follower.close()
        await until(lambda: found.looking is None or found.looking.done())

    asyncio.run(work())
