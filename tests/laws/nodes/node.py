"""One node of a run: a real home with its keys, a clock that may be wrong, and its peers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from random import Random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_memory_os.federation import identity
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.exchange.respond import Answering
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.authority.park import waits
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.context import Context
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.upkeep import restore
from agent_memory_os.settings import DATABASE
from agent_memory_os.store import node as rows
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Database
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer
from tests.laws.nodes.home import Place

SLACK_MS = 600_000
"""By more than two clocks of a run are apart."""


class Time:
    """What time it is for all of a run."""

    def __init__(self, now: int) -> None:
        self.now = now


class Node:
    """A device of an account. ``skew`` is by how much its clock is wrong."""

    def __init__(self, place: Place, folder: Path, time: Time, chance: Random) -> None:
        self.place = place
        self.name = place.name
        self.home = str(folder / place.name)
        shutil.copytree(place.path, self.home)
        self.time = time
        self.skew = 0
        self.away_until = 0
        self.is_hostile = False
        self.is_behind = False
        """It was restored, and has met nobody since."""
        self.restored_at = -1
        """By the clock of the run."""
        self.noted = 0
        """Up to which register of its own device everything was noted."""
        self.backups: list[str] = []
        self._chance = chance
        self.device = identity.device(self.home)
        self.root = Ed25519PrivateKey.from_private_bytes(
            bytes.fromhex(Path(self.home, "keys", "root.key").read_text().strip())
        )
        self.open()
        with self.database.read() as snapshot:
            found = rows.identity(snapshot)
            assert found is not None
            self.account = found.account
            self.keys = rows.account_keys(snapshot, found.account)

    def open(self) -> None:
        """Open the home, as a process does that has just started."""
        self.database = Database(os.path.join(self.home, DATABASE), self.clock, lambda: 0.5)
        self.node = LocalNode(Context(self.database, self._entropy, self.home), "", ())
        self.local = Local(self.database, self.device, self.root, self._nonce)
        self.answering = Answering(self.local)

    def close(self) -> None:
        """Let go of the home."""
        self.database.close()

    def clock(self) -> int:
        """Return the time by this device's clock."""
        return self.time.now + self.skew

    def _entropy(self, size: int) -> bytes:
        return self._chance.randbytes(size)

    def _nonce(self) -> str:
        return self._entropy(16).hex()

    @property
    def is_here(self) -> bool:
        """Whether the node is not away."""
        return self.away_until <= self.time.now

    def as_peer(self, ceiling: str) -> Peer:
        """Return this node as another one keeps it."""
        public = self.device.public
        keys = (public.sign, public.seal, *self.keys)
        return Peer(
            0, self.device.id, self.account, self.name, *keys, "", "", ceiling, "", "", 0, 0
        )

    def meet(self, other: Node, ceiling: str) -> None:
        """Pair with another node: keep it as a peer."""
        with self.database.write() as transaction:
            peers.add(transaction, other.as_peer(ceiling))

    def introduce(self, other: Node, agents: Iterable[str]) -> None:
        """Tell another node's account of some agents of one's own."""
        with self.database.write() as transaction:
            peer = peers.of_device(transaction, other.device.id)
            if peer is not None:
                peers.introduce(transaction, peer, agents)

    def peer(self, other: Node) -> Peer:
        """Return another node as it is kept here."""
        with self.database.read() as snapshot:
            found = peers.of_device(snapshot, other.device.id)
        assert found is not None
        return found

    def agents(self) -> list[str]:
        """Return the ids of this account's agents that may act."""
        found = self.node.organisation.agents()
        return sorted(one.agent.id for one in found if one.agent.account == self.account)

    def others(self) -> list[str]:
        """Return the ids of the agents of other accounts that are known here."""
        with self.database.read() as snapshot:
            return sorted(one.id for one in organisation.others(snapshot))

    def principals(self) -> dict[str, Principal]:
        """Return this account's agents as those who ask."""
        return {agent: Principal.of_agent(agent) for agent in self.agents()}

    def chart(self) -> Chart:
        """Return what the organisation's registers mean to this node."""
        with self.database.read() as snapshot:
            return charts.read(snapshot)

    def held(self, after: int = 0) -> list[HeldRegister]:
        """Return every register that this node holds, those of numbers above one."""
        with self.database.read() as snapshot:
            reader = Reader(snapshot)
            found = reader.organisation()
            rows = snapshot.rows("SELECT DISTINCT object FROM registers WHERE lseq > ?", (after,))
            known = {one.register.object for one in found}
            others = [row[0] for row in rows if row[0] not in known]
            for registers in reader.of(others).values():
                found += registers
        return [one for one in found if one.lseq > after]

    def view(self) -> View:
        """Return what everything that this node holds means to it."""
        held = {one.name: one.register for one in self.held()}
        due = {name: one for name, one in held.items() if not waits(one, self.clock())}
        with self.database.read() as snapshot:
            return View(due, Reader(snapshot).lists())

    def back_up(self) -> None:
        """Make a backup, to be restored some day."""
        path = os.path.join(os.path.dirname(self.home), f"{self.name}-{len(self.backups)}.db")
        self.node.upkeep.backup(path)
        self.backups.append(path)

    def restore(self, source: str, *, is_lost: bool) -> None:
        """Put a backup in the place of the file; ``is_lost``: what was there is gone."""
        self.close()
        if is_lost:
            for name in os.listdir(self.home):
                if name.startswith(DATABASE):
                    os.remove(os.path.join(self.home, name))
        restore(self.node.context, source, force=True)
        self.open()
        # Its numbers begin again where the backup ends.
        self.noted = 0
        self.is_behind = True
        self.restored_at = self.time.now + SLACK_MS
