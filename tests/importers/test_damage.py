"""Damaged files: what is sound in them flows, what is not is reported, and nothing else happens."""

from __future__ import annotations

import codecs
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import AgentMemoryError, UnknownFormat
from agent_memory_os.importers import by_name, recognise
from agent_memory_os.importers.base import MAX_RECORD_BYTES, Finding, Found, Skipped
from agent_memory_os.model import canonical
from agent_memory_os.model.memory import Content, check, to_value
from tests.importers.sample import SAMPLES, Sample, found, put, read, said, skipped

ROWS = [sample for sample in SAMPLES if sample.file.endswith(".jsonl")]
TEXTS = [sample for sample in SAMPLES if sample.file.endswith(".md")]


def by_file(samples: list[Sample]) -> pytest.MarkDecorator:
    """Return the parameters of a test that takes each of these samples."""
    return pytest.mark.parametrize("sample", samples, ids=[sample.file for sample in samples])


def inserted(line: bytes) -> Callable[[bytes], bytes]:
    """Return what puts a line below the first one of a file."""

    def insert(data: bytes) -> bytes:
        first, end, others = data.partition(b"\n")
        return first + end + line + b"\n" + others

    return insert


def wrong_types(data: bytes) -> bytes:
    """Return the file with each row followed by rows whose fields are of wrong types."""
    rows = [json.loads(line) for line in data.splitlines()]
    lines = [json.dumps(rows[0])]
    for row in rows[1:]:
        lines.append(json.dumps(row))
        lines += [json.dumps(dict.fromkeys(row, wrong)) for wrong in WRONG]
    return "\n".join(lines).encode()


WRONG: tuple[object, ...] = (None, 7, [], {}, True, "x")

SAME: dict[str, Callable[[bytes], bytes]] = {
    "a mark": lambda data: codecs.BOM_UTF8 + data,
    "other line ends": lambda data: data.replace(b"\n", b"\r\n"),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-32": lambda data: data.decode().encode("utf-32"),
    "no last line end": lambda data: data.rstrip(b"\n"),
}
"""Changes that are no damage: the same memories are found, and nothing is reported."""

REPORTED: dict[str, Callable[[bytes], bytes]] = {
    "not JSON": inserted(b"{'a': 1}"),
    "not an object": inserted(b"[1]"),
    "not UTF-8": inserted(b'{"a": "\xff\xfe"}'),
    "NUL": inserted(b"\0\0\0"),
    "nested": inserted(b"[" * 100_000),
    "nested objects": inserted(b'{"a":' * 100_000),
    "too long": inserted(b" " * (MAX_RECORD_BYTES + 1)),
    "a huge number": inserted(b'{"a": ' + b"1" * 10_000 + b"}"),
    "cut off": lambda data: data + data[: len(data) // 9].partition(b"\n")[0],
    "two on a line": inserted(b'{"a": 1}{"b": 2}'),
}
"""Damage to one line of a file of rows: that line is reported, and all others are read."""


@by_file(list(SAMPLES))
@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_how_a_file_is_written_changes_nothing(
    tmp_path: Path, sample: Sample, change: Callable[[bytes], bytes]
) -> None:
    """Marks, line ends and encodings are no part of what is said: even the keys are the same."""
    plain = read(put(tmp_path / "plain", sample.file, sample.data), sample.format)
    path = put(tmp_path / "changed", sample.file, change(sample.data))
    assert recognise(str(path)).name == sample.format
    assert read(path, sample.format) == plain


@by_file(ROWS)
@pytest.mark.parametrize("change", REPORTED.values(), ids=REPORTED)
def test_one_bad_line_is_reported_and_the_rest_flows(
    tmp_path: Path, sample: Sample, change: Callable[[bytes], bytes]
) -> None:
    """Nothing is lost but the line itself, and the file is still recognised."""
    plain = said(read(put(tmp_path / "plain", sample.file, sample.data)))
    findings = read(put(tmp_path / "changed", sample.file, change(sample.data)))
    assert said(findings) == plain
    assert len(skipped(findings)) == 1


@by_file(ROWS)
def test_fields_of_wrong_types_harm_no_other_row(tmp_path: Path, sample: Sample) -> None:
    """Rows whose fields are null, numbers, lists or objects are passed over or reported."""
    plain = said(read(put(tmp_path / "plain", sample.file, sample.data)))
    path = put(tmp_path / "changed", sample.file, wrong_types(sample.data))
    assert said(read(path)) == plain


@by_file([sample for sample in ROWS if sample.format != "agent-memory"])
def test_words_with_lone_surrogates_are_mended(tmp_path: Path, sample: Sample) -> None:
    """An escape that is half a character becomes a sign, and NUL goes."""
    data = sample.data.replace(b"The kiosk", b"\\ud83dThe\\u0000 kiosk").replace(
        b"Refill", b"\\ud83dRe\\u0000fill"
    )
    findings = read(put(tmp_path, sample.file, data))
    assert sum("�" in words for words in said(findings)) == 1
    assert not any("\0" in words for words in said(findings))


@by_file(TEXTS)
@pytest.mark.parametrize(
    "damage",
    [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\0", b"\x1b[31m", b"\xef\xbf\xbd", b"\xe2\x80\xa8"],
)
def test_a_text_with_a_bad_byte_is_read(tmp_path: Path, sample: Sample, damage: bytes) -> None:
    """A bad byte at the end costs no entry; one that is not UTF-8 is reported."""
    plain = said(read(put(tmp_path / "plain", sample.file, sample.data), sample.format))
    path = put(tmp_path / "changed", sample.file, sample.data.rstrip(b"\n") + damage)
    findings = read(path, sample.format)
    if damage == b"\0":
        assert [finding.reason for finding in skipped(findings)] == ["not a text"]
        return
    assert len(said(findings)) == len(plain)
    assert len(skipped(findings)) == damage.startswith((b"\xff", b"\xc3", b"\xed"))


@by_file(list(SAMPLES))
def test_an_empty_file_holds_nothing(tmp_path: Path, sample: Sample) -> None:
    """A file without bytes, or with blanks alone, gives no memory and does not raise."""
    for data in (b"", b"\n\n", b"  \n", codecs.BOM_UTF8):
        path = put(tmp_path, sample.file, data)
        try:
            assert not found(read(path, sample.format))
        except AgentMemoryError:
            assert sample.format == "agent-memory"


def holds(finding: Finding) -> None:
    """Check that a finding is what the node can take."""
    if isinstance(finding, Found):
        memory = Content(
            finding.content,
            0,
            0,
            finding.type,
            finding.summary,
            finding.tags,
            finding.source,
            finding.author,
            finding.session,
            finding.position,
            finding.event_at,
        )
        assert canonical.encode(to_value(check(memory)))
        assert canonical.encode([finding.key, dict(finding.extra)])
    elif isinstance(finding, Skipped):
        assert finding.place
        assert finding.reason


@st.composite
def damaged(draw: st.DrawFn) -> Sample:
    """Return a sample after some changes of its bytes."""
    sample = draw(st.sampled_from(SAMPLES))
    data = bytearray(sample.data)
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        new = draw(
            st.binary(max_size=6)
            | st.sampled_from([b"", b'"', b"{", b"}", b"[[", b"\\ud800", b"\n", b"---\n", b"null"])
            | st.just(bytes(data[start:end]) * 2)
        )
        data[start:end] = new
    return Sample(sample.format, sample.file, bytes(data))


@given(damaged())
def test_no_damage_raises_or_makes_what_a_node_cannot_take(sample: Sample) -> None:
    """Whatever the bytes, only our own errors come out, and what is found is a memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), sample.file, sample.data)
        try:
            findings = list(by_name(sample.format).read(str(path), lambda _: None))
        except AgentMemoryError:
            assert sample.format == "agent-memory"
            return
        for finding in findings:
            holds(finding)
        assert list(by_name(sample.format).read(str(path), lambda _: None)) == findings


@given(st.binary(max_size=400), st.sampled_from(["a.jsonl", "CLAUDE.md", "a.md", "b.json"]))
def test_any_bytes_are_recognised_or_refused(data: bytes, file: str) -> None:
    """A file of any bytes has an importer that can read it, or is refused in our own words."""
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), file, data)
        try:
            importer = recognise(str(path))
        except UnknownFormat:
            return
        for finding in importer.read(str(path), lambda _: None):
            holds(finding)
