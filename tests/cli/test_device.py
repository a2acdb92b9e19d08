"""Devices of one's account on the command line: certified, and revoked with what they wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Program


@pytest.fixture
def two(tmp_path: Path) -> tuple[Program, Program]:
    """Two devices of one account that meet in a folder, and have met."""
    (tmp_path / "between").mkdir()
    desk, lap = (Program(tmp_path / name) for name in ("desk", "lap"))
    for one in (desk, lap):
        one.folder.mkdir()
    desk.do("init", "--agent", "kim")
    mine = desk.json("peers", "card")["card"]
    lap.do("init", "--agent", "kim", "--device-of", mine)
    way = ("--folder", str(tmp_path / "between"))
    desk.do("peers", "add", lap.json("peers", "card")["card"], "--own", "--name", "lap", *way)
    lap.do("peers", "add", mine, "--name", "desk", *way)
    return desk, lap


def exchange(*programs: Program) -> None:
    """Let each of them come by twice."""
    for one in (*programs, *programs):
        one.do("sync", "auto", "--jitter", "0")


def test_a_revoked_device_is_told_with_what_it_wrote(two: tuple[Program, Program]) -> None:
    """It is seen beforehand what stays and what does not, and of which memories."""
    desk, lap = two
    desk.add("tea")
    exchange(desk, lap)
    planted = lap.add("planted")
    exchange(lap, desk)
    assert desk.found("planted") == ["planted"]
    assert "is a certified device of your account" in desk.do("device", "certify", "lap")
    told = desk.do("device", "revoke", "lap", "--stolen-at", "1h", "--dry-run")
    assert planted[:14] in told
    assert "see its history" in told
    assert desk.found("planted") == ["planted"]
    desk.do("device", "revoke", "lap", "--stolen-at", "1h", "--yes")
    assert desk.found("planted") == []
    assert "revoked" in desk.do("device", "list")
    assert "what it had, it keeps" in desk.do("receipts", "--as-operator")
