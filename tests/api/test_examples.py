"""The examples of the schema are what a served node takes, as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from agent_memory_os.wire.schema.peers import EXAMPLE
from tests.api.operation import OPERATIONS, Operation
from tests.api.served import Served, serving
from tests.api.test_fuzz import KEY_OF

NOT_THERE = 404
ALWAYS = {
    "/v1/memory/extract": 400,  # a node has no language model
    "/sign-in": 401,  # the code of an example is used already
    "/v1/session": NOT_THERE,  # a key comes with no session
    "/v1/memories/{memory}/as-of": NOT_THERE,  # the memory is newer than the example
    "/v1/quarantine/{number}": NOT_THERE,  # no peer sent anything that could not be taken
    "/v1/quarantine/drop": NOT_THERE,
    "/v1/quarantine/retry": NOT_THERE,
    "/v1/sync/import": 422,  # an empty file is no bundle
    "/v1/conflicts/{number}": NOT_THERE,  # no edit lost to one on another device
    "/v1/conflicts/{number}/swap": NOT_THERE,
    "/v1/peers/devices/revoke": 403,  # the device of the example is of another account
    "/v1/peers/{peer}/certify": 403,
    "/v1/teams/{team}/hand-over": NOT_THERE,  # nobody else is known
    "/v1/teams/{team}/take-back": 409,  # nobody took it
}
"""What an example is answered with that no test's node can do."""

ENDING = {"/v1/events": {"wait": "false"}}
"""What lets a stream end that otherwise has no end."""

ANCHORS = {"/v1/timeline": "at", "/api/timeline": "anchor_id"}
"""The parameter that is sent where one of two is needed."""

HELD = ("memory", "src_id", "anchor_id")
OTHER = ("other", "newer", "dst_id")
"""Where an example names a memory, and where another one."""


def sent(served: Served, operation: Operation, **places: Any) -> httpx.Response:  # noqa: ANN401
    """Send the example of an operation with the key that it needs; a file is an empty one."""
    own = operation.schema["parameters"]
    examples = {one["name"]: one["example"] for one in own if "example" in one} | places
    in_path = {one["name"]: str(examples[one["name"]]) for one in own if one.get("in") == "path"}
    only_operator = operation.path == "/v1/owners" and operation.method == "DELETE"
    client = served["operator" if only_operator else KEY_OF[operation.right]]
    query = {name: examples[name] for name in operation.query}
    query |= ENDING.get(operation.path, {})
    if operation.path in ANCHORS:
        query[ANCHORS[operation.path]] = examples[ANCHORS[operation.path]]
    at = operation.at(**in_path)
    taken = operation.schema.get("requestBody", {}).get("content", {"application/json": {}})
    if "application/json" not in taken:
        kind = {"content-type": next(iter(taken))}
        return client.post(at, params=query, content=b"", headers=kind)
    body = operation.body
    if isinstance(body, dict):
        body = {name: places.get(name, value) for name, value in body.items()}
    return client.request(operation.method, at, params=query, json=body)


@pytest.fixture(scope="module")
def bare() -> Iterator[Served]:
    """Give a node without the agents, teams, keys and memories of the examples."""
    with serving() as found:
        found.node.organisation.remove_team("apollo")
        yield found


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_example_is_taken(bare: Served, operation: Operation) -> None:
    """As it stands in openapi.json an example is done, or what it is about is not there."""
    done = sent(bare, operation)
    assert str(done.status_code) in operation.schema["responses"], done.text
    fine = (ALWAYS.get(operation.path), NOT_THERE)
    assert done.is_success or done.status_code in fine, done.text


def prepare(fresh: Served, operation: Operation) -> None:
    """Make the agents, teams, keys and peers of an example, but for what it makes itself."""
    organisation = fresh.node.organisation
    if str(operation) == "POST /v1/teams":
        organisation.remove_team("apollo")
    if str(operation) != "POST /v1/agents":
        organisation.add_agent("planner")
        if str(operation) != "POST /v1/teams":
            organisation.join("planner", "team:apollo")
    if operation.path.startswith("/v1/keys/"):
        fresh.node.keys.create("laptop", "agent", "planner")
    if operation.path.startswith(("/v1/peers/{", "/v1/peers/devices", "/v1/sync/")):
        fresh.node.peers.add(EXAMPLE, "laptop")
    if operation.path.startswith("/v1/moves"):
        organisation.add_agent("planner-2")
        organisation.add_team("artemis")


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if "{" in one.path or one.body], ids=str
)
def test_an_example_is_done_where_things_are_there(fresh: Served, operation: Operation) -> None:
    """Where the agents, teams, keys and memories of the examples are there, each is done."""
    prepare(fresh, operation)
    invited = fresh.node.invitations.team("apollo") if "/invitations/" in operation.path else None
    audience = "global" if str(operation) == "POST /v1/agents" else "global, agent:planner"
    kept, other = (fresh.add("ann", text, audience=audience) for text in ("One.", "Other."))
    places: dict[str, Any] = {**dict.fromkeys(HELD, kept), **dict.fromkeys(OTHER, other)}
    if operation.path.endswith("/erase"):
        places["memories"] = [kept]
    if operation.path.endswith("/bring-back"):
        fresh["ann"].delete(f"/v1/memories/{kept}")
    if operation.method == "DELETE" and "/links/" in operation.path:
        fresh["ann"].put(f"/v1/memories/{kept}/links/{other}", json={})
    if invited is not None:
        places["number"] = invited.number
    done = sent(fresh, operation, **places)
    assert done.is_success or done.status_code == ALWAYS.get(operation.path), done.text
