"""The recovery key as its person meets it: shown once, written down, and taken off the machine."""

from __future__ import annotations

from agent_memory_os.errors import NotFound
from agent_memory_os.federation import recovery
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.peers.identity import identity_of
from agent_memory_os.store import audit, node


def shown(context: Context) -> str:
    """Return the recovery key that lies in the home, as it is written down.

    Raises :class:`NotFound` where it does not lie there, and :class:`NotAllowed` for that of
    another account.
    """
    key = recovery.in_home(context.home)
    if key is None:
        raise NotFound(
            f"The recovery key is not in {context.home}: it was taken off, or the account was made "
            "on another machine."
        )
    with context.database.write() as transaction:
        account = identity_of(transaction).account
        recovery.check_of(key, node.account_keys(transaction, account)[1])
        audit.add(transaction, OPERATOR, "recovery key show", account)
    return recovery.written(key)


def take_off(context: Context) -> None:
    """Take the recovery key off this machine, once somebody has written it down."""
    recovery.take_off(context.home)
    with context.database.write() as transaction:
        audit.add(transaction, OPERATOR, "recovery key take off", identity_of(transaction).account)
