"""One server a home, and who it is."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent_memory_os.errors import Refused
from agent_memory_os.server import record, sockets

GONE = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                      check=True, capture_output=True, text=True)  # fmt: skip


def written(home: Path, **fields: object) -> Path:
    """Write a record by hand, and return its path."""
    whole = {"pid": 1, "host": "127.0.0.1", "port": 9, "started": 0, "version": "0"} | fields
    path = home / record.NAME
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_a_home_is_claimed_once(tmp_path: Path) -> None:
    """While one holds the claim nobody else gets it, and is told where the home is served."""
    held = record.claim(str(tmp_path))
    assert stat.S_IMODE((tmp_path / record.NAME).stat().st_mode) == 0o600
    with pytest.raises(Refused, match="about to be served"):
        record.claim(str(tmp_path))
    held.write(record.Record(os.getpid(), "::1", 8765, 5, "0.1.0"))
    with pytest.raises(Refused, match=r"served already, at http://\[::1\]:8765"):
        record.claim(str(tmp_path))
    held.let_go()
    assert not (tmp_path / record.NAME).exists()
    record.claim(str(tmp_path)).let_go()


@pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators there")
def test_a_link_in_its_place_leads_nowhere(tmp_path: Path) -> None:
    """Where the record is a link, what it leads to is left as it is."""
    (tmp_path / "precious").write_text("mine")
    (tmp_path / record.NAME).symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic link"):
        record.claim(str(tmp_path))
    assert (tmp_path / "precious").read_text() == "mine"


def test_what_a_killed_server_left_is_in_nobodys_way(tmp_path: Path) -> None:
    """A record whose process has ended is no server's, and the next claim takes its place."""
    written(tmp_path, pid=int(GONE.stdout))
    assert record.read(str(tmp_path)) is None
    record.claim(str(tmp_path)).let_go()


def test_a_number_that_was_given_again_is_no_server(tmp_path: Path) -> None:
    """A record whose process lives counts only where its port answers, or the home's socket."""
    with socket.create_server(("127.0.0.1", 0)) as open_port:
        port = open_port.getsockname()[1]
        written(tmp_path, pid=os.getppid(), port=port)
        found = record.read(str(tmp_path))
        assert found is not None
        assert found.url == f"http://127.0.0.1:{port}"
        written(tmp_path, pid=os.getpid(), port=port)
        assert record.read(str(tmp_path)) is None
    written(tmp_path, pid=os.getppid(), port=port)
    assert record.read(str(tmp_path)) is None


def test_the_homes_socket_is_proof_enough(tmp_path: Path) -> None:
    """Where the socket answers the home is served, though its process is of another container."""
    written(tmp_path, pid=int(GONE.stdout), host="0.0.0.0")
    listening = sockets.in_home(str(tmp_path))
    assert listening is not None
    with listening:
        found = record.read(str(tmp_path))
        assert found is not None
        assert found.url == "http://127.0.0.1:9"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": "x"}', "\udcff", '"x"'])
def test_what_is_no_record_is_none(tmp_path: Path, text: str) -> None:
    """A file that is being written, or is damaged, tells of no server and stops none."""
    (tmp_path / record.NAME).write_bytes(text.encode(errors="surrogateescape"))
    assert record.read(str(tmp_path)) is None
    record.claim(str(tmp_path)).let_go()


def test_a_process_of_somebody_else_lives(tmp_path: Path) -> None:
    """A number that no process can have belongs to none; the first process belongs to another."""
    written(tmp_path, pid=1 << 80)
    assert record.read(str(tmp_path)) is None
    written(tmp_path, pid=1, port=1 << 80)
    assert record.read(str(tmp_path)) is None
