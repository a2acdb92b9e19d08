"""Memories as the facts and messages of engram: its shapes, made of ours.

What a fact has there and a memory has not (its category, polarity and tier) stands in the source.
"""

from __future__ import annotations

from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Hit
from agent_memory_os.wire.instant import iso

AFFIRMATIVE = "affirmative"


def of_fact(memory: Memory) -> dict[str, object]:
    """Return a fact that was recorded."""
    return {"fact_id": memory.id, "text": memory.content.content}


def of_hit(hit: Hit) -> dict[str, object]:
    """Return a fact that was found: by its words, for there are no vectors."""
    source = hit.memory.content.source
    category, polarity = source.get("category"), source.get("polarity")
    return {
        **of_fact(hit.memory),
        "score": hit.score,
        "vector_score": None,
        "keyword_score": hit.score,
        "rerank_score": None,
        "category": category if isinstance(category, str) else None,
        "polarity": polarity if isinstance(polarity, str) else AFFIRMATIVE,
        "event_date": iso(hit.memory.content.event_at),
    }


def of_message(memory: Memory) -> dict[str, object]:
    """Return a message that was kept."""
    return {"message_id": memory.id, "position": memory.content.position}
