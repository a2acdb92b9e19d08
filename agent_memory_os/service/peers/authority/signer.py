"""Which of an account's two keys signs an act, and where that key comes from.

The root key certifies and revokes devices, and lies on the machine where the account was made. The
recovery key does the same where that is lost, and takes teams back; it lies in the home until
it was written down and taken off, and is typed from then on. What either signs is signed in the
transaction that writes it: a key that is typed is not there any more when it is first sent.
"""

from __future__ import annotations

from agent_memory_os.errors import Refused
from agent_memory_os.federation import recovery
from agent_memory_os.federation.identity import root_key
from agent_memory_os.model.authority.device import RECOVERY, ROOT
from agent_memory_os.model.register import Register, digest, to_bytes
from agent_memory_os.service.context import Context
from agent_memory_os.store import node
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_sql = Queries("exchange")


class Signer(NamedTuple):
    """A key of an account, and how a register says which one it is."""

    by: str
    key: Ed25519PrivateKey


def recovery_signer(context: Context, snapshot: Snapshot, account: str, typed: str) -> Signer:
    """Return the recovery key of this node's account: as typed, else as it lies in the home.

    Raises :class:`InvalidInput` for what is no key, :class:`NotAllowed` for that of another
    account, and :class:`Refused` where there is none.
    """
    key = recovery.read(typed) if typed.strip() else recovery.in_home(context.home)
    if key is None:
        raise Refused(
            f"The recovery key of this account is not in {context.home}: it has to be typed.",
            "give_recovery_key",
        )
    return Signer(RECOVERY, recovery.check_of(key, node.account_keys(snapshot, account)[1]))


def device_signer(context: Context, snapshot: Snapshot, account: str, typed: str) -> Signer:
    """Return what certifies and revokes devices: the recovery key if it was typed, else the root's.

    Raises what :func:`recovery_signer` does.
    """
    root = root_key(context.home)
    if root is None and not typed.strip() and not recovery.lies_in(context.home):
        raise Refused(
            f"The root key of this account is not in {context.home}: do it on the machine where "
            "the account was made, or give the recovery key.",
            "give_recovery_key",
        )
    if root is None or typed.strip():
        return recovery_signer(context, snapshot, account, typed)
    return Signer(ROOT, root)


def put_signed(writer: Writer, draft: Draft, key: Ed25519PrivateKey) -> Register:
    """Log a draft of the organisation with its signature, and show it."""
    register = writer.put(draft)
    name = bytearray.fromhex(digest(register))
    row = (bytearray(key.sign(to_bytes(register))), register.object, register.group, name)
    writer.transaction.execute(_sql["keep_signature_of"], row)
    return register
