"""The stream of events tells each caller what changed for it, as it happens."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import httpx
import pytest

from agent_memory_os.api import streams
from agent_memory_os.api.streams import Follower, News, _Group
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.events import Event
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


def test_a_stream_ends_with_its_key(fresh: Served) -> None:
    """Once a key is revoked its streams end, and one that only waits shows that it is there."""
    fresh.door.streams.beat = 0.05
    with following(fresh, "eve") as stream, following(fresh, "ann") as other:
        assert next(stream.blocks())["id"] != stream.last
        fresh.node.keys.revoke("eve")
        with pytest.raises(EOFError):
            stream.next()
        kept = fresh.add("ann", "Ann's key is still good.")
        assert other.next().data["id"] == kept


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


def test_a_follower_that_is_too_slow_is_cut_off_before_a_gap() -> None:
    """What cannot be kept for a follower ends its stream, with nothing told after what is lost."""
    nobody: Any = None
    group = _Group("")
    follower = Follower(nobody, Principal.operator(), group)
    queue = next(iter(group.queues))
    for number in range(queue.maxsize + 1):
        group.give(News((Event("memory", str(number), 1),), str(number)))
    assert queue.get_nowait() is None
    assert queue.empty()
    assert not group.queues
    assert follower.cursor == ""
