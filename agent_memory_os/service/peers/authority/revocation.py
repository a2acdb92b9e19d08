"""Revoking a device of this account: what of it stays, what does not, and who says so.

What stays is what is held here of it as valid; with the date of a theft, only what had come here by
then. The list and what names it are one write. The device is sent nothing from then on, and nothing
of it is taken; others learn of it at their next contact.
"""

from __future__ import annotations

from agent_memory_os.errors import AlreadyExists, InvalidTime, NotAllowed, NotFound, Refused
from agent_memory_os.model.authority import write
from agent_memory_os.model.authority.device import RECOVERY, signer
from agent_memory_os.model.organisation import spelt
from agent_memory_os.model.register import DEVICE
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.peers.authority.signer import Signer, device_signer, put_signed
from agent_memory_os.service.peers.devices import DeviceView, devices_of
from agent_memory_os.service.peers.identity import CERTIFIED, REVOKED, identity_of
from agent_memory_os.service.peers.named import is_meant
from agent_memory_os.store import audit, node
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import chart, freeze, settle
from agent_memory_os.store.exchange.freeze import Spared
from agent_memory_os.store.peer import peers
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import writing
from agent_memory_os.value import NamedTuple

_LEAST = 4
"""So much of a fingerprint is named at least, after ``dev_``."""

_PREFIX = "dev_"


class Revocation(NamedTuple):
    """What revoking a device would do, or did; ``peer`` is what it is called here, if it is a peer.

    ``stays`` and ``voided`` count its writes, ``memories`` are those of which something is voided.
    ``by`` is the key that signs: ``root`` or ``recovery``.
    """

    device: str
    peer: str
    stays: int
    voided: int
    memories: tuple[str, ...]
    by: str
    is_done: bool


def revoke(
    context: Context,
    name: str,
    stolen_at: int | None = None,
    typed: str = "",
    *,
    dry_run: bool = False,
) -> Revocation:
    """Revoke a device of this account by a fingerprint, its beginning, or a peer's name.

    ``stolen_at`` dates a theft, in milliseconds. ``typed`` is the recovery key, for where the root
    key is lost. Raises :class:`NotFound`, :class:`NotAllowed` for another account's device or key,
    :class:`AlreadyExists` for one that was revoked, :class:`InvalidTime` for a date to come, and
    :class:`Refused` for the last device, or where no key is here.
    """
    if stolen_at is not None and stolen_at > context.database.clock():
        raise InvalidTime("The date of the theft is still to come.")
    if dry_run:
        with context.database.read() as snapshot:
            return _foreseen(context, snapshot, name, stolen_at, typed)[0]
    with writing(context.database) as writer:
        transaction = writer.transaction
        done, spared, by = _foreseen(context, transaction, name, stolen_at, typed)
        sign, seal = node.device_keys(transaction, done.device)
        value: dict[str, object] = {"state": REVOKED, "sign": sign, "seal": seal}
        if by.by == RECOVERY:
            value["by"] = RECOVERY
        view = chart.read(transaction).view
        value["sees"] = write.seen_revocations(view, writer.account, done.device)
        value["lists"] = freeze.keep(writer, [spared.kept])
        proof = node.account_keys(transaction, writer.account)
        draft = Draft(writer.account, DEVICE + done.device, value, proof)
        put_signed(writer, draft, by.key)
        audit.add(transaction, OPERATOR, "device revoke", done.device, f"{done.voided} voided")
    settle.refresh(context.database)
    return done._replace(is_done=True)


def _foreseen(
    context: Context, snapshot: Snapshot, name: str, stolen_at: int | None, typed: str
) -> tuple[Revocation, Spared, Signer]:
    account = identity_of(snapshot).account
    found = _device_named(snapshot, name)
    _check(snapshot, found, stolen_at)
    by = device_signer(context, snapshot, account, typed)
    spared = freeze.spared(snapshot, account, found.device, stolen_at)
    voided = [one for one in spared.voided if signer(one) == "device"]
    memories = {one.object for one in voided if one.object.startswith("mem_")}
    counts = (len(spared.kept.entries), len(voided), tuple(sorted(memories)))
    return Revocation(found.device, found.peer, *counts, by.by, is_done=False), spared, by


def _check(snapshot: Snapshot, found: DeviceView, stolen_at: int | None) -> None:
    if found.state == REVOKED:
        raise AlreadyExists(f"The device {found.device} was revoked already.")
    others = [
        one for one in devices_of(snapshot) if one.device != found.device and one.state == CERTIFIED
    ]
    if not others:
        raise Refused(
            "This is the only device of your account that is certified: certify another one first."
        )
    if found.is_this and stolen_at is not None:
        raise Refused("This is the device that you are at: it was not stolen.")


def _device_named(snapshot: Snapshot, name: str) -> DeviceView:
    """Return the device of this account that a fingerprint, its beginning or a name means."""
    plain = spelt(name.strip())
    known = devices_of(snapshot)
    for peer in peers.every(snapshot):
        if is_meant(peer, plain):
            found = [one for one in known if one.device == peer.device]
            if found:
                return found[0]
            raise NotAllowed(
                f"{peer.name} is a device of another account, which alone revokes it: remove the "
                "peer, or take its agents out of your teams."
            )
    beginning = _PREFIX + plain.removeprefix(_PREFIX)
    is_long = len(beginning) >= len(_PREFIX) + _LEAST
    found = [one for one in known if is_long and one.device.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotFound(
            f"More than one device of your account begins with {name!r}: name more of it."
        )
    raise NotFound(f"There is no device {name!r} of your account.", "list_devices")
