"""`add` remembers what it is given, and refuses what it cannot keep."""

from __future__ import annotations

import pytest

from tests.cli.program import Program

DAY = 86_400_000


def test_everything_that_is_said_is_kept(fleet: Program) -> None:
    """Each option of add comes back in the memory."""
    words = (
        *("--type", "decision", "--summary", "in short", "--tag", "one", "--tag", "two"),
        *("--importance", "0.9", "--confidence", "0.25", "--pin", "--author", "Kim"),
        *("--session", "talk", "--event", "2026-01-02", "--valid-from", "2026-01-01"),
        *("--valid-to", "2999-01-01T12:30", "--expires", "2998-01-01", "--source", "a book"),
        *("--share", "team:apollo,global"),
    )
    told = fleet.json("add", "We deploy on Tuesdays.", *words)
    assert told["added"] is True
    assert told["notes"] == []
    memory = told["memory"]
    assert memory["id"].startswith("mem_")
    expected = {
        "owner": "ann",
        "audience": ["global", "team:apollo"],
        "state": "active",
        "version": 1,
        "content": "We deploy on Tuesdays.",
        "type": "decision",
        "summary": "in short",
        "tags": ["one", "two"],
        "source": {"reference": "a book"},
        "author": "Kim",
        "session": "talk",
        "position": None,
        "event_at": "2026-01-02T00:00:00.000Z",
        "confidence": 0.25,
        "importance": 0.9,
        "pinned": True,
        "valid_from": "2026-01-01T00:00:00.000Z",
        "valid_to": "2999-01-01T12:30:00.000Z",
        "expires_at": "2998-01-01T00:00:00.000Z",
        "half_life_days": None,
    }
    assert {name: memory[name] for name in expected} == expected
    assert memory == fleet.json("get", memory["id"])["memory"]


def test_the_same_again_is_known(fleet: Program) -> None:
    """What is known comes back as it is there, and so does what has the same key."""
    first = fleet.add("tea")
    again = fleet.json("add", "tea")
    assert (again["added"], again["memory"]["id"]) == (False, first)
    assert "known already" in again["notes"][0]
    keyed = fleet.add("coffee", "--key", "k")
    assert fleet.add("coffee", "--key", "k") == keyed
    assert "use a new key" in fleet.fails(1, "add", "water", "--key", "k")


def test_words_come_from_the_standard_input(fleet: Program) -> None:
    """A dash reads the standard input, and two dashes end the options."""
    assert "Added mem_" in fleet.do("add", "-", stdin="line\nsecond é\0 line\n".encode())
    assert fleet.found("second") == ["line\nsecond é� line\n"]
    fleet.do("add", "--", "--type is an option")
    assert fleet.found("option") == ["--type is an option"]


def test_a_source_may_be_an_object(fleet: Program) -> None:
    """A source that begins as a JSON object is one."""
    told = fleet.json("add", "x1", "--source", '{"claim_key": "port", "claim": 8443}')
    assert told["memory"]["source"] == {"claim_key": "port", "claim": 8443}
    assert "begins as a JSON object" in fleet.fails(2, "add", "x2", "--source", '{"a"')


def test_secrets_are_masked_and_said(fleet: Program) -> None:
    """A key is masked with a word on how to keep it, and kept where that is asked for."""
    # Put together here, so that no file of the project holds what looks like a key.
    key = "AKIA" + "Q3EGRIXT4ZJ7WMPK"
    told = fleet.run("add", f"the key is {key} for s3")
    assert told.status == 0
    assert "note: Masked" in told.err
    assert "--allow-secrets" in told.err
    assert key not in fleet.do("search", "key s3")
    fleet.do("add", f"keep {key}", "--allow-secrets")
    assert key in fleet.do("search", "keep")
    fleet.do("add", "No Firebase API key; AKIAIOSFODNN7EXAMPLE; import.meta.env.VITE_KEY")
    assert "AKIAIOSFODNN7EXAMPLE" in fleet.do("search", "firebase")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("add", ""), 2, "needs some content"),
        (("add", "  \n"), 2, "needs some content"),
        (("add", "x", "--type", "idea"), 2, "There is no type 'idea'"),
        (("add", "x", "--importance", "1.5"), 2, "The importance lies between 0 and 1"),
        (("add", "x", "--confidence", "nan"), 2, "The confidence lies between 0 and 1"),
        (("add", "x", "--confidence", "much"), 2, "--confidence"),
        (("add", "x", "--expires", "2001-01-01"), 2, "lies in the past"),
        (("add", "x", "--expires", "soonish"), 2, "is no time"),
        (("add", "x", "--valid-from", "2026-02-01", "--valid-to", "2026-01-01"), 2, "validity"),
        (("add", "x", "--share", "globl"), 2, "is no audience"),
        (("add", "x", "--share", "Team:apollo"), 2, "is no audience"),
        (("add", "x", "--share", "team:apolo"), 2, "team:apollo"),
        (("add", "x", "--share", "team:ghost"), 2, "ghost"),
        (("add", "x", "--share", "*"), 2, "is no audience"),
        (("add", "x", "y"), 2, "extra argument"),
        (("add",), 2, "Missing argument"),
        (("add", "x", "--as-operator"), 2, "for which"),
        (("add", "x", "--as", "nobody"), 2, "nobody"),
    ],
)
def test_what_cannot_be_kept_is_refused(
    fleet: Program, words: tuple[str, ...], status: int, said: str
) -> None:
    """A wrong value is told in one sentence, and nothing is kept."""
    assert said in fleet.fails(status, *words)
    assert fleet.json("list", "--all", "--as-operator")["memories"] == []


def test_the_operator_adds_for_an_agent(fleet: Program) -> None:
    """The operator says for which agent it adds, and the agent owns it."""
    told = fleet.json("add", "from above", "--as-operator", "--as", "bob")
    assert told["memory"]["owner"] == "bob"
    assert fleet.found("above", "--as", "bob") == ["from above"]
    assert fleet.found("above") == []


def test_size(fleet: Program) -> None:
    """A megabyte is kept, and a byte more is refused."""
    megabyte = b"word " * 209_715 + b"\n"
    assert len(megabyte) == 1_048_576
    fleet.do("add", "-", stdin=megabyte)
    assert "1,048,576 bytes" in fleet.fails(2, "add", "-", stdin=megabyte + b"x")
