"""Memories in the words of Agent Memory OS 1.10: its shapes, made of ours.

A scope, which was a label there, is a tag here: ``scope:project``. Visibility is the audience.
"""

from __future__ import annotations

from agent_memory_os.model.link import Link
from agent_memory_os.model.memory import THOUSAND, Memory
from agent_memory_os.model.recall import ContextPack, Hit
from agent_memory_os.service.organisation import AgentView, TeamView
from agent_memory_os.service.upkeep import Stats
from agent_memory_os.wire.instant import iso

SCOPE = "scope:"
"""What the tag of a scope begins with."""

DEFAULT_SCOPE = "user"
TAKEN = ("in", "truncated")
"""What a pack says of what is in it."""


def of_record(memory: Memory) -> dict[str, object]:
    """Return a memory."""
    content = memory.content
    scopes = [tag.removeprefix(SCOPE) for tag in content.tags if tag.startswith(SCOPE)]
    return {
        "id": memory.id,
        "owner": memory.owner_name,
        "scope": scopes[0] if scopes else DEFAULT_SCOPE,
        "type": content.type,
        "content": content.content,
        "summary": content.summary,
        "tags": list(content.tags),
        "visibility": list(memory.audience),
        "source": dict(content.source),
        "confidence": content.confidence / THOUSAND,
        "importance": content.importance / THOUSAND,
        "created_at": iso(content.created_at),
        "updated_at": iso(content.updated_at),
        "expires_at": iso(content.expires_at),
        "decay_half_life_days": content.half_life_days,
        "pinned": content.pinned,
    }


def of_hit(hit: Hit) -> dict[str, object]:
    """Return a memory that was found, and who found it."""
    reason = ", ".join((*hit.providers, *hit.marks))
    return {**of_record(hit.memory), "score": hit.score, "reason": reason}


def of_link(link: Link) -> dict[str, object]:
    """Return a link."""
    return {
        "src_id": link.src,
        "dst_id": link.dst,
        "relation": link.relation,
        "weight": link.weight / THOUSAND,
    }


def of_pack(query: str, pack: ContextPack) -> dict[str, object]:
    """Return a context pack."""
    decisions = [
        {"memory_id": one.memory_id, "selected": one.outcome in TAKEN, "reason": one.reason}
        for one in pack.decisions
    ]
    return {
        "query": query,
        "text": pack.text,
        "used_tokens": pack.tokens,
        "max_tokens": pack.budget,
        "decisions": decisions,
    }


def of_agent(view: AgentView) -> dict[str, object]:
    """Return an agent with its teams; its name was its id."""
    agent = view.agent
    return {
        "id": agent.name,
        "display_name": agent.display_name,
        "kind": agent.kind,
        "teams": list(view.teams),
        "notes": agent.notes,
    }


def of_team(view: TeamView) -> dict[str, object]:
    """Return a team with its members."""
    return {"id": view.team.name, "name": view.team.name, "members": list(view.members)}


def of_projects(view: TeamView) -> list[dict[str, object]]:
    """Return the projects of a team with their members; an id names the team, too."""
    return [
        {
            "id": f"{view.team.name}/{project.name}",
            "name": project.name,
            "team_id": view.team.name,
            "members": list(members),
        }
        for project, members in view.projects
    ]


def of_stats(stats: Stats) -> dict[str, object]:
    """Return counts."""
    names = ("expired", "forgotten", "pinned", "agents", "teams", "projects")
    counts = {name: getattr(stats, name) for name in names}
    return {"memories": stats.shown, **counts, "by_type": dict(stats.types)}
