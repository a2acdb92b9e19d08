"""What is imported over the wire is what would be imported here, and so is what is exported."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from time import sleep
from typing import Any

import pytest

import agent_memory_os
from agent_memory_os.errors import AgentMemoryError, InvalidInput, Refused, Unreachable
from agent_memory_os.importers.base import Found, Ignored, Record, Skipped
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.remote.node import RemoteNode
from agent_memory_os.remote.transport import LINES
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.peers import NOWHERE, PeerView
from agent_memory_os.wire.peers import of_peer
from tests.federation.sample import BOB
from tests.remote.other import JSON, answering, cut_off, says
from tests.remote.pair import Pair, Raised, Side, pair
from tests.service.peers.nodes import opened

EXAMPLES = Path(agent_memory_os.__file__).parent / "examples" / "fleet"
OPERATOR = Principal.operator()
SECRET = "AKIAZ7QX2MN4PL8RTVWY"
FILE = "application/octet-stream"
SHAPE = of_peer(PeerView("lap", BOB.id, "", False, NOWHERE, "", (), 0, None, None, None, ""))
"""A peer, as a node tells of it."""


@pytest.fixture
def both() -> Iterator[Pair]:
    """Give a pair of nodes, the served one reached at its port."""
    with pair("port") as found:
        yield found


def same(both: Pair, act: object) -> Any:  # noqa: ANN401 - whatever it gives
    """Return what an act gives on both sides, which must be the same."""
    wanted, given = (side.do(act) for side in both)  # type: ignore[arg-type]
    assert given == wanted
    return wanted


def exported(side: Side, who: str = "") -> list[str]:
    """Return the lines of an export, for an agent or the operator."""
    return list(side.node.transfer.export(side.agent(who) if who else OPERATOR))


def test_a_folder_is_imported_as_it_would_be_here(both: Pair) -> None:
    """Counts, ids, provenance and what is left of a second import are those of a local node."""
    seen: list[list[int]] = []
    for side in both:
        seen.append([])
        path, transfer = str(EXAMPLES), side.node.transfer
        ann, take = side.agent("ann"), transfer.import_path
        foreseen = take(ann, path, dry_run=True)
        first = take(ann, path, audience="team:apollo", progress=seen[-1].append)
        again = take(ann, path)
        side.held |= {"reports": (foreseen, first, again), "size": transfer.size_of(path)}
    local, remote = (side.held["reports"] for side in both)
    assert remote == local
    assert local[1].added == local[0].added > 10
    assert (local[2].added, local[2].known) == (0, local[1].found)
    assert seen[0] == seen[1]
    assert sum(seen[1]) == both.remote.held["size"] == both.local.held["size"]
    for name in ("", "ann", "bob", "eve"):
        assert exported(both.remote, name) == exported(both.local, name)


def test_an_export_comes_back(both: Pair, tmp_path: Path) -> None:
    """What the operator exports from a served node is put back there, versions and links too."""
    for side in both:
        ann, memories = side.agent("ann"), side.node.memories
        side.node.transfer.import_path(ann, str(EXAMPLES))
        one, other = (memories.list(ann, Filter(), 2).memories[number].id for number in (0, 1))
        memories.edit(ann, one, {"content": "Said otherwise \u2028 now."}, "why")
        memories.link(ann, one, other)
        memories.forget(ann, other)
    whole = exported(both.local)
    assert exported(both.remote) == whole
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in whole)
    file = tmp_path / "memories.jsonl"
    file.write_text("".join(whole), encoding="utf-8")
    same(both, lambda s: s.node.transfer.import_path(OPERATOR, str(file)))
    for side in both:
        ann = side.agent("ann")
        kept = side.node.memories.list(ann, Filter(), 500).memories
        side.node.memories.erase(ann, [memory.id for memory in kept])
    same(both, lambda s: s.node.transfer.import_path(OPERATOR, str(file)))
    same(both, lambda s: s.node.transfer.import_path(s.agent("ann"), str(file)))
    assert exported(both.remote) == exported(both.local)


def test_another_accounts_export_is_derived_anew(both: Pair, tmp_path: Path) -> None:
    """A file of another account gives new ids over the wire as it does here."""
    both.local.node.transfer.import_path(both.local.agent("ann"), str(EXAMPLES))
    header, *lines = exported(both.local)
    foreign = json.loads(header) | {"account": derive("account", "another")}
    file = tmp_path / "foreign.jsonl"
    file.write_text("".join([json.dumps(foreign), "\n", *lines]), encoding="utf-8")
    report = same(both, lambda s: s.node.transfer.import_path(s.agent("eve"), str(file)))
    assert report.added > 10
    assert exported(both.remote, "eve") == exported(both.local, "eve")


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("no path", {"path": "/nowhere/at/all"}),
        ("no format", {"path": str(EXAMPLES), "format_name": "toaster"}),
        ("no audience", {"path": str(EXAMPLES), "audience": "globl"}),
        ("nobody of the audience", {"path": str(EXAMPLES), "audience": "team:ghost"}),
        ("a file of no format", {"path": str(EXAMPLES / "fleet.toml")}),
    ],
)
def test_what_cannot_be_imported_is_told_the_same(
    both: Pair, words: str, how: dict[str, str]
) -> None:
    """A fault of an import has the class and the words that it has here."""
    outcome = same(both, lambda s: s.node.transfer.import_path(s.agent("ann"), **how))
    assert isinstance(outcome, Raised), words


def test_the_operator_says_for_whom(both: Pair) -> None:
    """The operator names an owner, or is told to; an agent imports for itself, whoever it names."""
    path = str(EXAMPLES / "tester")
    for owner in (None, "ghost", "eve"):
        same(both, lambda s, o=owner: s.node.transfer.import_path(OPERATOR, path, owner=o))
    same(both, lambda s: s.node.transfer.import_path(s.agent("ann"), path, owner="bob"))
    for name in ("", "ann", "bob", "eve"):
        assert exported(both.remote, name) == exported(both.local, name)


def test_findings_of_every_kind_are_taken(both: Pair) -> None:
    """A program's own findings are taken as an importer's are, and what is amiss is skipped."""
    source = {"format": "mine", "file": "a/b", "line": 3}
    findings = [
        Found("k1", "Deploys on Tuesdays.", source, type="fact", tags=("a",), position=3),
        Found("k1", "Deploys on Tuesdays.", source),
        Found("k2", f"The key is {SECRET}.", {**source, "links": ["x"]}, author="Ö", event_at=-5),
        Found("k3", "", source),
        Found("k4", "bad", source, type="rumour"),
        Skipped("a/b:9", "not \u2028 JSON"),
        Ignored("a/c", "hidden"),
    ]
    for secrets in (False, True):
        same(
            both,
            lambda s, secrets=secrets: s.node.transfer.take(
                s.agent("ann"), findings, "~/x", "global", allow_secrets=secrets
            ),
        )
    same(both, lambda s: s.node.transfer.take(s.agent("ann"), [], ""))
    assert exported(both.remote, "bob") == exported(both.local, "bob")


def test_who_stops_half_way_has_imported_nothing(both: Pair) -> None:
    """An importer that fails in the middle leaves a served node as it was."""

    def broken() -> Iterator[Found]:
        for number in range(1000):
            yield Found(f"k{number}", f"note {number}", {"format": "mine", "file": "a"})
        raise InvalidInput("The disk is gone.")

    side = both.remote
    with pytest.raises(InvalidInput, match=r"The disk is gone\."):
        side.node.transfer.take(side.agent("ann"), broken(), "")
    assert side.local.upkeep.stats(side.agent("ann")).shown == 0
    while list(side.folder.glob("home/*.partial")):
        sleep(0.01)  # until the server has heard of it


def test_a_forged_line_is_looked_at_again(both: Pair) -> None:
    """What says that it is a line of an export is held to what an export may say."""
    forged = [
        Record("header", {"format": "agent-memory/1", "exported_at": 1, "account": "x"}, "f:1"),
        Record("agent", {"kind": "agent", "id": 7, "name": "x"}, "f:2"),
        Record("nothing", {"kind": "nothing"}, "f:3"),
    ]
    side = both.remote
    for finding in forged:
        with pytest.raises(AgentMemoryError) if finding.kind == "header" else nullcontext():
            report = side.node.transfer.take(OPERATOR, [finding], "")
            assert (report.restored, report.skipped_count) == (0, 1)


def test_a_bundle_is_carried_to_either(both: Pair, tmp_path: Path) -> None:
    """A bundle that lies here is taken in over there as here, and what one brings can be opened."""
    other = opened(tmp_path / "other", both.local.clock)
    other.organisation.add_agent("mira")
    other.peers.add(both.local.node.peers.card().card, "pair", ceiling="shared")
    mira = Principal.of_agent(other.organisation.agent("mira").id)
    other.memories.add(mira, NewMemory("of mira"), "global")
    there, card = str(tmp_path / "there"), other.peers.card().card
    other.sync.export("pair", there)
    for side in both:
        side.node.peers.add(card, "other", ceiling="shared")
        side.node.memories.add(side.agent("ann"), NewMemory("of ann"), "global")
    (taken,) = same(both, lambda s: s.node.sync.take(there))
    assert (taken.peer, taken.path, taken.registers > 0, taken.aside) == ("other", there, True, 0)
    for who in ("mira", "ann", "eve"):
        same(both, lambda s, who=who: list(s.node.peers.view_as(who)))
    rows = same(both, lambda s: list(s.node.peers.preview("other")))
    assert "of ann" in [row.words for row in rows]
    back = str(tmp_path / "back")
    same(both, lambda s: s.node.sync.export("other", back, replace=True))
    assert stat.S_IMODE(os.stat(back).st_mode) == 0o600
    (brought,) = other.sync.take(back)
    assert (brought.peer, brought.registers > 0) == ("pair", True)
    found = other.memories.list(mira, Filter(), 5).memories
    assert {one.text for one in found} == {"of mira", "of ann"}
    other.close()


def test_folders_are_the_node_s_own(both: Pair, tmp_path: Path) -> None:
    """A folder of this machine is nothing that a served node can look into, and is refused."""
    sync = both.remote.node.sync
    for act in (lambda: sync.export("other", str(tmp_path)), lambda: sync.take(str(tmp_path))):
        with pytest.raises(Refused, match="is a folder, and a node exchanges by folders of its"):
            act()


@pytest.mark.parametrize(
    ("kind", "body", "more", "words"),
    [
        (FILE, b"half", "agent-memory-registers: 3\r\n", "does not answer"),
        (FILE, b"half", "", "is no node"),
        (FILE, b"half", "agent-memory-registers: many\r\n", "is no node"),
    ],
)
def test_half_a_bundle_is_none(
    tmp_path: Path, kind: str, body: bytes, more: str, words: str
) -> None:
    """What ends before it is whole, or is no node's, leaves nothing here."""
    peer = json.dumps({"peers": [SHAPE]}).encode()

    def answer(asked: bytes) -> bytes:
        return cut_off(kind, body, more) if b"/export" in asked else says("200 OK", JSON, peer)

    with answering(answer) as url, pytest.raises(Unreachable, match=words):
        RemoteNode(url, "amk_1_x").sync.export("lap", str(tmp_path / "x"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("text/html", b"<html/>"),
        (LINES, b"{\n"),
        (LINES, b"7\n"),
        (LINES, b"{}\n"),
        (LINES, b"\xff\n"),
        (LINES, b"[" * 100_000 + b"\n"),
    ],
)
def test_lines_that_are_none_are_told(kind: str, line: bytes) -> None:
    """What is no view of a node's is one sentence."""
    with (
        answering(says("200 OK", kind, line)) as url,
        pytest.raises(Unreachable, match="no node of Agent Memory OS"),
    ):
        list(RemoteNode(url, "amk_1_x").peers.view_as("ann"))
