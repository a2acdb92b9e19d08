"""Whatever stands in a notice, it is read or refused in words: each reader, field by field."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.exchange import head, repair, told
from agent_memory_os.federation.exchange.repair import Branch, Leaves, Probe, Sketched
from agent_memory_os.federation.exchange.told import Holds, Lists, Move, Want
from agent_memory_os.federation.statement import signed, to_line
from agent_memory_os.model.authority.kept import Entry, Kept
from agent_memory_os.model.routing import sketch, tree
from agent_memory_os.model.routing.cursor import Cursor
from tests.federation.exchange.test_mangled import mangled
from tests.federation.sample import ACCOUNT, ANN, NOW, known

TEAM = "team:team_" + "a" * 32
DIGEST = "ab" * 32
TOTAL = "0" * 32
SUMS = bytes(tree.WIDTH * tree.SHORT)
LIST = Kept(TEAM, (Entry(DIGEST, 5, DIGEST),))
WANT = Want(
    "an index",
    {TEAM: Cursor("an index", "token", 3)},
    {"mem_" + "a" * 32: (DIGEST,)},
    Holds("salt", frozenset({"0011"})),
)


def said(**changes: object) -> dict[str, Any]:
    """Return the fields of a head's notice, as Ann's device signs it."""
    fields = {
        "account": ACCOUNT,
        "device": ANN.id,
        "mark": DIGEST,
        "records": 2,
        "scope": TEAM,
        "stamp": NOW << 16,
        **changes,
    }
    return {"line": to_line(signed(head.DOMAIN, fields, ANN.sign)).decode().rstrip("\n")}


def head_of(fields: Mapping[str, Any]) -> object:
    """Read a head on a node that knows Ann's device."""
    return head.head_of(fields, known, lambda _: ACCOUNT)


def fields_of(line: bytes) -> dict[str, Any]:
    """Return the fields of a notice's line."""
    return dict(notice.from_line(line).fields)


WANTED = {json.loads(line)[0]: fields_of(line) for line in told.of_want(WANT)}
LEAF = Leaves(TEAM, 1, (tree.Twig(1, 2),), {"b" * tree.NAME: bytes(tree.SHORT)})
TWIGS = Branch(TEAM, 1, {1: SUMS}, is_whole=False)

Reader = Callable[[Mapping[str, Any]], object]
READERS: dict[str, tuple[Reader, dict[str, Any]]] = {
    "index": (told.index_of, fields_of(told.of_index("an index", "terms"))),
    "cursors": (told.cursors_of, WANTED["want"]),
    "asks": (told.asks_of, WANTED["asks"]),
    "holds": (told.holds_of, WANTED["holds"]),
    "known": (told.known_of, fields_of(told.of_known({"0011": 3}))),
    "move": (told.move_of, fields_of(told.of_move(Move(TEAM, Cursor("an index", "", 3), 1)))),
    "routes": (told.routes_of, fields_of(told.of_offer([TEAM]))),
    "list": (lambda fields: Lists().take(fields), fields_of(next(told.of_list(LIST)))),
    "totals": (repair.totals_of, fields_of(repair.of_totals({TEAM: TOTAL}))),
    "sketch": (
        repair.sketch_of,
        fields_of(repair.of_sketch(Sketched(TEAM, bytes(sketch.BYTES), TOTAL))),
    ),
    "torn": (repair.torn_of, fields_of(repair.of_torn(TEAM))),
    "probe": (repair.probe_of, fields_of(repair.of_probe(Probe(TEAM, 1, SUMS)))),
    "branch": (repair.branch_of, fields_of(repair.of_branch(TWIGS))),
    "leaves": (repair.leaves_of, fields_of(repair.of_leaves(LEAF))),
    "lack": (repair.lack_of, fields_of(repair.of_lack(TEAM, ["b" * tree.NAME]))),
    "head": (head_of, said()),
}
NOT_NEEDED = {("index", "terms"), ("move", "after"), ("cursors", "sum"), ("branch", "whole")}
"""What a notice may do without."""


@pytest.mark.parametrize("kind", READERS)
def test_a_notice_is_read_and_needs_each_field(kind: str) -> None:
    """As it is written it is read; without a field that is needed it is refused."""
    read, fields = READERS[kind]
    assert read(fields) is not None
    for name in fields:
        if (kind, name) not in NOT_NEEDED:
            with pytest.raises(InvalidInput):
                read({key: value for key, value in fields.items() if key != name})


@given(st.sampled_from(sorted(READERS)), st.data())
def test_any_fields_are_read_or_refused(kind: str, data: st.DataObject) -> None:
    """Whatever stands in the place of a part, nothing but a refusal is raised."""
    read, fields = READERS[kind]
    with contextlib.suppress(InvalidInput):
        read(mangled(data, fields))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("index", {"index": ""}),
        ("index", {"index": "x" * 5_000}),
        ("index", {"terms": 1}),
        ("cursors", {"cursors": {"": ["", "", 1]}}),
        ("cursors", {"cursors": {TEAM: ["", "", -1]}}),
        ("asks", {"about": {"mem_a": ["ab"]}}),
        ("known", {"scopes": {"0011": -1}}),
        ("move", {"after": -1}),
        ("list", {"part": 1}),
        ("list", {"entries": [[DIGEST, 5, "x"]]}),
        ("list", {"scope": "team:other"}),
        ("list", {"parts": 10**9}),
        ("totals", {"totals": {TEAM: "0"}}),
        ("sketch", {"sketch": "AAAA"}),
        ("sketch", {"sketch": "é"}),
        ("probe", {"salt": "2"}),
        ("probe", {"salt": "x"}),
        ("branch", {"twigs": {"-1": ""}}),
        ("branch", {"twigs": {str(tree.WIDTH): ""}}),
        ("leaves", {"twigs": [[0, tree.WIDTH]]}),
        ("leaves", {"records": "a"}),
        ("lack", {"records": ["a"]}),
        ("head", {"line": "{}"}),
        ("head", {"line": "x" * 5_000}),
        ("head", said(stamp=-1)),
        ("head", said(account=1)),
        ("head", said(account="acc_" + "b" * 32)),
        ("head", said(scope="global")),
        ("head", said(device="dev_" + "b" * 32)),
        ("head", {"line": said()["line"].replace('"records":2', '"records":3')}),
    ],
    ids=range(30),
)
def test_what_is_no_notice_of_its_kind_is_refused(kind: str, change: dict[str, Any]) -> None:
    """Each is refused that names nothing, counts below zero, or was signed by nobody."""
    read, fields = READERS[kind]
    with pytest.raises(InvalidInput):
        read({**fields, **change})


def test_a_list_comes_in_parts() -> None:
    """A long list is whole with its last part, and a part of another one stops it."""
    entries = tuple(Entry(f"{number:064x}", 5, DIGEST) for number in range(2_500))
    parts = [fields_of(line) for line in told.of_list(Kept(TEAM, entries))]
    lists = Lists()
    assert [lists.take(part) for part in parts] == [None, None, Kept(TEAM, entries)]
    assert lists.take(parts[0]) is None
    with pytest.raises(InvalidInput, match="missing"):
        lists.take(parts[2])
