"""The node as peers meet it: its device with its keys, and what its account says of devices."""

from __future__ import annotations

from agent_memory_os.errors import CopiedHome, Refused
from agent_memory_os.federation import card as cards
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.identity import account_of, adopt, device, root_key
from agent_memory_os.federation.signing import Signed
from agent_memory_os.model.identifier import device_id
from agent_memory_os.model.register import DEVICE
from agent_memory_os.service.context import Context
from agent_memory_os.store import node
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.file.disk import home_mark
from agent_memory_os.store.node import Identity, PublicKeys
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer

CERTIFIED = "certified"
REVOKED = "revoked"


def identity_of(snapshot: Snapshot) -> Identity:
    """Return whose node this is."""
    found = node.identity(snapshot)
    if found is None:  # pragma: no cover - a node is made in the transaction that makes its file
        raise LookupError("the file has no node")
    return found


def local_of(context: Context) -> Local:
    """Return this node with its keys, as sessions need it.

    Raises :class:`DamagedDatabase` where a key of the device is missing, and :class:`Refused` where
    the keys are another device's.
    """
    own = device(context.home)
    with context.database.read() as snapshot:
        identity = identity_of(snapshot)
    if own.id != identity.device:
        raise Refused(
            f"The keys in {context.home} are those of another device than this node's: put its own "
            "back, or make it a device of its own.",
            "new_device",
        )
    return Local(context.database, own, root_key(context.home), context.nonce)


def check_place(context: Context) -> None:
    """Raise :class:`CopiedHome` in a home that was copied: two nodes would write as one device."""
    with context.database.read() as snapshot:
        held = node.home(snapshot)
    if held is not None and held.mark != home_mark(context.database.path):
        raise CopiedHome(
            f"{context.home} was copied or moved from another place, and peers cannot tell the two "
            "apart: make this one a device of its own.",
            "new_device",
        )


def certify(writer: Writer, account: str, keys: PublicKeys) -> None:
    """Write that a device is the account's; its root key signs that when it is first sent."""
    value = {"state": CERTIFIED, "sign": keys.sign, "seal": keys.seal}
    group = DEVICE + device_id(keys.sign, keys.seal)
    writer.put(Draft(account, group, value, (keys.root, keys.recovery)))


def certify_own(context: Context, transaction: Transaction, account: str, keys: PublicKeys) -> None:
    """Certify this node's own device, unless its account's root key lies elsewhere."""
    if root_key(context.home) is not None:
        writer = Writer(transaction)
        certify(writer, account, keys)
        writer.close()


def state_of(snapshot: Snapshot, account: str, name: str) -> str:
    """Return what an account says of a device: certified, revoked, or nothing."""
    chart = charts.read(snapshot)
    groups = [one.register.group for one in chart.entries.values() if one.lseq]
    if DEVICE + name not in groups:
        return ""
    return REVOKED if chart.view.devices.revocations(account, name) else CERTIFIED


def certificate_of(local: Local) -> Signed | None:
    """Return what certifies this node's own device, signed; ``None`` where nothing does yet."""
    with local.database.read() as snapshot:
        group = DEVICE + local.device.id
        held = [one for one in charts.read(snapshot).entries.values() if one.lseq]
    for one in held:
        if one.register.group == group and one.register.value["state"] == CERTIFIED:
            found = local.signed(one)
            if found is not None and one.signature is None:
                with local.database.write() as transaction:
                    settle.keep_signatures(transaction, [(one.lseq, found.signature)])
            if found is not None:
                return found
    return None


def take_account(home: str, card: str, *, is_new: bool) -> None:
    """Put the public keys of a card's account into a home that has no node yet (``is_new``).

    Raises :class:`Refused` where the home is of another account.
    """
    shown = cards.read(card)
    if shown.certificate is None:
        raise Refused(
            "The device of this card is not certified by its account yet: take the card of the "
            "machine where the account was made."
        )
    if is_new:
        adopt(home, shown.root, shown.recovery)
    elif account_of(home) != shown.account:
        raise Refused(f"{home} is a home of another account already.", "other_home")
