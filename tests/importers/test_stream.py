"""Bytes in bounded memory: marks, encodings, long lines, and lines that are no rows."""

from __future__ import annotations

import codecs
import os
import tracemalloc
from pathlib import Path

import pytest

from agent_memory_os.errors import InvalidInput
from agent_memory_os.importers import FORMATS, stream
from agent_memory_os.importers.base import MAX_RECORD_BYTES, Skipped
from tests.importers.sample import put


def source(path: Path) -> stream.Source:
    """Return the source of a file whose progress nobody follows."""
    return stream.Source(str(path), path.name, lambda _: None)


def reasons(path: Path) -> list[str]:
    """Return why lines of a file were skipped."""
    return [row.reason for row in stream.rows(source(path)) if isinstance(row, Skipped)]


def records(path: Path) -> list[tuple[int, dict[str, object]]]:
    """Return the rows of a file with their lines."""
    return [
        (row.line, row.record) for row in stream.rows(source(path)) if isinstance(row, stream.Row)
    ]


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_every_marked_encoding_is_read(tmp_path: Path, mark: bytes, encoding: str) -> None:
    """Rows and texts are the same in each of them, whatever their line ends."""
    data = '{"a": "茶\\n"}\r\n\r\n{"b": 1}'
    path = put(tmp_path, "a.jsonl", mark + data.encode(encoding))
    assert records(path) == [(1, {"a": "茶\n"}), (3, {"b": 1})]
    assert list(stream.text(source(path))) == [data.replace("\r\n", "\n")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'"a"', "not a JSON object"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": "\0"}', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"x" * (MAX_RECORD_BYTES + 1), "longer than 16 MiB"),
    ],
)
def test_a_line_that_is_no_row_is_reported_and_passed_over(
    tmp_path: Path, line: bytes, reason: str
) -> None:
    """The rows before and after it flow, under the right numbers."""
    path = put(tmp_path, "a.jsonl", b'{"a": 1}\n' + line + b'\n{"b": 2}\n')
    assert reasons(path) == [reason]
    assert records(path) == [(1, {"a": 1}), (3, {"b": 2})]


def test_a_last_line_that_is_cut_off_is_called_so(tmp_path: Path) -> None:
    """A file that is being written ends within a row."""
    assert reasons(put(tmp_path, "a.jsonl", b'{"a": 1}\n{"b": ')) == [
        "cut off at the end of the file"
    ]
    assert reasons(put(tmp_path, "b.jsonl", b'{"a": 1}\n{"b": 2}')) == []


def test_a_line_of_any_length_is_passed_over_in_bounded_memory(tmp_path: Path) -> None:
    """A line of 300 MB takes no more memory than the longest that is read."""
    path = put(tmp_path, "a.jsonl", b'{"a": 1}\n')
    with path.open("ab") as file:
        file.truncate(300_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b'\n{"b": 2}\n')
    tracemalloc.start()
    try:
        assert records(path) == [(1, {"a": 1}), (3, {"b": 2})]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * MAX_RECORD_BYTES


def test_progress_adds_up_to_the_size(tmp_path: Path) -> None:
    """What is reported as read is the whole file, in each encoding, and with lines passed over."""
    row = '{"a": "茶"}\n' * 1000
    for data in (row.encode(), row.encode("utf-16"), b"x" * (MAX_RECORD_BYTES + 9), b""):
        path = put(tmp_path, "a.jsonl", data)
        counts: list[int] = []
        list(stream.rows(stream.Source(str(path), path.name, counts.append)))
        assert sum(counts) == len(data)


@pytest.mark.parametrize("name", ["notes.md", "MEMORY.md", "CLAUDE.md", "2026-11-01.md"])
def test_progress_moves_within_one_text(tmp_path: Path, name: str) -> None:
    """A large note is reported as its entries are taken, and adds up to the file."""
    entry = "- 茶 entry number {} of the list, in some words\r\n\r\n"
    data = "".join(entry.format(number) for number in range(400)).encode("utf-16")
    path = put(tmp_path, name, data)
    counts: list[int] = []
    findings = FORMATS[-1].read(str(path), counts.append)
    next(findings)
    assert sum(counts) < len(data) / 10
    list(findings)
    assert len(counts) > 5
    assert min(counts) >= 0
    assert sum(counts) == len(data)


def test_progress_ends_with_what_is_skipped(tmp_path: Path) -> None:
    """A text that is not taken counts as read, whatever its size."""
    for data in (b"word " * (stream.MAX_TEXT_BYTES // 5 + 9), b"\x7fELF\0", b"\xff\xfa" * 40, b""):
        path = put(tmp_path, "a.md", data)
        counts: list[int] = []
        list(FORMATS[-1].read(str(path), counts.append))
        assert sum(counts) == len(data)


def test_a_text_that_is_too_large_or_none_is_reported(tmp_path: Path) -> None:
    """A text of more than 4 MiB, and a file that is no text, give nothing but the reason."""
    large = put(tmp_path, "a.md", b"word " * (stream.MAX_TEXT_BYTES // 5 + 1))
    assert list(stream.text(source(large))) == [
        Skipped("a.md", "a text of more than 4 MiB; split it")
    ]
    binary = put(tmp_path, "b.md", b"\x7fELF\0\0\0")
    assert list(stream.text(source(binary))) == [Skipped("b.md", "not a text")]


def test_a_mark_in_the_words_is_no_damage(tmp_path: Path) -> None:
    """A sound text that has the sign for mended bytes in it is not reported."""
    path = put(tmp_path, "a.md", "� is what stands for a byte that could not be read")
    assert len(list(stream.text(source(path)))) == 1


def test_a_head_shows_whole_rows_only(tmp_path: Path) -> None:
    """The last line of a head may be cut off, and is no fault."""
    path = put(tmp_path, "a.jsonl", b'{"a": 1}\n' + b'{"b": "' + b"x" * stream.HEAD_BYTES + b'"}\n')
    assert list(stream.head(str(path)).rows()) == [{"a": 1}]


def test_what_cannot_be_opened_is_a_wrong_input(tmp_path: Path) -> None:
    """A path that leads nowhere, to a pipe, or is no path, is refused in a sentence."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "absent", tmp_path / "pipe", f"{tmp_path}/\0", tmp_path / ("x" * 300)):
        with pytest.raises(InvalidInput, match=r"\.$"):
            stream.named(str(path))
