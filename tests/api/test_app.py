"""The application: which routes it has at once, and which when they are asked for."""

from __future__ import annotations

import subprocess
import sys

from fastapi import APIRouter
from fastapi.routing import APIRoute

from agent_memory_os.api.app import ROUTERS, aliases, routers, routes
from tests.api.served import Served


def paths(found: tuple[APIRouter, ...]) -> list[str]:
    """Return the paths of routers as they are asked for, with something in each place."""
    every = [route for router in found for route in router.routes]
    assert every
    return [route.path.replace("{", "").replace("}", "") for route in map(as_route, every)]


def as_route(route: object) -> APIRoute:
    """Return a route as what it is."""
    assert isinstance(route, APIRoute)
    return route


def test_aliases_are_found_by_their_paths() -> None:
    """Each path of an alias has the aliases looked through, and no other path has."""
    assert all(routers(path) == (*ROUTERS, *aliases()) for path in paths(aliases()))
    assert all(routers(path) == ROUTERS for path in [*paths(ROUTERS), "/", "/v1", "/api", "/x"])


def test_a_server_starts_without_the_aliases() -> None:
    """They are not loaded by the application, but by what asks for one of them, or the schema."""
    loaded = "print(any(n.endswith(('.earlier', '.engram')) for n in sys.modules))"
    program = (
        f"import sys; from agent_memory_os.api.app import routes; app = routes(); {loaded}; "
        f"app.openapi(); {loaded}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


def test_the_schema_names_aliases_once() -> None:
    """However often they are taken in."""
    app = routes()
    before = len(app.routes)
    app.take_in_aliases()
    taken_in = len(app.routes)
    app.take_in_aliases()
    assert before < taken_in == len(app.routes)
    assert {"/api/memories", "/v1/memory/search"} <= set(app.openapi()["paths"])


def test_an_alias_answers_when_it_is_first_asked_for(served: Served) -> None:
    """The first request for one is answered as every other."""
    assert served["ann"].get("/health").status_code == 200
    assert served["ann"].get("/api/memories").status_code == 200
    assert served["ann"].get("/v1/memory/recall", params={"query": "x"}).status_code == 200
