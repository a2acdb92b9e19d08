"""The routes of engram do what they did, for the key's agent and no other tenant."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.api.served import Served

ANOTHER = "The key stands for another agent than the one that the request names."
HIT = (
    "fact_id text score vector_score keyword_score rerank_score category polarity event_date"
).split()


def record(served: Served, text: str, who: str = "ann", **fields: Any) -> str:  # noqa: ANN401
    """Record a fact, and return its id."""
    done = served[who].post("/v1/memory/record", json={"text": text, **fields})
    assert done.status_code == 200, done.text
    assert done.json()["text"] == text
    return str(done.json()["fact_id"])


def texts(done: httpx.Response) -> list[str]:
    """Return the texts of the facts that were found."""
    assert done.status_code == 200, done.text
    return [hit["text"] for hit in done.json()["hits"]]


def say(served: Served, session: str, content: str, who: str = "ann", **fields: Any) -> Any:  # noqa: ANN401
    """Keep a message, and return what is answered."""
    done = served[who].post(f"/v1/sessions/{session}/messages", json={"content": content, **fields})
    assert done.status_code == 200, done.text
    return done.json()


def messages(served: Served, session: str, who: str = "ann", **params: Any) -> list[Any]:  # noqa: ANN401
    """Return the messages of a session, three at a time."""
    found: list[Any] = []
    cursor = ""
    while True:
        how = {"limit": 3, "cursor": cursor, **params}
        done = served[who].get(f"/v1/sessions/{session}/messages", params=how)
        assert done.status_code == 200, done.text
        found += done.json()["memories"]
        cursor = done.json()["cursor"]
        if not cursor:
            return found


def test_a_fact_is_recorded_and_found(fresh: Served) -> None:
    """A fact is a memory of the key's agent, with all that was said of it, and is found again."""
    fact = record(
        fresh,
        "I moved to Bern.",
        user_id="ann",
        org_id="default",
        session_id="s1",
        role="user",
        category="event",
        confidence=0.5,
        polarity="negative",
        tier="episodic",
        event_date="2026-05-08",
        valid_from="2026-05-09T00:00:00Z",
        metadata={"channel": "phone"},
    )
    kept = fresh["ann"].get(f"/v1/memories/{fact}").json()
    assert (kept["type"], kept["tags"], kept["author"]) == ("event", ["event"], "user")
    assert (kept["session"], kept["confidence"]) == ("s1", 0.5)
    assert kept["event_at"] == "2026-05-08T00:00:00.000Z"
    assert kept["valid_from"] == "2026-05-09T00:00:00.000Z"
    source = {"polarity": "negative", "tier": "episodic", "category": "event", "channel": "phone"}
    assert (kept["source"], kept["audience"]) == (source, [])
    query = {"query": "Where did I move?"}
    fresh.clock.stop_at(fresh.clock())  # so that scores are the same each time
    ask = fresh["ann"].get
    answers = [
        fresh["ann"].post("/v1/memory/search", json={**query, "top_k": 5}).json(),
        ask("/v1/memory/recall", params=query).json(),
        ask("/v1/memory/raw_facts", params=query).json(),
    ]
    assert answers[0] == answers[1] == answers[2]
    (hit,) = answers[0]["hits"]
    assert sorted(hit) == sorted(HIT)
    assert (hit["fact_id"], hit["category"], hit["polarity"]) == (fact, "event", "negative")
    assert (hit["event_date"], hit["vector_score"]) == ("2026-05-08T00:00:00.000Z", None)
    assert hit["score"] == hit["keyword_score"] > 0
    assert "I moved to Bern." in ask("/v1/memory/context", params=query).json()["context"]
    nothing = ask("/v1/memory/context", params={"query": "lunch"}).json()
    assert nothing == {"context": ""}
    assert texts(fresh["bob"].get("/v1/memory/recall", params=query)) == []


def test_a_category_that_is_no_type(fresh: Served) -> None:
    """A fact of a category of its own is a fact with that tag; any memory is told as a fact."""
    fact = record(fresh, "Tea, and no coffee.", category="taste")
    kept = fresh["ann"].get(f"/v1/memories/{fact}").json()
    assert (kept["type"], kept["tags"]) == ("fact", ["taste"])
    fresh.add("ann", "Coffee is in the kitchen.", source={"polarity": 3, "category": ["x"]})
    found = fresh["ann"].get("/v1/memory/recall", params={"query": "coffee"}).json()["hits"]
    assert {(hit["category"], hit["polarity"]) for hit in found} == {
        ("taste", "affirmative"),
        (None, "affirmative"),
    }


def test_a_fact_is_recorded_once_by_its_key(fresh: Served) -> None:
    """Sent again with its key a fact is the same one, by either path."""
    once = {"idempotency-key": "a"}
    body = {"text": "Once."}
    done = [
        fresh["ann"].post(path, json=body, headers=once).json()["fact_id"]
        for path in ("/v1/memory", "/v1/memory/record")
    ]
    assert done[0] == done[1]
    other = fresh["ann"].post("/v1/memory", json={"text": "Other."}, headers=once)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


def test_what_is_superseded_is_not_recalled(fresh: Served) -> None:
    """A fact that its owner has superseded is told by no search of engram, and in no context."""
    old, new = (record(fresh, f"The gateway is at port {port}.") for port in (8443, 9443))
    fresh["ann"].post(f"/v1/memories/{old}/supersede", json={"newer": new})
    query = {"query": "gateway port"}
    assert texts(fresh["ann"].get("/v1/memory/recall", params=query)) == [
        "The gateway is at port 9443."
    ]
    assert "8443" not in fresh["ann"].get("/v1/memory/context", params=query).text


@pytest.mark.parametrize("name", ["user_id", "org_id"])
def test_no_tenant_is_taken_from_a_request(fresh: Served, name: str) -> None:
    """A request for another tenant is refused in the same words, whether there is one or not."""
    record(fresh, "The gate is ann's.")
    say(fresh, "s", "hello")
    agent = fresh.node.organisation.agent("eve").id
    for tenant in ("ann", "nobody", "", "*", "default", "eve", agent):
        fine = tenant in ("", "default", "eve", agent)
        said, fact = {name: tenant}, {"text": "x", name: tenant}
        answers = [
            fresh["eve"].get("/v1/memory/recall", params={"query": "gate", **said}),
            fresh["eve"].get("/v1/memory/raw_facts", params={"query": "gate", **said}),
            fresh["eve"].get("/v1/memory/context", params={"query": "gate", **said}),
            fresh["eve"].post("/v1/memory/search", json={"query": "gate", **said}),
            fresh["eve"].get("/v1/sessions/s/messages", params=said),
            fresh["eve"].post("/v1/memory", json=fact),
            fresh["eve"].post("/v1/sessions/s/messages", json={"content": "x", **said}),
        ]
        for done in answers:
            assert "ann" not in done.text
            assert done.status_code == (200 if fine else 403), (tenant, done.text)
            assert fine or done.json()["detail"] == ANOTHER
    assert fresh["operator"].post("/v1/memory", json={"text": "x"}).status_code == 422


def test_nothing_is_extracted(served: Served) -> None:
    """Without a language model an extraction is refused in one sentence that says what to do."""
    body = {"messages": [{"role": "user", "content": "I moved."}], "persist": False}
    done = served["ann"].post("/v1/memory/extract", json=body)
    assert (done.status_code, done.json()["code"]) == (400, "usage")
    assert done.json()["detail"].count(".") == 1
    foreign = served["ann"].post("/v1/memory/extract", json={**body, "user_id": "bob"})
    assert foreign.status_code == 403


def test_a_session_keeps_its_order(fresh: Served) -> None:
    """Messages are told in the order in which they were kept, each a memory with its place."""
    lines = [("user", "Hello"), ("assistant", "Yes?"), ("user", "Hello"), ("tool", "42")]
    made = [say(fresh, "s 1/a", text, role=role) for role, text in lines]
    assert [one["position"] for one in made] == [0, 1, 2, 3]
    told = messages(fresh, "s 1/a")
    assert [(one["author"], one["content"]) for one in told] == lines
    assert [one["id"] for one in told] == [one["message_id"] for one in made]
    assert {(one["session"], one["type"], one["owner"]) for one in told} == {
        ("s 1/a", "note", "ann")
    }
    at = say(fresh, "s 1/a", "late", timestamp="2026-05-08T12:00:00Z")
    kept = fresh["ann"].get(f"/v1/memories/{at['message_id']}").json()
    assert kept["event_at"] == "2026-05-08T12:00:00.000Z"
    assert messages(fresh, "other") == messages(fresh, "s 1/a", "bob") == []


def test_messages_at_the_same_time_get_each_a_place(fresh: Served) -> None:
    """Messages that many post at once each have their own position, and none is lost."""
    assert messages(fresh, "busy") == []
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: say(fresh, "busy", f"number {n % 3}"), range(30)))
    assert sorted(one["position"] for one in made) == list(range(30))
    assert [one["position"] for one in messages(fresh, "busy")] == list(range(30))


def test_a_message_is_kept_once_by_its_key(fresh: Served) -> None:
    """Sent again with its key a message is the same one, in its place."""
    post = fresh["ann"].post
    done = [
        post(
            "/v1/sessions/s/messages",
            json={"content": "Once."},
            headers={"idempotency-key": "m"},
        ).json()
        for _ in range(2)
    ]
    assert done[0] == done[1]
    assert len(messages(fresh, "s")) == 1


def test_a_session_that_is_shared(fresh: Served) -> None:
    """What is shared of a session is told to whom it is shared with, who says whose it is."""
    made = [say(fresh, "s", text) for text in ("secret", "open")]
    fresh["ann"].post(f"/v1/memories/{made[1]['message_id']}/share", json={"audience": "global"})
    say(fresh, "s", "bob's own", "bob")
    assert [one["content"] for one in messages(fresh, "s", "bob", owner="ann")] == ["open"]
    assert [one["content"] for one in messages(fresh, "s", "bob")] == ["bob's own"]
    assert messages(fresh, "s", "bob", owner="nobody") == []
    found = messages(fresh, "s", "operator", owner="ann")
    assert [one["position"] for one in found] == [0, 1]
    for wrong in ({"cursor": "1.x"}, {"limit": 0}, {"limit": 1001}):
        assert fresh["ann"].get("/v1/sessions/s/messages", params=wrong).status_code == 422
    assert fresh["operator"].get("/v1/sessions/s/messages").status_code == 422
    for name, words in (("%20", "A session has a name."), ("s" * 201, "at most 200 characters")):
        done = fresh["ann"].get(f"/v1/sessions/{name}/messages")
        assert done.status_code == 422
        assert words in done.json()["detail"]
