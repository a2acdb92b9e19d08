"""Merging versions of one register: the order in which they come changes nothing."""

from __future__ import annotations

import itertools
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory_os.model import register as group
from agent_memory_os.model.identifier import (
    account_id,
    agent_id,
    derive,
    device_id,
    link_id,
    memory_id,
    project_id,
    team_id,
)
from agent_memory_os.model.merge import (
    Accept,
    Ignore,
    Refuse,
    fault_of,
    fault_of_alike,
    merge,
    newest,
)
from agent_memory_os.model.register import MAX_STAMP, RULES, Chain, Register

KEY, OTHER_KEY, NONCE, DIGEST = "ab" * 32, "cd" * 32, "ef" * 16, "01" * 32
ACCOUNT, STRANGER = account_id(KEY, KEY), account_id(OTHER_KEY, OTHER_KEY)
DEVICES = [device_id(KEY, KEY), device_id(OTHER_KEY, KEY), device_id(KEY, OTHER_KEY)]
AGENT = agent_id(ACCOUNT, "scout")
TEAM = team_id(ACCOUNT, NONCE)
PROJECT = project_id(TEAM, NONCE)
MEMORY = memory_id(ACCOUNT, AGENT, NONCE)
LINK = link_id(MEMORY, MEMORY, "related_to", AGENT)

OBJECTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "memory": (MEMORY, (ACCOUNT, AGENT, NONCE)),
    "link": (LINK, (MEMORY, MEMORY, "related_to", AGENT)),
    "agent": (AGENT, (ACCOUNT, "scout")),
    "account": (ACCOUNT, (KEY, KEY)),
    "team": (TEAM, (ACCOUNT, NONCE)),
    "project": (PROJECT, (TEAM, NONCE)),
}
VALUES: dict[str, dict[str, Any]] = {
    group.CONTENT: {"content": "x", "type": "note", "created_at": 1, "updated_at": 1},
    group.LIFE: {"length": 1, "by": AGENT},
    group.GRANT: {"length": 1, "by": AGENT},
    group.LINK: {"weight": 500},
    group.AGENT: {"name": "scout", "kind": "custom"},
    group.DEVICE: {"state": "certified", "sign": KEY, "seal": KEY},
    group.TEAM_NAME: {"name": "apollo"},
    group.TEAM_LIFE: {"state": "removed"},
    group.TEAM_MEMBER: {"act": "add", "sees": [DIGEST]},
    group.PROJECT_NAME: {"name": "site", "notes": ""},
    group.PROJECT_LIFE: {"state": "active"},
    group.PROJECT_MEMBER: {"act": "remove", "under": DIGEST, "lists": [DIGEST]},
    group.TEAM_ADMIN: {"to": STRANGER, "by": "admin", "turn": 0, "lists": []},
    group.TEAM_NARROW: {"record": DIGEST, "length": 2},
    group.PROJECT_NARROW: {"record": DIGEST, "length": 2},
}
SUBJECTS = {"": "", "scope": f"team:{TEAM}", "agent": AGENT, "device": DEVICES[0]}


def plain(name: str, **changes: Any) -> Register:  # noqa: ANN401 - any field, any fault
    """Give a sound register of a group, with some fields changed."""
    rule = RULES[name]
    identifier, proof = OBJECTS[rule.object_kind]
    register = Register(
        identifier,
        name + SUBJECTS[rule.subject],
        ACCOUNT,
        DEVICES[0],
        65536,
        1,
        VALUES[name],
        proof,
        {},
        Chain("") if rule.is_chained else None,
    )
    return register._replace(**changes)


@st.composite
def versions(draw: st.DrawFn) -> list[Register]:
    """Draw versions of one register: few stamps, devices and numbers, so that they often tie."""
    name = draw(st.sampled_from([group.CONTENT, group.LIFE, group.GRANT, group.LINK, group.AGENT]))
    value = {
        group.CONTENT: st.fixed_dictionaries(
            {"content": st.sampled_from("ab"), "life": st.sampled_from([1, 3])}
        ),
        group.LINK: st.fixed_dictionaries({"weight": st.integers(0, 2)}),
        group.AGENT: st.fixed_dictionaries({"name": st.sampled_from("ab")}),
    }.get(name, st.fixed_dictionaries({"length": st.integers(1, 4)}))
    one = st.builds(
        lambda stamp, device, seq, more: plain(
            name, stamp=stamp, device=device, seq=seq, value={**VALUES[name], **more}
        ),
        st.integers(0, 3),
        st.sampled_from(DEVICES),
        st.integers(1, 2),
        value,
    )
    return draw(st.lists(one, min_size=1, max_size=5))


def merged(held: Register | None, incoming: Register) -> Register | None:
    """Give what a place holds after an incoming version was merged."""
    return incoming if isinstance(merge(held, incoming), Accept) else held


@given(versions(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(found: list[Register], chance: Any) -> None:  # noqa: ANN401
    """Any order, with repetitions, leaves the same version: the one that wins over all."""
    shuffled = [*found, *found]
    chance.shuffle(shuffled)
    start: Register | None = None
    held = reduce(merged, found, start)
    assert reduce(merged, shuffled, start) == held == newest(found)


@given(versions())
def test_merging_is_idempotent_and_total(found: list[Register]) -> None:
    """A version again is ignored, and of two different ones exactly one wins."""
    for one, other in itertools.product(found, found):
        if one == other:
            assert isinstance(merge(one, other), Ignore)
        else:
            first, second = merge(one, other), merge(other, one)
            assert {type(first), type(second)} == {Accept, Ignore}


def test_a_longer_length_beats_any_stamp() -> None:
    """An ending beats what it has seen, though its clock was behind."""
    alive = plain(group.LIFE, stamp=MAX_STAMP, value={"length": 1, "by": AGENT})
    ended = plain(group.LIFE, stamp=0, value={"length": 2, "by": AGENT})
    assert isinstance(merge(alive, ended), Accept)
    assert isinstance(merge(ended, alive), Ignore)


def test_content_of_a_later_life_beats_any_stamp() -> None:
    """What was written in a later life wins over an edit of an earlier one."""
    late = {**VALUES[group.CONTENT], "life": 3}
    first, again = plain(group.CONTENT, stamp=9), plain(group.CONTENT, stamp=1, value=late)
    assert isinstance(merge(first, again), Accept)
    assert isinstance(merge(again, first), Ignore)


def test_what_a_content_was_made_from_changes_no_merge() -> None:
    """A content from another says so in its form, and wins or loses by its stamp alone."""
    first, second = plain(group.CONTENT, stamp=5), plain(group.CONTENT, stamp=7, edits=5)
    assert fault_of(second) is fault_of(second._replace(edits=MAX_STAMP)) is None
    late = plain(group.CONTENT, stamp=6, edits=7)
    assert newest([first, late, second]) == second
    assert isinstance(merge(second, late), Ignore)


def test_nothing_is_the_newest_of_none() -> None:
    """Of no versions none wins."""
    assert newest([]) is None


def test_a_refused_version_leaves_what_is_held() -> None:
    """A version that can never be valid is refused with a reason, whatever is held."""
    bad = plain(group.LIFE, stamp=-1)
    assert merge(None, bad) == merge(plain(group.LIFE), bad)
    assert isinstance(merge(None, bad), Refuse)


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_sound_register_has_no_fault(name: str) -> None:
    """Each group has registers that are sound, with and without fields that may be left out."""
    assert fault_of(plain(name)) is None
    needed = {key for key, shape in RULES[name].fields.items() if not shape.endswith("?")}
    value = {key: field for key, field in VALUES[name].items() if key in needed}
    assert fault_of(plain(name, value={**value, "of_a_newer_version": [1]})) is None


OF_MEMORIES = sorted(name for name, rule in RULES.items() if rule.object_kind == "memory")
OTHER_NONCE = NONCE[::-1]


@pytest.mark.parametrize("name", OF_MEMORIES)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"stamp": -1},
        {"stamp": MAX_STAMP + 1},
        {"seq": 0},
        {"seq": 7, "stamp": 9},
        {"object": memory_id(ACCOUNT, AGENT, OTHER_NONCE)},
        {"object": TEAM},
        {"proof": (ACCOUNT, AGENT, OTHER_NONCE)},
        {"proof": (ACCOUNT, AGENT, "no nonce")},
        {
            "object": memory_id(ACCOUNT, AGENT, OTHER_NONCE),
            "proof": (ACCOUNT, AGENT, OTHER_NONCE),
        },
        {"value": {}},
        {"value": {"length": "1", "by": AGENT}},
        {"value": VALUES[group.CONTENT]},
        {"value": VALUES[group.LIFE]},
    ],
)
def test_what_is_like_a_sound_register_has_the_faults_that_are_left(
    name: str, changes: dict[str, object]
) -> None:
    """Where memory, nonce, number, stamp and value alone differ, less is looked at."""
    register = plain(name, **changes)
    assert fault_of_alike(register) == fault_of(register) or (
        # Of an object that is no memory, the long way says so.
        changes == {"object": TEAM} and fault_of_alike(register)
    )
    is_said = name == group.CONTENT and changes.get("value", VALUES[name]) == VALUES[name]
    assert fault_of_alike(register, is_right=is_said) == fault_of_alike(register)


@pytest.mark.parametrize("name", sorted(RULES))
def test_each_field_is_held_to_its_shape(name: str) -> None:
    """A value without a field that it needs, or with one of another form, is refused."""
    for field, shape in RULES[name].fields.items():
        value = {key: item for key, item in VALUES[name].items() if key != field}
        wrong = {**VALUES[name], field: 1.5}
        assert "value" in str(fault_of(plain(name, value=wrong)))
        assert (fault_of(plain(name, value=value)) is None) == shape.endswith("?")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stamp": -1}, "stamp"),
        ({"stamp": MAX_STAMP + 1}, "stamp"),
        ({"seq": 0}, "sequence"),
        ({"author": AGENT}, "author or device"),
        ({"author": "me"}, "author or device"),
        ({"device": ACCOUNT}, "author or device"),
        ({"author": STRANGER}, "not the account"),
        ({"object": TEAM}, "no memory"),
        ({"object": "mem_"}, "no memory"),
        ({"proof": ()}, "commit"),
        ({"proof": (ACCOUNT, AGENT)}, "commit"),
        ({"proof": (ACCOUNT, AGENT, "ee" * 16)}, "commit"),
        ({"object": derive("memory"), "proof": ()}, "commit"),
        ({"relies": {"team:apollo": DIGEST}}, "relies"),
        ({"relies": {f"team:{TEAM}": "x"}}, "relies"),
        ({"relies": {"global": DIGEST}}, "relies"),
        ({"relies": {"global": "", f"team:{TEAM}": DIGEST}}, "relies"),
        ({"chain": Chain("")}, "chain"),
        ({"edits": -1}, "made from"),
        ({"edits": MAX_STAMP + 1}, "made from"),
    ],
)
def test_what_can_never_be_valid_is_refused(changes: dict[str, Any], words: str) -> None:
    """A wrong form, a wrong author and an id that commits to something else are refused."""
    assert words in str(fault_of(plain(group.CONTENT, **changes)))


@pytest.mark.parametrize(
    ("register", "words"),
    [
        (plain(group.GRANT, group="memory.grant:team:apollo"), "scope"),
        (plain(group.GRANT, group=f"memory.grant:agent:{TEAM}"), "scope"),
        (plain(group.TEAM_MEMBER, group="team.member:scout"), "agent"),
        (plain(group.PROJECT_MEMBER, group=f"project.member:{TEAM}"), "agent"),
        (plain(group.DEVICE, group=f"account.device:{AGENT}"), "device"),
        (plain(group.DEVICE, author=STRANGER), "author"),
        (plain(group.AGENT, author=STRANGER), "author"),
        (plain(group.TEAM_NAME, chain=None), "chain"),
        (plain(group.TEAM_NAME, chain=Chain("x")), "chain"),
        (plain(group.LIFE, relies={"global": ""}), "not its own"),
        (plain(group.GRANT, relies={"global": ""}), "not its own"),
        (plain(group.TEAM_NAME, relies={"global": ""}), "not its own"),
        (plain(group.PROJECT_NAME, relies={f"project:{PROJECT}": DIGEST}), "not its own"),
        (plain(group.TEAM_MEMBER, value={"act": "join"}), "act"),
        (plain(group.LINK, value={"weight": 1001}), "weight"),
        (plain(group.LINK, edits=1), "made from"),
        (plain(group.LIFE, group="mood", edits=1), "made from"),
    ],
)
def test_each_group_has_refusals_of_its_own(register: Register, words: str) -> None:
    """What stands behind the group's colon, who writes, and the chain belong to the form."""
    assert words in str(fault_of(register))


@pytest.mark.parametrize(
    "register",
    [
        plain(group.CONTENT, relies={"global": ""}),
        plain(group.CONTENT, relies={f"agent:{AGENT}": ""}),
        plain(group.LINK, relies={f"team:{TEAM}": DIGEST}),
        plain(group.GRANT, relies={f"team:{TEAM}": DIGEST}),
        plain(group.TEAM_ADMIN, relies={f"team:{TEAM}": DIGEST}),
        plain(group.PROJECT_MEMBER, relies={f"team:{TEAM}": DIGEST}),
    ],
)
def test_each_relies_on_a_scope_of_its_own(register: Register) -> None:
    """A content and a link name any scope, a grant its own, and a team's register its team."""
    assert fault_of(register) is None


def test_authority_is_no_matter_of_form() -> None:
    """A stranger's write on a team is kept: whether it counts is decided when reading."""
    assert fault_of(plain(group.TEAM_NAME, author=STRANGER, chain=Chain(DIGEST))) is None
    assert fault_of(plain(group.LINK, author=STRANGER)) is None


def test_a_group_of_a_newer_version_is_kept() -> None:
    """Of a group that is not known only the frame is checked, and the newest version is kept."""
    first = Register("x", "mood:y", ACCOUNT, DEVICES[0], 1, 1, {"any": 1.5}, ())
    assert fault_of(first) is None
    assert isinstance(merge(first, first._replace(stamp=2)), Accept)
    assert isinstance(merge(first._replace(stamp=2), first), Ignore)


def test_a_newer_group_of_a_known_object_says_whose_that_is() -> None:
    """What is said of an object of a kind that is known comes with the proof of its id."""
    known = plain(group.TEAM_NAME, chain=Chain(DIGEST))._replace(group="later", chain=None)
    assert fault_of(known) is None
    assert "proof" in str(fault_of(known._replace(proof=("x",))))


@given(st.data())
def test_no_register_makes_the_check_fail(data: st.DataObject) -> None:
    """Whatever a register holds, checking it gives a reason or none, and never an error."""
    name = data.draw(st.sampled_from(sorted(RULES)))
    junk = st.none() | st.integers() | st.text() | st.lists(st.text(), max_size=3)
    fields = data.draw(st.sets(st.sampled_from(["object", "group", "proof", "value", "device"])))
    changes: dict[str, Any] = {}
    for field in fields:
        changes[field] = data.draw(
            {
                "proof": st.lists(st.text(), max_size=4).map(tuple),
                "value": st.dictionaries(st.text() | st.sampled_from(["length", "life"]), junk),
            }.get(field, st.text() | st.sampled_from([MEMORY, TEAM, "memory.life", "team.member:"]))
        )
    assert isinstance(fault_of(plain(name, **changes)), str | None)
