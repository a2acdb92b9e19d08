"""Law 12: export, import and export again is the identity, and importing twice adds nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from agent_memory_os import settings, wiring
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.exporters import jsonl
from agent_memory_os.importers import by_name
from agent_memory_os.importers.base import Finding
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.transfer import ImportReport, transfer
from tests.laws.crowd import crowd
from tests.laws.plan import START, Step, build, plans, some
from tests.laws.world import World, new_world, state_of

pytestmark = pytest.mark.measured

OPERATOR = Principal.operator()


def export(world: World, principal: Principal = OPERATOR) -> str:
    """Return the whole export of a world."""
    return "".join(world.node.transfer.export(principal))


def bring(world: World, text: str, principal: Principal = OPERATOR) -> ImportReport:
    """Import an export into a world."""
    path = world.folder.parent / "export.jsonl"
    path.write_text(text, encoding="utf-8")
    return world.node.transfer.import_path(principal, str(path))


@given(plans())
def test_there_and_back_is_the_identity(plan: list[Step]) -> None:
    """A new home of the account holds what the old one exported, to the byte, and no more."""
    with new_world() as world, new_world() as other:
        build(world, [*START, *plan])
        other.clock.now = world.clock.now
        text = export(world)
        report = bring(other, text)
        assert (report.skipped, report.added) == ((), report.found)
        assert export(other) == text
        for name in world.active:
            reader = Principal.of_agent(world.agents[name])
            listed = other.node.memories.list(reader, Filter(), 200).memories
            assert {memory.id for memory in listed} == {item.id for item in world.shown(reader)}


@some(0.6)
@given(plans())
def test_importing_twice_adds_nothing(plan: list[Step]) -> None:
    """A second import finds everything there, and so does one where it came from."""
    with new_world() as world, new_world() as other:
        build(world, [*START, *plan])
        text = export(world)
        bring(other, text)
        for home in (world, other):
            before = export(home)
            report = bring(home, text)
            assert (report.added, report.restored, report.skipped) == (0, 0, ())
            assert report.known == report.found
            assert export(home) == before


def test_a_crowd_comes_back_with_its_versions() -> None:
    """History and links come with the memories, and a dry run says the same and does nothing."""
    with new_world() as world, new_world() as other:
        crowd(world)
        other.clock.now = world.clock.now
        text = export(world)
        path = world.folder.parent / "export.jsonl"
        path.write_text(text, encoding="utf-8")
        before = state_of(other)
        foreseen = other.node.transfer.import_path(OPERATOR, str(path), dry_run=True)
        assert state_of(other) == before
        done = bring(other, text)
        assert foreseen.added == done.added > 40
        assert export(other) == text
        kept = next(item for item in world.readable(OPERATOR) if len(item.versions) > 2)
        versions = other.node.memories.history(OPERATOR, kept.id)
        assert [v.content.content.split()[-1] for v in versions] == kept.canaries


KEY = "ghp_" + "aB3" * 12
PIECES = (
    {"content": f"The token is {KEY}"},
    {"content": "a", "summary": KEY},
    {"content": "b", "tags": (KEY,)},
    {"content": "c", "source": {"a": [KEY], KEY: 1}},
    {"content": "d", "author": KEY, "session": KEY},
)
LONG = "word " * 40


def with_secrets(world: World, text: str, *, allow: bool) -> None:
    """Let ann keep a text in every place, say another one later, and edit that with it, too."""
    ann = Principal.of_agent(world.agents["ann"])
    for piece in PIECES:
        fields = json.loads(json.dumps(piece).replace(KEY, text))
        fields["tags"] = tuple(fields.get("tags", ()))
        new = NewMemory(**fields, allow_secrets=allow)
        kept = world.node.memories.add(ann, new).memory
        for content in (LONG, f"{LONG} {text}", LONG, f"{text} {LONG}", LONG, "the end"):
            world.clock.now += 1000
            change = {"content": content}
            world.node.memories.edit(ann, kept.id, change, text, allow_secrets=allow)


@pytest.mark.parametrize("most", [jsonl.MAX_LINE_BYTES, 1_000])
def test_secrets_that_were_kept_on_purpose_come_back(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """What was kept as it is comes back as it is, in every field, version and reason."""
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", most)
    with new_world() as world, new_world() as other:
        build(world, START)
        with_secrets(world, KEY, allow=True)
        other.clock.now = world.clock.now
        text = export(world)
        assert text.count(KEY) > len(PIECES)
        report = bring(other, text)
        assert (report.skipped, report.masked) == ((), ())
        assert export(other) == text


@pytest.mark.parametrize("most", [jsonl.MAX_LINE_BYTES, 1_000])
def test_a_secret_that_was_written_into_an_export_is_masked(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """What somebody wrote into the file is masked like anything that comes in, and told."""
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", most)
    with new_world() as world, new_world() as other:
        build(world, START)
        with_secrets(world, "zq4xv", allow=False)
        text = export(world).replace("zq4xv", KEY)
        report = bring(other, text)
        assert report.skipped == ()
        assert report.masked == ("Masked what looks like a secret (github-token).",)
        assert report.added == len(PIECES)
        assert KEY not in export(other)
        assert export(other).count("[secret:github-token]") == text.count(KEY)
        with new_world() as third:
            path = third.folder.parent / "export.jsonl"
            path.write_text(text, encoding="utf-8")
            third.node.transfer.import_path(OPERATOR, str(path), allow_secrets=True)
            assert export(third).count(KEY) == text.count(KEY)


class Interrupted(Exception):
    """The import ended here."""


def interrupted(world: World, path: Path, rows: int) -> bool:
    """Import an export until so many rows were read; say whether there were more."""

    def findings() -> Iterator[Finding]:
        whole = by_name("agent-memory").read(str(path), lambda _: None)
        for place, finding in enumerate(whole):
            if place == rows:
                raise Interrupted
            yield finding

    try:
        world.node.transfer.take(OPERATOR, findings(), "")
    except Interrupted:
        return True
    return False


@pytest.mark.parametrize("batch", [1, 3])
def test_an_import_may_end_anywhere(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    """Wherever an import ends, the next one makes it whole: no memory is parted from its past."""
    monkeypatch.setattr(transfer, "_BATCH", batch)
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 300)
    with new_world() as world:
        build(world, [*START, *(Step("add", number, 1) for number in range(3))])
        build(world, [Step("edit", number % 3) for number in range(9)] + [Step("link", 0, 0, 1)])
        text = export(world)
        assert text.count('"kind":"version"') > 6
        path, rows, is_cut = world.folder.parent / "export.jsonl", 0, True
        path.write_text(text, encoding="utf-8")
        while is_cut:
            with new_world() as other:
                other.clock.now = world.clock.now
                is_cut = interrupted(other, path, rows)
                bring(other, text)
                assert export(other) == text
            rows += 1
        assert rows == text.count("\n") + 1


def test_an_agent_puts_back_its_own_alone() -> None:
    """An agent's export holds what it may read, and brings back only what is its own."""
    with new_world() as world, new_world() as other:
        crowd(world)
        ann = Principal.of_agent(world.agents["ann"])
        text = export(world, ann)
        other.node.organisation.add_agent("ann")
        report = bring(other, text, ann)
        mine = [item.id for item in world.readable(ann) if item.owner == "ann"]
        assert report.added == len(mine)
        others = report.found - len(mine)
        links = sum('"kind":"link"' in line for line in text.splitlines())
        assert others <= report.skipped_count <= others + links
        records = [json.loads(line) for line in export(other, ann).splitlines()]
        assert sorted(r["id"] for r in records if r.get("kind") == "memory") == sorted(mine)


def test_into_another_account_ids_are_derived_anew(tmp_path: Path) -> None:
    """Another account owns what it imports, under ids of its own that say where they came from."""
    node = wiring.open_node(settings.Settings(str(tmp_path / "other"), None))
    with new_world() as world:
        crowd(world)
        path = tmp_path / "export.jsonl"
        path.write_text(export(world), encoding="utf-8")
    agent = node.organisation.add_agent("heir")
    heir = Principal.of_agent(agent.id)
    for added in (True, False):
        report = node.transfer.import_path(heir, str(path))
        assert report.skipped == ()
        assert report.added == (report.found if added else 0)
    held = node.memories.list(heir, Filter(state="all"), 200).memories
    assert not {memory.id for memory in held} & set(world.items)
    assert all(memory.audience == () and memory.owner == agent.id for memory in held)
    assert {memory.content.source["record"] for memory in held} <= set(world.items)
    assert [one.agent.name for one in node.organisation.agents()] == ["heir"]
    node.close()


@pytest.mark.parametrize("name", ["ed", "stranger"])
def test_who_may_not_act_imports_nothing(name: str) -> None:
    """An agent that is not in the fleet, or not any more, is refused before anything is read."""
    with new_world() as world:
        crowd(world)
        agent = world.agents.get(name, "agt_" + "a" * 32)
        text = export(world, Principal.of_agent(world.agents["ann"]))
        before = state_of(world)
        with pytest.raises(AgentMemoryError):
            bring(world, text, Principal.of_agent(agent))
        assert state_of(world) == before
