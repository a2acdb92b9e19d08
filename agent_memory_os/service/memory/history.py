"""The history of a memory: its versions, and who may see which.

The owner and the operator see every version. Anyone else sees those that were current while a
grant that reaches it held: of what a memory said before it was shared, or after it was taken back
and before it was shared again, it learns nothing.
"""

from __future__ import annotations

from agent_memory_os.model.memory import Content, Memory
from agent_memory_os.service.context import OPERATOR
from agent_memory_os.store import organisation
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.store.memory import history
from agent_memory_os.value import NamedTuple

Span = tuple[int, int | None]


class Version(NamedTuple):
    """What a memory said in ``[since, until)``, and who could read it in that time.

    ``number`` counts from 1; ``until`` is ``None`` for the present version. ``editor`` is the name
    of the agent that wrote it, or ``operator``. ``audience`` is in people's form, and only for the
    owner and the operator (others: empty).
    """

    number: int
    since: int
    until: int | None
    content: Content
    audience: tuple[str, ...]
    editor: str


def versions(snapshot: Snapshot, gate: Gate, memory: Memory) -> tuple[Version, ...]:
    """Return the versions that the gate's principal may see, oldest first."""
    spans = history.grant_spans(snapshot, memory.id)
    is_own = _is_own(gate, memory)
    reached = _reached(gate, spans)
    shown = []
    for number, since, until, content in _all(snapshot, memory):
        if is_own or any(_overlap((since, until), span) for span in reached):
            audience = _audience(spans, (since, until)) if is_own else ()
            editor = _editor(snapshot, memory, content)
            shown.append(Version(number, since, until, content, audience, editor))
    return tuple(shown)


def version_at(snapshot: Snapshot, gate: Gate, memory: Memory, at: int) -> Version | None:
    """Return the version that was true at an instant, if the principal could read it then."""
    spans = _reached(gate, history.grant_spans(snapshot, memory.id))
    if not _is_own(gate, memory) and not any(_holds((since, until), at) for since, until in spans):
        return None
    for version in reversed(versions(snapshot, gate, memory)):
        if _holds((version.since, version.until), at):
            return version
    return None


def _is_own(gate: Gate, memory: Memory) -> bool:
    principal = gate.sight.principal
    return principal.is_operator or principal.agent == memory.owner


def _reached(gate: Gate, spans: list[history.GrantSpan]) -> list[Span]:
    return [(span.since, span.until) for span in spans if span.scope in gate.sight.scopes]


def _holds(span: Span, at: int) -> bool:
    return span[0] <= at and (span[1] is None or at < span[1])


def _all(snapshot: Snapshot, memory: Memory) -> list[tuple[int, int, int | None, Content]]:
    past = history.past_versions(snapshot, memory.id)
    return [*past, (memory.version, memory.content.updated_at, None, memory.content)]


def _overlap(version: Span, grant: Span) -> bool:
    starts_before = grant[0] < version[1] if version[1] is not None else True
    ends_after = grant[1] is None or grant[1] > version[0]
    return starts_before and ends_after


def _editor(snapshot: Snapshot, memory: Memory, content: Content) -> str:
    if not content.editor:
        return memory.owner_name
    if content.editor == OPERATOR:
        return OPERATOR
    known = organisation.agents_named(snapshot, content.editor)
    return known[0].name if known else content.editor


def _audience(spans: list[history.GrantSpan], version: Span) -> tuple[str, ...]:
    # Whoever could read it at any time: what was shared for an hour was shared.
    return tuple(sorted({s.name for s in spans if _overlap(version, (s.since, s.until))}))
