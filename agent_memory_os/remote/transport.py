"""Asking a served node: one request for one method, its answer's shape or its error.

A node is reached at a URL with a key, or through the socket of a home on this machine
(``unix:PATH``). Who acts goes along with each request; the node decides whether the key may act so.
Whatever is wrong on the way, or answers in a node's place, is told in one sentence, and a key is
in none of them.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any
from urllib.parse import quote

import httpx

from agent_memory_os import __version__
from agent_memory_os.errors import AgentMemoryError, InvalidInput, Unauthenticated, Unreachable
from agent_memory_os.federation.transport.reason import reason, words_of
from agent_memory_os.model.principal import Principal
from agent_memory_os.remote.address import Address
from agent_memory_os.wire import problem
from agent_memory_os.wire.decode import Shape

AS = "Agent-Memory-As"
OPERATOR = "operator"
LINES = "application/x-ndjson"

_SECONDS = 60.0
_LONG_SECONDS = 3600.0
_CONNECT_SECONDS = 10.0
_KEPT_SECONDS = 2.0
"""How long an idle connection is kept: a server lets go of it after five seconds."""

_LIMITS = httpx.Limits(keepalive_expiry=_KEPT_SECONDS)
_LONG = httpx.Timeout(_LONG_SECONDS, connect=_CONNECT_SECONDS)
_JSON = {"content-type": "application/json"}


class Transport:
    """A connection to a served node, for any number of threads."""

    def __init__(self, address: Address, key: str = "") -> None:
        self._lock = Lock()
        self._held: tuple[int, httpx.Client] | None = None
        self._address = address
        self._headers = {"user-agent": f"agent-memory/{__version__}"}
        self._key = _checked_key(key)
        if self._key:
            self._headers["authorization"] = f"Bearer {self._key}"

    @property
    def shown(self) -> str:
        """What people are told of where the node is."""
        return self._address.shown

    @property
    def _client(self) -> httpx.Client:
        """The connections of this process: what a parent had open is left to it."""
        with self._lock:
            if self._held is None or self._held[0] != os.getpid():
                self._held = (os.getpid(), self._opened())
            return self._held[1]

    def _opened(self) -> httpx.Client:
        if self._address.socket:
            self._probe(self._address.socket)
        return httpx.Client(
            base_url=self._address.url,
            headers=self._headers,
            timeout=httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS),
            # What is not encrypted needs no certificates, and to read them takes a while.
            transport=httpx.HTTPTransport(
                uds=self._address.socket or None,
                verify=self._address.is_encrypted,
                limits=_LIMITS,
            ),
            trust_env=False,
        )

    def ask(
        self,
        method: str,
        path: str,
        principal: Principal | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        is_long: bool = False,
    ) -> Shape:
        """Return the shape that a request is answered with; raise the error that it tells of.

        ``is_long`` waits for as long as the largest node may need.
        """
        request = self._client.build_request
        with self.faults():
            asked = request(
                method,
                path,
                params=_given(params),
                content=None if body is None else to_bytes(body),
                headers={
                    **_acting(principal),
                    **(_JSON if body is not None else {}),
                    **(headers or {}),
                },
                timeout=_LONG if is_long else httpx.USE_CLIENT_DEFAULT,
            )
            return self._shape(self._send(asked))

    def send(
        self,
        path: str,
        principal: Principal,
        pieces: Iterable[bytes],
        params: Mapping[str, Any],
        kind: str = LINES,
    ) -> Shape:
        """Post a file as its pieces come, and return the shape of the answer."""
        with self.faults():
            answer = self._client.post(
                path,
                params=_given(params),
                content=pieces,
                headers={**_acting(principal), "content-type": kind},
                timeout=_LONG,
            )
            return self._shape(answer)

    @contextmanager
    def stream(
        self,
        path: str,
        principal: Principal,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        silence: float = _LONG_SECONDS,
    ) -> Iterator[httpx.Response]:
        """Open an answer that is read piece by piece, with so many seconds between two at most.

        With a ``body`` that is posted.
        """
        kind = {} if body is None else _JSON
        with (
            self.faults(),
            self._client.stream(
                "GET" if body is None else "POST",
                path,
                params=_given(params),
                content=None if body is None else to_bytes(body),
                headers={**_acting(principal), **kind, **(headers or {})},
                timeout=httpx.Timeout(silence, connect=_CONNECT_SECONDS),
            ) as answer,
        ):
            if not answer.is_success:
                answer.read()
                raise self._error(answer)
            yield answer

    def lines(
        self, path: str, principal: Principal, params: Mapping[str, Any] | None = None
    ) -> Iterator[str]:
        """Yield an answer line by line, each with its end.

        Raises :class:`Unreachable` where it ends before it is whole.
        """
        with self.stream(path, principal, params=params) as answer:
            if answer.headers.get("content-type", "").partition(";")[0] != LINES:
                raise self.no_node()
            held: list[bytes] = []
            for piece in answer.iter_bytes():
                first, *rest = piece.split(b"\n")
                held.append(first)
                for following in rest:
                    yield b"".join([*held, b"\n"]).decode()
                    held = [following]

    def objects(
        self, path: str, principal: Principal, params: Mapping[str, Any] | None = None
    ) -> Iterator[object]:
        """Yield the JSON of each line of an answer: see :meth:`lines`."""
        try:
            for line in self.lines(path, principal, params):
                yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self.no_node() from error

    def close(self) -> None:
        """Let go of the connections; there are others when they are next needed."""
        with self._lock:
            held, self._held = self._held, None
        if held is not None and held[0] == os.getpid():
            held[1].close()

    def __del__(self) -> None:
        self.close()

    def no_node(self) -> Unreachable:
        """Return what is said where something else answers."""
        return Unreachable(f"What answers at {self.shown} is no node of Agent Memory OS.")

    def _probe(self, path: str) -> None:
        """Raise :class:`Unreachable` where nobody listens at a socket: httpx leaves that open."""
        try:
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(path)
        except OSError as error:
            raise self._unreachable(words_of(error)) from error

    def _unreachable(self, reason: str) -> Unreachable:
        return Unreachable(f"The node at {self.shown} does not answer: {reason}.")

    def _send(self, asked: httpx.Request) -> httpx.Response:
        try:
            return self._client.send(asked)
        except httpx.RemoteProtocolError:
            # A connection that was idle may be closed from the other side at any moment; what
            # changes nothing may be asked again.
            if asked.method != "GET":
                raise
            return self._client.send(asked)

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Tell whatever is wrong on the way as one of our errors."""
        try:
            yield
        except UnicodeEncodeError as error:
            raise InvalidInput("Text here is not valid Unicode (a lone surrogate).") from error
        except httpx.InvalidURL as error:
            raise InvalidInput(f"The request has no form that can be sent: {error}.") from error
        except httpx.DecodingError as error:
            raise self.no_node() from error
        except httpx.HTTPError as error:
            raise self._unreachable(reason(error, _CONNECT_SECONDS)) from error

    def _shape(self, answer: httpx.Response) -> Shape:
        if not answer.is_success:
            raise self._error(answer)
        try:
            shape = answer.json()
        except (ValueError, RecursionError) as error:
            raise self.no_node() from error
        if not isinstance(shape, dict):
            raise self.no_node()
        return shape

    def _error(self, answer: httpx.Response) -> AgentMemoryError:
        """Return what an answer without success tells: a node's error, or that it is no node's."""
        kind = answer.headers.get("content-type", "").partition(";")[0]
        try:
            shape = json.loads(self._without_key(answer)) if kind == problem.MEDIA_TYPE else None
        except (ValueError, RecursionError):
            shape = None
        if isinstance(shape, dict) and "code" in shape:
            if shape["code"] == Unauthenticated.code and "authorization" not in self._headers:
                told = f"The node at {self.shown} asks for a key, and none was given."
                return Unauthenticated(told, "give_key")
            return problem.to_error(shape, answer.status_code)
        if answer.is_server_error:
            return self._unreachable(f"what stands before it says {answer.status_code}")
        return self.no_node()

    def _without_key(self, answer: httpx.Response) -> str:
        """Return what an answer says; what answers may be anything, and may repeat what it got."""
        return answer.text.replace(self._key, "…") if self._key else answer.text


def to_bytes(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON; of a lone surrogate its escape, which is JSON too."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _checked_key(key: str) -> str:
    plain = key.strip()
    if not plain.isascii() or not plain.isprintable() or " " in plain:
        raise InvalidInput("The key that was given is no key of a node.")
    return plain


def _given(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameters that say something: what is not set is left out."""
    return {
        name: value for name, value in (params or {}).items() if value is not None and value != ()
    }


def _acting(principal: Principal | None) -> dict[str, str]:
    if principal is None:
        return {}
    return {AS: OPERATOR if principal.is_operator else quote(principal.agent or "-", safe="")}
