"""Changing memories from the command line: each command does what it says."""

from __future__ import annotations

import re

from tests.cli.program import Program


def test_get_shows_all_of_it(fleet: Program) -> None:
    """A person sees a memory's words, then all that is known about it; a short id is enough."""
    source = '{"file": "ops.md", "links": ["a", null], "claim": {"port": 8443}}'
    words = ("--tag", "ops", "--author", "Kim", "--pin", "--source", source)
    one = fleet.add("We deploy\non Tuesdays", *words)
    two = fleet.add("Fridays are quiet")
    fleet.do("link", one, two, "--relation", "caused_by")
    shown = fleet.do("get", one[:12])
    assert shown.startswith("We deploy\non Tuesdays\n")
    for word in (one, two, "ops", "Kim", "private", "caused_by", "UTC (just now)"):
        assert word in shown
    assert 'claim {"port": 8443}, file ops.md, links ["a", null]' in shown
    told = fleet.json("get", two)
    (link,) = told["links"]
    assert (link["src"], link["dst"], link["weight"]) == (one, two, 0.5)
    assert fleet.run("get", one[:8]).status in (1, 2)


def test_what_has_expired_is_read_by_its_id_and_marked(fleet: Program) -> None:
    """Its owner and its readers get an expired memory by its id, and are told that it is one."""
    soon = "2999-01-01"
    found = fleet.add("We deploy on Tuesdays", "--valid-from", soon, "--share", "team:apollo")
    for name in ("ann", "bob"):
        assert fleet.found("deploy", "--as", name) == []
        assert re.search(r"^state +expired$", fleet.do("get", found, "--as", name), re.MULTILINE)
        assert fleet.json("get", found, "--as", name)["memory"]["state"] == "expired"
        assert fleet.json("list", "--expired", "--as", name)["memories"][0]["id"] == found
    fleet.do("edit", found, "--valid-from", "never")
    assert fleet.json("get", found)["memory"]["state"] == "active"
    assert "state" not in fleet.do("get", found)


def test_edit_keeps_the_earlier_version(fleet: Program) -> None:
    """An edit makes a version, says why, and leaves what was not named."""
    found = fleet.add("We deploy on Tuesdays", "--tag", "ops", "--expires", "90d")
    words = ("We deploy on Mondays", "--reason", "new calendar", "--importance", "1")
    assert "version 2" in fleet.do("edit", found, *words)
    told = fleet.json("edit", found, "--no-tags", "--expires", "never")["memory"]
    assert (told["tags"], told["expires_at"], told["version"]) == ([], None, 3)
    assert told["content"] == "We deploy on Mondays"
    assert "Nothing changed" in fleet.do("edit", found, "--importance", "1")
    versions = fleet.json("history", found)["versions"]
    assert [version["number"] for version in versions] == [1, 2, 3]
    assert versions[0]["content"] == "We deploy on Tuesdays"
    assert versions[1]["reason"] == "new calendar"
    assert versions[2]["until"] is None
    assert [version["editor"] for version in versions] == ["ann", "ann", "ann"]
    shown = fleet.do("history", found)
    assert "new calendar" in shown
    assert "We deploy on Tuesdays" in shown
    past = fleet.json("history", found, "--as-of", versions[0]["since"])["versions"]
    assert [version["number"] for version in past] == [1]
    fleet.fails(1, "history", found, "--as-of", "2001-01-01")
    assert "what should change" in fleet.fails(2, "edit", found)
    assert "needs some content" in fleet.fails(2, "edit", found, "-", stdin=b"")


def test_share_and_revoke_hold_at_once(fleet: Program) -> None:
    """What is shared is found by whom it was shared with, and not a moment after it is revoked."""
    found = fleet.add("the plan")
    assert "team:apollo" in fleet.do("share", found, "team:apollo,agent:eve")
    assert fleet.found("plan", "--as", "bob") == fleet.found("plan", "--as", "eve") == ["the plan"]
    assert "Only ann" in fleet.fails(1, "revoke", found, "--as", "bob")
    assert fleet.json("revoke", found, "team:apollo")["changed"] is True
    assert fleet.found("plan", "--as", "bob") == []
    assert fleet.found("plan", "--as", "eve") == ["the plan"]
    assert "private" in fleet.do("revoke", found)
    assert fleet.found("plan", "--as", "eve") == []
    assert fleet.json("revoke", found)["changed"] is False
    assert "is not shared with" in fleet.fails(1, "revoke", found, "global")
    assert "apollo" in fleet.fails(2, "share", found, "team:appollo")


def test_pin(fleet: Program) -> None:
    """A pin is set, is taken away, and both can be said twice."""
    found = fleet.add("greet in French")
    assert "Pinned" in fleet.do("pin", found)
    assert fleet.json("pin", found)["changed"] is False
    assert fleet.found("zebra", "--pinned") == ["greet in French"]
    assert "Unpinned" in fleet.do("pin", found, "--off")
    assert fleet.found("zebra", "--pinned") == []


def test_links_are_made_and_taken_back(fleet: Program) -> None:
    """A link is between what one may read, and only whoever made it takes it back."""
    one, two = fleet.add("one", "--share", "team:apollo"), fleet.add("two")
    assert "caused_by" in fleet.do("link", one, two, "--relation", "caused_by", "--weight", "0.9")
    fleet.fails(1, "link", one, two, "--as", "bob")
    assert "no relation" in fleet.fails(2, "link", one, two, "--relation", "likes")
    assert "weight" in fleet.fails(2, "link", one, two, "--weight", "0").casefold()
    assert "itself" in fleet.fails(2, "link", one, one)
    fleet.fails(1, "unlink", one, two)
    fleet.do("unlink", one, two, "--relation", "caused_by")
    assert fleet.json("get", one)["links"] == []


def test_supersede(fleet: Program) -> None:
    """The owner's word puts the newer above and marks the older; anyone else's is a proposal."""
    old = fleet.add("the port is 8080", "--share", "team:apollo")
    new = fleet.add("the port is 8443", "--share", "team:apollo")
    fleet.do("supersede", old, new)
    first, second = fleet.json("search", "port")["hits"]
    assert (first["memory"]["id"], second["marks"]) == (new, ["superseded"])
    assert "SUPERSEDED" in fleet.do("search", "port")
    theirs = fleet.add("the port is 9000", "--as", "bob", "--share", "team:apollo")
    told = fleet.run("supersede", new, theirs, "--as", "bob")
    assert told.status == 0
    assert "proposal" in told.err
    fleet.fails(1, "supersede", old, theirs)


def test_forget_and_bring_back(fleet: Program) -> None:
    """A forgotten memory is found by nobody, and comes back whole."""
    found = fleet.add("the plan", "--share", "team:apollo")
    assert f"--undo {found[:14]}" in fleet.do("forget", found)
    assert fleet.found("plan") == fleet.found("plan", "--as", "bob") == []
    fleet.fails(1, "get", found)
    told = fleet.json("forget", "--undo", found)
    assert (told["act"], told["memory"]["audience"]) == ("brought_back", ["team:apollo"])
    assert fleet.found("plan", "--as", "bob") == ["the plan"]
    fleet.fails(1, "forget", "--undo", found)
    assert "not both" in fleet.fails(2, "forget", found, "--undo", "--erase")
    assert "--erase" in fleet.fails(2, "forget", found, "--backup", "x")


def test_erase_leaves_no_byte(fleet: Program) -> None:
    """After an erasure that was confirmed no byte is left, also in the backup that was named."""
    canary = "canarycanary"
    found = fleet.add(f"the {canary} sings", "--tag", canary)
    fleet.do("edit", found, f"the {canary} sings no more")
    copy = fleet.folder / "copy.db"
    fleet.do("backup", str(copy))
    assert "--yes" in fleet.fails(1, "forget", "--erase", found)
    assert fleet.found(canary)
    fleet.do("forget", "--erase", found, "--backup", str(copy), "--yes")
    for path in [copy, *fleet.home.rglob("*")]:
        assert path.is_dir() or canary.encode() not in path.read_bytes(), path
    assert "no backup at" in fleet.fails(
        2, "forget", "--erase", fleet.add("x"), "--backup", "/nothing", "--yes"
    )


def test_timeline(fleet: Program) -> None:
    """A timeline stands around a memory or a moment, in order, within its window."""
    for day in (1, 2, 3, 9):
        fleet.do("add", f"day {day}", "--event", f"2026-05-0{day}T12:00")
    event = ("--time-field", "event")

    def told(*words: str) -> list[str]:
        moments = fleet.json("timeline", *words, *event)["moments"]
        return [moment["memory"]["content"] for moment in moments]

    anchor = next(
        memory["id"] for memory in fleet.json("list")["memories"] if memory["content"] == "day 2"
    )
    assert told("2026-05-03") == ["day 1", "day 2", "day 3", "day 9"]
    assert told("2026-05-03", "--limit", "2") == ["day 2", "day 3"]
    assert told("2026-05-03", "--window", "1d") == ["day 2", "day 3"]
    assert told(anchor, "--window", "1d") == ["day 1", "day 2", "day 3"]
    assert told(anchor[:13], "--window", "1h") == ["day 2"]
    assert told("2020-01-01", "--window", "1d") == []
    assert fleet.do("timeline", "2020-01-01", "--window", "1d") == "Nothing there.\n"
    assert "day 9" in fleet.do("timeline", "2026-05-03", *event)
    assert "is no time" in fleet.fails(2, "timeline", "whenever")
    assert "is no duration" in fleet.fails(2, "timeline", "now", "--window", "wide")


def test_the_operator_is_asked_for_and_audited(fleet: Program) -> None:
    """Each look at memories with the operator's view leaves a line in the audit."""
    found = fleet.add("secret plan", "--as", "eve")
    fleet.fails(1, "get", found)
    for words in (("get", found), ("list",), ("search", "plan"), ("pack", "plan"), ("stats",)):
        fleet.do("--as-operator", *words)
    acts = [entry["action"] for entry in fleet.json("--as-operator", "audit")["entries"]]
    assert acts == ["audit", "stats", "recall", "recall", "list", "links", "get"]
    assert fleet.do("--as-operator", "edit", found, "open plan")
    assert fleet.found("open", "--as", "eve") == ["open plan"]


def test_the_audit_is_read_page_by_page_and_narrowed(fleet: Program) -> None:
    """The operator reads who did what, and when; an agent is told that it sees its own alone."""
    found = fleet.add("a plan")
    fleet.do("--as-operator", "edit", found, "another plan")
    fleet.do("forget", found, "--erase", "--yes")
    shown = fleet.do("--as-operator", "audit", "--action", "edit")
    assert [line.split()[2:] for line in shown.splitlines()[1:]] == [
        ["operator", "edit", found[:14]]
    ]
    page = fleet.run("--as-operator", "audit", "--limit", "1")
    assert "There is more: add --cursor" in page.err
    told = fleet.json("--as-operator", "audit", "--limit", "1")
    more = fleet.json("--as-operator", "audit", "--cursor", told["cursor"], "--agent", "ann")
    (entry,) = more["entries"]
    assert (entry["actor"], entry["action"], entry["object"]) == ("ann", "erase", found)
    assert fleet.json("--as-operator", "audit", "--until", "1d")["entries"] == []
    own = fleet.run("audit")
    assert found[:14] in own.out
    assert "--as-operator" in own.err
    assert fleet.run("audit", "--as", "bob").out == "Nothing here.\n"
    assert "no agent called" in fleet.fails(2, "audit", "--agent", "dave")
