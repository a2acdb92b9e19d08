"""Invitations to pair: what this node gave out, how often it was tried, and who came by it."""

from __future__ import annotations

from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("invitation")
_FORM = "ittiiiTI"

MOST_TRIES = 3
KEPT_MS = 86_400_000
"""For how long it is told what became of an invitation."""

OPEN, JOINED, ENDED, BURNT = "open", "joined", "ended", "burnt"


class Invitation(NamedTuple):
    """An invitation: its number and its words, until when it is good, how often it was tried.

    ``scope`` is ``team:ID``, or empty where a further device of the account is invited. ``device``
    is who came by it.
    """

    number: int
    words: str
    scope: str
    created_at: int
    ends_at: int
    tries: int = 0
    device: str | None = None
    joined_at: int | None = None

    def state(self, now: int) -> str:
        """Return what has become of it: ``open``, ``joined``, ``burnt`` or ``ended``.

        One that was tried as often as it may be is burnt for further attempts, though the last of
        them may still come to its end.
        """
        if self.joined_at is not None:
            return JOINED
        if self.ends_at <= now or not self.words:
            return ENDED
        return BURNT if self.tries >= MOST_TRIES else OPEN


def add(transaction: Transaction, invitation: Invitation) -> None:
    """Keep a new invitation; those that ended long ago are dropped on the way."""
    transaction.execute(_sql["drop"], (transaction.now - KEPT_MS,))
    names = ("number", "words", "scope", "created_at", "ends_at")
    transaction.execute(_sql["add"], {name: getattr(invitation, name) for name in names})


def get(snapshot: Snapshot, number: int) -> Invitation | None:
    """Return the invitation of a number, whatever became of it."""
    row = snapshot.row(_sql["get"], (number,))
    return None if row is None else Invitation(*fit(row, _FORM))


def every(snapshot: Snapshot) -> list[Invitation]:
    """Return the invitations that are kept, the newest first."""
    return [Invitation(*fit(row, _FORM)) for row in snapshot.rows(_sql["every"])]


def count_try(transaction: Transaction, number: int) -> None:
    """Count an attempt at an invitation."""
    transaction.execute(_sql["try"], (number,))


def join(transaction: Transaction, number: int, device: str) -> None:
    """Keep who came by an invitation; nobody else can."""
    transaction.execute(_sql["join"], {"number": number, "device": device, "now": transaction.now})


def withdraw(transaction: Transaction, number: int) -> bool:
    """Let nobody join by an invitation any more; say whether somebody could have."""
    return bool(transaction.change(_sql["withdraw"], {"number": number, "now": transaction.now}))


def end_all(transaction: Transaction) -> None:
    """Forget all invitations: in a backup they would have their tries again, and be unused."""
    transaction.execute(_sql["end"])
