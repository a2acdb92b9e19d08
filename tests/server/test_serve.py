"""The process `agent-memory serve`: where it listens, that it is one a home, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from agent_memory_os.server import record, sockets
from tests.cli.program import Program
from tests.server.process import PATIENCE, Server, key_of, serving
from tools.cli_shapes import COMMANDS


def left_in(program: Program) -> set[str]:
    """Return what only a running server has in a home, as far as it is there."""
    return {name for name in (record.NAME, sockets.NAME) if (program.home / name).exists()}


def test_it_says_where_it_is_and_leaves_nothing(program: Program) -> None:
    """While it runs the home has its record and its socket, for nobody else, and then neither."""
    with serving(program) as server:
        assert set(server.said) == {*COMMANDS["serve"], "notes"}
        assert httpx.get(f"{server.url}/readyz").json() == {"status": "ok"}
        held = record.read(server.home)
        assert held is not None
        assert (held.pid, held.url) == (server.pid, server.url) == (server.said["pid"], held.url)
        for name in (record.NAME, sockets.NAME):
            assert stat.S_IMODE((program.home / name).stat().st_mode) == 0o600
        assert server.stop() == 0
        assert [line["event"] for line in server.events] == [
            "serving", "request", "stopping", "stopped",
        ]  # fmt: skip
    assert left_in(program) == set()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_way_to_be_told_is_an_orderly_end(program: Program, sign: signal.Signals) -> None:
    """Ctrl-C, a service's stop and a closed terminal end it with 0, and use is written down."""
    token = key_of(program, "laptop", "--agent", "ann")
    with serving(program) as server:
        with server.client(token) as client:
            assert client.get("/v1/memories").status_code == 200
        assert server.stop(sign) == 0
    assert left_in(program) == set()
    assert program.json("key", "list")["keys"][0]["last_used_at"] is not None


def test_a_home_has_one_server(program: Program) -> None:
    """A second server on the same home is refused with the first one's URL; another home is not."""
    other = Program(program.folder / "other")
    other.folder.mkdir()
    with serving(program) as server:
        told = program.fails(1, "serve", "--port", "0")
        assert told.startswith(f"{program.home} is served already, at {server.url} (process ")
        with serving(other) as second:
            assert second.url != server.url
            assert httpx.get(f"{second.url}/healthz").status_code == 200
        assert left_in(program) == {record.NAME, sockets.NAME}


def test_the_usual_port_moves_and_a_named_one_does_not(program: Program) -> None:
    """Where a port is taken, only one that nobody named is left for the next, and it says so."""
    with sockets.at_port("127.0.0.1", 0) as listening:
        taken = str(listening.getsockname()[1])
        assert "cannot be used" in program.fails(1, "serve", "--port", taken)
        assert "cannot be used" in program.fails(1, "serve", AGENT_MEMORY_WEB_PORT=taken)
        with (program.home / "node.toml").open("a") as file:
            file.write(f"port = {taken}\n")
        assert "cannot be used" in program.fails(1, "serve")
    with serving(program, "--any") as server:
        assert server.url.endswith(f":{taken}")
    with serving(program, "--any", AGENT_MEMORY_WEB_HOST="127.0.0.2") as server:
        assert server.url == f"http://127.0.0.2:{taken}"
    told = program.fails(2, "serve", AGENT_MEMORY_WEB_PORT="http")
    assert told == "AGENT_MEMORY_WEB_PORT is a whole number from 1 to 65535."


def test_two_homes_share_the_usual_port_in_turn(program: Program) -> None:
    """Without a word on the port, the second of two servers takes the next one and says so."""
    other = Program(program.folder / "other")
    other.folder.mkdir()
    with serving(program, "--any") as first, serving(other, "--any") as second:
        assert first.url != second.url
        moved = [line for line in second.errors if "is taken; this is" in line]
        said = second.said["notes"]
        assert moved or any("is taken; this is" in note for note in said)
        taken = program.folder / "third"
        taken.mkdir()
        assert "Port 8765" in Program(taken).fails(1, "serve", "--strict-port")


def test_beyond_this_machine_it_warns(program: Program) -> None:
    """A host that others reach is warned of and has its own name; no link need be printed."""
    beyond = ("--host", "0.0.0.0", "--name", "memory.example", "--no-sign-in-link")
    with serving(program, *beyond) as server:
        assert server.said["sign_in"] is None
        assert "0.0.0.0" in server.said["notes"][0]
        names = {
            name: httpx.get(f"{server.url}/healthz", headers={"host": name}).status_code
            for name in (socket.gethostname(), "memory.example", "evil.example")
        }
        assert list(names.values()) == [200, 200, 403]


def test_what_it_is_told_wrongly_is_refused(program: Program) -> None:
    """A level that there is not, and a log that cannot be written, are refused in a sentence."""
    assert "no level 'loud'" in program.fails(2, "serve", "--log-level", "loud")
    assert program.fails(1, "serve", "--port", "0", "--log-file", "/dev/null/x/server.log")
    assert left_in(program) == set()


def test_a_log_file_holds_its_lines(program: Program) -> None:
    """With a file for the log nothing of it goes to the standard error."""
    path = program.folder / "logs" / "server.log"
    with serving(program, "--log-file", str(path)) as server:
        assert server.said["sign_in"] is None
        assert server.stop() == 0
        assert server.errors == []
    events = [json.loads(line)["event"] for line in path.read_text().splitlines()]
    assert events == ["serving", "stopping", "stopped"]


def sent_half(server: Server, token: str) -> socket.socket:
    """Begin to send a memory, and leave the rest of its body for later."""
    port = int(server.url.rpartition(":")[2])
    caller = socket.create_connection(("127.0.0.1", port), PATIENCE)
    head = (
        "POST /v1/memories HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {token}\r\ncontent-length: 19\r\nexpect: 100-continue\r\n\r\n"
    )
    caller.sendall(head.encode())
    assert caller.recv(100).startswith(b"HTTP/1.1 100")  # the request is being answered now
    caller.sendall(b'{"content"')
    return caller


def is_refused(server: Server) -> bool:
    """Say whether a new connection is refused."""
    try:
        socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))).close()
    except ConnectionRefusedError:
        return True
    return False


def test_what_has_begun_is_finished(program: Program) -> None:
    """Told to end, it takes no new connection, and answers the write that was under way."""
    token = key_of(program, "laptop", "--agent", "ann")
    with serving(program) as server, sent_half(server, token) as caller:
        server.tell()
        while not is_refused(server):
            time.sleep(0.01)
        caller.sendall(b':"plums"}')
        assert caller.recv(1000).startswith(b"HTTP/1.1 201")
        assert server.end() == 0
    assert program.found("plums") == ["plums"]


def test_nothing_is_waited_for_without_end(program: Program) -> None:
    """What does not finish within the grace is cut short, and the home is left in order."""
    token = key_of(program, "laptop", "--agent", "ann")
    with serving(program, "--grace", "0") as server, sent_half(server, token):
        server.tell()
        assert server.end() in (0, 1)
    assert left_in(program) == set()


def test_a_second_interrupt_ends_at_once(program: Program) -> None:
    """Told twice it waits for nothing, and the home is left in order all the same."""
    token = key_of(program, "laptop", "--agent", "ann")
    with serving(program) as server, sent_half(server, token):
        server.tell(signal.SIGINT)
        while not is_refused(server):
            time.sleep(0.01)
        assert server.stop(signal.SIGINT) == 130
    assert left_in(program) == set()


def test_what_a_killed_server_left_stops_nobody(program: Program) -> None:
    """After a crash the home is served again, and is not said to be served meanwhile."""
    with serving(program) as server:
        server.kill()
    assert left_in(program) == {record.NAME, sockets.NAME}
    assert record.read(str(program.home)) is None
    with serving(program) as server:
        assert httpx.get(f"{server.url}/readyz").status_code == 200


def writes(client: httpx.Client, word: str, acknowledged: list[str]) -> None:
    """Write until the server is gone; note each id that it acknowledged."""
    number = 0
    while True:
        number += 1
        try:
            answer = client.post("/v1/memories", json={"content": f"{word} row {number}"})
        except httpx.HTTPError:
            return
        assert answer.status_code == 201, answer.text
        acknowledged.append(answer.json()["memory"]["id"])


def test_a_kill_under_load_loses_no_acknowledged_write(program: Program) -> None:
    """Round for round, writers are answered until the process is killed, and all of it is there."""
    token = key_of(program, "laptop", "--agent", "ann")
    acknowledged: list[str] = []
    for round_ in range(3):
        with serving(program) as server, ThreadPoolExecutor(4) as pool:
            clients = [server.client(token) for _ in range(4)]
            before = len(acknowledged)
            running = [
                pool.submit(writes, one, f"round {round_} by {who}", acknowledged)
                for who, one in enumerate(clients)
            ]
            while len(acknowledged) < before + 40:
                time.sleep(0.01)
            server.kill()
            for one in running:
                one.result()
            for client in clients:
                client.close()
    with serving(program) as server, server.client(token) as client:
        for memory in acknowledged:
            assert client.get(f"/v1/memories/{memory}").status_code == 200
    assert len(set(acknowledged)) == len(acknowledged)
    assert json.loads(program.do("doctor", "--json"))["findings"]
    assert os.path.exists(program.home / "node.db")


def test_a_home_is_served_from_where_it_lies(tmp_path: Path) -> None:
    """A home whose path is too long for a socket is served at its port."""
    deep = Program(tmp_path / ("d" * 100))
    deep.folder.mkdir()
    with serving(deep) as server:
        assert not (deep.home / sockets.NAME).exists()
        held = record.read(server.home)
        assert held is not None
        assert held.url == server.url
