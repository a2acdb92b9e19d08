"""Which process serves a home, and where: ``server.json`` in the home.

Whoever serves holds a lock on that file as long as it lives, so that a home has one server, and the
kernel frees it however the process ends. What stands in the file is for people and commands, who
ask for no lock: a record counts while its server answers at the home's socket, or while its process
lives and its port answers. Whatever else is left of a server that was killed, the next one clears
away.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
import time
from contextlib import suppress
from typing import Any, NamedTuple

from agent_memory_os.errors import Refused
from agent_memory_os.server import sockets

NAME = "server.json"
_LOCKED_AT = 1 << 30
"""The byte that Windows locks: none that is ever written, for there a lock keeps readers out."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""What a link in the record's place leads to is none of ours to write to."""
_TRIES = 50
_PAUSE_SECONDS = 0.02
_PROBE_SECONDS = 2.0
_ANSWER_SECONDS = 5.0


class Record(NamedTuple):
    """A server: its process, where it listens, since when (milliseconds of UTC), its version."""

    pid: int
    host: str
    port: int
    started: int
    version: str

    @property
    def url(self) -> str:
        """Where it is reached from this machine."""
        return sockets.url(sockets.reachable(self.host), self.port)


class Claim:
    """The right to serve a home, held until it is let go or the process ends."""

    def __init__(self, home: str, descriptor: int) -> None:
        self._path = os.path.join(home, NAME)
        self._descriptor = descriptor

    def write(self, record: Record) -> None:
        """Say who serves, and where."""
        text = json.dumps(record._asdict()).encode()
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, text)

    def let_go(self) -> None:
        """Remove the record, and let another serve."""
        with suppress(OSError):  # Windows removes nothing that is open
            os.unlink(self._path)
        os.close(self._descriptor)
        with suppress(OSError):
            if not os.path.getsize(self._path) or sys.platform == "win32":
                os.unlink(self._path)


def claim(home: str) -> Claim:
    """Take the right to serve a home; raise :class:`Refused` where another process has it."""
    path = os.path.join(home, NAME)
    for _ in range(_TRIES):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)
        # The one who had it may have removed the file between our two steps: then it is not this.
        if _is_locked_here(descriptor) and _is_at(path, descriptor):
            os.ftruncate(descriptor, 0)
            return Claim(home, descriptor)
        os.close(descriptor)
        if held := _parsed(path):
            raise Refused(
                f"{home} is served already, at {held.url} (process {held.pid}): stop that server, "
                "or name another home."
            )
        time.sleep(_PAUSE_SECONDS)
    raise Refused(f"{home} is about to be served by another process: wait for it, or stop it.")


def read(home: str) -> Record | None:
    """Return the record of the server that serves a home now, or ``None``."""
    record = _parsed(os.path.join(home, NAME))
    if record is None:
        return None
    is_served = sockets.is_served(home) or (_lives(record.pid) and _answers(record))
    return record if is_served else None


def is_ready(record: Record) -> bool:
    """Ask a server whether it is ready; return whether it says so."""
    connection = http.client.HTTPConnection(
        sockets.reachable(record.host), record.port, timeout=_ANSWER_SECONDS
    )
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _parsed(path: str) -> Record | None:
    try:
        with open(path, encoding="utf-8") as file:
            shape: dict[str, Any] = json.load(file)
        return Record(
            int(shape["pid"]),
            str(shape["host"]),
            int(shape["port"]),
            int(shape["started"]),
            str(shape["version"]),
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None  # being written, or not ours


def _is_locked_here(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _LOCKED_AT, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _lives(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # to ask there would be to interrupt it; the port tells
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return pid != os.getpid()


def _answers(record: Record) -> bool:
    address = (sockets.reachable(record.host), record.port)
    try:
        with socket.create_connection(address, _PROBE_SECONDS):
            return True
    except (OSError, OverflowError):
        return False
