"""The one way to write: a draft becomes a register, is logged, and is seen in the view.

A :class:`Log` gives each draft its stamp, number, author and device, puts it into its place in the
log; ``write.Writer`` then shows it in the part of the view that its group belongs to, all in one
transaction. Nothing else writes to ``registers``. Nothing is signed here: a signature is made when
a register is first sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from agent_memory_os.model.canonical import encode
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    LOG,
    Chain,
    Register,
    Value,
    digest,
    following,
    rule_of,
)
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple

_sql = Queries("register")
_NO_RELIANCE = 0


class Draft(NamedTuple):
    """A register to be: what is said of which object, and what its id commits to.

    A content may name several scopes under ``relies``: it becomes a register for each. ``text`` is
    the value's canonical form, and ``value_digest`` its hash, where they are known.
    """

    object: str
    group: str
    value: Value
    proof: tuple[str, ...]
    relies: Mapping[str, str] = {}
    value_digest: bytes | None = None
    text: str = ""
    edits: int = 0


class Log:
    """Gives out stamps and numbers within one transaction; :meth:`close` keeps the last ones."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        node = transaction.row(_sql["node"])
        if node is None:  # pragma: no cover - a node is made in the transaction that makes its file
            raise LookupError("the file has no node")
        self.account, self.device, _, self._stamp, self._seq, self._head = node
        self._author_row: int = transaction.value(_sql["account_row"], (self.account,))
        self._device_row: int = transaction.value(_sql["device_row"], (self.device,))
        self._reliances: dict[frozenset[tuple[str, str]], int] = {}
        self.number = 0
        """The number, in the order of this file, of the content register that was logged last."""

    def place(self, draft: Draft, *, is_new: bool = False, stamp: int | None = None) -> Register:
        """Log one draft of this node and return the register that it became.

        ``is_new`` tells that its place is empty, so that nobody looks. ``stamp`` is that of a
        content which is signed for one more scope.
        """
        rule = rule_of(draft.group)
        if stamp is None:
            self._stamp = stamp = following(self._stamp, self.transaction.now)
        self._seq += 1
        chain = Chain(self._head) if rule is not None and rule.is_chained else None
        register = Register(
            draft.object,
            draft.group,
            self.account,
            self.device,
            stamp,
            self._seq,
            draft.value,
            draft.proof,
            draft.relies,
            chain,
            edits=draft.edits,
        )
        reliance = self._reliance(draft.relies)
        slot = self._seq if rule is not None and rule.merge == LOG else reliance
        key = (register.object, register.group, self._author_row, self._device_row, slot)
        if not is_new:
            self._clear(key)
        if rule is None or rule.object_kind != "memory":
            proof = encode(list(register.proof)).decode()
            self.transaction.execute(_sql["keep_proof"], (register.object, proof))
        self._log(draft, register, key, reliance)
        return register

    def _clear(self, key: tuple[str, str, int, int, int]) -> None:
        """Make room for a register in its place.

        What was signed may be asked about by who holds it: a grant is kept beside the next one, and
        so is what a list of what remains names.
        """
        # Not by INSERT OR REPLACE: its savepoint would have the index written out each time.
        found = self.transaction.row(_sql["at_place"], key)
        if found is None:
            return
        lseq, is_signed = found
        if is_signed and (key[1].startswith(GRANT) or self._is_pinned(key[0], lseq)):
            self.transaction.execute(_sql["move_aside"], (*key[:4], lseq))
        else:
            self.transaction.execute(_sql["clear_place"], (lseq,))

    def _is_pinned(self, object_id: str, lseq: int) -> bool:
        if self.transaction.value(_sql["any_list"]) is None:
            return False
        from agent_memory_os.store.exchange.held import Reader  # where lists are, and nowhere else

        reader = Reader(self.transaction)
        held = {one.lseq: one.name for one in reader.of([object_id]).get(object_id, ())}
        lists = reader.lists().values()
        return any(held.get(lseq) == entry.digest for one in lists for entry in one.entries)

    def drop_content(self, object_id: str) -> None:
        """Forget an erased memory's content register: not even a digest of it stays."""
        self.transaction.execute(_sql["drop_content"], (object_id,))

    def close(self) -> None:
        """Keep the last stamp, number and chain head: they are durable before they are used."""
        self.transaction.execute(_sql["advance"], (self._stamp, self._seq, self._head))

    def _log(
        self, draft: Draft, register: Register, key: tuple[str, str, int, int, int], reliance: int
    ) -> None:
        place = (*key, register.stamp, register.seq)
        if register.group == CONTENT:
            held = None if draft.value_digest is None else bytearray(draft.value_digest)
            row = (*place, held, reliance, draft.edits)
            self.number = self.transaction.execute(_sql["log_content"], row)
            return
        text = draft.text or encode(draft.value).decode()
        if register.chain is None:
            self.transaction.execute(_sql["log_value"], (*place, text, reliance))
            return
        self._head = digest(register)
        link = (bytearray.fromhex(self._head), register.chain.previous)
        self.transaction.execute(_sql["log_link"], (*place, text, reliance, *link))

    def _reliance(self, relies: Mapping[str, str]) -> int:
        if not relies:
            return _NO_RELIANCE
        name = frozenset(relies.items())
        if name not in self._reliances:
            text = encode(dict(relies)).decode()
            row = self.transaction.value(_sql["reliance_row"], (text,))
            self._reliances[name] = row or self.transaction.execute(_sql["add_reliance"], (text,))
        return self._reliances[name]


def held_values(snapshot: Snapshot, object_id: str, group: str) -> list[dict[str, object]]:
    """Return the values that are held of an object and group, in no order (content: empty)."""
    return [
        json.loads(row[6]) if row[6] else {}
        for row in snapshot.rows(_sql["versions"], (object_id, group))
    ]


def entries(
    snapshot: Snapshot, object_id: str, group: str
) -> Iterable[tuple[str, dict[str, object]]]:
    """Return the digest and value of each entry of a log group, oldest first."""
    rows = snapshot.rows(_sql["versions"], (object_id, group))
    return [(row[7].hex(), json.loads(row[6])) for row in sorted(rows, key=lambda row: row[4])]
