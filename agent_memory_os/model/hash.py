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
    # hashlib brings OpenSSL, which is a fifth of a bare start of Python. What it falls back on
    # without OpenSSL loads in no time; its name is another one from Python 3.12 on.
    try:
        module = __import__("_sha2")
    except ImportError:
        module = __import__("_sha256")
    found: Callable[[bytes], _Hash] = module.sha256
    return found
