"""What a key may do and see, for every operation that there is."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from agent_memory_os.api.access import AS
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.key import RIGHTS
from tests.api.operation import OPERATIONS, Operation, whole
from tests.api.served import KEYS, Served
from tests.laws.world import digest_of

NEVER = derive("memory", "never there")
FOREIGN = (
    "",
    "*",
    "%",
    "nobody",
    "ann,eve",
    "operator",
    "agt_" + "a" * 32,
    NEVER,
    "eve' OR '1'='1",
)
CANARY = "zq7canary"
KINDS = {"ann": "agent", "reader": "reader", "operator": "operator", "metrics": "metrics"}
CLOSED = [operation for operation in OPERATIONS if operation.right]
READS = [operation for operation in CLOSED if operation.right == "read"]
OF_A_MEMORY = [operation for operation in CLOSED if "{memory}" in operation.path]


def plant(served: Served, audience: str = "private") -> str:
    """Add a memory of ann's that has a word in each field, by which it would be known."""
    fields: dict[str, Any] = {
        "summary": f"summary {CANARY}",
        "tags": [CANARY],
        "source": {"file": CANARY},
        "author": CANARY,
        "session": CANARY,
        "audience": audience,
        "pinned": True,
    }
    return served.add("ann", f"The gateway is {CANARY} {audience}.", **fields)


def told(done: httpx.Response, *places: str) -> str:
    """Return what an answer says, but for what was asked itself and the request's id."""
    if done.headers.get("content-type") != "application/problem+json":
        return done.text
    problem = {name: part for name, part in done.json().items() if name != "instance"}
    text = json.dumps(problem)
    for place in places:
        text = text.replace(place, "THAT")
    return f"{done.status_code} {text}"


@pytest.mark.parametrize("operation", CLOSED, ids=str)
def test_a_key_may_what_its_kind_may(fresh: Served, operation: Operation) -> None:
    """An operation is refused to each kind of key that has not the right to it."""
    for who, kind in KINDS.items():
        done = operation.send(fresh[who])
        if operation.right in RIGHTS[kind]:
            assert done.status_code not in (401, 403) or who == "ann", (who, done.text)
        else:
            assert done.status_code == 403, (who, done.text)
    assert operation.send(fresh[""]).status_code == 401


@pytest.mark.parametrize("operation", CLOSED, ids=str)
def test_a_reader_changes_nothing(served: Served, operation: Operation) -> None:
    """Whatever a key that may only read is used for, the node's file stays as it was."""
    kept = plant(served)
    before = digest_of(served.home)
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"):
        for places in ({}, {"memory": kept, "newer": kept, "older": kept}):
            done = operation._replace(method=method).send(served["reader"], **places)
            assert done.status_code < 500, done.text
    assert digest_of(served.home) == before


@pytest.mark.parametrize("operation", OF_A_MEMORY, ids=str)
def test_a_hidden_memory_is_as_one_that_never_was(served: Served, operation: Operation) -> None:
    """Whatever is done with another's private memory is answered as if it had never been there."""
    hidden = plant(served)
    mine = served.add("eve", f"Eve has one of her own for {operation}.")
    before = digest_of(served.home)
    for name in ("memory", "other", "newer", "older"):
        places = {"memory": mine, "other": mine, "newer": mine, "older": mine}
        answers = [
            operation.send(served["eve"], **{**places, name: that}) for that in (hidden, NEVER)
        ]
        if name in operation.at() or name in (operation.body or ()) or name == "memory":
            said = [told(done, hidden, NEVER) for done in answers]
            assert said[0] == said[1]
            assert name != "memory" or answers[0].status_code == 404
    assert digest_of(served.home) == before or operation.right == "write"
    assert CANARY in served["ann"].get(f"/v1/memories/{hidden}").text


@pytest.mark.parametrize("operation", READS, ids=str)
def test_who_is_not_the_key_gets_nothing(served: Served, operation: Operation) -> None:
    """No read gives anything to a foreign, unknown, empty or wildcard name, or a claimed team."""
    hidden = [plant(served), plant(served, "team:apollo"), plant(served, "project:apollo/site")]
    for who in ("", "metrics"):
        assert operation.send(served[who], memory=hidden[0]).status_code in (401, 403)
    for named in (*FOREIGN, "ann"):
        done = operation.send(served["eve"], {AS: named.encode()}, memory=hidden[0])
        assert done.status_code == 403, (named, done.text)
    claims = ("agent", "team", "scope", "audience", "requester_agent_id", "requester_team_id")
    for claim in ("ann", "apollo", "team:apollo", "*", ""):
        for place in hidden:
            path = operation.at(memory=place)
            query = {**operation.query, **dict.fromkeys(claims, claim)}
            for params in (operation.query, query, {**operation.query, "owner": claim}):
                client = served["eve"]
                done = whole(client, client.build_request(operation.method, path, params=params))
                assert CANARY not in done.text
                assert not [one for one in hidden if one != place and one in done.text]


def test_every_kind_of_key_is_tried() -> None:
    """The tests here try each kind of key that there is."""
    assert set(KINDS.values()) == set(RIGHTS)
    assert set(KINDS) <= set(KEYS)
