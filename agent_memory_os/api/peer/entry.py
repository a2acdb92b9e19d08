"""Who asks as a peer: the signature on a request, looked at before a byte of its body is read.

Until it is found right, whoever asks is told one and the same, whatever it asks: nothing
of this node, of its peers, or of what is at which path. A key opens nothing here, and no browser
comes in. From then on every answer is signed, refusals too: that the request is too old, that it
came before, that it is too long, that there is no such path.

What a peer is told is wrong is what was wrong with what it sent. Other faults are this node's own
business; their words may hold a path or a name.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from agent_memory_os.api.answer import Refusal, refusal_of
from agent_memory_os.errors import (
    AgentMemoryError,
    Busy,
    InvalidInput,
    NotAddressed,
    NotFound,
    TooLarge,
    Unauthenticated,
)
from agent_memory_os.federation import requests
from agent_memory_os.federation.requests import Proved, Take
from agent_memory_os.federation.transport.responder import METHOD, MOST_BYTES, TOLD, Peering

Sent = TypeVar("Sent")
Got = TypeVar("Got")

log = logging.getLogger("agent_memory_os.peers")

PREFIX = "/v1/sync"
MOST_AT_ONCE = 4
"""So many requests of one peer are answered at a time."""

MOST_AT_WORK = 8
"""So many threads work for peers: the others are for agents and for people."""

_SIGNED = (requests.DIGEST, requests.TO, requests.INPUT, requests.SIGNATURE)
OF_BROWSERS = ("origin", "cookie", "sec-fetch-site", "sec-fetch-mode")
"""Headers that browsers alone send: none of them is a peer."""

_CHALLENGE = {"www-authenticate": 'Signature realm="agent-memory"'}
_BUSY = {"retry-after": "1"}
_STRANGER = "Only nodes that are known here are answered, and they sign what they ask."
_NOT_NOW = "The node cannot answer now; try again later."
_NO_PATH = "There is nothing at this path for peers."
_MANY = "Too many requests of this peer are being answered at once; try again later."


class Asking(NamedTuple):
    """A request that a peer signed, and what is to answer it."""

    proved: Proved
    peering: Peering
    clock: Callable[[], int]
    workers: CapacityLimiter

    @property
    def device(self) -> str:
        """The peer's device."""
        return self.proved.device

    async def work(self, task: Callable[[str, Sent], Got], sent: Sent) -> Got:
        """Return what comes of a task for this peer, in one of the threads that work for peers."""
        return await to_thread.run_sync(task, self.device, sent, limiter=self.workers)

    def sign(self, status: int, digest: bytes) -> Mapping[str, str]:
        """Return the headers that sign an answer, to this request alone."""
        response = requests.Response(status, digest)
        device = self.peering.device
        return requests.sign_response(response, self.proved, device, now=self.clock())


class Entry:
    """Where peers come in. It belongs to the server's loop."""

    def __init__(self, peering: Peering, take: Take, clock: Callable[[], int]) -> None:
        self._peering = peering
        self._take = take
        self._clock = clock
        self._workers = CapacityLimiter(MOST_AT_WORK)
        self._running: Counter[str] = Counter()

    async def identify(self, request: Request) -> Asking:
        """Return who signed a request; raise what a stranger is told where nobody known did."""
        headers = request.headers
        if any(name in headers for name in OF_BROWSERS):
            raise _stranger()
        known, own = self._peering.responder.known, self._peering.device.id
        signed = _signed(headers)
        try:
            digest = requests.declared(signed)
            asked = requests.Request(request.method, _target(request.scope), digest, own)
            proved = await run_in_threadpool(requests.check_signature, asked, signed, known)
        except (Unauthenticated, NotAddressed, InvalidInput) as error:
            raise _stranger() from error
        except AgentMemoryError as error:
            _note(request, error)
            raise Refusal(503, Busy.code, _NOT_NOW, _BUSY) from error
        return Asking(proved, self._peering, self._clock, self._workers)

    async def admit(self, request: Request, asking: Asking) -> int:
        """Take a signed request, once and in time; return how long its body may be."""
        with telling(request):
            now = self._clock()
            await run_in_threadpool(requests.check_new, asking.proved, self._take, now=now)
        most = MOST_BYTES.get(request.scope["path"]) if request.method == METHOD else None
        if most is None:
            raise Refusal(404, NotFound.code, _NO_PATH)
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > most:
            raise too_large(most)
        return most

    @contextmanager
    def place(self, asking: Asking) -> Iterator[None]:
        """Be one of the few requests of a peer that are answered at once."""
        device = asking.device
        if self._running[device] >= MOST_AT_ONCE:
            raise Refusal(503, Busy.code, _MANY, _BUSY)
        self._running[device] += 1
        try:
            yield
        finally:
            self._running[device] -= 1
            self._running += Counter()  # who has none is dropped


@contextmanager
def telling(request: Request) -> Iterator[None]:
    """Turn an error of ours into what a peer is told of it."""
    try:
        yield
    except AgentMemoryError as error:
        raise _for_a_peer(request, error) from error


def asking_of(request: Request) -> Asking:
    """Return what a peer asks; the guard has let it in."""
    asking: Asking = request.state.asking
    return asking


def too_large(most: int) -> Refusal:
    """Return what is said of a body that is too long."""
    told = f"A request's body has at most {most:,} bytes."
    return Refusal(413, TooLarge.code, told, {"connection": "close"})


def _for_a_peer(request: Request, error: AgentMemoryError) -> Refusal:
    told = refusal_of(error)
    if isinstance(error, Unauthenticated):
        return Refusal(told.status_code, error.code, str(error), _CHALLENGE, told.more)
    if isinstance(error, TOLD):
        return told
    _note(request, error)
    return Refusal(503, Busy.code, _NOT_NOW, _BUSY)


def _stranger() -> Refusal:
    return Refusal(401, Unauthenticated.code, _STRANGER, _CHALLENGE)


def _note(request: Request, error: AgentMemoryError) -> None:
    more = {"request": request.state.request_id, "code": error.code}
    log.warning("a peer could not be answered", extra=more)


def _signed(headers: Headers) -> dict[str, str]:
    """Return the headers of the signature; one that is there twice is neither of the two."""
    found = {name: headers.getlist(name) for name in _SIGNED}
    return {name: ", ".join(values) for name, values in found.items() if values}


def _target(scope: Scope) -> str:
    """Return the target as it was sent: what was signed was not decoded."""
    query = scope["query_string"]
    target: bytes = scope["raw_path"] + (b"?" + query if query else b"")
    return target.decode("latin-1")
