"""Law 5: the index is disposable, and law 6's footing: the registers are the truth."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from agent_memory_os.model.canonical import digest as digest_of_value
from agent_memory_os.model.memory import to_value
from agent_memory_os.model.merge import fault_of
from agent_memory_os.model.register import CONTENT, Chain, Register, digest
from agent_memory_os.model.view import Entry, standing_adds, standing_project_adds
from agent_memory_os.store import memories, organisation, registers
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.upkeep import reindex, view
from tests.laws.path import WHOLE
from tests.laws.plan import START, Step, build, plans, some
from tests.laws.world import Group, World, new_world

SEARCHES = [path for path in WHOLE if path.name.startswith("recall.")]


def answers(world: World) -> dict[str, str]:
    """Return what every search gives to everybody."""
    return {
        f"{path.label} to {who}": repr(path.ask(world, principal))
        for who, principal in world.principals().items()
        if who in ("agent ann", "agent bob", "operator")
        for path in SEARCHES
    }


def index_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return what the index holds: its documents, the totals, and the rows of each entry."""
    documents = snapshot.rows("SELECT memory, scopes, terms FROM documents ORDER BY memory")
    entries = {
        f"{scope}:{term}"
        for _, scopes, terms in documents
        for scope in scopes.split(" ")
        for term in terms.split(" ")
    }
    find = "SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rowid"
    postings = {entry: snapshot.rows(find, (f'"{entry}"',)) for entry in sorted(entries)}
    totals = snapshot.rows("SELECT id, documents, words FROM scopes ORDER BY id")
    return {"documents": documents, "totals": totals, "postings": postings}


@some(0.6)
@given(plans())
def test_an_index_made_anew_gives_the_same_answers(plan: list[Step]) -> None:
    """Throwing the whole index away and rebuilding it changes nothing: it held what it should."""
    with new_world() as world:
        build(world, [*START, *plan])
        before = answers(world)
        with world.node.context.database.read() as snapshot:
            held = index_of(snapshot)
        reindex.rebuild(world.node.context.database)
        with world.node.context.database.read() as snapshot:
            assert index_of(snapshot) == held
        assert answers(world) == before


@given(plans())
def test_the_index_holds_what_is_active_under_the_scopes_that_see_it(plan: list[Step]) -> None:
    """Each active memory is entered under its owner and its grants, and no other memory at all."""
    with new_world() as world:
        build(world, [*START, *plan])
        with world.node.context.database.read() as snapshot:
            names: dict[int, str] = dict(snapshot.rows("SELECT id, scope FROM scopes"))
            ids: dict[int, str] = dict(snapshot.rows("SELECT rowid, id FROM memories"))
            held = {
                ids[row]: {names[int(scope)] for scope in scopes.split(" ")}
                for row, scopes in snapshot.rows("SELECT memory, scopes FROM documents")
            }
        active = [item for item in world.items.values() if item.state == "active"]
        own = {item.id: f"agent:{world.agents[item.owner]}" for item in active}
        assert held == {item.id: {own[item.id], *item.grants} for item in active}


def registers_of(snapshot: Snapshot) -> list[tuple[Register, bytes | None]]:
    """Return every register as it would be sent, made from what the file holds, and its digest."""
    found = []
    query = """
        SELECT r.object, r.grp, a.account, d.device, r.stamp, r.seq, r.value, r.digest, l.relies,
          r.chain, r.edits
        FROM registers AS r JOIN accounts AS a ON a.id = r.author
        JOIN devices AS d ON d.id = r.device LEFT JOIN reliances AS l ON l.id = r.reliance
        ORDER BY r.seq
    """
    for row in snapshot.rows(query):
        name, group, author, device, stamp, seq, text, held, relies, previous, edits = row
        value = json.loads(text) if text is not None else value_of(snapshot, name)
        if value is None:
            continue
        chain = None if previous is None else Chain(previous)
        proof = proof_of(snapshot, name)
        relied = json.loads(relies or "{}")
        register = Register(
            name, group, author, device, stamp, seq, value, proof, relied, chain, {}, edits or 0
        )
        found.append((register, held))
    return found


def value_of(snapshot: Snapshot, memory_id: str) -> dict[str, Any] | None:
    """Return the value of a content register: the row of the memory is the value."""
    row = snapshot.value("SELECT rowid FROM memories WHERE id = ?", (memory_id,))
    return None if row is None else to_value(memories.by_row(snapshot, row).content)


def proof_of(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """Return what the id of a register's object commits to."""
    kept = snapshot.value("SELECT proof FROM proofs WHERE object = ?", (name,))
    if kept is not None:
        return tuple(json.loads(kept))
    query = """
        SELECT n.account, a.agent, lower(hex(m.nonce)) FROM node AS n,
          (SELECT id, owner, nonce FROM memories UNION ALL
           SELECT id, owner, nonce FROM tombstones) AS m
        JOIN agents AS a ON a.id = m.owner WHERE m.id = ?
    """
    return tuple(snapshot.row(query, (name,)) or ())


@given(plans())
def test_every_register_can_be_made_from_the_file_again(plan: list[Step]) -> None:
    """What a signature will cover follows from what is stored, and no register has a fault."""
    with new_world() as world:
        build(world, [*START, *plan])
        with world.node.context.database.read() as snapshot:
            found = registers_of(snapshot)
            count = snapshot.value("SELECT count(*) FROM registers")
        newest = {r.object: r.stamp for r, _ in found if r.group == CONTENT}
        previous = ""
        for register, held in found:
            assert fault_of(register) is None
            if register.chain is not None:
                assert register.chain.previous == previous
                previous = digest(register)
                assert held == bytes.fromhex(previous)
            elif register.group == CONTENT and newest[register.object] == register.stamp:
                assert held == digest_of_value(register.value)
        # A content that is shared keeps its stamp, and is signed for the new scope.
        stamps = [register.stamp for register, _ in found if register.group != CONTENT]
        assert stamps == sorted(set(stamps))
        assert len(found) == count


@some(0.6)
@given(plans())
def test_the_view_follows_from_the_registers(plan: list[Step]) -> None:
    """All that is read follows from the registers, and made anew from them it is the same."""
    with new_world() as world:
        build(world, [*START, *plan])
        database = world.node.context.database
        with database.read() as snapshot:
            assert view.content_faults(snapshot) == []
            assert view.register_faults(snapshot) == []
            assert view.view_faults(snapshot) == []
        before = answers(world)
        view.rebuild(database)
        with database.read() as snapshot:
            assert view.view_faults(snapshot) == []
        assert answers(world) == before


@given(plans())
def test_members_are_those_of_the_pure_rule(plan: list[Step]) -> None:
    """Who is shown as a member follows, by the pure rule, from the adds and removals in the log."""
    with new_world() as world:
        build(world, [*START, *plan])
        with world.node.context.database.read() as snapshot:
            for group in world.groups.values():
                kind, _, name = group.scope.partition(":")
                shown = {agent.id for agent in organisation.members(snapshot, group.scope)}
                expected = {
                    agent
                    for agent in (world.agents[one] for one in world.active)
                    if standing(snapshot, kind, name, agent, world.groups.get(group.team))
                }
                assert shown == expected


def standing(
    snapshot: Snapshot, kind: str, name: str, agent: str, team: Group | None
) -> frozenset[str]:
    """Return the adds of an agent that hold in a team, or in a project of a team."""
    if team is None:
        return standing_adds(entries_of(snapshot, name, f"{kind}.member:{agent}"))
    below = standing_adds(
        entries_of(snapshot, team.scope.partition(":")[2], f"team.member:{agent}")
    )
    return standing_project_adds(entries_of(snapshot, name, f"{kind}.member:{agent}"), below)


def entries_of(snapshot: Snapshot, name: str, group: str) -> list[Entry]:
    """Return the entries of a log, as the view takes them."""
    found: list[tuple[str, dict[str, Any]]] = [*registers.entries(snapshot, name, group)]
    return [
        Entry(one, value["act"], frozenset(value.get("sees", [])), value.get("under", ""))
        for one, value in found
    ]
