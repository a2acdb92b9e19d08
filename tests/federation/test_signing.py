"""A register comes over the wire as it was signed, and what is not signed is refused alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation import signing
from agent_memory_os.federation.signing import (
    MAX_LINE_BYTES,
    Refusal,
    Signed,
    from_wire,
    sign,
    to_wire,
    verified,
)
from agent_memory_os.federation.statement import SIGNATURE, line_of, signed, to_line
from agent_memory_os.model.canonical import encode
from agent_memory_os.model.identifier import team_id
from agent_memory_os.model.memory import MAX_CONTENT_BYTES
from agent_memory_os.model.register import (
    DOMAIN,
    GRANT,
    Chain,
    Register,
    digest,
    to_bytes,
)
from tests.federation.sample import (
    ACCOUNT,
    ANN,
    BOB,
    FIELDS,
    KNOWN,
    NONCE,
    VALUES,
    content,
    known,
    lines,
)
from tests.golden.test_protocol import VECTORS, made

KNOWN_FIELDS = {*Register._fields, SIGNATURE}
REGISTERS = [made(vector) for vector in VECTORS["registers"]]
UNKNOWN = FIELDS.map(
    lambda fields: {name: field for name, field in fields.items() if name not in KNOWN_FIELDS}
)


def resigned(**changes: object) -> bytes:
    """Return a register's line with some fields changed, or left out where they are None."""
    fields: dict[str, Any] = json.loads(to_bytes(content())[len(DOMAIN) :]) | changes
    fields = {name: field for name, field in fields.items() if field is not None}
    return to_line(signed(DOMAIN, fields, ANN.sign))


@pytest.mark.parametrize("register", REGISTERS, ids=range(len(REGISTERS)))
def test_every_group_comes_back(register: Register) -> None:
    """A register of each group is read as it was, to the same signed bytes."""
    line = to_wire(sign(register, ANN.sign))
    found = from_wire(line)
    assert to_bytes(found.register) == to_bytes(register)
    assert to_wire(found) == line
    assert digest(found.register) == digest(register)


@given(UNKNOWN, FIELDS)
def test_unknown_fields_survive(unknown: dict[str, Any], value: dict[str, Any]) -> None:
    """What a newer version wrote, beside the fields and in the value, is signed, kept and sent."""
    newer = content()._replace(group="later.kind", value=value, unknown=unknown)
    line = to_wire(sign(newer, ANN.sign))
    (found,) = verified([line], known)
    assert isinstance(found, Signed)
    assert encode(found.register.unknown) == encode(unknown)
    assert to_wire(found) == line


@pytest.mark.parametrize("field", [name for name in Register._fields if name != "unknown"])
def test_a_changed_field_is_found_out(field: str) -> None:
    """Whatever is changed of a signed register, its device did not sign it."""
    others: dict[str, object] = {
        "object": "new_" + "b" * 32,
        "group": "memory.later",
        "author": "acc_" + "a" * 32,
        "device": BOB.id,
        "stamp": 5,
        "seq": 9,
        "value": {"content": "coffee", "created_at": 1, "updated_at": 1, "type": "note"},
        "proof": ("a",),
        "relies": {"team:team_" + "a" * 32: "a" * 64},
        "chain": Chain(""),
        "edits": 5,
    }
    made = (
        sign(content(), ANN.sign)
        if field == "edits"
        else sign(content()._replace(group="later", object="new_" + "a" * 32), ANN.sign)
    )
    changed = made.register._replace(**{field: others[field]})  # type: ignore[arg-type]
    (found,) = verified([to_wire(made._replace(register=changed))], known)
    assert isinstance(found, Refusal)
    assert found.reason == "its device did not sign it"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"object": None}, "object is no text"),
        ({"group": 1}, "group is no text"),
        ({"author": ["a"]}, "author is no text"),
        ({"device": True}, "device is no text"),
        ({"stamp": "1"}, "stamp is no integer"),
        ({"stamp": -1}, "out of range"),
        ({"seq": True}, "seq is no integer"),
        ({"seq": 0}, "out of range"),
        ({"value": []}, "value is no object"),
        ({"value": {}}, "its value has no content"),
        ({"proof": "a"}, "proof is no array of text"),
        ({"proof": [1]}, "proof is no array of text"),
        ({"proof": []}, "commit"),
        ({"relies": {}}, "relies"),
        ({"relies": []}, "relies"),
        ({"relies": {"global": 1}}, "relies"),
        ({"chain": 1}, "chain"),
        ({"chain": {}}, "chain"),
        ({"chain": {"previous": "", "heads": []}}, "chain"),
        ({"chain": {"previous": 1}}, "chain"),
        ({"chain": {"previous": ""}}, "chain"),
        ({"edits": 0}, "made from"),
        ({"edits": -1}, "made from"),
        ({"edits": "5"}, "made from"),
        ({"edits": True}, "made from"),
        ({"edits": 5, "group": "memory.life", "value": {"length": 2, "by": ""}}, "made from"),
    ],
)
def test_what_is_no_register(change: dict[str, object], reason: str) -> None:
    """Each field of another form is refused with a reason that names it."""
    with pytest.raises(InvalidInput, match=reason):
        from_wire(resigned(**change))


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(sorted(KNOWN_FIELDS), VALUES)))
def test_any_fields_are_read_or_refused(fields: dict[str, Any]) -> None:
    """Whatever stands in the fields, it is a register that is written the same, or refused."""
    fields.pop(SIGNATURE, None)
    line = line_of({**json.loads(to_bytes(content())[24:]), **fields}, bytes(64))
    try:
        written = to_wire(from_wire(line))
    except InvalidInput:
        written = b""
    assert written in (b"", line)


@pytest.mark.parametrize("text", ["\x01", '"', "é", "\U0001f600"])
def test_the_largest_memory_fits(text: str) -> None:
    """A content of the largest size fits into a line, whatever it is made of."""
    line = to_wire(sign(content(text * (MAX_CONTENT_BYTES // len(text.encode()))), ANN.sign))
    assert len(line) < MAX_LINE_BYTES
    assert to_wire(from_wire(line)) == line


def test_one_bad_row_holds_up_no_other() -> None:
    """Each line has its answer, in order, whatever its neighbours are."""
    sent = lines(1000)
    sent[10] = b"{"
    sent[500] = sent[500].replace(b"tea 500", b"tea 501")
    stranger = sign(content()._replace(device="dev_" + "a" * 32), ANN.sign)
    sent[700] = to_wire(stranger)
    found = list(verified(sent, known))
    reasons = {at: one.reason for at, one in enumerate(found) if isinstance(one, Refusal)}
    assert reasons == {
        10: "it is not JSON",
        500: "its device did not sign it",
        700: "its device is not known here",
    }
    assert [to_wire(one) if isinstance(one, Signed) else one.line for one in found] == sent


def test_a_device_is_looked_up_once() -> None:
    """However many lines a device signed, it is looked up once for them."""
    asked: list[str] = []

    def noted(device: str) -> Any:  # noqa: ANN401 - as the device is known
        asked.append(device)
        return KNOWN[device]

    assert len(list(verified(lines(300), noted))) == 300
    assert asked == [ANN.id]


def test_what_is_sent_is_read_as_it_is_asked_for() -> None:
    """A line is read when its answer is asked for, so that memory is bounded."""
    left = iter(lines(6, "é" * 400_000))
    answers = verified(left, known)
    assert isinstance(next(answers), Signed)
    assert len(list(left)) == 5


GROUPS = st.sampled_from(["memory.content", "memory.grant:global", "memory.life", "link", "later"])
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(["", '"'])


@given(GROUPS, VALUES, WORDS, st.dictionaries(WORDS, WORDS, max_size=1), st.integers(0, 2**63 - 1))
def test_the_usual_is_read_as_anything_is(
    group: str, value: object, words: str, relies: dict[str, str], stamp: int
) -> None:
    """The short way gives what the long way gives, or leaves a line to it."""
    said = {"content": words, "created_at": stamp, "type": "note", "updated_at": 1, "more": value}
    for shape in (said, {**said, "more": None}, {"length": 1, "by": words}, {"length": 1}):
        one = content()._replace(group=group, value=shape, relies=relies, stamp=stamp)
        line = to_wire(sign(one, ANN.sign))
        for changed in (line, line[:-1], line.replace(b":1", b":01"), line.replace(b",", b", ", 1)):
            usual = signing.read_usual(changed)
            if usual is not None:
                assert usual == signing.read_any(changed)


def test_a_memory_is_read_the_short_way() -> None:
    """A content and a grant as they are written here need no more than that."""
    scope = "team:" + team_id(ACCOUNT, NONCE)
    shared = content()._replace(relies={scope: "ab" * 32}, edits=5)
    value = {"length": 1, "by": "operator"}
    grant = shared._replace(group=GRANT + scope, value=value, edits=0)
    for register in (content(), shared, grant):
        line = to_wire(sign(register, ANN.sign))
        assert signing.read_usual(line) == signing.read_any(line)


def test_what_comes_after_its_like_is_looked_at_all_the_same() -> None:
    """A memory, nonce or value that is not right is refused, though what it has in common is."""
    scope = "team:" + team_id(ACCOUNT, NONCE)
    value: dict[str, object] = {"length": 1, "by": "operator"}
    first = content()._replace(relies={scope: "ab" * 32})
    grant = first._replace(group=GRANT + scope, value=value)
    for register in (first, grant):
        assert signing.read_usual(to_wire(sign(register, ANN.sign))) is not None
        account, agent, nonce = register.proof
        for changed in (
            register._replace(object=register.object[:-1] + "7"),
            register._replace(object=ACCOUNT),
            register._replace(proof=(account, agent, nonce[::-1])),
            register._replace(value={"length": 0, "by": "operator"}),
            register._replace(edits=-1),
        ):
            line = to_wire(sign(changed, ANN.sign))
            assert signing.read_usual(line) is None
            with pytest.raises(InvalidInput):
                signing.read_any(line)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"note"', b'"note","type":"note"'),
        (b'{"content"', b'{ "content"'),
        (b'"created_at":1800000000000', b'"created_at":1800000000000.0'),
        (b'"seq":1,', b'"seq":9999999999999999999,'),
        (b'"seq":1,', b'"seq":0,'),
        (b'"tea"', b'"t\\u0065a"'),
        (b'"tea"', b'"\xed\xa0\x80"'),
        (b'"signature":"', b'"signature":"00'),
        (b'"memory.content"', b'"memory.grant:global"'),
    ],
)
def test_what_is_not_usual_is_left_to_the_long_way(old: bytes, new: bytes) -> None:
    """A line that is not canonical, or not right, has its reason from the long way alone."""
    line = lines(1, "tea")[0].replace(b"tea 0", b"tea")
    assert old in line
    assert signing.read_usual(line.replace(old, new, 1)) is None
