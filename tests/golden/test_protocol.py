"""The vectors of the protocol hold, by the product's rules and by the words of the page alone."""

from __future__ import annotations

import json
import re
from base64 import b32encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model import identifier, register
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.device import signer
from agent_memory_os.model.canonical import SHAPES, encode
from agent_memory_os.model.merge import Accept, fault_of, merge
from agent_memory_os.model.register import RULES, Chain, Register, digest, following, to_bytes
from agent_memory_os.model.view import ADD, Entry, is_alive, standing_adds

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "protocol.json").read_text(encoding="utf-8")
)
PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
NAMED = {vector["name"]: vector for vector in VECTORS["registers"]}


def made(vector: dict[str, Any]) -> Register:
    """Return the register of a vector."""
    fields = dict(vector["register"])
    chain = fields.pop("chain")
    held = None if chain is None else Chain(chain["previous"])
    return Register(**{**fields, "proof": tuple(fields["proof"])}, chain=held)


def by_hand(value: object) -> str:
    """Write canonical JSON by the words of the page, with nothing of the product."""
    if isinstance(value, dict):
        items = sorted(value.items(), key=lambda item: item[0].encode())
        return "{" + ",".join(f"{by_hand(key)}:{by_hand(field)}" for key, field in items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(by_hand, value)) + "]"
    if isinstance(value, str):
        short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f"}
        short["\r"] = "\\r"
        return '"' + "".join(short.get(one) or _control(one) for one in value) + '"'
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


def _control(one: str) -> str:
    return f"\\u{ord(one):04x}" if one < " " else one


def framed(*parts: str) -> bytes:
    """Return what an id is the hash of, by the words of the page."""
    return b"agent-memory id 1" + b"".join(
        len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts
    )


@pytest.mark.parametrize("vector", VECTORS["canonical"])
def test_canonical_bytes(vector: dict[str, Any]) -> None:
    """The product and the words of the page write each value with the same bytes."""
    data = vector["bytes"].encode()
    assert encode(vector["value"]) == data == by_hand(vector["value"]).encode()
    assert sha256(data).hexdigest() == vector["sha256"]


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["why"])
def test_what_has_no_canonical_bytes(vector: dict[str, Any]) -> None:
    """What the page excludes is refused."""
    with pytest.raises(InvalidInput):
        encode(vector["value"])


def test_keys() -> None:
    """The public keys of the vectors are those of their private keys."""
    for name, key in VECTORS["keys"].items():
        private = bytes.fromhex(key["private"])
        kind = X25519PrivateKey if name == "seal" else Ed25519PrivateKey
        assert (
            kind.from_private_bytes(private).public_key().public_bytes_raw().hex() == key["public"]
        )


@pytest.mark.parametrize("vector", VECTORS["ids"], ids=lambda vector: vector["id"])
def test_ids(vector: dict[str, Any]) -> None:
    """Each id follows from its parts, by the product and by the words of the page."""
    kind, parts = vector["kind"], vector["parts"]
    hashed = b32encode(sha256(framed(kind, *parts)).digest()[:20]).decode().lower()
    prefix = identifier.PREFIXES[kind]
    assert identifier.derive(kind, *parts) == vector["id"] == prefix + hashed
    assert identifier.proves(kind, parts, vector["id"])
    assert f"`{vector['id']}`" in PAGE


@pytest.mark.parametrize("vector", VECTORS["nonces"])
def test_nonces(vector: dict[str, Any]) -> None:
    """Each derived nonce follows from its purpose and parts."""
    parts = (vector["purpose"], *vector["parts"])
    assert identifier.derived_nonce(*parts) == vector["nonce"]
    assert sha256(framed("nonce", *parts)).digest()[:16].hex() == vector["nonce"]


@pytest.mark.parametrize("vector", VECTORS["stamps"])
def test_stamps(vector: dict[str, int]) -> None:
    """Each stamp follows from the last one and the clock."""
    clock = min(max(vector["now"], 0), 2**47 - 1)
    assert following(vector["last"], vector["now"]) == vector["stamp"]
    assert max(clock * 2**16, vector["last"] + 1) == vector["stamp"]
    assert f"| {vector['last']} | {vector['now']} | {vector['stamp']} |" in PAGE


@pytest.mark.parametrize("vector", VECTORS["registers"], ids=lambda vector: vector["name"])
def test_registers(vector: dict[str, Any]) -> None:
    """Each register has its form, its bytes, its digest and its signature."""
    held = made(vector)
    data = VECTORS["domain"]["register"].encode() + vector["bytes"].encode()
    assert fault_of(held) is None
    assert to_bytes(held) == data
    assert digest(held) == vector["digest"] == sha256(data).hexdigest()
    body = {name: field for name, field in vector["register"].items() if field or name != "relies"}
    if body["chain"] is None:
        del body["chain"]
    assert by_hand(body) == vector["bytes"]
    name = {"device": "sign"}.get(signer(held), signer(held))
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(VECTORS["keys"][name]["private"]))
    assert key.sign(data).hex() == vector["signature"]


@pytest.mark.parametrize("vector", VECTORS["lists"], ids=lambda vector: vector["name"])
def test_lists(vector: dict[str, Any]) -> None:
    """Each list has its bytes and its digest, and its entries are those of registers."""
    entries = tuple(kept.Entry(*entry) for entry in vector["entries"])
    data = VECTORS["domain"]["list"].encode() + vector["bytes"].encode()
    listed = kept.Kept(vector["scope"], entries)
    assert kept.to_bytes(listed) == data
    assert kept.digest(listed) == vector["digest"] == sha256(data).hexdigest()
    assert by_hand({"scope": vector["scope"], "entries": vector["entries"]}) == vector["bytes"]
    found = [(one["digest"], made(one)) for one in VECTORS["registers"]]
    named = [item for item in found if item[0] in {entry.digest for entry in entries}]
    assert kept.kept(vector["scope"], named) == listed


@pytest.mark.parametrize("vector", VECTORS["places"])
def test_places(vector: dict[str, str]) -> None:
    """Each place is the hash of an id and a group."""
    held = by_hand([vector["object"], vector["group"]]).encode()
    data = VECTORS["domain"]["place"].encode() + held
    assert kept.place_of(vector["object"], vector["group"]) == vector["place"]
    assert sha256(data).hexdigest() == vector["place"]


def test_every_group_has_a_vector() -> None:
    """Each group of this version stands in some register of the vectors."""
    groups = {vector["register"]["group"] for vector in VECTORS["registers"]}
    assert {group for group in RULES if any(name.startswith(group) for name in groups)} == set(
        RULES
    )


def test_the_chain_is_unbroken() -> None:
    """Each register of the organisation names the one before it, and the first names none."""
    previous = ""
    for vector in VECTORS["registers"]:
        if vector["register"]["chain"] is not None:
            assert vector["register"]["chain"] == {"previous": previous}
            previous = vector["digest"]


@pytest.mark.parametrize("vector", VECTORS["merges"])
def test_merges(vector: dict[str, str]) -> None:
    """The version that should win is held after the merge."""
    held, incoming = made(NAMED[vector["held"]]), made(NAMED[vector["incoming"]])
    left = incoming if isinstance(merge(held, incoming), Accept) else held
    assert left == made(NAMED[vector["wins"]])


@pytest.mark.parametrize("vector", VECTORS["membership"])
def test_membership(vector: dict[str, Any]) -> None:
    """The adds that should hold do, among these entries."""
    entries = []
    for name in vector["entries"]:
        value = NAMED[name]["register"]["value"]
        sees = frozenset(value.get("sees", []))
        entries.append(Entry(NAMED[name]["digest"], value["act"], sees))
    assert standing_adds(entries) == {NAMED[name]["digest"] for name in vector["standing"]}
    assert ADD == "add"


@pytest.mark.parametrize("vector", VECTORS["life"])
def test_life(vector: dict[str, Any]) -> None:
    """A memory is shown exactly where the table says so."""
    alive = is_alive(vector["content_life"], vector["length"])
    assert alive == vector["alive"]
    shown = "yes" if alive else "no"
    assert f"| {vector['content_life']} | {vector['length']} | {shown} |" in PAGE


def groups() -> str:
    """Return the rows of the page's table of groups, as the rules of the product give them."""
    rows = []
    for name, rule in RULES.items():
        group = name + (rule.subject.upper() if rule.subject else "")
        fields = ", ".join(f"`{field}` {shape}" for field, shape in rule.fields.items())
        chain = "yes" if rule.is_chained else "no"
        value = fields.replace("|", "\\|")
        rows.append(f"| {group} | {rule.object_kind} | {rule.merge} | {chain} | {value} |")
    return "\n".join(rows)


def test_the_page_has_the_groups() -> None:
    """The table of groups is that of the rules, row by row, and each shape is explained."""
    assert groups() in PAGE
    told = set(
        re.findall(r"^\| ([a-z, ]+?) \| ", PAGE.partition("| shape | is |")[2], re.MULTILINE)
    )
    assert set(SHAPES) <= {name for row in told for name in row.split(", ")}


def test_the_page_has_the_domains_and_an_example() -> None:
    """The page names what is hashed before everything, and shows the bytes of a register."""
    assert register.DOMAIN.decode().rstrip("\n") in PAGE
    assert identifier.DOMAIN.decode() in PAGE
    assert kept.DOMAIN.decode().rstrip("\n") in PAGE
    assert kept.PLACE_DOMAIN.decode().rstrip("\n") in PAGE
    assert NAMED["content"]["bytes"] in PAGE
    assert NAMED["content"]["digest"] in PAGE
    rows = [f"| `{json.dumps(v['value'])}` | `{v['bytes']}` |" for v in VECTORS["canonical"]]
    assert sum(row in PAGE for row in rows) == 3
