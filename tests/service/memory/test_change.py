"""Editing, sharing, taking back, forgetting and bringing back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent_memory_os.errors import InvalidInput, NotAllowed, NotFound, TooLarge, UnknownAudience
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.change import EDITABLE
from tests.laws.plan import START, build
from tests.laws.world import new_world
from tests.store.sample import OPERATOR, Fleet

DAY = 86_400_000
KEY_LIKE = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("name", sorted(EDITABLE))
def test_every_field_can_be_edited(fleet: Fleet, name: str) -> None:
    """Each field of a content takes a new value, and the version before keeps the old one."""
    values: dict[str, Any] = {
        "content": "new words",
        "type": "fact",
        "tags": ["a", "b"],
        "source": {"file": "x"},
        "position": 3,
        "event_at": 5,
        "confidence": 1,
        "importance": 2,
        "pinned": True,
        "valid_from": 5,
        "valid_to": 2**45,
        "expires_at": 2**45,
        "half_life_days": 7,
    }
    value = values.get(name, "new")
    memory = fleet.remember("old words")
    outcome = fleet.node.memories.edit(fleet.ada, memory.id, {name: value}, "because")
    expected = tuple(value) if isinstance(value, list) else value
    assert outcome.is_changed
    assert getattr(outcome.memory.content, name) == expected
    assert (outcome.memory.version, outcome.memory.content.reason) == (2, "because")
    assert outcome.memory.content.updated_at > memory.content.updated_at
    assert fleet.node.memories.history(fleet.ada, memory.id)[0].content == memory.content


def test_an_edit_that_changes_nothing_writes_nothing(fleet: Fleet) -> None:
    """The same value again makes no version, and says that nothing changed."""
    memory = fleet.remember("words", tags=("a",))
    registers = fleet.ask("SELECT count(*) FROM registers")
    for changes in ({"content": "words"}, {"tags": ["a"]}, {}):
        outcome = fleet.node.memories.edit(fleet.ada, memory.id, changes, "no reason")
        assert (outcome.is_changed, outcome.memory) == (False, memory)
    assert fleet.ask("SELECT count(*) FROM registers") == registers


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mood": "good"}, "no field 'mood'"),
        ({"created_at": 5}, "no field 'created_at'"),
        ({"life": 3}, "no field 'life'"),
        ({"editor": "me"}, "no field 'editor'"),
        ({"content": ""}, "empty"),
        ({"content": None}, "content of a memory is text"),
        ({"tags": "abc"}, "texts"),
        ({"tags": [1]}, "texts"),
        ({"pinned": "yes"}, "true or false"),
        ({"type": "rumour"}, "no type"),
    ],
)
def test_what_cannot_be_is_refused(fleet: Fleet, changes: dict[str, Any], words: str) -> None:
    """A field that is not there, or not one's to set, and a value that it cannot have."""
    memory = fleet.remember("words")
    with pytest.raises(InvalidInput, match=words):
        fleet.node.memories.edit(fleet.ada, memory.id, changes)
    with pytest.raises(TooLarge, match="A reason"):
        fleet.node.memories.edit(fleet.ada, memory.id, {"content": "x"}, "r" * 1001)
    assert fleet.node.memories.get(fleet.ada, memory.id) == memory


def test_an_edit_masks_secrets(fleet: Fleet) -> None:
    """A key that is edited in is masked as in an add, unless it is asked for."""
    memory = fleet.remember("words")
    edit = fleet.node.memories.edit
    outcome = edit(fleet.ada, memory.id, {"content": f"use {KEY_LIKE}"})
    assert KEY_LIKE not in outcome.memory.text
    assert "looks like a secret" in outcome.notes[0]
    kept = edit(fleet.ada, memory.id, {"content": f"use {KEY_LIKE}"}, allow_secrets=True)
    assert KEY_LIKE in kept.memory.text


def test_the_operators_edit_names_it(fleet: Fleet) -> None:
    """An edit by the operator is audited and says whose it is; the owner's own says nobody's."""
    memory = fleet.remember("words")
    edited = fleet.node.memories.edit(OPERATOR, memory.id, {"content": "other"}).memory
    assert edited.content.editor == "operator"
    acts = fleet.ask("SELECT actor, action, object FROM audit")
    assert ("operator", "edit", memory.id) in acts
    mine = fleet.node.memories.edit(fleet.ada, memory.id, {"content": "again"}).memory
    assert mine.content.editor == ""
    history = fleet.node.memories.history(fleet.ada, memory.id)
    assert [version.editor for version in history] == ["ada", "operator", "ada"]


def test_an_editor_is_told_by_its_name(fleet: Fleet) -> None:
    """Who wrote a version is named as agents are called now; one that is unknown keeps its id."""
    memory = fleet.remember("words", "global")
    fleet.node.memories.edit(OPERATOR, memory.id, {"content": "other"})
    for editor, shown in ((fleet.bob.agent, "bob"), ("agt_" + "a" * 32, "agt_" + "a" * 32)):
        fleet.say("UPDATE memories SET editor = ?", (editor,))
        for reader in (fleet.ada, fleet.eve):
            assert fleet.node.memories.history(reader, memory.id)[-1].editor == shown


def test_only_the_owner_changes_a_memory(fleet: Fleet) -> None:
    """A reader is told whose it is and how to correct it; nothing is changed."""
    memory = fleet.remember("words", "global")
    memories = fleet.node.memories
    acts: list[Callable[[], object]] = [
        lambda: memories.edit(fleet.bob, memory.id, {"content": "x"}),
        lambda: memories.share(fleet.bob, memory.id, "agent:eve"),
        lambda: memories.revoke(fleet.bob, memory.id),
        lambda: memories.forget(fleet.bob, memory.id),
        lambda: memories.erase(fleet.bob, [memory.id]),
    ]
    for act in acts:
        with pytest.raises(NotAllowed, match=r"Only ada, its owner, .*supersede"):
            act()
    assert memories.get(fleet.ada, memory.id) == memory


def test_sharing_adds_and_revoking_takes_away(fleet: Fleet) -> None:
    """Grants are added to those that are there, each once, and taken back by name, id or all."""
    memory = fleet.remember("words", "agent:eve")
    memories = fleet.node.memories
    outcome = memories.share(fleet.ada, memory.id, "team:apollo, agent:eve, global")
    assert outcome.is_changed
    assert outcome.memory.audience == ("agent:eve", "global", "team:apollo")
    assert not memories.share(fleet.ada, memory.id, "global").is_changed
    assert memories.revoke(fleet.ada, memory.id, "agent:eve").memory.audience == (
        "global",
        "team:apollo",
    )
    (team,) = (scope for scope in outcome.memory.grants if scope.startswith("team:"))
    assert memories.revoke(fleet.ada, memory.id, team).memory.audience == ("global",)
    assert memories.revoke(fleet.ada, memory.id).memory.audience == ()
    assert not memories.revoke(fleet.ada, memory.id).is_changed


@pytest.mark.parametrize("audience", ["team:apollo", "agent:nobody", "", "everyone"])
def test_what_is_not_granted_cannot_be_taken_back(fleet: Fleet, audience: str) -> None:
    """Taking back what was not shared says with whom the memory is shared."""
    memory = fleet.remember("words", "agent:eve")
    with pytest.raises(NotFound, match="it is shared with agent:eve"):
        fleet.node.memories.revoke(fleet.ada, memory.id, f"agent:eve, {audience}")
    assert fleet.node.memories.get(fleet.ada, memory.id).audience == ("agent:eve",)
    with pytest.raises(NotFound, match="nobody: it is private"):
        fleet.node.memories.revoke(fleet.ada, fleet.remember("own").id, "agent:eve")


def test_sharing_with_nobody_is_no_sharing(fleet: Fleet) -> None:
    """To make a memory private is to revoke, and the message says so."""
    with pytest.raises(InvalidInput, match="revoke its audience"):
        fleet.node.memories.share(fleet.ada, fleet.remember("words").id, "private")
    with pytest.raises(UnknownAudience):
        fleet.node.memories.share(fleet.ada, fleet.remember("words").id, "team:ghost")


def test_a_name_that_two_teams_had_loses_both(fleet: Fleet) -> None:
    """A grant to a team that ended, and to another of its name, are both taken back by the name."""
    memory = fleet.remember("words", "team:apollo")
    fleet.node.organisation.remove_team("apollo")
    fleet.node.organisation.add_team("apollo")
    for name in ("ada", "eve"):
        fleet.node.organisation.join(name, "team:apollo")
    shared = fleet.node.memories.share(fleet.ada, memory.id, "team:apollo").memory
    assert shared.audience == ("team:apollo", "team:apollo")
    assert fleet.node.memories.get(fleet.eve, memory.id)
    fleet.node.memories.revoke(fleet.ada, memory.id, "team:apollo")
    with pytest.raises(NotFound):
        fleet.node.memories.get(fleet.eve, memory.id)


def test_a_grant_can_be_taken_back_after_leaving(fleet: Fleet) -> None:
    """Who left a team may still take back what it had shared there."""
    memory = fleet.remember("words", "team:apollo")
    fleet.node.organisation.leave("ada", "team:apollo")
    assert fleet.node.memories.get(fleet.bob, memory.id)
    fleet.node.memories.revoke(fleet.ada, memory.id, "team:apollo")
    with pytest.raises(NotFound):
        fleet.node.memories.get(fleet.bob, memory.id)


def test_what_was_forgotten_comes_back_as_it_was(fleet: Fleet) -> None:
    """Bringing back restores content, audience, history and place; forgetting twice does not."""
    memory = fleet.remember("kettle words", "team:apollo", pinned=True)
    edited = fleet.node.memories.edit(fleet.ada, memory.id, {"content": "kettle two"}).memory
    back = edited
    for _ in range(3):
        fleet.node.memories.forget(fleet.ada, memory.id)
        with pytest.raises(NotFound):
            fleet.node.memories.forget(fleet.ada, memory.id)
        gone = fleet.node.memories.list(fleet.ada, Filter(state="forgotten")).memories
        assert [one.id for one in gone] == [memory.id]
        assert fleet.node.memories.list(fleet.bob, Filter(state="forgotten")).memories == ()
        back = fleet.node.memories.bring_back(fleet.ada, memory.id)
        assert back.content._replace(life=1) == edited.content
        assert back.audience == memory.audience
    assert back.content.life == 7
    assert fleet.node.memories.get(fleet.bob, memory.id).text == "kettle two"
    with pytest.raises(NotFound, match="nothing to undo"):
        fleet.node.memories.bring_back(fleet.ada, memory.id)


def test_nobody_else_brings_a_memory_back(fleet: Fleet) -> None:
    """What its owner forgot is not there for anybody else, but for the operator."""
    memory = fleet.remember("words", "global")
    fleet.node.memories.forget(fleet.ada, memory.id)
    with pytest.raises(NotFound):
        fleet.node.memories.bring_back(fleet.bob, memory.id)
    assert fleet.node.memories.bring_back(OPERATOR, memory.id).text == "words"


def test_the_days_of_undo_end() -> None:
    """Thirty days after it was forgotten a memory cannot be brought back, and its words go."""
    with new_world() as world:
        build(world, START)
        ann = Principal.of_agent(world.agents["ann"])
        memories = world.node.memories
        first, second = (memories.add(ann, NewMemory(f"gateway {n}")).memory for n in range(2))
        memories.forget(ann, first.id)
        world.clock.now += 30 * DAY - 1
        memories.bring_back(ann, first.id)
        memories.forget(ann, first.id)
        world.clock.now += 30 * DAY
        with pytest.raises(NotFound, match="for good"):
            memories.bring_back(ann, first.id)
        memories.forget(ann, second.id)
        with world.node.context.database.read() as snapshot:
            assert snapshot.rows("SELECT id FROM memories") == [(second.id,)]
            assert snapshot.rows("SELECT id FROM tombstones") == [(first.id,)]


def test_all_of_an_owner_is_forgotten_by_the_operator_alone(fleet: Fleet) -> None:
    """However many there are, each is forgotten, audited, and can be brought back."""
    fleet.fill(230)
    other = fleet.node.memories.add(fleet.bob, NewMemory("bob's"), "global").memory
    for principal in (fleet.ada, fleet.bob):
        with pytest.raises(NotAllowed):
            fleet.node.memories.forget_owner(principal, "ada")
    fleet.node.organisation.remove_agent("ada")
    assert fleet.node.memories.forget_owner(OPERATOR, "ada") == 230
    assert fleet.node.memories.forget_owner(OPERATOR, "ada") == 0
    left = fleet.node.memories.list(OPERATOR, Filter(), 1000).memories
    assert [memory.id for memory in left] == [other.id]
    assert fleet.ask("SELECT count(*) FROM audit WHERE action = 'forget'") == [(230,)]
