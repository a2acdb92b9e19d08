"""The shapes of ``--json``: names and forms that scripts may rely on.

Times are RFC 3339 in UTC, fractions lie between 0 and 1, what is not set is ``null``, and ids are
whole. A new version may add names; it takes none away. ``docs/reference/cli.md`` lists them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from agent_memory_os.cli.moment import iso
from agent_memory_os.model.link import Link
from agent_memory_os.model.memory import THOUSAND, Content, Memory
from agent_memory_os.model.recall import Hit
from agent_memory_os.value import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_memory_os.service.recall import Found


def to_json(shape: Mapping[str, object]) -> str:
    """Return a shape as JSON, in characters that the standard output can hold."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").replace("-", "").casefold()
    return json.dumps(shape, ensure_ascii=encoding != "utf8", indent=2)


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
    }


def of_memory(memory: Memory, now: int) -> dict[str, object]:
    """Return a memory as its reader may see it, and whether it is shown now."""
    return {
        "id": memory.id,
        "owner": memory.owner_name,
        "audience": list(memory.audience),
        "state": memory.state_at(now),
        "version": memory.version,
        **of_content(memory.content),
    }


def of_hit(hit: Hit, now: int) -> dict[str, object]:
    """Return a memory that was found, with its score and the reasons for it."""
    return {
        "memory": of_memory(hit.memory, now),
        "score": round(hit.score, 4),
        "parts": {name: round(part, 4) for name, part in hit.parts.items()},
        "providers": list(hit.providers),
        "marks": list(hit.marks),
    }


def of_found(query: str, found: Found, now: int, *, explain: bool) -> dict[str, object]:
    """Return what a search found, best first."""
    hits = [of_hit(hit, now) for hit in found.hits]
    shape: dict[str, object] = {"query": query, "hits": hits}
    return shape | ({"explanation": list(found.explanation)} if explain else {})


def of_link(link: Link) -> dict[str, object]:
    """Return a link between two memories."""
    return {
        "src": link.src,
        "dst": link.dst,
        "relation": link.relation,
        "weight": link.weight / THOUSAND,
        "created_at": iso(link.created_at),
    }
