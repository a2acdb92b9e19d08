"""A damaged file is named as one, never by a traceback, and is never made worse."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os import settings, wiring
from agent_memory_os.errors import AgentMemoryError, Damaged
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.service.memory.add import NewMemory
from tests.store.sample import OPERATOR, Fleet, found, furnish, open_home

PAGE = 4096


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """Give a closed node with memories of every state, to be copied and damaged."""
    fleet = found(tmp_path_factory.mktemp("sound"))
    furnish(fleet)
    fleet.node.close()
    return fleet


def use(fleet: Fleet, home: Path) -> list[str]:
    """Use a node in every way; return what each act says that fails."""
    said: list[str] = []
    try:
        node = open_home(home)
    except AgentMemoryError as error:
        return [error.code]
    ada, request = fleet.ada, RecallRequest("copper kettles", now=wiring.clock())
    acts: list[Callable[[], object]] = [
        lambda: node.recall.search(ada, request),
        lambda: node.memories.list(ada, Filter()),
        lambda: node.memories.owners(OPERATOR),
        node.organisation.teams,
        lambda: node.memories.add(ada, NewMemory(content="copper kettles again")),
        lambda: node.upkeep.stats(OPERATOR),
    ]
    for act in acts:
        try:
            act()
        except AgentMemoryError as error:
            said.append(error.code)
    node.close()
    return said


def search(fleet: Fleet, home: Path) -> None:
    """Open a node and search in it."""
    node = open_home(home)
    try:
        node.recall.search(fleet.ada, RecallRequest("copper kettles", now=wiring.clock()))
    finally:
        node.close()


def examined(home: Path) -> bool:
    """Examine a node by doctor and check, which change nothing; say whether something is wrong."""
    path = home / "node.db"
    before = path.read_bytes()
    upkeep = wiring.open_upkeep(settings.read(str(home), None, {}))
    states = {finding.state for finding in upkeep.doctor(OPERATOR)}
    report = upkeep.check()
    del upkeep
    assert path.read_bytes() == before
    assert report.ok or "fault" in states
    return "fault" in states


def with_damage(fleet: Fleet, home: Path, content: bytes) -> None:
    """Put a node with a damaged file into a home."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(fleet.home, home)
    (home / "node.db").write_bytes(content)


def test_any_page_that_is_overwritten_is_noticed(sound: Fleet, tmp_path: Path) -> None:
    """Whichever page is overwritten, the doctor finds it, and every act works or says why not."""
    content = Path(sound.path).read_bytes()
    home = tmp_path / "home"
    unnoticed = []
    for number in range(len(content) // PAGE):
        broken = content[: number * PAGE] + b"\xa5" * PAGE + content[(number + 1) * PAGE :]
        with_damage(sound, home, broken)
        if not examined(home):
            unnoticed.append(number + 1)
        assert set(use(sound, home)) <= {"damaged_database", "refused", "not_found"}
    # Pages that nothing uses may hold anything.
    with closing(sqlite3.connect(sound.path)) as connection:
        assert len(unnoticed) <= connection.execute("PRAGMA freelist_count").fetchone()[0]


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 255)), min_size=1, max_size=40),
)
@hypothesis.settings(max_examples=25)
def test_whatever_bytes_are_flipped_can_be_examined(
    sound: Fleet, tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    """Whatever bytes are flipped, a file opens or says why not, and the doctor looks at it."""
    content = bytearray(Path(sound.path).read_bytes())
    for at, change in flips:
        content[at % len(content)] ^= change
    home = tmp_path_factory.mktemp("flipped") / "home"
    with_damage(sound, home, bytes(content))
    examined(home)
    with suppress(AgentMemoryError):
        open_home(home).close()
    shutil.rmtree(home)


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(lambda content: b"\0" * 100 + content[100:], id="a header of zeros"),
        pytest.param(lambda content: content[: len(content) // 2], id="cut in the middle"),
        pytest.param(lambda content: content[:50], id="cut in the header"),
        pytest.param(lambda content: b"notes of mine\n" * (len(content) // 14), id="a text"),
        pytest.param(lambda content: b"\0" * len(content), id="nothing but zeros"),
    ],
)
def test_a_file_that_is_broken_as_a_whole_is_left_as_it_is(
    sound: Fleet, tmp_path: Path, damaged: Callable[[bytes], bytes]
) -> None:
    """A broken file is refused with exit status 3, and not a byte of it changes by any act."""
    home = tmp_path / "home"
    content = damaged(Path(sound.path).read_bytes())
    with_damage(sound, home, content)
    for _ in range(2):
        with pytest.raises(Damaged) as caught:
            search(sound, home)
        assert caught.value.exit_status == 3
        assert str(home / "node.db") in str(caught.value)
        assert caught.value.remedy == "doctor"
    upkeep = wiring.open_upkeep(settings.read(str(home), None, {}))
    assert any(finding.state == "fault" for finding in upkeep.doctor(OPERATOR))
    assert not upkeep.check().ok
    for act in (upkeep.mend, upkeep.reindex, partial(upkeep.backup, str(tmp_path))):
        with pytest.raises(Damaged):
            act()
    assert (home / "node.db").read_bytes() == content
    assert sorted(os.listdir(tmp_path)) == ["home"]


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("PRAGMA application_id = 7", "foreign_database"),
        ("PRAGMA user_version = 99", "newer_schema"),
    ],
)
def test_what_is_foreign_or_newer_is_left_as_it_is(
    sound: Fleet, tmp_path: Path, statement: str, code: str
) -> None:
    """Another program's database and a newer node's are refused, and not a byte changes."""
    home = tmp_path / "home"
    shutil.copytree(sound.home, home)
    with closing(sqlite3.connect(home / "node.db", isolation_level=None)) as connection:
        connection.execute(statement)
    before = (home / "node.db").read_bytes()
    with pytest.raises(Damaged) as caught:
        open_home(home)
    assert (caught.value.code, caught.value.exit_status) == (code, 3)
    assert not wiring.open_upkeep(settings.read(str(home), None, {})).check().ok
    assert (home / "node.db").read_bytes() == before
    assert sorted(os.listdir(home)) == ["keys", "node.db"]
