"""What the doctor looks at around the file: the home, who may read it, room, leftovers."""

from __future__ import annotations

import os
import stat

from agent_memory_os.service.context import Context
from agent_memory_os.service.memory.erase import copies
from agent_memory_os.service.upkeep.report import FAULT, MEND, OK, WARNING, Finding
from agent_memory_os.store.file import migrate
from agent_memory_os.store.file.copy import PARTIAL
from agent_memory_os.store.file.disk import free_bytes

_KEYS = "keys"
_LITTLE_ROOM = 67_108_864
_NO_ROOM = 8_388_608
_OTHERS = 0o077
_MEGABYTE = 1_000_000
_HOUR_SECONDS = 3600
_MONTH_SECONDS = 30 * 24 * _HOUR_SECONDS


def home(context: Context) -> Finding:
    """Look at the folder: there, one's own, for nobody else."""
    name = "home"
    if not os.path.isdir(context.home):
        return Finding(name, FAULT, f"{context.home} is not there.", "agent-memory init")
    if mode := open_to_others(context.home):
        detail = f"{context.home} is open to other users (mode {mode:o})."
        return Finding(name, WARNING, detail, f"{MEND}, or: chmod 700 {context.home}")
    if not os.access(context.home, os.W_OK):
        detail = f"{context.home} cannot be written to."
        return Finding(name, FAULT, detail, f"chmod u+w {context.home}")
    return Finding(name, OK, f"{context.home} is yours alone.")


def files(context: Context) -> Finding:
    """Look at who may read the database and the keys."""
    found = [path for path in private_files(context) if open_to_others(path)]
    if not found:
        return Finding("files", OK, "The database and the keys are yours alone.")
    names = ", ".join(os.path.relpath(path, context.home) for path in found)
    return Finding("files", WARNING, f"Other users may read {names}.", MEND)


def private_files(context: Context) -> list[str]:
    """Return the files and folders in a home that nobody else may read."""
    folder, name = os.path.split(context.database.path)
    secret = os.path.join(context.home, _KEYS)
    own = [os.path.join(folder, each) for each in _listed(folder) if each.startswith(name)]
    held = [os.path.join(secret, each) for each in _listed(secret)]
    return sorted([*own, *held, *([secret] if os.path.isdir(secret) else [])])


def open_to_others(path: str) -> int:
    """Return the mode of a file that other users may use, else 0."""
    mode = stat.S_IMODE(os.stat(path).st_mode)
    return mode if mode & _OTHERS else 0


def disk(context: Context) -> Finding:
    """Look at how much room is left."""
    path = context.database.path
    size = os.path.getsize(path) if os.path.exists(path) else 0
    try:
        free = free_bytes(context.home)
    except OSError as error:
        return Finding("disk", FAULT, f"The disk cannot be looked at: {error.strerror}.")
    detail = f"{free // _MEGABYTE:,} MB are free; the database has {size / _MEGABYTE:,.1f} MB."
    if free < _NO_ROOM:
        return Finding("disk", FAULT, detail, "Make room: soon nothing can be written.")
    if free < max(_LITTLE_ROOM, 2 * size):
        return Finding("disk", WARNING, detail, "Make room: an update or a sweep may need it.")
    return Finding("disk", OK, detail)


def sqlite(_context: Context) -> Finding:
    """Look at the SQLite that this Python came with."""
    version, is_enough = migrate.sqlite_version()
    if is_enough:
        return Finding("sqlite", OK, f"SQLite {version} is new enough.")
    return Finding("sqlite", FAULT, f"SQLite {version} is too old.", "Use a newer Python.")


def leftovers(context: Context) -> Finding:
    """Look for files that a crash left behind, and for old copies of the database."""
    broken = broken_files(context)
    old = [path for path in copies(context) if _is_older(context, path, _MONTH_SECONDS)]
    if broken:
        names = ", ".join(os.path.basename(path) for path in broken)
        return Finding("leftovers", WARNING, f"Something was cut short: {names}.", MEND)
    if old:
        names = ", ".join(os.path.basename(path) for path in old)
        mend = f"If they are not needed any more: cd {context.home} && rm {names.replace(',', '')}"
        return Finding("leftovers", WARNING, f"There are old copies: {names}.", mend)
    return Finding("leftovers", OK, "Nothing was left behind.")


def broken_files(context: Context) -> list[str]:
    """Return files of the node that were never finished, and that nobody is at any more."""
    folder, name = os.path.split(context.database.path)
    found = [
        os.path.join(folder, each)
        for each in _listed(folder)
        if each.startswith(name) and each.endswith(PARTIAL)
    ]
    return sorted(path for path in found if _is_older(context, path, _HOUR_SECONDS))


def _is_older(context: Context, path: str, seconds: int) -> bool:
    return context.database.clock() / 1000 - os.stat(path).st_mtime > seconds


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
