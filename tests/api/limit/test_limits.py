"""What a key may use at most is held for each key, and told when it is reached."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from agent_memory_os.api.meter import Meter
from agent_memory_os.model.key import Limits
from agent_memory_os.service.keys import DAY_MS
from agent_memory_os.store.keys import Use
from agent_memory_os.wire.problem import MEDIA_TYPE
from tests.api.served import Served, serving

MINUTE_MS = 60_000


@pytest.fixture
def still() -> Iterator[Served]:
    """Give a node that is served, whose clock stands still at noon unless it is moved."""
    with serving() as found:
        found.clock.stop_at(found.clock() // DAY_MS * DAY_MS + DAY_MS // 2)
        yield found


def refused(done: httpx.Response, limit: str) -> int:
    """Check that an answer says that a limit is reached; return after how many seconds it ends."""
    assert (done.status_code, done.headers["content-type"]) == (429, MEDIA_TYPE)
    assert done.json()["code"] == "limit_reached"
    assert done.headers["agent-memory-limit"] == limit
    return int(done.headers["retry-after"])


def add(client: httpx.Client, content: str) -> httpx.Response:
    """Add a memory."""
    return client.post("/v1/memories", json={"content": content})


def test_requests_come_back_bit_by_bit(still: Served) -> None:
    """A key may ask so often in a minute, and again as soon as it is told."""
    client = still.limited("slow", "ann", requests=3)
    assert [client.get("/v1/whoami").status_code for _ in range(3)] == [200] * 3
    wait = refused(client.get("/v1/whoami"), "requests")
    assert 0 < wait <= MINUTE_MS // 3000 + 1
    still.clock.ahead += wait * 1000
    assert client.get("/v1/whoami").status_code == 200
    refused(client.get("/v1/whoami"), "requests")
    assert still["ann"].get("/v1/whoami").status_code == 200
    still.clock.ahead += 10 * MINUTE_MS
    assert [client.get("/v1/whoami").status_code for _ in range(4)] == [200] * 3 + [429]


def test_writes_are_counted_apart(still: Served) -> None:
    """A key may write so often in a minute, and read on meanwhile; a question is no write."""
    client = still.limited("careful", "ann", writes=2)
    assert [add(client, f"number {n}").status_code for n in range(2)] == [201] * 2
    refused(add(client, "number 2"), "writes")
    assert client.get("/v1/memories").status_code == 200
    assert client.post("/v1/search", json={"query": "number"}).status_code == 200
    still.clock.ahead += MINUTE_MS
    assert add(client, "number 2").status_code == 201


def test_bytes_are_counted_by_day(still: Served) -> None:
    """A key may send so many bytes in a day of UTC, however they are sent."""
    client = still.limited("small", "ann", bytes=500)
    assert add(client, "a" * 300).status_code == 201
    wait = refused(add(client, "b" * 300), "bytes")
    assert wait == DAY_MS // 2000 + 1

    def pieces() -> Iterator[bytes]:
        yield b'{"content": "'
        yield b"c" * 300
        yield b'"}'

    json = {"content-type": "application/json"}
    refused(client.post("/v1/memories", content=pieces(), headers=json), "bytes")
    assert add(client, "d" * 100).status_code in (201, 429)
    still.clock.ahead += wait * 1000
    assert add(client, "e" * 300).status_code == 201


def test_bytes_that_come_at_once_are_counted_together(still: Served) -> None:
    """However many requests a key sends side by side, all of them have one day's bytes."""
    client = still.limited("small", "ann", bytes=1000)
    waiting = threading.Barrier(8)

    def send(number: int) -> int:
        def pieces() -> Iterator[bytes]:
            yield b'{"content": "'
            waiting.wait(60)  # each was let in before any of them has sent much
            yield b"a" * 300 + b"%d" % number
            yield b'"}'

        kind = {"content-type": "application/json"}
        return client.post("/v1/memories", content=pieces(), headers=kind).status_code

    with ThreadPoolExecutor(8) as pool:
        done = sorted(pool.map(send, range(8)))
    assert set(done) == {201, 429}
    assert done.count(201) <= 3
    refused(add(client, "b" * 300), "bytes")


def test_bytes_are_known_after_a_restart(still: Served) -> None:
    """What was sent earlier in the day counts, too, where another server begins."""
    client = still.limited("small", "ann", bytes=500)
    assert add(client, "a" * 300).status_code == 201
    still.keep_use(1)
    (key,) = [key for key in still.node.keys.list() if key.name == "small"]
    day = still.clock() // DAY_MS
    assert 300 < still.node.keys.sent(key.id, day) < 400
    assert still.node.keys.sent(key.id, day - 1) == 0
    fresh = Meter(still.clock)
    assert fresh.left(key.id, 500, still.node.keys.sent) < 200


def test_memories_are_limited_in_the_write_itself(still: Served) -> None:
    """An agent owns no more through a key than that allows, by whichever route they come."""
    client = still.limited("few", "eve", memories=2)
    assert [add(client, f"number {n}").status_code for n in range(2)] == [201] * 2
    first = add(client, "number 0")
    assert first.status_code == 200
    assert refused(add(client, "number 2"), "memories") > 0
    batch = {"memories": [{"content": "number 2"}]}
    refused(client.post("/v1/memories/batch", json=batch), "memories")
    note, kind = b"# Deploys\n\nThey go out on Tuesdays.\n", {"content-type": "text/markdown"}
    taken = client.post("/v1/import", params={"name": "notes.md"}, content=note, headers=kind)
    refused(taken, "memories")
    one = first.json()["memory"]["id"]
    assert client.delete(f"/v1/memories/{one}").status_code == 200
    assert add(client, "number 2").status_code == 201
    refused(client.post(f"/v1/memories/{one}/bring-back"), "memories")
    assert add(still["eve"], "Another key of hers has no limit.").status_code == 201


def test_use_is_told_by_key_agent_and_team(still: Served) -> None:
    """The operator is told what everybody used, an agent what it used itself, nobody the rest."""
    add(still["ann"], "Ann wrote this.")
    still["bob"].get("/v1/memories")
    still["operator"].get("/v1/agents")
    still.keep_use(3)
    told = still["operator"].get("/v1/usage").json()["usage"]
    rows = {row["key"]: row for row in told}
    assert set(rows) == {"ann", "bob", "operator"}
    assert rows["ann"]["agent"] == "ann"
    assert rows["ann"]["teams"] == ["apollo"]
    assert (rows["ann"]["requests"], rows["ann"]["writes"]) == (1, 1)
    assert rows["ann"]["bytes"] > 20
    assert (rows["bob"]["writes"], rows["operator"]["agent"]) == (0, None)
    mine = still["bob"].get("/v1/usage").json()["usage"]
    assert [row["key"] for row in mine] == ["bob"]
    assert still["eve"].get("/v1/usage").json() == {"usage": []}
    later = still["operator"].get("/v1/usage", params={"since": "2999-01-01T00:00:00Z"})
    assert later.json() == {"usage": []}


def test_what_cannot_be_written_down_is_kept(still: Served) -> None:
    """What was used is not lost where the file cannot be written to for a while."""
    meter, now = Meter(still.clock), still.clock()
    meter.note("key", "agent", is_write=True, size=7)
    used, last = meter.drain()
    meter.note("key", "agent", is_write=False, size=5)
    meter.take_back(used, last)
    assert meter.drain() == ([Use(now // DAY_MS, "key", "agent", 2, 1, 12)], [("key", now)])
    assert meter.drain() == ([], [])


def test_a_limit_is_of_a_key_and_not_of_its_agent(still: Served) -> None:
    """Two keys of one agent have a limit each."""
    made = [still.limited(name, "ann", requests=1) for name in ("one", "two")]
    assert [client.get("/v1/whoami").status_code for client in made] == [200, 200]
    assert [client.get("/v1/whoami").status_code for client in made] == [429, 429]
    assert Limits() == Limits(None, None, None, None)
