"""How many memories an agent may own through a key, held in the transaction that adds them.

What is counted are the memories that are not forgotten. Most of the time nothing is counted at all:
the index already tells how many memories reach the agent, and those are no fewer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agent_memory_os.errors import LimitReached
from agent_memory_os.store.database import Database
from agent_memory_os.store.memory.owner import owned
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple


class Room(NamedTuple):
    """An agent, by its id, and how many memories it may own at most."""

    agent: str
    most: int


@contextmanager
def writing_within(database: Database, room: Room) -> Iterator[Writer]:
    """Open a transaction in which registers are written, and which undoes what is too much.

    Raises :class:`LimitReached` where the agent owns more memories than before, and than it may.
    """
    with database.write() as transaction:
        before = owned(transaction, room.agent, room.most)
        writer = Writer(transaction)
        yield writer
        writer.close()
        if owned(transaction, room.agent, room.most) > max(room.most, before):
            raise LimitReached(
                f"This key's agent may own {room.most:,} memories, and no more; nothing was "
                "added. Forget some of them first.",
                limit="memories",
            )
