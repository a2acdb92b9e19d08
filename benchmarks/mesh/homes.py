"""The homes of a mesh: nodes of as many accounts, all in one team, who know each other and rest.

Each is made as a person makes it, and joins the team by a code at the first one, which founded it.
Those who are linked besides are made peers by their cards. All then exchange until nobody has
anything for anybody; that is kept, and every run begins with a copy.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib import resources
from random import Random

from agent_memory_os import wiring
from agent_memory_os.federation.pairing.message import CLOSE_PATH, OPEN_PATH
from agent_memory_os.service.peers import NOWHERE, Address, PeerChange, Peers
from agent_memory_os.service.peers.exchange import sync
from agent_memory_os.service.peers.pairing import Called, Guest, Host
from agent_memory_os.settings import Settings
from agent_memory_os.store import node as rows
from agent_memory_os.store.file import pace
from agent_memory_os.store.file.disk import home_mark
from benchmarks.mesh.fixed import fixed, replaced
from benchmarks.mesh.node import SHARE, TEAM, Node, Time
from benchmarks.mesh.topology import LINKS, Link
from benchmarks.mesh.wire import Wire

MOST_ROUNDS = 20
_SCHEMA = resources.files("agent_memory_os.store") / "schema.sql"


def prepared(work: str, size: int, topology: str) -> str:
    """Return a folder with the homes of a topology, made if it is not there yet."""
    # What was made under another schema is of no use.
    name = f"mesh-{size}-{topology}-{sha256(_SCHEMA.read_bytes()).hexdigest()[:8]}"
    folder, done = (os.path.join(work, f"{name}{end}") for end in ("", ".done"))
    if os.path.exists(done):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    links = [*LINKS[topology](size, Random(topology))]
    if topology == "hub":
        with fixed(Time()):
            _found(folder, size)
    else:
        shutil.copytree(prepared(work, size, "hub"), folder)
    with opened(folder, size, Time(), Random(0)) as nodes:
        if topology != "hub":
            _link(nodes, links)
        _settle(nodes)
    with open(done, "wb"):
        return folder


@contextmanager
def opened(folder: str, size: int, time: Time, chance: Random) -> Iterator[list[Node]]:
    """Open the homes in a folder, wherever it was copied to."""
    with (
        # Nobody else waits for a lock, and what a run does is not to depend on its speed.
        replaced(pace, "FREE", 0.0),
        replaced(pace, "HELD", 1e9),
        replaced(pace, "ALONE", 1e9),
    ):
        nodes = [Node(home, time, chance) for home in homes(folder, size)]
        try:
            for node in nodes:
                database = node.node.context.database
                with database.write() as transaction:
                    rows.set_home_mark(transaction, home_mark(database.path))
            yield nodes
        finally:
            for node in nodes:
                node.close()


def homes(folder: str, size: int) -> list[str]:
    """Return the homes in a folder; each is called as its node and its agent."""
    return [os.path.join(folder, f"n{number:03}") for number in range(size)]


def _found(folder: str, size: int) -> None:
    """Make the homes, and have all join the team of the first one."""
    first, *others = homes(folder, size)
    founder = wiring.open_node(Settings(first, None))
    founder.organisation.add_agent(_name(first))
    founder.organisation.add_team(TEAM)
    founder.organisation.join(_name(first), SHARE)
    host = Host(founder.context, Called(_name(first), _name(first)))
    acts = {OPEN_PATH: host.open, CLOSE_PATH: host.close}
    for home in others:
        joiner = wiring.open_node(Settings(home, None))
        joiner.organisation.add_agent(_name(home))
        code = founder.invitations.team(TEAM).code
        guest = Guest(code, _at(_name(first)), lambda path, line: acts[path](line))
        guest.join(joiner.context, [_name(home)], _name(home))
        joiner.close()
    founder.close()


def _link(nodes: Sequence[Node], links: Iterable[Link]) -> None:
    """Have nodes know each other by their cards, and reach whom they are linked to alone."""
    cards = [node.node.peers.card().card for node in nodes]
    for node in nodes[1:]:
        node.node.peers.change(nodes[0].name, PeerChange(address=NOWHERE))
    known = {(number, 0) for number in range(1, len(nodes))}
    known |= {(other, one) for one, other in known}
    for one, other in links:
        for at, to in ((one, other), (other, one)):
            if (at, to) not in known:
                known.add((at, to))
                _peers(nodes[at]).add(cards[to], nodes[to].name, introduce=[nodes[at].name])
        _peers(nodes[one]).change(nodes[other].name, PeerChange(address=_at(nodes[other].name)))


def _peers(node: Node) -> Peers:
    return node.node.peers


def _settle(nodes: Sequence[Node]) -> None:
    """Have all exchange until nothing comes or goes."""
    wire = Wire(nodes, lambda: False)
    with replaced(sync, "way_to", wire.way_to):
        for _ in range(MOST_ROUNDS):
            moved = 0
            for node in nodes:
                moved += sum(done.taken + done.sent for done in node.node.sync.run())
            if not moved:
                return
    raise SystemExit("the homes of a mesh do not come to rest")


def _name(home: str) -> str:
    return os.path.basename(home)


def _at(name: str) -> Address:
    return Address(url=f"http://{name}.invalid:8765")
