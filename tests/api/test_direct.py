"""A query that a route reads itself is read as FastAPI reads any other."""

from __future__ import annotations

import asyncio
from typing import Annotated

import httpx
import pytest
from fastapi import FastAPI, Query
from fastapi.exceptions import RequestValidationError
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from starlette.datastructures import QueryParams

from agent_memory_os.api.direct import Direct, read
from agent_memory_os.api.request.narrow import Listing, Packing, Searching, Timing
from agent_memory_os.api.routes import memories, recall
from tests.api.served import Served

NAMES = ("query", "type", "tag", "owner", "since", "limit", "pinned", "at", "max_tokens", "other")
VALUES = ("note", "fact", "7", "-1", "true", "", "2026-01-02T03:04:05Z", "é x", "null")
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=6)
MODELS: dict[str, type[BaseModel]] = {
    "list": Listing,
    "search": Searching,
    "pack": Packing,
    "timeline": Timing,
}


Reading = tuple[int, object]


def build() -> FastAPI:
    """Return an application in which FastAPI reads the same models."""
    app = FastAPI()

    def add(name: str, model: type[BaseModel]) -> None:
        async def endpoint(narrow: object) -> str:
            return repr(narrow)

        endpoint.__annotations__["narrow"] = Annotated[model, Query()]
        app.get(f"/{name}")(endpoint)

    for name, model in MODELS.items():
        add(name, model)
    return app


THEIRS = build()


def theirs(name: str, pairs: list[tuple[str, str]]) -> Reading:
    """Return what FastAPI makes of a query: the model, or the faults and their places."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(THEIRS)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.get(f"/{name}", params=tuple(pairs))

    answer = asyncio.run(ask())
    told = answer.json()
    if answer.status_code == 200:
        return 200, told
    return answer.status_code, [(fault["type"], fault["loc"]) for fault in told["detail"]]


def ours(name: str, pairs: list[tuple[str, str]]) -> Reading:
    """Return what a direct route makes of it."""
    try:
        return 200, repr(read(MODELS[name], QueryParams(pairs)))
    except RequestValidationError as error:
        return 422, [(fault["type"], list(fault["loc"])) for fault in error.errors()]


@given(st.sampled_from(sorted(MODELS)), PAIRS)
def test_a_query_is_read_as_ever(name: str, pairs: list[tuple[str, str]]) -> None:
    """What is taken and what is refused, and where, is what FastAPI takes and refuses."""
    assert ours(name, pairs) == theirs(name, pairs)


@pytest.mark.parametrize("path", ["/v1/search", "/v1/pack", "/v1/timeline", "/v1/memories"])
def test_the_routes_that_are_asked_most_are_direct(served: Served, path: str) -> None:
    """A search, a pack, a timeline and a list refuse a parameter that there is not, by its name."""
    routes = [*recall.router.routes, *memories.router.routes]
    assert any(isinstance(route, Direct) and route.path == path for route in routes)
    answer = served["ann"].get(path, params={"query": "x", "around": "mem_x", "nothing": "1"})
    assert answer.status_code == 422
    assert "nothing" in answer.json()["detail"] or "query" in answer.json()["detail"]


def test_who_may_not_read_is_told_so(served: Served) -> None:
    """A key for the metrics alone reads nothing through a route that reads its query itself."""
    answer = served["metrics"].get("/v1/search", params={"query": "x"})
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
