"""The API's application: the routes, their errors, and the guard before them."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from agent_memory_os import __version__
from agent_memory_os.api import answer
from agent_memory_os.api.door import Door
from agent_memory_os.api.guard import Guard
from agent_memory_os.api.routes import fleet, health, memories, recall, session
from agent_memory_os.errors import AgentMemoryError

ROUTERS = (health.router, memories.router, recall.router, fleet.router, session.router)
"""The routers of all nouns; a new one is a file of ``routes`` and a word here."""


def routes() -> FastAPI:
    """Return the application without its guard: what the schema is made from."""
    app = FastAPI(
        title="Agent Memory OS",
        version=__version__,
        summary="A node's memory, each caller seeing what it may.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    for router in ROUTERS:
        app.include_router(router)
    app.add_exception_handler(AgentMemoryError, answer.told)
    app.add_exception_handler(RequestValidationError, answer.told_invalid)
    app.add_exception_handler(HTTPException, answer.told_http)
    app.add_exception_handler(Exception, answer.told_fault)
    return app


def build(door: Door) -> ASGIApp:
    """Return the application that serves a node."""
    return Guard(routes(), door)
