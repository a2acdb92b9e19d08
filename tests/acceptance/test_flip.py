"""Bytes that are flipped inside what is stored: every act works, or names the damage."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from agent_memory_os import wiring
from agent_memory_os.cli import card, grid, history, shape
from agent_memory_os.cli import list as listing
from agent_memory_os.errors import AgentMemoryError, DamagedDatabase
from agent_memory_os.model.memory import Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, Hit, RecallRequest
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.memory.history import Version
from agent_memory_os.service.node import LocalNode
from agent_memory_os.wire import encode
from tests.laws.world import fast_folder
from tests.store.sample import OPERATOR, Fleet, found, furnish, open_home

NOW = wiring.clock()
PAGE = 4096
SCHEMA_TABLES = (
    *("memories", "memory_versions", "grants", "links", "agents", "teams", "projects"),
    *("memberships", "scopes", "node", "documents", "proofs", "registers"),
)
LIKELY = b'\x00\xff"{}[],:0-9azA'
TOLD = {"damaged_database", "not_found", "not_allowed", "refused", "unknown_name", "invalid_input"}
TOLD |= {"unknown_audience", "already_exists"}


class Sound(NamedTuple):
    """A closed node, its bytes, and where in them its values and the rows of its tables stand."""

    fleet: Fleet
    ids: tuple[str, ...]
    content: bytes
    values: tuple[int, ...]
    rows: tuple[int, ...]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """Give a node with memories of every state and every field, to be copied and damaged."""
    fleet = found(tmp_path_factory.mktemp("sound"))
    kept = furnish(fleet)
    for claim in (1, 2):
        source = {"claim_key": "k", "claim": claim, "list": [{"a": "b"}]}
        fields: dict[str, object] = {"tags": ("a", "b"), "summary": "kettles", "source": source}
        more = {"author": "kim", "session": "s", "position": claim, "event_at": 5}
        kept.append(fleet.remember(f"rich kettle {claim}", "team:apollo", **fields, **more))
    fleet.node.memories.edit(fleet.ada, kept[-1].id, {"content": "richer kettle"}, "why")
    fleet.node.close()
    with closing(sqlite3.connect(fleet.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        content = Path(fleet.path).read_bytes()
        values = sorted(set(places(content, stored(connection))))
        pages = {page for (page,) in connection.execute(_pages(connection))}
    rows = [at for at in range(len(content)) if at // PAGE + 1 in pages and content[at]]
    return Sound(fleet, tuple(m.id for m in kept), content, tuple(values), tuple(rows))


def _pages(connection: sqlite3.Connection) -> str:
    """Return the query for the pages of the tables: of all there is, where SQLite cannot tell."""
    marks = ", ".join(f"'{name}'" for name in SCHEMA_TABLES)
    try:
        connection.execute("SELECT 1 FROM dbstat LIMIT 1")
    except sqlite3.OperationalError:
        return (
            "WITH RECURSIVE n(p) AS (SELECT 20 UNION SELECT p + 1 FROM n LIMIT 30) SELECT p FROM n"
        )
    return f"SELECT pageno FROM dbstat WHERE name IN ({marks})"


def stored(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Yield every longer text and blob of the tables."""
    for name in SCHEMA_TABLES:
        for row in connection.execute(f"SELECT * FROM {name}"):
            texts = [value.encode() if isinstance(value, str) else value for value in row]
            yield from (text for text in texts if isinstance(text, bytes) and len(text) > 3)


def places(content: bytes, texts: Iterator[bytes]) -> Iterator[int]:
    """Yield where each byte of some texts stands."""
    for text in texts:
        at = content.find(text)
        while at >= 0:
            yield from range(at, at + len(text))
            at = content.find(text, at + 1)


def flipped(sound: Sound, seed: int, where: tuple[int, ...]) -> bytes:
    """Return the node's bytes with one or a few of them changed."""
    chance, data = random.Random(seed), bytearray(sound.content)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        at = chance.choice(where)
        data[at] = chance.choice((data[at] ^ chance.randrange(1, 256), chance.choice(LIKELY)))
    return bytes(data)


def shown(given: object) -> None:
    """Show what was given in every way in which the command line shows it."""
    if isinstance(given, Memory):
        shape.to_json(encode.of_memory(given, NOW))
        card.of_memory(given, [], NOW)
        grid.table(listing.HEADS, [listing.row_of(given, given.content.created_at, NOW)])
    elif isinstance(given, Hit):
        shape.to_json(encode.of_hit(given, NOW))
        card.of_hit(1, given, NOW)
    elif isinstance(given, Version):
        shape.to_json(history._shape(given))  # noqa: SLF001 - what a command prints
        history._row(given)  # noqa: SLF001 - as above
    elif isinstance(given, (list, tuple)):
        for one in given:
            shown(one)


def reads(node: LocalNode, who: Principal, ids: tuple[str, ...]) -> Iterator[Callable[[], object]]:
    """Yield every way to read a node as somebody."""
    memories, recall = node.memories, node.recall
    asked = RecallRequest("copper kettles memory", NOW)
    yield lambda: recall.search(who, asked, explain=True)
    yield lambda: recall.search(who, asked._replace(query="", pinned=True, recent=True))
    yield lambda: recall.pack(who, asked, 2_000)
    for state in ("active", "all", "expired", "forgotten"):
        yield partial(memories.list, who, Filter(state=state))
    yield lambda: memories.list(who, Filter(tags=("a",)), 1)
    yield lambda: memories.timeline(who, NOW, Filter(), 50)
    yield lambda: memories.owners(who)
    yield lambda: node.upkeep.stats(who)
    yield lambda: list(node.transfer.export(who))
    yield lambda: node.upkeep.audit(who)
    yield node.organisation.agents
    yield node.organisation.teams
    yield lambda: node.organisation.scopes(who)
    for name in ids[:3] + ids[-1:]:
        for ask in (memories.get, memories.history, memories.links):
            yield partial(ask, who, name)
        yield partial(memories.timeline, who, name, Filter())


def writes(node: LocalNode, who: Principal, ids: tuple[str, ...]) -> Iterator[Callable[[], object]]:
    """Yield many ways to write to a node as somebody."""
    memories = node.memories
    yield lambda: memories.add(who, NewMemory("memory number 7 about copper kettles"))
    yield lambda: memories.edit(who, ids[-1], {"content": "changed"}, "again")
    yield lambda: memories.share(who, ids[-1], "global")
    yield lambda: memories.link(who, ids[0], ids[-1])
    yield lambda: memories.supersede(who, ids[0], ids[-1])
    yield lambda: memories.forget(who, ids[0])
    yield lambda: memories.bring_back(who, ids[0])
    yield lambda: node.organisation.join("eve", "team:apollo")


def said_of(sound: Sound, home: Path, content: bytes) -> list[str]:
    """Use a damaged node in every way; return the code of each error."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(sound.fleet.home, home)
    (home / "node.db").write_bytes(content)
    try:
        node = open_home(home)
    except AgentMemoryError as error:
        return [error.code]
    codes = []
    for who in (sound.fleet.ada, sound.fleet.eve, OPERATOR):
        for act in (*reads(node, who, sound.ids), *writes(node, who, sound.ids)):
            try:
                shown(act())
            except AgentMemoryError as error:
                codes.append(error.code)
    node.close()
    return codes


@pytest.mark.parametrize("count", [30, pytest.param(2_500, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", ["values", "rows"])
def test_no_flipped_byte_ends_in_a_traceback(sound: Sound, kind: str, count: int) -> None:
    """Whatever value or row is changed, every act gives what can be shown, or one of our errors."""
    codes: set[str] = set()
    with TemporaryDirectory(dir=fast_folder()) as folder:
        for seed in range(count):
            content = flipped(sound, seed, getattr(sound, kind))
            codes |= set(said_of(sound, Path(folder) / "home", content))
    assert "damaged_database" in codes
    assert codes <= TOLD


def test_an_export_of_ids_in_disorder_ends(sound: Sound, tmp_path: Path) -> None:
    """Wherever an id is another one than its index has, an export comes to an end."""
    codes = []
    for name in sorted(sound.ids)[-2:]:
        text = name.encode()
        for at in sorted(set(places(sound.content, iter([text]))))[:: len(text)]:
            lower = sound.content[:at] + b"mem_22222222" + sound.content[at + 12 :]
            home = tmp_path / f"{name}{at}"
            shutil.copytree(sound.fleet.home, home)
            (home / "node.db").write_bytes(lower)
            node = open_home(home)
            try:
                assert len(list(node.transfer.export(OPERATOR))) < 100
            except DamagedDatabase as error:
                codes.append(error.code)
            node.close()
    assert codes


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memories SET type = 'nota'",
        "UPDATE memories SET tags = '{}'",
        "UPDATE memories SET tags = '[1]'",
        "UPDATE memories SET source = '[]'",
        "UPDATE memories SET source = 'x'",
        "UPDATE memories SET content = CAST(X'FF' AS TEXT)",
    ],
)
def test_a_memory_that_is_none_is_damage(sound: Sound, tmp_path: Path, statement: str) -> None:
    """What no memory can be is named as damage, and not returned as something else."""
    home = tmp_path / "home"
    shutil.copytree(sound.fleet.home, home)
    with closing(sqlite3.connect(home / "node.db")) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement)
        connection.commit()
    node = open_home(home)
    for act in (
        lambda: node.memories.list(sound.fleet.ada, Filter()),
        lambda: node.memories.get(sound.fleet.ada, sound.ids[-1]),
        lambda: node.recall.search(sound.fleet.ada, RecallRequest("kettles", NOW)),
        lambda: list(node.transfer.export(sound.fleet.ada)),
    ):
        with pytest.raises(DamagedDatabase) as caught:
            act()
        assert (caught.value.exit_status, caught.value.remedy) == (3, "doctor")
    node.close()
