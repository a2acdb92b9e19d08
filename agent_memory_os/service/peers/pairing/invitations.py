"""Invitations: codes by which a team takes somebody in, or an account a further device."""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput, NotFound
from agent_memory_os.federation.pairing import code as codes
from agent_memory_os.federation.pairing.code import HIGHEST, LOWEST, Code
from agent_memory_os.federation.pairing.message import DEVICE, TEAM
from agent_memory_os.service.charge import check_charge
from agent_memory_os.service.context import OPERATOR, Context, check_clock
from agent_memory_os.service.named import find_team
from agent_memory_os.service.peers.authority.signer import device_signer
from agent_memory_os.service.peers.identity import identity_of
from agent_memory_os.store import audit, organisation
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.peer import invitations, peers
from agent_memory_os.store.peer.invitations import MOST_TRIES, OPEN, Invitation
from agent_memory_os.value import NamedTuple

MINUTES = 10
MOST_MINUTES = 60
_MINUTE_MS = 60_000


class Invited(NamedTuple):
    """An invitation as its operator sees it.

    ``kind`` is ``team`` or ``device``, ``team`` the team's name. ``code`` is there while somebody
    can join by it. ``state``: ``open``, ``joined``, ``burnt`` by wrong tries, or ``ended``.
    ``peer`` and ``device`` tell who came by it.
    """

    number: int
    code: str
    kind: str
    team: str
    state: str
    created_at: int
    ends_at: int
    tries_left: int
    peer: str = ""
    device: str = ""


class Invitations:
    """Every act on invitations, which is the operator's by nature."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._database = context.database

    def team(self, name: str, minutes: int = MINUTES) -> Invited:
        """Invite somebody into a team that this account is in charge of."""
        with self._context.widening() as writer:
            team = find_team(writer.transaction, name)
            check_charge(writer, team.id)
            check_clock(writer.transaction)
            return self._add(writer.transaction, f"team:{team.id}", team.name, minutes)

    def device(self, minutes: int = MINUTES, recovery_key: str = "") -> Invited:
        """Invite a further device of this account, where the root key lies.

        Where that is lost, the ``recovery_key`` invites. It is not kept: who came is certified by
        :meth:`Peers.certify`, with the key once more. Raises :class:`Refused` without a key.
        """
        with self._database.write() as transaction:
            account = identity_of(transaction).account
            device_signer(self._context, transaction, account, recovery_key)
            return self._add(transaction, "", "", minutes)

    def list(self) -> tuple[Invited, ...]:
        """Return the invitations of the last day, the newest first."""
        with self._database.read() as snapshot:
            return tuple(seen(snapshot, one) for one in invitations.every(snapshot))

    def get(self, number: int) -> Invited:
        """Return an invitation by its number, or raise :class:`NotFound`."""
        with self._database.read() as snapshot:
            return seen(snapshot, _found(snapshot, number))

    def withdraw(self, number: int) -> Invited:
        """Let nobody join by an invitation any more; one that is over stays as it is."""
        with self._database.write() as transaction:
            _found(transaction, number)
            if invitations.withdraw(transaction, number):
                audit.add(transaction, OPERATOR, "invitation withdraw", str(number))
        return self.get(number)

    def _add(self, transaction: Transaction, scope: str, team: str, minutes: int) -> Invited:
        if not 1 <= minutes <= MOST_MINUTES:
            raise InvalidInput(f"An invitation is good for 1 to {MOST_MINUTES} minutes.")
        now = transaction.now
        taken = {one.number for one in invitations.every(transaction) if one.state(now) == OPEN}
        drawn = codes.drawn(taken, self._context.entropy)
        ends_at = now + minutes * _MINUTE_MS
        made = Invitation(drawn.number, "-".join(drawn.words), scope, now, ends_at)
        invitations.add(transaction, made)
        audit.add(transaction, OPERATOR, "invitation add", scope or DEVICE, team)
        return seen(transaction, made)


def _found(snapshot: Snapshot, number: int) -> Invitation:
    is_one = LOWEST <= number <= HIGHEST  # no other number is given to the database
    found = invitations.get(snapshot, number) if is_one else None
    if found is None:
        raise NotFound(f"There is no invitation {number}.")
    return found


def code_of(invitation: Invitation) -> Code:
    """Return the code of an invitation."""
    return Code(invitation.number, tuple(invitation.words.split("-")))


def seen(snapshot: Snapshot, invitation: Invitation) -> Invited:
    """Return an invitation as its operator sees it."""
    state = invitation.state(snapshot.now)
    peer = None if invitation.device is None else peers.of_device(snapshot, invitation.device)
    return Invited(
        invitation.number,
        code_of(invitation).text if state == OPEN else "",
        TEAM if invitation.scope else DEVICE,
        team_name(snapshot, invitation.scope),
        state,
        invitation.created_at,
        invitation.ends_at,
        max(0, MOST_TRIES - invitation.tries),
        peer.name if peer else "",
        invitation.device or "",
    )


def team_name(snapshot: Snapshot, scope: str) -> str:
    """Return what a team is called here; empty where there is none."""
    every = organisation.teams(snapshot, None)
    return next((team.name for team in every if f"team:{team.id}" == scope), "")
