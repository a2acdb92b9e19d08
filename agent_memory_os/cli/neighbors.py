"""``agent-memory neighbors``: nodes that are near, and how to pair with one."""

from __future__ import annotations

from agent_memory_os.cli import grid
from agent_memory_os.cli.desk import Desk
from agent_memory_os.service.context import USUAL_PORT
from agent_memory_os.service.peers import Neighbor
from agent_memory_os.service.peers.mesh.near import HERE, MAX_PORTS, OWN, PEER
from agent_memory_os.wire import peers as wire

HEADS = ("NODE", "DEVICE", "URL", "WHERE", "KNOWN AS")
_NO_NETWORK = (
    "This machine alone was looked at. To listen to the network, too: "
    "pip install 'agent-memory-node[discovery]'"
)
_PORTS = (
    f"Of this machine the ports {USUAL_PORT} to {USUAL_PORT + MAX_PORTS - 1} were asked, and those "
    "of peers on it."
)
_PAIR = (
    "To pair with one: there, agent-memory team invite TEAM or agent-memory device invite; here, "
    "agent-memory join CODE --url URL"
)


def neighbors(desk: Desk) -> None:
    """Show the nodes that are near: on this machine, and in its network where it is heard.

    What they say of themselves is not proved, and nothing is exchanged with one for being near.

    Example: agent-memory neighbors
    """
    found = desk.node.peers.neighbors()
    if found.neighbors:
        desk.say(*grid.table(HEADS, [_row(one) for one in found.neighbors]))
    else:
        desk.say("No other node is near.")
        desk.tell(_PORTS)
    if any(one.state != PEER for one in found.neighbors):
        desk.tell(_PAIR)
    if not found.is_whole:
        desk.tell(_NO_NETWORK)
    desk.give(wire.of_nearby(found))


def _row(one: Neighbor) -> tuple[str, ...]:
    known = one.peer if one.state == PEER else "your own device" if one.state == OWN else "unknown"
    where = "this machine" if one.where == HERE else one.where
    return (one.called or "-", one.device, one.url, where, known)


COMMANDS = {"neighbors": neighbors}
