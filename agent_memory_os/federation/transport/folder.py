"""A folder as a transport: a stick, a synchronised folder, a mount, for peers that never meet.

Below the folder each recipient has a folder of the name of its device, and in it one for each
sender: so each file has one that writes it and one that reads it. A bundle is one file; its name
begins with a number that only grows, so that bundles are read in the order in which they were sent.

A file is written under a name that nobody reads, made durable, and renamed: it is there whole or
not at all. What an interrupted write leaves is read by nobody, and cleared away a day later by the
sender. A reader locks the file while it reads, so that two processes of one node never apply it at
once, and removes it when it was taken; where it cannot, it will read it again, which changes
nothing.

Who can write to the folder can put anything there. Nothing is followed or waited for: what is not
a plain file is passed over.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO

from agent_memory_os.errors import Refused
from agent_memory_os.federation.hello import MAX_LINE_BYTES
from agent_memory_os.federation.transport.base import Delivery
from agent_memory_os.store.file.copy import sync_folder
from agent_memory_os.store.file.disk import told_as_refusal

HELLO = "hello.json"
_PART = ".part"
_NAME = re.compile(r"([0-9]{15})-[0-9a-f]{32}\.bundle")
_LEFT_SECONDS = 86_400
_STAYS = frozenset({errno.ENOENT, errno.EACCES, errno.EPERM, errno.EROFS})
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO})


class FolderTransport:
    """One end of a way to one peer, through a folder.

    ``clock`` gives milliseconds of UTC, ``nonce`` 16 random bytes in hex.
    """

    is_live = False

    def __init__(
        self,
        folder: str,
        device: str,
        peer: str,
        clock: Callable[[], int],
        nonce: Callable[[], str],
    ) -> None:
        self._out = os.path.join(folder, peer, device)
        self._in = os.path.join(folder, device, peer)
        self._clock = clock
        self._nonce = nonce

    def hello(self, ours: bytes) -> bytes | None:
        """Show the peer our hello; return its own, or ``None`` while it has shown none."""
        with told_as_refusal(self._out):
            self._write(HELLO, [ours])
        with told_as_refusal(self._in):
            _refuse_link(self._in)
            file = _opened(os.path.join(self._in, HELLO))
            if file is None:
                return None
            with file:
                return file.read(MAX_LINE_BYTES + 1)

    def waits(self) -> bool:
        """Say whether something that was sent lies there for the peer to come by."""
        _refuse_link(self._out)
        with told_as_refusal(self._out):
            return bool(_names(self._out))

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send the pieces of a bundle; where making them fails half way, nothing is sent."""
        with told_as_refusal(self._out):
            _make(self._out)
            self._clear()
            last = max((int(name[:15]) for name in _names(self._out)), default=0)
            number = max(self._clock(), last + 1)
            self._write(f"{number:015}-{self._nonce()}.bundle", bundle)

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Send a bundle that asks, where there is one; yield what the peer has sent, in order."""
        pieces = iter(ask)
        for first in pieces:
            self.push(chain([first], pieces))
        _refuse_link(self._in)
        with told_as_refusal(self._in):
            names = _names(self._in)
        for name in names:
            with told_as_refusal(self._in):
                file = _claimed(os.path.join(self._in, name))
            if file is not None:
                with file:
                    yield Delivery(name, file, partial(self._remove, name))

    def _remove(self, name: str) -> None:
        with told_as_refusal(self._in):
            try:
                os.unlink(os.path.join(self._in, name))
            except OSError as error:
                if error.errno not in _STAYS:
                    raise

    def _write(self, name: str, pieces: Iterable[bytes]) -> None:
        _make(self._out)
        aside = os.path.join(self._out, f".{name}-{self._nonce()}{_PART}")
        try:
            with open(aside, "xb") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, os.path.join(self._out, name))
        except BaseException:
            _drop(aside)
            raise
        sync_folder(self._out)

    def _clear(self) -> None:
        for name in os.listdir(self._out):
            path = os.path.join(self._out, name)
            if name.startswith(".") and name.endswith(_PART) and self._is_left(path):
                _drop(path)

    def _is_left(self, path: str) -> bool:
        try:
            written = os.lstat(path).st_mtime
        except FileNotFoundError:
            return False
        return written < self._clock() / 1000 - _LEFT_SECONDS


def _make(folder: str) -> None:
    _refuse_link(folder)
    os.makedirs(folder, exist_ok=True)


def _refuse_link(folder: str) -> None:
    """Keep to the folder: who can write to it must not lead anybody to another place."""
    for path in (os.path.dirname(folder), folder):
        if os.path.islink(path):
            raise Refused(f"{path} is a link, and what is exchanged has to lie there itself.")


def _drop(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def _names(folder: str) -> list[str]:
    """Return the names of the bundles in a folder, in the order in which they were sent."""
    try:
        return sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))
    except FileNotFoundError:
        return []


def _opened(path: str) -> BinaryIO | None:
    """Return a plain file, opened; ``None`` where there is none, or something else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


def _claimed(path: str) -> BinaryIO | None:
    """Return a file that nobody else is reading; it is let go when it is closed."""
    file = _opened(path)
    if file is None or _is_claimed(file, path):
        return file
    file.close()
    return None


def _is_claimed(file: BinaryIO, path: str) -> bool:
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: what is read twice is applied once all the same.
        return True
    try:
        # Whoever read it before may have removed it since it was opened here.
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False
