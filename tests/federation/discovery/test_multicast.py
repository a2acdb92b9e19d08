"""What is announced in a network is a fingerprint, an address and a port; hearing it is bounded."""

from __future__ import annotations

import pytest

from agent_memory_os.federation.discovery import multicast
from agent_memory_os.federation.discovery.multicast import TYPE, Heard, announced, hear

DEVICE = "dev_" + "a" * 32


def test_an_announcement_tells_where_to_ask() -> None:
    """One address of each kind is told, that of IPv4 first; one with a zone cannot be asked."""
    found = multicast.heard(f"{DEVICE}.{TYPE}", ["fd00::2", "fe80::1%eth0", "10.0.0.7"], 8765)
    assert found == [Heard(DEVICE, "10.0.0.7", 8765), Heard(DEVICE, "fd00::2", 8765)]


@pytest.mark.parametrize(
    ("name", "port"),
    [(f"rubbish.{TYPE}", 1), (TYPE, 1), (f"{DEVICE}.{TYPE}", None), (f"{DEVICE}.{TYPE}", 0)],
)
def test_rubbish_is_passed_over(name: str, port: int | None) -> None:
    """What names no fingerprint or no port says nothing."""
    assert multicast.heard(name, ["10.0.0.7"], port) == []


def test_where_a_node_listens_is_announced() -> None:
    """An address or a name stands for itself, and all addresses for those that others reach."""
    assert multicast.addresses("10.0.0.7") == ["10.0.0.7"]
    assert "127.0.0.1" in multicast.addresses("localhost")
    assert not {"127.0.0.1", "::1"} & {*multicast.addresses("0.0.0.0")}


def test_it_is_announced_and_heard_until_it_ends() -> None:
    """Over whatever network the machine has it is heard; without one nothing goes wrong."""
    made = announced(DEVICE, "10.0.0.7", 8765)
    if made is None:
        assert hear(0.1) == []
        return
    assert hear(0.5) in ([Heard(DEVICE, "10.0.0.7", 8765)], [])
    made.end()
    assert hear(0.2) == []


# The library leaves what it had opened by then to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_without_an_interface_nothing_is_said_or_heard() -> None:
    """An interface that is not there is no fault."""
    assert announced(DEVICE, "10.0.0.7", 8765, ["203.0.113.9"]) is None
    assert hear(0.1, ["203.0.113.9"]) == []
