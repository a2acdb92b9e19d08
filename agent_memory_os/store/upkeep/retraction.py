"""What a file says was taken back, read part by part: a part that is damaged is left out."""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.model.organisation import Agent
from agent_memory_os.store import audit
from agent_memory_os.store.database import Database, Row, Snapshot, Transaction
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("retraction")


class Erased(NamedTuple):
    """What is left of an erased memory: its id, its owner, its nonce in hex, when it went."""

    id: str
    owner: str
    nonce: str
    at: int


class Ended(NamedTuple):
    """What has ended: the causal length that it reached, who ended it, and the stamp of that."""

    length: int
    actor: str
    stamp: int


class Known(NamedTuple):
    """An agent as a file knows it: itself, the first name of its id, its register's stamp."""

    agent: Agent
    first_name: str
    stamp: int


class Retractions(NamedTuple):
    """What was taken back up to a change, as far as it could be read.

    ``unswept`` counts erased memories that may have bytes in the file. ``lives`` and ``grants``
    hold what has ended, by its memory (and the group of the grant); ``groups`` the kind and id of
    teams and projects that have ended; ``members`` who is a member of a scope now, and ``removals``
    the digests of all removals of one. ``is_whole`` tells whether all of it could be read.
    """

    last_change: int
    unswept: int
    erased: tuple[Erased, ...]
    lives: Mapping[str, Ended]
    grants: Mapping[tuple[str, str], Ended]
    agents: tuple[Known, ...]
    groups: frozenset[tuple[str, str]]
    members: frozenset[tuple[str, str]]
    removals: frozenset[tuple[str, str, str]]
    is_whole: bool

    def adds_to(self, before: Retractions) -> bool:
        """Say whether more was taken back than before; of lives and grants only what is new."""
        is_same = self._standing() == before._standing()
        return not is_same or bool(self.lives or self.grants)

    def _standing(self) -> tuple[object, ...]:
        """Return what is read whole each time."""
        return (self.erased, self.agents, self.groups, self.members, self.removals, self.is_whole)


_PARTS = (
    *("last_change", "unswept", "erased", "lives", "grants"),
    *("agents", "groups", "members", "removals"),
)
"""The last change is read first: what comes after it is read again the next time."""


def read(database: Database, since: int = 0) -> Retractions:
    """Return what was taken back; of lives and grants what has a change after ``since``."""
    parts = {name: _part(database, name, since) for name in _PARTS}
    held: Mapping[str, list[Row]] = {name: rows or [] for name, rows in parts.items()}
    return Retractions(
        max((row[0] for row in held["last_change"]), default=0),
        max((row[0] for row in held["unswept"]), default=0),
        tuple(Erased(*row) for row in held["erased"]),
        {row[0]: Ended(*row[1:]) for row in held["lives"]},
        {(row[0], row[1]): Ended(*row[2:]) for row in held["grants"]},
        tuple(Known(Agent(*row[:7]), row[7], row[8] or 0) for row in held["agents"]),
        frozenset((row[0], row[1]) for row in held["groups"]),
        frozenset((row[0], row[1]) for row in held["members"]),
        frozenset((row[0], row[1], row[2]) for row in held["removals"]),
        is_whole=all(rows is not None for rows in parts.values()),
    )


def _part(database: Database, name: str, since: int) -> list[Row] | None:
    try:
        with database.read() as snapshot:
            return snapshot.rows(_sql[name], {"since": since})
    except DamagedDatabase:
        return None


def audited(database: Database, since: int) -> list[Row]:
    """Return the lines of the audit since an instant, none where they cannot be read."""
    try:
        with database.read() as snapshot:
            return audit.lines(snapshot, since)
    except DamagedDatabase:
        return []


def members(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return scope and agent of each member, those of teams first."""
    return [(row[0], row[1]) for row in snapshot.rows(_sql["members"])]


def removals(snapshot: Snapshot) -> frozenset[tuple[str, str, str]]:
    """Return scope, agent and digest of each removal from a team or project."""
    return frozenset((row[0], row[1], row[2]) for row in snapshot.rows(_sql["removals"]))


def stamp_of(snapshot: Snapshot, agent: str) -> int:
    """Return the newest stamp of an agent's register, 0 where there is none."""
    return int(snapshot.value(_sql["stamp"], (agent,)) or 0)


def length_of(snapshot: Snapshot, object_id: str, name: str) -> tuple[int, int]:
    """Return the longest causal length of a register, and its stamp; both 0 where there is none."""
    length, stamp = snapshot.row(_sql["length"], (object_id, name)) or (None, None)
    return length or 0, stamp or 0


def bury(transaction: Transaction, erased: Erased) -> None:
    """Keep the tombstone of a memory that is not here, of an owner that is known."""
    nonce = bytes.fromhex(erased.nonce)
    transaction.execute(_sql["bury"], (erased.id, erased.owner, nonce, erased.at))
