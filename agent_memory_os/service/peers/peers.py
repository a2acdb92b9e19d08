"""Peers: the nodes that this one exchanges with, as their operator sees and changes them.

A peer is added by its card, which people give each other and compare the fingerprints of. It is
found by its name or its fingerprint, and by nothing else: a URL is where it was last, and proves
nothing. A further device of one's own account is certified as it is added, on the machine that has
the account's root key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_memory_os.errors import (
    AlreadyExists,
    InvalidInput,
    NotAllowed,
    Refused,
    Revoked,
)
from agent_memory_os.federation import card as cards
from agent_memory_os.federation.card import Card
from agent_memory_os.federation.identity import PublicDevice
from agent_memory_os.model.organisation import check_name
from agent_memory_os.model.routing.ceiling import SHARED
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.named import find_agent
from agent_memory_os.service.peers import address as addresses
from agent_memory_os.service.peers import ceiling as ceilings
from agent_memory_os.service.peers import preview as previews
from agent_memory_os.service.peers.address import NOWHERE, Address
from agent_memory_os.service.peers.authority import revocation
from agent_memory_os.service.peers.authority.revocation import Revocation
from agent_memory_os.service.peers.authority.signer import device_signer
from agent_memory_os.service.peers.devices import DeviceView, devices_of
from agent_memory_os.service.peers.identity import (
    certificate_of,
    certify,
    identity_of,
    local_of,
    state_of,
)
from agent_memory_os.service.peers.named import check_free, find_peer
from agent_memory_os.service.peers.preview import Seen, Sent
from agent_memory_os.store import audit, node, organisation
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.node import Identity
from agent_memory_os.store.peer import peers
from agent_memory_os.store.peer.peers import Peer
from agent_memory_os.store.write import Writer, writing
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_memory_os.service.peers.mesh.near import Nearby


class Shown(NamedTuple):
    """What this device shows: its fingerprint, its account, its card.

    ``is_certified`` is false while its account has not certified it: the card is then of use on the
    machine that can.
    """

    device: str
    account: str
    card: str
    is_certified: bool


class PeerView(NamedTuple):
    """A peer as its operator sees it; ``device`` is its fingerprint.

    ``is_own``: it is of this node's account. ``ceiling`` has names, ``introduced`` the names of the
    agents that its account is told of. ``offset``: by how many milliseconds its clock was ahead
    when the two last spoke at once, if they ever did. ``fault``: what went wrong at the last try;
    ``next_at``: when it is tried again by itself after that. ``is_learned``: nobody added it.
    ``is_revoked``: its account revoked the device, and nothing is exchanged with it.
    """

    name: str
    device: str
    account: str
    is_own: bool
    address: Address
    ceiling: str
    introduced: tuple[str, ...]
    added_at: int
    tried_at: int | None
    seen_at: int | None
    offset: int | None
    fault: str
    is_learned: bool = False
    next_at: int | None = None
    is_revoked: bool = False


class Added(NamedTuple):
    """What came of adding a peer: the peer, and this device's own fingerprint beside it.

    ``is_certified``: this node certified the device just now.
    """

    peer: PeerView
    device: str
    is_new: bool
    is_certified: bool


class PeerChange(NamedTuple):
    """What is to be otherwise with a peer; ``None`` leaves it as it is."""

    name: str | None = None
    address: Address | None = None
    ceiling: str | None = None
    introduce: tuple[str, ...] = ()


class Peers:
    """Every act on peers, which is the operator's by nature."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def card(self) -> Shown:
        """Return this device's fingerprint, and its card."""
        return card_of(self._context)

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

        ``own`` says that it is a device of this node's own account, which is certified then where
        it was not yet: by the root key, or where that is lost by the ``recovery_key``. Raises
        :class:`AlreadyExists` for a peer or a name that is there already.
        """
        shown, called = cards.read(card), check_name("peer", name)
        reached = addresses.checked(address)
        with writing(self._database) as writer:
            transaction = writer.transaction
            identity = identity_of(transaction)
            needs = check_card(transaction, identity, shown, own=own)
            is_own = shown.account == identity.account
            kept = ceilings.kept(transaction, ceiling, is_own=is_own)
            told = [find_agent(transaction, one).id for one in introduce]
            wanted = peer_of(shown, called, reached, kept)
            check_free(transaction, called, wanted.device)
            held = peers.of_device(transaction, wanted.device)
            if held is not None and held.is_learned:
                peers.remove(transaction, held.device)
                held = None
            if held is None:
                if needs:
                    certify_device(self._context, writer, identity, shown, recovery_key)
                peers.introduce(transaction, peers.add(transaction, wanted), told)
                held = find_peer(transaction, wanted.device)
                settle.call_again(transaction)
                audit.add(transaction, OPERATOR, "peer add", held.device, called)
                _judge_again(transaction, held.ceiling)
                is_new = True
            else:
                _check_same(transaction, held, wanted, told)
                is_new = False
            view = view_of(transaction, identity, held)
        if is_new:
            settle.refresh(self._database)
        return Added(view, identity.device, is_new, is_certified=needs and is_new)

    def list(self) -> tuple[PeerView, ...]:
        """Return the peers, by name."""
        with self._database.read() as snapshot:
            identity = identity_of(snapshot)
            return tuple(view_of(snapshot, identity, one) for one in peers.every(snapshot))

    def get(self, name: str) -> PeerView:
        """Return the peer of a name or fingerprint, or raise :class:`NotFound`."""
        with self._database.read() as snapshot:
            return view_of(snapshot, identity_of(snapshot), find_peer(snapshot, name))

    def devices(self) -> tuple[DeviceView, ...]:
        """Return the devices of this node's account: this one, then the others."""
        with self._database.read() as snapshot:
            return devices_of(snapshot)

    def revoke_device(
        self,
        name: str,
        stolen_at: int | None = None,
        recovery_key: str = "",
        *,
        dry_run: bool = False,
    ) -> Revocation:
        """Revoke a device of this account by a fingerprint, its beginning, or a peer's name.

        What came of it after a theft, in milliseconds of UTC, is left off. The ``recovery_key``
        signs that where the root key is lost. ``dry_run`` only tells what would be done.
        """
        return revocation.revoke(self._context, name, stolen_at, recovery_key, dry_run=dry_run)

    def certify(self, name: str, recovery_key: str = "") -> PeerView:
        """Certify the device of a peer of this account, which came by a code; again does nothing.

        Raises :class:`NotAllowed` for a peer of another account.
        """
        with writing(self._database) as writer:
            transaction = writer.transaction
            identity, held = identity_of(transaction), find_peer(transaction, name)
            if held.account != identity.account:
                raise NotAllowed(f"{held.name} is of another account, and certified by that alone.")
            if not state_of(transaction, identity.account, held.device):
                by = device_signer(self._context, transaction, identity.account, recovery_key)
                certify(writer, identity.account, PublicDevice(held.sign, held.seal), by)
                audit.add(transaction, OPERATOR, "device certify", held.device)
            view = view_of(transaction, identity, held)
        settle.refresh(self._database)
        return view

    def change(self, name: str, change: PeerChange) -> PeerView:
        """Call, reach or limit a peer otherwise, or tell its account of more agents."""
        with self._database.write() as transaction:
            identity, held = identity_of(transaction), find_peer(transaction, name)
            wanted = _changed(transaction, identity, held, change)
            told = [find_agent(transaction, one).id for one in change.introduce]
            if wanted != held or held.is_learned:
                # From now on it is as a person wants it.
                wanted = wanted._replace(is_learned=0)
                peers.change(transaction, wanted)
                if wanted.name != held.name:
                    settle.call_again(transaction)
                if wanted.ceiling != held.ceiling:
                    _judge_again(transaction, held.ceiling, wanted.ceiling)
            peers.introduce(transaction, wanted, told)
            audit.add(transaction, OPERATOR, "peer change", held.device, wanted.name)
            view = view_of(transaction, identity, wanted)
        settle.refresh(self._database)
        return view

    def remove(self, name: str) -> PeerView:
        """Exchange with a peer no more; what it was sent stays with it."""
        with self._database.write() as transaction:
            held = find_peer(transaction, name)
            view = view_of(transaction, identity_of(transaction), held)
            peers.remove(transaction, held.device)
            settle.call_again(transaction)
            peers.refuse(transaction, held.device)
            audit.add(transaction, OPERATOR, "peer remove", held.device, held.name)
            _judge_again(transaction, held.ceiling)
        settle.refresh(self._database)
        return view

    def neighbors(self) -> Nearby:
        """Return the nodes that are near: on this machine, and in its network where that is heard.

        What they say of themselves is not proved, and changes nothing here.
        """
        from agent_memory_os.service.peers.mesh.near import look

        return look(self._context)

    def preview(self, name: str) -> Iterator[Sent]:
        """Yield all that a peer would be sent if it had nothing, each row with its rule.

        It shows memories of whatever agent, and is written to the audit. Nothing is sent.
        """
        return previews.of_peer(self._context, name)

    def view_as(self, name: str) -> Iterator[Seen]:
        """Yield each memory here that an agent may read, of whatever account, with its rule.

        It shows memories of whatever agent, and is written to the audit.
        """
        return previews.view_as(self._context, name)


def card_of(context: Context) -> Shown:
    """Return this device's fingerprint, and its card."""
    local = local_of(context)
    certificate = certificate_of(local)
    with context.database.read() as snapshot:
        account = identity_of(snapshot).account
        root, recovery = node.account_keys(snapshot, account)
    text = cards.written(local.device, root, recovery, certificate)
    return Shown(local.device.id, account, text, certificate is not None)


def certify_device(
    context: Context, writer: Writer, identity: Identity, shown: Card, recovery_key: str = ""
) -> None:
    """Certify a device of this account, or raise :class:`Refused` where nothing here can."""
    by = device_signer(context, writer.transaction, identity.account, recovery_key)
    certify(writer, identity.account, PublicDevice(shown.sign, shown.seal), by)
    audit.add(writer.transaction, OPERATOR, "device certify", shown.device)


def view_of(snapshot: Snapshot, identity: Identity, peer: Peer) -> PeerView:
    """Return a peer as its operator sees it."""
    told = peers.introduced(snapshot, peer)
    return PeerView(
        peer.name,
        peer.device,
        peer.account,
        peer.account == identity.account,
        addresses.of_peer(peer),
        ceilings.shown(snapshot, peer.ceiling),
        tuple(sorted(organisation.agent_name(snapshot, agent) for agent in told)),
        peer.added_at,
        peer.tried_at,
        peer.seen_at,
        peer.offset,
        peer.fault,
        bool(peer.is_learned),
        peer.next_at,
        settle.is_revoked(snapshot, peer.device),
    )


def peer_of(shown: Card, name: str, address: Address, ceiling: str) -> Peer:
    """Return a new peer by its card; ``ceiling`` is in the form that is kept."""
    where, pin = addresses.kept(address)
    keys = (shown.sign, shown.seal, shown.root, shown.recovery)
    return Peer(0, shown.device, shown.account, name, *keys, where, pin, ceiling, "", "", 0, 0)


def check_card(snapshot: Snapshot, identity: Identity, shown: Card, *, own: bool) -> bool:
    """Raise where a card may not be added; say whether its device has to be certified first."""
    if shown.device == identity.device:
        raise InvalidInput("This is the card of this device itself: add that of the other one.")
    if settle.is_revoked(snapshot, shown.device):
        raise Revoked(
            f"The device {shown.device} was revoked by its account; it comes back as a new device "
            "only."
        )
    if shown.account != identity.account:
        if own:
            raise Refused("This card is of a device of another account, and not of yours.")
        if shown.certificate is None:
            raise Refused(
                "The device of this card is not certified by its account yet: ask for its card "
                "again once it is."
            )
        return False
    state = state_of(snapshot, identity.account, shown.device)
    is_known = bool(state) or shown.certificate is not None
    if not is_known and not own:
        raise Refused(
            "This card is of a device of your own account, which has not certified it yet: say "
            "that it is yours.",
            "own_device",
        )
    return not is_known


def _check_same(snapshot: Snapshot, held: Peer, wanted: Peer, told: list[str]) -> None:
    """Raise :class:`AlreadyExists` where a peer is there and would be otherwise."""
    fields = ("name", "address", "pin", "ceiling")
    is_same = all(getattr(held, field) == getattr(wanted, field) for field in fields)
    if not is_same or not {*told} <= {*peers.introduced(snapshot, held)}:
        raise AlreadyExists(
            f"The device {held.device} is the peer {held.name} already: change that one.",
            "change_peer",
        )


def _changed(snapshot: Snapshot, identity: Identity, held: Peer, change: PeerChange) -> Peer:
    wanted = held
    if change.name is not None:
        wanted = wanted._replace(name=check_name("peer", change.name))
        check_free(snapshot, wanted.name, wanted.device)
    if change.address is not None:
        where, pin = addresses.kept(addresses.checked(change.address))
        wanted = wanted._replace(address=where, pin=pin)
    if change.ceiling is not None:
        is_own = held.account == identity.account
        kept = ceilings.kept(snapshot, change.ceiling, is_own=is_own)
        wanted = wanted._replace(ceiling=kept)
    return wanted


def _judge_again(transaction: Transaction, *ceilings: str) -> None:
    """Have shared memories judged again where an account began or ceased to be trusted."""
    if SHARED in ceilings:
        peers.judge_shared_again(transaction)
