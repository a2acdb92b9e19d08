"""What every transport does: all that is sent comes, whole, in order, to its peer, until taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_memory_os.federation import hello
from agent_memory_os.federation.bundle.read import opened
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.hello import Hello, agreed
from agent_memory_os.federation.signing import Signed, to_wire, verified
from agent_memory_os.federation.transport.base import Transport
from tests.federation.sample import ANN, BOB, EVE, NOW, known, lines
from tests.federation.transport.office import Ends
from tests.federation.transport.way import WAYS

BUNDLE = "00112233445566778899aabbccddeeff"


@pytest.fixture(params=WAYS)
def ends(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ends]:
    """Give what makes ends of each transport."""
    with WAYS[request.param](tmp_path) as found:
        yield found


def read(end: Transport) -> list[bytes]:
    """Return what has come, without taking it."""
    return [delivery.file.read() for delivery in end.pull()]


def taken(end: Transport) -> list[bytes]:
    """Return what has come, and take it."""
    found = []
    for delivery in end.pull():
        found.append(delivery.file.read())
        delivery.taken()
    return found


def test_a_hello_is_there_once_the_peer_has_shown_it(ends: Ends) -> None:
    """Each sees the other's latest hello, and none before."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)
    assert ann.hello(b"ann 1\n") is None
    assert bob.hello(b"bob 1\n") == b"ann 1\n"
    assert ann.hello(b"ann 2\n") == b"bob 1\n"
    assert bob.hello(b"bob 2\n") == b"ann 2\n"
    assert ends(ANN.id, EVE.id).hello(b"ann\n") is None


def test_bundles_come_in_order_and_stay_until_they_are_taken(ends: Ends) -> None:
    """What was pushed comes again and again, in its order, until it was taken."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)
    sent = [f"bundle {number}".encode() for number in range(12)]
    for one in sent:
        ann.push([one[:3], one[3:]])
    assert read(bob) == sent == read(bob)
    assert taken(bob) == sent
    assert read(bob) == []
    ann.push([b"more"])
    assert taken(bob) == [b"more"]


def test_one_that_cannot_be_taken_holds_up_no_other(ends: Ends) -> None:
    """Some may be taken and others left; those come again."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)
    for one in (b"1", b"2", b"3"):
        ann.push([one])
    for delivery in bob.pull():
        if delivery.file.read() != b"2":
            delivery.taken()
            delivery.taken()
    assert taken(bob) == [b"2"]


def test_what_lies_there_waits(ends: Ends) -> None:
    """Who sent something knows whether it was taken, unless the peer answers at once anyway."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)
    assert not ann.waits()
    ann.push([b"1"])
    assert ann.waits() == (not ann.is_live)
    assert not bob.waits()
    assert taken(bob) == [b"1"]
    assert not ann.waits()


def test_a_bundle_is_for_one_peer(ends: Ends) -> None:
    """Nobody but the peer of an end gets what is pushed there, its sender least of all."""
    ends(ANN.id, BOB.id).push([b"for Bob"])
    others = [(EVE, ANN), (EVE, BOB), (BOB, EVE), (ANN, BOB), (ANN, EVE)]
    assert [read(ends(device.id, peer.id)) for device, peer in others] == [[]] * 5
    assert read(ends(BOB.id, ANN.id)) == [b"for Bob"]


def test_what_fails_half_way_is_not_sent(ends: Ends) -> None:
    """Where making a bundle ends with an error, the peer sees nothing, and the next one comes."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)

    def failing() -> Iterator[bytes]:
        yield b"half"
        raise KeyError("half way")

    with pytest.raises(KeyError, match="half way"):
        ann.push(failing())
    assert read(bob) == []
    ann.push([b"whole"])
    assert taken(bob) == [b"whole"]


def test_an_ask_comes_like_a_bundle(ends: Ends) -> None:
    """Who pulls may ask: the peer gets it, and answers when it comes by."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)
    assert list(ann.pull([b"what is ", b"new?"])) == []
    assert taken(bob) == [b"what is new?"]
    bob.push([b"this"])
    assert taken(ann) == [b"this"]


def test_two_readers_never_read_one_bundle_at_once(ends: Ends) -> None:
    """While one reads a bundle, another passes it over; let go, it is there for the other."""
    ends(ANN.id, BOB.id).push([b"1"])
    ends(ANN.id, BOB.id).push([b"2"])
    one, other = ends(BOB.id, ANN.id), ends(BOB.id, ANN.id)
    reading = one.pull()
    held = next(reading)
    assert read(other) == [b"2"]
    assert held.file.read() == b"1"
    held.taken()
    assert read(other) == [b"2"]
    next(reading).taken()
    assert list(reading) == []
    assert read(other) == []


def test_who_stops_reading_lets_go(ends: Ends) -> None:
    """A reader that fails or stops half way leaves the bundle for the next time."""
    ends(ANN.id, BOB.id).push([b"1"])
    bob = ends(BOB.id, ANN.id)
    reading = bob.pull()
    file = next(reading).file
    reading.close()  # type: ignore[attr-defined]
    assert file.closed
    assert taken(bob) == [b"1"]


def test_what_comes_while_one_reads(ends: Ends) -> None:
    """What is pushed or taken meanwhile confuses nobody: it comes once, then or next time."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)
    for one in (b"1", b"2"):
        ann.push([one])
    reading = bob.pull()
    assert next(reading).file.read() == b"1"
    for delivery in ends(BOB.id, ANN.id).pull():
        delivery.taken()
    ann.push([b"3"])
    seen = [delivery.file.read() for delivery in reading]
    assert seen in ([], [b"3"])
    assert read(bob) == [b"1", b"3"]


def test_registers_reach_the_peer(ends: Ends) -> None:
    """From signing to verifying: what Ann's device signed is what Bob's node reads."""
    ann, bob = ends(ANN.id, BOB.id), ends(BOB.id, ANN.id)
    ours, theirs = Hello(ANN.id, BOB.id, NOW), Hello(BOB.id, ANN.id, NOW)
    assert ann.hello(hello.written(ours, ANN)) is None
    shown = bob.hello(hello.written(theirs, BOB))
    assert shown
    assert agreed(theirs, hello.read(shown, BOB.id, known)).protocol == 1
    sent = lines(300)
    ann.push(written(ANN, [BOB.public], [Part("global", sent)], bundle=BUNDLE, now=NOW))
    (delivery,) = bob.pull()
    assert delivery.name
    for delivery in bob.pull():
        batches = opened(delivery.file, BOB, known).batches
        found = verified((line for batch in batches for line in batch.lines), known)
        assert [to_wire(one) for one in found if isinstance(one, Signed)] == sent
        delivery.taken()
    assert read(bob) == []
