"""What is put into a bundle comes out of it, for its devices, in bounded memory."""

from __future__ import annotations

import io
import os
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput, TooLarge
from agent_memory_os.federation.bundle import chunk, manifest
from agent_memory_os.federation.bundle.read import Batch, opened
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.identity import PublicDevice
from agent_memory_os.federation.signing import MAX_LINE_BYTES
from tests.federation.bundle.sealed import BUNDLE, batches, bundle, opening
from tests.federation.sample import ANN, BOB, EVE, NOW, known, lines

TEAM = "team:team_" + "a" * 32
LINES = st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"") + b"\n"))
PARTS = st.lists(st.tuples(st.sampled_from(["", "global", TEAM]), LINES), max_size=5)


def sent(parts: list[tuple[str, list[bytes]]]) -> list[tuple[str, bytes]]:
    """Return each line with its scope."""
    return [(scope, line) for scope, some in parts for line in some]


def received(read: list[Batch]) -> list[tuple[str, bytes]]:
    """Return each line that was read, with its scope."""
    return [(batch.scope, line) for batch in read for line in batch.lines]


@given(PARTS)
def test_what_goes_in_comes_out(parts: list[tuple[str, list[bytes]]]) -> None:
    """Every line comes out once, in its order and scope, and the last batch says that it is."""
    read = batches(bundle([Part(*part) for part in parts]))
    assert received(read) == sent(parts)
    assert [batch.is_last for batch in read] == [False] * (len(read) - 1) + [True]
    assert len({batch.id for batch in read}) == len(read)


@pytest.mark.parametrize(
    "sizes",
    [
        [chunk.MAX_BODY_BYTES - 1, 5],
        [chunk.MAX_BODY_BYTES, 5],
        [5, chunk.MAX_BODY_BYTES + 1, 5],
        [chunk.MAX_BODY_BYTES * 3, chunk.MAX_BODY_BYTES * 2 + 7, 1],
        [MAX_LINE_BYTES],
    ],
    ids=str,
)
def test_lines_of_any_length_come_out_whole(sizes: list[int]) -> None:
    """A line that is longer than a chunk is put together again."""
    some = [os.urandom(size // 2).hex().encode()[: size - 1] + b"\n" for size in sizes]
    made = bundle([Part("global", some), Part(TEAM, some)])
    assert received(batches(made)) == sent([("global", some), (TEAM, some)])
    assert all(len(line) <= chunk.MAX_LINE_BYTES for line in made)


def test_chunks_that_cannot_be_compressed_fit() -> None:
    """The longest line of a chunk is never reached, whatever is in it."""
    noise = os.urandom(chunk.MAX_BODY_BYTES * 2).replace(b"\n", b"") + b"\n"
    made = bundle([Part("x" * chunk.MAX_SCOPE, [noise])])
    assert max(map(len, made)) < chunk.MAX_LINE_BYTES
    assert batches(made)[0].lines == [noise]


def test_each_recipient_opens_it() -> None:
    """A bundle for two is opened by both, tells its manifest, and is the same to both."""
    made = bundle([Part("global", lines(3))], [EVE.public, BOB.public])
    assert batches(made, BOB) == batches(made, EVE)
    told = opening(made, EVE).manifest
    assert told == (BUNDLE, ANN.id, NOW, tuple(sorted([BOB.id, EVE.id])))


def test_the_same_lines_have_the_same_ids_each_time() -> None:
    """Reading a bundle again gives the same batches under the same ids."""
    made = bundle([Part("global", [b"x" * 100_000 + b"\n"] * 6)])
    first = [batch.id for batch in batches(made)]
    assert first == [batch.id for batch in batches(made)] == [f"{BUNDLE}/{at}" for at in range(3)]


def test_nothing_of_what_is_sent_stands_in_the_open() -> None:
    """Neither lines nor scopes stand in what goes over the wire, packed or not."""
    made = b"".join(bundle([Part(TEAM, [b"canary\n"])]))
    assert b"canary" not in made
    assert b"team_" not in made


def test_two_bundles_of_one_content_share_no_key() -> None:
    """Each bundle has a key of its own: nothing in it is the same twice."""
    one, other = (bundle([Part("global", [b"tea\n"])]) for _ in range(2))
    assert {*one}.isdisjoint(other)


def test_as_many_devices_as_there_may_be() -> None:
    """The largest list of devices fits into a manifest; one more, or none, is refused."""
    devices = [PublicDevice(f"{at:064x}", BOB.public.seal) for at in range(999)]
    made = bundle([Part("", [b"tea\n"])], [*devices, BOB.public])
    assert len(made[0]) < manifest.MAX_LINE_BYTES
    assert batches(made)[0].lines == [b"tea\n"]
    for wrong in ([], [*devices, BOB.public, EVE.public]):
        with pytest.raises(TooLarge, match="1 to 1000 devices"):
            bundle([], wrong)


def test_a_key_that_is_none_is_refused() -> None:
    """A device whose sealing key is a point of small order cannot be sent anything."""
    with pytest.raises(InvalidInput, match="is no key"):
        bundle([], [PublicDevice("1" * 64, "0" * 64)])


class Pipe(io.RawIOBase):
    """Gives lines as they are written, and holds no more than one."""

    def __init__(self, source: Iterator[bytes]) -> None:
        super().__init__()
        self.source, self.rest = source, b""

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer from the line that is next."""
        room = memoryview(buffer)  # type: ignore[arg-type]
        self.rest = self.rest or next(self.source, b"")
        part, self.rest = self.rest[: len(room)], self.rest[len(room) :]
        room[: len(part)] = part
        return len(part)


def test_a_large_bundle_is_never_in_memory_whole() -> None:
    """Writing and reading many megabytes takes as much memory as some chunks."""
    many = (os.urandom(50_000).hex().encode() + b"\n" for _ in range(100))
    source = written(ANN, [BOB.public], [Part("global", many)], bundle=BUNDLE, now=NOW)
    tracemalloc.start()
    try:
        found = opened(io.BufferedReader(Pipe(source)), BOB, known)
        assert sum(len(line) for batch in found.batches for line in batch.lines) == 100 * 100_001
        assert tracemalloc.get_traced_memory()[1] < 20 * chunk.MAX_PLAIN_BYTES
    finally:
        tracemalloc.stop()
