"""Invitations over HTTP: the operator's, with their codes, and nobody else's."""

from __future__ import annotations

import httpx

from tests.api.served import Served


def made(served: Served, **body: object) -> httpx.Response:
    """Ask for an invitation."""
    return served["operator"].post("/v1/invitations", json=body)


def test_an_operator_gives_out_codes(fresh: Served) -> None:
    """A code comes once it is made, stands while it is open, and is gone once it is withdrawn."""
    first, second = made(fresh, kind="team", team="apollo", minutes=5), made(fresh, kind="device")
    assert (first.status_code, second.status_code) == (201, 201)
    team, device = first.json(), second.json()
    assert (team["kind"], team["team"], team["state"], team["tries_left"]) == (
        *("team", "apollo", "open"),
        3,
    )
    assert (device["kind"], device["team"], device["peer"]) == ("device", None, None)
    assert team["code"].startswith(f"{team['number']}-")
    operator = fresh["operator"]
    shown = operator.get("/v1/invitations").json()["invitations"]
    assert sorted(one["number"] for one in shown) == sorted((team["number"], device["number"]))
    assert operator.get(f"/v1/invitations/{team['number']}").json() == team
    ended = operator.delete(f"/v1/invitations/{team['number']}")
    assert (ended.status_code, ended.json()["state"], ended.json()["code"]) == (200, "ended", None)


def test_what_is_no_invitation_is_refused(fresh: Served) -> None:
    """A team that is not named or not there, one too many, and too many minutes are told."""
    for status, body in (
        (422, {"kind": "team"}),
        (422, {"kind": "device", "team": "apollo"}),
        (422, {"kind": "project", "team": "apollo"}),
        (422, {"kind": "device", "minutes": 0}),
        (422, {"kind": "device", "minutes": 2**62}),
        (422, {"kind": "device", "figs": 1}),
        (404, {"kind": "team", "team": "ghost"}),
    ):
        assert made(fresh, **body).status_code == status, body
    for number in (7, 100, 2**70):
        for method in ("GET", "DELETE"):
            at = f"/v1/invitations/{number}"
            assert fresh["operator"].request(method, at).status_code == 404
    assert fresh["operator"].get("/v1/invitations/figs").status_code == 404
    assert fresh["operator"].get("/v1/invitations").json() == {"invitations": []}


def test_nobody_else_sees_a_code(fresh: Served) -> None:
    """Agents, readers and keys for metrics are refused, whether there is an invitation or not."""
    number = made(fresh, kind="device").json()["number"]
    for who in ("ann", "reader", "metrics"):
        client = fresh[who]
        answers = [
            client.get("/v1/invitations"),
            client.get("/v1/peers/devices"),
            *(client.get(f"/v1/invitations/{one}") for one in (number, 7)),
            *(client.delete(f"/v1/invitations/{one}") for one in (number, 7)),
            client.post("/v1/invitations", json={"kind": "device"}),
        ]
        assert {answer.status_code for answer in answers} == {403}
    [device] = fresh["operator"].get("/v1/peers/devices").json()["devices"]
    assert (device["this"], device["state"], device["peer"]) == (True, "certified", None)
