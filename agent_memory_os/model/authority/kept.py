"""Lists of what remains of somebody's writes, after a removal, a hand-over or a theft.

A register that ends somebody's right to write commits to lists: a removal to one for each scope of
the member, a hand-over to one for the team and for each of its projects, the revocation of a
device to one. The register holds the digests of the lists and nothing of their scopes, for it is
read by people who may know of the team and not of all its projects; a list is sent only inside the
scope that it names. A list that is not here yet admits nothing: what it may admit is hidden, and
never dropped.

An entry is the hash of a record's id and group (its *place*), the stamp, and the digest of the
signed bytes. Several removals admit a register if one of them at least lists it, all of them list
its place, and its stamp is no higher than the lowest of the highest stamps that each lists there.
So what one device had seen and another had not does not get in behind the back of the one that
removed, and two removals that saw different versions agree on the older one.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.canonical import encode
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.register import Register
from agent_memory_os.value import NamedTuple

DOMAIN = b"agent-memory list 1\n"
PLACE_DOMAIN = b"agent-memory place 1\n"


class Entry(NamedTuple):
    """One register that remains: its place, its stamp and its digest."""

    place: str
    stamp: int
    digest: str


class Kept(NamedTuple):
    """A list, for one scope (for a device: its account's id); entries in their order."""

    scope: str
    entries: tuple[Entry, ...]


def place_of(object_id: str, group: str = "") -> str:
    """Return the hash of a record's id and group; without a group, of the record."""
    return sha256(PLACE_DOMAIN + encode([object_id, group])).hexdigest()


def kept(scope: str, registers: Iterable[tuple[str, Register]]) -> Kept:
    """Return the list of these registers, each with its digest."""
    entries = {
        Entry(place_of(register.object, register.group), register.stamp, name)
        for name, register in registers
    }
    return Kept(scope, tuple(sorted(entries)))


def to_bytes(listed: Kept) -> bytes:
    """Return the bytes of a list: the domain tag, then canonical JSON."""
    return DOMAIN + encode({"scope": listed.scope, "entries": listed.entries})


def entries_bytes(listed: Kept) -> bytes:
    """Return the canonical bytes of a list's entries, as they are kept beside its scope."""
    return encode(listed.entries)


def digest(listed: Kept) -> str:
    """Return what a register that commits to a list names it by."""
    return sha256(to_bytes(listed)).hexdigest()


class Index:
    """A list, looked up by digest and by place: made once, however many registers it judges."""

    def __init__(self, listed: Kept) -> None:
        self.names = frozenset(entry.digest for entry in listed.entries)
        self._places: dict[str, list[Entry]] = {}
        for entry in listed.entries:
            self._places.setdefault(entry.place, []).append(entry)

    def at(self, place: str) -> list[Entry]:
        """Return the entries of a place."""
        return self._places.get(place, [])


def admits(lists: Iterable[Index | None], name: str, register: Register) -> bool:
    """Say whether all these lists together admit a register; ``None`` is one that is not here."""
    place, highest, is_listed = place_of(register.object, register.group), [], False
    for listed in lists:
        found = listed.at(place) if listed else []
        if not found:
            return False
        highest.append(max(entry.stamp for entry in found))
        is_listed = is_listed or any(entry.digest == name for entry in found)
    return not highest or (is_listed and register.stamp <= min(highest))
