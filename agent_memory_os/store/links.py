"""Links in the store: shown only where the principal may read both ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.value import fit
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_memory_os.model.link import Link
    from agent_memory_os.model.register import Register

_sql = Queries("link")
_FORM = "tttiti"


class Superseding(NamedTuple):
    """Row ``newer`` supersedes row ``older``: their ids, who says so, who owns the older one."""

    newer: int
    older: int
    newer_id: str
    older_id: str
    asserted_by: str
    owner: str


def put(transaction: Transaction, register: Register) -> None:
    """Show a link as its register says; weight 0 takes it away."""
    value = register.value
    if value["weight"] == 0:
        transaction.execute(_sql["drop"], {"link": register.object})
        return
    src, dst, relation, by = register.proof
    parameters = {
        "link": register.object,
        "src": src,
        "dst": dst,
        "relation": relation,
        "weight": value["weight"],
        "by": by,
        "at": transaction.now,
    }
    transaction.execute(_sql["put"], parameters)


def of_memory(snapshot: Snapshot, gate: Gate, memory_id: str) -> list[Link]:
    """Return the links of a memory that was read through the gate, with readable other ends."""
    from agent_memory_os.model.link import Link  # a search needs none

    parameters = {**gate.parameters, "now": snapshot.now, "id": memory_id}
    return [Link(*fit(found, _FORM)) for found in snapshot.rows(_sql["of_memory"], parameters)]


def asserted(snapshot: Snapshot, src: str, dst: str, relation: str) -> list[str]:
    """Return who asserts a link between two memories that were both read through the gate."""
    return [row[0] for row in snapshot.rows(_sql["asserted"], (src, dst, relation))]


def every(snapshot: Snapshot, gate: Gate) -> Iterator[Link]:
    """Yield every link whose two ends the gate lets through."""
    from agent_memory_os.model.link import Link

    for found in snapshot.each(_sql["all"], gate.parameters):
        yield Link(*fit(found, _FORM))


def supersessions(snapshot: Snapshot, gate: Gate, rows: Iterable[int]) -> list[Superseding]:
    """Return what supersedes some readable rows, as far as the superseding one is readable too."""
    parameters = {**gate.parameters, "now": snapshot.now, "rows": json.dumps(list(rows))}
    return [Superseding(*found) for found in snapshot.rows(_sql["supersessions"], parameters)]
