"""The files of a home that people edit: kept in a backup, and put back where there are none.

A file that is there belongs to whoever edits it, and is never written over. One that is put back
counts as applied if it was when the backup was made: what it declared is in the backup already,
with what commands had changed by then.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from agent_memory_os.service.context import FLEET_FILE, NODE_FILE, Context
from agent_memory_os.store import node
from agent_memory_os.store.database import Snapshot, Transaction
from agent_memory_os.store.file.copy import PARTIAL, create, sync_folder
from agent_memory_os.store.file.disk import file_mark
from agent_memory_os.store.node import HeldFile
from agent_memory_os.value import NamedTuple

_NAMES = (NODE_FILE, FLEET_FILE)


class Staged(NamedTuple):
    """A file that is to be put back: where it lies until then, and the mark that it will have."""

    held: HeldFile
    aside: str
    mark: str


def held(context: Context, snapshot: Snapshot) -> list[HeldFile]:
    """Return what the files of a home hold now, those that can be read as text."""
    home = node.home(snapshot)
    if home is None:  # pragma: no cover - an open node has its row
        return []
    known = {
        NODE_FILE: (home.settings_mark, home.settings_fault),
        FLEET_FILE: (home.fleet_mark, home.fleet_fault),
    }
    found = []
    for name, applied in known.items():
        path = os.path.join(context.home, name)
        mark = file_mark(path)
        text = _text(path)
        if text is not None:
            found.append(HeldFile(name, text, is_applied=applied == (mark, "")))
    return found


def stage(context: Context, files: Iterable[HeldFile]) -> Iterator[Staged]:
    """Write those files aside that the home has none of; other names than its own count nothing."""
    for file in files:
        if file.name in _NAMES and not os.path.lexists(_path(context, file)):
            aside = f"{context.database.path}.restoring-{file.name}{PARTIAL}"
            _remove(aside)
            create(aside)
            with open(aside, "w", encoding="utf-8", newline="") as stream:
                stream.write(file.text)
                stream.flush()
                os.fsync(stream.fileno())
            yield Staged(file, aside, file_mark(aside))


def mark(transaction: Transaction, staged: Iterable[Staged]) -> None:
    """Have a restored node take the files for those that it has applied, or for new ones."""
    node.put_files(transaction, ())
    for file in staged:
        applied = file.mark if file.held.is_applied else ""
        if file.held.name == NODE_FILE:
            node.set_settings(transaction, applied, "")
        else:
            node.set_fleet(transaction, applied, "")


def put_back(context: Context, staged: Iterable[Staged]) -> Iterator[str]:
    """Give the files their names, unless somebody has made such a file; yield those put back."""
    for file in staged:
        path = _path(context, file.held)
        with suppress(FileExistsError):
            os.link(file.aside, path)
            yield path
        _remove(file.aside)
        sync_folder(path)


def drop(staged: Iterable[Staged]) -> None:
    """Remove what was written aside."""
    for file in staged:
        _remove(file.aside)


def differing(context: Context, files: Iterable[HeldFile]) -> Iterator[str]:
    """Yield the paths of files in a home that are others than a backup holds."""
    for file in files:
        path = _path(context, file)
        if file.name in _NAMES and os.path.lexists(path) and _text(path) != file.text:
            yield path


def _path(context: Context, file: HeldFile) -> str:
    return os.path.join(context.home, file.name)


def _text(path: str) -> str | None:
    if not os.path.isfile(path):
        return None
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
