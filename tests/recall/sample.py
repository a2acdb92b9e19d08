"""Memories, candidates and hits for the tests of recall, made from what a test cares about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_memory_os.model.memory import Content, Memory
from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import (
    Admitted,
    Candidate,
    Fused,
    Hit,
    RecallRequest,
    RecallState,
    Supersession,
)
from agent_memory_os.recall.fuse import addends

NOW = 1_750_000_000_000
DAY = 86_400_000
SCOUT = "agt_scout"
REST_OF_ID = "q5xw2mfjkztn7bohvrcsdlyeapgu"


def memory(
    row: int,
    text: str = "",
    *,
    owner: str = SCOUT,
    owner_name: str = "scout",
    audience: Iterable[str] = (),
    created_at: int = NOW - 10 * DAY,
    updated_at: int | None = None,
    **fields: object,
) -> Memory:
    """Return a memory whose id follows from its row."""
    content = Content(
        content=text or f"Memory {row}.",
        created_at=created_at,
        updated_at=created_at if updated_at is None else updated_at,
        **fields,  # type: ignore[arg-type]
    )
    return Memory(
        id=f"mem_{row:04d}{REST_OF_ID}",
        owner=owner,
        owner_name=owner_name,
        content=content,
        audience=tuple(audience),
        state="active",
        version=1,
    )


def row_of(memory_id: str) -> int:
    """Return the row from which a memory's id follows."""
    return int(memory_id.removeprefix("mem_").removesuffix(REST_OF_ID))


def candidate(row: int, provider: str = "lexical", rank: int = 1, **features: float) -> Candidate:
    """Return what a provider says of a row."""
    return Candidate(row, rank, provider, features)


def admitted(one: Memory, provider: str = "lexical", **features: float) -> Admitted:
    """Return a memory that was read again, with the relevance that its features give it."""
    relevance = sum(addends(features, (provider,)).values())
    return Admitted(Fused(row_of(one.id), relevance, features, (provider,)), one)


def hit(one: Memory, score: float = 0.5, *marks: str) -> Hit:
    """Return a ranked memory."""
    return Hit(one, score, {"match": score}, ("lexical",), marks)


def state(
    *,
    now: int = NOW,
    limit: int = 10,
    terms: Iterable[str] = ("gateway",),
    candidates: Iterable[Candidate] = (),
    admitted: Iterable[Admitted] = (),
    supersessions: Iterable[Supersession] = (),
    hits: Iterable[Hit] = (),
) -> RecallState:
    """Return a state of recall that has come as far as what is given."""
    return RecallState(
        request=RecallRequest("gateway", now, limit),
        principal=Principal.of_agent(SCOUT),
        terms=tuple(terms),
        candidates=tuple(candidates),
        admitted=tuple(admitted),
        supersessions=tuple(supersessions),
        hits=tuple(hits),
    )


def scores(hits: Iterable[Hit]) -> Mapping[str, float]:
    """Return each hit's score by memory id."""
    return {one.memory.id: one.score for one in hits}
