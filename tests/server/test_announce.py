"""A served node says in its network that it is there, where its operator wants that."""

from __future__ import annotations

import time

import httpx

from tests.cli.program import Program
from tests.server.process import PATIENCE, serving

CAME_OF_IT = ("announced", "could not be announced: there is no network for it")


def test_who_listens_to_itself_alone_is_not_announced(program: Program) -> None:
    """Nobody in the network could reach it: the person is told so, and it is served."""
    (program.home / "node.toml").write_text('default_agent = "ann"\nannounce = "on"\n')
    with serving(program) as server:
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        assert server.stop() == 0
    assert "it listens to this machine alone" in str(server.said["notes"])


def test_who_listens_to_others_is_announced_or_says_why_not(program: Program) -> None:
    """Where there is no network for it, the log says so, and everything else goes on."""
    (program.home / "node.toml").write_text('default_agent = "ann"\nannounce = "on"\n')
    with serving(program, "--host", "0.0.0.0") as server:
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        until = time.monotonic() + PATIENCE
        while not said(server.events) and time.monotonic() < until:
            time.sleep(0.05)
        assert server.stop() == 0
    assert len(said(server.events)) == 1


def said(events: list[dict[str, object]]) -> list[object]:
    """Return what the log says of announcing."""
    return [one for event in events for one in event.values() if one in CAME_OF_IT]
