"""Two nodes agree on the same terms, or on none, and nobody on the way can change that."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import (
    BadSignature,
    Incompatible,
    InvalidInput,
    NotAddressed,
    UnknownDevice,
)
from agent_memory_os.federation import hello
from agent_memory_os.federation.hello import LIMITS, SEAL, Hello, agreed
from agent_memory_os.federation.identity import device_of
from agent_memory_os.federation.statement import line_of, signed, to_line
from tests.federation.sample import ANN, BOB, EVE, FIELDS, NOW, known, made

OURS = Hello(ANN.id, BOB.id, NOW)
THEIRS = Hello(BOB.id, ANN.id, NOW + 250)
STRANGER = device_of(made(9), made(10))
WORDS = st.lists(st.sampled_from(["files", "heads", "repair"]), unique=True).map(tuple)
RANGES = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(sorted)


@st.composite
def hellos(draw: st.DrawFn) -> Hello:
    """Draw what a device could say."""
    oldest, newest = draw(RANGES)
    limits = draw(st.dictionaries(st.sampled_from([*LIMITS, "later"]), st.integers(1, 2**40)))
    seals = draw(st.lists(st.sampled_from([SEAL, "plain", "later"]), unique=True))
    features = draw(WORDS)
    return Hello(ANN.id, BOB.id, NOW, oldest, newest, tuple(seals), features, {**LIMITS, **limits})


@given(hellos(), hellos())
def test_both_sides_come_to_the_same(one: Hello, other: Hello) -> None:
    """Whoever works it out, the terms are the same, within what both offered, and never plain."""
    try:
        terms = agreed(one, other)
    except Incompatible:
        with pytest.raises(Incompatible):
            agreed(other, one)
        return
    back = agreed(other, one)
    assert terms[:3] == back[:3]
    assert {name: terms.limits[name] for name in LIMITS} == {
        name: back.limits[name] for name in LIMITS
    }
    assert max(one.oldest, other.oldest) <= terms.protocol == min(one.newest, other.newest)
    assert terms.seal in {*one.seals} & {*other.seals} - {"plain"}
    assert {*terms.features} == {*one.features} & {*other.features}
    assert all(terms.limits[name] <= min(one.limits[name], other.limits[name]) for name in LIMITS)


def test_the_clock_of_the_other_is_told() -> None:
    """The terms say by how much the other clock is ahead."""
    assert agreed(OURS, THEIRS).offset == 250
    assert agreed(THEIRS, OURS).offset == -250


def test_a_limit_that_is_not_told_is_ours() -> None:
    """A peer that is older and knows no such limit keeps to ours."""
    assert agreed(OURS, THEIRS._replace(limits={"body": 5})).limits == {**LIMITS, "body": 5}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seals": ()}, "in the open"),
        ({"seals": ("plain",)}, "in the open"),
        ({"seals": ("plain", "later")}, "no way that is known"),
        ({"oldest": 0, "newest": 0}, "0 at most, and this node 1 at least; update the peer"),
        ({"oldest": 2, "newest": 3}, "2 at least, and this node 1 at most; update this node"),
    ],
)
def test_a_peer_with_which_nothing_is_common_is_refused(change: dict[str, Any], words: str) -> None:
    """Plaintext, and protocols that are all older or all newer, are refused with the reason."""
    with pytest.raises(Incompatible, match=words):
        agreed(OURS, THEIRS._replace(**change))


def test_a_hello_comes_over_the_wire() -> None:
    """What a device says is read by the one that it speaks to."""
    line = hello.written(OURS, ANN)
    assert hello.read(line, BOB.id, known) == OURS
    assert len(line) < hello.MAX_LINE_BYTES // 4


def test_a_hello_is_for_one_device_and_of_one() -> None:
    """A hello that was sent to another, or signed by another, is refused."""
    line = hello.written(OURS, ANN)
    with pytest.raises(NotAddressed, match="another device"):
        hello.read(line, EVE.id, known)
    with pytest.raises(UnknownDevice, match="not known"):
        hello.read(hello.written(OURS._replace(device=STRANGER.id), STRANGER), BOB.id, known)
    with pytest.raises(BadSignature, match="did not sign"):
        hello.read(hello.written(OURS, EVE), BOB.id, known)
    with pytest.raises(BadSignature, match="did not sign"):
        hello.read(line.replace(b'"newest":1', b'"newest":2'), BOB.id, known)


def test_a_newer_hello_is_read() -> None:
    """What a newer version says beside is passed over."""
    fields = {**OURS._asdict(), "later": {"x": 1}}
    line = to_line(signed(hello.DOMAIN, fields, ANN.sign))
    assert hello.read(line, BOB.id, known) == OURS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("device", 1),
        ("to", None),
        ("now", -1),
        ("oldest", "1"),
        ("oldest", True),
        ("newest", -1),
        ("newest", 0),
        ("seals", "plain"),
        ("seals", [1]),
        ("seals", ["Plain"]),
        ("seals", ["a" * 65]),
        ("features", ["a"] * 65),
        ("features", ["a\n"]),
        ("limits", []),
        ("limits", {"body": 0}),
        ("limits", {"body": True}),
        ("limits", {"a b": 1}),
        ("limits", {f"a{at}": 1 for at in range(65)}),
    ],
)
def test_a_hello_of_another_form_is_refused(name: str, value: object) -> None:
    """Each field has its form, and the refusal names it."""
    line = to_line(signed(hello.DOMAIN, {**OURS._asdict(), name: value}, ANN.sign))
    with pytest.raises(InvalidInput, match=f"its {name} is not right"):
        hello.read(line, BOB.id, known)


def test_a_long_hello_is_refused() -> None:
    """A hello is read before anybody is known, so it is short."""
    with pytest.raises(InvalidInput, match="longer than 4096"):
        hello.read(b"x" * 5000, BOB.id, known)


@given(FIELDS)
def test_any_fields_are_refused(fields: dict[str, Any]) -> None:
    """Whatever is said in the place of a hello is refused in our words."""
    fields.pop("signature", None)
    for said in (fields, {**OURS._asdict(), **fields, "device": STRANGER.id}):
        with pytest.raises((InvalidInput, UnknownDevice)):
            hello.read(line_of(said, bytes(64)), BOB.id, known)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    """No bytes in the place of a hello raise another error."""
    with pytest.raises(InvalidInput):
        hello.read(data, BOB.id, known)
