"""Errors on the wire: problem documents (RFC 9457) with our codes, and back.

The status of each class of error is decided here, once; the code tells one error from another.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os import errors
from agent_memory_os.errors import AgentMemoryError

MEDIA_TYPE = "application/problem+json"
FAULT = "Something went wrong in the node; its log has more under the request's id."

_STATUSES: dict[type[AgentMemoryError], int] = {
    errors.UsageError: 422,
    errors.TooLarge: 413,
    errors.UnknownName: 404,
    errors.Refused: 409,
    errors.NotFound: 404,
    errors.NotAllowed: 403,
    errors.Unauthenticated: 401,
    errors.Stale: 412,
    errors.LimitReached: 429,
    errors.KeyReused: 422,
    errors.Forgotten: 410,
    errors.Busy: 503,
    errors.ReadOnlyHome: 503,
    errors.DiskFull: 507,
    errors.Damaged: 500,
}
TITLES = {
    400: "Bad request",
    401: "No valid key",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    409: "Refused",
    410: "Forgotten",
    411: "Length required",
    412: "Changed meanwhile",
    413: "Too large",
    415: "Unsupported media type",
    422: "Invalid request",
    429: "Limit reached",
    500: "Internal error",
    503: "Not available now",
    507: "No room left",
}
"""What each status means that is answered with a problem."""

OF_HTTP = {
    405: ("method_not_allowed", "The path takes other methods: `Allow` names them."),
    406: ("not_acceptable", "The answer has no form of those that the request accepts."),
    415: ("unsupported_media_type", "The body is of another kind than the path takes."),
}
"""The codes, and what they mean, of problems that no class of error stands for."""


def status_of(error: AgentMemoryError) -> int:
    """Return the HTTP status of an error: that of its class, or of the nearest class above it."""
    for kind in type(error).__mro__:
        if kind in _STATUSES:
            return _STATUSES[kind]
    return 500


def more_of(error: AgentMemoryError) -> dict[str, object]:
    """Return what a problem document tells beside the error: what helps, and what it is about."""
    told = {"remedy": error.remedy, "about": error.about}
    return {name: value for name, value in told.items() if value}


def document(status: int, code: str, detail: str, instance: str = "") -> dict[str, object]:
    """Return a problem document; ``instance`` is the request's id."""
    shape: dict[str, object] = {
        "type": f"urn:agent-memory:error:{code}",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "detail": detail,
        "code": code,
    }
    return shape | ({"instance": f"urn:agent-memory:request:{instance}"} if instance else {})


def to_error(shape: Mapping[str, object], status: int) -> AgentMemoryError:
    """Return the error that a problem document tells of; one that is not known is a refusal."""
    kind = _KINDS.get(str(shape.get("code", "")), errors.Refused)
    error = kind(str(shape.get("detail") or f"The node answered with status {status}."))
    error.remedy = str(shape.get("remedy") or "")
    about = shape.get("about")
    if isinstance(about, dict):
        error.about = {str(name): str(value) for name, value in about.items()}
    return error


_KINDS: Mapping[str, type[AgentMemoryError]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, AgentMemoryError)
}
