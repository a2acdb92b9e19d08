"""A peer that changes whatever it is to say, and signs that: it is refused, and no more."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.federation.bundle.read import opened
from agent_memory_os.federation.bundle.write import Part, written
from agent_memory_os.federation.exchange import session
from agent_memory_os.federation.exchange.local import known_devices
from agent_memory_os.federation.exchange.respond import Answering
from agent_memory_os.federation.statement import SIGNATURE, signed, to_line
from agent_memory_os.model.canonical import encode
from agent_memory_os.model.register import DOMAIN
from agent_memory_os.store.peer import peers
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, Way, settle
from tests.federation.sample import VALUES

WAYS = ("push", "pull")


def said(one: Party, other: Party) -> Iterator[bytes]:
    """Exchange, and yield each line that either told the other."""
    with one.node.context.database.read() as snapshot:
        peer = peers.of_device(snapshot, other.local.device.id)
    assert peer is not None
    way = Way(one, other)
    session.sync(one.local, peer, way)
    for bundle in way.sent:
        for reader in (one, other):
            if reader.local.device.id.encode() in bundle.split(b"recipients", 1)[1][:200]:
                yield from _opened(bundle, reader)


def _opened(bundle: bytes, reader: Party) -> Iterator[bytes]:
    with reader.node.context.database.read() as snapshot:
        known = known_devices(snapshot)
        for batch in opened(io.BytesIO(bundle), reader.local.device, known).batches:
            yield from batch.lines


def everything(two: Two) -> list[bytes]:
    """Return what two nodes tell each other while everything happens that there is."""
    ann, ben = two
    lines: list[bytes] = []
    memories = [ann.remember("scout", f"tea {number}", "team:apollo") for number in range(4)]
    lines += said(ben, ann)
    ann.node.memories.revoke(ann.agent("scout"), memories[0], "team:apollo")
    ann.node.memories.edit(ann.agent("scout"), memories[1], {"content": "coffee"})
    ann.node.memories.forget(ann.agent("scout"), memories[2])
    ben.remember("mira", "the harbour opens at nine", "team:apollo")
    lines += said(ben, ann)
    with ben.node.context.database.write() as transaction:
        transaction.execute("DELETE FROM records WHERE object = ?", (memories[3],))
        transaction.execute("UPDATE routes SET total = zeroblob(32)")
    lines += [line for _ in range(3) for line in said(ben, ann)]
    ann.node.organisation.leave("mira@ben", "team:apollo")
    lines += said(ben, ann)
    return lines


def kinds(lines: list[bytes]) -> dict[str, list[bytes]]:
    """Return the lines by what they are: a notice of a kind, or a register of a group."""
    found: dict[str, list[bytes]] = {}
    for line in lines:
        value = json.loads(line)
        kind = value["group"].partition(":")[0] if isinstance(value, dict) else value[0]
        found.setdefault(kind, []).append(line)
    return found


def places(value: object, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each part of a value."""
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for name, part in inner:
        yield (*at, name)
        yield from places(part, (*at, name))


def mangled(data: st.DataObject, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a value in which some parts were taken out, or have others in their place."""
    made = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(places(made))
        if not found:
            break
        *way, name = data.draw(st.sampled_from(found))
        holder = made
        for step in way:
            holder = holder[step]
        if data.draw(st.integers(0, 3)):
            donor = data.draw(st.sampled_from(found))
            other = made
            for step in donor:
                other = other[step]
            holder[name] = data.draw(VALUES) if data.draw(st.booleans()) else copy.deepcopy(other)
        else:
            del holder[name]
    return made


def resigned(value: Any, sender: Party) -> bytes:  # noqa: ANN401 - JSON
    """Return the line of a value: a register signed by the sender's device, whatever it says."""
    if not isinstance(value, dict):
        return encode(value) + b"\n"
    fields = {name: part for name, part in value.items() if name != SIGNATURE}
    return to_line(signed(DOMAIN, fields, sender.local.device.sign))


def give(way: str, sender: Party, to: Party, lines: Sequence[bytes]) -> None:
    """Send lines as a push, or as what is asked for."""
    parts = [Part("", lines)]
    nonce = sender.node.context.nonce()
    recipients = [to.local.device.public]
    bundle = written(sender.local.device, recipients, parts, bundle=nonce, now=sender.now())
    answering, file = Answering(to.local), io.BytesIO(b"".join(bundle))
    if way == "push":
        answering.push(sender.local.device.id, file)
    else:
        for _ in answering.pull(sender.local.device.id, file):
            pass


def test_whatever_is_said_otherwise_harms_nothing(two: Two) -> None:
    """Each kind of line is changed, signed and sent: nothing but a refusal comes of it."""
    ann, ben = two
    lines = kinds(everything(two))
    ann.node.organisation.join("mira@ben", "team:apollo")
    settle(ann, ben)
    kept = ann.read("scout")

    @settings(suppress_health_check=list(HealthCheck))
    @given(st.data())
    def search(data: st.DataObject) -> None:
        chosen = [
            data.draw(st.sampled_from(lines[kind]))
            for kind in data.draw(st.lists(st.sampled_from(sorted(lines)), min_size=1, max_size=3))
        ]
        changed = [resigned(mangled(data, json.loads(line)), ben) for line in chosen]
        with contextlib.suppress(AgentMemoryError):
            give(data.draw(st.sampled_from(WAYS)), ben, ann, changed)
        assert ann.read("scout") == kept

    search()
    made = ann.remember("scout", "and on", "team:apollo")
    settle(ann, ben)
    assert made in ben.read("mira")
