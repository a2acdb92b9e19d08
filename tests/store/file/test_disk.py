"""What the system says of files is told in our words."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_memory_os.errors import AgentMemoryError, Busy, DiskFull, ReadOnlyHome, Refused
from agent_memory_os.store.file.disk import (
    claimed,
    free_bytes,
    home_mark,
    machine,
    told_as_refusal,
)
from tests.store.sample import ROOT


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EACCES, ReadOnlyHome),
        (errno.EROFS, ReadOnlyHome),
        (errno.ENOENT, Refused),
        (errno.EIO, Refused),
    ],
)
def test_each_fault_of_the_system_has_its_error(number: int, kind: type[AgentMemoryError]) -> None:
    """A full disk, a closed one and a broken one are told apart, with the file's name."""
    with pytest.raises(kind, match="/some/file") as caught, told_as_refusal("/other"):
        raise OSError(number, os.strerror(number), "/some/file")
    assert type(caught.value) is kind


def test_a_fault_without_a_name_is_about_what_was_done() -> None:
    """An error that names no file is told of the one that was worked on."""
    with pytest.raises(Refused, match="/other cannot be used: odd"), told_as_refusal("/other"):
        raise OSError("odd")


def test_a_home_is_told_from_its_copy(tmp_path: Path) -> None:
    """A copy of a file has another mark, and the file itself always the same one."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"x")
    other.write_bytes(b"x")
    assert home_mark(str(one)) == home_mark(str(one)) != home_mark(str(other))
    assert home_mark(str(one)).startswith(machine() + ":")


def test_a_machine_is_told_by_the_first_name_that_it_has(tmp_path: Path) -> None:
    """A name that is missing, empty or no text is passed over, and without any there is none."""
    empty, odd, name = tmp_path / "empty", tmp_path / "odd", tmp_path / "name"
    empty.write_text("\n")
    odd.write_bytes(b"\xff\xfe")
    name.write_text("abc\n")
    sources = [str(tmp_path / "none"), str(empty), str(odd), str(name)]
    assert machine(sources) == "abc"
    assert machine(sources[:3]) == ""


def test_room_is_a_number_of_bytes(tmp_path: Path) -> None:
    """The room on a disk can be asked for."""
    assert free_bytes(str(tmp_path)) > 0


def test_one_process_at_a_time_puts_a_folder_in_order(tmp_path: Path) -> None:
    """While somebody is at it others are told so, and once he is done, or dead, they may."""
    program = """
import sys
from agent_memory_os.store.file.disk import claimed
with claimed(sys.argv[1]):
    print("claimed", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"claimed\n"
        with pytest.raises(Busy, match="try again when it is done"), claimed(str(tmp_path)):
            pass
        process.kill()
    for _ in range(2):
        with claimed(str(tmp_path)):
            assert list(tmp_path.iterdir()) == []
