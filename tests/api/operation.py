"""Every operation of the API, taken from its own schema, so that a new one is in each test."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from agent_memory_os.api.app import routes

PLACES = {
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

    def at(self, **places: str) -> str:
        """Return its path with something in each place."""
        given = PLACES | places
        return re.sub(r"\{(\w+)\}", lambda name: given.get(name[1], "nothing"), self.path)


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
