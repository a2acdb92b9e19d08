"""Bundles to be read, and hands that make what the product does not: hostile chunks."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from agent_memory_os.federation.bundle.chunk import DOMAIN, line_digest
from agent_memory_os.federation.bundle.manifest import accept, cipher
from agent_memory_os.federation.bundle.read import Batch, Opened, opened
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.identity import Device, PublicDevice
from agent_memory_os.federation.statement import signed, to_line
from agent_memory_os.model.canonical import digest, encode
from tests.federation.sample import ANN, BOB, NOW, known

BUNDLE = "00112233445566778899aabbccddeeff"
OTHER = "ffeeddccbbaa99887766554433221100"


def bundle(
    parts: Iterable[Part],
    recipients: Sequence[PublicDevice] = (BOB.public,),
    sender: Device = ANN,
    name: str = BUNDLE,
) -> list[bytes]:
    """Return the lines of a bundle that Ann sends to Bob."""
    return list(written(sender, recipients, parts, bundle=name, now=NOW))


def opening(lines: Iterable[bytes], device: Device = BOB) -> Opened:
    """Open a bundle as Bob's device."""
    return opened(io.BytesIO(b"".join(lines)), device, known)


def batches(lines: Iterable[bytes], device: Device = BOB) -> list[Batch]:
    """Read a bundle to its end as Bob's device."""
    return list(opening(lines, device).batches)


class Hand:
    """Writes chunks after a manifest, as the sender or another recipient who holds the key could.

    ``frame`` changes what is signed, ``header`` what stands before the body.
    """

    def __init__(self, manifest: bytes, device: Device = BOB, sender: Device = ANN) -> None:
        accepted = accept(manifest, device, known)
        self.manifest, self.sender = accepted.manifest, sender
        self.fernet = cipher(accepted.key)
        self.lines = [manifest]

    def header(self, **changes: object) -> dict[str, Any]:
        """Return the header of the next chunk, changed."""
        fields = {
            "bundle": self.manifest.bundle,
            "index": len(self.lines) - 1,
            "last": True,
            "sender": self.manifest.sender,
            "recipients": digest(self.manifest.recipients).hex(),
            "scope": "global",
            "prev_hash": line_digest(self.lines[-1]),
        }
        changed = fields | changes
        return {name: field for name, field in changed.items() if field is not None}

    def add(self, body: bytes = b"tea\n", /, **header: Any) -> Hand:  # noqa: ANN401 - hostile
        """Add a chunk whose header is changed."""
        return self.seal(zlib.compress(encode(self.header(**header)) + b"\n" + body))

    def seal(self, packed: bytes, **frame: object) -> Hand:
        """Add a chunk of packed bytes."""
        token = self.fernet.encrypt(packed).decode()
        return self.sign({"token": token} | frame)

    def sign(self, frame: dict[str, object]) -> Hand:
        """Add a chunk of whatever is signed."""
        fields = {"bundle": self.manifest.bundle, "index": len(self.lines) - 1} | frame
        self.lines.append(to_line(signed(DOMAIN, fields, self.sender.sign)))
        return self
