"""Following a served node: through breaks, until it is closed or may not be followed any more."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.errors import AgentMemoryError, LimitReached, Unauthenticated, Unreachable
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote import events as remote
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.service.events import Event, Following
from agent_memory_os.service.memory.add import NewMemory
from tests.api.served import Served, serving
from tests.cli.program import Program
from tests.remote.other import answering, says
from tests.server.process import Server, key_of
from tests.server.process import serving as in_process

STREAM = "text/event-stream"


@pytest.fixture
def served() -> Iterator[Served]:
    """Give a node that is served for one test alone."""
    with serving() as found:
        yield found


def as_agent(served: Served, name: str) -> tuple[RemoteNode, Principal]:
    """Return a node that is reached with an agent's key, and the agent as it acts."""
    node = RemoteNode(served.url, served.keys[name])
    return node, node.acting(None)


def test_events_come_in_order_with_cursors(served: Served) -> None:
    """Each event comes once, with what to go on after; what came together has one cursor."""
    node, eve = as_agent(served, "eve")
    ann = Principal.of_agent(served.node.organisation.agent("ann").id)
    with node.events.follow(eve) as events:
        many = [(NewMemory(f"number {n}"), "agent:eve") for n in range(250)]
        kept = [done.memory.id for done in served.node.memories.add_many(ann, many)]
        told = [next(events) for _ in kept]
        assert [event.memory for event in told] == kept
        half = told[125].cursor
    with node.events.follow(eve, half, wait=False) as again:
        rest = [event.memory for event in again]
        assert rest == kept[-len(rest) :]
        assert set(kept[126:]) <= set(rest)
    assert not list(again)
    node.close()


def test_a_stream_that_breaks_off_is_opened_again(tmp_path: Path) -> None:
    """Whoever follows through a crash and a new start of the server misses nothing."""
    program = Program(tmp_path)
    program.do("init", "--agent", "ann")
    key = key_of(program, "laptop", "--agent", "ann")
    with in_process(program) as server:
        port = server.url.rpartition(":")[2]
        node = RemoteNode(server.url, key)
        events = node.events.follow(node.acting(None))
        first = program.add("before")
        assert next(events).memory == first
        server.kill()
    second = program.add("while nobody serves it")
    waiting = Waiting(events)
    again = Server(program, "--port", port)
    try:
        assert waiting.result().memory == second
        assert again.stop() == 0
        waiting = Waiting(events)
        third = program.add("after an orderly end")
        last = Server(program, "--port", port)
        assert waiting.result().memory == third
        last.kill()
    finally:
        events.close()
        for one in (again, last):
            if one.is_on:
                one.kill()
        node.close()


class Waiting:
    """A thread that waits for the next event."""

    def __init__(self, events: Following) -> None:
        self._found: list[Event | AgentMemoryError | None] = []
        self._thread = threading.Thread(target=self._wait, args=(events,))
        self._thread.start()

    def _wait(self, events: Following) -> None:
        try:
            self._found.append(next(events, None))
        except AgentMemoryError as error:
            self._found.append(error)

    def result(self) -> Event:
        """Return the event that it got."""
        found = self.outcome()
        assert isinstance(found, Event)
        return found

    def outcome(self) -> Event | AgentMemoryError | None:
        """Return the event, the error, or that there is none any more."""
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self._found[0]


def test_a_revoked_key_ends_it(served: Served) -> None:
    """Whoever may follow no longer is told so, and does not try again and again."""
    node, eve = as_agent(served, "eve")
    with node.events.follow(eve) as events:
        waiting = Waiting(events)
        served.node.keys.revoke("eve")
        assert isinstance(waiting.outcome(), Unauthenticated)
    node.close()


@pytest.mark.parametrize("is_served", [True, False])
def test_closing_wakes_who_waits(served: Served, is_served: bool) -> None:  # noqa: FBT001
    """A wait ends when another thread closes it, here and over the wire, and its place is free."""
    node, eve = as_agent(served, "eve")
    events = (node if is_served else served.node).events.follow(eve)
    waiting = Waiting(events)
    time.sleep(0.1)
    events.close()
    assert waiting.outcome() is None
    assert next(events, None) is None
    events.close()
    assert is_free(served)
    node.close()


def is_free(served: Served) -> bool:
    """Wait until no place of a stream is taken, and say whether it came to that."""
    until = time.monotonic() + 60
    while served.door.streams.count and time.monotonic() < until:
        time.sleep(0.01)
    return served.door.streams.count == 0


def test_what_nobody_follows_any_more_takes_no_place(served: Served) -> None:
    """An iterator that was left behind is closed."""
    node, eve = as_agent(served, "eve")
    for _ in range(8):
        assert node.events.follow(eve).cursor
    assert is_free(served)
    node.close()


def test_too_many_streams_are_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """One stream too many is refused as a limit is."""
    monkeypatch.setattr("agent_memory_os.api.stream.streams.MAX_STREAMS", 1)
    node, eve = as_agent(served, "eve")
    with node.events.follow(eve), pytest.raises(LimitReached, match="streams of events"):
        node.events.follow(eve)
    node.close()


BAD = [
    says("200 OK", "application/json", b"{}"),
    says("200 OK", STREAM, b""),
    says("200 OK", STREAM, b": \n\n"),
    says("200 OK", STREAM, b"id: a\n\nevent: memory\ndata: 7\nid: b\n\n"),
    says("200 OK", STREAM, b"id: a\n\nevent: memory\ndata: {\nid: b\n\n"),
    says("200 OK", STREAM, b'id: a\n\nevent: gone\ndata: {"version": 1}\nid: b\n\n'),
    says("200 OK", STREAM, b"id: a\n\n"),
    says("200 OK", STREAM, b"id: a\n\n" + b"event: memory\ndata: {}\n\n" * 1001),
    says("502 Bad Gateway", "text/html", b"<h1>no</h1>"),
]


@pytest.mark.parametrize("answer", BAD)
def test_what_is_no_stream_of_a_node_is_told(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever answers in a node's place is told in one sentence."""
    monkeypatch.setattr(remote, "_TRIES", 2)
    with answering(answer) as url:
        node = RemoteNode(url)
        with pytest.raises(Unreachable), node.events.follow(Principal.operator()) as events:
            next(events)
        node.close()


def test_a_server_that_stays_away_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a stream broke off and nobody answers for a while, that is an error."""
    monkeypatch.setattr(remote, "_TRIES", 2)
    whole = b'id: a\n\nevent: later\ndata: {}\n\nevent: gone\ndata: {"id": "m"}\nid: b\n\n'
    with answering(says("200 OK", STREAM, whole)) as url:
        node = RemoteNode(url)
        events = node.events.follow(Principal.operator())
        assert next(events) == Event("gone", "m", None, "b")
    with pytest.raises(Unreachable, match="does not answer"):
        next(events)
    events.close()
    node.close()
