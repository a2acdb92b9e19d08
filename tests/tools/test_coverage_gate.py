"""The coverage gate lets through what is tested enough, and names what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.coverage_gate import main, shortfalls


def report(path: str, percent: float) -> dict[str, Any]:
    """Give a report of one module, of which one line and one branch are not reached."""
    entry = {
        "summary": {"percent_covered": percent},
        "executed_lines": [1, 2, 3],
        "missing_lines": [7, 8, 10, 20],
        "missing_branches": [[3, -1], [7, 8]],
    }
    return {"files": {path: entry}}


@pytest.mark.parametrize(
    ("path", "percent"),
    [
        ("agent_memory_os/model/audience.py", 100.0),
        ("agent_memory_os/recall/fuse.py", 100.0),
        ("agent_memory_os/recall/admit.py", 90.0),
        ("agent_memory_os/store/gate.py", 90.0),
    ],
)
def test_what_is_tested_enough_passes(path: str, percent: float) -> None:
    """A module that reaches exactly its share passes."""
    assert not list(shortfalls(report(path, percent)))


@pytest.mark.parametrize(
    ("path", "percent"),
    [
        ("agent_memory_os/model/audience.py", 99.9),
        ("agent_memory_os/recall/pack.py", 99.0),
        ("agent_memory_os/store/gate.py", 89.9),
    ],
)
def test_what_is_tested_too_little_is_named(path: str, percent: float) -> None:
    """A module that falls short is named with its figure."""
    (problem,) = shortfalls(report(path, percent))
    assert problem.startswith(f"{path}: {percent}% of lines and branches are tested")


def test_what_was_not_reached_is_told() -> None:
    """Lines are told in runs, and those branches that start in a line that was reached."""
    (problem,) = shortfalls(report("agent_memory_os/store/gate.py", 50.0))
    assert problem.endswith("90% must be; not reached: 7-10, 20, 3->exit")


def test_the_gate_says_nothing_when_all_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that passes ends with what was printed before the gate."""
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps(report("agent_memory_os/store/gate.py", 95.0)))
    assert main(path) == 0
    assert capsys.readouterr() == ("", "")


def test_the_gate_fails_with_what_falls_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that falls short ends with exit status 1 and the module's name."""
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps(report("agent_memory_os/model/link.py", 95.0)))
    assert main(path) == 1
    assert capsys.readouterr().err.startswith("agent_memory_os/model/link.py: 95.0%")
