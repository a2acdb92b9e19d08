"""The SDK for event loops is that of threads, as coroutines."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent_memory_os import AsyncMemoryClient, MemoryClient
from agent_memory_os.client.following import AsyncFollowing
from agent_memory_os.errors import Busy, InvalidInput, NotFound, UnknownName
from agent_memory_os.service.events import Event, Following, News
from tests.api.served import serving

AGREED = [
    name
    for name, value in vars(MemoryClient).items()
    if not name.startswith("_") and inspect.isfunction(value)
]
Sdk = Callable[..., AsyncMemoryClient]


@pytest.fixture(params=["here", "served"])
def sdk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sdk]:
    """Clients of a node on this machine, and of one that is served."""
    if request.param == "here":
        yield lambda agent, **more: AsyncMemoryClient(str(tmp_path / "home"), agent=agent, **more)
        return
    with serving() as node:
        url, key = node.url, node.keys["operator"]
        yield lambda agent, **more: AsyncMemoryClient(url=url, key=key, agent=agent, **more)


def test_there_is_nothing_that_the_other_lacks() -> None:
    """Both clients have the same public names, and each alias means the same method."""
    names = {
        kind: {name for name in vars(kind) if not name.startswith("_")}
        for kind in (MemoryClient, AsyncMemoryClient)
    }
    assert names[AsyncMemoryClient] - {"notes"} == names[MemoryClient]
    for name in AGREED:
        same = [other for other in AGREED if vars(MemoryClient)[other] is vars(MemoryClient)[name]]
        for other in same:
            assert vars(AsyncMemoryClient)[other] is vars(AsyncMemoryClient)[name]


@pytest.mark.parametrize("name", ["__init__", *AGREED])
def test_a_method_is_the_same_as_a_coroutine(name: str) -> None:
    """Each method has the parameters, the defaults and the words of the other's, and is awaited."""
    ours, theirs = vars(AsyncMemoryClient)[name], vars(MemoryClient)[name]
    assert inspect.signature(ours).parameters == inspect.signature(theirs).parameters
    assert ours.__doc__ == theirs.__doc__ or name == "__init__"
    result = inspect.signature(theirs).return_annotation
    if name == "export":
        assert inspect.isasyncgenfunction(ours)
        result = f"Async{result}"
    else:
        assert inspect.iscoroutinefunction(ours) or name == "__init__"
        result = "AsyncFollowing" if name == "events" else result
    assert inspect.signature(ours).return_annotation == result


def test_every_method_does_what_it_says(sdk: Sdk, tmp_path: Path) -> None:
    """Memories are added, found, changed, connected, moved and forgotten from a loop."""

    async def work() -> None:
        async with sdk("planner") as client:
            assert client.principal == client.principal
            assert client.node.warnings == ()
            assert isinstance(client.notes, tuple)
            one = (await client.add("Deploys go out on Tuesdays.", tags=["ship"])).memory
            many = await client.add_many([{"content": "The gateway listens on 8000."}])
            two = many[0].memory
            assert [hit.memory.id for hit in await client.search("deploys")] == [one.id]
            assert "Tuesdays" in await client.context_pack("deploy")
            assert (await client.pack("deploy", counter=len)).tokens > 0
            assert await client.get(one.id) == one
            assert len((await client.list()).memories) == 2
            assert len(await client.timeline(one.id)) == 2
            await client.update(one.id, content="Deploys: Mondays.", reason="moved")
            assert len(await client.history(one.id)) == 2
            at = one.content.created_at
            assert (await client.as_of(one.id, at)).content.content == one.text
            await client.pin(one.id)
            await client.share(one.id, "global")
            await client.revoke(one.id)
            await client.link(one.id, two.id, "derived_from")
            assert len(await client.links(two.id)) == 1
            await client.unlink(one.id, two.id, "derived_from")
            await client.supersede(two.id, one.id)
            file = tmp_path / "out.jsonl"
            lines = [line async for line in client.export()]
            file.write_text("".join(lines), encoding="utf-8")
            assert (await client.import_path(str(file))).known == 2
            await client.forget(two.id)
            assert (await client.bring_back(two.id)).id == two.id
            await client.forget(two.id, erase=True)
            with pytest.raises(NotFound):
                await client.get(two.id)
            assert (await client.stats()).shown == 1
            assert [one.action for one in (await client.audit()).entries] == ["erase"]

    asyncio.run(work())


def test_events_come_while_the_loop_turns(sdk: Sdk) -> None:
    """What happens is told as it happens; a wait that is given up loses nothing."""

    async def work() -> None:
        async with sdk("planner") as client, await client.events() as events:
            for _ in range(2):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(anext(events), 0.05)
            many = await client.add_many({"content": f"note {number}"} for number in range(3))
            told = [await anext(events) for _ in many]
            assert [one.memory for one in told] == [done.memory.id for done in many]
            assert events.cursor == told[-1].cursor
            await client.forget(told[0].memory)
            late = await client.events(told[-1].cursor, wait=False)
            assert [(one.kind, one.memory) async for one in late] == [("gone", told[0].memory)]
            waiting = asyncio.create_task(_next(late))
            assert await waiting is None
            assert (await anext(events)).kind == "gone"
            waiting = asyncio.create_task(_next(events))
            await asyncio.sleep(0.05)
            await events.close()
            assert await waiting is None
            rest = await client.events(told[0].cursor, wait=False)
            assert await anext(rest)
            await rest.close()
            assert await _next(rest) is None

    asyncio.run(work())


async def _next(events: AsyncFollowing) -> Event | None:
    return await anext(events, None)


def test_what_goes_wrong_with_events_is_told(sdk: Sdk) -> None:
    """A cursor that is none is refused, and a fault of a wait comes where it is waited for."""

    async def work() -> None:
        async with sdk("planner") as client:
            with pytest.raises(InvalidInput, match="no cursor of yours"):
                await client.events("x")

    asyncio.run(work())

    def fail() -> News | None:
        raise Busy("The file is held.")

    async def wait() -> None:
        events = AsyncFollowing(Following(fail, lambda: None, ""))
        for _ in range(2):
            with pytest.raises(Busy):
                await anext(events)

    asyncio.run(wait())


def test_many_at_once(sdk: Sdk) -> None:
    """Many coroutines use one client at once, and the loop turns while they wait."""

    async def work() -> int:
        client = sdk("planner")
        added = [client.add(f"note {number}") for number in range(40)]
        turns: list[int] = []
        turning = asyncio.create_task(_turn(turns))
        await asyncio.gather(*added)
        turning.cancel()
        assert len(turns) > len(added)
        count = len((await client.list(limit=100)).memories)
        await client.close()
        assert len((await client.list(limit=100)).memories) == count
        await client.close()
        await client.close()
        return count

    assert asyncio.run(work()) == 40


async def _turn(turns: list[int]) -> None:
    for turn in range(10_000_000):
        turns.append(turn)
        await asyncio.sleep(0)


def test_a_fault_comes_where_it_is_waited_for(sdk: Sdk) -> None:
    """Nothing is opened before it is used; what cannot be opened is told to whoever awaits it."""

    async def work() -> None:
        client = sdk("ghost", create=False)
        with pytest.raises(UnknownName, match="ghost"):
            await client.list()
        with pytest.raises(UnknownName, match="ghost"):
            async with client:
                pass
        await client.close()

    asyncio.run(work())


def test_what_was_begun_is_finished(sdk: Sdk) -> None:
    """A call that was given up while it ran is finished all the same."""
    begun, given_up = threading.Event(), threading.Event()

    def items() -> Iterator[dict[str, object]]:
        begun.set()
        assert given_up.wait(60)
        yield {"content": "Written all the same."}

    async def work() -> int:
        async with sdk("planner") as client:
            task = asyncio.create_task(client.add_many(items()))
            await asyncio.to_thread(begun.wait, 60)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            given_up.set()
            for _ in range(1000):
                if found := (await client.list()).memories:
                    return len(found)
                await asyncio.sleep(0.01)
            return 0

    assert asyncio.run(work()) == 1
