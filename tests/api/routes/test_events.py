"""The stream of events tells each caller what changed for it, as it happens."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

import httpx
import pytest

from agent_memory_os.api.routes import events as routes
from agent_memory_os.api.stream import streams
from tests.api.served import Served, listening, opened


class Told(NamedTuple):
    """An event as it comes: its kind, what it tells, and the id after it, if it has one."""

    kind: str
    data: dict[str, Any]
    id: str


class Stream:
    """An open stream: :meth:`next` waits for what comes next, and :attr:`last` is the last id."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.last = ""
        self._lines = answer.iter_lines()

    def blocks(self) -> Iterator[dict[str, str]]:
        """Yield each block of lines, beats too."""
        block: dict[str, str] = {}
        for line in self._lines:
            name, _, value = line.partition(": ")
            block[name] = value
            if not line:
                yield block
                block = {}

    def next(self) -> Told:
        """Return the next event."""
        for block in self.blocks():
            self.last = block.get("id", self.last)
            if "event" in block:
                return Told(block["event"], json.loads(block["data"]), block.get("id", ""))
        raise EOFError

    def begun(self) -> Stream:
        """Wait until it has told where it begins."""
        self.last = next(self.blocks())["id"]
        return self


@contextmanager
def following(served: Served, who: str, last: str = "") -> Iterator[Stream]:
    """Follow events with a key, from now on or after an id."""
    headers = {"last-event-id": last} if last else {}
    with served[who].stream("GET", "/v1/events", headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = Stream(answer).begun()  # held here: what is let go of is closed
        yield stream


def test_what_happens_is_told_to_whoever_may_know(served: Served) -> None:
    """A change comes to the agents that may read it, and to nobody else."""
    with ExitStack() as stack:
        ann, bob, eve, operator = (
            stack.enter_context(following(served, who)) for who in ("ann", "bob", "eve", "operator")
        )
        private = served.add("ann", "Kept by Ann alone.")
        shared = served.add("ann", "Told to the team.", audience="team:apollo")
        everybody = served.add("ann", "Told to everybody.", audience="global")
        told = {name: Told("memory", {"id": name, "version": 1}, "") for name in (
            private, shared, everybody)}  # fmt: skip
        for stream, known in (
            (ann, (private, shared, everybody)),
            (operator, (private, shared, everybody)),
            (bob, (shared, everybody)),
            (eve, (everybody,)),
        ):
            for name in known:
                assert stream.next()._replace(id="") == told[name]
        served["ann"].post(f"/v1/memories/{shared}/revoke", json={})
        assert bob.next()[:2] == ("gone", {"id": shared})
        served["operator"].delete("/v1/teams/apollo/members/bob")
        assert bob.next()[:2] == ("audience", {})
        served["operator"].put("/v1/teams/apollo/members/bob")


def test_nothing_is_missed_in_between(served: Served) -> None:
    """Whoever comes back with the last id that it saw is told what happened meanwhile."""
    with following(served, "eve") as stream:
        first = served.add("ann", "Told while Eve follows.", audience="agent:eve")
        assert stream.next().data["id"] == first
        last = stream.last
    missed = [served.add("ann", f"Missed {n}.", audience="agent:eve") for n in range(3)]
    served["ann"].patch(f"/v1/memories/{first}", json={"content": "Edited meanwhile."})
    with following(served, "eve", last) as stream:
        told = [stream.next().data for _ in range(4)]
        assert told == [
            *({"id": name, "version": 1} for name in missed),
            {"id": first, "version": 2},
        ]
        later = served.add("ann", "And on it goes.", audience="agent:eve")
        assert stream.next().data["id"] == later


@pytest.mark.parametrize("last", ["x", "0", "a" * 201, "gAAAAA"])
def test_what_is_no_id_is_refused(served: Served, last: str) -> None:
    """Only an id that the node gave to this caller is one."""
    done = served["bob"].get("/v1/events", headers={"last-event-id": last})
    assert (done.status_code, done.json()["code"]) == (422, "invalid_input")


def test_an_id_is_its_caller_s_own(served: Served) -> None:
    """Another caller's id is refused."""
    with following(served, "ann") as stream:
        last = stream.last
    done = served["bob"].get("/v1/events", headers={"last-event-id": last})
    assert done.status_code == 422


def test_without_waiting_a_stream_ends(served: Served) -> None:
    """Whoever does not wait is told what happened meanwhile and where to go on, and that is all."""
    asked = partial(served["eve"].get, "/v1/events", params={"wait": "false"})
    first = ids_of(asked().text)
    assert len(first) == 2
    kept = served.add("ann", "Told later.", audience="agent:eve")
    told = asked(headers={"last-event-id": first[-1]}).text
    assert told.count("event: memory") == 1
    assert kept in told
    again = asked(headers={"last-event-id": ids_of(told)[-1]}).text
    assert "event:" not in again


def ids_of(told: str) -> list[str]:
    """Return the ids in a stream, in order."""
    return re.findall(r"^id: (.+)$", told, re.MULTILINE)


def test_a_stream_ends_with_its_key(fresh: Served) -> None:
    """Once a key is revoked its streams end, at once, and nothing more is told through them."""
    with following(fresh, "eve") as stream, following(fresh, "ann") as other:
        fresh.node.keys.revoke("eve")
        fresh.add("ann", "Eve may read this, and not with that key.", audience="agent:eve")
        assert list(stream.blocks()) == []
        other.next()
        kept = fresh.add("ann", "Ann's key is still good.")
        assert other.next().data["id"] == kept


@pytest.mark.parametrize("act", ["revoke", "rotate", "remove"])
def test_a_stream_ends_where_nothing_else_happens(fresh: Served, act: str) -> None:
    """A key that is revoked or renewed, or whose agent is removed, ends a stream in silence too."""
    fresh.door.streams.beat = 3600
    acts: dict[str, Callable[[str], object]] = {
        "revoke": fresh.node.keys.revoke,
        "rotate": fresh.node.keys.rotate,
        "remove": fresh.node.organisation.remove_agent,
    }
    with following(fresh, "eve") as stream:
        fresh.add("ann", "Something before.", audience="agent:eve")
        stream.next()
        acts[act]("eve")
        assert list(stream.blocks()) == []


def test_a_stream_that_only_waits_shows_that_it_is_there(fresh: Served) -> None:
    """In silence a beat comes now and then, with an id to go on after."""
    fresh.door.streams.beat = 0.05
    with following(fresh, "eve") as stream:
        beats = [next(stream.blocks()) for _ in range(3)]
        assert all(set(beat) == {"", "id"} for beat in beats)
        last = beats[-1]["id"]
    with following(fresh, "eve", last) as stream:
        kept = fresh.add("ann", "After the beat.", audience="agent:eve")
        assert stream.next().data["id"] == kept


def test_what_is_hidden_moves_no_beat(fresh: Served) -> None:
    """What a caller may not know of sends it nothing, not even a sign that it is there."""
    with following(fresh, "eve") as stream, following(fresh, "ann") as witness:
        for number in range(3):
            fresh.add("ann", f"Hidden {number}.")
            witness.next()
        kept = fresh.add("ann", "For Eve.", audience="agent:eve")
        block = next(stream.blocks())
        assert (block["event"], json.loads(block["data"])["id"]) == ("memory", kept)


def test_streams_are_counted(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are so many places for streams, and one that ended makes room for another."""
    monkeypatch.setattr(streams, "MAX_STREAMS", 2)
    with following(fresh, "ann"):
        with following(fresh, "bob"):
            full = fresh["eve"].get("/v1/events")
            assert (full.status_code, full.headers["agent-memory-limit"]) == (429, "streams")
            assert int(full.headers["retry-after"]) > 0
            assert "agent_memory_event_streams 2.0" in fresh["metrics"].get("/metrics").text
        wanted = {"last-event-id": "x"}
        until = 100
        while until and fresh["eve"].get("/v1/events", headers=wanted).status_code == 429:
            until -= 1
        with following(fresh, "eve"):
            pass


def test_nobody_keeps_the_others_out(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """One agent has a part of the places, and who has none of them yet comes in."""
    monkeypatch.setattr(streams, "MAX_OF_ONE", 2)
    with following(fresh, "ann"), following(fresh, "reader"), following(fresh, "bob"):
        full = fresh["ann"].get("/v1/events")
        assert (full.status_code, full.headers["agent-memory-limit"]) == (429, "streams")
        assert "of yours" in full.json()["detail"]


def test_streams_end_with_the_server() -> None:
    """A server that is told to end does not wait for those who follow."""
    ended: list[str] = []

    def follow(served: Served, begun: threading.Event) -> None:
        with following(served, "ann") as stream:
            begun.set()
            with pytest.raises(EOFError):
                stream.next()
            ended.append("ann")

    with opened() as served:
        begun = threading.Event()
        thread = threading.Thread(target=follow, args=(served, begun))
        with listening(served.door) as url:
            served.url = url
            thread.start()
            assert begun.wait(60)
        thread.join(60)
    assert ended == ["ann"]


def test_who_takes_nothing_loses_its_place(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that takes nothing for a while makes room for another."""
    monkeypatch.setattr(routes, "_STALL_SECONDS", 0.2)
    fresh.door.streams.beat = 0  # it says again and again that it is there
    host, port = fresh.url.removeprefix("http://").split(":")
    with socket.socket() as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.connect((host, int(port)))
        key = fresh.keys["eve"]
        asked = f"GET /v1/events HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n\r\n"
        stuck.sendall(asked.encode())
        assert stuck.recv(12) == b"HTTP/1.1 200"
        assert eventually(
            lambda: "agent_memory_event_streams 0.0" in fresh["metrics"].get("/metrics").text
        )


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait until something holds, and say whether it came to that."""
    until = time.monotonic() + 60
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
