"""A disk that is full, failing or closed loses nothing, and is told in a sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from agent_memory_os.errors import AgentMemoryError, DiskFull, ReadOnlyHome, Refused
from tests.store.sample import OPERATOR, Fleet, found, run

NOBODY = 65534
FILL = """
import resource, signal, sys
from agent_memory_os import settings, wiring
from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
home, agent, limit = sys.argv[1:]
node = wiring.open_node(settings.read(home, None, {}))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
if limit != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
failures = 0
for number in range(4000):
    try:
        text = f"number {number} " + "word " * 300
        print(node.memories.add(Principal.of_agent(agent), NewMemory(content=text)).memory.id)
    except AgentMemoryError as error:
        print("failed", error.code, error, file=sys.stderr)
        failures += 1
        if failures == 3:
            break
if limit != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(node.memories.add(Principal.of_agent(agent), NewMemory(content="and on")).memory.id)
"""


def held(fleet: Fleet) -> set[str]:
    """Return the ids of the memories in a node."""
    return {str(row[0]) for row in fleet.ask("SELECT id FROM memories")}


def test_a_disk_that_takes_no_more_loses_nothing(fleet: Fleet) -> None:
    """Where writing fails each add says so, all that was acknowledged is there, and it goes on."""
    fleet.node.close()
    done = run(FILL, str(fleet.home), str(fleet.ada.agent), str(3_000_000))
    assert done.returncode == 0, done.stderr
    said = done.stdout.split()
    assert len(said) > 20
    failures = done.stderr.strip().splitlines()
    assert len(failures) == 3
    assert all("nothing was changed" in line for line in failures)
    assert held(fleet) == set(said)
    assert fleet.node.upkeep.check().ok


def filled(folder: Path) -> Path:
    """Write to a disk until it is full; return the file that fills it."""
    ballast = folder / f"ballast-{len(os.listdir(folder))}"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    return ballast


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder on a disk of six megabytes, where this process may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m,mode=700", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no small disk can be mounted here: {error}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_told_and_loses_nothing(small_disk: Path, tmp_path: Path) -> None:
    """On a full disk adds, backups and sweeps say so; all that was acknowledged is there."""
    fleet = found(small_disk)
    fleet.node.close()
    ballast = filled(small_disk)
    with ballast.open("r+b") as file:
        file.truncate(ballast.stat().st_size - 1_000_000)
    done = run(FILL, str(fleet.home), str(fleet.ada.agent), "0")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("failed disk_full") == 3
    assert held(fleet) == set(done.stdout.split())
    assert len(held(fleet)) > 5
    more = filled(small_disk)
    with pytest.raises(DiskFull, match="full"):
        fleet.node.upkeep.backup(str(small_disk))
    with pytest.raises(AgentMemoryError):
        fleet.remember("no room")
    fleet.node.close()
    for path in (ballast, more):
        path.unlink()
    # Room was made: everything goes on.
    fleet.node.memories.erase(OPERATOR, sorted(held(fleet))[:3])
    assert fleet.node.upkeep.backup(str(tmp_path / "one.db")).memories == len(held(fleet))
    assert fleet.node.upkeep.check().ok
    fleet.node.close()


def test_a_new_home_on_a_full_disk_is_told(small_disk: Path) -> None:
    """Where there is no room for a new node, that is said, and with room it is made."""
    ballast = filled(small_disk)
    with pytest.raises(DiskFull, match="full"):
        found(small_disk)
    ballast.unlink()
    found(small_disk).node.close()


def as_nobody(home: Path, program: str) -> tuple[int, str]:
    """Run a program as a user without rights, in a fork; return its status and what it said."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            sys.stdout = os.fdopen(writing, "w", closefd=False)
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            exec(compile(program, "program", "exec"), {"home": str(home)})
            sys.stdout.flush()
            status = 0
        except AgentMemoryError as error:
            os.write(writing, f"{error.code}: {error}".encode())
            status = error.exit_status + 10
        except BaseException as error:  # noqa: BLE001 - the parent is told of any
            os.write(writing, repr(error).encode())
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


OPEN = """
from agent_memory_os import settings, wiring
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.model.recall import Filter
node = wiring.open_node(settings.read(home, None, {}))
"""
ADD = """
agent = node.organisation.agents()[0].agent.id
node.memories.add(Principal.of_agent(agent), NewMemory(content="more"))
"""


LIST = """
agent = node.organisation.agents()[0].agent.id
page = node.memories.list(Principal.of_agent(agent), Filter())
print(*(memory.text for memory in page.memories), end="", flush=True)
"""
DOCTOR = """
from agent_memory_os import settings, wiring
from agent_memory_os.model.principal import Principal
upkeep = wiring.open_upkeep(settings.read(home, None, {}))
for finding in upkeep.doctor(Principal.operator()):
    if finding.state != "ok":
        print(finding.name, finding.state, flush=True)
"""


@pytest.fixture
def closed_home(fleet: Fleet) -> Iterator[Path]:
    """Give the home of a node that a user without rights may read, and not write to."""
    fleet.remember("what is there")
    fleet.node.close()
    # Whoever runs the tests as root is somebody else in the child; pytest's folders are private.
    opened = [path for path in fleet.home.parents if path.stat().st_mode & 0o077 == 0]
    if os.getuid() == 0:
        for path in opened:
            path.chmod(0o711)
        for path in (fleet.home, *fleet.home.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    for path in fleet.home.rglob("*"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    fleet.home.chmod(0o500)
    yield fleet.home
    fleet.home.chmod(0o700)
    for path in opened:
        path.chmod(0o700)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of fork and threads
def test_a_home_that_is_closed_is_read_and_left_as_it_is(closed_home: Path) -> None:
    """In a home that may only be read one reads, what would write says so, and nothing changes."""
    # What the child imports must be here already: it may not be allowed to read it.
    import agent_memory_os.service.memories
    import agent_memory_os.service.organisation
    import agent_memory_os.service.upkeep  # noqa: F401 - imported for the child

    before = {path.name: path.read_bytes() for path in closed_home.rglob("*") if path.is_file()}
    assert as_nobody(closed_home, OPEN + LIST) == (0, "what is there")
    status, said = as_nobody(closed_home, OPEN + ADD)
    assert (status, said.partition(":")[0]) == (11, "read_only_home"), said
    assert str(closed_home) in said
    assert as_nobody(closed_home, DOCTOR) == (0, "home fault\n")
    after = {path.name: path.read_bytes() for path in closed_home.rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_place_where_no_home_can_be_made_is_told(tmp_path: Path, fleet: Fleet) -> None:
    """Where a home may not be made that is said, and a file in its place is said to be one."""
    del fleet
    folder = tmp_path / "closed"
    folder.mkdir(0o500)
    opened = [path for path in folder.parents if path.stat().st_mode & 0o077 == 0]
    for path in opened:
        path.chmod(0o711)
    status, said = as_nobody(folder / "home", OPEN)
    for path in opened:
        path.chmod(0o700)
    assert status == 11, said
    assert said.startswith("read_only_home")
    (tmp_path / "file").write_text("mine")
    with pytest.raises((ReadOnlyHome, Refused), match=r"is a file|Not a directory"):
        found_in_file(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def found_in_file(path: Path) -> None:
    """Try to open a node where a file is."""
    from tests.store.sample import open_home

    open_home(path)
