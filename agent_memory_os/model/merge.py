"""Merging two versions of one register: pure, commutative, associative, idempotent.

A merge refuses only what can never become valid: a wrong form, or an id that does not commit to
what the register claims. Whether a register counts is decided by the view, when it is read, so
that the order in which registers arrive changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple, cast

from agent_memory_os.model.audience import is_scope
from agent_memory_os.model.identifier import derive, kind_of
from agent_memory_os.model.register import (
    CONTENT,
    GRANT,
    LENGTH,
    MAX_STAMP,
    Register,
    Rule,
    rule_of,
)


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
    if held is None or precedence(held) < precedence(incoming):
        return Accept()
    return Ignore()


def precedence(register: Register) -> tuple[int, int, str, int]:
    """Return what two versions of one register are compared by; the greater one wins.

    Content of a later life beats that of an earlier one; a causal length beats a shorter one.
    """
    return (_length(register), register.stamp, register.device, register.seq)


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
    if kind_of(register.author) != "account" or kind_of(register.device) != "device":
        return "its author or device is no id"
    rule = rule_of(register.group)
    if rule is None:
        return None
    return _fault_of_id(register, rule) or _fault_of_value(register, rule)


def _fault_of_id(register: Register, rule: Rule) -> str | None:
    if kind_of(register.object) != rule.object_kind:
        return f"its object is no {rule.object_kind}"
    if derive(rule.object_kind, *register.proof) != register.object:
        return "its id does not commit to its proof"
    if rule.object_kind in ("memory", "agent") and register.proof[0] != register.author:
        return "its author is not the account that its id commits to"
    if register.group.startswith(GRANT) and not is_scope(register.group.removeprefix(GRANT)):
        return "its grant is no scope"
    return None


def _fault_of_value(register: Register, rule: Rule) -> str | None:
    length = register.value.get("length", 0 if rule.merge == LENGTH else 1)
    life = register.value.get("life", 1) if register.group == CONTENT else 1
    if type(length) is not int or length < 1:
        return "its causal length is no positive integer"
    if type(life) is not int or life < 1 or life % 2 == 0:
        return "its life is no odd positive integer"
    return None


def is_on(register: Register | None) -> bool:
    """Say whether a causal length is odd: a grant that holds, a life that lasts."""
    return register is not None and _length(register) % 2 == 1


def newest(versions: list[Register]) -> Register | None:
    """Return the version that wins among several of one object and group, or ``None``."""
    return max(versions, key=precedence, default=None)
