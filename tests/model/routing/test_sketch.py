"""A sketch tells what two nodes hold differently, or says that it cannot."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model.routing import sketch
from agent_memory_os.model.routing.sketch import BYTES, Sketch, Told, is_told
from agent_memory_os.model.routing.tree import name_of

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
IDS = st.builds(
    "{}_{}".format, st.sampled_from(["mem", "lnk"]), st.text(LETTERS, min_size=32, max_size=32)
)
RECORDS = st.dictionaries(IDS, st.integers(0, (1 << 256) - 1), max_size=40)


def sketched(records: dict[str, int]) -> Sketch:
    """Return the sketch of some records."""
    made = Sketch()
    for object_id, mark in records.items():
        made.toggle(object_id, mark)
    return made


def told(records: dict[str, int]) -> set[Told]:
    """Return how some records are told."""
    return {Told(name_of(name), mark % (1 << 32)) for name, mark in records.items()}


@given(RECORDS, RECORDS)
def test_what_is_told_is_what_differs(common: dict[str, int], others: dict[str, int]) -> None:
    """What stands in one alone is told, each record once, whatever both have; or nothing is."""
    ours = {**common, **others}
    found = sketched(ours).difference(sketched(common))
    if found is not None:
        differing = {name: mark for name, mark in ours.items() if common.get(name) != mark}
        replaced = {name: common[name] for name in differing if name in common}
        assert len(found) == len(set(found))
        assert set(found) == told(differing) ^ told(replaced)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_are_told_always(count: int) -> None:
    """One that differs is told among any number; two, nearly always."""
    chance = Random(7)

    def drawn(size: int) -> dict[str, int]:
        return {
            "mem_" + "".join(chance.choices(LETTERS, k=32)): chance.getrandbits(256)
            for _ in range(size)
        }

    common = drawn(500)
    failed = 0
    for _ in range(100):
        others = drawn(count)
        found = sketched({**common, **others}).difference(sketched(common))
        failed += found is None
        assert found is None or set(found) == told(others)
    assert failed <= count // 2


def test_many_are_not_told() -> None:
    """A difference that has no room in a sketch is not taken for another."""
    records = {f"mem_{at:032d}".replace("0", "a").replace("1", "b"): at * 7919 for at in range(200)}
    assert sketched(records).difference(Sketch()) is None


@given(st.binary(min_size=BYTES, max_size=BYTES))
def test_what_somebody_makes_up_is_read_to_an_end(data: bytes) -> None:
    """Whatever a peer sends as a sketch, reading it comes to an end."""
    found = Sketch(data).difference(Sketch())
    assert found is None or len(found) <= BYTES


def test_a_sketch_that_leads_in_a_circle_is_not_followed() -> None:
    """A record that stands in one of its cells alone would be taken out and put in for ever."""
    whole = sketched({"mem_" + "a" * 32: 5}).to_bytes()
    size = BYTES // 36
    at = next(at for at in range(0, BYTES, size) if any(whole[at : at + size]))
    torn = bytes(at) + bytes(whole[at : at + size]) + bytes(BYTES - at - size)
    assert Sketch(torn).difference(Sketch()) is None


@given(RECORDS)
def test_a_record_is_taken_out_by_the_same_step(records: dict[str, int]) -> None:
    """What was put in and taken out leaves nothing, in any order."""
    made = sketched(records)
    for object_id in sorted(records):
        made.toggle(object_id, records[object_id])
    assert made.to_bytes() == bytes(BYTES)


@given(RECORDS)
def test_a_sketch_comes_back_from_its_bytes(records: dict[str, int]) -> None:
    """What is kept and sent is the sketch."""
    made = sketched(records)
    assert Sketch(bytes(made.to_bytes())).to_bytes() == made.to_bytes()


def test_an_id_of_another_form_stands_somewhere() -> None:
    """What no node would name is sketched all the same, and is told by nothing."""
    made = Sketch()
    made.toggle("mem_%%", 1)
    assert made.to_bytes() != bytes(BYTES)
    assert not is_told(Told("aaaaaaaa", 1), "mem_%%", 1)
    assert sketch.is_told(Told("aaaaaaaa", 1), "mem_" + "a" * 32, (1 << 32) + 1)
