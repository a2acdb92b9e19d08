"""The server's log: a line for what happened, and nothing of what was said.

A line is JSON, or on a terminal words for people. It has a moment, a level, an event and fields
that were chosen where it was written: an id of a request, a route, a status, milliseconds, the id
of a key. Of an error it has the class and the places in the code, for its message may quote a
memory. A file is rotated by size, and nobody else may read it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Generator
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from typing import TextIO

from agent_memory_os.wire.instant import iso

FOLDER = "logs"
FILE = "server.log"
LEVELS = ("debug", "info", "warning", "error")
_MOST_BYTES = 5_000_000
_FILES = 5
_LOOK_SECONDS = 0.2
_OURS = "agent_memory_os"
_THEIRS = ("uvicorn", "asyncio", "concurrent.futures")
_FIELDS = (
    "request method route status ms key code fault place url pid version peer taken sent"
).split()
"""What a line may have beside its event: nothing else that a caller passes is written."""


def path_in(home: str) -> str:
    """Return where the log of a server that runs as a service lies."""
    return os.path.join(home, FOLDER, FILE)


def rotated(path: str) -> list[str]:
    """Return the files of a log that are there, the oldest first."""
    older = [f"{path}.{number}" for number in range(_FILES, 0, -1)]
    return [each for each in (*older, path) if os.path.exists(each)]


def begin(level: str, path: str | None = None, stream: TextIO | None = None) -> None:
    """Write the log of this process from now on: to a file, else to a stream (standard error).

    A terminal gets words for people, everything else JSON.
    """
    out = stream or sys.stderr
    handler = _File(path) if path is not None else logging.StreamHandler(out)
    is_for_people = path is None and out.isatty()
    handler.setFormatter(_Words() if is_for_people else _Json())
    for name in (_OURS, *_THEIRS):
        log = logging.getLogger(name)
        for old in log.handlers[:]:
            log.removeHandler(old)
            old.close()
        log.addHandler(handler)
        log.propagate = False
    logging.getLogger(_OURS).setLevel(level.upper())
    # What others tell of themselves is told by us already; their faults are not.
    for name in _THEIRS:
        logging.getLogger(name).setLevel(logging.WARNING)


def shape_of(record: logging.LogRecord) -> dict[str, object]:
    """Return a record as what is written of it."""
    shape: dict[str, object] = {
        "time": iso(int(record.created * 1000)),
        "level": record.levelname.lower(),
        "event": record.getMessage() if record.name.startswith(_OURS) else _heading(record),
    }
    for name in _FIELDS:
        value = record.__dict__.get(name)
        if value is not None:
            shape[name] = value
    if record.exc_info and record.exc_info[0]:
        shape["error"] = record.exc_info[0].__name__
        shape["at"] = [
            f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(record.exc_info[2])
        ]
    return shape


def _heading(record: logging.LogRecord) -> str:
    """Return what happened, in others' words: what it happened to may have content in it."""
    return str(record.msg).partition("\n")[0]


def words_of(shape: dict[str, object]) -> str:
    """Return what is written of a record as a line for people."""
    rest = {name: value for name, value in shape.items() if name not in ("time", "level", "event")}
    at = rest.pop("at", ())
    clock = str(shape["time"])[11:19]
    told = " ".join(f"{name}={value}" for name, value in rest.items())
    line = f"{clock} {shape['level']:<7} {shape['event']} {told}".rstrip()
    places = [f"    {place}" for place in at] if isinstance(at, list) else []
    return "\n".join([line, *places])


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line of JSON."""
        return json.dumps(shape_of(record), default=str)


class _Words(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line for people."""
        return words_of(shape_of(record))


class _File(RotatingFileHandler):
    """A file that is rotated by size, and that nobody else may read."""

    def __init__(self, path: str) -> None:
        folder = os.path.dirname(os.path.abspath(path))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        super().__init__(path, maxBytes=_MOST_BYTES, backupCount=_FILES, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")


def last(path: str, count: int, level: str) -> list[dict[str, object]]:
    """Return the newest lines of a log that are of a level or above it, the oldest first."""
    found: list[dict[str, object]] = []
    for file in reversed(rotated(path)):
        with open(file, encoding="utf-8", errors="replace") as lines:
            found = [*filter(None, (parsed(line, level) for line in lines)), *found]
        if len(found) >= count:
            break
    return found[len(found) - min(count, len(found)) :]


def following(path: str, level: str) -> Generator[dict[str, object], None, None]:
    """Yield the lines that are written from now on, for ever; a file that was rotated is left."""
    file = _opened(path)
    if file is not None:
        file.seek(0, os.SEEK_END)
    try:
        while True:
            lines = file.readlines() if file is not None else []
            yield from filter(None, (parsed(line, level) for line in lines))
            if lines:
                continue
            time.sleep(_LOOK_SECONDS)
            if file is None or not _is_still(path, file):
                rest = _rest(file)
                file = _opened(path)
                yield from filter(None, (parsed(line, level) for line in rest))
    finally:
        _rest(file)


def parsed(line: str, level: str) -> dict[str, object] | None:
    """Return a line of a log where it is of a level or above it; ``None`` for what is no line."""
    try:
        shape: dict[str, object] = json.loads(line)
        is_enough = LEVELS.index(str(shape["level"])) >= LEVELS.index(level)
    except (ValueError, LookupError, TypeError):
        return None
    return shape if is_enough and "time" in shape and "event" in shape else None


def _rest(file: TextIO | None) -> list[str]:
    """Return what is still unread in a file, and close it."""
    if file is None:
        return []
    with file:
        return file.readlines()


def _opened(path: str) -> TextIO | None:
    try:
        return open(path, encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


def _is_still(path: str, file: TextIO) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
