"""A world to search: a real node beside an oracle that knows what each principal may see.

A world is a node on a real SQLite file with a clock and a source of chance of its own, and plain
Python beside it that says what was done: who is a member of what, which memories there are, what
each said and who was granted it, in the order in which it happened. The oracle uses the pure rule
``model.audience.may_read`` and nothing of the store.

Every memory, and every version of one, carries a *canary* in each of its fields: a word that
stands nowhere else. What reveals a hidden memory in any way is found by looking for its canaries.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path

from agent_memory_os import settings, wiring
from agent_memory_os.model.audience import may_read
from agent_memory_os.model.principal import Principal, Sight
from agent_memory_os.service.context import Context
from agent_memory_os.service.node import LocalNode
from agent_memory_os.store.database import Database
from agent_memory_os.store.file.connection import raw

BEGIN = 2_000_000_000_000
"""After any clock by which the template was made."""

SECOND = 1000
HOUR = 3_600_000


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> int:
        """Return the milliseconds of UTC."""
        return self.now


@dataclass
class Version:
    """What a memory said from one event until another; ``readers`` are who could read it then."""

    canary: str
    since: int
    seen_by: set[str] = field(default_factory=set)


@dataclass
class Item:
    """A memory as the oracle knows it; ``grants`` hold ids, ``order`` counts what was made."""

    id: str
    owner: str
    order: int
    created_at: int
    words: str
    versions: list[Version]
    grants: set[str] = field(default_factory=set)
    past: set[str] = field(default_factory=set)
    state: str = "active"
    fields: dict[str, object] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    @property
    def canaries(self) -> list[str]:
        """Every word that gives this memory away."""
        return [*(version.canary for version in self.versions), *self.lost]

    def is_current(self, now: int) -> bool:
        """Say whether it is shown at a time."""
        starts, ends = self.fields.get("valid_from"), self.fields.get("expires_at")
        begun = not isinstance(starts, int) or starts <= now
        over = isinstance(ends, int) and ends <= now
        return self.state == "active" and begun and not over


@dataclass
class Group:
    """A team or project: its scope with an id, its name as people write it, who is a member."""

    scope: str
    name: str
    team: str = ""
    members: set[str] = field(default_factory=set)
    is_live: bool = True


class World:
    """A node and its oracle; ``items``, ``groups`` and ``agents`` are what there is.

    ``noted`` are the acts of agents in the audit: who, and on which memory.
    """

    def __init__(self, node: LocalNode, clock: Clock, folder: Path) -> None:
        self.node = node
        self.clock = clock
        self.folder = folder
        self.agents: dict[str, str] = {}
        self.active: set[str] = set()
        self.groups: dict[str, Group] = {}
        self.items: dict[str, Item] = {}
        self.links: dict[tuple[str, str, str, str], int] = {}
        self.noted: list[tuple[str, Item]] = []
        self.numbers = count(1)

    def principals(self) -> dict[str, Principal]:
        """Return everybody who may ask, by a name for reports."""
        agents = {name: Principal.of_agent(agent) for name, agent in self.agents.items()}
        strangers = {
            text: Principal.of_agent(text)
            for text in ("", "%", "agt_" + "a" * 32, *list(self.agents)[:1])
        }
        return {
            **{f"agent {name}": principal for name, principal in agents.items()},
            **{f"stranger {text!r}": principal for text, principal in strangers.items()},
            "nobody": Principal(None, is_operator=False),
            "operator": Principal.operator(),
        }

    def name_of(self, principal: Principal) -> str:
        """Return the name of an agent that may act, or nothing."""
        for name, agent in self.agents.items():
            if agent == principal.agent and name in self.active:
                return name
        return ""

    def sight(self, principal: Principal) -> Sight:
        """Return what reaches a principal, by the oracle."""
        if principal.is_operator:
            return Sight(principal, frozenset())
        name = self.name_of(principal)
        if not name:
            return Sight.of_nobody()
        scopes = {"global", f"agent:{principal.agent}"}
        scopes |= {group.scope for group in self.groups.values() if self.is_in(name, group)}
        return Sight(principal, frozenset(scopes))

    def is_in(self, name: str, group: Group) -> bool:
        """Say whether an agent is a member of a live team or project."""
        team = self.groups[group.team] if group.team else group
        return name in group.members and group.is_live and team.is_live

    def may_read(self, principal: Principal, item: Item) -> bool:
        """Say whether the pure rule lets a principal read a memory that is there."""
        owner = self.agents[item.owner]
        return item.state != "erased" and may_read(self.sight(principal), owner, item.grants)

    def is_own(self, principal: Principal, item: Item) -> bool:
        """Say whether a principal may do as it likes with a memory."""
        return principal.is_operator or self.name_of(principal) == item.owner

    def readable(self, principal: Principal) -> list[Item]:
        """Return the memories that a principal may read and that are not forgotten, as made."""
        held = [i for i in self.items.values() if i.state == "active"]
        return [item for item in held if self.may_read(principal, item)]

    def shown(self, principal: Principal) -> list[Item]:
        """Return the memories that a principal may read and that hold now, as they were made."""
        return [i for i in self.readable(principal) if i.is_current(self.clock.now)]

    def hidden_words(self, principal: Principal) -> dict[str, str]:
        """Return each word that no answer may show to a principal, and what it would reveal."""
        words: dict[str, str] = {}
        for item in self.items.values():
            may_see = self.may_read(principal, item) and (
                item.state == "active" or self.is_own(principal, item)
            )
            if not may_see:
                words |= dict.fromkeys([item.id, *item.canaries], f"the hidden memory {item.id}")
            elif not self.is_own(principal, item):
                words |= dict.fromkeys(item.lost, f"what an edit of {item.id} lost")
                for version in item.versions:
                    if not version.seen_by & self.sight(principal).scopes:
                        words[version.canary] = f"a version of {item.id} from before it was shared"
        if not principal.is_operator:
            own = self.name_of(principal)
            words |= {key_of(name): f"what {name} used" for name in self.agents if name != own}
        if not principal.is_operator:
            known = self.sight(principal).scopes | self.once_named(principal)
            for group in self.groups.values():
                if group.scope not in known:
                    reason = f"the group {group.name}, which is none of the reader's"
                    words |= dict.fromkeys([group.scope, group.name.rpartition("/")[2]], reason)
        return words

    def once_named(self, principal: Principal) -> set[str]:
        """Return the groups that an agent itself once shared with, and the teams of projects."""
        scopes = {scope for item in self.own_items(principal) for scope in item.grants | item.past}
        return scopes | {self.groups[scope].team for scope in scopes if scope in self.groups}

    def own_items(self, principal: Principal) -> list[Item]:
        """Return the memories that an agent owns, whatever their state."""
        name = self.name_of(principal)
        return [item for item in self.items.values() if item.owner == name]

    def note_readers(self, item: Item) -> None:
        """Keep who is granted the present version: a reader may look back at what it saw."""
        item.versions[-1].seen_by |= item.grants
        item.past |= item.grants


def key_of(name: str) -> str:
    """Return the id of the key of an agent, as the laws note what was used."""
    return f"uq{name}z"


def fast_folder() -> str | None:
    """Return a folder in memory where there is one: the laws write a lot."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@cache
def _template() -> str:
    """Return a folder with a node that was just made, to copy: keys cost more than all else."""
    folder = tempfile.mkdtemp(prefix="laws-", dir=fast_folder())
    home = str(Path(folder) / "home")
    node = wiring.open_node(settings.Settings(home, None))
    node.close()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return home


@contextmanager
def new_world() -> Iterator[World]:
    """Open a world with nobody in it, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="law-", dir=fast_folder()) as folder:
        home = Path(folder) / "home"
        shutil.copytree(_template(), home)
        clock = Clock()
        node = open_again(home, clock)
        try:
            yield World(node, clock, home)
        finally:
            node.close()


def open_again(home: Path, clock: Clock, salt: str = "first") -> LocalNode:
    """Open a node on a home with a clock of the test's own, and chance that is always the same."""
    numbers = count(1)

    def entropy(size: int) -> bytes:
        return sha256(f"{salt} {next(numbers)}".encode()).digest()[:size]

    database = Database(str(home / settings.DATABASE), clock, lambda: 0.5)
    return LocalNode(Context(database, entropy, str(home)), "", ())


def state_of(world: World) -> str:
    """Return a digest of every row of the world's file."""
    return digest_of(str(world.folder))


def digest_of(home: str) -> str:
    """Return a digest of every row of a home's file, the index's own tables included."""
    connection = sqlite3.connect(f"file:{home}/node.db?mode=ro", uri=True)
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'terms' ORDER BY name"
    ).fetchall()
    held = sha256()
    for (name,) in names:
        for row in connection.execute(f'SELECT * FROM "{name}"'):
            held.update(f"{name} {row!r}\n".encode("utf-8", "surrogatepass"))
    connection.close()
    return held.hexdigest()


def bytes_of(world: World) -> bytes:
    """Return every byte of a world's file and of its log."""
    path = str(world.folder / "node.db")
    with raw(path) as descriptor:
        content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    log = Path(path + "-wal")
    return content + (log.read_bytes() if log.exists() else b"")
