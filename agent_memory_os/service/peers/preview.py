"""What somebody would see: a peer before anything is sent to it, an agent of whatever account.

For the operator alone, and written to the audit: it shows what others may see, all of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from agent_memory_os.federation.exchange.preview import rows
from agent_memory_os.federation.exchange.serve import Server
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.model.audience import GLOBAL, may_read
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal, Sight
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.named import find_anybody
from agent_memory_os.service.peers.identity import local_of
from agent_memory_os.service.peers.named import find_peer
from agent_memory_os.store import audit, gate, memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")
_PAGE = 200
OWNER = "it owns it"


class Sent(NamedTuple):
    """Something that a peer would be sent: by which way, what, whose, its words, and by which rule.

    ``where`` is a scope as people write it, or a word for another way. ``has_content``: its words
    would go, and not only what ended. ``groups`` are the registers that would go.
    """

    where: str
    object: str
    owner: str
    words: str
    rule: str
    has_content: bool
    groups: tuple[str, ...]


class Seen(NamedTuple):
    """A memory that an agent may read, and the rule: it owns it, or grants that reach it."""

    memory: Memory
    rule: str


_WAYS = {
    "": "told",
    "own": "own account",
    "back": "its own account",
    "charge": "its teams",
    "global": "everybody",
}


def of_peer(context: Context, name: str) -> Iterator[Sent]:
    """Yield what a peer of a name or fingerprint would be sent if it had nothing yet."""
    with context.database.write() as transaction:
        peer = find_peer(transaction, name)
        audit.add(transaction, OPERATOR, "preview", peer.device)
    settle.refresh(context.database)
    local = local_of(context)
    with context.database.read() as snapshot:
        opened = gate.open_gate(snapshot, Principal.operator())
        for row in rows(Server(local, snapshot, peer, Want())):
            memory = None
            if row.object.startswith("mem_"):
                memory = memories.get(snapshot, opened, row.object)
            yield Sent(
                _where(snapshot, row.route),
                row.object,
                memory.owner_name if memory else "",
                memory.text if memory else _named(snapshot, row.object),
                row.rule,
                row.has_content,
                row.groups,
            )


def _where(snapshot: Snapshot, route: str) -> str:
    kind = route.partition(":")[0]
    found = snapshot.row(_sql["scope_of"], (route,))
    if found is None:
        return _WAYS.get(kind, kind)
    return memories.scope_name(snapshot, route, *found)


def _named(snapshot: Snapshot, object_id: str) -> str:
    """Return what an agent, a team or a project is called; nothing for the rest."""
    name: str | None = snapshot.value(_sql["called"], {"id": object_id})
    return name or ""


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
