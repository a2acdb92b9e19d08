"""`list` shows memories page by page, and what was narrowed to."""

from __future__ import annotations

from tests.cli.program import Program


def contents(program: Program, *words: str) -> list[str]:
    """List, and give the contents in order."""
    return [memory["content"] for memory in program.json("list", *words)["memories"]]


def test_pages_are_stable(fleet: Program) -> None:
    """Pages follow one another without a gap or a repeat, also while others write."""
    for number in range(5):
        fleet.do("add", f"note {number}")
    first = fleet.json("list", "--limit", "2")
    fleet.do("add", "written meanwhile")
    second = fleet.json("list", "--limit", "2", "--cursor", first["cursor"])
    third = fleet.json("list", "--limit", "2", "--cursor", second["cursor"])
    pages = [first, second, third]
    assert [m["content"] for page in pages for m in page["memories"]] == [
        f"note {number}" for number in (4, 3, 2, 1, 0)
    ]
    assert third["cursor"] is None
    told = fleet.run("list", "--limit", "2")
    assert "--cursor" in told.err
    assert "cursor" in fleet.fails(2, "list", "--cursor", "x.y").casefold()


def test_narrowing(fleet: Program) -> None:
    """Each filter narrows the list."""
    fleet.do("add", "one", "--type", "fact", "--author", "Kim", "--session", "s1", "--pin")
    fleet.do("add", "two", "--tag", "t", "--valid-to", "2020-01-01")
    three = fleet.add("three")
    fleet.do("add", "four", "--as", "bob", "--share", "global")
    fleet.do("forget", three)
    assert contents(fleet) == ["four", "one"]
    assert contents(fleet, "--type", "fact") == ["one"]
    assert contents(fleet, "--author", "Kim") == ["one"]
    assert contents(fleet, "--session", "s1") == ["one"]
    assert contents(fleet, "--pinned") == ["one"]
    assert contents(fleet, "--owner", "bob") == ["four"]
    assert contents(fleet, "--expired") == ["two"]
    assert contents(fleet, "--all", "--tag", "t") == ["two"]
    assert contents(fleet, "--forgotten") == ["three"]
    assert contents(fleet, "--since", "2999-01-01") == []
    assert contents(fleet, "--forgotten", "--as", "bob") == []


def test_a_table_fits(fleet: Program) -> None:
    """On a narrow terminal no line is wider than it, wide characters counted; a pipe gets all."""
    fleet.do("add", "龙井茶库存" * 40)
    fleet.do("add", "word " * 100, "--share", "team:apollo,agent:eve,project:apollo/site,global")
    lines = fleet.do("list", COLUMNS="80").splitlines()
    assert len(lines) == 3
    assert all(cells(line) <= 80 for line in lines)
    assert lines[0].split() == ["ID", "WHEN", "TYPE", "OWNER", "AUDIENCE", "MEMORY"]
    assert "龙井茶库存" * 40 in fleet.do("list")


def cells(line: str) -> int:
    """Count the columns of a line: two for each Chinese character."""
    return sum(2 if "一" <= char <= "鿿" else 1 for char in line)


def test_an_empty_list(fleet: Program) -> None:
    """A list of nothing says so."""
    assert fleet.do("list") == "Nothing here.\n"
