"""The inviter's end of a pairing: answers whoever asks with a code, and lets in who has the words.

An attempt is counted before anything is answered, in the file, so that no number of processes
or restarts gives more than three. What lets somebody in happens in one transaction: the peer, its
agents, their membership, and that the invitation is used. The account's device that invites is in
charge of the team, so that nobody else has to agree.
"""

from __future__ import annotations

from threading import Lock

from agent_memory_os.errors import BadCode
from agent_memory_os.federation import card as cards
from agent_memory_os.federation.pairing import message
from agent_memory_os.federation.pairing.handshake import Half, Keys, check_shown
from agent_memory_os.federation.pairing.message import DEVICE, TEAM, Closing, Joiner, Offer, Opened
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.organisation import put_membership
from agent_memory_os.service.peers.address import NOWHERE
from agent_memory_os.service.peers.pairing import people
from agent_memory_os.service.peers.pairing.invitations import code_of, team_name
from agent_memory_os.service.peers.pairing.meeting import Meeting, meet
from agent_memory_os.service.peers.peers import card_of
from agent_memory_os.store import audit, organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.peer import invitations
from agent_memory_os.store.peer.invitations import OPEN, Invitation
from agent_memory_os.store.write import Writer, writing
from agent_memory_os.value import NamedTuple

SESSION_MS = 300_000
"""For how long a person may look at what is offered before the second question comes."""

_CLOSED = "No invitation with this code is open here: ask for a new one."


class Session(NamedTuple):
    """An attempt that was begun: at which invitation, with which keys, what was offered."""

    number: int
    keys: Keys
    offer: str
    until: int


class Called(NamedTuple):
    """How a node calls itself: by its person to other people, by its machine to that person.

    ``agent`` is the one that acts by default, and will on that person's other machines.
    """

    person: str
    machine: str
    agent: str = ""


class Host:
    """Answers those who come by a code, for any number of threads.

    ``context`` and ``called`` may be put in place of those that it was made with: a server that
    took up edited files goes on with what was begun.
    """

    def __init__(self, context: Context, called: Called) -> None:
        self.context = context
        self.called = called
        self._sessions: dict[str, Session] = {}
        self._lock = Lock()

    def open(self, line: bytes) -> bytes:
        """Answer the first question, which is an attempt at a code."""
        question = message.opening(line)
        card = card_of(self.context).card
        with self.context.database.write() as transaction:
            invitation = _joinable(transaction, question.number)
            if invitation.state(transaction.now) != OPEN:
                raise BadCode(_CLOSED)
            invitations.count_try(transaction, question.number)
            offer = _offer(transaction, invitation, card, self.called)
            now = transaction.now
        half = Half(code_of(invitation), question.url, is_joiner=False)
        keys = half.keys(question.message)
        session = Session(question.number, keys, message.digest_of(offer), now + SESSION_MS)
        name = self.context.nonce()
        with self._lock:
            held = [(other, one) for other, one in self._sessions.items() if one.until > now]
            self._sessions = dict([*held, (name, session)])
        sealed = message.seal_offer(keys.inviter_seals, offer)
        return message.to_opened(Opened(name, half.message, keys.inviter_shows, sealed))

    def close(self, line: bytes) -> bytes:
        """Answer the second question, which shows that the joiner has the words: let it in."""
        question = message.closing(line)
        session = self._begun(question)
        check_shown(question.shown, session.keys.joiner_shows)
        joiner = message.open_joiner(session.keys.joiner_seals, question.joiner)
        if joiner.offer != session.offer:
            raise BadCode(_CLOSED)
        self._let_in(session.number, joiner)
        settle.refresh(self.context.database)
        return message.seal_done(session.keys.inviter_seals)

    def _begun(self, question: Closing) -> Session:
        """Return the attempt that a question goes on with, which nobody can go on with again."""
        with self._lock:
            session = self._sessions.pop(question.session, None)
        if session is None or session.until <= self.context.database.clock():
            raise BadCode(_CLOSED)
        return session

    def _let_in(self, number: int, joiner: Joiner) -> None:
        """Make whoever joins a peer, and its agents members, or its device one of the account."""
        shown = cards.read(joiner.card)
        arrivals = people.read(joiner.lines, shown)
        with writing(self.context.database) as writer:
            transaction = writer.transaction
            invitation = _joinable(transaction, number)
            meeting = Meeting(shown, joiner.called, NOWHERE, invitation.scope)
            peer = meet(self.context, writer, meeting, certifies=not invitation.scope)
            if invitation.scope:
                people.take(transaction, peer, arrivals)
                _join(writer, invitation.scope, shown.account, joiner.agents)
            invitations.join(transaction, number, shown.device)
            audit.add(transaction, OPERATOR, "invitation join", shown.device, peer.name)


def _joinable(snapshot: Snapshot, number: int) -> Invitation:
    """Return an invitation that somebody may still come by, who began in time."""
    found = invitations.get(snapshot, number)
    if found is None or found.joined_at is not None or not found.words:
        raise BadCode(_CLOSED)
    if found.ends_at <= snapshot.now:
        raise BadCode(_CLOSED)
    return found


def _offer(snapshot: Snapshot, invitation: Invitation, card: str, called: Called) -> Offer:
    if not invitation.scope:
        return Offer(DEVICE, card, called.machine, "", called.agent)
    team = invitation.scope.partition(":")[2]
    return Offer(TEAM, card, called.person, team, team_name(snapshot, invitation.scope))


def _join(writer: Writer, scope: str, account: str, agents: tuple[str, ...]) -> None:
    """Make agents of an account members of a team."""
    for name in agents:
        found = organisation.agents_named(writer.transaction, name)
        if len(found) != 1 or found[0].account != account:
            raise BadCode("Whoever joins named an agent that is not its own.")
        put_membership(writer, scope, found[0], on=True)
