"""A server that dies in the middle of something: one sentence, nothing half, and it can go on."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.errors import Unreachable
from agent_memory_os.importers.base import Found
from agent_memory_os.model.recall import Filter
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.service.memory.add import NewMemory
from tests.cli.program import Program
from tests.remote.other import answering, cut_off
from tests.server.process import Server, key_of, serving

MANY = 5_000


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Give the program on a home with agent ann, who acts."""
    program = Program(tmp_path)
    program.do("init", "--agent", "ann")
    return program


def findings(server: Server | None = None, at: int = 0) -> Iterator[Found]:
    """Yield what could be imported; after so many the server dies."""
    for number in range(MANY):
        if server is not None and number == at:
            server.kill()
        words = f"note {number} " + "x" * 200
        yield Found(f"k{number}", words, {"format": "mine", "file": "a"})


def test_an_import_that_does_not_arrive_is_none(program: Program) -> None:
    """Where the server dies while findings are sent, none is there, and a second try is whole."""
    with serving(program) as server:
        node = RemoteNode(f"unix:{server.home}")
        who = node.acting("ann")
        with pytest.raises(Unreachable, match="does not answer"):
            node.transfer.take(who, findings(server, MANY - 100), "")
    assert program.json("list")["memories"] == []
    with serving(program):
        report = node.transfer.take(who, findings(), "")
        assert (report.added, report.known) == (MANY, 0)
        node.close()


def test_an_import_that_is_cut_short_goes_on(program: Program) -> None:
    """Where the server dies while it takes what came, what is there is whole; the rest comes."""
    with serving(program) as server:
        node = RemoteNode(f"unix:{server.home}")
        who = node.acting("ann")
        file = Path(server.home) / "node.db-wal"

        def kill_when_begun() -> None:
            grown = os.path.getsize(file) + 1_000_000
            while os.path.getsize(file) < grown:
                pass
            server.kill()

        killer = threading.Thread(target=kill_when_begun)
        killer.start()
        with pytest.raises(Unreachable, match="does not answer"):
            node.transfer.take(who, findings(), "")
        killer.join()
    assert program.json("check")["ok"]
    with serving(program):
        report = node.transfer.take(who, findings(), "")
        assert report.found == MANY
        assert report.added + report.known == MANY
        assert 0 < report.known < MANY
        node.close()


def test_what_was_acknowledged_is_kept(program: Program) -> None:
    """No add that was answered is lost by a crash, and its key makes it safe to send again."""
    key = key_of(program, "laptop", "--agent", "ann")
    with serving(program) as server:
        node = RemoteNode(server.url, key)
        who = node.acting("ann")
        kept = []
        for number in range(50):
            if number == 40:
                server.kill()
            try:
                new = NewMemory(f"note {number}", key=f"k{number}")
                kept.append(node.memories.add(who, new).memory.id)
            except Unreachable:
                break
        assert len(kept) == 40
        node.close()
    with serving(program) as server:
        node = RemoteNode(server.url, key)
        again = [
            node.memories.add(who, NewMemory(f"note {number}", key=f"k{number}")).memory.id
            for number in range(50)
        ]
        assert again[:40] == kept
        assert len(node.memories.list(who, Filter(), 100).memories) == 50
        node.close()


def test_an_export_that_breaks_off_leaves_no_file(program: Program) -> None:
    """The command writes a file whole or not at all, however its lines end."""
    line = b'{"format":"agent-memory/1","exported_at":1,"account":"x","node":""}\n'
    before = sorted(os.listdir(program.folder))
    with answering(cut_off("application/x-ndjson", line)) as url:
        told = program.fails(1, "export", "--as-operator", "out.jsonl", AGENT_MEMORY_NODE=url)
        assert told == (f"The node at {url} does not answer: it broke off, or does not speak HTTP.")
    assert sorted(os.listdir(program.folder)) == before
