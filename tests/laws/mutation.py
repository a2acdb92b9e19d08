"""Switching parts of the gate off, one at a time: the laws must notice each.

A mutation replaces a piece of SQL in the named queries, wherever it stands, or a function. What it
switches off is the test of the tests: a law that passes without the rule that it is about holds
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import pytest

from agent_memory_os.model.principal import Sight
from agent_memory_os.service.memory import history
from agent_memory_os.store import lexical, memories, queries
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.lexical import Reach
from agent_memory_os.store.memory import put


class Mutation(NamedTuple):
    """A change to the SQL: in some queries, or in each that has the old text."""

    what: str
    old: str
    new: str
    queries: tuple[str, ...] = ()


GATE = """(
  :gate_all
  OR m.owner = :gate_agent
  OR EXISTS (
    SELECT 1 FROM grants AS g
    WHERE g.memory = m.rowid AND g.until IS NULL
      AND g.scope IN (SELECT value FROM json_each(:gate_scopes))
  )
)"""

GATED = (
    ("get",),
    ("page",),
    ("session_page",),
    ("before",),
    ("after",),
    ("by_id",),
    ("prefix",),
    ("owners",),
    ("of_memory",),
    ("all",),
    ("rows_readable",),
    ("recent", "admitted"),
    ("pinned", "admitted"),
    ("contexts", "admitted"),
    ("said_by", "admitted"),
    ("reader_own",),
)
"""The queries whose gate is switched off: recall's twice over, for each hit passes two gates."""

MUTATIONS = (
    Mutation("a grant that was taken back", " AND g.until IS NULL", ""),
    Mutation(
        "whose scope a grant is", "AND g.scope IN (SELECT value FROM json_each(:gate_scopes))", ""
    ),
    Mutation("whose memory a grant is on", "g.memory = m.rowid AND", ""),
    Mutation("the owner", "OR m.owner = :gate_agent", ""),
    Mutation("that all is the operator's alone", "  :gate_all\n", "  1\n"),
    Mutation("that all is the operator's", "  :gate_all\n", "  0\n"),
    Mutation(
        "that an agent acts",
        "WHERE a.agent = :agent AND a.state = 'active'",
        "WHERE a.agent = :agent",
    ),
    Mutation("that a team lives", "t.id = s.ref AND t.state = 'active'", "t.id = s.ref"),
    Mutation("that a project lives", "p.id = s.ref AND p.state = 'active'", "p.id = s.ref"),
    Mutation(
        "that a project's team lives", "t.id = p.team AND t.state = 'active'", "t.id = p.team"
    ),
    Mutation("that a project's add stands on the team's", " AND tx.add_digest = x.under", ""),
    Mutation("who is the member", "WHERE x.agent = :row", "WHERE 1", ("scopes_of_agent",)),
    Mutation("that a memory is not forgotten", "m.state = 'active'", "1"),
    Mutation(
        "that a memory has not expired", "AND (m.expires_at IS NULL OR m.expires_at > :now)", ""
    ),
    Mutation(
        "that a memory is valid yet", "AND (m.valid_from IS NULL OR m.valid_from <= :now)", ""
    ),
    *(Mutation(f"the gate of {' and '.join(names)}", GATE, "1", names) for names in GATED),
)


def mutate(monkeypatch: pytest.MonkeyPatch, mutation: Mutation) -> None:
    """Change the named queries until the test is over; the old text must be there."""
    original = queries._sections  # noqa: SLF001 - the one place where every query passes
    changed: list[str] = []
    nouns = ("gate", "memory", "page", "session", "link", "organisation", "lexical", "fragment")
    for noun in nouns:
        original(noun)  # read before anything is changed: what is read once is kept

    @cache
    def sections(noun: str) -> dict[str, str]:
        found = dict(original(noun))
        for name, body in found.items():
            if mutation.old in body and (not mutation.queries or name in mutation.queries):
                changed.append(name)
                found[name] = body.replace(mutation.old, mutation.new)
        return found

    monkeypatch.setattr(queries, "_sections", sections)
    monkeypatch.setattr(queries, "_form", cache(queries._form.__wrapped__))  # noqa: SLF001 - as above
    for noun in nouns:
        sections(noun)
    assert changed, f"no query has {mutation.old!r}"


def _everything(_: Sight, __: str, grants: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(grants))


def _always(_: Gate, spans: list[Any]) -> list[tuple[int, int | None]]:
    return [(0, None)] * len(spans)


def _as_the_owner(*_: object) -> bool:
    return True


def _every_scope(_: Reach, term: str) -> str:
    quoted = term.replace('"', '""')
    return " OR ".join(f'"{scope}:{quoted}"' for scope in range(1, 40))


FUNCTIONS: tuple[tuple[str, object, str, Callable[..., Any]], ...] = (
    ("which grants a reader knows of", memories, "visible_grants", _everything),
    ("when a grant held", history, "_reached", _always),
    ("whose history it is", history, "_is_own", _as_the_owner),
)


def _frequency_of_all(snapshot: Snapshot, _: Reach, term: str) -> int:
    rows = snapshot.rows("SELECT terms FROM documents")
    return sum(term in row[0].split(" ") for row in rows)


def _counts_of_all(snapshot: Snapshot, gate: Gate) -> Reach:
    found = snapshot.row("SELECT sum(documents), sum(words) FROM scopes") or (0, 0)
    return Reach(gate.scopes, found[0], found[1])


RANKING: tuple[tuple[str, object, str, Callable[..., Any]], ...] = (
    ("the scopes of a term", lexical, "_any_scope", _every_scope),
    ("where a term is counted", lexical, "frequency", _frequency_of_all),
    ("where words are counted", lexical, "reach", _counts_of_all),
)
"""What only changes the order or the reasons; the gate still keeps what is hidden out."""

INDEX: tuple[str, object, str, Callable[..., Any]] = (
    "the scopes of a term",
    lexical,
    "_any_scope",
    _every_scope,
)
"""What keeps a search inside the scopes, before both gates of recall."""

HISTORY: tuple[tuple[str, object, str, Callable[..., Any]], ...] = (
    ("when the audience last changed", put, "last_grant_change", lambda *_: 0),
)
"""What keeps the events of one memory in order when the clock does not."""
