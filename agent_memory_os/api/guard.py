"""What stands before every route: whose page may call, how large a body is, what is told of it.

A browser may be led to send requests to this server by any page that it shows. So a request must
address it by one of its own names (DNS rebinding), come from its own pages if it comes from a page
at all, and carry a body that no form can send. Every request has an id, which stands in its answer,
in its problem document and in the log; the log has no content, no query and no names in it.
"""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_memory_os.api.door import Door
from agent_memory_os.wire import problem

log = logging.getLogger("agent_memory_os.requests")

_LEGAL_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BODILESS = frozenset(("GET", "HEAD", "OPTIONS"))
_JSON = "application/json"
_LINES = "application/x-ndjson"
_FORMS = frozenset(("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"))
STREAMED = frozenset(("/v1/import",))
"""Paths whose body is a file, read piece by piece and never held whole."""

_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class TooMuchBody(Exception):
    """More came than the content length had said, or than a route takes."""


class Guard:
    """The outermost layer of the API."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it; tell of it when it is over."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = _request_id(headers)
        scope.setdefault("state", {})["request_id"] = request_id
        visit = _Visit(scope, send, request_id)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await visit.refuse(*refusal)
        else:
            body = _Body(receive, self._most(scope))
            scope["state"]["body"] = body
            try:
                await self._app(scope, body, visit.send)
            except TooMuchBody:
                await visit.refuse(413, "too_large", self._too_large())
        self._tell(scope, visit)

    def _most(self, scope: Scope) -> int | None:
        return None if scope["path"] in STREAMED else self._door.max_body

    def _too_large(self) -> str:
        return f"A request's body has at most {self._door.max_body:,} bytes."

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        return (
            self._wrong_host(scope, headers)
            or self._wrong_page(headers)
            or self._wrong_body(scope, headers)
        )

    def _wrong_host(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        client = scope.get("client")
        if client is not None and str(client[0]).startswith("uid:"):
            return None  # no browser comes through the socket
        if _name_of(headers.get("host", "")) in self._door.hosts:
            return None
        return 403, "not_allowed", "This server is not known by the name that was asked for."

    def _wrong_page(self, headers: Headers) -> tuple[int, str, str] | None:
        origin = headers.get("origin")
        own = (f"http://{headers.get('host')}", f"https://{headers.get('host')}")
        if origin is not None:
            is_own = origin in own or origin in self._door.origins
        else:
            is_own = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        if is_own:
            return None
        return 403, "not_allowed", "A page of another site may not call this server."

    def _wrong_body(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        length = headers.get("content-length")
        has_body = "transfer-encoding" in headers or length not in (None, "0")
        if scope["method"] in _BODILESS or not has_body:
            return None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in _FORMS:
            return 403, "not_allowed", "Bodies that a form can send are not taken: send JSON."
        is_streamed = scope["path"] in STREAMED
        if kind not in ((_LINES, _JSON) if is_streamed else (_JSON,)):
            wanted = _LINES if is_streamed else _JSON
            return 415, "unsupported_media_type", f"The body's content type must be {wanted}."
        most = self._most(scope)
        if most is not None and length is not None and length.isdigit() and int(length) > most:
            return 413, "too_large", self._too_large()
        return None

    def _tell(self, scope: Scope, visit: _Visit) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        seconds = time.perf_counter() - visit.began
        self._door.metrics.request(scope["method"], route, visit.status, seconds)
        caller = scope["state"].get("caller")
        log.info(
            "request",
            extra={
                "request": visit.request_id,
                "method": scope["method"],
                "route": route,
                "status": visit.status,
                "ms": round(seconds * 1000, 2),
                "key": caller.key if caller else None,
            },
        )
        if caller is not None:
            body = scope["state"].get("body")
            is_write = scope["method"] not in _BODILESS
            size = body.size if body is not None else 0
            agent = caller.principal.agent
            self._door.meter.note(caller.key, agent, is_write=is_write, size=size)


class _Body:
    """A request's body as it comes, counted."""

    def __init__(self, receive: Receive, most: int | None) -> None:
        self._receive = receive
        self._most = most
        self.size = 0

    async def __call__(self) -> Message:
        """Return the next message; raise :class:`TooMuchBody` beyond what may come."""
        message = await self._receive()
        self.size += len(message.get("body", b""))
        if self._most is not None and self.size > self._most:
            raise TooMuchBody
        return message


class _Visit:
    """One request on its way out: its answer gets the headers that every answer has."""

    def __init__(self, scope: Scope, send: Send, request_id: str) -> None:
        self._scope = scope
        self._send = send
        self.request_id = request_id
        self.began = time.perf_counter()
        self.status = 0

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers["x-request-id"] = self.request_id
        await self._send(message)

    async def refuse(self, status: int, code: str, detail: str) -> None:
        """Answer with a problem document, and take nothing more of the body."""
        if self.status:
            return
        body = to_bytes(problem.document(status, code, detail, self.request_id))
        headers = [
            (b"content-type", problem.MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def to_bytes(shape: Any) -> bytes:  # noqa: ANN401 - any JSON
    """Return a shape as JSON."""
    return json.dumps(shape, ensure_ascii=False, separators=(",", ":")).encode()


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _LEGAL_ID.fullmatch(given) else uuid.uuid4().hex


def _name_of(host: str) -> str:
    """Return the name in a Host header, without its port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()
