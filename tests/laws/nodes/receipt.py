"""Whether what nodes tell of who took in what was taken back is true, in the middle of a run."""

from __future__ import annotations

from collections.abc import Iterator

from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.register import CONTENT
from agent_memory_os.model.routing import receipt
from agent_memory_os.service.peers.exchange.holder import Holder
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.peer import receipts
from tests.laws.nodes.node import Node


def false_words(teller: Node, holder: Node) -> Iterator[str]:
    """Give each memory of which a node says that a peer dropped it, which the peer still holds.

    What the peer holds by something newer than what the teller knows is no copy of what was taken
    back; and a peer that was restored since it spoke has to speak again.
    """
    since = states(teller, holder)
    said_at, found = since
    if holder.restored_at >= said_at:
        return
    done = [name for name, state in found.items() if state == receipt.ACKNOWLEDGED]
    if not done:
        return
    with holder.database.read() as snapshot:
        if teller.account == holder.account:
            # A device of the owner's keeps what was forgotten for its days of undo.
            rows = snapshot.rows("SELECT id FROM memories WHERE state = 'active'")
            done = sorted({*done} & {row[0] for row in rows})
        kept = {
            name
            for name, held in Reader(snapshot).of(done).items()
            if any(one.register.group == CONTENT for one in held)
        }
    if kept:
        mine, theirs = teller.view(), holder.view()
        for name in sorted(kept):
            if not _is_newer(mine, theirs, name, holder.account):
                yield f"receipt: {teller.name} says that {holder.name} dropped {name[:10]}"


def copies(teller: Node, holder: Node) -> Iterator[str]:
    """Give each memory of which a node says that a copy is outstanding at a peer."""
    for name, state in states(teller, holder)[1].items():
        if state == receipt.OUTSTANDING:
            yield f"receipt: {teller.name} waits for {holder.name} to drop {name[:10]}"


def states(teller: Node, holder: Node) -> tuple[int, dict[str, str]]:
    """Return when a peer last spoke, as the teller has it, and how it stands with each memory."""
    settle.refresh(teller.database)
    with teller.database.read() as snapshot:
        peer = teller.peer(holder)
        book = Holder(teller.local, snapshot, peer)
        found = {*receipts.taken(snapshot)}.union(
            *(receipts.standing(snapshot, name) for name in book.left())
        )
        places = receipts.places(snapshot, found)
        return peer.said_at or 0, {name: book.state(name, rows) for name, rows in places.items()}


def _is_newer(mine: View, theirs: View, memory: str, account: str) -> bool:
    """Say whether a peer knows of a longer grant, a longer life, or a later add than the teller."""
    if theirs.memories.life(memory) > mine.memories.life(memory):
        return True
    return any(
        theirs.memories.reached(memory, scope) > mine.memories.reached(memory, scope)
        or any(
            theirs.members.adds(scope, agent) - mine.members.adds(scope, agent)
            for agent in theirs.agents(account)
        )
        for scope in theirs.memories.scopes(memory)
    )
