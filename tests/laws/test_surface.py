"""Every public method of a node is known to the laws: as a read path, a write, or the operator's.

A new method fails here until it is listed, so that no read path is forgotten.
"""

from __future__ import annotations

from functools import cached_property
from typing import get_type_hints

from agent_memory_os.service.events import Events
from agent_memory_os.service.keys import Keys
from agent_memory_os.service.memories import Memories
from agent_memory_os.service.moves import Moves
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.organisation import Organisation
from agent_memory_os.service.peers import Conflicts, Peers, Quarantine, Receipts, Sync
from agent_memory_os.service.peers.pairing import Invitations
from agent_memory_os.service.recall import Recall
from agent_memory_os.service.transfer import Transfer
from agent_memory_os.service.upkeep import Upkeep
from tests.laws.each import EACH
from tests.laws.gate import WRITES as TRIED
from tests.laws.path import COSTLY, WHOLE

READS = {path.name for path in (*WHOLE, *COSTLY)} | {each.name for each in EACH}
READS -= {"memories.add"}

WRITES = {
    *(f"memories.{verb}" for verb in TRIED if hasattr(Memories, verb)),
    "memories.add",
    "memories.add_many",
    "memories.append",
    "memories.forget_owner",
    "conflicts.swap",
    "transfer.import_path",
    "transfer.take",
}
"""What changes memories; what it says of a hidden one is looked at by ``gate.WRITES``."""

OPERATORS = {
    "organisation.agents",
    "organisation.agent",
    "organisation.whoami",
    "organisation.add_agent",
    "organisation.ensure_agent",
    "organisation.ensure_agent_or_id",
    "organisation.remove_agent",
    "organisation.teams",
    "organisation.add_team",
    "organisation.rename_agent",
    "organisation.rename_team",
    "organisation.rename_project",
    "organisation.remove_team",
    "organisation.add_project",
    "organisation.remove_project",
    "organisation.join",
    "organisation.leave",
    "moves.preview",
    "moves.run",
    "moves.preview_team",
    "moves.run_team",
    "keys.create",
    "keys.list",
    "keys.rotate",
    "keys.revoke",
    "upkeep.sizes",
    "peers.card",
    "peers.add",
    "peers.list",
    "peers.get",
    "peers.devices",
    "peers.neighbors",
    "peers.change",
    "peers.remove",
    "peers.preview",
    "peers.view_as",
    "invitations.team",
    "invitations.device",
    "invitations.list",
    "invitations.get",
    "invitations.withdraw",
    "organisation.hand_over",
    "organisation.take_back",
    "peers.revoke_device",
    "peers.certify",
    "sync.run",
    "sync.status",
    "sync.export",
    "sync.parcel",
    "sync.take",
    "sync.unpack",
    "receipts.left",
    "quarantine.list",
    "quarantine.show",
    "quarantine.drop",
    "quarantine.retry",
}
"""Whoever runs commands on the home manages its organisation and its peers; none of it holds a
memory, but for what a peer would be sent, what an agent may read and what is to be moved, which are
written to the audit. How much the whole node holds, what a line in quarantine says, and moves are
refused to everybody else: see ``test_sizes``, ``test_lost`` and ``test_moves``. Over HTTP all of it
needs the operator's key: see ``tests/api/test_authority`` and
``tests/api/routes/test_exchange``."""

NEUTRAL = {
    "recall.now",
    "events.begin",
    "events.check",
    "events.pulse",
    "transfer.size_of",
    "upkeep.check",
    "upkeep.mend",
    "upkeep.reindex",
    "upkeep.purge",
    "upkeep.backup",
    "upkeep.last_backup",
    "upkeep.copy",
    "keys.authenticate",
    "keys.note",
    "keys.sent",
}
"""The node's clock, the size of a file that is to be imported, care for the file as a whole, and
what a server asks of a key and keeps of its use."""

NOUNS = {
    "Conflicts": Conflicts,
    "Events": Events,
    "Invitations": Invitations,
    "Keys": Keys,
    "Memories": Memories,
    "Moves": Moves,
    "Organisation": Organisation,
    "Peers": Peers,
    "Quarantine": Quarantine,
    "Recall": Recall,
    "Receipts": Receipts,
    "Sync": Sync,
    "Transfer": Transfer,
    "Upkeep": Upkeep,
}
"""The class of each noun of a node, whose hints name them."""


def surface() -> set[str]:
    """Return the public methods of every noun of a node, as ``noun.method``."""
    nouns = {
        name: value.func
        for name, value in vars(LocalNode).items()
        if isinstance(value, cached_property)
    }
    kinds = {name: get_type_hints(getter, NOUNS)["return"] for name, getter in nouns.items()}
    return {
        f"{noun}.{name}"
        for noun, kind in kinds.items()
        for name in vars(kind)
        if not name.startswith("_")
    }


def test_every_method_of_a_node_is_known_to_the_laws() -> None:
    """Each public method of a noun is a covered read path, a write, or the operator's alone."""
    listed = [READS, WRITES, OPERATORS, NEUTRAL]
    assert surface() == set().union(*listed)
    assert sum(map(len, listed)) == len(surface())


def test_a_node_has_nothing_but_nouns() -> None:
    """What a local node offers beside its nouns reads nothing of a memory."""
    nouns = {name for name, value in vars(LocalNode).items() if isinstance(value, cached_property)}
    public = {name for name in vars(LocalNode) if not name.startswith("_")}
    assert public - nouns == {"close", "ping", "renew", "within"}
