"""Signing in with a browser: a link that works once, and the session that it opens.

Sessions live in the process alone: when the server stops, everybody signs in again. What is kept
of a code or a session is its SHA-256. A session has a second word, against forged requests, which
the page must send with everything that changes something.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

CODE_MS = 15 * 60_000
SESSION_MS = 12 * 3_600_000
_MOST = 256


class Session(NamedTuple):
    """A browser that signed in: until when, and the word that its changes must carry."""

    ends_at: int
    csrf: str


class Sessions:
    """The codes that may be used once, and the sessions that they opened."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._codes: dict[bytes, int] = {}
        self._sessions: dict[bytes, Session] = {}

    def invite(self) -> str:
        """Return a code that opens one session, within a quarter of an hour."""
        self._sweep()
        code = secrets.token_urlsafe(24)
        self._codes[_name(code)] = self._clock() + CODE_MS
        return code

    def open(self, code: str) -> tuple[str, Session] | None:
        """Return a new session's token and the session, or ``None``; a code works once."""
        self._sweep()
        if self._codes.pop(_name(code), None) is None:
            return None
        token = secrets.token_urlsafe(32)
        session = Session(self._clock() + SESSION_MS, secrets.token_urlsafe(24))
        self._sessions[_name(token)] = session
        return token, session

    def find(self, token: str) -> Session | None:
        """Return the session of a token while it lasts."""
        session = self._sessions.get(_name(token))
        return session if session is not None and session.ends_at > self._clock() else None

    def close(self, token: str) -> None:
        """End a session."""
        self._sessions.pop(_name(token), None)

    def _sweep(self) -> None:
        now = self._clock()
        self._codes = {name: at for name, at in self._codes.items() if at > now}
        held = {name: one for name, one in self._sessions.items() if one.ends_at > now}
        # The newest stay: nobody has so many browsers.
        self._sessions = dict(list(held.items())[-_MOST:])


def is_same(one: str, other: str) -> bool:
    """Say whether two secrets are the same, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode())


def _name(secret: str) -> bytes:
    return sha256(secret.encode(errors="replace")).digest()
