"""What is found afterwards: whether all agree, and whether anybody has what it must not."""

from __future__ import annotations

import io
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.federation import identity
from agent_memory_os.federation.bundle import read
from tests.acceptance.between.five import (
    AGENTS,
    NAMES,
    OTHER,
    PEOPLE,
    PROJECT,
    TEAM,
    Five,
)
from tests.acceptance.between.message import Exchange, exchanges
from tests.acceptance.between.search import words_in

SYNC = "/v1/sync/"
INSIDE = ("desk", "mira", "bob")


def readers(owner: str, audience: str) -> set[str]:
    """Return the people who read a memory, once all is healed and zoe is out."""
    if audience == f"team:{TEAM}":
        return {owner, *INSIDE}
    if audience == f"team:{OTHER}":
        return {owner, "mira", "bob"}
    if audience.startswith("project:"):
        return {owner, "desk", "mira"}
    if audience.startswith("agent:"):
        return {owner, "mira" if owner == "desk" else "desk"}
    return {owner}


def unlike(five: Five) -> Iterator[str]:
    """Give what a machine reads and must not, or does not and must, or what is wrong with it.

    What zoe wrote for the team counts as far as it was seen before she was out: all agree on that.
    """
    reads = {name: five.machines[name].reads() for name in NAMES}
    for name in NAMES:
        person = five.of(name)
        for memory, one in five.memories.items():
            if one.owner == "zoe" and person != "zoe" and one.audience == f"team:{TEAM}":
                continue
            is_read = not one.is_forgotten and person in readers(one.owner, one.audience)
            if reads[name].get(memory) != (one.text if is_read else None):
                yield f"{name} reads {reads[name].get(memory)} and not {one}, if {is_read}"
        unknown = reads[name].keys() - five.memories.keys()
        yield from (f"{name} reads {memory}, which nobody wrote" for memory in unknown)
        if not five.machines[name].is_sound():
            yield f"{name} finds something wrong with itself"
    theirs = [
        {m: t for m, t in reads[n].items() if five.memories[m].owner == "zoe"} for n in INSIDE
    ]
    shared = [
        {m: t for m, t in found.items() if five.memories[m].audience == f"team:{TEAM}"}
        for found in theirs
    ]
    if any(found != shared[0] for found in shared):
        yield f"they do not agree on what zoe wrote: {shared}"


def leaked(five: Five) -> Iterator[str]:
    """Give the words that lie in the files of a machine whose person was never let in.

    The machines have ended.
    """
    for name in NAMES:
        data = b"".join(bytes_of(five.machines[name].home))
        person = five.of(name)
        barred = [one.word for one in five.written if person not in one.people]
        barred += [OTHER] if person in ("desk", "zoe") else []
        barred += [PROJECT] if person in ("bob", "zoe") else []
        yield from (f"{word} lies on {name}" for word in barred if word.encode() in data)


def kept(five: Five) -> Iterator[str]:
    """Give the words that a row of a machine still has, though its person reads them no more.

    Bytes that no row owns are not looked at: the index keeps what it had until it is written anew.
    """
    for name in NAMES:
        rows = "\n".join(rows_of(five.machines[name].home / "node.db"))
        person = five.of(name)
        for one in five.written:
            memory = five.memories[one.memory]
            is_zoes = memory.owner == "zoe" and memory.audience == f"team:{TEAM}"
            is_over = person not in readers(memory.owner, memory.audience) and not is_zoes
            is_own = person == memory.owner or one.word == one.memory
            if (is_over or memory.is_forgotten) and not is_own and one.word in rows:
                yield f"{name} still has {one.word} of {memory}"


def rows_of(path: Path) -> Iterator[str]:
    """Yield every row of a file, but for those of the index."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (name,) in tables.fetchall():
            if not name.startswith("terms"):
                yield from map(repr, connection.execute(f"SELECT * FROM {name}"))


def bytes_of(home: Path) -> Iterator[bytes]:
    """Yield what every file of a home holds."""
    for path in sorted(home.rglob("*")):
        if path.is_file():
            yield path.read_bytes()


def readable(five: Five) -> set[str]:
    """Return what somebody on the way can read of all that must not be read there."""
    words = {one.word for one in five.written}
    words |= {TEAM, PROJECT, OTHER, *AGENTS.values(), *PEOPLE.values(), *five.ids.values()}
    words |= set(five.codes)
    for code in five.codes:
        _, *said = code.split("-")
        words |= {sign.join(said) for sign in ("-", " ", ",", '","', "")}
    data = b"\n".join(bytes(part) for one in five.ways.said for part in (one.asked, one.answered))
    return words_in(data, words) | {one.decode() for one in re.findall(ID, data)}


ID = rb"(?:mem|lnk|team|prj|agt)_[a-z2-7]{32}"


def misled(five: Five) -> Iterator[str]:
    """Give what a bundle holds that is not for whom it was sealed to, opened as that one does."""
    opened = 0
    for one in exchanges(five.ways.said):
        for sender, receiver, body in _bodies(one):
            person = five.of(receiver)
            for line in _lines(five, sender, receiver, body):
                opened += 1
                for each in five.written:
                    if person not in each.people and each.word.encode() in line:
                        yield f"{each.word} went from {sender} to {receiver}: {line[:200]!r}"
    if not opened:
        yield "nothing went anywhere"


def _bodies(one: Exchange) -> Iterator[tuple[str, str, bytes]]:
    if not one.target.startswith(f"{SYNC}pu"):
        return
    if one.asked.body:
        yield one.asker, one.answerer, one.asked.body
    if one.answered is not None and " 200 " in one.answered.first and one.answered.body:
        yield one.answerer, one.asker, one.answered.body


def _lines(five: Five, sender: str, receiver: str, body: bytes) -> Iterator[bytes]:
    here = identity.device(str(five.machines[receiver].home))
    there = identity.device(str(five.machines[sender].home)).public
    try:
        for batch in read.opened(io.BytesIO(body), here, lambda _: there).batches:
            yield from batch.lines
    except AgentMemoryError as error:
        yield f"{error}".encode()
