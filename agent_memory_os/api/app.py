"""The API's application: the routes, their errors, and the guard before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from agent_memory_os import __version__
from agent_memory_os.api import answer
from agent_memory_os.api import routes as routes_of
from agent_memory_os.api.contract import complete, operation_id, rights
from agent_memory_os.api.door import Door
from agent_memory_os.api.guard import Guard
from agent_memory_os.api.routes import (
    conflicts,
    events,
    exchange,
    fleet,
    health,
    identity,
    invitations,
    keys,
    memories,
    moves,
    owners,
    pairing,
    peers,
    quarantine,
    recall,
    receipts,
    session,
    sync,
    transfer,
    upkeep,
    usage,
)
from agent_memory_os.errors import AgentMemoryError

ROUTERS = (
    recall.router,
    memories.router,
    health.router,
    owners.router,
    transfer.router,
    events.router,
    fleet.router,
    moves.router,
    upkeep.router,
    keys.router,
    usage.router,
    session.router,
    peers.router,
    invitations.router,
    exchange.router,
    quarantine.router,
    conflicts.router,
    receipts.router,
)
"""The routers of all nouns; a new one is a file of ``routes`` and a word here.

A request is matched with their routes in this order, so what is asked for most stands first.
"""
ALIASES = {"earlier": r"/health|/api/.*", "engram": r"/v1/(memory|sessions)(/.*)?"}
"""Files of ``routes`` whose routers are aliases, and their paths: loaded when one is asked for."""

_ALIASED = re.compile("|".join(ALIASES.values()), re.DOTALL)


@cache
def aliases() -> tuple[APIRouter, ...]:
    """Return the routers of the aliases, which take a while to make the first time."""
    return tuple(import_module(f"{routes_of.__name__}.{name}").router for name in ALIASES)


def routers(path: str | None = None) -> tuple[APIRouter, ...]:
    """Return all routers, or those that may have a path."""
    return (*ROUTERS, *aliases()) if path is None or _ALIASED.fullmatch(path) else ROUTERS


class Api(FastAPI):
    """The application; its schema says what the routes say, and what holds for all of them."""

    _has_aliases = False
    _taking_in = Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; the aliases are taken in before the first of theirs."""
        if not self._has_aliases and _ALIASED.fullmatch(scope.get("path", "")):
            self.take_in_aliases()
        await super().__call__(scope, receive, send)

    def take_in_aliases(self) -> None:
        """Serve the aliases too from now on."""
        # The schema is made in a thread, and may ask for them at the same time.
        with self._taking_in:
            for router in () if self._has_aliases else aliases():
                self.include_router(router)
            self._has_aliases = True

    def openapi(self) -> dict[str, Any]:
        """Return the schema, which is made when it is first asked for."""
        if not self.openapi_schema:
            self.take_in_aliases()
            self.openapi_schema = complete(super().openapi(), rights(routers()))
        return self.openapi_schema

    @staticmethod
    def route_for(method: str, path: str) -> str:
        """Return the path of the route for a method and a path, as it is written, or nothing."""
        found = (route for route in _routes_at(path) if method in (route.methods or ()))
        return next((route.path for route in found), "")

    @staticmethod
    def allowed(path: str) -> list[str]:
        """Return the methods that a path takes: those of its own route, where it has one."""
        found = list(_routes_at(path))
        own = [route for route in found if route.path == path] or found
        return sorted(method for route in own for method in route.methods or ())


def _routes_at(path: str) -> Iterator[APIRoute]:
    for router in routers(path):
        for route in router.routes:
            if isinstance(route, APIRoute) and route.path_regex.match(path):
                yield route


def routes() -> Api:
    """Return the application without its guard: what the schema is made from."""
    app = Api(
        title="Agent Memory OS",
        version=__version__,
        summary="A node's memory, each caller seeing what it may.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=operation_id,
    )
    app.add_route("/v1/openapi.json", _schema, include_in_schema=False)
    for router in ROUTERS:
        app.include_router(router)
    app.add_exception_handler(AgentMemoryError, answer.told)
    app.add_exception_handler(RequestValidationError, answer.told_invalid)
    app.add_exception_handler(HTTPException, answer.told_http)
    app.add_exception_handler(Exception, answer.told_fault)
    return app


async def _schema(request: Request) -> Response:
    """Return the schema of the API, which takes a moment to make the first time."""
    return answer.answer(await run_in_threadpool(request.app.openapi))


def build(door: Door) -> ASGIApp:
    """Return the application that serves a node."""
    app = routes()
    if door.peering is not None:
        app.include_router(sync.router)
        app.include_router(pairing.router)
        app.include_router(identity.router)
    return Guard(app, door, app.route_for)
