"""Browsers: by which name a server is addressed, whose page calls it, and what that page may read.

A browser may be led to send requests to this server by any page that it shows. So a request must
address the server by one of its own names (or a page could come to it by a name of its own that is
made to lead here), and come from one of its own pages if it comes from a page at all. A page of
another origin that the operator named may call it with a key; it gets no cookie.
"""

from __future__ import annotations

from starlette.datastructures import Headers

from agent_memory_os.api.door import Door

PAGES = frozenset(("/", "/sign-in"))
"""What a person opens, perhaps from a link in a page of somebody else. Nothing there reads or
changes what a node holds."""

_METHODS = "GET, POST, PUT, PATCH, DELETE"
_ASKED = (
    "authorization, content-type, agent-memory-as, idempotency-key, if-match, if-none-match, "
    "last-event-id, x-request-id"
)
_TOLD = "etag, location, retry-after, agent-memory-limit, x-request-id"
_KEPT_SECONDS = "600"
_LOCAL = (None, "none", "same-origin")
_NAVIGATION = ("navigate", "document")


def is_known(headers: Headers, door: Door) -> bool:
    """Say whether a request addresses the server by a name of its own."""
    return name_of(headers.get("host", "")) in door.hosts


def is_own(path: str, headers: Headers, door: Door) -> bool:
    """Say whether a request comes from no page, from one of the server's, or from a named one."""
    origin = headers.get("origin")
    if origin is not None:
        host = headers.get("host")
        return origin in (f"http://{host}", f"https://{host}") or origin in door.origins
    if headers.get("sec-fetch-site") in _LOCAL:
        return True
    kind = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    return path in PAGES and kind == _NAVIGATION


def foreign_origin(headers: Headers, door: Door) -> str:
    """Return the origin of a page of another site that may call, or nothing."""
    origin = headers.get("origin", "")
    return origin if origin in door.origins else ""


def allowances(origin: str) -> dict[str, str]:
    """Return the headers by which a browser lets a page of another origin read an answer."""
    return {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": _TOLD,
        "cross-origin-resource-policy": "cross-origin",
        "vary": "origin",
    }


def preflight(origin: str) -> dict[str, str]:
    """Return the headers of the answer to a browser that asks what such a page may send."""
    return {
        **allowances(origin),
        "access-control-allow-methods": _METHODS,
        "access-control-allow-headers": _ASKED,
        "access-control-max-age": _KEPT_SECONDS,
    }


def name_of(host: str) -> str:
    """Return the name in a Host header, without its port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lower() + "]"
    return host.partition(":")[0].lower()


def port_of(host: str) -> str:
    """Return the port in a Host header, or 80 where it names none."""
    port = host.rpartition("]")[2].partition(":")[2]
    return port if port.isascii() and port.isdigit() else "80"
