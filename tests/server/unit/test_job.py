"""Names of jobs, times of day, and the table of timers."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_memory_os.errors import InvalidInput, NotFound, Refused
from agent_memory_os.server.unit import machine
from agent_memory_os.server.unit.job import At, check_words, name_for, time_of_day
from agent_memory_os.server.unit.timer import TIMERS, of_name, words_of


def test_each_home_has_names_of_its_own(tmp_path: Path) -> None:
    """The usual home's service has the plain name; every other home has one that lasts."""
    usual, other = str(tmp_path / "usual"), str(tmp_path / "other")
    assert name_for(usual, usual) == "agent-memory"
    assert name_for(usual, usual, "backup") == "agent-memory-backup"
    names = {name_for(home, usual) for home in (usual, other, f"{other}2")}
    assert len(names) == 3
    (tmp_path / "other").mkdir()
    (tmp_path / "linked").symlink_to(other)
    assert name_for(str(tmp_path / "linked"), usual) == name_for(other, usual)


@pytest.mark.parametrize("path", ["/x\nExecStart=/bin/sh", "/x\r", "/x\x1b[2J", "/\u202ex"])
def test_a_path_that_no_file_could_name_is_refused(path: str) -> None:
    """A line break in a path, of the home or of the backups, would be another line of a unit."""
    assert check_words(("serve", "/home/söm one/内")) == ("serve", "/home/söm one/内")
    with pytest.raises(Refused, match="control characters"):
        machine.service_of(path)
    with pytest.raises(Refused, match="control characters"):
        machine.timer_of("/h", of_name("backup"), None, {"to": path})


def test_a_time_of_day_is_read() -> None:
    """Hours and minutes that there are, and nothing else."""
    assert (time_of_day("3:05"), time_of_day(" 23:59")) == (At(3, 5), At(23, 59))
    assert str(At(3, 5)) == "03:05"
    for text in ("24:00", "3", "3:60", "03:15:00", ""):
        with pytest.raises(InvalidInput):
            time_of_day(text)


def test_a_timer_says_its_command(tmp_path: Path) -> None:
    """What is not said is as usual, a folder is absolute, and an option of no timer is refused."""
    backup = of_name("backup")
    assert words_of(backup, "/h", {}) == ("backup", "/h-backups", "--keep", "7")
    said = words_of(backup, "/h", {"to": str(tmp_path / "x" / ".."), "keep": "2"})
    assert said == ("backup", str(tmp_path), "--keep", "2")
    plain = backup._replace(usual={}, words=("doctor",))
    assert words_of(plain, "/h", {}) == ("doctor",)
    for nowhere in ("", " "):
        with pytest.raises(InvalidInput, match="folder to lie in"):
            words_of(backup, "/h", {"to": nowhere})
    with pytest.raises(InvalidInput, match="--keep"):
        words_of(plain, "/h", {"keep": "2"})
    with pytest.raises(NotFound, match="backup"):
        of_name("sweep")
    assert len({timer.name for timer in TIMERS}) == len(TIMERS)
