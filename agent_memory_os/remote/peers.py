"""Peers of a served node, and what comes of exchanging with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from agent_memory_os.errors import InvalidInput, NotAllowed, Refused
from agent_memory_os.federation.card import read as read_card
from agent_memory_os.model.organisation import check_name, spelt
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.transport import Transport
from agent_memory_os.service.memories import Outcome
from agent_memory_os.service.peers import (
    NOWHERE,
    Added,
    Address,
    AsideView,
    Carried,
    DeviceView,
    LostEdit,
    Nearby,
    PeerChange,
    PeerView,
    Receipt,
    Retried,
    Revocation,
    Seen,
    Sent,
    Shown,
    Synced,
    SyncStatus,
)
from agent_memory_os.service.peers.exchange import carried
from agent_memory_os.service.peers.exchange.sync import NEITHER
from agent_memory_os.service.peers.named import not_known
from agent_memory_os.service.peers.quarantine import NOT_FOR_AGENTS
from agent_memory_os.wire import peers
from agent_memory_os.wire.decode import Shape, read, to_outcome
from agent_memory_os.wire.instant import iso

_OPERATOR = Principal.operator()
_FILE = "application/octet-stream"
_REGISTERS = "agent-memory-registers"


class RemotePeers:
    """What :class:`service.peers.Peers` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def card(self) -> Shown:
        """Return the served device's fingerprint, and its card."""
        return read(peers.to_card, self._ask("GET", "/card"))

    def add(
        self,
        card: str,
        name: str,
        address: Address = NOWHERE,
        ceiling: str | None = None,
        introduce: Iterable[str] = (),
        *,
        own: bool = False,
        recovery_key: str = "",
    ) -> Added:
        """Add a peer by its card; the same again changes nothing.

        ``own`` says that it is a device of the served node's own account; the ``recovery_key``
        certifies it where the root key is lost.
        """
        read_card(card)
        body = {
            "card": card,
            "name": check_name("peer", name),
            **_of_address(address),
            "ceiling": ceiling,
            "introduce": list(introduce),
            "own": own,
            "recovery_key": recovery_key,
        }
        return read(peers.to_added, self._ask("POST", "", body))

    def list(self) -> tuple[PeerView, ...]:
        """Return the peers, by name."""
        shape = self._ask("GET", "")
        return read(lambda found: tuple(map(peers.to_peer, found["peers"])), shape)

    def get(self, name: str) -> PeerView:
        """Return the peer of a name or fingerprint, or raise :class:`NotFound`."""
        known = self.list()
        for peer in known:
            if spelt(name) in (peer.name, peer.device):
                return peer
        raise not_known(name, (peer.name for peer in known))

    def devices(self) -> tuple[DeviceView, ...]:
        """Return the devices of the served node's account: its own, then the others."""
        shape = self._ask("GET", "/devices")
        return read(lambda found: tuple(map(peers.to_device, found["devices"])), shape)

    def revoke_device(
        self,
        name: str,
        stolen_at: int | None = None,
        recovery_key: str = "",
        *,
        dry_run: bool = False,
    ) -> Revocation:
        """Revoke a device of the served node's account by a fingerprint, or a peer's name."""
        body: dict[str, object] = {"device": name, "recovery_key": recovery_key}
        body["dry_run"] = dry_run
        if stolen_at is not None:
            body["stolen_at"] = iso(stolen_at)
        return read(peers.to_revocation, self._ask("POST", "/devices/revoke", body))

    def certify(self, name: str, recovery_key: str = "") -> PeerView:
        """Certify the device of a peer of the served node's account, which came by a code."""
        path = f"/{self.get(name).device}/certify"
        return read(peers.to_peer, self._ask("POST", path, {"recovery_key": recovery_key}))

    def change(self, name: str, change: PeerChange) -> PeerView:
        """Call, reach or limit a peer otherwise, or tell its account of more agents."""
        held = self.get(name)
        body: dict[str, object] = {"name": change.name, "ceiling": change.ceiling}
        if change.name is not None:
            check_name("peer", change.name)
        if change.address is not None:
            body["address"] = _of_address(change.address)
        body["introduce"] = list(change.introduce)
        shape = self._ask("PATCH", f"/{held.device}", body)
        return read(peers.to_peer, shape)

    def remove(self, name: str) -> PeerView:
        """Exchange with a peer no more; what it was sent stays with it."""
        return read(peers.to_peer, self._ask("DELETE", f"/{self.get(name).device}"))

    def neighbors(self) -> Nearby:
        """Return the nodes that are near the served one: on its machine, and in its network."""
        return read(peers.to_nearby, self._ask("GET", "/neighbors"))

    def preview(self, name: str) -> Iterator[Sent]:
        """Yield all that a peer would be sent if it had nothing, each row with its rule.

        It shows memories of whatever agent, and is written to the audit. Nothing is sent.
        """
        path = f"/v1/peers/{self.get(name).device}/preview"
        for shape in self._transport.objects(path, _OPERATOR):
            yield read(peers.to_sent, shape)

    def view_as(self, name: str) -> Iterator[Seen]:
        """Yield each memory there that an agent may read, of whatever account, with its rule.

        It shows memories of whatever agent, and is written to the audit.
        """
        for shape in self._transport.objects("/v1/view-as", _OPERATOR, {"agent": name}):
            yield read(peers.to_seen, shape)

    def _ask(self, method: str, path: str, body: Shape | None = None) -> Shape:
        return self._transport.ask(method, f"/v1/peers{path}", _OPERATOR, body=body)


class RemoteSync:
    """What :class:`service.peers.Sync` does, asked of a served node; bundles are files here."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def run(
        self,
        names: Iterable[str] = (),
        *,
        pulls: bool = True,
        pushes: bool = True,
        everyone: bool = False,
    ) -> Iterator[Synced]:
        """Have the served node exchange with peers; when this returns, all of it is done.

        Without names it is those whose turn it is, or ``everyone`` that has an address. Raises
        :class:`NotFound` for a name of none, before anything is done.
        """
        if not pulls and not pushes:
            raise InvalidInput(NEITHER)
        way = "auto" if pulls and pushes else "pull" if pulls else "push"
        body = {"way": way, "peers": list(names), "all": everyone}
        shape = self._transport.ask("POST", "/v1/sync", _OPERATOR, body=body, is_long=True)
        return read(lambda told: iter([peers.to_synced(one) for one in told["peers"]]), shape)

    def status(self) -> SyncStatus:
        """Tell how the exchange with each peer stands."""
        return read(peers.to_status, self._transport.ask("GET", "/v1/sync/status", _OPERATOR))

    def export(self, name: str, out: str, *, replace: bool = False) -> Carried:
        """Bring a bundle for a peer to a file of this machine; return what it has.

        Raises :class:`AlreadyExists` for a file that is there, unless it may be replaced, and
        :class:`Refused` for a folder: only the node itself leaves something in one.
        """
        path = carried.path_of(out)
        _check_no_folder(path)
        peer = RemotePeers(self._transport).get(name)
        carried.check_free(path, replace=replace)
        body = {"peer": peer.device}
        with self._transport.stream("/v1/sync/export", _OPERATOR, body=body) as answer:
            registers = answer.headers.get(_REGISTERS, "")
            if not registers.isdigit():
                raise self._transport.no_node()
            carried.write(answer.iter_bytes(), path)
        return Carried(peer.name, path, int(registers))

    def take(self, path: str) -> tuple[Carried, ...]:
        """Send the served node a bundle from a file of this machine, to take it in.

        Raises :class:`UnknownDevice` where it is of no peer, and :class:`Refused` for a folder:
        only the node itself looks through one.
        """
        path = carried.path_of(path)
        _check_no_folder(path)
        with carried.opened(path) as file:
            shape = self._transport.send("/v1/sync/import", _OPERATOR, file, {"name": path}, _FILE)
        return (read(peers.to_carried, shape),)


class RemoteReceipts:
    """What :class:`service.peers.Receipts` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, principal: Principal) -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of all that was taken back and one may know of."""
        return self._told(principal, "/v1/receipts")

    def get(self, principal: Principal, memory_id: str) -> tuple[Receipt, ...]:
        """Return how it stands with each peer, of one memory of one's own."""
        return self._told(principal, f"/v1/memories/{quote(memory_id, safe='')}/receipts")

    def left(self, agent: str, scope_name: str) -> tuple[Receipt, ...]:
        """Return how it stands with the peers of an agent's account, of a scope that it left."""
        params = {"agent": agent, "scope": scope_name}
        return self._told(_OPERATOR, "/v1/receipts/left", params)

    def _told(
        self, principal: Principal, path: str, params: Mapping[str, str] | None = None
    ) -> tuple[Receipt, ...]:
        shape = self._transport.ask("GET", path, principal, params=params or {})
        return read(lambda found: tuple(map(peers.to_receipt, found["receipts"])), shape)


class RemoteQuarantine:
    """What :class:`service.peers.Quarantine` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> tuple[AsideView, ...]:
        """Return what is in quarantine, newest first, without what it says."""
        shape = self._ask("GET", "", _OPERATOR)
        return read(lambda found: tuple(map(peers.to_aside, found["lines"])), shape)

    def show(self, principal: Principal, number: int) -> str:
        """Return what a line says, as far as it was kept."""
        if not principal.is_operator:
            raise NotAllowed(NOT_FOR_AGENTS)
        return read(lambda told: str(told["line"]), self._ask("GET", f"/{number}", principal))

    def drop(self, numbers: Iterable[int] | None = None) -> int:
        """Drop some lines, or all of them; return how many."""
        shape = self._ask("POST", "/drop", _OPERATOR, _numbers(numbers))
        return read(lambda told: int(told["dropped"]), shape)

    def retry(self, numbers: Iterable[int] | None = None) -> Retried:
        """Try to take some lines again, or all of them."""
        shape = self._ask("POST", "/retry", _OPERATOR, _numbers(numbers))
        return read(lambda told: Retried(told["taken"], told["aside"]), shape)

    def _ask(
        self, method: str, path: str, principal: Principal, body: Shape | None = None
    ) -> Shape:
        return self._transport.ask(method, f"/v1/quarantine{path}", principal, body=body)


class RemoteConflicts:
    """What :class:`service.peers.Conflicts` does, asked of a served node."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, principal: Principal) -> tuple[LostEdit, ...]:
        """Return what was lost of the principal's own memories, the newest first."""
        shape = self._transport.ask("GET", "/v1/conflicts", principal)
        return read(lambda found: tuple(map(peers.to_lost, found["conflicts"])), shape)

    def get(self, principal: Principal, number: int) -> LostEdit:
        """Return one lost edit of the principal's own memories, or raise :class:`NotFound`."""
        return read(peers.to_lost, self._transport.ask("GET", f"/v1/conflicts/{number}", principal))

    def swap(self, principal: Principal, number: int) -> Outcome:
        """Put a lost edit back, as an edit; what held until then stays in the history."""
        path = f"/v1/conflicts/{number}/swap"
        return read(to_outcome, self._transport.ask("POST", path, principal))


def _check_no_folder(path: str) -> None:
    if os.path.isdir(path):
        raise Refused(
            f"{path} is a folder, and a node exchanges by folders of its own machine alone: name a "
            "file."
        )


def _numbers(numbers: Iterable[int] | None) -> dict[str, list[int] | None]:
    return {"numbers": None if numbers is None else list(numbers)}


def _of_address(address: Address) -> dict[str, str | None]:
    return {name: value or None for name, value in address._asdict().items()}
