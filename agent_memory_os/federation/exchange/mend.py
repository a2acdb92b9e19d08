"""Mending: who asks what about routes that two nodes hold differently, and what follows of answers.

A peer that answers at once is asked one question after the other. Through a folder each question
and each answer lies there until the other comes by: so whatever came is answered or followed up in
a bundle of its own, and nothing is remembered in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agent_memory_os.federation.bundle.notice import from_line
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.exchange import repair, told
from agent_memory_os.federation.exchange.heard import Absorbed
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.repair import Leaves, Probe, Sketched
from agent_memory_os.federation.exchange.serve import Server, records_of
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.model.routing.cursor import ANEW
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer

Pull = Callable[[Want], None]


def suspects(
    local: Local, peer: Peer, totals: dict[str, str] | None = None
) -> tuple[Sketched, ...]:
    """Return the questions about routes whose totals differ though nothing is to be sent there.

    ``totals`` are those that the peer told; without them, those that it told last.
    """
    with local.database.read() as snapshot:
        held = peers.of_device(snapshot, peer.device) or peer
        totals = _told_last(held) if totals is None else totals
        names = [
            name
            for name, total in totals.items()
            if repair.total_of(snapshot, records_of(name)) != total
        ]
        if not names:
            return ()
        server = Server(local, snapshot, held, told.want_of(held.wants) or Want())
        # What this node does not serve the peer is none of the peer's business.
        served = server.routes.intersection(names)
        if not served or server.behind():
            return ()
        return tuple(repair.sketched(snapshot, name, records_of(name)) for name in sorted(served))


def _told_last(peer: Peer) -> dict[str, str]:
    for line in peer.heard.encode().splitlines(keepends=True):
        notice = from_line(line)
        if notice.kind == repair.TOTALS:
            return repair.totals_of(notice.fields)
    return {}


def walked(
    local: Local, peer: Peer, found: Absorbed, sketches: Iterable[Sketched], pull: Pull
) -> None:
    """Ask about routes by the tree, where a sketch did not tell what differs.

    What the peer lacks of them is heard then, and what this node lacks has come.
    """
    names = {*found.torn, *(one.route for one in sketches)}
    probes = probing(local, peer, names)
    if not probes:
        return
    found.branches.clear()
    pull(Want(probes=probes))
    leaves = narrowing(local, peer, found)
    if leaves:
        pull(Want(leaves=leaves))


def probing(local: Local, peer: Peer, names: Iterable[str]) -> tuple[Probe, ...]:
    """Return the first questions by the tree about those of some routes that the peer is served."""
    with local.database.read() as snapshot:
        served = _served(local, peer, snapshot, names)
        return tuple(repair.probe(snapshot, name, records_of(name)) for name in served)


def narrowing(local: Local, peer: Peer, found: Absorbed) -> tuple[Leaves, ...]:
    """Return the questions that follow what a peer said of branches; routes may begin anew."""
    with local.database.read() as snapshot:
        served = [found.branches[name] for name in _served(local, peer, snapshot, found.branches)]
        questions = tuple(
            repair.narrowed(snapshot, one, records_of(one.route))
            for one in served
            if not one.is_whole
        )
    _restart(local, peer, [one.route for one in served if one.is_whole])
    return questions


def _served(local: Local, peer: Peer, snapshot: Snapshot, names: Iterable[str]) -> list[str]:
    wanted = set(names)
    return sorted(wanted & Server(local, snapshot, peer, Want()).routes) if wanted else []


def _restart(local: Local, peer: Peer, routes: list[str]) -> None:
    """Ask for routes from their beginning, and serve them so: too much of them is not the same."""
    if not routes:
        return
    with local.database.write() as transaction:
        held = peers.of_device(transaction, peer.device)
        want = told.want_of(held.wants if held else "") or Want()
        cursors = {**want.cursors, **dict.fromkeys(routes, ANEW)}
        wants = told.written_want(want._replace(cursors=cursors))
        peers.set_wants(transaction, peer, wants, want.index_id)
        for name in routes:
            peers.set_cursor(transaction, peer, name, ANEW)


def lacking(server: Server, lack: dict[str, list[str]]) -> list[Part]:
    """Return the parts of a bundle with what a peer said that it lacks, or has otherwise."""
    found = []
    for name, names in lack.items():
        if server.serves(name):
            records = records_of(name)
            again = server.again(records, repair.lacking(server.snapshot, records, names))
            found.append(Part("", [*again]))
    return found


def follows(local: Local, peer: Peer, found: Absorbed, server: Server) -> list[Part]:
    """Return the parts of a bundle that answer what a peer asked, and ask what follows of it."""
    want = found.want
    answers = server.repairs(want.sketches, want.probes, want.leaves)
    parts = [Part("", [*part.lines]) for part in answers]
    if parts:
        parts.append(Part("", [*server.totals()]))
    probes = map(repair.of_probe, probing(local, peer, found.torn))
    leaves = map(repair.of_leaves, narrowing(local, peer, found))
    questions = [*probes, *leaves]
    return [*parts, *([Part("", questions)] if questions else []), *lacking(server, found.lack)]
