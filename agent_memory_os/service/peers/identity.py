"""The node as peers meet it: its device with its keys, and what its account says of devices."""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.errors import CopiedHome, DamagedDatabase, Refused
from agent_memory_os.federation import card as cards
from agent_memory_os.federation.exchange.local import Local
from agent_memory_os.federation.identity import PublicDevice, account_of, adopt, device, root_key
from agent_memory_os.federation.signing import Signed
from agent_memory_os.model.authority.device import RECOVERY, ROOT
from agent_memory_os.model.register import DEVICE
from agent_memory_os.service.context import Context
from agent_memory_os.service.peers.authority.signer import Signer, put_signed
from agent_memory_os.store import node
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange import held, settle
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from agent_memory_os.store.file.disk import home_mark
from agent_memory_os.store.node import Identity, PublicKeys
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer

CERTIFIED = "certified"
REVOKED = "revoked"
_BATCH = 250


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
        home = node.home(snapshot)
    if home is not None and home.mark != home_mark(context.database.path):
        raise CopiedHome(
            f"{context.home} was copied or moved from another place, and peers cannot tell the two "
            "apart: make this one a device of its own.",
            "new_device",
        )


def certify(writer: Writer, account: str, shown: PublicDevice, by: Signer) -> None:
    """Write that a device is the account's, signed by the account's root or recovery key."""
    value = {"state": CERTIFIED, "sign": shown.sign, "seal": shown.seal}
    if by.by == RECOVERY:
        value["by"] = RECOVERY
    proof = node.account_keys(writer.transaction, account)
    put_signed(writer, Draft(account, DEVICE + shown.id, value, proof), by.key)


def certify_own(context: Context, transaction: Transaction, account: str, keys: PublicKeys) -> None:
    """Certify this node's own device, unless its account's root key lies elsewhere."""
    root = root_key(context.home)
    if root is not None:
        writer = Writer(transaction)
        certify(writer, account, PublicDevice(keys.sign, keys.seal), Signer(ROOT, root))
        writer.close()


def sign_all(context: Context, transaction: Transaction) -> None:
    """Sign what this device wrote and never sent: once it is another device, nobody could.

    What can be signed by no key that is here stays as it is.
    """
    try:
        own = device(context.home)
    except DamagedDatabase:
        return
    if own.id != identity_of(transaction).device:
        return
    local = Local(context.database, own, root_key(context.home), context.nonce)
    reader = Reader(transaction)
    _sign(local, transaction, reader.organisation())
    names = held.unsigned(transaction)
    for at in range(0, len(names), _BATCH):
        for registers in reader.of(names[at : at + _BATCH]).values():
            _sign(local, transaction, registers)


def _sign(local: Local, transaction: Transaction, registers: Iterable[HeldRegister]) -> None:
    made = [(one.lseq, local.signed(one)) for one in registers if one.signature is None]
    signatures = [(lseq, one.signature) for lseq, one in made if one is not None]
    settle.keep_signatures(transaction, signatures)


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
        entries = [one for one in charts.read(snapshot).entries.values() if one.lseq]
    for one in entries:
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
