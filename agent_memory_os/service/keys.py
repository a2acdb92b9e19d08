"""Keys of the API: made, listed, renewed and revoked by the operator; checked at each request.

A key is shown once, when it is made or renewed: ``amk_``, its id, ``_`` and a secret of 32 random
bytes. The node keeps the SHA-256 of the secret, which is enough for a secret that nobody can guess.
What is revoked, renewed or expired opens nothing from that moment on, in every process that serves
the node, for each request asks the file.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

from agent_memory_os.errors import AlreadyExists, InvalidInput, NotFound
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.key import (
    KEY_PREFIX,
    Key,
    Limits,
    check_key_name,
    check_kind,
    check_limits,
)
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.store import audit, keys
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.keys import Usage, Use
from agent_memory_os.value import NamedTuple

DAY_MS = 86_400_000
_ID_BYTES = 5
_SECRET_BYTES = 32
_LIVE = "live"
# What an unknown key is compared with, so that it takes as long as a known one.
_NOTHING = sha256(b"").digest()


class MadeKey(NamedTuple):
    """A key, and the text that its bearer shows: it is known now and never again."""

    key: Key
    token: str


class Keys:
    """Every act on keys; but for :meth:`usage` they are the operator's, or the server's own."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def create(
        self,
        name: str,
        kind: str,
        agent: str | None = None,
        *,
        expires_at: int | None = None,
        limits: Limits | None = None,
    ) -> MadeKey:
        """Make a key; ``agent`` is the name or id of the agent that it stands for.

        Raises :class:`AlreadyExists` where a live key has the name.
        """
        from agent_memory_os.service.named import find_agent

        plain = check_key_name(name)
        check_kind(kind, has_agent=agent is not None)
        allowed = check_limits(limits or Limits())
        secret = self._secret()
        with self._database.write() as transaction:
            _check_end(expires_at, transaction.now)
            _check_free(keys.every(transaction), plain)
            bound = find_agent(transaction, agent) if agent is not None else None
            key = Key(
                self._context.entropy(_ID_BYTES).hex(),
                plain,
                kind,
                bound.id if bound else None,
                bound.name if bound else "",
                transaction.now,
                expires_at,
                None,
                None,
                allowed,
            )
            keys.add(transaction, key, _hash(secret))
            audit.add(transaction, OPERATOR, "key create", key.id, kind)
        return MadeKey(key, _token(key.id, secret))

    def list(self) -> tuple[Key, ...]:
        """Return all keys, newest first, revoked ones too."""
        with self._database.read() as snapshot:
            return tuple(keys.every(snapshot))

    def rotate(self, name: str, *, expires_at: int | None = None) -> MadeKey:
        """Give a live key another secret; the old one opens nothing any more.

        It ends when it did before, unless another end is named. Raises :class:`InvalidInput` where
        that is past.
        """
        secret = self._secret()
        with self._database.write() as transaction:
            key = _find(transaction, name)
            ends = key.expires_at if expires_at is None else expires_at
            _check_end(ends, transaction.now)
            keys.renew(transaction, key.id, _hash(secret), ends)
            audit.add(transaction, OPERATOR, "key rotate", key.id)
        return MadeKey(key._replace(expires_at=ends), _token(key.id, secret))

    def revoke(self, name: str) -> Key:
        """Let a live key, by its name or id, open nothing any more."""
        with self._database.write() as transaction:
            key = _find(transaction, name)
            keys.revoke(transaction, key.id)
            audit.add(transaction, OPERATOR, "key revoke", key.id)
            return key._replace(revoked_at=transaction.now)

    def authenticate(self, token: str) -> Key | None:
        """Return the live key that a text is, or ``None``; it takes as long for a wrong one."""
        key_id, _, secret = token.removeprefix(KEY_PREFIX).partition("_")
        with self._database.read() as snapshot:
            held = keys.by_id(snapshot, key_id) if token.startswith(KEY_PREFIX) else None
            now = snapshot.now
        digest = _hash(secret)
        is_right = hmac.compare_digest(digest, held.hash if held else _NOTHING)
        if held is None or not is_right or not held.acts or held.key.state_at(now) != _LIVE:
            return None
        return held.key

    def note(self, used: Iterable[Use], last: Iterable[tuple[str, int]]) -> None:
        """Keep what was used since the last time."""
        with self._database.write() as transaction:
            keys.note(transaction, used, last)

    def sent(self, key_id: str, day: int) -> int:
        """Return how many bytes were sent with a key on a day, as far as it was noted."""
        with self._database.read() as snapshot:
            return keys.used_bytes(snapshot, day, key_id)

    def usage(self, principal: Principal, since: int) -> tuple[Usage, ...]:
        """Return what was used from an instant's day on, by day, key and agent.

        The operator sees all of it, an agent what it used itself.
        """
        with self._database.read() as snapshot:
            return tuple(keys.usage(snapshot, principal, since // DAY_MS))

    def _secret(self) -> str:
        return base64.urlsafe_b64encode(self._context.entropy(_SECRET_BYTES)).decode().rstrip("=")


def _token(key_id: str, secret: str) -> str:
    return f"{KEY_PREFIX}{key_id}_{secret}"


def _hash(secret: str) -> bytes:
    return sha256(secret.encode(errors="replace")).digest()


def _check_free(known: Iterable[Key], name: str) -> None:
    for key in known:
        if key.name == name and key.revoked_at is None:
            told = f"There is a key called {name!r} already: rotate or revoke it."
            raise AlreadyExists(told, "renew_key")
        if key.id == name:
            raise InvalidInput(f"{name} is the id of a key, and no name for another.")


def _find(snapshot: Snapshot, name: str) -> Key:
    return among(keys.every(snapshot), name)


def _check_end(expires_at: int | None, now: int) -> None:
    """Raise :class:`InvalidInput` for an end that is past: such a key would open nothing."""
    if expires_at is not None and expires_at <= now:
        raise InvalidInput(
            "The key would end in the past, and open nothing: say when it ends.", "end_key"
        )


def among(known: Iterable[Key], name: str) -> Key:
    """Return the live one of these keys that a name or id means; else :class:`NotFound`."""
    live = [key for key in known if key.revoked_at is None]
    # An id is one key's for ever; a name may have been given before that id was made.
    found = [key for key in live if key.id == name] or [key for key in live if key.name == name]
    if found:
        return found[0]
    raise NotFound(f"There is no live key called {name!r}.")
