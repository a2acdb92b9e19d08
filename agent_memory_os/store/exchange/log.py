"""The log as peers fill it: registers put into their places as they were signed.

What is logged here was verified, and decided on, before: this writes it down. The place of a
register is the one that a local write of it would have; where another version stays there, it gets
a number below zero, under which nothing is written here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from agent_memory_os.model.canonical import encode, encode_checked
from agent_memory_os.model.identifier import kind_named, sha256
from agent_memory_os.model.register import CONTENT, DEVICE, LOG, Register, rule_of
from agent_memory_os.store.database import Row, Snapshot, Transaction
from agent_memory_os.store.exchange.arrival import Arrival
from agent_memory_os.store.exchange.held import HeldRegister
from agent_memory_os.store.queries import Queries

_sql = Queries("exchange")
_register_sql = Queries("register")
_COLUMNS = (
    "lseq",
    "object",
    "grp",
    "author",
    "device",
    "slot",
    "stamp",
    "seq",
    "value",
    "digest",
    "reliance",
    "chain",
    "edits",
    "unknown",
    "signature",
    "source",
)


class Logger:
    """Writes registers of peers in one transaction; ``source`` is who brings them."""

    def __init__(self, transaction: Transaction, source: int | None = None) -> None:
        self.transaction = transaction
        self.source = source
        self._accounts: dict[str, int] = {}
        self._devices: dict[str, int] = {}
        self._reliances: dict[tuple[tuple[str, str], ...], int] = {}
        self._rows: list[Row] = []
        self._has_fresh = False
        self.number: int = transaction.value(_sql["last_number"])

    def flush(self) -> None:
        """Write down what was put: before it is read again, and at the end."""
        self.transaction.insert_many("registers", _COLUMNS, self._rows)
        self._rows.clear()
        if self._has_fresh:
            self.transaction.execute(_sql["keep_number"], (self.number,))
            self._has_fresh = False

    def fresh(self) -> int:
        """Return a number that no register has had or will have."""
        self.number += 1
        self._has_fresh = True
        return self.number

    def knows(self, register: Register) -> bool:
        """Say whether the account of a register's author is known here, or is told by it."""
        return register.group.startswith(DEVICE) or self._account(register) is not None

    def put(
        self, arrival: Arrival, beside: Collection[HeldRegister], *, is_row: bool = False
    ) -> HeldRegister:
        """Log a register; ``beside`` are the versions that stay. Return it with its number."""
        register = arrival.register
        reliance = self._reliance(register)
        slot = self._slot(register, reliance)
        if beside:
            slot = _free(slot, register, beside)
        self.number += 1
        lseq, signature = self.number, arrival.signature
        row = (
            lseq,
            register.object,
            register.group,
            self._account(register),
            self._device(register),
            slot,
            register.stamp,
            register.seq,
            None if is_row else arrival.said.decode(),
            _digest(arrival),
            reliance,
            None if register.chain is None else register.chain.previous,
            register.edits or None,
            _unknown(register),
            bytearray(signature),
            self.source,
        )
        self._rows.append(row)
        return HeldRegister(arrival.name, register, lseq, signature, self.source, is_row, slot)

    def keep_arrival(self, first: int) -> None:
        """Keep when that came which was logged from a number on; nothing, where nothing was.

        Whoever dates a theft is told by it what came after, for a thief writes any stamp it likes.
        """
        if self.number >= first:
            self.transaction.execute(_sql["arrive"], (first, self.transaction.now))

    def drop(self, held: HeldRegister) -> None:
        """Take a version away that need not be kept."""
        self.transaction.execute(_sql["drop_register"], (held.lseq,))

    def set_value(self, held: HeldRegister, *, is_row: bool) -> HeldRegister:
        """Keep the value of a content with its register, or in the memory's row alone."""
        value = None if is_row else encode_checked(held.register.value).decode()
        self.transaction.execute(_sql["set_value"], (value, held.lseq))
        return held._replace(is_row=is_row)

    def sign(self, held: HeldRegister, signature: bytes) -> None:
        """Keep the signature of a register that is held, where it had none."""
        if held.signature is None:
            self.transaction.execute(_sql["keep_signature"], (bytearray(signature), held.lseq))

    def keep_proof(self, register: Register) -> None:
        """Keep what an id commits to, of an object that has no row which says it."""
        proof = encode(list(register.proof)).decode()
        self.transaction.execute(_sql["keep_proof"], (register.object, proof))

    def _slot(self, register: Register, reliance: int | None) -> int:
        rule = rule_of(register.group)
        return register.seq if rule is not None and rule.merge == LOG else reliance or 0

    def _account(self, register: Register) -> int | None:
        name = register.author
        if name not in self._accounts:
            if register.group.startswith(DEVICE):
                self.transaction.execute(_sql["add_account"], (name, *register.proof))
            row = self.transaction.value(_sql["account_row"], (name,))
            if row is None:
                return None
            self._accounts[name] = row
        return self._accounts[name]

    def _device(self, register: Register) -> int:
        if register.group.startswith(DEVICE):
            subject, value = register.group.removeprefix(DEVICE), register.value
            keys = (subject, register.author, value["sign"], value["seal"])
            self.transaction.execute(_sql["add_device"], keys)
        name = register.device
        if name not in self._devices:
            self._devices[name] = self.transaction.value(_sql["device_row"], (name,))
        return self._devices[name]

    def _reliance(self, register: Register) -> int | None:
        if not register.relies:
            return None
        name = tuple(register.relies.items())
        if name not in self._reliances:
            text = encode(dict(register.relies)).decode()
            row = self.transaction.value(_register_sql["reliance_row"], (text,))
            if row is None:
                row = self.transaction.execute(_register_sql["add_reliance"], (text,))
            self._reliances[name] = row
        return self._reliances[name]


def came_after(snapshot: Snapshot, at: int) -> int | None:
    """Return the number from which on what is held came after a time; ``None`` if nothing did.

    Where the clock went back, more counts as having come after it than did.
    """
    found: int | None = snapshot.value(_sql["come_after"], (at,))
    return found


def _unknown(register: Register) -> str | None:
    """Return what is kept of a register that this version does not understand.

    Of an object of an unknown kind nobody can say whether its proof is right: each register of it
    keeps its own.
    """
    is_known = register.object.startswith("mem_") or kind_named(register.object) is not None
    if is_known and not register.unknown:
        return None
    unknown = dict(register.unknown)
    if not is_known:
        unknown["proof"] = register.proof
    return encode(unknown).decode()


def _digest(arrival: Arrival) -> bytearray | None:
    register = arrival.register
    if register.group == CONTENT:
        return bytearray(sha256(arrival.said).digest())
    return bytearray.fromhex(arrival.name) if register.chain is not None else None


def _free(slot: int, register: Register, beside: Iterable[HeldRegister]) -> int:
    place = (register.group, register.author, register.device)
    taken = [
        held.slot
        for held in beside
        if (held.register.group, held.register.author, held.register.device) == place
    ]
    return slot if slot not in taken else min([0, *taken]) - 1
