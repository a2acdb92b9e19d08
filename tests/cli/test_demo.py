"""The demo shows what it promises, and leaves nothing behind."""

from __future__ import annotations

from itertools import pairwise

from tests.cli.program import Program


def test_the_demo(program: Program) -> None:
    """It runs every scene with the real commands, in a home of its own that is gone afterwards."""
    place = program.folder / "tmp"
    place.mkdir()
    shown = program.do("demo", TMPDIR=str(place))
    assert list(place.iterdir()) == []
    assert not program.home.exists()
    scenes = (
        "A fleet",
        "What they know",
        "Recall",
        "The gate",
        "In Chinese",
        "Taking back",
        "A context pack",
        "Now with your own",
    )
    positions = [shown.index(f"\n{scene}\n") for scene in scenes]
    assert positions == sorted(positions)
    assert shown.count("$ agent-memory") == shown.count("\n$ ")
    recall, gate, chinese, back, pack = (shown[start:end] for start, end in pairwise(positions[2:]))
    known = shown[positions[1] : positions[2]]
    assert known.count("$ agent-memory import") == known.count("\nImported ") == 1
    assert "10 more files and folders" in known
    assert known.count("  ") > 10
    assert "1. " in recall
    assert "Nothing found." in gate
    assert "1. 龙井" in chinese
    assert "Nothing found." in chinese
    before, after = back.split("$ agent-memory revoke")
    assert "Nothing found." not in before
    assert "Nothing found." in after
    assert "<recalled-memories" in pack
    assert ": in, " in pack
    assert ": no room, " in pack
    assert shown[positions[-1] :].count("\n  agent-memory ") == 3


def test_the_demo_as_json(program: Program) -> None:
    """Its steps can be had as one object, each command with what it printed."""
    steps = program.json("demo")["steps"]
    assert all(step["command"].startswith("agent-memory ") for step in steps)
    assert sum(step["output"] == "Nothing found.\n" for step in steps) == 3
    imports = [
        step["command"] for step in steps if step["command"].startswith("agent-memory import")
    ]
    assert len(imports) == 11
