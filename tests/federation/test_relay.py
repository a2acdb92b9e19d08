"""What one node wrote reaches a third through a second, byte for byte, known or not."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.federation.bundle.read import opened
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.identity import Device
from agent_memory_os.federation.signing import Signed, sign, to_wire, verified
from agent_memory_os.model.register import Register, digest
from tests.federation.sample import ANN, BOB, EVE, FIELDS, NOW, content, known

RESERVED = {*Register._fields, "signature"}
Fields = dict[str, object]
NEWER = st.lists(st.tuples(FIELDS, FIELDS), max_size=5)


def passed_on(lines: list[bytes], sender: Device, recipient: Device, name: str) -> list[Signed]:
    """Send lines in a bundle, and return what the recipient read in them."""
    bundle = written(sender, [recipient.public], [Part("global", lines)], bundle=name, now=NOW)
    found = opened(io.BytesIO(b"".join(bundle)), recipient, known)
    read = (line for batch in found.batches for line in batch.lines)
    return [one for one in verified(read, known) if isinstance(one, Signed)]


@given(NEWER)
def test_unknown_fields_survive_a_relay(newer: list[tuple[Fields, Fields]]) -> None:
    """Registers of a newer version come through a node that does not know their fields."""
    made = [
        content(seq=at + 1)._replace(
            group="later",
            value=value,
            unknown={name: field for name, field in unknown.items() if name not in RESERVED},
        )
        for at, (unknown, value) in enumerate(newer)
    ]
    sent = [to_wire(sign(one, ANN.sign)) for one in made]
    at_bob = passed_on(sent, ANN, BOB, "0a" * 16)
    at_eve = passed_on([to_wire(one) for one in at_bob], BOB, EVE, "0b" * 16)
    assert [to_wire(one) for one in at_eve] == sent
    assert [digest(one.register) for one in at_eve] == [digest(one) for one in made]
