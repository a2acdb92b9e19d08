"""Answers: shapes as JSON, problems as problem documents, and the tags of versions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from agent_memory_os.errors import (
    AgentMemoryError,
    Busy,
    InvalidInput,
    LimitReached,
    Unauthenticated,
)
from agent_memory_os.wire import problem

JSON = "application/json"
LIMIT = "agent-memory-limit"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_CODES = {404: "not_found", **{status: code for status, (code, _) in problem.OF_HTTP.items()}}
_UNREADABLE = (
    "The body cannot be read: it is no UTF-8, is nested too deeply, or has too long a number."
)
_TAG = re.compile(r'"([0-9]{1,18})(?:\.[0-9a-f]{16})?"')
_UNREAD = 400
_NOT_FOUND = 404
_NOT_ALLOWED = 405
_NO_JSON = "json_invalid"
_UNKNOWN = "extra_forbidden"
NO_PATH = "There is nothing at this path; /v1/openapi.json lists the paths."
_WAIT_SECONDS = {"busy": 1, "memories": 60}
"""After how long it is worth another try, where no clock tells."""


Sign = Callable[[int, bytes], Mapping[str, str]]
"""Gives the headers that sign an answer of a status, and a body of a digest, to a peer."""


class Refusal(HTTPException):
    """An answer that is a problem document, with its code, and with what else it tells."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(status, detail, headers)
        self.code = code
        self.more = more or {}


def to_bytes(shape: Any) -> bytes:  # noqa: ANN401 - any JSON
    """Return a shape as JSON."""
    return _encode(shape).encode()


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
    given = request.headers.get("if-match", "*").strip()
    if given == "*":
        return None
    named = _TAG.fullmatch(given)
    if named is None:
        raise InvalidInput("If-Match takes the ETag of a memory, as it was given.")
    return int(named[1])


def refusal_of(error: AgentMemoryError) -> Refusal:
    """Return how one of our errors is told, with the headers that its status asks for."""
    headers = {}
    if isinstance(error, LimitReached):
        limit = error.about.get("limit", "")
        seconds = error.about.get("seconds") or str(_WAIT_SECONDS["memories"])
        headers = {"retry-after": seconds, LIMIT: limit}
    elif isinstance(error, Busy):
        headers = {"retry-after": str(_WAIT_SECONDS["busy"])}
    elif isinstance(error, Unauthenticated):
        headers = {"www-authenticate": 'Bearer realm="agent-memory"'}
    status, more = problem.status_of(error), problem.more_of(error)
    return Refusal(status, error.code, str(error), headers, more)


async def told(request: Request, error: Exception) -> Response:
    """Return the problem document of one of our errors."""
    assert isinstance(error, AgentMemoryError)  # noqa: S101 - it is registered for these
    return _problem(request, refusal_of(error))


async def told_invalid(request: Request, error: Exception) -> Response:
    """Return the problem document of a request that does not fit its schema."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for these
    first = error.errors()[0]
    if first["type"] == _NO_JSON:
        told = f"The body is no JSON, from character {first['loc'][-1]} on."
        return _problem(request, Refusal(400, InvalidInput.code, told))
    # A part with brackets names a check of ours, and no place in what was sent.
    parts = [str(part) for part in first["loc"] if part != "body" and "[" not in str(part)]
    is_unknown = first["type"] == _UNKNOWN
    said = "there is no field of this name" if is_unknown else str(first["msg"])
    detail = f"{'.'.join(parts) or 'The body'}: {said.removeprefix('Value error, ')}."
    return _problem(request, Refusal(422, InvalidInput.code, detail))


async def told_http(request: Request, error: Exception) -> Response:
    """Return the problem document of a path or method that there is not, or of a refusal."""
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
    if isinstance(error, Refusal):
        return _problem(request, error)
    code = _CODES.get(error.status_code, "usage")
    headers, detail = dict(error.headers or {}), error.detail
    if error.status_code == _UNREAD:
        detail = _UNREADABLE
    if error.status_code == _NOT_FOUND:
        detail = NO_PATH
    if error.status_code == _NOT_ALLOWED:
        # Each route knows its own method alone.
        headers["allow"] = ", ".join(request.app.allowed(request.scope["path"])) or "GET"
        detail = f"This path takes {headers['allow']}."
    return _problem(request, Refusal(error.status_code, code, detail, headers))


async def told_fault(request: Request, _: Exception) -> Response:
    """Return the problem document of a fault of our own; where it was is in the log."""
    return _problem(request, Refusal(500, "error", problem.FAULT))


def problem_of(
    refusal: Refusal, request_id: str, sign: Sign | None
) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of a problem document, signed where a peer asked."""
    shape = problem.document(refusal.status_code, refusal.code, refusal.detail, request_id)
    shape.update(refusal.more)
    body = to_bytes(shape)
    headers = {**(refusal.headers or {}), "content-type": problem.MEDIA_TYPE}
    if sign is not None:
        headers |= sign(refusal.status_code, sha256(body).digest())
    return body, headers


def _problem(request: Request, refusal: Refusal) -> Response:
    state = request.state
    request_id, sign = getattr(state, "request_id", ""), getattr(state, "sign", None)
    body, headers = problem_of(refusal, request_id, sign)
    return Response(body, refusal.status_code, headers)
