"""Stamps, groups, and the canonical bytes of a register."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import Refused
from agent_memory_os.model import register as group
from agent_memory_os.model.canonical import SHAPES
from agent_memory_os.model.memory import Content
from agent_memory_os.model.register import (
    COUNTER_BITS,
    DOMAIN,
    MAX_MILLISECONDS,
    MAX_STAMP,
    RULES,
    Chain,
    Register,
    digest,
    following,
    frame_of,
    of_time,
    rule_of,
    signable,
    time_of,
    to_bytes,
)

CLOCKS = st.integers(-(2**50), 2**50)
STAMPS = st.integers(0, MAX_STAMP - 1)
PLAIN = Register("mem_x", "memory.life", "acc_x", "dev_x", 65536, 1, {"length": 1}, ("a", "b"))


@given(st.lists(CLOCKS, max_size=30), STAMPS.filter(lambda stamp: stamp < 2**62))
def test_stamps_never_go_back(clocks: list[int], last: int) -> None:
    """Whatever the clock does, each stamp is greater than every one before it."""
    given_out = [last]
    for now in clocks:
        given_out.append(following(given_out[-1], now))
    assert given_out == sorted(set(given_out))


@given(STAMPS, CLOCKS)
def test_a_stamp_keeps_up_with_the_clock(last: int, now: int) -> None:
    """A stamp is the clock's where that is ahead, and one more than the last where it is not."""
    stamp = following(last, now)
    assert stamp == (of_time(now) if of_time(now) > last else last + 1)
    assert time_of(stamp) >= min(max(now, 0), MAX_MILLISECONDS)


def test_a_full_counter_carries() -> None:
    """After 65,535 more writes within one millisecond the next stamp is in the next one."""
    last = of_time(1000) + 2**COUNTER_BITS - 1
    assert time_of(last) == 1000
    assert following(last, 1000) == of_time(1001)


@given(CLOCKS)
def test_a_time_out_of_range_is_brought_to_an_end(now: int) -> None:
    """Every clock gives a stamp of 63 bits, and a time within range is found in it again."""
    assert 0 <= of_time(now) <= MAX_STAMP
    assert time_of(of_time(now)) == min(max(now, 0), MAX_MILLISECONDS)


def test_no_stamp_beyond_the_last_is_given_out() -> None:
    """Where no stamp is left, the write is refused in words, and the last one can still be."""
    assert following(MAX_STAMP - 1, 0) == MAX_STAMP
    with pytest.raises(Refused, match="clock"):
        following(MAX_STAMP, 0)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("memory.content", ("memory", group.LATEST, False)),
        ("memory.life", ("memory", group.LENGTH, False)),
        ("memory.grant:global", ("memory", group.LENGTH, False)),
        ("memory.grant:team:team_x", ("memory", group.LENGTH, False)),
        ("link", ("link", group.LATEST, False)),
        ("agent", ("agent", group.LATEST, False)),
        ("account.device:dev_x", ("account", group.LOG, True)),
        ("team.name", ("team", group.LOG, True)),
        ("team.life", ("team", group.LOG, True)),
        ("team.member:agt_x", ("team", group.LOG, True)),
        ("project.name", ("project", group.LOG, True)),
        ("project.life", ("project", group.LOG, True)),
        ("project.member:agt_x", ("project", group.LOG, True)),
    ],
)
def test_each_group_has_its_rule(name: str, rule: tuple[str, str, bool]) -> None:
    """A group says what it is about, how versions merge, and whether it stands in the chain."""
    found = rule_of(name)
    assert found is not None
    assert (found.object_kind, found.merge, found.is_chained) == rule


@pytest.mark.parametrize(
    "name",
    ["", ":", "memory", "memory.grant", "memory.grant:", "team.member:", "team.name:x", "profile"],
)
def test_a_group_that_is_not_known_has_no_rule(name: str) -> None:
    """A group of a newer version, or one without its subject, has no rule here."""
    assert rule_of(name) is None


def test_the_shapes_of_all_groups_exist() -> None:
    """Every field of every group has a shape that can be checked, and each of a content has one."""
    for rule in RULES.values():
        for shape in rule.fields.values():
            assert shape.removesuffix("?") in SHAPES or "|" in shape
    assert tuple(RULES[group.CONTENT].fields) == Content._fields


def test_the_bytes_are_those_of_the_protocol() -> None:
    """The signed bytes are a domain tag and canonical JSON of the fields that are there."""
    data = to_bytes(PLAIN)
    assert data.startswith(DOMAIN)
    assert data[len(DOMAIN) :] == (
        b'{"author":"acc_x","device":"dev_x","group":"memory.life","object":"mem_x",'
        b'"proof":["a","b"],"seq":1,"stamp":65536,"value":{"length":1}}'
    )
    assert digest(PLAIN) == sha256(data).hexdigest()


def test_reliance_and_chain_are_signed_where_they_are() -> None:
    """What a write relies on, and where it stands in a chain, is part of what is signed."""
    chained = PLAIN._replace(relies={"global": "d"}, chain=Chain("p"))
    body = json.loads(to_bytes(chained)[len(DOMAIN) :])
    assert body["relies"] == {"global": "d"}
    assert body["chain"] == {"previous": "p"}


def test_what_a_content_was_made_from_is_signed_where_it_is() -> None:
    """The stamp of the content before stands in the bytes; the first content has no such field."""
    body = json.loads(to_bytes(PLAIN._replace(edits=65535))[len(DOMAIN) :])
    assert body == json.loads(to_bytes(PLAIN)[len(DOMAIN) :]) | {"edits": 65535}
    assert to_bytes(PLAIN._replace(edits=0)) == to_bytes(PLAIN)


def test_fields_of_a_newer_version_are_signed_and_displace_none() -> None:
    """What a newer version added is part of what is signed, beside the fields that are known."""
    newer = PLAIN._replace(unknown={"later": [1], "stamp": 0})
    body = json.loads(to_bytes(newer)[len(DOMAIN) :])
    assert body == json.loads(to_bytes(PLAIN)[len(DOMAIN) :]) | {"later": [1]}


@pytest.mark.parametrize("field", Register._fields)
def test_every_field_is_signed(field: str) -> None:
    """Changing any field of a register changes its digest."""
    others = {
        "value": {"length": 2},
        "proof": ("a",),
        "relies": {"global": "d"},
        "chain": Chain("p"),
        "stamp": 65537,
        "seq": 2,
        "unknown": {"later": 1},
        "edits": 65535,
    }
    changed = PLAIN._replace(**{field: others.get(field, "other")})  # type: ignore[arg-type]
    assert digest(changed) != digest(PLAIN)


WORDS = st.text(max_size=20)


@given(WORDS, st.dictionaries(WORDS, WORDS, max_size=1), st.integers(1, 2**40), STAMPS)
def test_what_registers_have_in_common_is_all_but_what_is_their_own(
    nonce: str, relies: dict[str, str], seq: int, stamp: int
) -> None:
    """From one register of an owner, the signed bytes of another follow that differs as it may."""
    first = PLAIN._replace(proof=("acc_x", "agt_x", "01"), relies=relies)
    nonce = sha256(nonce.encode()).hexdigest()
    other = first._replace(object="mem_y", proof=("acc_x", "agt_x", nonce), seq=seq, stamp=stamp)
    other = other._replace(value={"length": seq})
    said = json.dumps(other.value, separators=(",", ":")).encode()
    assert frame_of(first).signable("mem_y", nonce, seq, stamp, said) == signable(other)
