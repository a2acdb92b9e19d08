"""What users of engram call: facts, and the messages of a session in their order.

A fact is a memory of the key's agent, and so is a message: its author is the role of who said it.
``user_id`` and ``org_id`` may name that agent, or be left at ``default``: no tenant is taken from a
request.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from agent_memory_os.api.access import Caller, door_of, reading, text_of
from agent_memory_os.api.answer import Refusal, answer
from agent_memory_os.api.contract import problems
from agent_memory_os.api.request import alias, convert
from agent_memory_os.model.memory import MAX_LABEL, TYPES
from agent_memory_os.model.recall import RecallRequest
from agent_memory_os.recall.arbitrate import SUPERSEDED
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.wire import encode
from agent_memory_os.wire import engram as shape
from agent_memory_os.wire.schema import engram as schema
from agent_memory_os.wire.schema.memory import Page

router = APIRouter(prefix="/v1", tags=["engram"])
Reader = Annotated[Caller, Depends(reading)]
Once = Annotated[str, Header(alias="Idempotency-Key", max_length=200)]

Session = Annotated[str, Path(max_length=MAX_LABEL, json_schema_extra={"pattern": r"\S"})]

PACKED = 30
"""So many facts are looked at for a context."""

_NO_MODEL = (
    "This node has no language model and extracts nothing: record each fact by itself, or keep the "
    "messages in their session."
)


@router.post("/memory", response_model=schema.Fact, responses=problems(410))
@router.post(
    "/memory/record", response_model=schema.Fact, responses=problems(410), name="record_fact"
)
async def record(
    request: Request, caller: Reader, body: schema.NewFact, idempotency_key: Once = ""
) -> Response:
    """Record a fact for the key's agent; the same again comes back as it is there."""
    door = door_of(request)
    alias.check_tenant(door, caller, body.user_id, body.org_id)
    new = _fact(body)._replace(key=text_of(idempotency_key))
    outcome = await run_in_threadpool(door.node.memories.add, caller.principal, new)
    return answer(shape.of_fact(outcome.memory))


@router.post("/memory/search", response_model=schema.FactHits)
async def search(request: Request, caller: Reader, body: schema.FactSearch) -> Response:
    """Return the facts that answer a query, best first."""
    alias.check_tenant(door_of(request), caller, body.user_id, body.org_id)
    return await _found(request, caller, body.query, body.top_k)


@router.get("/memory/recall", response_model=schema.FactHits)
async def recall(
    request: Request, caller: Reader, asked: Annotated[alias.Recalling, Query()]
) -> Response:
    """Return the facts that answer a query, best first; it is asked by parameters."""
    alias.check_tenant(door_of(request), caller, asked.user_id, asked.org_id)
    return await _found(request, caller, asked.query, asked.top_k)


@router.get("/memory/raw_facts", response_model=schema.FactHits)
async def raw_facts(
    request: Request, caller: Reader, asked: Annotated[alias.RecallingMore, Query()]
) -> Response:
    """Return the facts that answer a query, best first; thirty, where no number is named."""
    alias.check_tenant(door_of(request), caller, asked.user_id, asked.org_id)
    return await _found(request, caller, asked.query, asked.top_k)


@router.get("/memory/context", response_model=schema.FactContext)
async def context(
    request: Request, caller: Reader, asked: Annotated[alias.Context, Query()]
) -> Response:
    """Return what answers a query as a text for a prompt, within a token budget."""
    door = door_of(request)
    alias.check_tenant(door, caller, asked.user_id, asked.org_id)
    wanted = RecallRequest(asked.query, door.clock(), PACKED)
    made = await run_in_threadpool(
        door.node.recall.pack, caller.principal, wanted, asked.token_budget
    )
    return answer({"context": made.text})


@router.post("/memory/extract", response_model=schema.Facts)
async def extract(request: Request, caller: Reader, body: schema.Extraction) -> Response:
    """Say that nothing is extracted here: that takes a language model."""
    alias.check_tenant(door_of(request), caller, body.user_id, body.org_id)
    raise Refusal(400, "usage", _NO_MODEL)


@router.post(
    "/sessions/{session:path}/messages", response_model=schema.Message, responses=problems(410)
)
async def say(
    request: Request,
    caller: Reader,
    session: Session,
    body: schema.NewMessage,
    idempotency_key: Once = "",
) -> Response:
    """Keep a message at the end of a session of the key's agent, and tell its place there."""
    door = door_of(request)
    alias.check_tenant(door, caller, body.user_id, body.org_id)
    new = NewMemory(
        body.content,
        author=body.role,
        session=session,
        event_at=convert.instant(body.timestamp),
        key=text_of(idempotency_key),
    )
    outcome = await run_in_threadpool(door.node.memories.append, caller.principal, new)
    return answer(shape.of_message(outcome.memory))


@router.get("/sessions/{session:path}/messages", response_model=Page)
async def messages(
    request: Request, caller: Reader, session: Session, asked: Annotated[alias.Reading, Query()]
) -> Response:
    """List what was said in a session, in its order, a page at a time."""
    door = door_of(request)
    alias.check_tenant(door, caller, asked.user_id, asked.org_id)
    page = await run_in_threadpool(
        door.node.memories.session,
        caller.principal,
        session,
        asked.owner,
        asked.limit,
        asked.cursor,
    )
    return answer(encode.of_page(page, door.clock()))


async def _found(request: Request, caller: Caller, query: str, limit: int) -> Response:
    door = door_of(request)
    wanted = RecallRequest(query, door.clock(), limit)
    search = door.node.recall.search
    found = await run_in_threadpool(search, caller.principal, wanted, superseded=False)
    hits = [hit for hit in found.hits if SUPERSEDED not in hit.marks]
    return answer({"hits": [shape.of_hit(hit) for hit in hits]})


def _fact(body: schema.NewFact) -> NewMemory:
    """Return the memory that a fact is: what no field of it holds stands in its source."""
    source: dict[str, Any] = {**body.metadata, "polarity": body.polarity, "tier": body.tier}
    if body.category:
        source["category"] = body.category
    return NewMemory(
        body.text,
        type=body.category if body.category in TYPES else "fact",
        tags=(body.category,) if body.category else (),
        source=source,
        author=body.role or "",
        session=body.session_id or "",
        confidence=convert.thousandths(body.confidence),
        valid_from=convert.instant(body.valid_from),
        event_at=convert.instant(body.event_date),
    )
