"""Notices: what the sender of a bundle tells its recipients beside registers.

A bundle holds registers, which their authors signed and which are passed on, and notices, which are
said by the sender to whoever opens the bundle, and go no further: the signature of the chunk
is all that they need. A notice is an array of its kind, whether it is critical, and its fields, in
canonical JSON, so that its line begins with another character than a register's.

Newer versions have kinds that this one does not know. Such a notice is passed over, unless it is
critical: then nothing of its batch may be applied, for what it says would change what that means.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from agent_memory_os.errors import Incompatible, InvalidInput, TooLarge
from agent_memory_os.federation.bundle.chunk import MAX_PLAIN_BYTES
from agent_memory_os.federation.bundle.read import Batch
from agent_memory_os.federation.signing import Refusal
from agent_memory_os.federation.statement import canonical, read_value
from agent_memory_os.model.canonical import encode

MAX_LINE_BYTES = MAX_PLAIN_BYTES
"""The longest notice: what is longer than a chunk is told in several."""

_BEGIN = b"["
_KIND = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")


class Notice(NamedTuple):
    """What is told: its kind, its fields, and whether who does not know it may pass it over."""

    kind: str
    fields: Mapping[str, Any]
    is_critical: bool = False


class Sorted(NamedTuple):
    """The lines of a batch: those of registers, notices of known kinds, and what is neither."""

    registers: list[bytes]
    notices: list[Notice]
    refusals: list[Refusal]


def to_line(notice: Notice) -> bytes:
    """Return the line of a notice."""
    return encode([notice.kind, notice.is_critical, notice.fields]) + b"\n"


def from_line(line: bytes) -> Notice:
    """Read the line of a notice; raise :class:`InvalidInput` or :class:`TooLarge` if it is none."""
    value = read_value(line, MAX_LINE_BYTES)
    if canonical(value) != line.removesuffix(b"\n"):
        raise InvalidInput("it is not in canonical form")
    match value:
        case [str(kind), bool(is_critical), dict(fields)] if _KIND.fullmatch(kind):
            return Notice(kind, fields, is_critical)
    raise InvalidInput("it is no notice")


def sorted_out(batch: Batch, kinds: Collection[str]) -> Sorted:
    """Part the notices of a batch from its registers, and pass over those of unknown kinds.

    Raises :class:`Incompatible` for a critical notice of a kind that is not among ``kinds``.
    """
    found = Sorted([], [], [])
    for line in batch.lines:
        if not line.startswith(_BEGIN):
            found.registers.append(line)
            continue
        try:
            notice = from_line(line)
        except (InvalidInput, TooLarge) as error:
            found.refusals.append(Refusal(line, str(error)))
            continue
        if notice.kind in kinds:
            found.notices.append(notice)
        elif notice.is_critical:
            raise Incompatible(
                f"The peer sent a notice of the kind {notice.kind}, without which the rest must not"
                " be applied; update this node."
            )
    return found
