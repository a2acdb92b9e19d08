"""Who asks: the key, the socket's peer or the browser's session, and what that lets them do.

The principal comes from here and from nothing that a request's body says. Whoever comes through
the Unix socket as the home's owner is who could read the file itself, and needs no key. A request
may name an agent to act as (``Agent-Memory-As``): for an agent's key it must be that agent.

The guard lets a caller in before the body is read. A method that may change something needs the
right to write, whatever its route says; what a route needs beside that is a dependency of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import unquote

from fastapi import Depends, Request
from starlette.datastructures import Headers

from agent_memory_os.api import browser
from agent_memory_os.api.door import Door
from agent_memory_os.api.sessions import is_same
from agent_memory_os.errors import AgentMemoryError, NotAllowed, Unauthenticated
from agent_memory_os.model.key import OPERATE, OPERATOR, READ, RIGHTS, WRITE, Key, Limits
from agent_memory_os.model.principal import Principal
from agent_memory_os.service.memory.room import Room
from agent_memory_os.service.named import find_agent

AS = "agent-memory-as"
CSRF = "x-csrf-token"
COOKIE = "agent_memory_"
"""What the name of a session's cookie begins with; the port follows, for a browser tells servers
of one machine apart by nothing else."""

SOCKET = "socket"
SESSION = "session"
READING = frozenset(("/v1/search", "/v1/pack", "/v1/memory/search"))
"""What is asked for with a POST and changes nothing."""

_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))
_OPERATES = "do what the operator does"
_ANOTHER = "The key stands for another agent than the one that the request names."


class Caller(NamedTuple):
    """Who asks, what it may do, and on whose account that goes."""

    principal: Principal
    rights: frozenset[str]
    key: str
    limits: Limits


def door_of(request: Request) -> Door:
    """Return what every request passes, with the node as the caller may use it."""
    door: Door = request.state.door
    return door


def caller_of(request: Request) -> Caller:
    """Return who asks; the guard has let it in."""
    caller: Caller = request.state.caller
    return caller


def enter(request: Request, door: Door) -> tuple[Caller, Door]:
    """Return who asks, and the door with the node as that caller may use it.

    Raises :class:`Unauthenticated` where nobody valid does, :class:`NotAllowed` where the caller
    may not do what it asks for, and :class:`TooMuch` where it asked too often.
    """
    caller = _identified(request, door)
    named = request.headers.get(AS)
    if named is not None:
        caller = caller._replace(principal=_as_named(door, caller, text_of(named)))
    is_write = is_writing(request.method, request.scope["path"])
    if is_write and WRITE not in caller.rights:
        raise NotAllowed("This key may read only.")
    door.meter.take(caller.key, caller.limits, is_write=is_write)
    agent, most = caller.principal.agent, caller.limits.memories
    if agent is not None and most is not None:
        door = door._replace(node=door.node.within(Room(agent, most)))
    return caller, door


def is_writing(method: str, path: str) -> bool:
    """Say whether a request may change something."""
    return method not in _SAFE and path not in READING


def check_bytes(caller: Caller, door: Door, headers: Headers) -> None:
    """Raise :class:`TooMuch` where a body says that it is longer than a caller may still send."""
    length, most = headers.get("content-length", "0"), caller.limits.bytes
    if most is None or not length.isdigit():
        return
    if int(length) > door.meter.left(caller.key, most, door.node.keys.sent):
        raise door.meter.until_tomorrow("bytes")


def count_bytes(caller: Caller, door: Door, size: int) -> None:
    """Count what a caller sends, as it comes; raise :class:`TooMuch` beyond its limit of a day."""
    if caller.limits.bytes is not None:
        door.meter.send(caller.key, caller.limits.bytes, door.node.keys.sent, size)


def is_still_in(request: Request, door: Door) -> bool:
    """Say whether a caller that was let in would be let in again; in doubt not."""
    try:
        _identified(request, door)
    except AgentMemoryError:
        return False
    return True


def cookie_of(request: Request) -> str:
    """Return the name of the session's cookie at the port that the browser knows."""
    return COOKIE + browser.port_of(request.headers.get("host", ""))


def _identified(request: Request, door: Door) -> Caller:
    if request.client is not None and request.client.host == f"uid:{door.uid}":
        return Caller(Principal.operator(), RIGHTS[OPERATOR], SOCKET, Limits())
    token = _token(request)
    if token:
        key = door.node.keys.authenticate(token)
        if key is None:
            raise Unauthenticated("The key is not valid here: unknown, revoked or expired.")
        return _of_key(key)
    session = request.cookies.get(cookie_of(request))
    if session and not browser.foreign_origin(request.headers, door):
        return _of_session(request, door, session)
    raise Unauthenticated("A key is needed: Authorization: Bearer KEY.")


def _token(request: Request) -> str:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _of_key(key: Key) -> Caller:
    return Caller(key.principal, key.rights, key.id, key.limits)


def _of_session(request: Request, door: Door, token: str) -> Caller:
    session = door.sessions.find(token)
    if session is None:
        raise Unauthenticated("The session is over: sign in again.")
    if request.method not in _SAFE and not is_same(session.csrf, request.headers.get(CSRF, "")):
        raise NotAllowed("The request does not come from a page of this node.")
    return Caller(Principal.operator(), RIGHTS[OPERATOR], SESSION, Limits())


def text_of(header: str) -> str:
    """Return the text of a header that may hold any: as UTF-8, or percent-encoded."""
    return unquote(header.encode("latin-1", "replace").decode("utf-8", "replace"))


def _as_named(door: Door, caller: Caller, named: str) -> Principal:
    if named == OPERATOR:
        if OPERATE not in caller.rights:
            raise NotAllowed(f"This key may not {_OPERATES}.")
        return Principal.operator()
    if OPERATE in caller.rights:
        return Principal.of_agent(door.node.organisation.agent(named).id)
    if not is_agent(door, caller, named):
        raise NotAllowed(_ANOTHER)
    return caller.principal


def is_agent(door: Door, caller: Caller, named: str) -> bool:
    """Say whether a caller is the agent of a name or id."""
    if caller.principal.agent is None:
        return False
    if named == caller.principal.agent:
        return True
    with door.node.context.database.read() as snapshot:
        return find_agent(snapshot, caller.principal.agent).name == named


def check_agent(door: Door, caller: Caller, named: str) -> None:
    """Raise :class:`NotAllowed` unless a request names the agent that acts, or nobody.

    What a request says of itself never widens what its key may do.
    """
    if named and not is_agent(door, caller, named):
        raise NotAllowed(_ANOTHER)


def needing(right: str, words: str) -> Callable[[Request], Awaitable[Caller]]:
    """Return a dependency that lets in whoever has a right."""

    async def dependency(request: Request) -> Caller:
        caller = caller_of(request)
        if right not in caller.rights:
            raise NotAllowed(f"This key may not {words}.")
        if right == OPERATE and not caller.principal.is_operator:
            raise NotAllowed("This is the operator's: act as the operator.")
        return caller

    dependency.right = right  # type: ignore[attr-defined]
    return dependency


reading = needing(READ, "read memories")
operating = needing(OPERATE, _OPERATES)
Reading = Depends(reading)
Operating = Depends(operating)
