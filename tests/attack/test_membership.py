"""Who has left a team: it reads nothing of it, and writes nothing into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from agent_memory_os import MemoryClient
from agent_memory_os.errors import NotAllowed, NotFound
from agent_memory_os.model.principal import Principal

SCOPES = ("team:red", "project:red/site")


class Stage(NamedTuple):
    """A team with a project, one agent that will leave it, and one that stays."""

    leaver: MemoryClient
    reader: MemoryClient


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A stage on a new home."""
    home = str(tmp_path / "home")
    both = Stage(MemoryClient(home, agent="leaver"), MemoryClient(home, agent="reader"))
    fleet = both.leaver.node.organisation
    fleet.add_team("red")
    fleet.add_project("red", "site")
    for name in ("leaver", "reader"):
        for scope in SCOPES:
            fleet.join(name, scope)
    return both


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("left", SCOPES)
def test_who_has_left_edits_nothing_into_it(stage: Stage, scope: str, left: str) -> None:
    """What was shared stays as it was; to edit it is to take it back first."""
    held = stage.leaver.add("The kestrel at noon.", share=scope).memory
    stage.leaver.node.organisation.leave("leaver", left)
    if left.startswith("project:") and scope.startswith("team:"):
        assert stage.leaver.update(held.id, content="The kestrel at one.").is_changed
        return
    edits: tuple[Callable[[], object], ...] = (
        lambda: stage.leaver.update(held.id, content="The kestrel, planted."),
        lambda: stage.leaver.pin(held.id),
    )
    for edit in edits:
        with pytest.raises(NotAllowed, match=f"no member of {scope}") as told:
            edit()
        assert told.value.about == {"memory": held.id, "audience": scope}
    assert [hit.memory.text for hit in stage.reader.search("kestrel")] == ["The kestrel at noon."]
    stage.leaver.revoke(held.id, scope)
    assert stage.leaver.update(held.id, content="The kestrel at two.").is_changed
    assert stage.reader.search("kestrel") == ()
    with pytest.raises(NotFound):
        stage.reader.history(held.id)


@pytest.mark.parametrize("scope", SCOPES)
def test_who_has_left_brings_nothing_back_into_it(stage: Stage, scope: str) -> None:
    """What comes back from being forgotten comes back without the team that was left since."""
    held = stage.leaver.add("The kestrel.", share=f"{scope},agent:reader").memory
    other = stage.leaver.add("The heron.", share=scope).memory
    for memory in (held, other):
        stage.leaver.forget(memory.id)
    stage.leaver.node.organisation.leave("leaver", "team:red")
    assert stage.leaver.bring_back(held.id).audience == ("agent:reader",)
    assert stage.leaver.bring_back(other.id).audience == ()
    assert [hit.memory.id for hit in stage.reader.search("kestrel heron")] == [held.id]
    assert stage.leaver.node.upkeep.check().ok


def test_the_operator_still_corrects_it(stage: Stage) -> None:
    """What somebody left behind in a team can be corrected by the operator."""
    held = stage.leaver.add("The kestrel at noon.", share="team:red").memory
    stage.leaver.node.organisation.remove_agent("leaver")
    changes = {"content": "The kestrel at three."}
    stage.reader.node.memories.edit(Principal.operator(), held.id, changes)
    assert stage.reader.get(held.id).text == "The kestrel at three."


def test_an_old_client_of_a_removed_agent_does_nothing(stage: Stage) -> None:
    """A client that was opened before its agent was removed reads and writes nothing any more."""
    held = stage.leaver.add("The kestrel.", share="team:red").memory
    mine = stage.reader.add("The heron.").memory
    stage.leaver.node.organisation.remove_agent("reader")
    assert stage.reader.search("kestrel heron") == ()
    assert stage.reader.list().memories == ()
    acts: tuple[Callable[[], object], ...] = (
        lambda: stage.reader.get(held.id),
        lambda: stage.reader.get(mine.id),
        lambda: stage.reader.update(mine.id, content="Mine."),
        lambda: stage.reader.share(mine.id, "global"),
        lambda: stage.reader.forget(mine.id, erase=True),
        lambda: stage.reader.link(mine.id, held.id),
    )
    for act in acts:
        with pytest.raises(NotFound):
            act()
