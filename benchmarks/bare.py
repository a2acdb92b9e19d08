"""Applications that do nothing, to compare a served node with: ``python -m benchmarks.bare KIND``.

``asgi`` answers each request with two bytes of JSON; ``fastapi`` does so through a route. The URL
is printed when it listens.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any

import uvicorn


def asgi() -> Any:  # noqa: ANN401 - an ASGI application
    """Return an application of two messages."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]

    async def application(_: Any, __: Any, send: Any) -> None:  # noqa: ANN401 - of ASGI
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})

    return application


def fastapi() -> Any:  # noqa: ANN401 - an ASGI application
    """Return an application of one route."""
    from fastapi import FastAPI

    application = FastAPI()

    @application.get("/")
    async def root() -> dict[str, str]:
        return {}

    return application


class Server(uvicorn.Server):
    """A server that prints its URL when it listens."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say where."""
        await super().startup(sockets=sockets)
        assert sockets  # noqa: S101 - it was given one
        print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)


def main() -> None:
    """Serve the application of the kind that the command line names."""
    application = {"asgi": asgi, "fastapi": fastapi}[sys.argv[1]]()
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        application, http="h11", ws="none", lifespan="off", log_config=None, access_log=False
    )
    asyncio.run(Server(config).serve(sockets=[listening]))


if __name__ == "__main__":
    main()
