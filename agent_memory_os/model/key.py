"""Keys of the API: what each kind may do, and what a key is to those who manage them.

A key is bound to an agent (``agent``, or ``reader`` where it may read only), or is the operator's,
or reads the node's metrics and nothing else. A key says what its bearer may do; what it may see is
decided by the principal that the key stands for, and by nothing that a request says.
"""

from __future__ import annotations

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.principal import Principal
from agent_memory_os.value import NamedTuple

AGENT = "agent"
READER = "reader"
OPERATOR = "operator"
METRICS = "metrics"
KINDS = (AGENT, READER, OPERATOR, METRICS)

READ = "read"
WRITE = "write"
OPERATE = "operate"
MEASURE = "measure"

RIGHTS: dict[str, frozenset[str]] = {
    AGENT: frozenset((READ, WRITE)),
    READER: frozenset((READ,)),
    OPERATOR: frozenset((READ, WRITE, OPERATE, MEASURE)),
    METRICS: frozenset((MEASURE,)),
}
"""What the bearer of a key of each kind may do."""

MAX_NAME = 64

KEY_PREFIX = "amk_"
"""What the text of every key begins with."""


class Limits(NamedTuple):
    """How much a key may be used for; ``None`` is without limit.

    Requests and writes in a minute, bytes of request bodies in a day (UTC), and memories that its
    agent may own.
    """

    requests: int | None = None
    writes: int | None = None
    bytes: int | None = None
    memories: int | None = None


class Key(NamedTuple):
    """A key, without its secret. Times are milliseconds of UTC; ``agent`` is an id or ``None``."""

    id: str
    name: str
    kind: str
    agent: str | None
    agent_name: str
    created_at: int
    expires_at: int | None
    last_used_at: int | None
    revoked_at: int | None
    limits: Limits

    def state_at(self, now: int) -> str:
        """Return ``live``, ``expired`` or ``revoked``."""
        if self.revoked_at is not None:
            return "revoked"
        is_over = self.expires_at is not None and self.expires_at <= now
        return "expired" if is_over else "live"

    @property
    def rights(self) -> frozenset[str]:
        """What its bearer may do."""
        return RIGHTS[self.kind]

    @property
    def principal(self) -> Principal:
        """Who its bearer is: for metrics somebody who sees nothing."""
        if self.kind == OPERATOR:
            return Principal.operator()
        return Principal(self.agent, is_operator=False)


def check_kind(kind: str, *, has_agent: bool) -> str:
    """Return a kind of key, or raise :class:`InvalidInput` where it does not fit its bearer."""
    if kind not in KINDS:
        raise InvalidInput(f"There is no kind {kind!r} of key; the kinds are {', '.join(KINDS)}.")
    if kind in (AGENT, READER) and not has_agent:
        raise InvalidInput(
            f"A key of kind {kind} is bound to an agent, and none is named.", "bind_key"
        )
    if kind in (OPERATOR, METRICS) and has_agent:
        raise InvalidInput(f"A key of kind {kind} is bound to no agent, and one is named.")
    return kind


def check_key_name(name: str) -> str:
    """Return the name of a key, or raise :class:`InvalidInput`."""
    plain = name.strip()
    if not plain or len(plain) > MAX_NAME or not plain.isprintable():
        raise InvalidInput(f"The name of a key has 1 to {MAX_NAME} printable characters.")
    return plain


def check_limits(limits: Limits) -> Limits:
    """Return limits, or raise :class:`InvalidInput` for one that is no positive number."""
    for name, value in zip(Limits._fields, limits, strict=True):
        if value is not None and (type(value) is not int or value < 1):
            raise InvalidInput(f"The limit of {name} is a whole number, 1 or more.")
    return limits
