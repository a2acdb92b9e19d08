"""Merging two versions of one register: pure, commutative, associative, idempotent.

A merge refuses only what can never become valid: a wrong form, or an id that does not commit to
what the register claims. Whether a register counts is decided by the view, when it is read, so
that the order in which registers arrive changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from agent_memory_os.model.audience import is_scope
from agent_memory_os.model.canonical import check_of, fits
from agent_memory_os.model.identifier import (
    kind_named,
    kind_of,
    proves,
    proves_memory,
    remembered_kind,
)
from agent_memory_os.model.register import (
    AGENT,
    CONTENT,
    DEVICE,
    GRANT,
    LENGTH,
    LIFE,
    LINK,
    MAX_STAMP,
    MEMORABLE,
    RULES,
    Register,
    Rule,
    digest,
    rule_of,
)
from agent_memory_os.value import NamedTuple, cast

_AUTHORS_OWN = ("memory", "agent")


class Accept(NamedTuple):
    """The incoming version takes its place."""


class Ignore(NamedTuple):
    """The version that is held is newer or the same."""


class Refuse(NamedTuple):
    """The incoming version can never be valid, for this reason."""

    reason: str


Verdict = Accept | Ignore | Refuse


def merge(held: Register | None, incoming: Register) -> Verdict:
    """Decide between the version that is held in a register's place and an incoming one."""
    fault = fault_of(incoming)
    if fault is not None:
        return Refuse(fault)
    if held is None or _beats(incoming, held):
        return Accept()
    return Ignore()


def precedence(register: Register) -> tuple[int, int, str, int]:
    """Return what two versions of one register are compared by; the greater one wins.

    Content of a later life beats that of an earlier one; a causal length beats a shorter one.
    """
    return (_length(register), register.stamp, register.device, register.seq)


def newest(versions: list[Register]) -> Register | None:
    """Return the version that wins among several of one object and group, or ``None``."""
    if len(versions) == 1:
        return versions[0]
    return max(versions, key=lambda version: (precedence(version), digest(version)), default=None)


def _beats(one: Register, other: Register) -> bool:
    # A device that signed two versions under one number cannot make nodes differ: the digests,
    # which nothing can make equal, decide.
    mine, others = precedence(one), precedence(other)
    return digest(one) > digest(other) if mine == others else mine > others


def _length(register: Register) -> int:
    rule = rule_of(register.group)
    if rule is not None and rule.merge == LENGTH:
        return cast("int", register.value["length"])
    if register.group == CONTENT:
        return cast("int", register.value.get("life", 1))
    return 0


def fault_of(register: Register) -> str | None:
    """Return why a register can never be valid, or ``None``."""
    if not 0 <= register.stamp <= MAX_STAMP or register.seq < 1:
        return "its stamp or sequence number is out of range"
    if (
        remembered_kind(register.author) != "account"
        or remembered_kind(register.device) != "device"
    ):
        return "its author or device is no id"
    reliance = register.relies
    if len(reliance) > 1 or not all(map(_is_reliance, reliance.keys(), reliance.values())):
        return "what it relies on is no add register of a scope"
    if not 0 <= register.edits <= MAX_STAMP or (register.edits and register.group != CONTENT):
        return "only a content is made from another, by the stamp of that"
    rule = rule_of(register.group)
    if rule is None:
        return _fault_of_unknown(register)
    return (
        _fault_of_id(register, rule)
        or _fault_of_group(register.group, rule)
        or _fault_of_value(register)
        or _fault_of_chain(register, rule)
        or _fault_of_reliance(register)
    )


def fault_of_alike(register: Register, *, is_right: bool = False) -> str | None:
    """Return what :func:`fault_of` does of a register that is like one which has no fault.

    Both are of memories, and made from no other; they differ in nothing but the memory with its
    nonce, and in number, stamp and value. ``is_right``: the value is known to be a content's.
    """
    if not 0 <= register.stamp <= MAX_STAMP or register.seq < 1:
        return "its stamp or sequence number is out of range"
    if not _is_proved("memory", register):
        return "its id does not commit to its proof"
    return None if is_right and register.group == CONTENT else _fault_of_value(register)


def _fault_of_unknown(register: Register) -> str | None:
    # Whatever is said of an object that is known here says with its proof whose that is.
    kind = kind_named(register.object)
    if kind is not None and not proves(kind, register.proof, register.object):
        return "its id does not commit to its proof"
    return None


def _fault_of_reliance(register: Register) -> str | None:
    # A content or link is signed for any scope; a grant for its own; what is of a team, by who is
    # in charge of that team; and nothing else relies on anything.
    group, _, subject = register.group.partition(":")
    named = next(iter(register.relies), None)
    if named is None or group in (CONTENT, LINK):
        return None
    team = register.object if group.startswith("team.") else register.proof[0]
    own = subject if group == GRANT[:-1] else f"team:{team}"
    is_apart = group in (LIFE, AGENT, DEVICE[:-1]) or named != own
    return "it relies on a scope that is not its own" if is_apart else None


def _is_reliance(scope: str, add: object) -> bool:
    if type(add) is not str or len(scope) + len(add) > MEMORABLE:
        return False
    return _names_add(scope, add)


@lru_cache(maxsize=1024)
def _names_add(scope: str, add: str) -> bool:
    # An agent and all of an account's agents have no members, and so no add: the scope is named
    # all the same, for a content says in which scopes it may be shown.
    has_members = scope.startswith(("team:", "project:"))
    return is_scope(scope) and (fits(add, "digest") if has_members else add == "")


def _fault_of_id(register: Register, rule: Rule) -> str | None:
    if kind_of(register.object) != rule.object_kind:
        return f"its object is no {rule.object_kind}"
    if not _is_proved(rule.object_kind, register):
        return "its id does not commit to its proof"
    owner = register.object if rule.object_kind == "account" else register.proof[0]
    if rule.object_kind in (*_AUTHORS_OWN, "account") and owner != register.author:
        return "its author is not the account that its id commits to"
    return None


def _is_proved(kind: str, register: Register) -> bool:
    if kind != "memory" or sum(map(len, register.proof)) > MEMORABLE:
        return proves(kind, register.proof, register.object)
    return _proves_memory(register.proof, register.object)


@lru_cache(maxsize=64)
def _proves_memory(proof: tuple[str, ...], memory: str) -> bool:
    # The registers of one memory come together, and say this again and again.
    match proof:
        case (account, agent, nonce):
            return proves_memory(account, agent, nonce, memory)
    return False


def _fault_of_group(group: str, rule: Rule) -> str | None:
    """Return why the subject of a group is none, or ``None``."""
    if not rule.subject:
        return None
    return _fault_of_subject(group) if len(group) <= MEMORABLE else _no_subject(rule)


@lru_cache(maxsize=1024)
def _fault_of_subject(group: str) -> str | None:
    rule, subject = cast("Rule", rule_of(group)), group.partition(":")[2]
    fits_in = is_scope(subject) if rule.subject == "scope" else kind_of(subject) == rule.subject
    return None if fits_in else _no_subject(rule)


def _no_subject(rule: Rule) -> str:
    return f"its group names no {rule.subject}"


class _Form(NamedTuple):
    """The fields that a value needs, and what looks at each that is known."""

    needed: tuple[str, ...]
    checks: Mapping[str, Callable[[object], bool]]


def _form(rule: Rule) -> _Form:
    needed = tuple(name for name, shape in rule.fields.items() if not shape.endswith("?"))
    checks = {name: check_of(shape.removesuffix("?")) for name, shape in rule.fields.items()}
    return _Form(needed, checks)


_FORMS = {name: _form(rule) for name, rule in RULES.items()}


def _fault_of_value(register: Register) -> str | None:
    prefix, colon, _ = register.group.partition(":")
    value, form = register.value, _FORMS[prefix + colon]
    for name in form.needed:
        if name not in value:
            return f"its value has no {name}"
    for name, field in value.items():
        check = form.checks.get(name)
        if check is not None and not check(field):
            return f"the {name} in its value is not right"
    return None


def _fault_of_chain(register: Register, rule: Rule) -> str | None:
    chain = register.chain
    if (chain is not None) != rule.is_chained:
        return "only registers of the organisation stand in a chain, and all of them do"
    if chain is None:
        return None
    well_formed = chain.previous == "" or fits(chain.previous, "digest")
    return None if well_formed else "its chain names no register"
