"""Moves over HTTP: some hundred a request, with a cursor to go on with."""

from __future__ import annotations

import pytest

from agent_memory_os.api.routes import moves
from tests.api.served import Served


def test_a_long_move_is_gone_on_with(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer comes after so many memories, and the last one has no cursor."""
    monkeypatch.setattr(moves, "MOST", 16)
    for number in range(20):
        fresh.add("ann", f"kettle {number}")
    body: dict[str, object] = {"agent": "ann", "to": "eve", "audience": "private", "tag": []}
    plan = fresh["operator"].post("/v1/moves/preview", json=body).json()
    assert (plan["agent"], plan["to"], plan["memories"], plan["lost"]) == ("ann", "eve", 20, [])
    assert len(plan["sample"]) == 5
    first = fresh["operator"].post("/v1/moves", json=body).json()
    assert (first["moved"], first["skipped"]) == (16, 0)
    rest = fresh["operator"].post("/v1/moves", json={**body, "cursor": first["cursor"]}).json()
    assert rest == {"moved": 4, "skipped": 0, "cursor": None}


def test_what_is_asked_for_wrongly_is_refused(fresh: Served) -> None:
    """A body that says too much, an owner, and what is no cursor."""
    operator, both = fresh["operator"], {"agent": "ann", "to": "eve"}
    for path, body in (
        ("", {**both, "owner": "ann"}),
        ("", {**both, "cursor": "x"}),
        ("", {"agent": "ann"}),
        ("/preview", {**both, "drop_grants": True}),
        ("/preview", {**both, "back": "yes"}),
        ("/team", {"team": "apollo", "to": "apollo"}),
        ("/team/preview", {"team": "apollo", "to": "apollo", "cursor": ""}),
    ):
        assert operator.post(f"/v1/moves{path}", json=body).status_code == 422, body
