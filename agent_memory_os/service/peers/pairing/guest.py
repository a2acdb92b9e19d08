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
from agent_memory_os.federation.pairing.handshake import Half, Keys, check_shown
from agent_memory_os.federation.pairing.message import DEVICE, Closing, Joiner, Offer, Opening
from agent_memory_os.federation.transport.url import node_url
from agent_memory_os.service.context import Context
from agent_memory_os.service.named import find_agent
from agent_memory_os.service.peers.identity import identity_of, local_of
from agent_memory_os.service.peers.pairing import people
from agent_memory_os.service.peers.pairing.meeting import Meeting, meet
from agent_memory_os.service.peers.peers import PeerView, card_of, view_of
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import peers
from agent_memory_os.store.write import writing
from agent_memory_os.value import NamedTuple

Ask = Callable[[str, bytes], bytes]
"""Asks a node one of the two questions, by its path, and returns the answer."""

OPEN_PATH, CLOSE_PATH = "/v1/pair/open", "/v1/pair/close"


class Joined(NamedTuple):
    """What came of joining: what was offered, the inviter as a peer, and this device."""

    offer: Offer
    peer: PeerView
    device: str


class Guest:
    """One attempt to come by a code; ``offer`` is what the inviter offers."""

    def __init__(self, code: str, url: str, ask: Ask) -> None:
        """Ask with a code at a URL.

        Raises :class:`InvalidInput` for what is no code or URL, :class:`BadCode` where no such
        invitation is open there or the words are others, and :class:`Unreachable`.
        """
        said, self._url = codes.read(code), node_url(url)
        half = Half(said, self._url, is_joiner=True)
        question = Opening(said.number, self._url, half.message)
        answer = message.read_opened(ask(OPEN_PATH, message.to_opening(question)))
        self._keys: Keys = half.keys(answer.message)
        check_shown(answer.shown, self._keys.inviter_shows)
        self.offer = message.open_offer(self._keys.inviter_seals, answer.offer)
        self.card = cards.read(self.offer.card)
        self._session = answer.session
        self._ask = ask

    def join(self, context: Context, agents: Iterable[str], called: str) -> Joined:
        """Join with some of this node's agents, by name; return the inviter as a peer.

        Raises :class:`Refused` where this node's account is not one that can take the offer.
        """
        with context.database.read() as snapshot:
            identity = identity_of(snapshot)
            named = tuple(find_agent(snapshot, name).id for name in agents)
        is_own = self.card.account == identity.account
        if is_own != (self.offer.kind == DEVICE):
            raise Refused(
                "This invitation is for another person: this node is of the same account as the "
                "one that invites, and has what it has already."
                if is_own
                else "This invitation is for a further device of the account that invites, and "
                "this node is of another one: join from a home that is not there yet."
            )
        lines = () if is_own else people.lines_of(local_of(context), identity.account, named)
        card = card_of(context).card
        joiner = Joiner(card, called, message.digest_of(self.offer), named, lines)
        sealed = message.seal_joiner(self._keys.joiner_seals, joiner)
        closing = Closing(self._session, self._keys.joiner_shows, sealed)
        answer = self._ask(CLOSE_PATH, message.to_closing(closing))
        message.check_done(self._keys.inviter_seals, message.read_done(answer))
        return self._meet(context, named)

    def _meet(self, context: Context, agents: Iterable[str]) -> Joined:
        """Make the inviter a peer, which has let this node in."""
        scope = f"team:{self.offer.team}" if self.offer.team else ""
        with writing(context.database) as writer:
            transaction = writer.transaction
            meeting = Meeting(self.card, self.offer.called, self._url, scope)
            peer = meet(context, writer, meeting)
            peers.introduce(transaction, peer, agents)
            identity = identity_of(transaction)
            view = view_of(transaction, identity, peer)
        settle.refresh(context.database)
        return Joined(self.offer, view, identity.device)
