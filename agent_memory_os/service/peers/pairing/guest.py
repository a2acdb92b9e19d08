"""The joiner's end of a pairing: asks with a code, learns what it is invited to, and joins.

Until the inviter has shown that it has the words of the code, nothing here is made or changed: a
wrong code on a fresh machine leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agent_memory_os.errors import Refused
from agent_memory_os.federation import card as cards
from agent_memory_os.federation.pairing import code as codes
from agent_memory_os.federation.pairing import message
from agent_memory_os.federation.pairing.code import needing_extra
from agent_memory_os.federation.pairing.handshake import Half, Keys, check_shown
from agent_memory_os.federation.pairing.message import (
    CLOSE_PATH,
    DEVICE,
    OPEN_PATH,
    Closing,
    Joiner,
    Offer,
    Opening,
)
from agent_memory_os.model.organisation import check_name, spelt
from agent_memory_os.service.context import Context
from agent_memory_os.service.named import find_agent
from agent_memory_os.service.peers import address as addresses
from agent_memory_os.service.peers.address import Address
from agent_memory_os.service.peers.identity import check_place, identity_of, local_of
from agent_memory_os.service.peers.named import check_free
from agent_memory_os.service.peers.pairing import people
from agent_memory_os.service.peers.pairing.meeting import Meeting, meet
from agent_memory_os.service.peers.peers import PeerView, card_of, view_of
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import peers
from agent_memory_os.store.write import writing
from agent_memory_os.value import NamedTuple

Ask = Callable[[str, bytes], bytes]
"""Asks a node one of the two questions, by its path, and returns the answer."""


def asker(address: Address) -> Ask:
    """Return what asks the node at a URL."""
    with needing_extra():
        from agent_memory_os.federation.transport.pairing import PairingAsker
    return PairingAsker(address.url, address.pin)


class Joined(NamedTuple):
    """What came of joining: what was offered, the inviter as a peer, and this device."""

    offer: Offer
    peer: PeerView
    device: str


class Guest:
    """One attempt to come by a code; ``offer`` is what the inviter offers."""

    def __init__(self, code: str, address: Address, ask: Ask) -> None:
        """Ask with a code at a URL; ``ask`` asks there.

        Raises :class:`InvalidInput` for what is no code or URL, :class:`BadCode` where no such
        invitation is open there or the words are others, and :class:`Unreachable`.
        """
        said, self._address = codes.read(code), addresses.checked(address)
        half = Half(said, self._address.url, is_joiner=True)
        question = Opening(said.number, self._address.url, half.message)
        answer = message.read_opened(ask(OPEN_PATH, message.to_opening(question)))
        self._keys: Keys = half.keys(answer.message)
        check_shown(answer.shown, self._keys.inviter_shows)
        self.offer = message.open_offer(self._keys.inviter_seals, answer.offer)
        self.card = cards.read(self.offer.card)
        self._session = answer.session
        self._ask = ask

    @property
    def is_for_device(self) -> bool:
        """Whether a further device of the inviter's account is invited, and not into a team."""
        return self.offer.kind == DEVICE

    def check(self, context: Context, name: str = "") -> None:
        """Raise :class:`Refused` where this node cannot take the offer, or peers cannot trust it.

        ``name`` is what the inviter is to be called here, which no other peer may be.
        """
        check_place(context)
        with context.database.read() as snapshot:
            identity = identity_of(snapshot)
            if name:
                check_free(snapshot, check_name("peer", name), self.card.device)
        is_own = self.card.account == identity.account
        if is_own != self.is_for_device:
            raise Refused(
                "This invitation is for another person: this node is of the same account as the "
                "one that invites, and has what it has already."
                if is_own
                else "This invitation is for a further device of the account that invites, and "
                "this node is of another one: join from a home that is not there yet."
            )
        if not is_own and not card_of(context).is_certified:
            raise Refused(
                "This device is not certified by its own account yet, and joins nobody until it is."
            )

    def join(self, context: Context, agents: Iterable[str], called: str, name: str = "") -> Joined:
        """Join with some of this node's agents, by name; return the inviter as a peer.

        ``called`` is how this node calls itself, ``name`` what the inviter is to be called here, if
        not as it calls itself. Raises what :meth:`check` does.
        """
        self.check(context, name)
        with context.database.read() as snapshot:
            named = tuple(find_agent(snapshot, one).id for one in agents)
        shown = card_of(context)
        is_own = shown.account == self.card.account
        lines = () if is_own else people.lines_of(local_of(context), shown.account, named)
        joiner = Joiner(shown.card, called, message.digest_of(self.offer), named, lines)
        sealed = message.seal_joiner(self._keys.joiner_seals, joiner)
        closing = Closing(self._session, self._keys.joiner_shows, sealed)
        answer = self._ask(CLOSE_PATH, message.to_closing(closing))
        message.check_done(self._keys.inviter_seals, message.read_done(answer))
        return self._meet(context, named, name)

    def _meet(self, context: Context, agents: Iterable[str], name: str) -> Joined:
        """Make the inviter a peer, which has let this node in."""
        scope = f"team:{self.offer.team}" if self.offer.team else ""
        with writing(context.database) as writer:
            transaction = writer.transaction
            meeting = Meeting(self.card, self.offer.called, self._address, scope, spelt(name))
            peer = meet(context, writer, meeting)
            peers.introduce(transaction, peer, agents)
            identity = identity_of(transaction)
            view = view_of(transaction, identity, peer)
        settle.refresh(context.database)
        return Joined(self.offer, view, identity.device)
