"""Ids commit to what they are derived from."""

from __future__ import annotations

import builtins
import hashlib
import re
from base64 import b32encode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model import identifier
from agent_memory_os.model.identifier import PARTS, PREFIXES, derive, kind_of, proves

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PROOFS = st.lists(TEXTS, max_size=5)
KEY = "ab" * 32
NONCE = "cd" * 16
ACCOUNT = identifier.account_id(KEY, KEY)
TEAM = identifier.team_id(ACCOUNT, NONCE)
AGENT = identifier.agent_id(ACCOUNT, "scout")
MEMORY = identifier.memory_id(ACCOUNT, AGENT, NONCE)

GOOD = {
    "account": (KEY, KEY),
    "device": (KEY, KEY),
    "agent": (ACCOUNT, "scout"),
    "team": (ACCOUNT, NONCE),
    "project": (TEAM, NONCE),
    "memory": (ACCOUNT, AGENT, NONCE),
    "link": (MEMORY, MEMORY, "related_to", AGENT),
}


def by_hand(kind: str, *parts: str) -> str:
    """Give the id as docs/protocol.md says that it is made."""
    data = b"agent-memory id 1"
    for part in (kind, *parts):
        data += len(part.encode()).to_bytes(4, "big") + part.encode()
    return PREFIXES[kind] + b32encode(sha256(data).digest()[:20]).decode().lower()


@given(st.sampled_from(sorted(PREFIXES)), PROOFS)
def test_an_id_is_made_as_the_protocol_says(kind: str, parts: list[str]) -> None:
    """An id is its prefix and 160 bits of the framed hash, and tells its kind."""
    made = derive(kind, *parts)
    assert made == by_hand(kind, *parts)
    assert re.fullmatch(PREFIXES[kind] + "[a-z2-7]{32}", made)
    assert kind_of(made) == kind


@given(st.sampled_from(sorted(PREFIXES)), PROOFS, st.sampled_from(sorted(PREFIXES)), PROOFS)
def test_an_id_commits(kind: str, parts: list[str], other: str, others: list[str]) -> None:
    """Other parts, in another order or cut elsewhere, and another kind give another id."""
    assume((kind, parts) != (other, others))
    assert derive(kind, *parts).partition("_")[2] != derive(other, *others).partition("_")[2]


def test_the_cut_between_parts_counts() -> None:
    """The same characters cut into other parts give another id."""
    assert len({derive("team", *parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"])}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mem_",
        MEMORY.upper(),
        MEMORY + "a",
        MEMORY[:-1],
        " " + MEMORY,
        MEMORY + "\n",
        "mem_" + "1" * 32,
        "foo_" + "a" * 32,
        MEMORY.replace("_", "-"),
        "mem_" + "á" * 32,
    ],
)
def test_what_is_no_id_has_no_kind(text: str) -> None:
    """Anything that is not exactly an id is of no kind."""
    assert kind_of(text) is None


@pytest.mark.parametrize("kind", sorted(PARTS))
def test_each_kind_has_its_maker(kind: str) -> None:
    """The function of a kind derives the id from its parts in their order."""
    made = getattr(identifier, f"{kind}_id")(*GOOD[kind])
    assert made == derive(kind, *GOOD[kind])
    assert proves(kind, GOOD[kind], made)


@pytest.mark.parametrize("kind", sorted(PARTS))
@pytest.mark.parametrize("bad", ["", "AB" * 32, "\ud800", "ab", 5, None])
def test_a_proof_has_its_form(kind: str, bad: object) -> None:
    """A proof with a part of another form, or with one part too few or many, proves nothing."""
    good = GOOD[kind]
    for place in range(len(good)):
        parts: list[object] = [*good[:place], bad, *good[place + 1 :]]
        if PARTS[kind][place] != "text" or bad is None or bad in (5, "\ud800"):
            assert not proves(kind, parts, derive(kind, *good))
    assert not proves(kind, good[:-1], derive(kind, *good[:-1]))
    assert not proves(kind, (*good, "x"), derive(kind, *good, "x"))


def test_a_proof_of_wrong_form_proves_not_even_its_own_id() -> None:
    """An id that was derived from parts of another form is not taken, for no id is made so."""
    parts = (ACCOUNT, AGENT, NONCE.upper())
    assert not proves("memory", parts, derive("memory", *parts))


@given(st.sampled_from(sorted(PARTS)), st.sampled_from(sorted(PARTS)))
def test_a_proof_is_of_one_id(kind: str, other: str) -> None:
    """A proof shows nothing about the id of something else."""
    assume(kind != other)
    assert not proves(kind, GOOD[kind], derive(other, *GOOD[other]))


def test_a_lone_surrogate_is_refused() -> None:
    """An id or a nonce of text that is not Unicode is refused in words."""
    with pytest.raises(InvalidInput, match="surrogate"):
        derive("agent", ACCOUNT, "\ud800")
    with pytest.raises(InvalidInput, match="surrogate"):
        identifier.derived_nonce("key", "\ud800")


def test_a_derived_nonce_is_always_the_same() -> None:
    """A key gives the same nonce each time, and no other key, purpose or cut gives it too."""
    first = identifier.derived_nonce("key", "a", "bc")
    assert first == identifier.derived_nonce("key", "a", "bc")
    others = [("key", "ab", "c"), ("import", "a", "bc"), ("key", "a"), ("key", "a", "bd")]
    assert first not in {identifier.derived_nonce(*parts) for parts in others}
    assert re.fullmatch("[0-9a-f]{32}", first)


@pytest.mark.parametrize("name", ["_sha2", "_sha256"])
def test_the_hash_is_found_under_either_name(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Before Python 3.12 and from it on, what is loaded is SHA-256."""
    real = builtins.__import__

    def load(asked: str, *rest: Any) -> Any:  # noqa: ANN401 - it stands for the built-in one
        if asked not in ("_sha2", "_sha256"):
            return real(asked, *rest)
        if asked != name:
            raise ImportError(asked)
        return hashlib

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "__import__", load)
        found = identifier._loaded.__wrapped__()  # noqa: SLF001 - what it kept is not what is tested
    assert found(b"x").digest() == sha256(b"x").digest() == identifier.sha256(b"x").digest()


def test_what_is_of_another_form_proves_no_memory() -> None:
    """An account, an agent, a nonce or an id of another form commits to nothing."""
    account = identifier.account_id("1" * 64, "2" * 64)
    agent = identifier.agent_id(account, "scout")
    nonce = "0" * 32
    made = identifier.memory_id(account, agent, nonce)
    assert identifier.proves_memory(account, agent, nonce, made)
    for parts in (
        (agent, agent, nonce, made),
        (account, account, nonce, made),
        (account, agent, "x", made),
        (account, agent, nonce, agent),
        (account, agent, "1" * 32, made),
    ):
        assert not identifier.proves_memory(*parts)
