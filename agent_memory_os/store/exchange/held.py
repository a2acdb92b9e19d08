"""Registers as they were signed, read out of the file again.

A register lies in pieces: accounts, devices and what it relies on by their rows, what its id
commits to once for all of an object's, and the value of a shown content in the row of its memory.
:class:`Reader` puts the pieces together, to the very register that was signed, so that its digest
is what others name it by.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.model.authority.kept import Entry, Kept
from agent_memory_os.model.memory import Content, usual_bytes
from agent_memory_os.model.register import CONTENT, Chain, Register, Signable, signable
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.memories import value_of
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple, cast

_sql = Queries("exchange")
_SHORT = 128
_REMEMBERED = 256
_FIRST_FIELD = 4
_AFTER_FIELDS = _FIRST_FIELD + len(Content._fields)


class HeldRegister(NamedTuple):
    """A register with its digest, its number here, its signature (none yet), and who brought it.

    ``is_row``: the memory's row is its value. ``slot`` is the place that it has among the versions
    of one register. ``signable`` is what its device signs, where it was read to be served.
    """

    name: str
    register: Register
    lseq: int
    signature: bytes | None
    source: int | None
    is_row: bool
    slot: int
    signable: Signable | None = None


class _Memory(NamedTuple):
    proof: tuple[str, ...]
    value: Mapping[str, object]


class Reader:
    """Reads registers in one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._accounts: dict[int, str] = {}
        self._devices: dict[int, str] = {}
        self._reliances: dict[int, Mapping[str, str]] = {}
        self._values: dict[str, Mapping[str, object]] = {}

    def of(self, objects: Iterable[str]) -> dict[str, list[HeldRegister]]:
        """Return the registers of memories and links, each object's in the order of numbers."""
        objects = list(objects)
        wanted = json.dumps(objects)
        self._read_names()
        memories = self._memories(wanted)
        others = [name for name in objects if name not in memories]
        proofs = self._proofs(json.dumps(others)) if others else {}
        found: dict[str, list[HeldRegister]] = {}
        for row in self.snapshot.rows(_sql["registers_of"], (wanted,)):
            held = self._held(row, memories.get(row[1]), proofs)
            found.setdefault(row[1], []).append(held)
        return found

    def organisation(self) -> list[HeldRegister]:
        """Return every register of accounts, agents, teams and projects."""
        self._read_names()
        rows = self.snapshot.rows(_sql["registers_of_organisation"])
        proofs = self._proofs(json.dumps(sorted({row[1] for row in rows})))
        return [self._held(row, None, proofs) for row in rows]

    def lists(self) -> dict[str, Kept]:
        """Return every list of what remains, by its digest."""
        return {
            name: read_list(scope, body) for name, scope, body in self.snapshot.rows(_sql["lists"])
        }

    def _read_names(self) -> None:
        if not self._accounts:
            self._accounts = dict(_pairs(self.snapshot, "accounts"))
            self._devices = dict(_pairs(self.snapshot, "devices"))

    def _memories(self, wanted: str) -> dict[str, _Memory]:
        return {
            row[0]: _Memory(
                (row[1], row[2], row[3].hex()),
                value_of(row[_FIRST_FIELD:_AFTER_FIELDS]),
            )
            for row in self.snapshot.rows(_sql["rows_of"], (wanted,))
        }

    def _proofs(self, wanted: str) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {
            name: (account, agent, nonce.hex())
            for name, account, agent, nonce in self.snapshot.rows(_sql["buried"], (wanted,))
        }
        for name, proof in self.snapshot.rows(_sql["proofs_of"], (wanted,)):
            found[name] = tuple(json.loads(proof))
        return found

    def _held(
        self, row: Row, memory: _Memory | None, proofs: Mapping[str, tuple[str, ...]]
    ) -> HeldRegister:
        lseq, object_id, group, author, device, stamp, seq, text, reliance, chain = row[:10]
        edits, unknown, signature, source, slot = row[10:]
        later = json.loads(unknown) if unknown else {}
        # Kept with the register where its object is of a kind that this version does not know.
        own = tuple(later.pop("proof", ())) or None
        proof = memory.proof if memory else proofs.get(object_id, own)
        if proof is None or (text is None and (memory is None or group != CONTENT)):
            raise DamagedDatabase(f"A register of {object_id} is not whole; run doctor.")
        register = Register(
            object_id,
            group,
            self._accounts[author],
            self._devices[device],
            stamp,
            seq,
            memory.value if text is None and memory else self._value(text),
            proof,
            self._relies(reliance),
            None if chain is None else Chain(chain),
            later,
            edits or 0,
        )
        said = usual_bytes(register.value) if text is None else text.encode()
        made = signable(register, said or b"")
        is_row = text is None
        return HeldRegister(made.name, register, lseq, signature, source, is_row, slot, made)

    def _value(self, text: str) -> Mapping[str, object]:
        # Grants say the same of one memory after the other.
        if len(text) > _SHORT:
            return cast("dict[str, object]", json.loads(text))
        if text not in self._values:
            if len(self._values) >= _REMEMBERED:
                self._values.clear()
            self._values[text] = json.loads(text)
        return self._values[text]

    def _relies(self, reliance: int | None) -> Mapping[str, str]:
        if not reliance:
            return {}
        if reliance not in self._reliances:
            self._reliances = {
                number: json.loads(text) for number, text in _pairs(self.snapshot, "reliances")
            }
        return self._reliances[reliance]


def _pairs(snapshot: Snapshot, query: str) -> list[tuple[int, Any]]:
    return [(row[0], row[1]) for row in snapshot.rows(_sql[query])]


def unsigned(snapshot: Snapshot) -> list[str]:
    """Return the memories and links of which a register was not signed yet."""
    return [row[0] for row in snapshot.rows(_sql["unsigned"])]


def read_list(scope: str, body: bytes) -> Kept:
    """Return a list as it is kept: entries of place, stamp and digest."""
    return Kept(scope, tuple(Entry(*entry) for entry in json.loads(body)))
