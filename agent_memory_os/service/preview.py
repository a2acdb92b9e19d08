"""What somebody would see: a peer before anything is sent to it, an agent of whatever account.

For the operator alone, and written to the audit: it shows what others may see, all of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from agent_memory_os.model.audience import GLOBAL, may_read
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal, Sight
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.named import find_anybody
from agent_memory_os.store import audit, gate, memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")
_PAGE = 200
OWNER = "it owns it"


class Seen(NamedTuple):
    """A memory that an agent may read, and the rule: it owns it, or grants that reach it."""

    memory: Memory
    rule: str


def view_as(context: Context, name: str) -> Iterator[Seen]:
    """Yield each memory here that an agent of a name or id may read, of whatever account."""
    with context.database.write() as transaction:
        agent = find_anybody(transaction, name)
        audit.add(transaction, OPERATOR, "view as", agent.id)
    after = ""
    while True:
        with context.database.read() as snapshot:
            opened = _gate_of(snapshot, agent.id)
            page = memories.page_by_id(snapshot, opened, after, _PAGE)
            found = [Seen(memory, _rule(opened.sight, memory)) for memory, _ in page]
        yield from found
        if len(page) < _PAGE:
            return
        after = page[-1][0].id


def _gate_of(snapshot: Snapshot, agent: str) -> Gate:
    """Return the gate of an agent: here where it acts here, else as its own node has it."""
    principal = Principal.of_agent(agent)
    opened = gate.open_gate(snapshot, principal)
    if opened.agent_row is not None:
        return opened
    view = charts.read(snapshot).view
    scopes = [one for one in view.scopes_of(agent) if one != GLOBAL]
    rows = {scope: snapshot.value(_sql["scope_number"], (scope,)) for scope in scopes}
    known = {scope: row for scope, row in rows.items() if row is not None}
    row = snapshot.value(_sql["agent_number"], (agent,))
    return Gate(Sight(principal, frozenset(known)), row, tuple(sorted(known.values())))


def _rule(sight: Sight, memory: Memory) -> str:
    if memory.owner == sight.principal.agent:
        return OWNER
    names = zip(memory.grants, memory.audience, strict=True)
    reached = [shown for grant, shown in names if may_read(sight, memory.owner, [grant])]
    return "shared with " + ", ".join(reached)
