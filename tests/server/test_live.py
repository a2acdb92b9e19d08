"""Upkeep of a node while it is served: examined, backed up, put back, and told of edited files."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import httpx

from tests.cli.program import Program
from tests.server.process import PATIENCE, key_of, serving

AS = "Agent-Memory-As"


@contextmanager
def writing(client: httpx.Client) -> Iterator[list[str]]:
    """Write through a server as long as the block runs; give the ids that were acknowledged."""
    acknowledged: list[str] = []
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            number += 1
            answer = client.post("/v1/memories", json={"content": f"plum number {number}"})
            assert answer.status_code == 201, answer.text
            acknowledged.append(answer.json()["memory"]["id"])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield acknowledged
    finally:
        over.set()
        thread.join()


def test_upkeep_goes_on_while_the_node_is_served(program: Program) -> None:
    """Doctor, mend, check, reindex and backup lose nothing beside a server that writes."""
    token = key_of(program, "laptop", "--agent", "ann")
    with serving(program) as server, server.client(token) as client:
        with writing(client) as acknowledged:
            for words in (
                ("doctor",),
                ("doctor", "--mend"),
                ("check",),
                ("reindex",),
                ("backup", str(program.folder / "b.db")),
            ):
                program.do(*words)
        assert acknowledged
        for memory in acknowledged:
            assert client.get(f"/v1/memories/{memory}").status_code == 200
        faults = [one for one in program.json("doctor")["findings"] if one["state"] == "fault"]
        assert faults == []
    assert program.json("stats")["shown"] == len(acknowledged)


def test_a_restore_takes_place_under_a_live_server(program: Program) -> None:
    """The server goes on with what was restored; what was there is kept, and so are the keys."""
    early = key_of(program, "early", "--agent", "ann")
    lost = key_of(program, "lost", "--agent", "ann")
    program.add("figs")
    copy = program.folder / "b.db"
    program.do("backup", str(copy))
    late = key_of(program, "late", "--agent", "ann")
    program.do("key", "revoke", "lost")
    with serving(program) as server, server.client(early) as client:
        with writing(client) as acknowledged:
            while len(acknowledged) < 10:
                time.sleep(0.01)
            before = list(acknowledged)
            done = program.json("restore", str(copy), "--yes")
        assert not any("key list" in note for note in done["notes"])
        after = acknowledged[-1]
        assert client.get(f"/v1/memories/{after}").status_code == 200
        assert client.get(f"/v1/memories/{before[0]}").status_code == 404
        found = client.get("/v1/memories").json()["memories"]
        assert "figs" in [memory["content"] for memory in found]
        for key, status in ((late, 200), (lost, 401)):
            with server.client(key) as other:
                assert other.get("/v1/memories").status_code == status
        assert server.stop() == 0
    program.do("restore", done["kept"], "--yes")
    for memory in before:
        program.do("get", memory)
    assert not [one for one in program.json("doctor")["findings"] if one["state"] == "fault"]


def test_a_home_that_was_empty_gets_the_keys_of_the_backup(program: Program) -> None:
    """Where nothing is there that knows better, keys are the backup's, and the person is told."""
    token = key_of(program, "laptop", "--agent", "ann")
    copy = program.folder / "b.db"
    program.do("backup", str(copy))
    other = Program(program.folder / "other")
    other.folder.mkdir()
    assert any(
        "agent-memory key list" in note for note in other.json("restore", str(copy))["notes"]
    )
    with serving(other) as server, server.client(token) as client:
        assert client.get("/v1/memories").status_code == 200


def test_a_damaged_file_is_not_swapped_under_a_live_server(program: Program) -> None:
    """What SQLite cannot open any more is put back only when nobody has it open, and it says so."""
    program.add("figs")
    copy = program.folder / "b.db"
    program.do("backup", str(copy))
    path = program.home / "node.db"
    with serving(program) as server:
        assert httpx.get(f"{server.url}/readyz").status_code == 200
        with path.open("r+b") as file:
            file.write(b"no database at all")
        told = program.fails(1, "restore", str(copy), "--yes")
        assert told.endswith(
            "If it is the server: agent-memory service stop, or Ctrl-C where it runs."
        )
        server.stop()
    program.do("restore", str(copy), "--yes")
    assert program.found("figs") == ["figs"]


def test_a_file_that_is_none_is_not_ready(program: Program) -> None:
    """A file that is gone, empty or something else is told, and is one again when it is back."""
    path = program.home / "node.db"
    kept = path.with_name("kept.db")
    with serving(program) as server:
        path.rename(kept)
        for held in (None, b"", b"no database at all" * 1000):
            if held is not None:
                path.write_bytes(held)
            answer = httpx.get(f"{server.url}/readyz")
            assert (answer.status_code, answer.json()["code"]) == (503, "damaged_database"), held
            assert httpx.get(f"{server.url}/healthz").status_code == 200
        kept.rename(path)
        assert httpx.get(f"{server.url}/readyz").status_code == 200


def test_edited_files_are_taken_up_by_a_live_server(program: Program) -> None:
    """Who joins a team in agents.toml sees what the team sees, and a fault narrows until mended."""
    fleet = program.home / "agents.toml"
    fleet.write_text('[agents.ann]\nteams = ["apollo"]\n[agents.bob]\n')
    memory = program.add("figs", "--share", "team:apollo", "--as", "ann")
    token = key_of(program, "bob", "--agent", "bob")
    own = key_of(program, "ann", "--agent", "ann")
    with serving(program) as server, server.client(token) as bob, server.client(own) as ann:
        assert bob.get(f"/v1/memories/{memory}").status_code == 404
        fleet.write_text('[agents.ann]\nteams = ["apollo"]\n[agents.bob]\nteams = ["apollo"]\n')
        eventually(lambda: bob.get(f"/v1/memories/{memory}").status_code == 200)
        fleet.write_text("[agents.ann\n")
        numbers = count()

        def shared() -> httpx.Response:
            body = {"content": f"plum {next(numbers)}", "audience": "team:apollo"}
            return ann.post("/v1/memories", json=body)

        eventually(lambda: shared().json().get("code") == "bad_fleet_file")
        fleet.write_text('[agents.ann]\nteams = ["apollo"]\n[agents.bob]\n')
        eventually(lambda: bob.get(f"/v1/memories/{memory}").status_code == 404)
        assert shared().status_code == 201
        assert server.stop() == 0
    warnings = [line["event"] for line in server.events if line["level"] == "warning"]
    assert warnings == ["an edited file has a fault, see agent-memory doctor"]


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)
