"""What the system says of files, in our words: room, permissions, faults."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from agent_memory_os.errors import Busy, DiskFull, ReadOnlyHome, Refused

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_MACHINE = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_CLOSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@contextmanager
def told_as_refusal(path: str) -> Iterator[None]:
    """Turn what the system raises on files inside into one of our errors, about ``path``."""
    try:
        yield
    except OSError as error:
        raise _translation(error, path) from error


def _translation(error: OSError, path: str) -> Refused:
    name = error.filename or path
    if error.errno in _FULL:
        return DiskFull(f"The disk that holds {name} is full; nothing was changed there.")
    if error.errno in _CLOSED:
        return ReadOnlyHome(f"{name} cannot be written to ({error.strerror}); nothing was changed.")
    return Refused(f"{name} cannot be used: {error.strerror or error}.")


@contextmanager
def claimed(folder: str) -> Iterator[None]:
    """Be the only process that puts what is in a folder in order; a process that dies gives it up.

    Raises :class:`Busy` where another one is at it.
    """
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(
                f"Another process is putting {folder} in order; try again when it is done."
            ) from error
        yield
    finally:
        os.close(descriptor)


def file_mark(path: str) -> str:
    """Return what tells one state of a file from another, empty where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"


def home_mark(path: str) -> str:
    """Return what tells a home from a copy of it: the machine, and the number of the file."""
    return f"{machine()}:{os.stat(path).st_ino}"


def machine(sources: Sequence[str] = _MACHINE) -> str:
    """Return what tells this machine from others: nothing in a container, where nothing stays."""
    for source in sources:
        try:
            with open(source, encoding="utf-8") as file:
                found = file.read().strip()
        except (OSError, UnicodeDecodeError):
            continue
        if found:
            return found
    return ""


def free_bytes(path: str) -> int:
    """Return how many bytes may still be written to the disk that a folder is on."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize
