"""Bytes in bounded memory: the first of a file, its lines, its JSON rows, or a small file whole.

UTF-8 with or without a byte order mark is read as it is; UTF-16 and UTF-32 are known by their
mark and recoded on the way. A row that is longer than :data:`base.MAX_RECORD_BYTES` is passed
over without being held, and reported. A row that is not UTF-8 is skipped and not mended: agents
write UTF-8, so such a row is damaged, and a memory made of it would keep the id of the sound one.
A text file is mended instead, since notes are in any encoding and their ids follow their words.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import stat
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from agent_memory_os.errors import InvalidInput
from agent_memory_os.importers.base import MAX_RECORD_BYTES, Finding, Found, Progress, Skipped

HEAD_BYTES = 65_536
MAX_TEXT_BYTES = 4_194_304
"""The largest text file that is taken for notes."""

MENDED = "�"
_CHUNK = 262_144
_HEAD_LINES = 40
_REPORT_EVERY = 128
_MAX_MENDED_SHARE = 10

# The longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Source(NamedTuple):
    """One file to read: where it lies, its name as provenance and keys show it, and the progress.

    ``file`` is relative to what the person named, with ``/`` between its parts.
    """

    path: str
    file: str
    progress: Progress

    def place(self, line: int) -> str:
        """Return ``file:line``."""
        return f"{self.file}:{line}"


class Head(NamedTuple):
    """What recognition may look at: name, path and first bytes of a file.

    ``text`` is decoded from at most :data:`HEAD_BYTES`. ``walked`` says that the file was met in a
    folder and not named itself; ``project`` that the folder belongs to a software project.
    """

    path: str
    name: str
    text: str
    binary: bool
    walked: bool
    project: bool

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield those of the first lines that are JSON objects; one that is cut off is none."""
        for line in self.text.split("\n")[:_HEAD_LINES]:
            row = parse(line) if line.lstrip().startswith("{") else None
            if isinstance(row, dict):
                yield row


class Row(NamedTuple):
    """A JSON object of a line, and the line's number, from 1."""

    line: int
    record: dict[str, object]


def head(path: str, *, walked: bool = False, project: bool = False) -> Head:
    """Return the head of a regular file; raise :class:`OSError` where it cannot be read."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise InvalidInput(f"{path} is neither a file nor a folder, and cannot be imported.")
    with open(path, "rb") as file:
        data = file.read(HEAD_BYTES)
    encoding, mark = _encoding(data)
    binary = b"\0" in data and not encoding.startswith("utf-16") and "32" not in encoding
    text = data[mark:].decode(encoding, "replace")
    return Head(path, os.path.basename(path), text, binary, walked, project)


def named(path: str) -> Head:
    """Return the head of a file that a person named.

    Raises :class:`InvalidInput` where there is no such file, or it cannot be read.
    """
    try:
        return head(path)
    except FileNotFoundError as error:
        raise InvalidInput(f"There is no file or folder {path}.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"{path} cannot be read: {reason}.") from error


def parse(line: str) -> object:
    """Return the value of one JSON text, or a reason as a :class:`Fault` if it has none."""
    try:
        return json.loads(line)
    except RecursionError:
        return Fault("nested too deeply")
    except ValueError:
        return Fault("not JSON")


class Fault(str):
    """Why a line has no value, in a few words."""

    __slots__ = ()


def rows(source: Source) -> Iterator[Row | Skipped]:
    """Yield the rows of a JSON Lines file, and a :class:`Skipped` for each line that is none."""
    for number, line, is_whole in lines(source):
        row = Fault("longer than 16 MiB") if line is None else _row(line)
        if isinstance(row, dict):
            yield Row(number, row)
        elif isinstance(row, Fault):
            cut = "cut off at the end of the file" if row == "not JSON" and not is_whole else row
            yield Skipped(source.place(number), str(cut))


def _row(line: bytes) -> dict[str, object] | Fault | None:
    if not line.strip():
        return None
    try:
        value = parse(line.decode())
    except UnicodeDecodeError:
        return Fault("not UTF-8")
    if isinstance(value, (dict, Fault)):
        return value
    return Fault("not a JSON object")


def lines(source: Source) -> Iterator[tuple[int, bytes | None, bool]]:
    """Yield the number of each line, its bytes in UTF-8, and whether a line end follows.

    The bytes are ``None`` for a line of more than :data:`base.MAX_RECORD_BYTES`.
    """
    with open(source.path, "rb", buffering=0) as raw:
        reported = 0
        number = 0
        file = _utf8(raw)
        while line := file.readline(MAX_RECORD_BYTES + 1):
            number += 1
            if number % _REPORT_EVERY == 0:
                source.progress(raw.tell() - reported)
                reported = raw.tell()
            is_whole = line.endswith(b"\n")
            if len(line) > MAX_RECORD_BYTES:
                yield number, None, is_whole or _pass_over(file)
            else:
                yield number, line, is_whole
        source.progress(raw.tell() - reported)


def _pass_over(file: BinaryIO) -> bool:
    while part := file.readline(_CHUNK):
        if part.endswith(b"\n"):
            return True
    return False


def text(source: Source) -> Iterator[str | Skipped]:
    """Yield what is to be reported of a text file, and then its text with plain line ends.

    Bytes that are not UTF-8 are replaced by ``�`` and reported; a file that has many of them is in
    another encoding, and is skipped. Who takes the text says how far it has come: :func:`followed`.
    """
    with open(source.path, "rb") as file:
        data = file.read(MAX_TEXT_BYTES + 1)
    encoding, mark = _encoding(data)
    words = data[mark:].decode(encoding, "replace")
    mended = words.count(MENDED) - data.count(MENDED.encode())
    if len(data) > MAX_TEXT_BYTES:
        reason = "a text of more than 4 MiB; split it"
    elif encoding == "utf-8" and b"\0" in data[:HEAD_BYTES]:
        reason = "not a text"
    elif mended > 0 and mended * _MAX_MENDED_SHARE > len(words):
        reason = "neither UTF-8 nor marked UTF-16; save it as UTF-8"
    else:
        if mended > 0:
            said = f"{mended} characters that are not UTF-8; they are read as {MENDED}"
            yield Skipped(source.file, said)
        yield words.replace("\r\n", "\n").replace("\r", "\n")
        return
    source.progress(os.path.getsize(source.path))
    yield Skipped(source.file, reason)


def followed(source: Source, text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings of a text, and report its bytes as its lines go by.

    A text is read at once, and what is made of it takes time.
    """
    size, lines, done = os.path.getsize(source.path), text.count("\n") + 1, 0
    for finding in findings:
        line = finding.source.get("line") if isinstance(finding, Found) else None
        if isinstance(line, int) and (at := size * min(line - 1, lines) // lines) > done:
            source.progress(at - done)
            done = at
        yield finding
    source.progress(size - done)


def _encoding(data: bytes) -> tuple[str, int]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    return "utf-8", 0


def _utf8(raw: io.FileIO) -> BinaryIO:
    """Return the file without its mark, recoded to UTF-8 where it is in something else."""
    encoding, mark = _encoding(raw.read(4) or b"")
    raw.seek(mark)
    if encoding == "utf-8":
        return io.BufferedReader(raw, _CHUNK)
    return io.BufferedReader(_Recoded(raw, encoding), _CHUNK)


class _Recoded(io.RawIOBase):
    """A raw file of UTF-16 or UTF-32, read as UTF-8."""

    def __init__(self, raw: io.FileIO, encoding: str) -> None:
        super().__init__()
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        room = memoryview(buffer)  # type: ignore[arg-type]
        while not self._ready:
            data = self._raw.read(_CHUNK) or b""
            self._ready = self._decoder.decode(data, final=not data).encode()
            if not data:
                break
        part = self._ready[: len(room)]
        self._ready = self._ready[len(part) :]
        room[: len(part)] = part
        return len(part)
