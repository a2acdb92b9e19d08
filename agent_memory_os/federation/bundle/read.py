"""Reading a bundle: what is sound comes out chunk by chunk, and ends with the first fault.

Nothing is taken on trust: each line is measured, its signature checked, and only then is it opened.
What has come out before a fault is sound: it is a beginning of what the sender sent, and the
sender's registers are signed each for itself. No more than a chunk is held, or one line that is
longer than a chunk.

An id names a batch wherever it comes again: whoever keeps the last id that was applied of a bundle
can pass over what comes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from agent_memory_os.errors import BadBundle
from agent_memory_os.federation.bundle import chunk, manifest
from agent_memory_os.federation.bundle.chunk import Chunk, Place
from agent_memory_os.federation.bundle.manifest import Accepted, Manifest
from agent_memory_os.federation.identity import Device, Known
from agent_memory_os.federation.signing import MAX_LINE_BYTES


class Batch(NamedTuple):
    """Lines of one scope that came together, and the number of the last chunk that they fill."""

    bundle: str
    number: int
    is_last: bool
    scope: str
    lines: list[bytes]

    @property
    def id(self) -> str:
        """What names these lines, whenever they come again."""
        return f"{self.bundle}/{self.number}"


class Opened(NamedTuple):
    """A bundle whose manifest is sound, and its batches as they are read."""

    manifest: Manifest
    batches: Iterator[Batch]


def opened(file: BinaryIO, device: Device, known: Known) -> Opened:
    """Open a bundle that was sent to a device; its batches are read from the file when asked for.

    Raises what :func:`manifest.accept` raises; the batches raise :class:`BadBundle` or
    :class:`BadSignature` at the first fault.
    """
    line = file.readline(manifest.MAX_LINE_BYTES + 1)
    accepted = manifest.accept(line, device, known)
    chunks = _chunks(file, accepted, chunk.first(accepted.manifest, line))
    return Opened(accepted.manifest, _batches(accepted.manifest.bundle, chunks))


def _chunks(file: BinaryIO, accepted: Accepted, place: Place) -> Iterator[Chunk]:
    fernet, is_last = manifest.cipher(accepted.key), False
    while not is_last:
        line = _line(file, place)
        one = chunk.unclosed(line, place, fernet, accepted.sign_key)
        place, is_last = place.after(line), one.is_last
        if is_last and file.read(1):
            raise BadBundle("The bundle goes on after its last chunk.")
        yield one


def _line(file: BinaryIO, place: Place) -> bytes:
    line = file.readline(chunk.MAX_LINE_BYTES + 1)
    if not line.endswith(b"\n") and len(line) <= chunk.MAX_LINE_BYTES:
        raise BadBundle(f"The bundle is cut off in chunk {place.number}.")
    return line


def _batches(bundle: str, chunks: Iterator[Chunk]) -> Iterator[Batch]:
    held, scope = b"", ""
    for one in chunks:
        if held and one.scope != scope:
            raise BadBundle(f"A line of chunk {one.number - 1} does not end in its scope.")
        held, scope = held + one.body, one.scope
        if len(held) > MAX_LINE_BYTES + chunk.MAX_BODY_BYTES:
            raise BadBundle(f"A line is longer than {MAX_LINE_BYTES} bytes in chunk {one.number}.")
        if held and not held.endswith(b"\n"):
            if one.is_last:
                raise BadBundle("The last line of the bundle is cut off.")
            continue
        lines = [line + b"\n" for line in held.split(b"\n")[:-1]]
        yield Batch(bundle, one.number, one.is_last, scope, lines)
        held = b""
