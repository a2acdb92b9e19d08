"""Stores of an invented fleet: a dozen agents in four teams, who keep some and share some.

Half of the memories are private, three in ten are shared with a team, one in twenty with a project,
the rest with every agent. The first agent sees about a quarter of all: its own, and what its team,
its project and everyone share.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from random import Random

from agent_memory_os.client import MemoryClient
from benchmarks.corpus import SEED, Corpus, Note

AGENTS = 12
TEAMS = 4
READER = "agent00"
NEWCOMER = "newcomer"
"""An agent that is in no team and owns five memories."""

BLOCK = 240
"""So many memories of one owner follow each other: some whole sessions."""

_SHARES = ("team", "project", "global")


def build(folder: str, count: int) -> str:
    """Return the home of a store of so many memories, made if the folder has none yet."""
    home = os.path.join(folder, f"home-{count}")
    done = os.path.join(folder, f"home-{count}.done")
    if os.path.exists(done):
        return home
    found(home)
    clients = [MemoryClient(home, agent=f"agent{number:02}") for number in range(AGENTS)]
    notes = Corpus().notes(count)
    shares = audiences()
    number = 0
    while block := list(islice(notes, BLOCK)):
        agent = owner_of(number)
        for _ in clients[agent].add_many(items(block, agent, shares)):
            pass
        number += len(block)
    with MemoryClient(home, agent=NEWCOMER) as newcomer:
        for note in Corpus(SEED + 1).notes(5):
            newcomer.add(note.text)
    for client in clients:
        client.close()
    with open(done, "wb"):
        return home


def found(home: str) -> None:
    """Make the home with its agents, teams and one project."""
    with MemoryClient(home, agent=READER) as client:
        organisation = client.node.organisation
        for number in range(1, AGENTS):
            organisation.add_agent(f"agent{number:02}")
        for team in range(TEAMS):
            organisation.add_team(f"team{team}")
            for number in range(team, AGENTS, TEAMS):
                organisation.join(f"agent{number:02}", f"team:team{team}")
            organisation.add_project(f"team{team}", "site")
            for number in range(team, AGENTS, TEAMS):
                organisation.join(f"agent{number:02}", f"project:team{team}/site")


def owner_of(number: int) -> int:
    """Return which agent owns the memory of a number."""
    return number // BLOCK % AGENTS


def audiences(seed: int = SEED) -> Iterator[str]:
    """Yield whom each memory is shared with, without the name of the team."""
    draw = Random(seed)
    while True:
        chance = draw.random()
        yield ("private", *_SHARES)[(chance >= 0.5) + (chance >= 0.8) + (chance >= 0.85)]  # noqa: PLR2004


def audience(kind: str, agent: int) -> str:
    """Return an audience as an agent writes it."""
    team = agent % TEAMS
    return {"team": f"team:team{team}", "project": f"project:team{team}/site"}.get(kind, kind)


def items(notes: list[Note], agent: int, shares: Iterator[str]) -> Iterator[dict[str, object]]:
    """Yield notes as one agent adds them."""
    for note in notes:
        yield {
            "content": note.text,
            "author": note.author,
            "session": note.session,
            "position": note.position,
            "share": audience(next(shares), agent),
        }
