"""What a served node is asked for on the command line: a link to sign in, and what was used."""

from __future__ import annotations

import httpx
import pytest

from tests.cli.program import Program
from tests.server.process import key_of, serving


def test_a_link_signs_in(fleet: Program) -> None:
    """The command gives a link of the running server, which works once."""
    with serving(fleet) as server:
        made = fleet.json("sign-in")
        assert made["url"].startswith(f"{server.url}/sign-in?code=")
        assert httpx.get(made["url"]).status_code == 303
        assert httpx.get(made["url"]).status_code == 401
        told = fleet.run("sign-in")
        assert told.out.startswith(f"{server.url}/sign-in?code=")
        assert "It works once, until " in told.err


def test_without_a_server_there_is_no_link(fleet: Program) -> None:
    """Where nobody serves the home, the command says how to begin."""
    assert fleet.fails(1, "sign-in").endswith("Start one: agent-memory serve")


@pytest.mark.parametrize("by", ["agent", "team", "key", "day"])
def test_use_is_added_up(fleet: Program, by: str) -> None:
    """What was used is added up by agent, team, key or day, for the operator and for an agent."""
    assert fleet.do("usage", "--as-operator") == "Nothing was used.\n"
    keys = {name: key_of(fleet, f"{name}-key", "--agent", name) for name in ("ann", "bob", "eve")}
    with serving(fleet) as server:
        for name, count in (("ann", 2), ("bob", 1), ("eve", 1)):
            with server.client(keys[name]) as client:
                for number in range(count):
                    client.post("/v1/memories", json={"content": f"{name} {number}"})
        assert server.stop() == 0
    found = fleet.json("usage", "--as-operator", "--by", by)
    counts = {one[by]: one["writes"] for one in found["totals"]}
    wanted = {
        "agent": {"ann": 2, "bob": 1, "eve": 1},
        "team": {"apollo": 3, "-": 1},
        "key": {"ann-key": 2, "bob-key": 1, "eve-key": 1},
    }
    assert counts == wanted[by] if by in wanted else list(counts.values()) == [4]
    assert sum(row["requests"] for row in found["usage"]) == 4
    mine = fleet.run("usage", "--as", "bob", "--by", by)
    assert mine.out.splitlines()[0].split() == [by.upper(), "REQUESTS", "WRITES", "BYTES"]
    assert len(mine.out.splitlines()) == 2
    assert "what the agent used" in mine.err


def test_what_cannot_be_added_up_is_refused(fleet: Program) -> None:
    """Only what is known can be added up."""
    assert "agent, team, key, day" in fleet.fails(2, "usage", "--by", "colour")
