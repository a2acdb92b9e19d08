"""The routes of Agent Memory OS 1.10 do what they did, with our rules of who may."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from agent_memory_os import __version__
from agent_memory_os.model.identifier import derive
from tests.api.served import Served

NEVER = derive("memory", "never there")
RECORD = (
    "id owner scope type content summary tags visibility source confidence importance created_at "
    "updated_at expires_at decay_half_life_days pinned"
).split()
ANOTHER = "The key stands for another agent than the one that the request names."
NO_MEMBER = "The key stands for no member of the team that the request names."


def add(served: Served, content: str, who: str = "ann", **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """Add a memory by the alias, and return what it answers."""
    done = served[who].post("/api/memories", json={"content": content, **fields})
    assert done.status_code == 200, done.text
    shape: dict[str, Any] = done.json()
    return shape


def refused(done: httpx.Response, status: int) -> str:
    """Return with what words a request was refused, with that status."""
    assert done.status_code == status, done.text
    return str(done.json()["detail"])


def contents(done: httpx.Response, name: str = "memories") -> list[str]:
    """Return what the memories of an answer say."""
    assert done.status_code == 200, done.text
    return [one["content"] for one in done.json()[name]]


def test_a_memory_lives_its_life(fresh: Served) -> None:
    """A memory is added, got, edited, deleted and gone, in the words of 1.10, and can come back."""
    made = add(
        fresh,
        "The gateway moved.",
        type="fact",
        scope="project",
        tags=["ops"],
        source={"file": "a.md"},
        confidence=0.9,
        importance=0.25,
        expires_at="2099-01-01",
        decay_half_life_days=7,
        pinned=True,
    )
    assert sorted(made) == sorted(RECORD)
    assert (made["owner"], made["scope"], made["visibility"]) == ("ann", "project", [])
    assert (made["tags"], made["source"]) == (["ops", "scope:project"], {"file": "a.md"})
    assert (made["confidence"], made["importance"], made["pinned"]) == (0.9, 0.25, True)
    assert (made["expires_at"], made["decay_half_life_days"]) == ("2099-01-01T00:00:00.000Z", 7)
    at = f"/api/memories/{made['id']}"
    assert fresh["ann"].get(at).json() == made
    changes = {"importance": 0.75, "decay_half_life_days": 9, "content": None, "pinned": False}
    done = fresh["ann"].patch(at, json=changes).json()
    assert (done["importance"], done["decay_half_life_days"], done["pinned"]) == (0.75, 9, False)
    assert (done["content"], done["confidence"]) == (made["content"], made["confidence"])
    assert refused(fresh["ann"].patch(at, json={}), 422).startswith("There is nothing to change")
    assert fresh["ann"].delete(at).json() == {"deleted": made["id"]}
    assert fresh["ann"].get(at).status_code == 404
    back = fresh["ann"].post(f"/v1/memories/{made['id']}/bring-back")
    assert back.status_code == 200
    assert fresh["ann"].get(at).json()["importance"] == 0.75


def test_a_list_goes_on_by_its_offset(fresh: Served) -> None:
    """A list is newest first, by type and scope, and begins behind as many as are passed by."""
    for number in range(5):
        add(fresh, f"number {number}", type="fact" if number % 2 else "note")
    add(fresh, "of a team", scope="team")
    ask = fresh["ann"].get
    assert contents(ask("/api/memories"))[:2] == ["of a team", "number 4"]
    some = ask("/api/memories", params={"limit": 2, "offset": 3})
    assert contents(some) == ["number 2", "number 1"]
    assert contents(ask("/api/memories", params={"type": "fact"})) == ["number 3", "number 1"]
    assert contents(ask("/api/memories", params={"scope": "team"})) == ["of a team"]
    assert contents(ask("/api/memories", params={"offset": 6})) == []
    for wrong in ({"limit": 101}, {"limit": 0}, {"offset": -1}, {"offset": 901}, {"sort": "a"}):
        assert refused(ask("/api/memories", params=wrong), 422)


def test_sharing_reaches_and_revoking_ends(fresh: Served) -> None:
    """What is shared with an agent, a team or a project reaches it, until it is taken back."""
    made = add(fresh, "shared on the way", visibility=["team:apollo"])
    assert made["visibility"] == ["team:apollo"]
    assert contents(fresh["bob"].get("/api/memories")) == ["shared on the way"]
    at = f"/api/memories/{made['id']}"
    done = fresh["ann"].post(f"{at}/share", json={"actor": "ann", "to_agent": "eve"})
    assert sorted(done.json()["visibility"]) == ["agent:eve", "team:apollo"]
    assert contents(fresh["eve"].get("/api/memories")) == ["shared on the way"]
    many = {"to_agent": "eve", "to_team": "apollo"}
    assert fresh["ann"].post(f"{at}/revoke", json=many).json()["visibility"] == []
    assert contents(fresh["eve"].get("/api/memories")) == []
    assert fresh["bob"].get(at).status_code == 404
    project = fresh["ann"].post(f"{at}/share", json={"to_project": "site"}).json()
    assert project["visibility"] == ["project:apollo/site"]
    for act in ("share", "revoke"):
        assert refused(fresh["ann"].post(f"{at}/{act}", json={}), 422).startswith("Name to_agent")
        said = fresh["ann"].post(f"{at}/{act}", json={"actor": "bob", "to_agent": "eve"})
        assert refused(said, 403) == ANOTHER
        foreign = fresh["eve"].post(f"{at}/{act}", json={"to_agent": "bob"})
        assert refused(foreign, 404)
    assert refused(fresh["ann"].post(f"{at}/revoke", json={"to_agent": "eve"}), 404)


def test_links_are_asserted_and_told(fresh: Served) -> None:
    """A link between two memories is told with either of them, and one to what is hidden is not."""
    one, two = (add(fresh, text, visibility=["global"])["id"] for text in ("one", "two"))
    body = {"src_id": one, "dst_id": two, "relation": "caused_by", "weight": 0.25}
    assert fresh["bob"].post("/api/links", json=body).json() == body
    told = fresh["ann"].get(f"/api/memories/{two}/links").json()
    assert told == {"memory_id": two, "links": [body]}
    hidden = add(fresh, "private")["id"]
    said = [
        refused(fresh["bob"].post("/api/links", json={"src_id": one, "dst_id": that}), 404)
        for that in (hidden, NEVER)
    ]
    assert said[0].replace(hidden, "") == said[1].replace(NEVER, "")


def test_finding_and_packing(fresh: Served) -> None:
    """A search, a pack and a timeline give what the key may see, by owner, scope and time."""
    first = add(fresh, "The harbour opens at nine.", scope="team", visibility=["team:apollo"])
    add(fresh, "The harbour closes at ten.", "bob", visibility=["team:apollo"])
    ask = fresh["ann"].get
    both = ask("/api/search", params={"q": "harbour"}).json()
    assert both["query"] == "harbour"
    assert {one["owner"] for one in both["results"]} == {"ann", "bob"}
    assert all(one["score"] > 0 and "lexical" in one["reason"] for one in both["results"])
    mine = {"q": "harbour", "owner": "ann"}
    assert contents(ask("/api/search", params=mine), "results") == [first["content"]]
    scope = {"q": "harbour", "scope": "team"}
    assert contents(ask("/api/search", params=scope), "results") == [first["content"]]
    late = {"q": "harbour", "since": "2099-01-01", "time_field": "updated_at"}
    assert contents(ask("/api/search", params=late), "results") == []
    around = {"anchor_id": first["id"], "limit": 5}
    assert contents(ask("/api/timeline", params=around))[0] == first["content"]
    at = {"around": first["created_at"], "window_seconds": 60, "owner": "ann"}
    assert contents(ask("/api/timeline", params=at)) == [first["content"]]
    for wrong in ({}, {**at, "anchor_id": first["id"]}):
        assert "anchor_id" in refused(ask("/api/timeline", params=wrong), 422)
    pack = ask("/api/context-pack", params={"q": "harbour", "max_tokens": 300}).json()
    assert first["content"] in pack["text"]
    assert 0 < pack["used_tokens"] <= pack["max_tokens"] == 300
    assert [one["selected"] for one in pack["decisions"]] == [True, True]
    assert first["content"] not in fresh["eve"].get("/api/search", params={"q": "harbour"}).text


@pytest.mark.parametrize(
    "path", ["/api/memories", "/api/search?q=gate", "/api/context-pack?q=gate", "/api/timeline"]
)
def test_who_asks_is_the_key_alone(served: Served, path: str) -> None:
    """A request that says that another asks is refused; that its own agent does changes nothing."""
    add(served, "The gate is ann's.")
    served.clock.stop_at(served.clock())  # so that scores are the same each time
    at = {"around": "2026-01-01"} if "timeline" in path else {}
    query = dict(httpx.URL(path).params) | at
    path = httpx.URL(path).path
    agent = served.node.organisation.agent("ann")
    for named in ({"owner": "bob"}, {"requester_agent_id": "bob"}, {"owner": "nobody"}):
        assert refused(served["ann"].get(path, params=query | named), 403) == ANOTHER
    for team in ("apollo", "nowhere", "project:site"):
        done = served["eve"].get(path, params=query | {"requester_team_id": team})
        assert refused(done, 403) == NO_MEMBER
    plain = served["ann"].get(path, params=query).text
    (apollo,) = (view.team for view in served.node.organisation.teams())
    for said in (
        {"requester_agent_id": "ann", "requester_team_id": "apollo"},
        {"requester_agent_id": agent.id, "requester_team_id": apollo.id},
        {"owner": "", "requester_agent_id": ""},
    ):
        assert served["ann"].get(path, params=query | said).text == plain
    for said in ({"requester_agent_id": "ann"}, {"requester_team_id": "apollo"}):
        assert served["operator"].get(path, params=query | said).status_code == 403


def test_one_memory_is_asked_for_by_the_key_alone(served: Served) -> None:
    """Of one memory and its links, too, nobody asks but the key's agent."""
    made = add(served, "The gate is ann's and no other's.")
    for path in (f"/api/memories/{made['id']}", f"/api/memories/{made['id']}/links"):
        done = served["eve"].get(path, params={"requester_agent_id": "ann"})
        assert refused(done, 403) == ANOTHER
        assert served["ann"].get(path, params={"requester_agent_id": "ann"}).status_code == 200
        assert served["eve"].get(path).status_code == 404


def test_nothing_is_changed_in_anothers_name(fresh: Served) -> None:
    """What would change something is refused, too, where a request says that another asks."""
    one, two = (add(fresh, text)["id"] for text in ("one", "two"))
    at, link = f"/api/memories/{one}", {"src_id": one, "dst_id": two}
    tries: list[tuple[str, str, dict[str, Any] | None]] = [
        ("POST", "/api/memories", {"content": "three"}),
        ("PATCH", at, {"content": "other"}),
        ("DELETE", at, None),
        ("POST", f"{at}/share", {"to_agent": "eve"}),
        ("POST", f"{at}/revoke", {"to_agent": "eve"}),
        ("POST", "/api/links", link),
        ("GET", "/api/stats", None),
    ]
    before = fresh["ann"].get("/api/memories").json()
    for said, told in (("requester_agent_id", ANOTHER), ("requester_team_id", NO_MEMBER)):
        for method, path, body in tries:
            done = fresh["ann"].request(method, path, params={said: "bob"}, json=body)
            assert refused(done, 403) == told
    assert fresh["ann"].get("/api/memories").json() == before
    assert fresh["ann"].get(f"{at}/links").json()["links"] == []
    assert fresh["ann"].delete(at, params={"requester_agent_id": "ann"}).status_code == 200


def test_the_operator_says_for_whom(fresh: Served) -> None:
    """With the operator's key a memory is added for the agent that is named, and no other."""
    assert add(fresh, "for bob", "operator", owner="bob")["owner"] == "bob"
    done = fresh["operator"].get("/api/memories", params={"owner": "bob"})
    assert contents(done) == ["for bob"]
    assert refused(fresh["operator"].post("/api/memories", json={"content": "x"}), 422)
    foreign = fresh["ann"].post("/api/memories", json={"content": "x", "owner": "bob"})
    assert refused(foreign, 403) == ANOTHER
    assert add(fresh, "mine", owner="ann")["owner"] == "ann"


def test_the_fleet_is_the_operators(served: Served) -> None:
    """Agents, teams and projects are told in the shapes of 1.10, to the operator alone."""
    ask = served["operator"].get
    ann = ask("/api/agents").json()["agents"][0]
    assert (ann["id"], ann["teams"], ann["kind"]) == ("ann", ["apollo"], "custom")
    team = {"id": "apollo", "name": "apollo", "members": ["ann", "bob"]}
    assert ask("/api/teams").json() == {"teams": [team]}
    site = {"id": "apollo/site", "name": "site", "team_id": "apollo", "members": ["ann"]}
    assert ask("/api/projects").json() == {"projects": [site]}
    assert ask("/api/projects", params={"team": "apollo"}).json() == {"projects": [site]}
    assert ask("/api/projects", params={"team": "other"}).json() == {"projects": []}
    for path in ("agents", "teams", "projects"):
        assert served["ann"].get(f"/api/{path}").status_code == 403


def test_counts_health_and_the_node(fresh: Served) -> None:
    """Counts are of what the key may read; that the server lives is told to everybody."""
    add(fresh, "one", type="fact")
    add(fresh, "two", "bob")
    told = fresh["ann"].get("/api/stats").json()
    assert (told["memories"], told["by_type"], told["teams"]) == (1, {"fact": 1}, 1)
    assert fresh[""].get("/health").json() == {"status": "ok"}
    assert fresh[""].get("/api/node").status_code == 401
    node = fresh["ann"].get("/api/node").json()
    assert node == {"node_name": "127.0.0.1", "version": __version__}


def test_what_is_not_known_is_refused(served: Served) -> None:
    """A field of 1.10 that has no meaning here is named, and not passed over."""
    for more in ({"auto_link": True}, {"decay_policy": "none"}, {"scope": "galaxy"}):
        done = served["ann"].post("/api/memories", json={"content": "x", **more})
        assert next(iter(more)) in refused(done, 422)
    done = served["ann"].get("/api/context-pack", params={"q": "x", "auto_reinforce": True})
    assert "auto_reinforce" in refused(done, 422)
