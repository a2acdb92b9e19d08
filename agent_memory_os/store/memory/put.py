"""Writing memories: the view of their registers, made as each is logged.

The functions here are called only for a register that was just logged, and change what readers
find: a memory's row with its earlier versions, its life, and the spans of its grants.
"""

from __future__ import annotations

from agent_memory_os.model.canonical import digest, encode
from agent_memory_os.model.memory import Content, to_value
from agent_memory_os.store.database import Row, Transaction
from agent_memory_os.store.memories import Place, by_row, place_of, same_key, scope_row
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from agent_memory_os.model.register import Register
    from agent_memory_os.store.database import Snapshot

_sql = Queries("memory")

_COLUMNS = (
    "id",
    "owner",
    "nonce",
    *Content._fields,
    "stamp",
    "version",
    "same",
    "changed",
    "state",
)


class Fresh(NamedTuple):
    """A memory that is new here: its row, its content, and the number of its register."""

    row: int
    register: Register
    content: Content
    owner_row: int
    same: bytes | None
    number: int


def insert(
    transaction: Transaction,
    register: Register,
    content: Content,
    owner_row: int,
    same: bytes | None,
    number: int,
) -> int:
    """Show the content of a memory that is new here, by the register's number; return its row."""
    return transaction.insert(
        "memories", _COLUMNS, _row(register, content, owner_row, same, number)
    )


def insert_many(transaction: Transaction, fresh: Iterable[Fresh]) -> None:
    """Show the contents of memories that are new here, and active, in their rows."""
    rows = [
        (one.row, *_row(one.register, one.content, one.owner_row, one.same, one.number))
        for one in fresh
    ]
    transaction.insert_many("memories", ("rowid", *_COLUMNS), rows)


def _row(
    register: Register, content: Content, owner_row: int, same: bytes | None, number: int
) -> tuple[object, ...]:
    nonce = bytearray.fromhex(register.proof[2])
    tail = (register.stamp, 1, None if same is None else bytearray(same), number, "active")
    return (register.object, owner_row, nonce, *_fields_of(content), *tail)


def next_row(snapshot: Snapshot) -> int:
    """Return the row that the next memory has: for the writer alone."""
    return int(snapshot.value(_sql["last_row"])) + 1


def insert_grant(
    transaction: Transaction, row: int, scope_row: int, content: Content, actor: str
) -> None:
    """Show a grant that a memory came with."""
    insert_grants(transaction, [first_grant(transaction.now, row, scope_row, content, actor)])


def first_grant(
    now: int, row: int, scope_row: int, content: Content, actor: str
) -> tuple[object, ...]:
    """Return the row of a grant that a memory came with."""
    return (row, scope_row, max(now, content.updated_at), actor)


def insert_grants(transaction: Transaction, rows: Iterable[tuple[object, ...]]) -> None:
    """Show grants that memories came with."""
    transaction.many(_sql["grant"], rows)


def put_content(
    transaction: Transaction,
    register: Register,
    content: Content,
    owner_row: int,
    number: int,
    *,
    is_own: bool = True,
) -> tuple[int, bool]:
    """Show the content of a register by its number; return the row, and whether it is new here.

    Where it ``is_own``, of this account, another memory that says the same is found by it.
    """
    place = place_of(transaction, register.object)
    same = same_key(owner_row, content) if is_own else None
    if place is None:
        return insert(transaction, register, content, owner_row, same, number), True
    held = by_row(transaction, place.row).content
    # The row says something else from now on: what it said is kept with the registers that remain.
    value = encode(to_value(held)).decode()
    name = bytearray(digest(to_value(content)))
    transaction.execute(_sql["keep_value"], (value, register.object, name))
    if held._replace(life=content.life) == content:
        transaction.execute(_sql["restamp"], (register.stamp, content.life, number, place.row))
        return place.row, False
    version = place.version
    if _without_circumstance(held) != _without_circumstance(content):
        _keep_version(transaction, place, held, content.updated_at)
        version += 1
    tail = (register.stamp, version, same, number, place.row)
    transaction.execute(_sql["update"], (*_fields_of(content), *tail))
    return place.row, False


def put_life(transaction: Transaction, register: Register, length: int) -> int | None:
    """Show what a life register says; return the memory's row if its content is here."""
    place = place_of(transaction, register.object)
    if place is None:
        return None
    # Imported here, as below, for a cold search reads and needs none of it.
    from agent_memory_os.model.register import time_of
    from agent_memory_os.model.view import is_alive

    alive = is_alive(place.life, length)
    at = None if alive else time_of(register.stamp)
    transaction.execute(_sql["set_state"], ("active" if alive else "forgotten", at, place.row))
    return place.row


def put_grant(
    transaction: Transaction, register: Register, actor: str, *, holds: bool
) -> int | None:
    """Show what a grant register says; return the memory's row if its content is here."""
    place = place_of(transaction, register.object)
    if place is None:
        return None
    from agent_memory_os.model.register import GRANT

    scope = scope_row(transaction, register.group.removeprefix(GRANT))
    # The audience changes after all that was there before, whatever the clock says: who is let in
    # now must not be shown a version that was over by then, and who goes has seen the present one.
    began = place.updated_at if holds else place.updated_at + 1
    at = max(transaction.now, began, last_grant_change(transaction, register.object))
    if holds:
        # Two grants of one scope never begin at the same instant: each has a span of its own.
        last = transaction.value(_sql["last_grant"], (place.row, scope))
        since = at if last is None else max(at, last + 1)
        transaction.execute(_sql["grant"], (place.row, scope, since, actor))
    else:
        transaction.execute(_sql["revoke"], (at, actor, place.row, scope))
    return place.row


def last_grant_change(snapshot: Snapshot, memory_id: str) -> int:
    """Return when the audience of a memory last changed, 0 for never: for the writer alone."""
    return int(snapshot.value(_sql["last_grant_change"], (memory_id,)))


def erase(transaction: Transaction, place: Place) -> None:
    """Take a memory's content, versions, grants and links away, and keep its tombstone."""
    transaction.execute(_sql["clear_shelf"], (place.row,))
    transaction.execute(_sql["bury"], (transaction.now, place.row))
    transaction.execute(_sql["erase"], (place.row,))


def _fields_of(content: Content) -> Row:
    values: list[Any] = list(content)
    summary, tags, source, author, session = values[4:9]
    values[4:9] = [
        summary or None,
        encode(tags).decode() if tags else None,
        encode(source).decode() if source else None,
        author or None,
        session or None,
    ]
    values[13] = int(values[13])
    values[18] = values[18] or None
    values[19] = values[19] or None
    return tuple(values)


def _without_circumstance(content: Content) -> Content:
    return content._replace(updated_at=0, life=1)


def _keep_version(transaction: Transaction, place: Place, old: Content, until: int) -> None:
    value = encode(to_value(old)).decode()
    parameters = (place.row, place.version, value, old.updated_at, until)
    transaction.execute(_sql["keep_version"], parameters)
