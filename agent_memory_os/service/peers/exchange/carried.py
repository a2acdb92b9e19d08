"""A bundle that is carried by hand: one file with all that a peer has not confirmed yet.

It holds what this node wants of the peer, and what the peer wants of it, as far as is known; before
the peer has said anything, that is everything which it is served. Nothing is remembered of it here,
for a file may be lost: the next one holds the same again, until something of the peer's has come.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import BinaryIO

from agent_memory_os.errors import AgentMemoryError, AlreadyExists, InvalidInput
from agent_memory_os.federation.bundle import manifest
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import absorb, asking, told
from agent_memory_os.federation.exchange.absorb import Absorber
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.serve import Server, records_of
from agent_memory_os.federation.exchange.session import (
    bundled,
    give_out,
    keep,
    note,
    opening,
    say_heads,
)
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.federation.statement import read_object
from agent_memory_os.store.exchange import route, settle
from agent_memory_os.store.file.disk import told_as_refusal
from agent_memory_os.store.peer.peers import Peer


class Parcel:
    """A bundle of this node for one peer; ``sent`` counts its registers once all of it was made."""

    def __init__(self, local: Local, peer: Peer) -> None:
        self.local = local
        self.peer = peer
        self.sent = 0

    def pieces(self) -> Iterator[bytes]:
        """Yield the lines of the bundle."""
        local, peer = self.local, self.peer
        absorb.due(local)
        settle.refresh(local.database)
        say_heads(local, peer)
        wanted = Part("", told.of_want(asking.want(local, peer)))
        with local.database.read() as snapshot:
            server = Server(local, snapshot, peer, told.want_of(peer.wants) or Want())
            server.room = sys.maxsize
            newest = route.newest(snapshot)
            server.given = dict.fromkeys(filter(None, map(records_of, server.offered)), newest)
            give_out(local, server)
            parts = chain([opening(server.chart), wanted], server.parts())
            yield from bundled(local, peer, parts)
        keep(local, server)
        self.sent = server.lines.sent


def take(local: Local, peer: Peer, file: BinaryIO) -> Absorbed:
    """Take in a bundle of a peer that was carried here."""
    absorb.due(local)
    found = Absorber(local, peer).take(file)
    note(local, peer, found, is_live=False)
    settle.refresh(local.database)
    return found


def path_of(text: str) -> str:
    """Return the whole path of a file or folder that was named."""
    if not text.strip():
        raise InvalidInput("The file or folder that was named is empty; name one.")
    return os.path.abspath(os.path.expanduser(text))


def check_free(path: str, *, replace: bool) -> None:
    """Raise :class:`AlreadyExists` for a file that is there, unless it may be replaced."""
    if os.path.lexists(path) and not replace:
        raise AlreadyExists(f"{path} is there already.", "replace")


def write(pieces: Iterable[bytes], path: str) -> None:
    """Write a bundle to a file: whole, or not at all."""
    unfinished = f"{path}.new"
    with told_as_refusal(path):
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        except BaseException:
            os.unlink(unfinished)
            raise


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a bundle that was carried here, or raise :class:`InvalidInput` where none is."""
    with told_as_refusal(path):
        try:
            file = open(path, "rb")  # noqa: SIM115 - closed below, where it was read
        except FileNotFoundError as error:
            raise InvalidInput(f"There is no bundle at {path}.") from error
    with file:
        yield file


def sender_of(file: BinaryIO, called: str) -> str:
    """Return who says to have sent a bundle, which is read from its beginning again."""
    try:
        line = file.readline(manifest.MAX_LINE_BYTES + 1)
        found = read_object(line, manifest.MAX_LINE_BYTES).get("sender")
    except AgentMemoryError as error:
        told = f"{called} is no bundle of a node: of its first line, {error}."
        raise InvalidInput(told) from error
    file.seek(0)
    return found if isinstance(found, str) else "nobody"
