"""Why there is no answer to a request, in a few words of ours, or in those of who answers."""

from __future__ import annotations

import json
import ssl
from typing import Any

import httpx

_LONGEST_DETAIL = 500


def reason(error: httpx.HTTPError, connect_seconds: float) -> str:
    """Return what went wrong on the way; ``connect_seconds`` is how long a call may wait."""
    if isinstance(error, httpx.ConnectTimeout):
        return f"nobody takes the call within {connect_seconds:.0f} s"
    if isinstance(error, httpx.TimeoutException):
        return "it takes too long"
    if isinstance(error, (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)):
        return "it broke off, or does not speak HTTP"
    cause: BaseException | None = error
    while cause is not None and not getattr(cause, "strerror", None):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted here ({cause.verify_message})"
    if isinstance(cause, ssl.SSLError):
        return "it does not speak HTTPS"
    return words_of(cause or error)


def words_of(error: BaseException) -> str:
    """Return what the system says of a fault, as a part of a sentence."""
    return str(getattr(error, "strerror", None) or error).rstrip(".").lower()


def problem_of(body: bytes, status: int) -> tuple[str, str]:
    """Return the code and the words of a problem document; no code, where it is none."""
    try:
        shape: Any = json.loads(body)
    except (ValueError, RecursionError):
        shape = None
    told = [shape.get(name) if isinstance(shape, dict) else None for name in ("code", "detail")]
    code, detail = (word if isinstance(word, str) else "" for word in told)
    if len(detail) > _LONGEST_DETAIL or not detail.isprintable() or not detail:
        detail = f"it says no more than {status}."
    return code, detail
