"""Registers as they were signed, read out of the file again.

A register lies in pieces: accounts, devices and what it relies on by their rows, what its id
commits to once for all of an object's, and the value of a shown content in the row of its memory.
:class:`Reader` puts the pieces together, to the very register that was signed, so that its digest
is what others name it by.

Most memories are plain: a content and its first grant, of which all is served or nothing. Of those
:meth:`Reader.plain` gives what is signed without making the registers: what they have in common is
worked out once for all that one agent shares with one scope.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.model.authority.kept import Entry, Kept
from agent_memory_os.model.authority.plain import Plain, Plains
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.memory import Content, usual_bytes
from agent_memory_os.model.register import (
    CONTENT,
    Chain,
    Frame,
    Register,
    Signable,
    frame_of,
    signable,
)
from agent_memory_os.store.database import Row, Snapshot
from agent_memory_os.store.memories import bytes_of, value_of
from agent_memory_os.store.queries import Queries
from agent_memory_os.value import NamedTuple, cast

_sql = Queries("exchange")
_SHORT = 128
_REMEMBERED = 256
_FIRST_FIELD = 4
_AFTER_FIELDS = _FIRST_FIELD + len(Content._fields)

_FIRST_SAID = 3
_FORM = _FIRST_SAID + len(Content._fields)
_AFTER_FORM = _FORM + 9
_LIFE = _FORM - 1
"""Where the columns stand of a memory with one content and one other register, and its life."""


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


class Piece(NamedTuple):
    """A register of a plain memory: who wrote it, its digest in bytes, and what is held of it."""

    device: str
    digest: bytes
    lseq: int
    signature: bytes | None
    source: int | None
    signable: Signable


class Form(NamedTuple):
    """What plain memories have in common which one agent shared with one scope from one device.

    ``first`` is one of them, and ``said`` the value of the grant of each.
    """

    first: Plain
    content: Frame
    grant: Frame | None
    said: bytes


class HeldPlain(NamedTuple):
    """A plain memory as it is held: all of it is served on the routes of its form, or nothing."""

    form: Form
    content: Piece
    grant: Piece | None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Its registers, in the order in which they are served."""
        return (self.content,) if self.grant is None else (self.grant, self.content)


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
        self._forms: dict[Row, Form | None] = {}

    def plain(self, objects: Iterable[str], plains: Plains) -> dict[str, HeldPlain]:
        """Return those of some memories that are plain, and shown here."""
        self._read_names()
        found: dict[str, Row] = {}
        others: set[str] = set()
        for row in self.snapshot.rows(_sql["simple"], (json.dumps(list(objects)),)):
            if row[0] in found:
                others.add(row[0])
            found[row[0]] = row
        made: dict[str, HeldPlain] = {}
        for name, row in found.items():
            # One that was edited, or holds what a newer version wrote, is read with all of it.
            if row[2] and row[_LIFE] == 1 and name not in others:
                key = row[_FORM:_AFTER_FORM]
                form = self._forms[key] if key in self._forms else self._form(row, plains)
                if form is not None:
                    made[name] = _plain(row, form)
        return made

    def _form(self, row: Row, plains: Plains) -> Form | None:
        """Return the form of a memory and of all that are alike, if it is plain."""
        memory, nonce = row[0], row[1].hex()
        owner, author, device, reliance, group, text, *by, relies = row[_FORM:_AFTER_FORM]
        proof = (*(self.snapshot.row(_sql["owner"], (owner,)) or ()), nonce)
        value = value_of(row[_FIRST_SAID:_FORM])
        content = self._register(memory, CONTENT, (author, device, reliance), value, proof)
        held, grant = {CONTENT: content}, None
        if group is not None:
            grant = self._register(memory, group, (*by, relies), self._value(text), proof)
            held[group] = grant
        first = plains.of(held)
        form = None
        if first is not None:
            frame = None if grant is None else frame_of(grant)
            form = Form(first, frame_of(content), frame, (text or "").encode())
        self._forms[row[_FORM:_AFTER_FORM]] = form
        return form

    def _register(
        self,
        memory: str,
        group: str,
        by: tuple[int, int, int | None],
        value: Mapping[str, object],
        proof: tuple[str, ...],
    ) -> Register:
        author, device, reliance = by
        names = (self._accounts[author], self._devices[device])
        return Register(memory, group, *names, 0, 1, value, proof, self._relies(reliance))

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


def _plain(row: Row, form: Form) -> HeldPlain:
    memory, nonce, said = row[0], row[1].hex(), bytes_of(row[_FIRST_SAID:_FORM])
    seq, stamp, lseq, signature, source = row[_AFTER_FORM : _AFTER_FORM + 5]
    made = form.content.signable(memory, nonce, seq, stamp, said)
    content = Piece(
        form.first.content.device, sha256(made.data).digest(), lseq, signature, source, made
    )
    if form.grant is None or form.first.grant is None:
        return HeldPlain(form, content, None)
    seq, stamp, lseq, signature, source = row[_AFTER_FORM + 5 :]
    made = form.grant.signable(memory, nonce, seq, stamp, form.said)
    by = form.first.grant.device
    grant = Piece(by, sha256(made.data).digest(), lseq, signature, source, made)
    return HeldPlain(form, content, grant)


def _pairs(snapshot: Snapshot, query: str) -> list[tuple[int, Any]]:
    return [(row[0], row[1]) for row in snapshot.rows(_sql[query])]


def unsigned(snapshot: Snapshot) -> list[str]:
    """Return the memories and links of which a register was not signed yet."""
    return [row[0] for row in snapshot.rows(_sql["unsigned"])]


def read_list(scope: str, body: bytes) -> Kept:
    """Return a list as it is kept: entries of place, stamp and digest."""
    return Kept(scope, tuple(Entry(*entry) for entry in json.loads(body)))
