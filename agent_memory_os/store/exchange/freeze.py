"""What remains of a member's writes when it is removed: the lists that a removal commits to.

They are made in the transaction of the removal, of what is held as valid then: one for the scope,
and for a team one for each of its projects. Whoever is removed can write nothing more that counts,
and what it wrote stays as it was.
"""

from __future__ import annotations

from agent_memory_os.model.authority import kept, write
from agent_memory_os.store.exchange import chart
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.write import Writer

_sql = Queries("exchange")


def lists_of(writer: Writer, object_id: str, agent: str) -> list[str]:
    """Keep the lists of a member's removal from a team or project; return their digests."""
    transaction = writer.transaction
    view = chart.read(transaction).view
    owned = [row[0] for row in transaction.rows(_sql["written_by"], (agent,))]
    registers = {
        one.name: one.register for held in Reader(transaction).of(owned).values() for one in held
    }
    names: list[str] = []
    for one in write.frozen(view.about(registers), object_id, agent):
        names.append(kept.digest(one))
        body = bytearray(kept.entries_bytes(one))
        transaction.execute(_sql["keep_list"], (names[-1], one.scope, body))
    return sorted(names)
