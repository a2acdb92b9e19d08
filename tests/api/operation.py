"""Every operation of the API, taken from its own schema, so that a new one is in each test."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, NamedTuple

import httpx

from agent_memory_os.api.app import routes

PLACES = {
    "number": "7",
    "memory": "mem_" + "a" * 32,
    "other": "mem_" + "b" * 32,
    "agent": "ann",
    "team": "apollo",
    "project": "site",
}
"""What stands in a path where a test has nothing better."""


class Operation(NamedTuple):
    """An operation: its method, its path with names in braces, and what the schema says of it."""

    method: str
    path: str
    schema: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def right(self) -> str:
        """Return the right that it needs, or nothing."""
        return str(self.schema["x-right"])

    @property
    def body(self) -> Any:  # noqa: ANN401 - any JSON
        """Return the example of its body, or ``None`` where it takes none."""
        for content in self.schema.get("requestBody", {}).get("content", {}).values():
            name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            examples = document()["components"]["schemas"].get(name, {}).get("examples", [None])
            return examples[0]
        return None

    @property
    def query(self) -> dict[str, str]:
        """Return the examples of the parameters of its query that it needs."""
        own = [one for one in self.schema["parameters"] if one.get("in") == "query"]
        return {one["name"]: one["example"] for one in own if one["required"]}

    def send(self, client: httpx.Client, headers: Any = None, **places: str) -> httpx.Response:  # noqa: ANN401
        """Send its example; a place may be named in its path or in its body."""
        body = self.body
        if isinstance(body, dict):
            body = {name: places.get(name, value) for name, value in body.items()}
        content = None if body is None else json.dumps(body).encode()
        kind = {} if body is None else {"content-type": "application/json"}
        request = client.build_request(
            self.method,
            self.at(**places),
            params=self.query,
            content=content,
            headers={**kind, **(headers or {})},
        )
        return whole(client, request)

    def at(self, **places: str) -> str:
        """Return its path with something in each place."""
        given = PLACES | places
        return re.sub(r"\{(\w+)\}", lambda name: given.get(name[1], "nothing"), self.path)


def whole(client: httpx.Client, request: httpx.Request) -> httpx.Response:
    """Send a request; of a stream, which does not end, only that it begins is waited for."""
    done = client.send(request, stream=True)
    if done.headers.get("content-type", "").startswith("text/event-stream"):
        done.close()
        return httpx.Response(done.status_code, headers=done.headers, request=request, content=b"")
    done.read()
    return done


@cache
def document() -> dict[str, Any]:
    """Return the schema of the API."""
    return routes().openapi()


OPERATIONS = [
    Operation(method.upper(), path, schema)
    for path, methods in document()["paths"].items()
    for method, schema in methods.items()
]
"""Every operation that there is."""
