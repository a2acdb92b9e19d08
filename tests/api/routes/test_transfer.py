"""Files over plain HTTP: an import of any file, an export, and what neither may do."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from time import sleep

import pytest

import agent_memory_os
from tests.api.served import Served

NOTES = b"# Deploys\n\nThey go out on Tuesdays.\n\n# Tools\n\nUse `uv` for everything.\n"
ANY = {"content-type": "application/octet-stream"}
EXAMPLES = Path(agent_memory_os.__file__).parent / "examples" / "fleet"


def left(served: Served) -> list[str]:
    """Return the files of an import that lie in the home still."""
    return [path.name for path in Path(served.home).glob("*.partial")]


def test_a_file_is_imported(fresh: Served) -> None:
    """A file that is posted is imported for the key's agent, once, with where it comes from."""
    how = {"name": "CLAUDE.md", "audience": "team:apollo", "folder": "~/shop"}
    done = fresh["ann"].post("/v1/import", content=NOTES, params=how, headers=ANY)
    assert done.status_code == 200, done.text
    assert (done.json()["added"], done.json()["by_format"]) == (1, {"markdown": 1})
    again = fresh["ann"].post("/v1/import", content=NOTES, params=how, headers=ANY)
    assert (again.json()["added"], again.json()["known"]) == (0, 1)
    page = fresh["bob"].get("/v1/memories").json()["memories"]
    assert {one["owner"] for one in page} == {"ann"}
    assert {one["source"]["file"] for one in page} == {"CLAUDE.md"}
    assert left(fresh) == []


def test_an_equal_file_elsewhere_is_told_apart(fresh: Served) -> None:
    """The folder that is named makes other memories of the same name, and the same of the same."""
    for folder, content, added in (("a", NOTES, 1), ("a", NOTES, 0), ("b", b"- Other.\n", 1)):
        how = {"name": "MEMORY.md", "folder": folder}
        done = fresh["ann"].post("/v1/import", content=content, params=how, headers=ANY)
        assert done.json()["added"] == added


def test_a_format_may_be_named_or_is_recognised(fresh: Served) -> None:
    """A transcript is known by its lines, and any text is read as what it is said to be."""
    (rollout,) = EXAMPLES.glob("tester/**/rollout-*.jsonl")
    how = {"name": rollout.name}
    done = fresh["ann"].post("/v1/import", content=rollout.read_bytes(), params=how, headers=ANY)
    assert set(done.json()["by_format"]) == {"codex"}
    named = {"name": "x.txt", "format": "markdown"}
    done = fresh["eve"].post("/v1/import", content=NOTES, params=named, headers=ANY)
    assert done.json()["added"] == 1
    told = fresh["eve"].post("/v1/import", content=b"\0\1\2", params={"name": "x.bin"}, headers=ANY)
    assert (told.status_code, told.json()["code"]) == (422, "unknown_format")


def test_an_export_is_imported_again(fresh: Served) -> None:
    """What a client exports with its key it can put back with it, as a file of lines."""
    fresh.add("ann", "One \u2028 two.", audience="team:apollo")
    export = fresh["ann"].get("/v1/export")
    assert export.headers["content-type"] == "application/x-ndjson"
    assert int(export.headers["content-length"]) == len(export.content)
    (memory,) = [json.loads(line) for line in export.content.split(b"\n")[1:] if line]
    erased = fresh["ann"].post("/v1/memories/erase", json={"memories": [memory["id"]]})
    assert erased.json() == {"erased": [memory["id"]]}
    how = {"name": "memories.jsonl"}
    kind = {"content-type": "application/x-ndjson"}
    done = fresh["ann"].post("/v1/import", content=export.content, params=how, headers=kind)
    assert (done.status_code, done.json()["forgotten"]) == (200, 1)


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "a/b.md", "../MEMORY.md", "a\\b.md", "a\nb.md", "a\0.md", "x" * 300],
)
def test_what_is_no_name_of_a_file_is_refused(served: Served, name: str) -> None:
    """A name leads nowhere, and one that could is refused."""
    done = served["ann"].post("/v1/import", content=NOTES, params={"name": name}, headers=ANY)
    assert (done.status_code, done.json()["code"]) == (422, "invalid_input")


@pytest.mark.parametrize("path", ["/v1/import?name=CLAUDE.md", "/v1/findings"])
def test_who_may_not_write_imports_nothing(served: Served, path: str) -> None:
    """A key that may only read imports nothing, and an agent imports for nobody else."""
    for who, more in (("reader", ""), ("metrics", ""), ("ann", "owner=bob")):
        mark = "&" if "?" in path else "?"
        done = served[who].post(f"{path}{mark}{more}", content=NOTES, headers=ANY)
        assert done.status_code == 403
    for kind in ("text/plain", "multipart/form-data", "application/x-www-form-urlencoded"):
        done = served["ann"].post(path, content=NOTES, headers={"content-type": kind})
        assert done.status_code == 403
    done = served["ann"].post(path, content=NOTES, headers={"content-type": "image/png"})
    assert done.status_code == 415


def test_lines_that_are_no_findings_are_skipped(served: Served) -> None:
    """What is no finding is told by its line, and the rest is taken."""
    good = json.dumps({"found": {"key": "k", "content": "kept", "source": {"format": "mine"}}})
    lines = [
        good.encode(),
        b"not json",
        b"[1]",
        b"7",
        b"{}",
        b"[" * 50_000,
        b'{"found": {}}',
        b'{"found": {"key": 7, "content": "x", "source": {}}}',
        b'{"found": {"key": "k", "content": "x", "source": {}, "colour": "red"}}',
        b'{"found": {"key": "k2", "content": "x", "source": {}, "tags": [1]}}',
        b'{"skipped": ["a:1"]}',
        b'{"skipped": [1, 2]}',
        b'{"ignored": ["a", "hidden"]}',
        b'{"exported": {"kind": "memory"}, "file": "x", "line": 2}',
        b'{"exported": {"kind": "memory"}, "file": 7, "line": 2}',
        b"\xff\xfe",
        b"x" * (40 * 1024 * 1024),
        good.replace('"k"', '"k3"').encode(),
    ]
    body = b"\n".join(lines)
    done = served["ann"].post("/v1/findings", content=body, headers=ANY)
    assert done.status_code == 200, done.text
    told = done.json()
    assert (told["added"], told["ignored_count"]) == (1, 1)
    assert {one["place"] for one in told["skipped"]} >= {"line 2", "line 16", "line 17", "x:2"}
    assert told["skipped_count"] == 15
    assert told["known"] == 1


def test_no_export_but_a_header(served: Served) -> None:
    """A line that should begin an export and cannot is told, and nothing is taken."""
    line = b'{"exported": {"format": "agent-memory/9"}, "file": "x", "line": 1}'
    done = served["ann"].post("/v1/findings", content=line, headers=ANY)
    assert (done.status_code, done.json()["code"]) == (422, "unknown_format")


def test_who_hangs_up_has_sent_nothing(fresh: Served) -> None:
    """A body that ends before it is whole imports nothing, and no file of it stays."""
    host, port = fresh.url.removeprefix("http://").split(":")
    head = (
        f"POST /v1/import?name=CLAUDE.md HTTP/1.1\r\nhost: {host}:{port}\r\n"
        f"authorization: Bearer {fresh.keys['ann']}\r\ncontent-type: application/octet-stream\r\n"
        "content-length: 1000000\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as call:
        call.sendall(head.encode() + NOTES)
        while not left(fresh):
            sleep(0.01)
    while left(fresh):
        sleep(0.01)
    assert fresh["ann"].get("/v1/memories").json()["memories"] == []
    assert fresh["ann"].get("/healthz").status_code == 200


def test_a_body_of_a_stream_counts(fresh: Served) -> None:
    """What a key sends in a day bounds a file that has no bound of its own."""
    fresh.limited("small", "eve", bytes=100)
    big = b"- a note that is not short at all\n" * 100
    done = fresh["small"].post("/v1/import?name=CLAUDE.md", content=big, headers=ANY)
    assert done.status_code == 429
    assert fresh["eve"].get("/v1/memories").json()["memories"] == []


def test_a_full_disk_takes_nothing(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where little room is left on the disk, no file takes the rest, in or out."""
    monkeypatch.setattr("agent_memory_os.api.spool.LEAST_FREE", 2**62)
    done = fresh["ann"].post("/v1/import?name=CLAUDE.md", content=NOTES, headers=ANY)
    assert (done.status_code, done.json()["code"]) == (507, "disk_full")
    assert left(fresh) == []
    assert fresh["ann"].get("/v1/export").json()["code"] == "disk_full"


def test_a_batch_is_one_transaction(fresh: Served) -> None:
    """A batch is added whole or not at all, in order, and a key in it makes it safe to repeat."""
    items = [{"content": f"note {number}", "key": f"k{number}"} for number in range(3)]
    for changed in (True, False):
        done = fresh["ann"].post("/v1/memories/batch", json={"memories": items})
        told = done.json()["outcomes"]
        assert [one["memory"]["content"] for one in told] == ["note 0", "note 1", "note 2"]
        assert {one["changed"] for one in told} == {changed}
    bad = [{"content": "fine"}, {"content": "x", "audience": "globl"}]
    assert fresh["ann"].post("/v1/memories/batch", json={"memories": bad}).status_code == 422
    assert len(fresh["ann"].get("/v1/memories").json()["memories"]) == 3
    many = [{"content": "x"}] * 501
    assert fresh["ann"].post("/v1/memories/batch", json={"memories": many}).status_code == 422
    owned = {"memories": items, "owner": "bob"}
    assert fresh["ann"].post("/v1/memories/batch", json=owned).status_code == 403
    both = {"content": "x", "key": "one"}
    done = fresh["ann"].post("/v1/memories", json=both, headers={"Idempotency-Key": "two"})
    assert (done.status_code, done.json()["code"]) == (422, "invalid_input")
