"""Rewriting ``agents.toml``: one name in it, and nothing else.

It is a file of the person's: comments, order and spelling stay. Each place where the old name
stands is looked at for what it is there, by reading the file with a mark in its place; the outcome
is read again, and has to say what the old file said, under the new name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from agent_memory_os.errors import BadFleetFile
from agent_memory_os.model.organisation import spelt
from agent_memory_os.service.context import FLEET_FILE, Context
from agent_memory_os.store.file.disk import told_as_refusal
from agent_memory_os.value import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_MARK = "zzz-renamed-zzz"
_BARE = r"[A-Za-z0-9_-]+"
_QUOTES = ("'", '"')


class Change(NamedTuple):
    """A name that changes, of a kind of table; a project's names are ``TEAM/NAME``."""

    kind: str
    old: str
    new: str


class FleetFile:
    """The file of a home, and what it is to hold."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.text: str | None = None

    def rename(self, kind: str, old: str, new: str) -> bool:
        """Prepare the file with another name; say whether it names what is renamed.

        Raises :class:`BadFleetFile` where it does, and cannot be rewritten.
        """
        if old == new or not os.path.exists(self.path):
            return False
        with told_as_refusal(self.path), open(self.path, encoding="utf-8", newline="") as file:
            held = file.read()
        self.text = rewritten(held, Change(kind, old, new), self.path)
        return self.text is not None

    def write(self) -> None:
        """Put what was prepared in the place of the file: until it is there, the old one stays."""
        if self.text is None:
            return
        real = os.path.realpath(self.path)
        aside = f"{real}.{os.getpid()}"
        with told_as_refusal(self.path):
            mode = os.stat(real).st_mode & 0o777
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(self.text)
            os.replace(aside, real)


@contextmanager
def kept(context: Context) -> Iterator[FleetFile]:
    """Give the fleet file of a home; what was prepared of it is written where all went well."""
    file = FleetFile(os.path.join(context.home, FLEET_FILE))
    yield file
    file.write()


def rewritten(text: str, change: Change, path: str) -> str | None:
    """Return a fleet file's text under another name, or ``None`` where it does not name it."""
    import tomllib

    plain = spelt(text)
    try:
        held = tomllib.loads(plain.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise BadFleetFile(f"{path} is no TOML: {error}.") from error
    wanted = _renamed(held, change)
    if wanted == held:
        return None
    places = [found.start() for found in re.finditer(re.escape(change.old), plain)]
    done = plain
    for place in reversed(places):
        if _is_name(plain, place, change):
            done = _put(done, place, change)
    if _read(done) != wanted:
        raise BadFleetFile(
            f"{path} names {change.old} in a way that cannot be rewritten safely; nothing was "
            "renamed."
        )
    return done


def _put(text: str, place: int, change: Change) -> str:
    is_bare = text[place - 1 : place] not in _QUOTES
    needs_quotes = is_bare and not re.fullmatch(_BARE, change.new)
    new = f'"{change.new}"' if needs_quotes else change.new
    return text[:place] + new + text[place + len(change.old) :]


def _is_name(text: str, place: int, change: Change) -> bool:
    """Say whether what stands at a place is the name that changes, and no part of another word."""
    mark = f"{_MARK}/{_MARK}" if "/" in change.old else _MARK
    marked = _put(text, place, change._replace(new=mark))
    return mark in set(_names(_read(marked), change.kind))


def _read(text: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        return {}


def _names(data: Mapping[str, Any], kind: str) -> Iterator[str]:
    """Yield each name of a kind that a fleet file has, wherever it has it."""
    yield from data.get(kind, {})
    for agent in data.get("agents", {}).values():
        if kind in ("teams", "projects"):
            yield from agent.get(kind, ())
        if kind == "teams":
            yield from (name.partition("/")[0] for name in agent.get("projects", ()))
    if kind == "teams":
        yield from (name.partition("/")[0] for name in data.get("projects", {}))


def _renamed(data: Mapping[str, Any], change: Change) -> dict[str, Any]:
    """Return what a fleet file is to say."""
    done = {name: dict(table) for name, table in data.items()}
    for kind in ("teams", "projects"):
        for agent, fields in done.get("agents", {}).items():
            if kind in fields:
                names = [_new_name(kind, name, change) for name in fields[kind]]
                done["agents"][agent] = done["agents"][agent] | {kind: names}
    for kind, tables in done.items():
        done[kind] = {_new_name(kind, name, change): table for name, table in tables.items()}
    return done


def _new_name(kind: str, name: str, change: Change) -> str:
    if kind == change.kind and name == change.old:
        return change.new
    team, slash, rest = name.partition("/")
    if kind == "projects" and change.kind == "teams" and team == change.old:
        return f"{change.new}{slash}{rest}"
    return name
