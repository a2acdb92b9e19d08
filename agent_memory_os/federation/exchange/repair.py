"""Repair: what two nodes hold differently on a route, though each has taken in all of the other's.

It should never happen; a fault of a disk, of a program or of a node that withholds makes it happen.
With every answer the totals of the routes that both should hold alike are told. Where nothing is to
be exchanged and they differ all the same, the asker sends its sketch of the route, of which the
other reads what differs, if that is little: it sends what it has of it, and names what it lacks.
Else, or where that helped nothing, the tree of :mod:`model.routing.tree` is walked in two
questions. An answer to any question has all that the next one needs, so that a bundle may lie in
between.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.bundle.notice import Notice
from agent_memory_os.model.canonical import digest
from agent_memory_os.model.routing import sketch, tree
from agent_memory_os.model.routing.sketch import Sketch
from agent_memory_os.model.routing.tree import Twig
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.exchange import route

TOTALS = "totals"
PROBE = "probe"
BRANCH = "branch"
LEAVES = "leaves"
LACK = "lack"
SKETCH = "sketch"
TORN = "torn"
KINDS = frozenset({TOTALS, PROBE, BRANCH, LEAVES, LACK, SKETCH, TORN})

MOST_BRANCHES = 16
"""With more branches that differ the route is sent from its beginning."""

_MOST_NAMES = 4_096
_TOTAL_DIGITS = 32
_SALT_BYTES = 16


class Probe(NamedTuple):
    """A question about a route: the sums of its branches."""

    route: str
    salt: int
    sums: bytes


class Leaves(NamedTuple):
    """A question about some twigs of a route: the records that the asker has there."""

    route: str
    salt: int
    twigs: tuple[Twig, ...]
    records: Mapping[str, bytes]


class Sketched(NamedTuple):
    """A question about a route: its sketch, and its total."""

    route: str
    sketch: bytes
    total: str


class Branch(NamedTuple):
    """An answer: the sums of the twigs of the branches that differ; none where too many do.

    ``salt`` is that of the question.
    """

    route: str
    salt: int
    twigs: Mapping[int, bytes]
    is_whole: bool


def salt() -> int:
    """Return an odd number that nobody could foresee."""
    return int.from_bytes(os.urandom(_SALT_BYTES), "big") | 1


def compares(name: str, own: str, account: str, server: str) -> bool:
    """Say whether a node of ``own`` and its peer hold a route alike that ``server`` serves."""
    kind, _, rest = name.partition(":")
    if kind in ("team", "project"):
        return True
    if kind == "global":
        return rest == server
    return own == account and kind in ("own", "agent")


def total_of(snapshot: Snapshot, records: str) -> str:
    """Return what tells the total of a route from another."""
    found = route.total(snapshot, records)
    said = digest(["agent-memory total 1", found.records, f"{found.mark:064x}"])
    return said.hex()[:_TOTAL_DIGITS]


def of_totals(totals: Mapping[str, str]) -> bytes:
    """Return the line that tells the totals of routes."""
    return notice.to_line(Notice(TOTALS, {"totals": totals}))


def totals_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the totals that a peer tells."""
    found = _object(fields, "totals")
    if not all(_is_total(total) for total in found.values()):
        raise InvalidInput("a total of a route is none")
    return found


def _is_total(value: object) -> bool:
    return isinstance(value, str) and len(value) == _TOTAL_DIGITS


def sketched(snapshot: Snapshot, name: str, records: str) -> Sketched:
    """Return the question about a route that asks with its sketch."""
    held = bytes(route.sketch(snapshot, records).to_bytes())
    return Sketched(name, held, total_of(snapshot, records))


def of_sketch(asked: Sketched) -> bytes:
    """Return the line that asks with a sketch."""
    fields = {"route": asked.route, "sketch": _text(asked.sketch), "total": asked.total}
    return notice.to_line(Notice(SKETCH, fields))


def sketch_of(fields: Mapping[str, Any]) -> Sketched:
    """Return the question that a peer asks with its sketch."""
    if not _is_total(fields.get("total")):
        raise InvalidInput("a question about a route has no total")
    return Sketched(_name(fields), _bytes(fields.get("sketch"), sketch.BYTES), fields["total"])


def read_off(snapshot: Snapshot, asked: Sketched, records: str) -> tree.Difference | None:
    """Return what differs by a peer's sketch; ``None`` where the sketch does not tell it."""
    found = route.sketch(snapshot, records).difference(Sketch(asked.sketch))
    if found is None or (not found and total_of(snapshot, records) != asked.total):
        return None
    here, lack = route.told(snapshot, records, found)
    return tree.Difference(tuple(here), tuple(lack))


def of_torn(name: str) -> bytes:
    """Return the line that says that a sketch of a route does not tell what differs."""
    return notice.to_line(Notice(TORN, {"route": name}))


def torn_of(fields: Mapping[str, Any]) -> str:
    """Return the route whose sketch did not tell a peer what differs."""
    return _name(fields)


def probe(snapshot: Snapshot, name: str, records: str) -> Probe:
    """Return the question about a route; ``records`` is what its records are under here."""
    drawn = salt()
    return Probe(name, drawn, tree.branches(route.marks(snapshot, records), drawn))


def of_probe(asked: Probe) -> bytes:
    """Return the line of a question about a route."""
    fields = {"route": asked.route, "salt": f"{asked.salt:x}", "sums": _text(asked.sums)}
    return notice.to_line(Notice(PROBE, fields))


def probe_of(fields: Mapping[str, Any]) -> Probe:
    """Return the question about a route that a peer asks."""
    sums = _bytes(fields.get("sums"), tree.WIDTH * tree.SHORT)
    return Probe(_name(fields), _salt(fields), sums)


def answer(snapshot: Snapshot, asked: Probe, records: str) -> Branch:
    """Return the answer to a question about a route."""
    marks = [*route.marks(snapshot, records)]
    found = tree.differing(tree.branches(marks, asked.salt), asked.sums)
    is_whole = len(found) > MOST_BRANCHES
    twigs = {at: tree.twigs(marks, at, asked.salt) for at in ([] if is_whole else found)}
    return Branch(asked.route, asked.salt, twigs, is_whole)


def of_branch(said: Branch) -> bytes:
    """Return the line that answers a question about a route."""
    twigs = {str(at): _text(sums) for at, sums in said.twigs.items()}
    fields = {"route": said.route, "salt": f"{said.salt:x}", "twigs": twigs, "whole": said.is_whole}
    return notice.to_line(Notice(BRANCH, fields))


def branch_of(fields: Mapping[str, Any]) -> Branch:
    """Return the answer of a peer about a route."""
    twigs = {
        _number(at): _bytes(sums, tree.WIDTH * tree.SHORT)
        for at, sums in _object(fields, "twigs").items()
    }
    return Branch(_name(fields), _salt(fields), twigs, fields.get("whole") is True)


def narrowed(snapshot: Snapshot, said: Branch, records: str) -> Leaves:
    """Return the next question: about the twigs that differ, with what is here of them."""
    marks = [*route.marks(snapshot, records)]
    wanted = tuple(
        Twig(branch, twig)
        for branch, sums in said.twigs.items()
        for twig in tree.differing(tree.twigs(marks, branch, said.salt), sums)
    )
    here = tree.leaves(marks, wanted, said.salt)
    held = {name: mark for name, (_, mark) in here.items()}
    return Leaves(said.route, said.salt, wanted, held)


def of_leaves(asked: Leaves) -> bytes:
    """Return the line of a question about some twigs."""
    fields = {
        "route": asked.route,
        "salt": f"{asked.salt:x}",
        "twigs": [list(one) for one in asked.twigs],
        "records": "".join(name + _text(mark) for name, mark in sorted(asked.records.items())),
    }
    return notice.to_line(Notice(LEAVES, fields))


def leaves_of(fields: Mapping[str, Any]) -> Leaves:
    """Return the question about some twigs that a peer asks."""
    twigs = tuple(_twig(one) for one in _array(fields, "twigs"))
    text, size = fields.get("records"), tree.NAME + 4
    if not isinstance(text, str) or len(text) % size or len(text) > size * _MOST_NAMES:
        raise InvalidInput("what is asked about a route names no records")
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    records = {part[: tree.NAME]: _bytes(part[tree.NAME :], tree.SHORT) for part in parts}
    return Leaves(_name(fields), _salt(fields), twigs, records)


def difference(snapshot: Snapshot, asked: Leaves, records: str) -> tree.Difference:
    """Return what this node holds otherwise than a peer in some twigs."""
    here = tree.leaves(route.marks(snapshot, records), asked.twigs, asked.salt)
    return tree.compared(here, asked.records)


def of_lack(name: str, lack: Iterable[str]) -> bytes:
    """Return the line that says which records of a route are not here, or not the same."""
    return notice.to_line(Notice(LACK, {"route": name, "records": [*lack][:_MOST_NAMES]}))


def lack_of(fields: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return a route, and the names of its records that a peer lacks."""
    names = _array(fields, "records")
    if not all(isinstance(one, str) and len(one) == tree.NAME for one in names):
        raise InvalidInput("what is lacking of a route is no record")
    return _name(fields), names


def lacking(snapshot: Snapshot, records: str, names: Iterable[str]) -> list[str]:
    """Return the ids of records of a route that are named so."""
    return [object_id for object_id, _ in route.named(snapshot, records, names)]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: object, size: int) -> bytes:
    try:
        data = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except ValueError:
        data = b""
    if len(data) != size:
        raise InvalidInput("the sums of a route have not the size that they should have")
    return data


def _salt(fields: Mapping[str, Any]) -> int:
    text = fields.get("salt")
    try:
        found = int(text, 16) if isinstance(text, str) and len(text) <= 2 * _SALT_BYTES else 0
    except ValueError:
        found = 0
    if found % 2 == 0:
        raise InvalidInput("a question about a route has no salt")
    return found


def _twig(value: object) -> Twig:
    match value:
        case [int(branch), int(twig)] if 0 <= branch < tree.WIDTH and 0 <= twig < tree.WIDTH:
            return Twig(branch, twig)
    raise InvalidInput("a question about a route names no twig")


def _number(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or int(text) >= tree.WIDTH:
        raise InvalidInput("an answer about a route names no branch")
    return int(text)


def _name(fields: Mapping[str, Any]) -> str:
    found = fields.get("route")
    if not isinstance(found, str):
        raise InvalidInput("a notice names no route")
    return found


def _object(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = fields.get(name)
    if not isinstance(found, dict) or len(found) > _MOST_NAMES:
        raise InvalidInput(f"the {name} of a notice are no object")
    return found


def _array(fields: Mapping[str, Any], name: str) -> list[Any]:
    found = fields.get(name)
    if not isinstance(found, list) or len(found) > _MOST_NAMES:
        raise InvalidInput(f"the {name} of a notice are no array")
    return found
