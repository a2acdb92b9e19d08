"""Values to JSON: the shapes that the API and ``--json`` speak.

Times are RFC 3339 in UTC, fractions lie between 0 and 1, what is not set is ``null``, and ids are
whole. A new version may add names; it takes none away. ``wire.decode`` is the way back.
"""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.model.link import Link
from agent_memory_os.model.memory import THOUSAND, Content, Memory
from agent_memory_os.model.recall import ContextPack, Decision, Hit
from agent_memory_os.value import TYPE_CHECKING
from agent_memory_os.wire.instant import iso

if TYPE_CHECKING:
    from agent_memory_os.service.memories import Outcome, Owner
    from agent_memory_os.service.memory.find import Moment, Page
    from agent_memory_os.service.memory.graph import Graph
    from agent_memory_os.service.memory.history import Version
    from agent_memory_os.service.recall import Found

Shape = Mapping[str, object]


def of_content(content: Content) -> dict[str, object]:
    """Return what the owner wrote."""
    return {
        "content": content.content,
        "type": content.type,
        "summary": content.summary,
        "tags": list(content.tags),
        "source": dict(content.source),
        "author": content.author or None,
        "session": content.session or None,
        "position": content.position,
        "event_at": iso(content.event_at),
        "confidence": content.confidence / THOUSAND,
        "importance": content.importance / THOUSAND,
        "pinned": content.pinned,
        "created_at": iso(content.created_at),
        "updated_at": iso(content.updated_at),
        "valid_from": iso(content.valid_from),
        "valid_to": iso(content.valid_to),
        "expires_at": iso(content.expires_at),
        "half_life_days": content.half_life_days,
        "editor_id": content.editor or None,
        "reason": content.reason,
        "life": content.life,
    }


def of_memory(memory: Memory, now: int) -> dict[str, object]:
    """Return a memory as its reader may see it, and whether it is shown now."""
    return {
        "id": memory.id,
        "owner": memory.owner_name,
        "owner_id": memory.owner,
        "audience": list(memory.audience),
        "grants": list(memory.grants),
        "state": memory.state_at(now),
        "version": memory.version,
        **of_content(memory.content),
    }


def of_outcome(outcome: Outcome, now: int) -> dict[str, object]:
    """Return what became of a request to change something."""
    return {
        "memory": of_memory(outcome.memory, now),
        "changed": outcome.is_changed,
        "notes": list(outcome.notes),
    }


def of_page(page: Page, now: int) -> dict[str, object]:
    """Return some memories, and the cursor of the page after them."""
    return {
        "memories": [of_memory(memory, now) for memory in page.memories],
        "cursor": page.following or None,
    }


def of_moments(moments: tuple[Moment, ...], now: int) -> dict[str, object]:
    """Return a timeline, oldest first."""
    return {
        "moments": [{"at": iso(one.at), "memory": of_memory(one.memory, now)} for one in moments]
    }


def of_hit(hit: Hit, now: int) -> dict[str, object]:
    """Return a memory that was found, with its score and the reasons for it."""
    return {
        "memory": of_memory(hit.memory, now),
        "score": hit.score,
        "parts": dict(hit.parts),
        "providers": list(hit.providers),
        "marks": list(hit.marks),
    }


def of_found(query: str, found: Found, now: int, *, explain: bool) -> dict[str, object]:
    """Return what a search found, best first."""
    hits = [of_hit(hit, now) for hit in found.hits]
    shape: dict[str, object] = {"query": query, "hits": hits}
    return shape | ({"explanation": list(found.explanation)} if explain else {})


def of_pack(query: str, pack: ContextPack) -> dict[str, object]:
    """Return a context pack, and why each memory is in it or not."""
    return {
        "query": query,
        "text": pack.text,
        "tokens": pack.tokens,
        "budget": pack.budget,
        "decisions": [_of_decision(decision) for decision in pack.decisions],
    }


def _of_decision(decision: Decision) -> dict[str, object]:
    return {
        "id": decision.memory_id,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "tokens": decision.tokens,
    }


def of_link(link: Link) -> dict[str, object]:
    """Return a link between two memories."""
    return {
        "src": link.src,
        "dst": link.dst,
        "relation": link.relation,
        "weight": link.weight / THOUSAND,
        "by": link.by,
        "created_at": iso(link.created_at),
    }


def of_graph(graph: Graph, now: int) -> dict[str, object]:
    """Return what a memory is linked to."""
    return {
        "memories": [of_memory(memory, now) for memory in graph.memories],
        "links": [of_link(link) for link in graph.links],
        "cut": graph.is_cut,
    }


def of_owner(one: Owner) -> dict[str, object]:
    """Return an owner of memories."""
    return {
        "id": one.id,
        "name": one.name,
        "memories": one.shown,
        "forgotten": one.forgotten,
        "changed_at": iso(one.changed_at),
    }


def of_version(version: Version) -> dict[str, object]:
    """Return a version of a memory."""
    return {
        "number": version.number,
        "since": iso(version.since),
        "until": iso(version.until),
        "editor": version.editor,
        "audience": list(version.audience),
        **of_content(version.content),
    }
