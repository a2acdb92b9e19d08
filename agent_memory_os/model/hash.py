"""SHA-256, loaded when something is first hashed: a cold search hashes nothing."""

from __future__ import annotations

from functools import cache

from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from hashlib import _Hash


def sha256(data: bytes = b"") -> _Hash:
    """Return a hash object that has taken in ``data``."""
    return _loaded()(data)


@cache
def _loaded() -> Callable[[bytes], _Hash]:
    from hashlib import sha256 as made

    return made
