"""Handing a team over to the account of a member, and taking it back with the recovery key.

Both say what remains of the team's registers, of those that are valid here: the lists and what
names them are one write. From then on whoever was in charge is refused, on its own node too, and
what it writes all the same counts nowhere.
"""

from __future__ import annotations

from agent_memory_os.errors import NotAllowed, Refused, UnknownName
from agent_memory_os.model.authority.device import RECOVERY
from agent_memory_os.model.identifier import kind_of
from agent_memory_os.model.organisation import Team, spelt
from agent_memory_os.model.register import TEAM_ADMIN
from agent_memory_os.service.charge import check_charge
from agent_memory_os.service.context import OPERATOR, Context, check_clock
from agent_memory_os.service.named import find_anybody, find_team
from agent_memory_os.service.peers.authority.signer import put_signed, recovery_signer
from agent_memory_os.service.peers.identity import local_of
from agent_memory_os.service.peers.named import is_meant
from agent_memory_os.store import audit, organisation
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange import chart, freeze, settle
from agent_memory_os.store.peer import invitations, peers
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer, writing
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ADMIN = "admin"


def hand_over(context: Context, name: str, to: str) -> Team:
    """Put the account of a member in charge of a team that this account is in charge of.

    ``to`` is an agent, a peer or an account. Raises :class:`NotAllowed` for whoever is not in
    charge, :class:`UnknownName` for who is not known, and :class:`Refused` for who is no member.
    """
    key = local_of(context).device.sign
    with context.widening() as writer:
        snapshot = writer.transaction
        team = find_team(snapshot, name)
        check_charge(writer, team.id)
        check_clock(snapshot)
        account = _account_named(snapshot, to)
        if account == writer.account:
            raise Refused(f"Your own account is in charge of team {team.name} already.")
        members = organisation.members(snapshot, f"team:{team.id}")
        if account not in {member.account for member in members}:
            raise Refused(
                f"{to} is not in team {team.name}: a team is handed over to a member alone.",
                "join",
                kind="team",
                name=team.name,
                agent="AGENT",
            )
        _put(writer, team, {"to": account, "by": _ADMIN, "turn": 0}, key)
        # Whoever came by one would be let in by who may not any more.
        _withdraw(writer.transaction, team)
        audit.add(writer.transaction, OPERATOR, "team hand over", team.id, account)
        found = _now(writer.transaction, team.id)
    settle.refresh(context.database)
    return found


def take_back(context: Context, name: str, typed: str = "") -> Team:
    """Put this account in charge again of a team that it founded, by its recovery key.

    ``typed`` is the key, where it does not lie in the home. Raises :class:`NotAllowed` for a team
    of another founder and for another account's key, and :class:`Refused` where nobody else is in
    charge or there is no key.
    """
    with writing(context.database) as writer:
        snapshot = writer.transaction
        team = find_team(snapshot, name)
        if team.founder != writer.account:
            raise NotAllowed(
                f"Another account founded team {team.name}, and only that can take it back."
            )
        if team.admin == writer.account:
            raise Refused(f"Your account is in charge of team {team.name}: nobody took it.")
        signer = recovery_signer(context, snapshot, writer.account, typed)
        turn = chart.read(snapshot).view.teams.turn(team.id) + 1
        value: dict[str, object] = {"to": writer.account, "by": RECOVERY, "turn": turn}
        _put(writer, team, value, signer.key)
        audit.add(snapshot, OPERATOR, "team take back", team.id)
        found = _now(snapshot, team.id)
    settle.refresh(context.database)
    return found


def _put(writer: Writer, team: Team, value: dict[str, object], key: Ed25519PrivateKey) -> None:
    value["lists"] = freeze.remaining_of(writer, team.id)
    proof = organisation.proof_of(writer.transaction, "team", team.id)
    put_signed(writer, Draft(team.id, TEAM_ADMIN, value, proof), key)


def _now(snapshot: Snapshot, team: str) -> Team:
    return next(one for one in organisation.teams(snapshot, None) if one.id == team)


def _account_named(snapshot: Snapshot, to: str) -> str:
    """Return the account that is meant by an agent, a peer, or its own id."""
    plain = spelt(to)
    if kind_of(plain) == "account":
        known = {agent.account for agent in organisation.others(snapshot)}
        if plain not in known | {one.account for one in peers.every(snapshot)}:
            raise UnknownName(f"There is no account {plain} that is known here.")
        return plain
    found = [one.account for one in peers.every(snapshot) if is_meant(one, plain)]
    return found[0] if found else find_anybody(snapshot, plain).account


def _withdraw(transaction: Transaction, team: Team) -> None:
    for one in invitations.every(transaction):
        if one.scope == f"team:{team.id}":
            invitations.withdraw(transaction, one.number)
