"""Real failures of systems of this kind, replayed between nodes."""

from __future__ import annotations

from pathlib import Path

from agent_memory_os import settings, wiring
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, device_of, held_of, meet, settle

DAY = 86_400_000


def test_what_was_deleted_stays_so_when_a_peer_comes_back_after_a_year(tmp_path: Path) -> None:
    """A device that was away for long brings nothing back that was deleted and swept meanwhile."""
    one = Party(tmp_path / "one", "one")
    other = device_of(one, tmp_path / "other", "other")
    meet(one, other)
    kept = one.remember("scout", "kept")
    gone = one.remember("scout", "gone")
    erased = one.remember("scout", "erased")
    settle(one, other)
    one.node.memories.forget(one.agent("scout"), gone)
    one.node.memories.erase(one.agent("scout"), [erased])
    one.time += 365 * DAY
    one.remember("scout", "written while the other was away")
    other.time += 365 * DAY
    other.node.memories.edit(other.agent("scout"), gone, {"content": "still here, I thought"})
    settle(one, other)
    for party in (one, other):
        assert set(party.read("scout").values()) == {"kept", "written while the other was away"}
        assert party.search("scout", "thought erased gone") == []
    assert kept in other.read("scout")


def test_a_node_that_was_restored_has_again_what_its_peers_have(two: Two, tmp_path: Path) -> None:
    """What was written since the backup, and what was taken back, comes from the peers."""
    ann, ben = two
    early = ben.remember("mira", "early", "team:apollo")
    settle(ann, ben)
    (tmp_path / "backups").mkdir()
    backup = ben.node.upkeep.backup(str(tmp_path / "backups" / "one.db"), with_keys=True).path
    late = ben.remember("mira", "late", "team:apollo")
    theirs = ann.remember("scout", "from scout", "team:apollo")
    revoked = ann.remember("scout", "soon revoked", "team:apollo")
    settle(ann, ben)
    ann.node.memories.revoke(ann.agent("scout"), revoked, "team:apollo")
    ben.node.close()
    wiring.restore(settings.read(str(ben.home), None, {}), backup, force=True)
    ben.open()
    assert set(ben.read("mira")) == {early}
    settle(ann, ben)
    assert set(ben.read("mira")) == {early, late, theirs}
    after = ben.remember("mira", "after the restore", "team:apollo")
    settle(ann, ben)
    assert set(ann.read("scout")) == {early, late, theirs, revoked, after}


def test_what_others_took_back_is_not_shown_again_by_a_restore(two: Two, tmp_path: Path) -> None:
    """Before it has met anybody, a restored node knows what it knew: by what others signed."""
    ann, ben = two
    scout = ann.agent("scout")
    texts = ("kept", "revoked", "forgotten", "of a project")
    ann.node.organisation.add_project("apollo", "site")
    for agent in ("scout", "mira@ben"):
        ann.node.organisation.join(agent, "project:apollo/site")
    kept, revoked, forgotten, inside = (
        ann.remember("scout", text, "project:apollo/site" if text == texts[3] else "team:apollo")
        for text in texts
    )
    settle(ann, ben)
    (tmp_path / "backups").mkdir()
    backup = ben.node.upkeep.backup(str(tmp_path / "backups" / "one.db"), with_keys=True).path
    ann.node.memories.revoke(scout, revoked, "team:apollo")
    ann.node.memories.forget(scout, forgotten)
    ann.node.organisation.leave("mira@ben", "project:apollo/site")
    settle(ann, ben)
    assert set(ben.read("mira")) == {kept}
    ben.node.close()
    wiring.restore(settings.read(str(ben.home), None, {}), backup, force=True)
    ben.open()
    assert set(ben.read("mira")) == {kept}
    for memory in (kept, revoked, forgotten, inside):
        assert all(one.author == ann.account for one in held_of(ben, memory))
    settle(ann, ben)
    assert set(ben.read("mira")) == {kept}
    assert ben.aside() == ann.aside() == []


def test_no_canary_leaves_for_a_team_peer(two: Two) -> None:
    """Private rows, links to them, tags, sources and reasons of what is not shared stay at home."""
    ann, ben = two
    scout = ann.agent("scout")
    shared = ann.remember("scout", "for the team", "team:apollo")
    private = ann.remember("scout", "canary-1 in private")
    ann.node.memories.edit(
        scout, private, {"tags": ("canary-2",), "summary": "canary-3"}, "canary-4"
    )
    ann.node.memories.link(scout, shared, private, "related_to")
    ann.node.memories.edit(scout, shared, {"content": "for the team, edited"}, "a reason")
    settle(ann, ben)
    held = "\n".join(
        str(row)
        for table in ("registers", "memories", "links", "memory_versions", "shelf", "parked")
        for row in ben.rows(f"SELECT * FROM {table}")
    )
    assert "for the team, edited" in held
    assert "canary" not in held
    assert private not in held
    assert ben.rows("SELECT 1 FROM links") == []
