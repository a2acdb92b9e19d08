"""What is no bundle, or another one than it says, is refused in one sentence, and nothing leaks."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import (
    AgentMemoryError,
    BadBundle,
    BadSignature,
    NotAddressed,
    UnknownDevice,
)
from agent_memory_os.federation.bundle import chunk, manifest
from agent_memory_os.federation.bundle.read import opened
from agent_memory_os.federation.bundle.seal import SEALED_BYTES
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.identity import device_of
from agent_memory_os.federation.statement import from_line, signed, to_line
from tests.federation.bundle.sealed import BUNDLE, OTHER, Hand, batches, bundle, opening
from tests.federation.sample import ANN, BOB, EVE, known, made

SOME = [Part("global", [b"x" * 100_000 + b"\n"] * 6)]
LINES = bundle(SOME)
FOR_TWO = bundle(SOME, [BOB.public, EVE.public])
STRANGER = device_of(made(9), made(10))


def remade(lines: list[bytes], **changes: object) -> bytes:
    """Return a bundle's manifest, changed and signed again."""
    fields = {**from_line(lines[0], manifest.MAX_LINE_BYTES).fields, **changes}
    return to_line(signed(manifest.DOMAIN, fields, ANN.sign))


Change = Callable[[list[bytes]], list[bytes]]
REFUSED: dict[str, tuple[Change, type[AgentMemoryError], str]] = {
    "nothing": (lambda _: [], BadBundle, "no bundle"),
    "no manifest": (lambda made: made[1:], BadBundle, "not of the format"),
    "no chunk": (lambda made: made[:1], BadBundle, "cut off in chunk 0"),
    "cut after a chunk": (lambda made: made[:-1], BadBundle, "cut off in chunk 2"),
    "cut inside a chunk": (lambda made: [*made[:-1], made[-1][:-9]], BadBundle, "cut off in chunk"),
    "no line end": (lambda made: [*made[:-1], made[-1][:-1]], BadBundle, "cut off in chunk 2"),
    "one missing": (lambda made: [*made[:2], *made[3:]], BadBundle, "Chunk 1 is missing"),
    "one repeated": (lambda made: [*made[:3], *made[2:]], BadBundle, "Chunk 2 is missing"),
    "reordered": (lambda made: [made[0], *made[:0:-1]], BadBundle, "Chunk 0 is missing"),
    "goes on": (lambda made: [*made, b"x"], BadBundle, "goes on after its last"),
    "another's chunk": (
        lambda made: [*made[:2], bundle(SOME, name=OTHER)[2], *made[3:]],
        BadBundle,
        "belongs to another bundle",
    ),
    "a chunk of another time": (
        # The same bundle made twice has the same frame: only what is inside tells.
        lambda made: [*made[:2], bundle(SOME)[2], *made[3:]],
        BadBundle,
        "cannot be opened with the bundle's key",
    ),
    "a token changed": (
        lambda made: [made[0], made[1].replace(b'"token":"gAAAAA', b'"token":"gAAAAB')],
        BadSignature,
        "was not signed",
    ),
    "a line too long": (
        lambda made: [made[0], b"x" * (chunk.MAX_LINE_BYTES + 9) + b"\n"],
        BadBundle,
        "longer than",
    ),
    "a manifest too long": (
        lambda _: [b"x" * (manifest.MAX_LINE_BYTES + 9)],
        BadBundle,
        "longer than",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_bundle_that_was_changed_is_refused(what: str) -> None:
    """Whatever is cut off, repeated, moved or exchanged is refused, and named."""
    change, kind, words = REFUSED[what]
    with pytest.raises(kind, match=words) as told:
        batches(change(LINES))
    assert str(told.value).endswith(".")


def test_what_came_before_a_fault_is_sound() -> None:
    """The chunks before the fault come out, each as it was sent, and then the fault."""
    read = opening([*LINES[:-1], b"{}\n"]).batches
    assert [next(read).number, next(read).number] == [0, 1]
    with pytest.raises(BadBundle):
        next(read)


def test_a_bundle_for_another_is_refused() -> None:
    """A bundle for Bob is of no use to Eve, and none to a stranger with Eve's name in it."""
    with pytest.raises(NotAddressed, match="for other devices"):
        batches(LINES, EVE)
    sealed = from_line(LINES[0], manifest.MAX_LINE_BYTES).fields["recipients"][0]["key"]
    forged = remade(LINES, recipients=[{"device": EVE.id, "key": sealed}])
    with pytest.raises(BadBundle, match="was not sealed to this device"):
        batches([forged, *LINES[1:]], EVE)


def test_a_key_cannot_be_taken_into_another_list_of_devices() -> None:
    """A sealed key that is put beside another device's is of no use any more."""
    bob, eve = from_line(FOR_TWO[0], manifest.MAX_LINE_BYTES).fields["recipients"]
    for entry in (bob, eve):
        device = BOB if entry["device"] == BOB.id else EVE
        with pytest.raises(BadBundle, match="was not sealed to this device"):
            batches([remade(FOR_TWO, recipients=[entry]), *FOR_TWO[1:]], device)


def test_a_sender_that_is_not_known_is_refused() -> None:
    """A bundle that a stranger sent is refused, and so is one that he signed as another."""
    made = bundle(SOME, sender=STRANGER)
    with pytest.raises(UnknownDevice, match="not known here"):
        batches(made)
    fields = {**from_line(made[0], manifest.MAX_LINE_BYTES).fields, "sender": ANN.id}
    with pytest.raises(BadSignature, match="did not sign it"):
        batches([to_line(signed(manifest.DOMAIN, fields, STRANGER.sign)), *made[1:]])


def test_a_recipient_cannot_write_for_the_sender() -> None:
    """Eve holds the key of a bundle that she and Bob were sent, and can put nothing into it."""
    forged = Hand(FOR_TWO[0], EVE, sender=EVE).add().lines
    with pytest.raises(BadSignature, match="Chunk 0 was not signed"):
        batches(forged)


def test_the_hand_writes_what_is_right() -> None:
    """A chunk that is written by hand as it should be is read."""
    assert batches(Hand(LINES[0]).add(last=False).add(scope="").lines)[1].scope == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bundle": OTHER}, "its bundle is another"),
        ({"index": 1}, "its index is another"),
        ({"index": False}, "canonical"),
        ({"last": 1}, "whether it is the last"),
        ({"last": None}, "whether it is the last"),
        ({"sender": EVE.id}, "its sender is another"),
        ({"recipients": "0" * 64}, "its recipients is another"),
        ({"scope": 1}, "what scope"),
        ({"scope": "x" * 201}, "what scope"),
        ({"prev_hash": "0" * 64}, "its prev_hash is another"),
        ({"later": "x" * 3000}, "longer than 2048"),
    ],
)
def test_a_header_that_is_of_another_place_is_refused(
    change: dict[str, object], words: str
) -> None:
    """Each field of the header is held against the place where the chunk stands."""
    with pytest.raises(BadBundle, match=words):
        batches(Hand(LINES[0]).add(**change).lines)


def test_a_header_of_a_newer_version_is_read() -> None:
    """Fields of the header that are not known are passed over."""
    assert batches(Hand(LINES[0]).add(later=1).lines)[0].lines == [b"tea\n"]


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        (b"", "header of chunk 0 is none"),
        (b"{}", "what scope"),
        (b"{}\n", "what scope"),
        (b"[]\n", "header of chunk 0 is none"),
        (b'{"scope":"","last":true}', "what scope"),
    ],
)
def test_a_chunk_without_a_header_is_refused(plain: bytes, words: str) -> None:
    """What has no header has no place."""
    with pytest.raises(BadBundle, match=words):
        batches(Hand(LINES[0]).seal(zlib.compress(plain)).lines)


def test_a_header_has_one_form() -> None:
    """A header with a field twice, or with a fraction, is none: readers could differ in it."""
    hand = Hand(LINES[0])
    head = json.dumps(hand.header(), separators=(",", ":"), sort_keys=True)
    for wrong in (head.replace("{", '{"bundle":"x",', 1), head.replace("{", '{"a":0.5,', 1)):
        with pytest.raises(BadBundle, match="canonical"):
            batches(Hand(LINES[0]).seal(zlib.compress(wrong.encode() + b"\n")).lines)


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (b"", "not compressed"),
        (b"tea", "not compressed"),
        (zlib.compress(b"{}\n")[:-1], "not compressed"),
        (zlib.compress(b"{}\n") + b"x", "not compressed"),
        (zlib.compress(bytes(chunk.MAX_PLAIN_BYTES + 1)), "holds more than"),
    ],
    ids=range(5),
)
def test_what_is_packed_otherwise_is_refused(packed: bytes, words: str) -> None:
    """What does not inflate to a chunk, or to more than one, is refused."""
    with pytest.raises(BadBundle, match=words):
        batches(Hand(LINES[0]).seal(packed).lines)


def test_a_bomb_is_not_inflated() -> None:
    """A chunk that would inflate to 200 MB takes no more memory than another."""
    packed = zlib.compress(bytes(200_000_000))
    made = Hand(LINES[0]).seal(packed).lines
    tracemalloc.start()
    try:
        with pytest.raises(BadBundle, match="holds more than"):
            batches(made)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("frame", [{}, {"token": 1}, {"token": "é"}, {"token": "gAAAAA"}], ids=str)
def test_a_token_that_is_none_is_refused(frame: dict[str, object]) -> None:
    """What cannot be opened with the bundle's key is refused."""
    with pytest.raises(BadBundle, match="cannot be opened"):
        batches(Hand(LINES[0]).sign(frame).lines)


def test_an_index_is_a_number() -> None:
    """False is no number, though Python takes it for one."""
    with pytest.raises(BadBundle, match="missing"):
        batches(Hand(LINES[0]).sign({"token": "", "index": False}).lines)


def test_lines_end_in_their_scope() -> None:
    """A line that does not end in its scope, or in the bundle, is refused."""
    with pytest.raises(BadBundle, match="does not end in its scope"):
        batches(Hand(LINES[0]).add(b"te", last=False).add(b"a\n", scope="").lines)
    with pytest.raises(BadBundle, match="last line of the bundle is cut off"):
        batches(Hand(LINES[0]).add(b"te").lines)


def test_a_line_that_never_ends_is_not_held() -> None:
    """A line that goes on over more chunks than the longest line has is refused."""
    hand = Hand(LINES[0])
    for _ in range(40):
        hand.add(b"x" * chunk.MAX_BODY_BYTES, last=False)
    tracemalloc.start()
    try:
        with pytest.raises(BadBundle, match="A line is longer than"):
            batches(hand.lines)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


ENTRY = {"device": BOB.id, "key": "0" * 2 * SEALED_BYTES}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "agent-memory-bundle/2"}, "not of the format"),
        ({"bundle": BUNDLE[1:]}, "no id"),
        ({"bundle": 1}, "no id"),
        ({"sender": ANN.id[1:]}, "no device as its sender"),
        ({"sender": [1]}, "no device as its sender"),
        ({"created": "now"}, "when it was made"),
        ({"created": True}, "when it was made"),
        ({"created": -1}, "when it was made"),
        ({"recipients": []}, "1 to 1000 devices"),
        ({"recipients": {}}, "1 to 1000 devices"),
        ({"recipients": [1]}, "no device"),
        ({"recipients": [ENTRY | {"device": "x"}]}, "no device"),
        ({"recipients": [ENTRY | {"key": "00"}]}, "no key for"),
        ({"recipients": [ENTRY, ENTRY]}, "named twice"),
        ({"recipients": [{**ENTRY, "device": f"dev_{'z' * 32}"}, ENTRY]}, "not in order"),
        ({"recipients": [ENTRY] * 1001}, "1 to 1000 devices"),
        ({"recipients": [ENTRY]}, "not sealed to this device"),
    ],
)
def test_a_manifest_of_another_form_is_refused(change: dict[str, object], words: str) -> None:
    """Each field of the manifest has its form."""
    with pytest.raises(BadBundle, match=words):
        batches([remade(LINES, **change), *LINES[1:]])


def test_a_manifest_of_a_newer_version_is_read() -> None:
    """A field of the manifest that is not known is passed over."""
    hand = Hand(remade(LINES, later=[1]))
    assert batches(hand.add().lines)[0].lines == [b"tea\n"]


@given(st.data())
def test_any_change_is_refused(data: st.DataObject) -> None:
    """Whatever bytes are put in the place of others, nothing comes out that was not sent."""
    whole = b"".join(LINES)
    at = data.draw(st.integers(0, len(whole) - 1))
    other = data.draw(st.binary(max_size=3).filter(lambda some: some != whole[at : at + 1]))
    sent, got = batches(LINES), []
    with pytest.raises((BadBundle, BadSignature, NotAddressed, UnknownDevice)):
        got.extend(batches([whole[:at] + other + whole[at + 1 :]]))
    assert got == [] != sent


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(noise: bytes) -> None:
    """No bytes in the place of a manifest, of a chunk or inside one raise another error."""
    hand = Hand(LINES[0]).seal(noise)
    packed = Hand(LINES[0]).seal(zlib.compress(noise))
    for lines in ([noise], [LINES[0], noise], [LINES[0], noise + b"\n"], hand.lines, packed.lines):
        with pytest.raises(BadBundle):
            batches(lines)


def test_noise_that_never_ends_is_not_read() -> None:
    """Of a file that is no bundle no more than a manifest's length is read."""
    with open("/dev/zero", "rb") as zeros, pytest.raises(BadBundle, match="longer than"):
        opened(zeros, BOB, known)
