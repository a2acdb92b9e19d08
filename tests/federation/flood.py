"""Feed every reader of what peers send with what is too much, and print the memory that it took.

Run in a process of its own, so that the most that was ever held is what is measured:
``python -m tests.federation.flood SEED ROUNDS`` prints how many megabytes came on top.
"""

from __future__ import annotations

import contextlib
import random
import resource
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, repeat

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.federation import card, hello, requests, signing, statement
from agent_memory_os.federation.bundle import chunk, manifest, notice
from agent_memory_os.federation.bundle.write import Part
from agent_memory_os.federation.hello import Hello
from agent_memory_os.federation.requests import Request, digest_of
from tests.federation.bundle.sealed import Hand, batches, bundle
from tests.federation.sample import ANN, BOB, NOW, known, lines

KILO, MEGA = 1_000, 1_000_000
LARGEST = 6 * MEGA
"""More than a request may hold: whoever reads a file has no such bound."""

ASKED = Request("POST", "/v1/peer/pull", digest_of(b""), BOB.id)
SENT = requests.sign_request(ASKED, ANN, now=NOW, nonce="a" * 32)
MANIFEST, *CHUNKS = bundle([Part("global", lines(20))])


def _request(headers: bytes) -> None:
    text = headers.decode("latin-1")
    for name in SENT:
        with contextlib.suppress(AgentMemoryError):
            requests.check_signature(ASKED, {**SENT, name: text}, known)


Reader = Callable[[bytes], object]
READERS: dict[str, tuple[Reader, bytes]] = {
    "manifest": (lambda data: manifest.accept(data, BOB, known), MANIFEST),
    "bundle": (lambda data: batches([MANIFEST, data]), b"".join(CHUNKS)),
    "token": (lambda data: batches(Hand(MANIFEST).seal(data[:MEGA]).lines), b"tea"),
    "packed": (lambda data: batches(Hand(MANIFEST).seal(zlib.compress(data)).lines), b"{}\ntea\n"),
    "body": (lambda data: batches(Hand(MANIFEST).add(data[: chunk.MAX_BODY_BYTES]).lines), b"a\n"),
    "register": (lambda data: [*signing.verified([data], known)], lines(1)[0]),
    "notice": (notice.from_line, notice.to_line(notice.Notice("want", {"cursors": {}}))),
    "statement": (lambda data: statement.from_line(data, MEGA), lines(1)[0]),
    "hello": (
        lambda data: hello.read(data, BOB.id, known),
        hello.written(Hello(ANN.id, BOB.id, NOW), ANN),
    ),
    "card": (
        lambda data: card.read(data.decode("latin-1")),
        card.written(ANN, "1" * 64, "2" * 64, None).encode(),
    ),
    "request": (_request, b'sig1=("@method");created=1'),
}


def floods(valid: bytes) -> Iterator[bytes]:
    """Yield what is large in each way that there is: long, deep, wide, and packed."""
    yield b"\0" * LARGEST
    yield b"[" * LARGEST
    yield b'{"a":' * (LARGEST // 5)
    yield b"[" + b"0," * (LARGEST // 2) + b"0]\n"
    yield b"[" + b"{}," * (LARGEST // 3) + b"{}]\n"
    yield b'"' + b"\\u0000" * (LARGEST // 6) + b'"\n'
    yield b"9" * LARGEST + b"\n"
    yield b"\n" * LARGEST
    yield valid * (LARGEST // len(valid))
    yield valid.replace(b'"', b'"' + b"x" * LARGEST, 1)
    yield bomb()


def bomb() -> bytes:
    """Return what inflates to a thousand times of it."""
    packer = zlib.compressobj()
    return b"".join([*(packer.compress(b"{" * MEGA) for _ in range(200)), packer.flush()])


def mangled(chance: random.Random, valid: bytes) -> bytes:
    """Return what was valid with some of its bytes changed, taken out, or said many times."""
    data = bytearray(valid)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        until = min(len(data), at + chance.choice((1, 1, 2, 8, 64)))
        some = bytes(chance.choices(b'"{}[],:0123456789abcdef\\\n\0\xff', k=chance.randint(0, 4)))
        data[at:until] = some * chance.choice((1, 1, 1, 1_000))
    return bytes(data)


def held() -> float:
    """Return the most memory that this process ever held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KILO


def main(seed: int, rounds: int) -> None:
    """Feed all of it, and print what it took; an error that is none of ours ends the process."""
    chance = random.Random(seed)
    before = held()
    for read, valid in READERS.values():
        changed = (mangled(chance, valid) for _ in range(rounds))
        for data in chain(floods(valid), changed, repeat(valid, 1)):
            with contextlib.suppress(AgentMemoryError):
                read(data)
    sys.stdout.write(f"{held() - before:.0f}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
