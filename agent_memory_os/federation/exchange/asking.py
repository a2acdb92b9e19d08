"""What this node wants of a peer: from where each route goes on, and what it asks about.

It asks about records of others that it holds in a scope which the peer did not offer when they last
spoke, and about contents whose grant is not here: that they were taken back may never have been
told to it.
"""

from __future__ import annotations

from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.repair import Leaves, Probe
from agent_memory_os.federation.exchange.told import Want
from agent_memory_os.model.routing import ask
from agent_memory_os.store import node
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange import peers, route
from agent_memory_os.store.exchange.held import Reader
from agent_memory_os.store.exchange.peers import Peer

MOST = 2_000
"""How many records are asked about at once; the next session asks about the next."""


def want(
    local: Local,
    peer: Peer,
    offered: list[str] | None = None,
    probes: tuple[Probe, ...] = (),
    leaves: tuple[Leaves, ...] = (),
) -> Want:
    """Return what this node wants of a peer, which offered some routes when they last spoke."""
    with local.database.read() as snapshot:
        identity = node.identity(snapshot)
        cursors = peers.cursors(snapshot, peer)
        asks: dict[str, tuple[str, ...]] = {}
        if offered is not None:
            chart, reader = charts.read(snapshot), Reader(snapshot)
            objects = route.foreign(snapshot, chart.account, offered, MOST)
            for object_id, held in reader.of(objects).items():
                view = chart.view.about({one.name: one.register for one in held})
                names = ask.asks(view, chart.account, offered)
                if names:
                    asks[object_id] = tuple(names)
        return Want(identity.incarnation if identity else "", cursors, asks, probes, leaves)
