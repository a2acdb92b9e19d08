"""Signing in with a browser: a link works once, and its session is for this server's pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from agent_memory_os.api.sessions import CODE_MS, SESSION_MS
from agent_memory_os.wire.problem import MEDIA_TYPE
from tests.api.served import Served


@pytest.fixture
def browser(served: Served) -> Iterator[httpx.Client]:
    """Give a browser: something that keeps cookies."""
    with httpx.Client(base_url=served.url) as found:
        yield found


def link(served: Served) -> str:
    """Make a link, and return its path with the code."""
    made = served["operator"].post("/v1/sign-in-links")
    assert made.status_code == 201
    url = str(made.json()["url"])
    assert url.startswith(f"{served.url}/sign-in?code=")
    return url.removeprefix(served.url)


def test_a_link_signs_in_once(served: Served, browser: httpx.Client) -> None:
    """A link opens a session for whoever follows it first, and for nobody after that."""
    path = link(served)
    done = browser.get(path)
    assert (done.status_code, done.headers["location"]) == (303, "/")
    port = served.url.rpartition(":")[2]
    cookie = done.headers["set-cookie"]
    assert re.fullmatch(
        rf"agent_memory_{port}=[\w-]+; HttpOnly; Max-Age=\d+; Path=/; SameSite=strict", cookie
    )
    assert "You are signed in" in browser.get("/").text
    assert browser.get("/v1/whoami").json()["operator"]
    for again in (browser, served[""]):
        assert again.get(path).status_code == 401
    assert browser.get("/v1/whoami").status_code == 200


@pytest.mark.parametrize("code", ["", "x", "%00", "é", "a" * 201, "code=1&code=2"])
def test_what_is_no_code_opens_nothing(served: Served, code: str) -> None:
    """A wrong code is told as a problem, or to a browser in words."""
    done = served[""].get("/sign-in", params={"code": code})
    assert done.status_code in (401, 422)
    assert done.headers["content-type"] == MEDIA_TYPE
    assert "set-cookie" not in done.headers
    seen = served[""].get("/sign-in", params={"code": "x"}, headers={"accept": "text/html"})
    assert seen.status_code == 401
    assert "agent-memory sign-in" in seen.text


def test_only_the_operator_makes_links(served: Served) -> None:
    """A key that is not the operator's makes no link, nor does the operator as an agent."""
    for who in ("ann", "reader", "metrics", ""):
        assert served[who].post("/v1/sign-in-links").status_code in (401, 403)
    acting = {"agent-memory-as": "ann"}
    assert served["operator"].post("/v1/sign-in-links", headers=acting).status_code == 403


def test_links_and_sessions_end(served: Served, browser: httpx.Client) -> None:
    """A link that was not used in time, and a session that lasted its time, open nothing."""
    late, used = link(served), link(served)
    browser.get(used)
    try:
        served.clock.ahead += CODE_MS
        assert served[""].get(late).status_code == 401
        assert browser.get("/v1/whoami").status_code == 200
        served.clock.ahead += SESSION_MS
        assert browser.get("/v1/whoami").status_code == 401
        assert "You are not signed in" in browser.get("/").text
    finally:
        served.clock.ahead = 0


def test_what_changes_something_carries_the_session_s_word(
    served: Served, browser: httpx.Client
) -> None:
    """A session reads with its cookie alone, and changes with the word that its pages know."""
    browser.get(link(served))
    session = browser.get("/v1/session").json()
    body = {"content": "A session said this.", "owner": "ann"}
    for word in ({}, {"x-csrf-token": ""}, {"x-csrf-token": session["csrf"] + "x"}):
        assert browser.post("/v1/memories", json=body, headers=word).status_code == 403
    told = {"x-csrf-token": session["csrf"]}
    assert browser.post("/v1/memories", json=body, headers=told).status_code == 201
    assert browser.delete("/v1/session").status_code == 403
    assert browser.delete("/v1/session", headers=told).status_code == 204
    assert browser.get("/v1/whoami").status_code == 401


def test_a_key_is_no_session(served: Served) -> None:
    """Whoever comes with a key has no session to be told of or to end."""
    for method in ("GET", "DELETE"):
        assert served["ann"].request(method, "/v1/session").status_code == 404


def test_the_page_is_for_people(served: Served) -> None:
    """The page of the node says that it is served, and runs or loads nothing."""
    page = served[""].get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "You are not signed in" in page.text
    assert not re.search(r"<(script|style|link|img|iframe|form)|\bon\w+=|javascript:", page.text)
