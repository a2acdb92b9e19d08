"""A revoked device, a lost root key and a revoked key, by real servers and the command line."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from agent_memory_os.federation import identity
from tests.acceptance.nodes import node, settled, texts
from tests.acceptance.peers.test_pairing import Hub, fresh, join, on_a_terminal, read_until
from tests.server.process import PATIENCE, key_of, serving

SENTENCE = "was revoked by its account"


def lose_the_root_key(home: Path) -> None:
    """Leave a home with the public half of its account's root key."""
    root = identity.public_keys(str(home)).root
    (home / "keys" / "root.pub").write_text(root)
    (home / "keys" / "root.key").unlink()


@pytest.mark.measured
def test_a_revoked_device_is_told_so(tmp_path: Path) -> None:
    """It is told in one sentence when it comes, and when it tries a code; it gets nothing."""
    program = node(tmp_path, "hub", "planner")
    with serving(program) as server:
        hub = Hub(program, server)
        lap = fresh(tmp_path, "lap")
        join(lap, hub, hub.invite("device", "invite"), "--name", "hub", "--called", "lap")
        settled(lap)
        asked = program.fails(1, "device", "revoke", "lap")
        assert asked.startswith("Revoke lap? It cannot be undone.")
        foreseen = program.json("device", "revoke", "lap", "--dry-run")["revocation"]
        done = program.json("device", "revoke", "lap", "--yes")["revocation"]
        assert (foreseen["done"], done["done"]) == (False, True)
        assert {**foreseen, "done": True} == done
        program.add("after the revocation")
        failed = lap.run("sync", "auto", "--jitter", "0")
        assert failed.status == 1
        assert SENTENCE in failed.out
        code = hub.invite("device", "invite")
        told = lap.fails(1, "join", code, "--url", server.url, "--yes")
        assert SENTENCE in told
        assert texts(lap) == []
        assert "revoked" in program.do("peers", "list")
        assert "was revoked already" in program.fails(1, "device", "revoke", "lap", "--yes")
        assert "InvalidTime" not in program.fails(
            2, "device", "revoke", "lap", "--stolen-at", "when the sun set"
        )


@pytest.mark.measured
def test_the_recovery_key_is_shown_once_and_typed_from_then_on(tmp_path: Path) -> None:
    """It is asked for on a terminal, read from a file or the input, and certifies who joins."""
    program = node(tmp_path, "hub", "planner")
    assert "say --yes" in program.fails(1, "recovery-key")
    with on_a_terminal(program, "recovery-key") as (process, screen):
        shown = read_until(screen, "[y/N]")
        with open(screen, "wb", closefd=False) as answer:
            answer.write(b"y\n")
        assert "not on this machine any more" in read_until(screen, "any more")
        assert process.wait(PATIENCE) == 0
    groups = re.findall(r"[a-z2-7]{4}(?:-[a-z2-7]{4}){6}", re.sub(r"\x1b\[\d*m", "", shown))
    assert len(groups) == 2
    assert "is not in" in program.fails(1, "recovery-key", "--yes")
    lose_the_root_key(program.home)
    assert "--recovery-key FILE" in program.fails(1, "device", "invite")
    missing = program.fails(2, "device", "invite", "--recovery-key", groups[0])
    assert groups[0] not in missing
    wrong = " ".join(groups).replace(groups[0][0], "c" if groups[0][0] != "c" else "d", 1)
    told = program.fails(2, "device", "invite", "--recovery-key", "-", stdin=wrong.encode())
    assert "mistyped" in told
    with serving(program) as server, on_a_terminal(program, "device", "invite") as (_, screen):
        read_until(screen, "first line: ")
        with open(screen, "wb", closefd=False) as answer:
            answer.write(f"{groups[0]}\n".encode())
            answer.flush()
            read_until(screen, "second line: ")
            answer.write(f"{groups[1]}\n".encode())
        shown = read_until(screen, "Ctrl-C")
        assert groups[0] not in shown
        code = re.search(r"join (\S+) --url", shown)
        assert code, shown
        lap = fresh(tmp_path, "lap")
        join(lap, Hub(program, server), code[1], "--name", "hub", "--called", "lap")
        assert "lap has joined" in read_until(screen, "this one's")
        read_until(screen, "no words that ever come")
    states = [one["state"] for one in program.json("device", "list")["devices"]]
    assert states == ["certified", "certified"]


def test_a_key_that_is_revoked_elsewhere_ends_what_it_had_open(tmp_path: Path) -> None:
    """Another process revokes it: its stream ends and its next request is refused, at once."""
    program = node(tmp_path, "hub", "planner")
    token = key_of(program, "lost", "--agent", "planner")
    with serving(program) as server, server.client(token) as client:
        begun = threading.Event()
        ended = threading.Event()

        def follow() -> None:
            with client.stream("GET", "/v1/events") as answer:
                for _ in answer.iter_lines():
                    begun.set()
            ended.set()

        thread = threading.Thread(target=follow)
        thread.start()
        assert begun.wait(PATIENCE)
        program.do("key", "revoke", "lost")
        assert ended.wait(PATIENCE)
        thread.join()
        assert client.get("/v1/memories").status_code == 401
