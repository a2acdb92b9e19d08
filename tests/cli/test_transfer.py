"""Bringing memories in and taking them out from the command line."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.cli.program import Program

FLEET = Path(__file__).parents[2] / "agent_memory_os" / "examples" / "fleet"
KETTLE = "Notes: The kettle is descaled on Mondays"
NOTES = "# Notes\n\n- The kettle is descaled on Mondays\n- The door code changes in May\n"


def test_import_adds_once(fleet: Program) -> None:
    """Files and folders are read, reported, shared where asked, and not added twice."""
    notes = fleet.folder / "MEMORY.md"
    notes.write_text(NOTES)
    dry = fleet.do("import", str(notes), "--dry-run")
    assert "Would import" in dry
    assert ": 2 new, from 1 file of markdown\n" in dry
    assert "- " in dry
    assert fleet.json("list")["memories"] == []
    told = fleet.json("import", str(notes), str(FLEET / "tester"), "--share", "team:apollo")
    first, second = told["imports"]
    assert (first["added"], first["by_format"]) == (2, {"markdown": 2})
    assert second["added"] == second["found"] > 2
    again = fleet.do("import", str(notes))
    assert "0 new, 2 known already" in again
    assert fleet.found("kettle", "--as", "bob") == [KETTLE]
    memory = fleet.json("search", "kettle")["hits"][0]["memory"]
    assert memory["source"]["file"] == "MEMORY.md"


def test_a_bad_record_is_told_and_the_rest_flows(fleet: Program) -> None:
    """A record that cannot be read is named with its place, and the others are taken."""
    lines = [
        {"type": "user", "message": {"role": "user", "content": "always use tabs in makefiles"}},
        {"type": "user", "message": {"role": "user", "content": "the build needs python"}},
    ]
    for number, line in enumerate(lines):
        line |= {"uuid": f"u{number}", "sessionId": "s", "timestamp": "2026-05-08T10:00:00Z"}
    text = "\n".join([json.dumps(lines[0]), "{broken", json.dumps(lines[1])])
    (fleet.folder / "talk.jsonl").write_text(text)
    done = fleet.run("import", "talk.jsonl", "--from", "claude-code")
    assert done.status == 0, done
    assert "warning: skipped talk.jsonl:2" in done.err
    contents = {memory["content"] for memory in fleet.json("list")["memories"]}
    assert contents == {"always use tabs in makefiles", "the build needs python"}


def test_what_cannot_be_imported_is_told(fleet: Program) -> None:
    """A path that is not there, an unknown format, a wrong audience are told; nothing is done."""
    (fleet.folder / "x.bin").write_bytes(b"\x00\x01\x02")
    (fleet.folder / "n.md").write_text(NOTES)
    assert fleet.fails(2, "import", "nothing")
    assert fleet.fails(2, "import", b"noth\xffing")
    assert "format" in fleet.fails(2, "import", "x.bin")
    assert "no format" in fleet.fails(2, "import", "n.md", "--from", "mem0x")
    assert "globl" in fleet.fails(2, "import", "n.md", "--share", "globl")
    assert fleet.fails(2, "import", "n.md", "--as-operator")
    assert fleet.json("list", "--as-operator")["memories"] == []
    fleet.do("import", "n.md", "--as-operator", "--as", "eve")
    assert len(fleet.json("list", "--as", "eve")["memories"]) == 1


def test_export_and_import_are_inverse(fleet: Program) -> None:
    """An export can be read again, on this node and on another, and is one's own file."""
    fleet.do("add", "龙井茶", "--tag", "tea", "--share", "team:apollo")
    fleet.do("add", "hidden", "--as", "eve")
    fleet.do("export", "out.jsonl")
    path = fleet.folder / "out.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text(encoding="utf-8")
    assert "龙井茶" in text
    assert "hidden" not in text
    assert json.loads(text.splitlines()[0])
    assert "龙井茶" in fleet.do("export", PYTHONIOENCODING="ascii")
    assert "--yes" in fleet.fails(1, "export", "out.jsonl")
    assert fleet.do("export", "out.jsonl", "--force") == "Exported 1 memory to out.jsonl.\n"
    told = fleet.json("export", "out.jsonl", "--yes", "--as-operator")
    assert (told["memories"], told["lines"] > 3) == (2, True)
    assert "hidden" in path.read_text(encoding="utf-8")
    assert "0 new" in fleet.do("import", "out.jsonl")
    other = str(fleet.folder / "other")
    fleet.do("--home", other, "import", "out.jsonl")
    assert fleet.found("--home", other, "龙井") == ["龙井茶"]
    assert "FILE" in fleet.run("export", "--json").err
    assert fleet.fails(1, "export", "/nothing/here.jsonl")


def test_an_export_that_fails_leaves_nothing(fleet: Program) -> None:
    """An export to a full disk is told, and leaves no half of a file."""
    fleet.do("add", "tea")
    assert fleet.run("export", "/dev/full").status == 1
    assert not (fleet.folder / "out.jsonl.new").exists()
