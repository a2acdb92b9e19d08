"""What stands before every route: whose page may call, who asks, how large a body is, what is told.

All of that is settled before a byte of the body is read, so that whoever may not come in costs
nothing. A body is one that no form can send. Every request has an id, which stands in its answer,
in its problem document and in the log; the log has no content, no query and no names in it.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable, Mapping
from functools import partial

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_memory_os.api import access, browser
from agent_memory_os.api.answer import Refusal, Sign, problem_of, refusal_of
from agent_memory_os.api.door import Door
from agent_memory_os.api.peer.entry import OF_BROWSERS, PREFIX, Entry, too_large
from agent_memory_os.api.peer.pairing import PATHS, Pairing
from agent_memory_os.errors import AgentMemoryError, Busy, NotAllowed
from agent_memory_os.federation.discovery.identity import PATH as IDENTITY
from agent_memory_os.federation.pairing.message import MOST_BYTES
from agent_memory_os.federation.requests import durable
from agent_memory_os.wire import problem

log = logging.getLogger("agent_memory_os.requests")

OPEN = frozenset((*browser.PAGES, "/health", "/healthz", "/readyz", "/v1/openapi.json"))
"""Paths that need no key: they tell nothing of what a node holds."""

MAX_BUNDLE_BYTES = 4_294_967_296
"""The longest bundle that is carried here: no file on its way may be as long as it likes."""

STREAMED: Mapping[str, int | None] = {
    "/v1/import": None,
    "/v1/findings": None,
    "/v1/sync/import": MAX_BUNDLE_BYTES,
}
"""Paths whose body is a file, read piece by piece and never held whole; the longest each takes."""

FILES = ("application/octet-stream", "application/x-ndjson", "application/json", "text/markdown")
"""What such a file may say that it is: nothing that a form can send."""

_WRONG, _FAULT = 400, 500
"""The first status of what is wrong with a request, and of what is wrong with the node."""

_NO_LOOK = "The node cannot look a key up now; its own log says why."
_NO_NAME = (
    "This server does not answer to the name that was asked for; whoever serves it can add a name."
)
_LEGAL_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_BODILESS = frozenset(("GET", "HEAD", "OPTIONS"))
_METHODS = frozenset((*_BODILESS, "POST", "PUT", "PATCH", "DELETE"))
_OPERATORS = frozenset(f"{PREFIX}/{act}" for act in ("status", "export", "import"))
"""What an operator asks of the exchange below the path of peers: by a key as ever."""

_JSON = "application/json"
_FORMS = frozenset(("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"))

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """The outermost layer of the API."""

    def __init__(self, app: ASGIApp, door: Door, route_for: Callable[[str, str], str]) -> None:
        """Stand before an application; ``route_for`` names its route for a method and a path."""
        self._app = app
        self._door = door
        self._route_for = route_for
        self._held = _Held(door.max_held)
        self._entry: Entry | None = None
        self._pairing: Pairing | None = None
        if door.peering is not None:
            take = durable(door.node.context.database)
            self._entry = Entry(door.peering, take, door.clock)
            self._pairing = Pairing(door)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it; tell of it when it is over."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        origin = browser.foreign_origin(request.headers, self._door)
        visit = _Visit(send, _request_id(request.headers), origin)
        state = scope.setdefault("state", {})
        state |= {"request_id": visit.request_id, "door": self._door}
        entry = self._entry if _is_for_peers(scope["path"]) else None
        pairing = self._pairing if scope["path"] in PATHS else None
        try:
            if entry is not None:
                await self._pass_peer(request, receive, visit, entry)
            elif pairing is not None:
                await self._pass_stranger(request, receive, visit, pairing)
            elif scope["path"] == IDENTITY and self._entry is not None:
                await self._pass_neighbor(request, receive, visit)
            else:
                await self._pass(request, receive, visit)
        except Refusal as refusal:
            await visit.refuse(refusal)
        except AgentMemoryError as error:
            await visit.refuse(refusal_of(error))
        except Exception as fault:  # noqa: BLE001 - what is left of a fault that was answered
            _tell_fault(fault, visit)
            await visit.refuse(Refusal(500, "error", problem.FAULT))
        finally:
            self._held.let_go(state.get("body"))
            self._tell(scope, visit)

    async def _pass(self, request: Request, receive: Receive, visit: _Visit) -> None:
        self._check_page(request)
        if visit.origin and "access-control-request-method" in request.headers:
            await visit.answer(204, browser.preflight(visit.origin))
            return
        self._check_body(request)
        most = self._most(request.scope)
        is_held = request.scope["path"] not in STREAMED
        body = _Body(receive, most, self._held if is_held else None)
        request.scope["state"]["body"] = body
        if request.scope["path"] not in OPEN:
            self._enter(request, body)
        await self._app(request.scope, body, visit.send)

    async def _pass_peer(
        self, request: Request, receive: Receive, visit: _Visit, entry: Entry
    ) -> None:
        """Let a peer through, by whatever name it calls this node: its signature says for whom."""
        state, visit.origin = request.scope["state"], ""
        state["refused"] = PREFIX
        asking = await entry.identify(request)
        state |= {"asking": asking, "sign": asking.sign}
        visit.sign = asking.sign
        most = await entry.admit(request, asking)
        with entry.place(asking):
            await self._app(request.scope, _Body(receive, most, None), visit.send)

    async def _pass_stranger(
        self, request: Request, receive: Receive, visit: _Visit, pairing: Pairing
    ) -> None:
        """Let somebody through who has a code at most, by whatever name they call this node."""
        state, visit.origin = request.scope["state"], ""
        state["refused"] = request.scope["path"]
        pairing.admit(request)
        state["pairing"] = pairing
        await self._app(request.scope, _Body(receive, MOST_BYTES, None), visit.send)

    async def _pass_neighbor(self, request: Request, receive: Receive, visit: _Visit) -> None:
        """Let anybody ask which node this is, by whatever name; no page of a browser."""
        state, visit.origin = request.scope["state"], ""
        state["refused"] = IDENTITY
        if any(name in request.headers for name in OF_BROWSERS):
            raise Refusal(403, NotAllowed.code, "A page may not ask which node this is.")
        await self._app(request.scope, _Body(receive, 0, None), visit.send)

    def _enter(self, request: Request, body: _Body) -> None:
        try:
            caller, door = access.enter(request, self._door)
        except AgentMemoryError as error:
            # That there is no such path or method is told to everybody: the schema says so.
            route = self._route_for(request.method, request.scope["path"])
            if route:
                request.scope["state"]["refused"] = route
                raise _for_a_stranger(error) from error
            return
        request.scope["state"] |= {"caller": caller, "door": door}
        access.check_bytes(caller, self._door, request.headers)
        body.count = partial(access.count_bytes, caller, self._door)

    def _most(self, scope: Scope) -> int | None:
        return STREAMED.get(scope["path"], self._door.max_body)

    def _check_page(self, request: Request) -> None:
        # No browser comes through the socket.
        is_local = request.client is not None and request.client.host.startswith("uid:")
        if not is_local and not browser.is_known(request.headers, self._door):
            raise refusal_of(NotAllowed(_NO_NAME, "name_server"))
        if not browser.is_own(request.scope["path"], request.headers, self._door):
            raise Refusal(403, "not_allowed", "A page of another site may not call this server.")

    def _check_body(self, request: Request) -> None:
        headers, scope = request.headers, request.scope
        if scope["method"] in _BODILESS:
            return
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind in _FORMS:
            told = "Bodies that a form can send are not taken: send JSON."
            raise Refusal(403, "not_allowed", told)
        length = headers.get("content-length")
        if "transfer-encoding" not in headers and length in (None, "0"):
            return
        is_streamed = scope["path"] in STREAMED
        if kind not in (FILES if is_streamed else (_JSON,)):
            wanted = " or ".join(FILES) if is_streamed else _JSON
            told = f"The body's content type must be {wanted}."
            raise Refusal(415, "unsupported_media_type", told)
        most = self._most(scope)
        if most is not None and length is not None and length.isdigit() and int(length) > most:
            raise too_large(most)

    def _tell(self, scope: Scope, visit: _Visit) -> None:
        refused = scope["state"].get("refused", "unmatched")
        route = getattr(scope.get("route"), "path", refused)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        seconds = time.perf_counter() - visit.began
        self._door.metrics.request(method, route, visit.status, seconds)
        caller: access.Caller | None = scope["state"].get("caller")
        log.info(
            "request",
            extra={
                "request": visit.request_id,
                "method": method,
                "route": route,
                "status": visit.status,
                "ms": round(seconds * 1000, 2),
                "key": caller.key if caller else None,
            },
        )
        if caller is not None:
            is_write = access.is_writing(scope["method"], scope["path"])
            agent, size = caller.principal.agent, scope["state"]["body"].size
            self._door.meter.note(caller.key, agent, is_write=is_write, size=size)


class _Body:
    """A request's body as it comes; ``count`` is told of each piece, and may refuse it.

    It is at most so long (``most``). What is no file is in memory until it is answered (``held``).
    """

    def __init__(self, receive: Receive, most: int | None, held: _Held | None) -> None:
        self._receive = receive
        self._most = most
        self._held = held
        self.count: Callable[[int], None] = _uncounted
        self.size = 0

    async def __call__(self) -> Message:
        """Return the next message; raise a :class:`Refusal` beyond what may come."""
        message = await self._receive()
        size = len(message.get("body", b""))
        self.size += size
        if self._most is not None and self.size > self._most:
            raise too_large(self._most)
        if self._held is not None:
            self._held.take(self, size)
        try:
            self.count(size)
        except AgentMemoryError as error:  # whoever reads a body knows a Refusal alone
            raise refusal_of(error) from error
        return message


class _Held:
    """How much of bodies is in memory, of all requests together: there is room for so much."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._taken: dict[_Body, int] = {}

    def take(self, body: _Body, size: int) -> None:
        """Hold some more of a body; raise a :class:`Refusal` where there is no room for it."""
        if size > self._left:
            raise refusal_of(Busy("Too much is being sent at once; try again later."))
        self._left -= size
        self._taken[body] = self._taken.get(body, 0) + size

    def let_go(self, body: _Body | None) -> None:
        """Let go of a body, which is answered."""
        if body is not None:
            self._left += self._taken.pop(body, 0)


class _Visit:
    """One request on its way out: its answer gets the headers that every answer has."""

    def __init__(self, send: Send, request_id: str, origin: str) -> None:
        self._send = send
        self.request_id = request_id
        self.origin = origin
        self.sign: Sign | None = None
        self.began = time.perf_counter()
        self.status = 0

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            if self.origin:
                headers.update(browser.allowances(self.origin))
            if self.sign is None or self.status >= _WRONG:
                # No browser has what a peer is answered, and each byte goes each minute.
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers["x-request-id"] = self.request_id
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with a problem document, and take nothing more of the body."""
        if not self.status:
            body, headers = problem_of(refusal, self.request_id, self.sign)
            await self.answer(refusal.status_code, {**headers, "connection": "close"}, body)

    async def answer(self, status: int, given: dict[str, str], body: bytes = b"") -> None:
        """Answer with a status, headers and a body, all at once."""
        headers = [(name.encode(), value.encode()) for name, value in given.items()]
        if body:
            headers.append((b"content-length", str(len(body)).encode()))
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _is_for_peers(path: str) -> bool:
    return path.startswith(f"{PREFIX}/") and path not in _OPERATORS


def _uncounted(_: int) -> None:
    """Let in whatever comes."""


def _for_a_stranger(error: AgentMemoryError) -> Exception:
    """Return what somebody is told who has not come in: of a fault of the file, not where it is."""
    status = problem.status_of(error)
    return (
        Refusal(status, error.code, _NO_LOOK, refusal_of(error).headers)
        if status >= _FAULT
        else error
    )


def _tell_fault(fault: Exception, visit: _Visit) -> None:
    """Log where a fault of our own happened: what it says may hold content."""
    trace = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
    more = {"request": visit.request_id, "fault": type(fault).__name__, "place": place}
    log.error("fault", extra=more)


def _request_id(headers: Headers) -> str:
    given = headers.get("x-request-id", "")
    return given if _LEGAL_ID.fullmatch(given) else uuid.uuid4().hex
