"""Signing in with a browser: the page of the node, links that work once, and sessions.

A session has the operator's rights. Its cookie is for this server alone: no script reads it, and no
page of another site has it sent. What changes something must carry the session's word as well.
"""

from __future__ import annotations

from html import escape
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response

from agent_memory_os.api.access import (
    SESSION,
    Caller,
    caller_of,
    cookie_of,
    door_of,
    operating,
    reading,
)
from agent_memory_os.api.answer import answer
from agent_memory_os.api.contract import problems
from agent_memory_os.api.sessions import CODE_MS, SESSION_MS, Session
from agent_memory_os.errors import NotFound, Unauthenticated
from agent_memory_os.wire.instant import iso
from agent_memory_os.wire.schema import access as schema

router = APIRouter(tags=["session"])
Reader = Annotated[Caller, Depends(reading)]
Operator = Annotated[Caller, Depends(operating)]
_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Agent Memory OS</title>
<main>
<h1>Agent Memory OS</h1>
{lines}
</main>
</html>
"""
_OVER = "This link was used already, or is too old. Make another: agent-memory sign-in"
_SIGNED_OUT = "You are not signed in. To sign in, make a link: agent-memory sign-in"
_SIGNED_IN = (
    "You are signed in as its operator.",
    "There is no console yet: what it holds is at /v1/memories, as JSON.",
)
_SERVED = "A node is served here, for agents and for programs that have a key."


@router.get("/", response_class=HTMLResponse)
async def home(request: Request) -> Response:
    """Say to a person that a node is served here, and whether the browser is signed in."""
    session = door_of(request).sessions.find(request.cookies.get(cookie_of(request), ""))
    return _page(_SERVED, *((_SIGNED_OUT,) if session is None else _SIGNED_IN))


@router.get("/sign-in", status_code=303, response_class=Response, responses=problems(401))
async def sign_in(request: Request, code: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Open a session with the code of a link, which works once, and lead on to the page."""
    opened = door_of(request).sessions.open(code)
    if opened is None:
        if "text/html" in request.headers.get("accept", ""):
            return _page(_OVER, status=401)
        raise Unauthenticated(_OVER)
    done = Response(status_code=303, headers={"location": "/"})
    done.set_cookie(
        cookie_of(request),
        opened[0],
        max_age=SESSION_MS // 1000,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return done


@router.post("/v1/sign-in-links", status_code=201, response_model=schema.SignInLink)
async def invite(request: Request, _: Operator) -> Response:
    """Make a link that signs a browser in, once, within a quarter of an hour."""
    door = door_of(request)
    at = door.url or str(request.base_url).rstrip("/")
    url = f"{at}/sign-in?code={door.sessions.invite()}"
    return answer({"url": url, "ends_at": iso(door.clock() + CODE_MS)}, 201)


@router.get("/v1/session", response_model=schema.Session)
async def session(request: Request, _: Reader) -> Response:
    """Return the browser's session, with the word that it must send as X-CSRF-Token."""
    found = _session(request)
    return answer({"csrf": found.csrf, "ends_at": iso(found.ends_at)})


@router.delete("/v1/session", status_code=204)
async def sign_out(request: Request, _: Reader) -> Response:
    """End the browser's session."""
    _session(request)
    name = cookie_of(request)
    door_of(request).sessions.close(request.cookies[name])
    done = Response(status_code=204)
    done.delete_cookie(name, httponly=True, samesite="strict")
    return done


def _session(request: Request) -> Session:
    """Return the session that a request came with; with a key there is none."""
    token = request.cookies.get(cookie_of(request), "")
    found = door_of(request).sessions.find(token)
    if found is None or caller_of(request).key != SESSION:
        raise NotFound("The request comes with a key, and with no session.")
    return found


def _page(*lines: str, status: int = 200) -> Response:
    """Return a page of some paragraphs, without script, style or anything from elsewhere."""
    text = "\n".join(f"<p>{escape(line)}</p>" for line in lines)
    return HTMLResponse(_PAGE.format(lines=text), status)
