"""The export of Agent Memory OS, written, and read back."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.exporters import jsonl
from agent_memory_os.importers import by_name
from agent_memory_os.importers import jsonl as reader
from agent_memory_os.importers.base import Found, Record
from agent_memory_os.model import canonical

ACCOUNT = "acc_" + "a" * 32
AGENT = "agt_" + "b" * 32
MEMORY = "mem_" + "d" * 32

WORDS = st.text(min_size=1, max_size=40).filter(lambda text: bool(text.strip()))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def written(*records: dict[str, object]) -> str:
    """Return the export of these records."""
    lines = jsonl.lines(account=ACCOUNT, node="desk", exported_at=5, records=records)
    return "".join(lines)


def memory(**fields: object) -> dict[str, object]:
    """Return a memory's record."""
    value = {"content": "words", "type": "note", "created_at": 1, "updated_at": 2}
    return {"kind": "memory", "id": MEMORY, "owner": AGENT, "nonce": "00", "value": value, **fields}


def test_the_header_comes_first_and_fields_have_one_order() -> None:
    """The same record gives the same line, in whatever order its fields come."""
    record = memory(later=1, audience=["global"], state="active")
    backwards = dict(reversed(record.items()))
    header, line = written(record).splitlines()
    assert header == (
        f'{{"format":"agent-memory/1","exported_at":5,"account":"{ACCOUNT}","node":"desk"}}'
    )
    assert line == (
        f'{{"kind":"memory","id":"{MEMORY}","owner":"{AGENT}","nonce":"00","value":'
        '{"content":"words","created_at":1,"type":"note","updated_at":2},'
        '"audience":["global"],"state":"active","later":1}'
    )
    assert written(backwards) == written(record)


def test_text_stands_as_it_is() -> None:
    """Words are UTF-8 and not escapes, and a line is one line whatever is in them."""
    text = written(memory(value={"content": "茶\n\r\u2028\u2029\x85é"}))
    assert text.count("\n") == 2
    assert "茶" in text


def test_versions_that_are_too_much_for_a_line_follow_it(tmp_path: Path) -> None:
    """A long history is written one version a line, and nothing of it is lost."""
    versions = [{"number": number, "content": "茶" * 400_000} for number in range(6)]
    lines = written(memory(versions=versions)).splitlines()
    kinds = [json.loads(line).get("kind") for line in lines]
    assert kinds == [None, "memory", *["version"] * 6]
    assert max(len(line.encode()) for line in lines) <= jsonl.MAX_LINE_BYTES
    assert [json.loads(line)["version"] for line in lines[2:]] == versions
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = list(by_name("agent-memory").read(str(path), lambda _: None))
    assert [type(finding) for finding in found] == [Record, Found, *[Record] * 6]


def test_writer_and_reader_agree_on_the_format() -> None:
    """Both ends call the format by one name."""
    assert jsonl.FORMAT == reader.FORMAT


@given(
    words=WORDS,
    tags=st.lists(WORDS, max_size=3),
    source=st.dictionaries(st.text(max_size=9), PLAIN, max_size=4),
    later=PLAIN,
)
def test_there_and_back_is_the_identity(
    words: str, tags: list[str], source: dict[str, object], later: object
) -> None:
    """What is read is what was written, and writing it again gives the same bytes."""
    value = {
        "content": words,
        "type": "fact",
        "created_at": 1,
        "updated_at": 2,
        "tags": tags,
        "source": source,
        "later": later,
    }
    text = written(memory(value=value, audience=["global"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(text.encode())
        _, found = by_name("agent-memory").read(str(path), lambda _: None)
    assert isinstance(found, Found)
    assert canonical.encode(found.extra["value"]) == canonical.encode(value)
    assert written(dict(found.extra)) == text
