"""One exchange with a peer at a time, in all processes: a lock on a file in the home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from agent_memory_os.store.file.disk import told_as_refusal

FOLDER = "locks"


@contextmanager
def turn(home: str, device: str) -> Iterator[bool]:
    """Say whether it is this process's turn with a peer; a process that dies gives its turn up."""
    import fcntl

    path = os.path.join(home, FOLDER, f"{device}.lock")
    with told_as_refusal(path):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
