"""What this process holds of each file: SQLite's connections, and descriptors of its raw bytes.

POSIX drops every lock that a process has on a file as soon as the process closes *any* descriptor
of that file, and a child of ``fork`` has none of its parent's locks although SQLite believes so.
Either way another process then takes itself for the last one, removes the write-ahead log, and
what is acknowledged afterwards goes into a file without a name. So the raw bytes of a file that
has connections are read only through :func:`raw`, which closes nothing too early; idle connections
are closed before a fork; and where one was in use, the child refuses the file with a sentence.
"""

from __future__ import annotations

import os
import sqlite3
from _thread import RLock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json import JSONDecodeError

from agent_memory_os.errors import (
    AgentMemoryError,
    Busy,
    DamagedDatabase,
    DiskFull,
    InvalidInput,
    ReadOnlyHome,
    Refused,
)
from agent_memory_os.store.file.disk import free_bytes
from agent_memory_os.store.file.value import VALUE_ERRORS, WrongValue

Key = tuple[int, int]
"""What a file is to the system, whatever its name: device and number."""

_SETTINGS = (
    "foreign_keys = ON",
    "secure_delete = ON",
    "synchronous = FULL",
    "temp_store = MEMORY",
)

BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT})
_UNUSABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
_CORRUPT_VTAB = 267
_LITTLE_ROOM = 65_536
_DAMAGED_VALUES = (
    "no such table",
    "no such column",
    "has no column named",
    "Could not decode to UTF-8",
    "foreign key mismatch",
    "malformed JSON",
    "parse error in ",
    "unrecognized option",
    "unsupported file format",
)
_QUOTING = " with text "
_TOO_LARGE = "too large to convert to SQLite"
_INDEX_FAULTS = ("vtable constructor failed", "invalid fts5 file format", "fts5: ")

_lock = RLock()
_live: set[Connection] = set()
_kept: dict[Key, list[int]] = {}
_inherited: list[Connection] = []
_refused: set[Key] = set()


class Connection(sqlite3.Connection):
    """A connection of this process, and the file that it is on."""

    key: Key = (0, 0)
    is_lasting = True
    """Whether it notices what others write, so that it may be used again."""
    _is_idle = False
    _is_closed = False

    def rest(self) -> None:
        """Say that nobody uses the connection for now."""
        self._is_idle = True

    def wake(self) -> bool:
        """Take the connection into use; say whether it is still open."""
        with _lock:
            self._is_idle = False
            return not self._is_closed and self not in _inherited

    def close(self) -> None:
        """Close the connection, and what was kept open for its sake, unless it is the parent's."""
        with _lock:
            if self in _inherited:
                return
            super().close()
            self._is_closed = True
            _live.discard(self)
            if not _has_connection(self.key):
                for descriptor in _kept.pop(self.key, []):
                    os.close(descriptor)


def connect(path: str, *, read_only: bool = False) -> Connection:
    """Open a connection to an existing file, with what every connection of ours needs.

    Read-only, a file without a write-ahead log is read as it is: nothing is laid beside it. So is a
    file on a disk or in a folder that this process may not write to.
    """
    mode = "mode=rw"
    if read_only or not _may_write(path):
        mode = "mode=ro" if _has_log(path) else "mode=ro&immutable=1"
    with _lock:
        if key_of(path) in _refused:
            raise Refused(
                f"{path} was in use when this process was forked, and cannot be used safely here. "
                "Start the process anew (spawn), or fork while the node is idle."
            )
        connection: Connection = sqlite3.connect(
            f"file:{quoted(path)}?{mode}",
            uri=True,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
            factory=Connection,
        )
        connection.key = key_of(path)
        connection.is_lasting = "immutable" not in mode
        _live.add(connection)
    try:
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def raw(path: str) -> Iterator[int]:
    """Open a file to read its bytes as they are, by ``os.pread`` on what this yields."""
    with _lock:
        kept = _kept.get(key_of(path))
        descriptor = kept.pop() if kept else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        status = os.fstat(descriptor)
        key = (status.st_dev, status.st_ino)
    try:
        yield descriptor
    finally:
        with _lock:
            if _has_connection(key):
                _kept.setdefault(key, []).append(descriptor)
            else:
                os.close(descriptor)


def key_of(path: str) -> Key:
    """Return what a file is to the system."""
    status = os.stat(path)
    return status.st_dev, status.st_ino


def quoted(path: str) -> str:
    """Return a path as it stands in a URI of SQLite."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _may_write(path: str) -> bool:
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path) or ".", os.W_OK)


def _has_log(path: str) -> bool:
    try:
        return os.path.getsize(path + "-wal") > 0
    except OSError:
        return False


def _has_connection(key: Key) -> bool:
    return any(connection.key == key for connection in tuple(_live))


def _before_fork() -> None:
    _lock.acquire()
    for connection in [connection for connection in _live if connection._is_idle]:  # noqa: SLF001 - of this module
        connection.close()


def _after_fork_in_child() -> None:
    _inherited.extend(_live)
    _refused.update(connection.key for connection in _live)
    _live.clear()
    _lock.release()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_lock.release,
    after_in_child=_after_fork_in_child,
)


def code_of(error: sqlite3.Error) -> int:
    """Return SQLite's primary code for an error; 0 where it has none."""
    # The low byte is the primary code; the rest tells variants apart.
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


@contextmanager
def translated(path: str, is_sound: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Turn what SQLite raises inside into one of our errors.

    Where a value fails whoever uses it, ``is_sound`` is asked: if the file is damaged, that is what
    is told; if it is not, the fault lies elsewhere, and is raised as it is.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _translation(error, path) from error
    except (UnicodeDecodeError, JSONDecodeError, WrongValue) as error:
        # What we stored is text and JSON; SQLite's own words on damage may quote what is neither.
        raise _damaged(path, error) from error
    except UnicodeEncodeError as error:
        raise InvalidInput("Text here is not valid Unicode (a lone surrogate).") from error
    except VALUE_ERRORS as error:
        if isinstance(error, OverflowError) and _TOO_LARGE in str(error):
            raise InvalidInput("A number here does not fit into 64 bits.") from error
        if is_sound():
            raise
        raise _damaged(path, WrongValue("a value in it is none of ours")) from error


def _translation(error: sqlite3.Error, path: str) -> AgentMemoryError | sqlite3.Error:
    code = code_of(error)
    if code in BUSY:
        return Busy(f"Another process is writing to {path}; nothing was changed. Try again.")
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(path)):
        return DiskFull(f"The disk that holds {path} is full; nothing was changed.")
    if code in _UNUSABLE:
        return ReadOnlyHome(f"{path} cannot be opened for writing; check the folder's permissions.")
    if code == sqlite3.SQLITE_IOERR:
        return Refused(f"The disk that holds {path} failed ({error}); nothing was changed.")
    return _damage(error, path) or error


def _damage(error: sqlite3.Error, path: str) -> DamagedDatabase | None:
    if _is_of_index(error):
        return DamagedDatabase(
            f"The search index in {path} is damaged ({error}); the memories are apart from it.",
            "reindex",
        )
    if code_of(error) in _DAMAGE or any(fault in str(error) for fault in _DAMAGED_VALUES):
        return _damaged(path, error)
    return None


def _damaged(path: str, error: Exception) -> DamagedDatabase:
    # A text that cannot be read is not told: it may be one that the reader may not see.
    reason = str(error).partition(_QUOTING)[0]
    return DamagedDatabase(f"{path} is damaged ({reason}); it was left as it is.", "doctor")


def _is_of_index(error: sqlite3.Error) -> bool:
    if getattr(error, "sqlite_errorcode", None) == _CORRUPT_VTAB:
        return True
    return any(fault in str(error) for fault in _INDEX_FAULTS)


def _is_full(path: str) -> bool:
    try:
        return free_bytes(os.path.dirname(path)) < _LITTLE_ROOM
    except OSError:
        return False
