"""Asking a node to pair, by HTTP: two short questions of somebody whom it does not know.

Nothing is believed of what answers: what was asked and answered shows by itself who has the words
of the code. So an answer is bounded and not followed anywhere, and no proxy and no password is
taken from the environment. What is told is one sentence, whether nobody is there, something that is
no node, or one that pairs with nobody.
"""

from __future__ import annotations

import ssl
import time
from contextlib import closing
from functools import cached_property

import httpx

from agent_memory_os import errors
from agent_memory_os.errors import AgentMemoryError, InvalidInput, Refused, Unreachable
from agent_memory_os.federation.pairing.message import MOST_BYTES
from agent_memory_os.federation.transport.pin import pinned
from agent_memory_os.federation.transport.reason import problem_of, reason
from agent_memory_os.federation.transport.url import node_url

_CONNECT_SECONDS = 5.0
_SECONDS = 20.0
_TIMES = httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS)
_OK, _NOT_FOUND, _NOT_ALLOWED, _FAULT = 200, 404, 405, 500
_JSON, _PROBLEM = "application/json", "application/problem+json"

_KINDS = {
    kind.code: kind
    for kind in (
        errors.BadCode,
        errors.InvalidInput,
        errors.LimitReached,
        errors.Revoked,
        errors.TooLarge,
    )
}


class PairingAsker:
    """Asks the node at a URL; with a ``pin`` only who shows that certificate is asked."""

    def __init__(self, url: str, pin: str = "") -> None:
        self._url = node_url(url)
        self._is_encrypted = self._url.startswith("https:")
        self._pinned = pinned(pin) if pin else None
        if self._pinned and not self._is_encrypted:
            raise InvalidInput("A pin is of a certificate: the URL begins with https:// then.")

    @cached_property
    def _tls(self) -> ssl.SSLContext | bool:
        if self._pinned:
            return self._pinned
        return self._is_encrypted and httpx.create_ssl_context(trust_env=False)

    def __call__(self, path: str, line: bytes) -> bytes:
        """Ask one question at a path; return the answer, or raise what it refuses."""
        headers = {"content-type": _JSON, "accept-encoding": "identity"}
        try:
            with httpx.Client(
                timeout=_TIMES,
                transport=httpx.HTTPTransport(verify=self._tls, trust_env=False),
                trust_env=False,
            ) as client:
                question = client.build_request(
                    "POST", f"{self._url}{path}", content=line, headers=headers
                )
                with closing(client.send(question, stream=True)) as answer:
                    body = self._read(answer)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise InvalidInput(f"{self._url!r} names no host that can be asked.") from error
        except httpx.HTTPError as error:
            why = reason(error, _CONNECT_SECONDS)
            raise Unreachable(f"The node at {self._url} does not answer: {why}.") from error
        if answer.status_code == _OK:
            return body
        raise self._refusal(answer, body)

    def _read(self, answer: httpx.Response) -> bytes:
        end, body = time.monotonic() + _SECONDS, b""
        for piece in answer.iter_raw():
            body += piece
            if len(body) > MOST_BYTES:
                raise self._no_node()
            if time.monotonic() > end:
                raise httpx.ReadTimeout("it comes for too long")
        return body

    def _refusal(self, answer: httpx.Response, body: bytes) -> AgentMemoryError:
        """Return what is said of an answer that is none to the question."""
        status = answer.status_code
        code, detail = problem_of(body, status)
        if answer.headers.get("content-type") != _PROBLEM or not code:
            return self._no_node()
        if status in (_NOT_FOUND, _NOT_ALLOWED):
            return Refused(
                f"The node at {self._url} pairs with nobody: it is of an earlier version, or does "
                "not answer peers."
            )
        if status >= _FAULT:
            begun = detail[:1].lower() + detail[1:]
            return Unreachable(f"The node at {self._url} does not answer: {begun}")
        return _KINDS.get(code, Refused)(detail)

    def _no_node(self) -> Unreachable:
        return Unreachable(f"What answers at {self._url} is no node.")
