"""Bodies and parameters to the values that the façade takes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.memory import THOUSAND
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.wire.schema import memory as schema

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_INSTANTS = ("event_at", "valid_from", "valid_to", "expires_at")
_LABELS = ("author", "session")
"""What is told as ``null`` where it is empty, and may be sent so."""

_FRACTIONS = ("confidence", "importance")


def instant(at: datetime | None) -> int | None:
    """Return milliseconds of UTC."""
    return None if at is None else (at - _EPOCH) // _MILLISECOND


def thousandths(value: float) -> int:
    """Return a fraction as registers hold it."""
    return round(value * THOUSAND)


def new_memory(body: schema.Item, key: str = "") -> NewMemory:
    """Return what a caller wants remembered; ``key`` is that of the request, if it has one."""
    if key and body.key and key != body.key:
        raise InvalidInput("The request has one idempotency key, and its body another.")
    given = {name: getattr(body, name) for name in body.model_fields_set - {"audience", "owner"}}
    new = NewMemory(**plain(given))  # type: ignore[arg-type]
    return new._replace(key=key or body.key)


def changes(body: schema.Changes) -> dict[str, object]:
    """Return what is to be changed of a memory."""
    names = body.model_fields_set - {"reason", "allow_secrets"}
    return plain({name: getattr(body, name) for name in names})


def plain(given: Mapping[str, object]) -> dict[str, object]:
    """Return fields of a body as the façade takes them."""
    done = dict(given)
    for name in _INSTANTS:
        if isinstance(done.get(name), datetime):
            done[name] = instant(done[name])  # type: ignore[arg-type]
    for name in _FRACTIONS:
        if done.get(name) is not None:
            done[name] = thousandths(done[name])  # type: ignore[arg-type]
    for name in _LABELS:
        if name in done:
            done[name] = done[name] or ""
    if "tags" in done:
        done["tags"] = tuple(done["tags"] or ())  # type: ignore[arg-type]
    return done
