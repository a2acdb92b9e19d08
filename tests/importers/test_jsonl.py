"""The export of Agent Memory OS, read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_memory_os.errors import InvalidInput, UnknownFormat
from agent_memory_os.importers import jsonl
from agent_memory_os.importers.base import Finding, Found, Record, Skipped
from tests.importers.sample import ACCOUNT, AGENT, MEMORY, OWN, TEAM, as_lines, put, read

HEADER = {"format": "agent-memory/1", "exported_at": 5, "account": ACCOUNT, "node": "desk"}
PROJECT = "prj_" + "e" * 32
OTHER = "mem_" + "f" * 32
VALUE = {"content": "words", "type": "note", "created_at": 1, "updated_at": 2}
LINE = {"kind": "memory", "id": MEMORY, "owner": AGENT, "nonce": "00", "value": VALUE}


def rest(path: Path) -> list[Finding]:
    """Return what a file holds below its header."""
    return list(read(path, "agent-memory"))[1:]


def test_an_export_is_read_line_by_line(tmp_path: Path) -> None:
    """The header comes first, then records, and a memory with its whole line."""
    header, agent, team, memory = read(put(tmp_path, "a.jsonl", OWN))
    assert header == Record("header", json.loads(OWN.split(b"\n")[0]), "a.jsonl:1")
    assert isinstance(agent, Record)
    assert (agent.kind, agent.data["agent_kind"], agent.place) == ("agent", "codex", "a.jsonl:2")
    assert isinstance(team, Record)
    assert isinstance(memory, Found)
    assert (memory.key, memory.content, memory.type) == (MEMORY, "开门 at nine", "fact")
    assert memory.extra == json.loads(OWN.split(b"\n")[3])
    assert memory.source == {
        "format": "agent-memory/1",
        "file": "a.jsonl",
        "line": 4,
        "record": MEMORY,
    }


def test_every_field_of_a_content_is_kept(tmp_path: Path) -> None:
    """Author, session, position, date, summary, tags and words come as they stand."""
    value = {
        **VALUE,
        "content": "  words\r\n ",
        "summary": "s",
        "tags": ["a", "b"],
        "author": "user",
        "session": "x",
        "position": 0,
        "event_at": -5,
        "pinned": True,
        "source": {"file": "a", "line": 1},
        "life": 3,
        "later": ["unknown here"],
    }
    (memory,) = rest(put(tmp_path, "a.jsonl", as_lines(HEADER, {**LINE, "value": value})))
    assert isinstance(memory, Found)
    assert memory.content == "  words\r\n "
    assert (memory.summary, memory.tags, memory.author) == ("s", ("a", "b"), "user")
    assert (memory.session, memory.position, memory.event_at) == ("x", 0, -5)
    assert memory.extra["value"] == value


@pytest.mark.parametrize(
    ("line", "shape"),
    [
        (
            {"kind": "agent", "id": AGENT, "name": "a", "first_name": "b", "later": 1},
            jsonl.AgentLine(AGENT, "a", first_name="b"),
        ),
        (
            {"kind": "team", "id": TEAM, "name": "kiosk", "nonce": "0f", "founder": ACCOUNT},
            jsonl.TeamLine(TEAM, "kiosk", "0f", ACCOUNT),
        ),
        (
            {"kind": "project", "id": PROJECT, "name": "till", "nonce": "0f", "team": TEAM},
            jsonl.ProjectLine(PROJECT, "till", "0f", TEAM),
        ),
        (
            {"kind": "member", "scope": f"team:{TEAM}", "agent": AGENT},
            jsonl.MemberLine(f"team:{TEAM}", AGENT),
        ),
        (
            {"kind": "link", "src": MEMORY, "dst": OTHER, "relation": "supersedes", "weight": 500},
            jsonl.LinkLine(MEMORY, OTHER, "supersedes", 500),
        ),
        (
            {"kind": "version", "memory": MEMORY, "version": {"number": 1}},
            jsonl.VersionLine(MEMORY, {"number": 1}),
        ),
        (
            {**LINE, "audience": ["global"], "versions": [{}], "state": "forgotten", "value": {}},
            jsonl.MemoryLine(
                MEMORY, AGENT, "00", audience=("global",), state="forgotten", versions=({},)
            ),
        ),
    ],
    ids=lambda value: value.get("kind") if isinstance(value, dict) else "",
)
def test_each_kind_has_its_shape(
    tmp_path: Path, line: dict[str, object], shape: jsonl.Line
) -> None:
    """A line is parsed to the shape of its kind, and comes as a record."""
    assert jsonl.parse(line) == shape
    path = put(tmp_path, "a.jsonl", as_lines(HEADER, line))
    assert rest(path) == [Record(str(line["kind"]), line, "a.jsonl:2")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "spell"}, "of a kind that is not known"),
        ({"kind": ["memory"]}, "of a kind that is not known"),
        ({"id": "mem_x"}, "the id is not right"),
        ({"id": AGENT}, "the id is not right"),
        ({"owner": None}, "the owner is not right"),
        ({"nonce": ""}, "the nonce is not right"),
        ({"audience": "global"}, "the audience is not right"),
        ({"audience": ["team:kiosk"]}, "the audience is not right"),
        ({"state": "lost"}, "the state is not right"),
        ({"versions": {}}, "the versions is not right"),
        ({"value": []}, "the value is not right"),
        ({"value": {}}, "no content"),
        ({"value": {**VALUE, "content": 7}}, "the content is not right"),
        ({"value": {**VALUE, "content": " "}}, "A memory needs some content"),
        ({"value": {**VALUE, "content": "x" * 1_048_577}}, "at most 1,048,576 bytes"),
        ({"value": {**VALUE, "type": "spell"}}, "There is no type 'spell'"),
        ({"value": {**VALUE, "tags": [1]}}, "the tags is not right"),
        ({"value": {**VALUE, "created_at": True}}, "the created_at is not right"),
        ({"value": {**VALUE, "created_at": 1.5}}, "has no canonical form"),
        ({"value": {**VALUE, "confidence": 1001}}, "lies between 0 and 1"),
        ({"value": {**VALUE, "content": "\ud800"}}, "not valid Unicode"),
        ({"later": 2**64}, "does not fit into 64 bits"),
    ],
)
def test_a_line_that_is_wrong_is_skipped(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    """One wrong line is reported with its place and reason, and the next one flows."""
    lines = json.dumps(HEADER), json.dumps({**LINE, **change}), json.dumps(LINE)
    wrong, right = rest(put(tmp_path, "a.jsonl", "\n".join(lines)))
    assert isinstance(wrong, Skipped)
    assert wrong.place == "a.jsonl:2"
    assert reason in wrong.reason
    assert isinstance(right, Found)


def test_a_missing_field_is_named() -> None:
    """What a kind cannot do without is asked for by its name."""
    with pytest.raises(InvalidInput, match="no name"):
        jsonl.parse({"kind": "agent", "id": AGENT})


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ({**HEADER, "format": "agent-memory/2"}, "update it"),
        ({**HEADER, "format": 1}, "does not begin as an export"),
        ({**HEADER, "account": "mine"}, "of which account"),
        ({**HEADER, "exported_at": "now"}, "of which account"),
        (LINE, "does not begin as an export"),
        ([], "does not begin as an export"),
    ],
)
def test_a_file_without_a_header_is_refused(tmp_path: Path, first: object, words: str) -> None:
    """Nothing is taken from a file that does not say what it is, or that a newer version wrote."""
    path = put(tmp_path, "a.jsonl", as_lines(first, LINE))
    with pytest.raises(UnknownFormat, match=words):
        read(path, "agent-memory")


def test_in_a_folder_a_newer_export_does_not_stop_the_rest(tmp_path: Path) -> None:
    """What would be refused alone is reported and passed over among others."""
    put(tmp_path, "a.jsonl", as_lines({**HEADER, "format": "agent-memory/9"}, LINE))
    put(tmp_path, "b.jsonl", as_lines(HEADER, LINE))
    refused, header, memory = read(tmp_path)
    assert isinstance(refused, Skipped)
    assert isinstance(header, Record)
    assert isinstance(memory, Found)
