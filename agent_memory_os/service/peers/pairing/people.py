"""Who joins: an account's agents, and what certifies the devices that speak for them.

Nothing else comes in by a pairing: a register of anything but the joiner's own devices and agents
is refused, whoever signed it.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.card import Card
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.identity import PublicDevice
from agent_memory_os.federation.signing import Refusal, to_wire, verified
from agent_memory_os.model.register import AGENT, DEVICE, Register
from agent_memory_os.store.database import Transaction
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.arrival import Arrival, arrived
from agent_memory_os.store.exchange.chart import Charts
from agent_memory_os.store.exchange.settle import Parcel
from agent_memory_os.store.peer.peers import Peer

_NOT_WHOLE = "What the other node says of its agents does not hold together."


def lines_of(local: Local, account: str, agents: Iterable[str]) -> tuple[str, ...]:
    """Return the registers of some agents of this account, and of the devices that signed them."""
    with local.database.read() as snapshot:
        entries = [one for one in charts.read(snapshot).entries.values() if one.lseq]
    wanted = {*agents}
    profiles = [one for one in entries if one.register.object in wanted]
    groups = {DEVICE + one.register.device for one in profiles}
    devices = [
        one for one in entries if one.register.object == account and one.register.group in groups
    ]
    found = [local.signed(one) for one in [*devices, *profiles]]
    return tuple(to_wire(one).decode() for one in found if one is not None)


def read(lines: Iterable[str], card: Card) -> list[Arrival]:
    """Verify who joins, before anything is locked; raise :class:`InvalidInput` if it is wrong."""
    known = {card.device: card.public}
    arrivals: list[Arrival] = []
    given = [line.encode() for line in lines]
    if card.certificate is not None:
        given.insert(0, to_wire(card.certificate))
    for line in given:
        [answer] = verified([line], known.get)
        if isinstance(answer, Refusal) or not _is_own(answer.register, card.account):
            raise InvalidInput(_NOT_WHOLE)
        register = answer.register
        if register.group.startswith(DEVICE):
            device = PublicDevice(str(register.value["sign"]), str(register.value["seal"]))
            known[device.id] = device
        arrivals.append(arrived(answer.name, register, answer.signature, line))
    return arrivals


def _is_own(register: Register, account: str) -> bool:
    is_device = register.object == account and register.group.startswith(DEVICE)
    is_agent = register.group == AGENT and register.proof[:1] == (account,)
    return register.author == account and (is_device or is_agent)


def take(transaction: Transaction, peer: Peer, arrivals: list[Arrival]) -> None:
    """Take in who joins; raise :class:`InvalidInput` where any of it can never be taken."""
    source = settle.source_of(transaction, peer.device, peer.index_id)
    # What certifies devices comes first: who signed the rest is judged by it.
    devices = [one for one in arrivals if one.register.group.startswith(DEVICE)]
    profiles = [one for one in arrivals if not one.register.group.startswith(DEVICE)]
    for some in (devices, profiles):
        if settle.take(transaction, Parcel(some, []), source, Charts()):
            raise InvalidInput(_NOT_WHOLE)
