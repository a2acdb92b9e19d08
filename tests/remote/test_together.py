"""A served home may be used as a file meanwhile: both write, and both see what was written."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from agent_memory_os import MemoryClient
from tests.api.served import Served, serving

EACH = 40
WRITER = """\
import sys
from agent_memory_os import MemoryClient
home, agent, name, count = sys.argv[1:]
with MemoryClient(home, agent=agent) as client:
    for number in range(int(count)):
        memory = client.add(f"{name} {number}", share="team:apollo").memory
        client.update(memory.id, importance=0.9)
        assert client.get(memory.id).importance == 0.9
"""


def through(place: str, key: str | None, name: str, faults: list[BaseException]) -> None:
    """Write through the server, as the child writes to the file."""
    try:
        with MemoryClient(url=place, key=key, agent="ann") as client:
            for number in range(EACH):
                memory = client.add(f"{name} {number}", share="team:apollo").memory
                client.update(memory.id, importance=0.9)
                assert client.get(memory.id).importance == 0.9
    except (Exception, AssertionError) as fault:  # noqa: BLE001 - handed to the test
        faults.append(fault)


@pytest.mark.parametrize("processes", [1, 2])
def test_both_write_at_once(processes: int) -> None:
    """Nothing of either is lost, each reads its own writes, and the other's as soon as it looks."""
    with serving() as served:
        command = [sys.executable, "-c", WRITER, served.home, "bob"]
        children = [
            subprocess.Popen([*command, f"file{number}", str(EACH)]) for number in range(processes)
        ]
        faults: list[BaseException] = []
        ways = {"port": served.url, "socket": f"unix:{served.home}"}
        threads = [
            threading.Thread(target=through, args=(url, key_for(served, name), name, faults))
            for name, url in ways.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [child.wait() for child in children] == [0] * processes
        assert not faults
        wanted = {
            f"{name} {number}"
            for name in (*ways, *(f"file{one}" for one in range(processes)))
            for number in range(EACH)
        }
        with (
            MemoryClient(served.home, agent="bob") as here,
            MemoryClient(url=served.url, key=served.keys["bob"]) as there,
        ):
            for client in (here, there):
                page = client.list(limit=1000)
                assert {memory.text for memory in page.memories} == wanted
                assert all(memory.version == 2 for memory in page.memories)
            kept = here.add("Said at the file.").memory
            assert [hit.memory.id for hit in there.search("said at the file", limit=1)] == [kept.id]
            there.forget(kept.id)
            assert "Said at the file." not in {
                memory.text for memory in here.list(limit=1000).memories
            }
        assert served.node.upkeep.check().ok


def key_for(served: Served, name: str) -> str | None:
    """Return what opens the node by a way."""
    return served.keys["ann"] if name == "port" else None
