"""What is read is what the registers say, and is made so again where it is not."""

from __future__ import annotations

import pytest

from agent_memory_os.store.upkeep import index, reindex, view
from tests.store.sample import Fleet

DUMPED = {
    "agents": "SELECT * FROM agents ORDER BY id",
    "teams": "SELECT * FROM teams ORDER BY id",
    "projects": "SELECT * FROM projects ORDER BY id",
    "scopes": "SELECT id, scope, kind, ref FROM scopes ORDER BY id",
    "devices": "SELECT * FROM devices ORDER BY id",
    "memberships": "SELECT scope, agent, add_digest, under FROM memberships ORDER BY 1, 2, 3",
    "links": "SELECT link, src, dst, relation, weight, asserted_by FROM links ORDER BY link",
    "grants": "SELECT memory, scope, until IS NULL, granted_by FROM grants ORDER BY 1, 2, since",
    "memories": "SELECT rowid, id, owner, content, state, version FROM memories ORDER BY 1",
}
MENDABLE = {
    "a life": "UPDATE memories SET state = 'forgotten', forgotten_at = 5 WHERE rowid = 1",
    "an end": "UPDATE memories SET state = 'active', forgotten_at = NULL WHERE rowid = 4",
    "a lost grant": "DELETE FROM grants WHERE memory = 8",
    "a grant that ended": "UPDATE grants SET until = 9 WHERE memory = 2",
    "a grant that holds again": "UPDATE grants SET until = NULL WHERE memory = 3",
    "a grant of nobody": "INSERT INTO grants VALUES (1, 1, 5, NULL, 'me', NULL)",
    "a name": "UPDATE agents SET name = 'mallory', state = 'removed' WHERE name = 'eve'",
    "an account": "UPDATE agents SET account = 'acc_x', first_name = 'x' WHERE name = 'eve'",
    "a team": "UPDATE teams SET name = 'soyuz', state = 'removed', founder = 'acc_x', nonce = ''",
    "a project": "UPDATE projects SET name = 'moon', state = 'removed', nonce = ''",
    "a lost team": (
        "PRAGMA foreign_keys = OFF; DELETE FROM projects; DELETE FROM teams;"
        " DELETE FROM memberships"
    ),
    "a lost agent": "PRAGMA foreign_keys = OFF; DELETE FROM agents WHERE name IN ('ada', 'eve')",
    "a stray agent": (
        "INSERT INTO agents (agent, account, first_name, name, kind, display_name, notes, state,"
        " created_at) VALUES ('agt_x', '', '', 'x', 'custom', '', '', 'active', 0)"
    ),
    "a stray team": (
        "INSERT INTO teams (team, founder, nonce, admin, name, notes, state, created_at)"
        " VALUES ('team_x', '', '', '', 'x', '', 'active', 0)"
    ),
    "a stray project": (
        "INSERT INTO projects (project, team, nonce, name, notes, state, created_at)"
        " VALUES ('prj_x', 1, '', 'x', '', 'active', 0)"
    ),
    "a stray member": (
        "INSERT INTO memberships SELECT s.id, a.id, 'x', '', 0 FROM scopes AS s, agents AS a"
        " WHERE s.kind = 'team' AND a.name = 'eve'"
    ),
    "a lost member": "DELETE FROM memberships WHERE agent = (SELECT min(agent) FROM memberships)",
    "an audience": "UPDATE scopes SET ref = 99 WHERE kind = 'team'",
    "an audience of another": "UPDATE scopes SET ref = 3 - ref WHERE kind = 'agent' AND ref < 3",
    "a device": "UPDATE devices SET state = 'revoked'",
    "a lost link": "DELETE FROM links",
    "a weight": "UPDATE links SET weight = 1 WHERE relation = 'related_to'",
    "an end of a link": "UPDATE links SET dst = 1 WHERE relation = 'related_to'",
    "a relation": "UPDATE links SET relation = 'contradicts' WHERE relation = 'related_to'",
    "a stray link": (
        "INSERT INTO links (link, src, dst, relation, weight, asserted_by, created_at)"
        " VALUES ('lnk_x', 1, 2, 'related_to', 500, 'me', 0)"
    ),
}
LOST = {
    "a content": ("UPDATE memories SET content = 'altered' WHERE rowid = 1", "content_faults"),
    "a number": ("UPDATE memories SET importance = 1 WHERE rowid = 1", "content_faults"),
    "an owner": ("UPDATE memories SET owner = 2 WHERE rowid = 1", "content_faults"),
    "a stamp": ("UPDATE memories SET stamp = stamp + 1 WHERE rowid = 1", "content_faults"),
    "a memory": ("DELETE FROM memories WHERE rowid = 1", "content_faults"),
    "a register": ("DELETE FROM registers WHERE grp = 'memory.content'", "content_faults"),
    "a digest": (
        "UPDATE registers SET digest = x'00' WHERE grp = 'memory.content'",
        "content_faults",
    ),
    "a value": (
        """UPDATE registers SET value = '{"name":"mallory","notes":""}' WHERE grp = 'team.name'""",
        "register_faults",
    ),
    "a proof": ("""UPDATE proofs SET proof = '["a","b"]'""", "register_faults"),
    "every proof": ("DELETE FROM proofs WHERE object LIKE 'team%'", "register_faults"),
    "a key": ("UPDATE devices SET sign_key = seal_key", "register_faults"),
    "the account's key": ("UPDATE accounts SET root_key = recovery_key", "register_faults"),
}


def faults(fleet: Fleet, check: str = "view_faults") -> list[view.Fault]:
    """Return what one check finds."""
    with fleet.database.read() as snapshot:
        found: list[view.Fault] = getattr(view, check)(snapshot)
        return found


def damage(fleet: Fleet, statements: str) -> None:
    """Change the file behind the node's back, without its rules."""
    with fleet.database.connection() as connection:
        connection.executescript(statements)
        connection.execute("PRAGMA foreign_keys = ON")


def rebuild(fleet: Fleet) -> None:
    """Make the view anew, and the index with it."""
    view.rebuild(fleet.database)
    reindex.rebuild(fleet.database)


def dump(fleet: Fleet) -> dict[str, list[tuple[object, ...]]]:
    """Return everything that the view shows."""
    return {name: fleet.ask(query) for name, query in DUMPED.items()}


def test_what_was_only_used_follows_from_its_registers(fleet: Fleet) -> None:
    """Whatever was done to a node, all that it shows is what its registers say."""
    for check in ("content_faults", "register_faults", "view_faults"):
        assert faults(fleet, check) == []


def test_making_a_sound_view_anew_changes_nothing(fleet: Fleet) -> None:
    """Made anew, everything is as it was, numbers and past included."""
    fleet.node.organisation.leave("bob", "team:apollo")
    fleet.node.organisation.join("bob", "team:apollo")
    fleet.node.organisation.rename_team("apollo", "artemis")
    before = dump(fleet)
    spans = fleet.ask("SELECT * FROM grants ORDER BY memory, scope, since")
    rebuild(fleet)
    assert dump(fleet) == before
    assert fleet.ask("SELECT * FROM grants ORDER BY memory, scope, since") == spans


@pytest.mark.parametrize("statements", MENDABLE.values(), ids=MENDABLE)
def test_what_does_not_follow_is_found_and_made_anew(fleet: Fleet, statements: str) -> None:
    """Whatever part of the view was changed, it is found, and made what it was."""
    before = dump(fleet)
    damage(fleet, statements)
    assert dump(fleet) != before
    found = faults(fleet)
    assert found
    assert all(fault.is_mendable and fault.ids for fault in found)
    rebuild(fleet)
    assert faults(fleet) == []
    if "grant" not in statements:
        assert dump(fleet) == before
    assert open_grants(dump(fleet)) == open_grants(before)
    assert index.faults(fleet.database, thorough=True) == []


def open_grants(dumped: dict[str, list[tuple[object, ...]]]) -> list[tuple[object, ...]]:
    """Return memory and scope of each grant that holds."""
    return [row[:2] for row in dumped["grants"] if row[2]]


@pytest.mark.parametrize(("statement", "check"), LOST.values(), ids=LOST)
def test_what_nothing_else_holds_is_found_and_left_alone(
    fleet: Fleet, statement: str, check: str
) -> None:
    """A content or a register that was changed is found, named, and nothing pretends to mend it."""
    damage(fleet, "PRAGMA foreign_keys = OFF; " + statement)
    found = faults(fleet, check)
    assert found
    assert not any(fault.is_mendable for fault in found)


def test_an_audience_that_only_a_grant_names_is_made_again(fleet: Fleet) -> None:
    """An audience whose row was lost is found, and made again with the grants that name it."""
    damage(
        fleet,
        "PRAGMA foreign_keys = OFF; DELETE FROM grants WHERE scope IN"
        " (SELECT id FROM scopes WHERE kind = 'global');"
        " DELETE FROM scopes WHERE kind = 'global'",
    )
    assert any("grants" in fault.sentence for fault in faults(fleet))
    rebuild(fleet)
    assert faults(fleet) == []


def test_a_group_of_a_newer_version_is_kept_and_shown_to_nobody(fleet: Fleet) -> None:
    """A register whose group is not known changes nothing in the view, and is no fault of it."""
    fleet.say(
        "INSERT INTO registers (object, grp, author, device, slot, stamp, seq, value)"
        " SELECT object, 'team.motto', author, device, 0, stamp + 1, seq + 10000, '{}'"
        " FROM registers WHERE grp = 'team.name'"
    )
    before = dump(fleet)
    assert faults(fleet) == []
    rebuild(fleet)
    assert dump(fleet) == before


def test_a_content_with_fields_of_a_newer_version_is_verified_with_them(fleet: Fleet) -> None:
    """Fields that this version does not know count for the digest of the register that has them."""
    from agent_memory_os.model.canonical import digest, encode
    from agent_memory_os.model.memory import to_value

    memory = fleet.remember("something new")
    value = to_value(memory.content) | {"mood": "calm"}
    fleet.say(
        "UPDATE registers SET value = ?, digest = ? WHERE object = ? AND grp = 'memory.content'",
        (encode(value).decode(), digest(value), memory.id),
    )
    assert faults(fleet, "content_faults") == []


def test_an_erased_memory_leaves_nothing_to_miss(fleet: Fleet) -> None:
    """After an erasure, with links and grants of the memory's, nothing is missing."""
    kept = fleet.remember("kept")
    gone = fleet.remember("gone", "global")
    fleet.node.memories.link(fleet.ada, kept.id, gone.id)
    fleet.node.memories.erase(fleet.ada, [gone.id])
    for check in ("content_faults", "register_faults", "view_faults"):
        assert faults(fleet, check) == []
