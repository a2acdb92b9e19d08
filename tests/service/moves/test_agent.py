"""A memory that is moved to another agent says the same, is read by the same, and supersedes."""

from __future__ import annotations

import pytest

from agent_memory_os.errors import Refused
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.moves import Chosen, Step
from tests.laws.lost import shelve
from tests.service.moves.sample import every, found, moved, shown, total
from tests.store.sample import OPERATOR, Fleet

ALL = Chosen(Filter(state="all"))
FULL = {
    "type": "procedure",
    "summary": "in short",
    "tags": ("one", "two"),
    "source": {"file": "notes.md", "line": 7},
    "author": "Sam",
    "session": "s1",
    "position": 3,
    "event_at": 1_600_000_000_000,
    "confidence": 900,
    "importance": 100,
    "pinned": True,
    "valid_from": 1_500_000_000_000,
    "valid_to": 4_000_000_000_000,
    "expires_at": 4_100_000_000_000,
    "half_life_days": 12,
}
CIRCUMSTANCE = ("editor", "reason", "life")


def test_everything_of_the_content_goes_with_it(fleet: Fleet) -> None:
    """Each field is what it was, when it was made and changed too; only who wrote it is told."""
    old = fleet.remember("all of it", "team:apollo", **FULL)
    fleet.node.memories.edit(fleet.ada, old.id, {"summary": "shorter"})
    before = fleet.node.memories.get(fleet.ada, old.id)
    assert moved(fleet.node, "ada", "bob") == Step(1, 0, "")
    (new,) = every(fleet.node, fleet.bob)
    for name, value in before.content._asdict().items():
        if name not in CIRCUMSTANCE:
            assert getattr(new.content, name) == value, name
    assert (new.owner, new.audience, new.version) == (fleet.bob.agent, ("team:apollo",), 1)
    (version,) = fleet.node.memories.history(fleet.bob, new.id)
    assert (version.editor, version.content.reason) == ("ada", "Moved from ada.")


def test_the_old_one_is_superseded_and_offered_no_longer(fleet: Fleet) -> None:
    """Nobody finds or lists it; by its id it is there, with its history and what supersedes it."""
    old = fleet.remember("copper kettles", "team:apollo")
    moved(fleet.node, "ada", "bob")
    (new,) = every(fleet.node, fleet.bob)
    for who in (fleet.ada, fleet.bob, OPERATOR):
        assert shown(fleet.node, who) == {"copper kettles": "bob"}
        assert found(fleet.node, who, "copper kettles") == [("bob", new.id)]
    now = fleet.node.memories.get(fleet.bob, old.id)
    assert now.state_at(fleet.node.recall.now()) == "expired"
    said = [(one.src, one.relation) for one in fleet.node.memories.links(fleet.bob, old.id)]
    assert said == [(new.id, "supersedes")]
    versions = fleet.node.memories.history(fleet.bob, old.id)
    assert [one.content.reason for one in versions] == ["", "Moved to bob."]
    assert [one.editor for one in versions] == ["ada", "operator"]


def test_who_had_it_to_itself_has_it_no_longer(fleet: Fleet) -> None:
    """A private memory is the other agent's alone then, and its old owner does not learn its id."""
    old = fleet.remember("a secret of kettles")
    moved(fleet.node, "ada", "bob")
    assert shown(fleet.node, fleet.bob) == {"a secret of kettles": "bob"}
    assert not shown(fleet.node, fleet.ada)
    assert not shown(fleet.node, fleet.eve)
    assert not fleet.node.memories.links(fleet.ada, old.id)


def test_nothing_is_moved_twice(fleet: Fleet) -> None:
    """The same again moves nothing, to whichever agent, also where what expired is moved."""
    for number in range(3):
        fleet.remember(f"kettle {number}")
    assert moved(fleet.node, "ada", "bob") == Step(3, 0, "")
    assert moved(fleet.node, "ada", "bob") == Step(0, 0, "")
    for other in ("bob", "eve"):
        assert moved(fleet.node, "ada", other, ALL) == Step(0, 3, "")
    (_, second, _) = every(fleet.node, fleet.bob)
    fleet.node.memories.erase(fleet.bob, [second.id])
    assert moved(fleet.node, "ada", "bob", ALL) == Step(0, 3, "")
    assert len(every(fleet.node, fleet.bob)) == 2


def test_what_was_moved_comes_back(fleet: Fleet) -> None:
    """Back goes what came from there, with what became of it since, and nothing else."""
    fleet.remember("kettle", "team:apollo")
    fleet.node.memories.add(fleet.bob, NewMemory("bob's own"))
    moved(fleet.node, "ada", "bob")
    (there,) = [one for one in every(fleet.node, fleet.bob) if one.text == "kettle"]
    fleet.node.memories.edit(fleet.bob, there.id, {"content": "kettle of steel"})
    assert moved(fleet.node, "bob", "ada", Chosen(back=True)) == Step(1, 0, "")
    assert shown(fleet.node, fleet.bob) == {"kettle of steel": "ada", "bob's own": "bob"}
    assert moved(fleet.node, "ada", "bob") == Step(1, 0, "")
    assert shown(fleet.node, fleet.bob) == {"kettle of steel": "bob", "bob's own": "bob"}


def test_links_are_made_anew(fleet: Fleet) -> None:
    """Each link of this account leads from or to the new one, said by who says it now."""
    node, ada = fleet.node, fleet.ada
    one, two, three, kept = (fleet.remember(word, "team:apollo") for word in "abcd")
    theirs = node.memories.add(fleet.bob, NewMemory("of bob"), "team:apollo").memory
    node.memories.link(ada, one.id, kept.id, "caused_by", 300)
    node.memories.link(fleet.bob, theirs.id, one.id)
    node.memories.link(OPERATOR, kept.id, one.id)
    node.memories.supersede(ada, older=kept.id, newer=two.id)
    node.memories.supersede(ada, older=three.id, newer=kept.id)
    node.memories.link(ada, one.id, two.id, "contradicts")
    for memory in (one, two, three):
        node.memories.edit(ada, memory.id, {"tags": ("goes",)})
    moved(node, "ada", "bob", Chosen(Filter(tags=("goes",))))
    new = {m.text: m for m in every(node, fleet.bob) if m.owner == fleet.bob.agent}
    names = {m.id: text for text, m in new.items()} | {kept.id: "d", one.id: "old"}

    def said(memory: str) -> set[tuple[str, str, str, int]]:
        links = node.memories.links(OPERATOR, memory)
        named = {agent.agent: name for name, agent in (("ada", ada), ("bob", fleet.bob))}
        return {
            (names[e.src] + names[e.dst], e.relation, named.get(e.by, e.by), e.weight)
            for e in links
            if {e.src, e.dst} <= set(names)
        }

    assert said(new["a"].id) == {
        ("ad", "caused_by", "bob", 300),
        ("of boba", "related_to", "bob", 500),
        ("da", "related_to", "operator", 500),
        ("ab", "contradicts", "bob", 500),
    }
    # Only the owner of the older one can say that it is superseded: of d that is ada still.
    assert ("bd", "supersedes", "ada", 500) in said(new["b"].id)
    assert said(new["c"].id) == {("dc", "supersedes", "bob", 500)}


def test_who_would_lose_it_is_told_first(fleet: Fleet) -> None:
    """Where the other agent may not share it, nothing is moved until that is said."""
    fleet.remember("for the site", "project:apollo/site, agent:bob")
    fleet.remember("alone")
    plan = fleet.node.moves.preview(OPERATOR, "ada", "eve")
    assert [(one.name, one.memories) for one in plan.lost] == [("project:apollo/site", 1)]
    assert [(one.name, one.memories) for one in plan.kept] == [("agent:bob", 1)]
    with pytest.raises(Refused, match="project:apollo/site") as refused:
        moved(fleet.node, "ada", "eve")
    assert refused.value.remedy == "drop_grants"
    assert not shown(fleet.node, fleet.eve)
    assert total(fleet.node.moves.run(OPERATOR, "ada", "eve", drops=True)).moved == 2
    assert shown(fleet.node, fleet.bob) == {"for the site": "eve"}
    assert [one.audience for one in every(fleet.node, OPERATOR, "expired")] == [(), ("agent:bob",)]


def test_a_membership_that_ends_meanwhile_is_noticed(fleet: Fleet) -> None:
    """What somebody would lose is refused in the step that would move it, too."""
    fleet.remember("ours", "team:apollo")
    steps = fleet.node.moves.run(OPERATOR, "ada", "bob", cursor="mem_" + "a" * 32)
    fleet.node.organisation.leave("bob", "team:apollo")
    with pytest.raises(Refused, match="team:apollo"):
        list(steps)
    assert shown(fleet.node, fleet.ada) == {"ours": "ada"}


def test_what_nobody_reads_by_is_lost_without_a_word(fleet: Fleet) -> None:
    """A grant to a team or project that has ended goes with the old one, and so does one's own."""
    fleet.remember("ours", "team:apollo, agent:bob")
    fleet.remember("the site's", "project:apollo/site")
    fleet.node.organisation.remove_project("apollo/site")
    fleet.node.organisation.remove_team("apollo")
    assert moved(fleet.node, "ada", "bob").moved == 2
    assert {one.audience for one in every(fleet.node, fleet.bob)} == {()}


def test_who_left_a_team_leaves_nothing_behind(fleet: Fleet) -> None:
    """What the old owner writes reaches the team no more: there its memory is taken back."""
    old = fleet.remember("ours", "team:apollo, global")
    fleet.node.organisation.leave("ada", "team:apollo")
    moved(fleet.node, "ada", "bob")
    assert fleet.node.memories.get(OPERATOR, old.id).audience == ("global",)
    (new,) = every(fleet.node, fleet.bob)
    assert new.audience == ("global", "team:apollo")


def test_what_is_over_for_other_reasons_is_ended_too(fleet: Fleet) -> None:
    """What has expired stays as it is; what is not valid yet is not offered when it would be."""
    now = fleet.node.recall.now()
    past = fleet.remember("expired", expires_at=now - 1000)
    later = fleet.remember("not yet", valid_from=now + 10**9)
    fleet.node.memories.forget(fleet.ada, fleet.remember("forgotten").id)
    assert moved(fleet.node, "ada", "bob").moved == 0
    assert moved(fleet.node, "ada", "bob", ALL).moved == 2
    ends = {one.text: one.content.expires_at for one in every(fleet.node, fleet.bob, "all")}
    assert ends == {"expired": now - 1000, "not yet": None}
    held = fleet.node.memories.get(fleet.ada, later.id).content.expires_at
    assert held is not None
    assert held <= fleet.node.recall.now()
    assert fleet.node.memories.get(fleet.ada, past.id).version == 1


def test_a_superseded_one_stays_superseded(fleet: Fleet) -> None:
    """What stood below a newer one stands below it wherever both go."""
    older, newer = fleet.remember("copper kettles"), fleet.remember("copper kettles of steel")
    fleet.node.memories.supersede(fleet.ada, older.id, newer.id)
    moved(fleet.node, "ada", "bob")
    ids = {one.text: one.id for one in every(fleet.node, fleet.bob)}
    order = [memory for _, memory in found(fleet.node, fleet.bob, "copper kettles")]
    assert order == [ids["copper kettles of steel"], ids["copper kettles"]]


def test_what_an_edit_lost_stays_with_the_old_one(fleet: Fleet) -> None:
    """The old owner finds it, and can put it back; that moves nothing a second time."""
    old = fleet.remember("kettle")
    shelve(fleet.database, old.id, old.content._replace(content="kettle of tin"))
    moved(fleet.node, "ada", "bob")
    assert not fleet.node.conflicts.list(fleet.bob)
    (lost,) = fleet.node.conflicts.list(fleet.ada)
    fleet.node.conflicts.swap(fleet.ada, lost.id)
    assert shown(fleet.node, fleet.ada) == {"kettle of tin": "ada"}
    assert shown(fleet.node, fleet.bob) == {"kettle": "bob"}
    assert moved(fleet.node, "ada", "bob") == Step(0, 1, "")


def test_what_the_other_said_already_stays_its_own(fleet: Fleet) -> None:
    """A memory that the other agent has already stays its own beside the one that comes."""
    fleet.remember("kettle", "team:apollo")
    fleet.node.memories.add(fleet.bob, NewMemory("kettle"), "team:apollo")
    assert moved(fleet.node, "ada", "bob").moved == 1
    assert [one.text for one in every(fleet.node, fleet.bob)] == ["kettle", "kettle"]
    assert len(found(fleet.node, fleet.bob, "kettle")) == 1
