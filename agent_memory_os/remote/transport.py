"""Asking a served node: one request for one method, its answer's shape or its error.

A node is reached at a URL with a key, or through the socket of a home on this machine. Who acts
goes along with each request; the node decides whether the key may act so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from agent_memory_os import __version__
from agent_memory_os.errors import InvalidInput, Unreachable
from agent_memory_os.model.principal import Principal
from agent_memory_os.wire import problem
from agent_memory_os.wire.decode import Shape

AS = "Agent-Memory-As"
OPERATOR = "operator"
_SECONDS = 60.0
_CONNECT_SECONDS = 10.0


class Transport:
    """A connection to a served node, for any number of threads."""

    def __init__(self, url: str, key: str = "", *, socket: str = "") -> None:
        """Reach the node at a URL with a key, or at a home's socket."""
        headers = {"user-agent": f"agent-memory/{__version__}"}
        if key:
            headers["authorization"] = f"Bearer {key}"
        try:
            self._client = httpx.Client(
                base_url=url,
                headers=headers,
                timeout=httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS),
                transport=httpx.HTTPTransport(uds=socket or None),
                trust_env=False,
            )
        except (httpx.InvalidURL, UnicodeError, ValueError) as error:
            raise InvalidInput(f"{url!r} is no URL of a node: {error}.") from error
        self.url = url

    def ask(
        self,
        method: str,
        path: str,
        principal: Principal | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Shape:
        """Return the shape that a request is answered with; raise the error that it tells of."""
        with self._faults():
            answer = self._client.request(
                method,
                path,
                params=_given(params),
                json=body,
                headers={**_acting(principal), **(headers or {})},
            )
        self._check(answer)
        return self._shape(answer) if answer.content else {}

    @contextmanager
    def stream(
        self,
        method: str,
        path: str,
        principal: Principal | None,
        **more: Any,  # noqa: ANN401 - httpx's
    ) -> Iterator[httpx.Response]:
        """Open an answer that is read piece by piece."""
        with (
            self._faults(),
            self._client.stream(method, path, headers=_acting(principal), **more) as answer,
        ):
            if answer.is_error:
                answer.read()
            self._check(answer)
            yield answer

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except httpx.UnsupportedProtocol as error:
            raise InvalidInput(
                f"{self.url!r} is no URL of a node: it begins with http://."
            ) from error
        except httpx.HTTPError as error:
            raise Unreachable(f"The node at {self.url} does not answer: {error}.") from error

    def _check(self, answer: httpx.Response) -> None:
        if not answer.is_error:
            return
        kind = answer.headers.get("content-type", "").partition(";")[0]
        shape = self._shape(answer) if kind == problem.MEDIA_TYPE else {}
        raise problem.to_error(shape, answer.status_code)

    def _shape(self, answer: httpx.Response) -> Shape:
        try:
            shape = answer.json()
        except ValueError as error:
            raise Unreachable(f"What answers at {self.url} is no node.") from error
        if not isinstance(shape, dict):
            raise Unreachable(f"What answers at {self.url} is no node.")
        return shape


def _given(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameters that say something: what is not set is left out."""
    return {
        name: value for name, value in (params or {}).items() if value is not None and value != ()
    }


def _acting(principal: Principal | None) -> dict[str, str]:
    if principal is None:
        return {}
    return {AS: OPERATOR if principal.is_operator else principal.agent or "-"}
