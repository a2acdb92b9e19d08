"""Answers: shapes as JSON, problems as problem documents, and the tags of versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from agent_memory_os.api.guard import to_bytes
from agent_memory_os.api.meter import TooMuch
from agent_memory_os.errors import AgentMemoryError, Busy, InvalidInput, Unauthenticated
from agent_memory_os.wire import problem

JSON = "application/json"
_CODES = {404: "not_found", 405: "method_not_allowed", 406: "not_acceptable"}


def answer(
    shape: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer with one JSON object."""
    return Response(to_bytes(shape), status, dict(headers or {}), JSON)


def tagged(request: Request, shape: Mapping[str, object], version: int) -> Response:
    """Return an answer with an entity tag: the version, and a hash of what is shown."""
    body = to_bytes(shape)
    tag = f'"{version}.{sha256(body).hexdigest()[:16]}"'
    if tag in [one.strip() for one in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers={"etag": tag})
    return Response(body, 200, {"etag": tag}, JSON)


def expected_version(request: Request) -> int | None:
    """Return the version that a change is meant for (``If-Match``), or ``None`` for whichever."""
    given = request.headers.get("if-match")
    if given is None or given.strip() == "*":
        return None
    number = given.strip().strip('"').partition(".")[0]
    if not number.isascii() or not number.isdigit() or len(number) > 18:  # noqa: PLR2004 - 64 bits
        raise InvalidInput("If-Match takes the ETag of a memory, as it was given.")
    return int(number)


async def told(request: Request, error: Exception) -> Response:
    """Return the problem document of one of our errors."""
    assert isinstance(error, AgentMemoryError)  # noqa: S101 - it is registered for these
    status = problem.status_of(error)
    headers = {}
    if isinstance(error, TooMuch):
        headers["retry-after"] = str(error.seconds)
    elif isinstance(error, Busy):
        headers["retry-after"] = "1"
    elif isinstance(error, Unauthenticated):
        headers["www-authenticate"] = 'Bearer realm="agent-memory"'
    return _problem(request, status, error.code, str(error), headers)


async def told_invalid(request: Request, error: Exception) -> Response:
    """Return the problem document of a request that does not fit its schema."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for these
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    detail = f"{place or 'The body'}: {first['msg']}."
    status = 400 if first["type"] == "json_invalid" else 422
    return _problem(request, status, InvalidInput.code, detail)


async def told_http(request: Request, error: Exception) -> Response:
    """Return the problem document of a path or method that there is not."""
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
    code = _CODES.get(error.status_code, "usage")
    return _problem(request, error.status_code, code, str(error.detail), error.headers)


async def told_fault(request: Request, _: Exception) -> Response:
    """Return the problem document of a fault of our own; what it was is in the log."""
    detail = "Something went wrong in the node; its log has more under the request's id."
    return _problem(request, 500, "error", detail)


def _problem(
    request: Request,
    status: int,
    code: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    request_id = getattr(request.state, "request_id", "")
    body = to_bytes(problem.document(status, code, detail, request_id))
    return Response(body, status, dict(headers or {}), problem.MEDIA_TYPE)


def loads(body: bytes) -> object:
    """Return the JSON of a body; raise :class:`InvalidInput` for what is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The body is no JSON.") from error
