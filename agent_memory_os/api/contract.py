"""The schema of the API (OpenAPI 3.1): what the routes say of themselves, and what holds for all.

A route says which problems are its own (:func:`problems`). What every operation shares is added
here: who may call, the problems that the guard tells, the headers that a request and an answer
have, an example of each parameter, and the links from what makes a thing to what works on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from agent_memory_os.api.access import is_writing
from agent_memory_os.api.guard import OPEN
from agent_memory_os.model.key import READ, WRITE
from agent_memory_os.wire.problem import MEDIA_TYPE, TITLES
from agent_memory_os.wire.schema.memory import Problem
from agent_memory_os.wire.schema.places import PLACES
from agent_memory_os.wire.schema.words import WORDS

Schema = dict[str, Any]

DESCRIPTION = """\
Every caller sees what it may see, and what it may not see reads as what is not there. A key says
who asks: no part of a request can say otherwise. Times are RFC 3339 with a time zone, fractions lie
between 0 and 1, and a body with a name that is not known is refused. A problem is a document of
RFC 9457 with a `code` that is stable.
"""
SECURITY = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "amk_ID_SECRET",
        "description": "A key of the node: agent-memory key create NAME --agent AGENT",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "agent_memory_8765",
        "description": (
            "The session of a browser that signed in; the cookie's name ends with the server's "
            "port. What changes something must carry the session's word as X-CSRF-Token."
        ),
    },
}
ALWAYS = (403, 500)
KEYED = (401, 404, 429, 503)
CHANGING = (409, 507)
WITH_BODY = (400, 413, 415, 422)
_SAFE = frozenset(("get", "head", "options"))

STATUSES = {
    200: "Done.",
    201: "Made; nothing was there before.",
    204: "Done; there is nothing to tell.",
    303: "Go on there.",
    304: "Nothing changed since the ETag that was sent.",
}


class _Header(NamedTuple):
    description: str
    example: str
    pattern: str = ""

    def parameter(self, name: str) -> Schema:
        schema = {"type": "string"} | ({"pattern": self.pattern} if self.pattern else {})
        told = {"description": self.description, "example": self.example}
        return {
            "name": name,
            "in": "header",
            "required": False,
            "schema": schema,
            **told,
        }

    def header(self) -> Schema:
        return {"description": self.description, "schema": {"type": "string"}}


REQUEST_HEADERS = {
    "Agent-Memory-As": _Header(
        "Who acts: an agent by name or id, or `operator`. With an agent's key it is that agent.",
        "planner",
    ),
    "X-Request-Id": _Header(
        "An id for this request; what is no plain word gets another one.", "job-7"
    ),
    "X-CSRF-Token": _Header("With a browser's session: its word, from GET /v1/session.", "word"),
    "If-Match": _Header(
        "The ETag of the version that is meant; another one is a 412.",
        '"1.0123456789abcdef"',
        r'^(\*|"[0-9]{1,18}(\.[0-9a-f]{16})?")$',
    ),
    "If-None-Match": _Header(
        "The ETag of what is known already; the same is a 304.", '"1.0123456789abcdef"'
    ),
}
RESPONSE_HEADERS = {
    "X-Request-Id": _Header("The request's id, as it is in the log and in a problem.", ""),
    "ETag": _Header("The memory's version, and a hash of what is shown of it.", ""),
    "Location": _Header("Where it is.", ""),
    "Retry-After": _Header("After how many seconds it is worth another try.", ""),
    "Agent-Memory-Limit": _Header(
        "Which limit was reached: requests, writes, bytes, memories or streams.", ""
    ),
    "WWW-Authenticate": _Header("What is asked for: a key.", ""),
}
_HEADERS_OF = {
    201: ("Location",),
    303: ("Location",),
    401: ("WWW-Authenticate",),
    429: ("Retry-After", "Agent-Memory-Limit"),
    503: ("Retry-After",),
}

EXAMPLES = {
    "memory": "mem_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "other": "mem_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    "agent": "planner",
    "scope": "team:apollo",
    "team": "apollo",
    "project": "site",
    "key": "laptop",
    "peer": "laptop",
    "number": 100,
    "name": "MEMORY.md",
    "owner": "planner",
    "query": "when do we deploy",
    "q": "when do we deploy",
    "session": "standup",
    "anchor_id": "mem_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "at": "2026-05-08T12:00:00Z",
    "since": "2026-05-01T00:00:00Z",
    "Idempotency-Key": "job-7-step-3",
}
"""An example of each parameter that needs one, by its name."""

MADE = {
    "memories_add": ("memory", "/memory/id"),
    "fleet_add_agent": ("agent", "/name"),
    "fleet_add_team": ("team", "/name"),
    "fleet_add_project": ("project", "/name"),
}
"""What an operation makes: the parameter that names it elsewhere, and where its name stands."""


def problems(*statuses: int) -> dict[int | str, Schema]:
    """Return what a route says of problems of its own: ``responses=problems(409)``."""
    return {status: {"description": TITLES.get(status, STATUSES.get(status, ""))}
            for status in statuses}  # fmt: skip


def rights(routers: Iterable[APIRouter]) -> dict[str, str]:
    """Return the right that each operation needs, as its dependencies and its method say."""
    found = {}
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute):
                needed = [getattr(one.call, "right", "") for one in route.dependant.dependencies]
                right = next(filter(None, needed), "")
                changes = any(is_writing(method, route.path) for method in route.methods or ())
                found[operation_id(route)] = WRITE if changes and right == READ else right
    return found


def operation_id(route: APIRoute) -> str:
    """Return the name of a route's operation."""
    return f"{route.tags[0]}_{route.name}"


def complete(document: Schema, needed: Mapping[str, str]) -> Schema:
    """Return the schema of the API from what FastAPI made of the routes.

    ``needed`` is the right that each operation needs (:func:`rights`).
    """
    document["info"]["description"] = DESCRIPTION
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    _, problem = models_json_schema([(Problem, "serialization")])
    schemas |= problem["$defs"]
    components["schemas"] = dict(sorted(schemas.items()))
    components["securitySchemes"] = SECURITY
    components["parameters"] = {
        name: header.parameter(name) for name, header in REQUEST_HEADERS.items()
    }
    components["headers"] = {name: header.header() for name, header in RESPONSE_HEADERS.items()}
    components["responses"] = _problem_responses()
    for path, method, operation in operations(document):
        _complete(path, method, operation)
        operation["x-right"] = needed.get(operation["operationId"], "")
    for name, schema in components["schemas"].items():
        _tell_fields(name, schema)
    _link(document)
    _drop_titles(document)
    return document


def operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield each operation of a schema: its path, its method, and what is said of it."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _complete(path: str, method: str, operation: Schema) -> None:
    words = operation.get("description", "").replace("``", "`")
    operation["summary"], *more = re.split(r"(?<=[.?!])\s", words, maxsplit=1)
    operation["description"] = more[0] if more else operation["summary"]
    is_open, changes = path in OPEN, method not in _SAFE
    operation["security"] = [] if is_open else [{name: []} for name in SECURITY]
    _add_parameters(operation, is_open=is_open, changes=changes)
    own = operation["responses"]
    statuses = {*map(int, own), *ALWAYS}
    statuses |= set() if is_open else {*KEYED}
    statuses |= {*CHANGING} if changes else set()
    statuses |= {*WITH_BODY} if "requestBody" in operation else set()
    has_etag = 304 in statuses  # noqa: PLR2004 - not modified
    operation["responses"] = {
        str(status): _response(status, own.get(str(status), {}), has_etag=has_etag)
        for status in sorted(statuses)
    }


def _tell_fields(place: str, schema: Schema) -> None:
    """Say what each field of a schema means, by its name."""
    for name, field in schema.get("properties", {}).items():
        told = PLACES.get(f"{place}.{name}", WORDS.get(name))
        if told is not None:
            field.setdefault("description", told)


def _add_parameters(operation: Schema, *, is_open: bool, changes: bool) -> None:
    parameters = operation.setdefault("parameters", [])
    for parameter in parameters:
        if parameter["in"] == "header":
            words = parameter["name"].split("-")
            parameter["name"] = "-".join(word[:1].upper() + word[1:] for word in words)
        name = parameter["name"]
        if name in EXAMPLES:
            parameter.setdefault("example", EXAMPLES[name])
        told = parameter.get("description") or PLACES.get(f"parameter.{name}", WORDS.get(name))
        if told is not None:
            parameter["description"] = told
    wanted = ["X-Request-Id"]
    wanted += [] if is_open else ["Agent-Memory-As"]
    wanted += ["X-CSRF-Token"] if changes and not is_open else []
    wanted += ["If-Match"] if "412" in operation["responses"] else []
    wanted += ["If-None-Match"] if "304" in operation["responses"] else []
    parameters += [{"$ref": f"#/components/parameters/{name}"} for name in wanted]


def _response(status: int, own: Mapping[str, Any], *, has_etag: bool) -> Schema:
    if status in TITLES:
        return {"$ref": f"#/components/responses/{_problem_name(status)}"}
    names = _headers_of(status)
    names += ["ETag"] if has_etag and status in (200, 304) else []
    return {**own, "description": STATUSES[status], "headers": _refer("headers", names)}


def _problem_responses() -> Schema:
    """Return the answers of all problems, told once."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        _problem_name(status): {
            "description": f"{title}.",
            "content": content,
            "headers": _refer("headers", _headers_of(status)),
        }
        for status, title in TITLES.items()
    }


def _problem_name(status: int) -> str:
    return f"Problem{status}"


def _headers_of(status: int) -> list[str]:
    return ["X-Request-Id", *_HEADERS_OF.get(status, ())]


def _refer(kind: str, names: Iterable[str]) -> Schema:
    return {name: {"$ref": f"#/components/{kind}/{name}"} for name in names}


def _link(document: Schema) -> None:
    """Say with what each operation goes on that makes a thing."""
    every = list(operations(document))
    known: Schema = {}
    document["components"]["links"] = known
    for _, _, operation in every:
        name, pointer = MADE.get(operation["operationId"], ("", ""))
        found = [one["operationId"] for path, _, one in every if name and f"{{{name}}}" in path]
        using = {f"{one}_by_{name}": one for one in found}
        parameters = {name: f"$response.body#{pointer}"}
        known |= {
            link: {"operationId": one, "parameters": parameters} for link, one in using.items()
        }
        for status in ("200", "201"):
            if using and status in operation["responses"]:
                operation["responses"][status]["links"] = _refer("links", using)


def _drop_titles(schema: Any) -> None:  # noqa: ANN401 - any JSON
    """Take out the titles that only say a field's name once more."""
    if isinstance(schema, list):
        for part in schema:
            _drop_titles(part)
    elif isinstance(schema, dict):
        if isinstance(schema.get("title"), str) and "version" not in schema:
            del schema["title"]
        for part in schema.values():
            _drop_titles(part)
