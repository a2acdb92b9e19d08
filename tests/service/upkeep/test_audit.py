"""The audit tells the operator of everything, and an agent of its own acts on what it may read."""

from __future__ import annotations

from typing import Any

import pytest

from agent_memory_os.errors import InvalidInput, UnknownName
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.upkeep import AuditEntry, AuditFilter
from agent_memory_os.store import audit
from agent_memory_os.store.gate import open_gate
from agent_memory_os.store.queries import Queries
from tests.store.sample import OPERATOR, Fleet

AT = 1_700_000_000_000


def note(fleet: Fleet, *lines: tuple[int, str, str, str]) -> None:
    """Write lines to the audit behind the node's back: when, who, what, on which memory."""
    for line in lines:
        query = "INSERT INTO audit (at, actor, action, object, detail) VALUES (?, ?, ?, ?, '')"
        fleet.say(query, line)


def told(
    fleet: Fleet, principal: Principal = OPERATOR, wanted: AuditFilter | None = None
) -> list[str]:
    """Return what the audit tells, newest first, but for the looks at it."""
    page = fleet.node.upkeep.audit(principal, wanted or AuditFilter())
    entries = [entry for entry in page.entries if entry.action != "audit"]
    return [f"{one.actor} {one.action} {one.object}".strip() for one in entries]


def test_the_operator_reads_what_was_done(fleet: Fleet) -> None:
    """Whatever the operator changes leaves a line, its own reading too, newest first."""
    memories = fleet.node.memories
    mine = fleet.remember("words", "global")
    agent = fleet.ada.agent
    theirs = memories.add(OPERATOR, NewMemory("of the operator"), owner=agent).memory
    memories.add(OPERATOR, NewMemory("of the operator"), owner=agent)
    memories.link(OPERATOR, mine.id, theirs.id)
    memories.unlink(OPERATOR, mine.id, theirs.id)
    memories.erase(fleet.ada, [mine.id])
    assert told(fleet) == [
        f"ada erase {mine.id}",
        f"operator unlink {mine.id}",
        f"operator link {mine.id}",
        f"operator add {theirs.id}",
    ]
    (newest, *_) = fleet.node.upkeep.audit(OPERATOR).entries
    assert newest == AuditEntry(newest.at, "operator", "audit", "", "")


def test_an_import_by_the_operator_is_one_line(fleet: Fleet) -> None:
    """What came in is counted and not told; an import of nothing new leaves no line."""
    file = fleet.home / "notes.md"
    file.write_text("- one thing\n- another thing\n", encoding="utf-8")
    for _ in range(2):
        fleet.node.transfer.import_path(OPERATOR, str(file), owner="ada")
    assert fleet.ask("SELECT action, detail FROM audit") == [("import", "1 new")]


def test_an_agent_reads_of_its_own_acts_on_what_it_may_read(fleet: Fleet) -> None:
    """Neither others' acts are told to an agent, nor its own on what was taken from it."""
    kept = fleet.remember("for bob", "agent:bob")
    gone = fleet.remember("for bob, once", "agent:bob")
    erased = fleet.node.memories.add(fleet.bob, NewMemory("of bob")).memory
    fleet.node.memories.erase(fleet.bob, [erased.id])
    for memory in (kept, gone, erased):
        note(fleet, *((AT, str(one.agent), "touch", memory.id) for one in (fleet.ada, fleet.bob)))
    note(fleet, (AT, str(fleet.bob.agent), "touch", ""))
    fleet.node.memories.revoke(fleet.ada, gone.id)
    assert told(fleet, fleet.bob) == [
        f"bob erase {erased.id}",
        f"bob touch {erased.id}",
        f"bob touch {kept.id}",
    ]
    assert told(fleet, fleet.eve) == []
    assert told(fleet, fleet.bob, AuditFilter(agent="ada")) == []
    fleet.node.memories.forget(fleet.ada, kept.id)
    assert f"bob touch {kept.id}" not in told(fleet, fleet.bob)
    assert f"ada touch {kept.id}" in told(fleet, fleet.ada)


def test_it_is_narrowed(fleet: Fleet) -> None:
    """By who acted, by what was done, and by a span of time that is half open."""
    ada, bob = str(fleet.ada.agent), str(fleet.bob.agent)
    note(
        fleet,
        (AT, ada, "erase", "one"),
        (AT + 1, bob, "erase", "two"),
        (AT + 2, "operator", "edit", "three"),
        (AT + 3, "agt_" + "a" * 32, "erase", "four"),
    )
    assert told(fleet, OPERATOR, AuditFilter(agent="ada")) == ["ada erase one"]
    assert told(fleet, OPERATOR, AuditFilter(agent=bob)) == ["bob erase two"]
    edits = AuditFilter(agent="operator", action="edit")
    assert told(fleet, OPERATOR, edits) == ["operator edit three"]
    erased = AuditFilter(action="erase", since=AT + 1)
    assert told(fleet, OPERATOR, erased) == [f"agt_{'a' * 32} erase four", "bob erase two"]
    some = AuditFilter(since=AT + 1, until=AT + 3)
    assert told(fleet, OPERATOR, some) == ["operator edit three", "bob erase two"]
    assert told(fleet, OPERATOR, AuditFilter(action="dance")) == []


def test_an_agent_that_was_removed_is_still_named(fleet: Fleet) -> None:
    """What it did is told under its name, and found by it."""
    note(fleet, (AT, str(fleet.eve.agent), "erase", "one"))
    fleet.node.organisation.remove_agent("eve")
    assert told(fleet, OPERATOR, AuditFilter(agent="eve")) == ["eve erase one"]
    with pytest.raises(UnknownName, match="did you mean bob"):
        told(fleet, OPERATOR, AuditFilter(agent="bobby"))


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_lose_nothing_also_of_one_instant(fleet: Fleet, limit: int) -> None:
    """Page by page gives the same lines as at once, whatever is written meanwhile."""
    instants = (AT, AT, AT, AT + 1, AT + 1, AT, AT + 2)
    note(fleet, *((at, "operator", "edit", f"m{place}") for place, at in enumerate(instants)))
    wanted = AuditFilter(action="edit")
    whole = fleet.node.upkeep.audit(OPERATOR, wanted).entries
    assert [entry.object for entry in whole] == ["m6", "m4", "m3", "m5", "m2", "m1", "m0"]
    found: list[AuditEntry] = []
    cursor = ""
    while True:
        page = fleet.node.upkeep.audit(OPERATOR, wanted, limit, cursor)
        found += page.entries
        cursor = page.following
        if not cursor:
            break
        note(fleet, (page.entries[-1].at, "operator", "edit", "later"))
    assert [entry for entry in found if entry.object != "later"] == list(whole)
    assert len(found) == len(whole)


@pytest.mark.parametrize("cursor", ["x", "1", ".", "1.-1", "zz.1", "1.1.1", f"{2**70:x}.1"])
def test_what_is_no_cursor_is_refused(fleet: Fleet, cursor: str) -> None:
    """A cursor that no page gave is named, and gives nothing."""
    with pytest.raises(InvalidInput, match="no cursor"):
        fleet.node.upkeep.audit(OPERATOR, cursor=cursor)


@pytest.mark.parametrize(
    "wanted", [{"agent": 1}, {"action": b"x"}, {"since": "now"}], ids=["agent", "action", "since"]
)
def test_what_cannot_narrow_is_refused(fleet: Fleet, wanted: dict[str, Any]) -> None:
    """A value of another type than a field has is refused, and so is a limit out of bounds."""
    with pytest.raises(InvalidInput, match="narrowed by"):
        fleet.node.upkeep.audit(OPERATOR, AuditFilter(**wanted))
    for limit in (0, 1001, True):
        with pytest.raises(InvalidInput, match="A limit lies"):
            fleet.node.upkeep.audit(OPERATOR, limit=limit)


@pytest.mark.parametrize("actor", [None, "operator"])
@pytest.mark.parametrize("action", [None, "edit"])
@pytest.mark.parametrize("who", ["operator", "ada"])
def test_an_index_serves_every_form(
    fleet: Fleet, actor: str | None, action: str | None, who: str
) -> None:
    """Whatever is asked for, no line is looked at that the index does not lead to."""
    principal = OPERATOR if who == "operator" else fleet.ada
    with fleet.database.read() as snapshot:
        gate = open_gate(snapshot, principal)
        query = audit._form("page", gate, audit.Wanted(actor, action))  # noqa: SLF001
        names = ("actor", "action", "reader", "since", "until", "last_at", "last_seq", "limit")
        parameters = {**gate.parameters, **dict.fromkeys(names, 1)}
        plan = [row[3] for row in snapshot.rows(f"EXPLAIN QUERY PLAN {query}", parameters)]
    assert any("SEARCH l USING INDEX audit_by" in step for step in plan), plan
    assert not any("SCAN l" in step or "TEMP B-TREE FOR ORDER" in step for step in plan), plan


def test_the_queries_have_the_forms_that_are_asked_for() -> None:
    """A form that nobody wrote is a mistake of ours, and fails at once."""
    with pytest.raises(KeyError):
        Queries("audit").form("page", actor="none", action="any", reader="all")
