"""HTTP as a transport: one end of a way to a peer that is served.

Each request is signed by this node's device, for the peer's; each answer must be signed by the
peer's, to this very request. That is seen from the head of the answer: one that is not the peer's
is not read, believed or followed. So whoever stands between can keep an answer back, and do no
more; TLS hides sizes and ids on top of that.

A peer is asked and answers at once. What it is asked for is one bundle; the next ask says what was
taken, in words of its own, so that ``taken`` has nothing to do here. Bodies go through temporary
files and are never whole in memory. No proxy and no password is taken from the environment.
"""

from __future__ import annotations

import ssl
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from hashlib import sha256
from typing import BinaryIO, cast

import httpx

from agent_memory_os import errors
from agent_memory_os.errors import (
    AgentMemoryError,
    BadSignature,
    InvalidInput,
    Refused,
    TooLarge,
    Unauthenticated,
    Unreachable,
)
from agent_memory_os.federation import requests
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.requests import CLOCK_SECONDS, Proved, Request, Response
from agent_memory_os.federation.transport import outward
from agent_memory_os.federation.transport.base import Delivery
from agent_memory_os.federation.transport.pin import pinned
from agent_memory_os.federation.transport.reason import problem_of, reason
from agent_memory_os.federation.transport.responder import (
    HELLO,
    METHOD,
    MOST_BYTES,
    PULL,
    PUSH,
    TOLD,
)
from agent_memory_os.federation.transport.url import node_url
from agent_memory_os.store.file.disk import told_as_refusal

_CONNECT_SECONDS = 5.0
_SECONDS = 60.0
_ALL_SECONDS = 600.0
"""For how long the body of an answer may come, however steadily."""

_TIMES = httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS)
_OK, _NOTHING, _UNAUTHENTICATED, _FAULT = 200, 204, 401, 500
_PLAIN = "identity"
_PIECE = 65_536
_IN_MEMORY = 262_144
_LONGEST_PROBLEM = 16_384

_KINDS = {kind.code: kind for kind in TOLD}


class HttpTransport:
    """One end of a way to one peer, by HTTP, for any number of threads.

    ``clock`` gives milliseconds of UTC, ``nonce`` 16 random bytes in hex, never the same. With a
    ``pin``, the SHA-256 of a certificate in hex, that certificate is taken and no other. Where the
    URL ``is_told`` by another node, it is looked at before it is asked (:mod:`outward`).
    """

    is_live = True

    def __init__(
        self,
        url: str,
        device: Device,
        peer: PublicDevice,
        clock: Callable[[], int],
        nonce: Callable[[], str],
        pin: str = "",
        *,
        is_told: bool = False,
    ) -> None:
        self._url = node_url(url)
        self._is_told = is_told
        self._device = device
        self._peer = peer
        self._clock = clock
        self._nonce = nonce
        self._pinned = pinned(pin) if pin else None
        if self._pinned and not self._is_encrypted:
            raise InvalidInput("A pin is of a certificate: the URL begins with https:// then.")

    @property
    def _is_encrypted(self) -> bool:
        return self._url.startswith("https:")

    @cached_property
    def _tls(self) -> ssl.SSLContext | bool:
        """How to encrypt; where nothing is, no certificates are read, which takes a while."""
        if self._pinned:
            return self._pinned
        return self._is_encrypted and httpx.create_ssl_context(trust_env=False)

    def hello(self, ours: bytes) -> bytes | None:
        """Show the peer our hello; return its own, or ``None`` while it has shown none."""
        with self._asked(HELLO, [ours]) as file:
            return file.read() or None

    def waits(self) -> bool:
        """Say that nothing does: the peer takes what is sent at once."""
        return False

    def push(self, bundle: Iterable[bytes]) -> None:
        """Send the pieces of a bundle; where making them fails half way, nothing is sent."""
        self._asked(PUSH, bundle).close()

    def pull(self, ask: Iterable[bytes] = ()) -> Iterator[Delivery]:
        """Send a bundle that asks; yield the one that the peer answers with, if it does."""
        with self._asked(PULL, ask) as file:
            if file.read(1):
                file.seek(0)
                yield Delivery(f"the answer of {self._url}", file, _already)

    def _asked(self, target: str, pieces: Iterable[bytes]) -> BinaryIO:
        """Return what the peer answers to a body, from its beginning; the caller closes it."""
        most = MOST_BYTES[target]
        with _spool() as body:
            too_large = f"What is sent at once has at most {most:,} bytes; this is longer."
            request = Request(METHOD, target, _fill(body, pieces, most, too_large), self._peer.id)
            signed = requests.sign_request(
                request, self._device, now=self._clock(), nonce=self._nonce()
            )
            proved = requests.asked(request, signed)
            with self._faults(), self._client() as client:
                # Made by hand: what a client says of itself is of no use to a peer.
                url, headers, more = self._place()
                asked = httpx.Request(
                    METHOD,
                    f"{url}{target}",
                    content=_pieces(body),
                    headers={
                        **headers,
                        **signed,
                        "content-length": str(body.seek(0, 2)),
                        "accept-encoding": _PLAIN,
                    },
                    extensions=more,
                )
                body.seek(0)
                with closing(client.send(asked, stream=True)) as answer:
                    return self._checked(answer, proved, most)

    def _place(self) -> tuple[str, dict[str, str], dict[str, str]]:
        """Return where to ask, by what host in the head, and by what name of a certificate."""
        if not self._is_told:
            return self._url, {}, {}
        place = outward.found(self._url)
        return place.url, {"host": place.name}, {"sni_hostname": place.host}

    def _client(self) -> httpx.Client:
        # One for each request: a connection that was kept may be closed from the other side at any
        # moment, and what was signed is not sent again.
        return httpx.Client(
            timeout=_TIMES,
            transport=httpx.HTTPTransport(verify=self._tls, trust_env=False),
            trust_env=False,
        )

    def _checked(self, answer: httpx.Response, proved: Proved, most: int) -> BinaryIO:
        """Return the body of an answer that the peer signed, if it is no refusal."""
        offset = self._check_signature(answer, proved)
        if answer.headers.get("content-encoding", _PLAIN) != _PLAIN:
            raise BadSignature(f"The answer of {self._url} is compressed, and no node's is.")
        is_right = answer.status_code in (_OK, _NOTHING)
        with ExitStack() as held:
            body = held.enter_context(_spool())
            too_large = f"The answer of {self._url} is longer than a node's may be."
            most = most if is_right else _LONGEST_PROBLEM
            digest = _fill(body, _in_time(answer.iter_raw()), most, too_large)
            if digest != requests.declared(answer.headers):
                raise BadSignature(f"The answer of {self._url} was changed on its way.")
            if not is_right:
                raise self._error(answer.status_code, body.read(), offset)
            held.pop_all()
        return body

    def _check_signature(self, answer: httpx.Response, proved: Proved) -> int:
        """Return by how many seconds the peer's clock is ahead; raise unless it signed this."""
        status, headers = answer.status_code, answer.headers
        if requests.SIGNATURE not in headers:
            raise self._unsigned(status)
        try:
            response = Response(status, requests.declared(headers))
            now = self._clock()
            return requests.check_response(response, headers, proved, self._known, now=now)
        except Unauthenticated as error:
            raise type(error)(f"The answer of {self._url} is refused: {_begun(error)}") from error

    def _unsigned(self, status: int) -> AgentMemoryError:
        """Return what is said of an answer that nobody signed."""
        if status == _UNAUTHENTICATED:
            return Unauthenticated(
                f"The node at {self._url} does not know this device, or is not the peer: its answer"
                " is not signed."
            )
        if status >= _FAULT:
            return self._unreachable(f"what stands before it says {status}")
        return Unauthenticated(
            f"What answers at {self._url} is not the peer: its answer (status {status}) is not"
            " signed."
        )

    def _known(self, device: str) -> PublicDevice | None:
        return self._peer if device == self._peer.id else None

    def _error(self, status: int, body: bytes, offset: int) -> AgentMemoryError:
        """Return what the peer says is wrong: of what was sent, or, in fewer words, of itself."""
        code, detail = problem_of(body, status)
        if status >= _FAULT:
            return self._unreachable(detail.rstrip("."))
        kind = _KINDS.get(code, Refused)
        if kind is errors.ClockApart and abs(offset) > CLOCK_SECONDS:
            return errors.ClockApart(
                f"The clock of this node is {_apart(offset)} that of {self._url}; they may be"
                f" {CLOCK_SECONDS} seconds apart.",
                offset_seconds=str(-offset),
            )
        return kind(f"The peer at {self._url} refuses: {_begun(detail)}")

    def _unreachable(self, why: str) -> Unreachable:
        return Unreachable(f"The peer at {self._url} does not answer: {why[:1].lower()}{why[1:]}.")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Tell whatever is wrong on the way as one of our errors."""
        try:
            yield
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InvalidInput(f"{self._url!r} names no host that can be asked.") from error
        except httpx.HTTPError as error:
            raise self._unreachable(reason(error, _CONNECT_SECONDS)) from error


def _already() -> None:
    """Take what was delivered: the peer learns it from the next ask."""


def _spool() -> BinaryIO:
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))


def _fill(file: BinaryIO, pieces: Iterable[bytes], most: int, too_large: str) -> bytes:
    """Write pieces to a file, back to its beginning; return their digest."""
    size, digest = 0, sha256()
    for piece in pieces:
        size += len(piece)
        if size > most:
            raise TooLarge(too_large)
        digest.update(piece)
        with told_as_refusal(tempfile.gettempdir()):
            file.write(piece)
    file.seek(0)
    return digest.digest()


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece


def _in_time(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces as they come; raise where they come for too long."""
    end = time.monotonic() + _ALL_SECONDS
    for piece in pieces:
        if time.monotonic() > end:
            raise httpx.ReadTimeout("it comes for too long")
        yield piece


def _begun(sentence: object) -> str:
    """Return a sentence as a part of another."""
    words = str(sentence)
    return words[:1].lower() + words[1:]


def _apart(offset: int) -> str:
    return f"{offset} seconds behind" if offset > 0 else f"{-offset} seconds ahead of"
