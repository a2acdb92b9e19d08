"""The schema of the routes that users of engram know: facts, and messages in sessions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from agent_memory_os.model.memory import MAX_CONTENT_BYTES
from agent_memory_os.service.memory.add import BATCH
from agent_memory_os.wire.schema.field import Day, Fraction, Label
from agent_memory_os.wire.schema.memory import Body, Shown

DEFAULT = "default"
"""Whoever says this, as a user or an organisation, means the key's agent."""

Text = Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_BYTES)]
Role = Literal["user", "assistant", "system", "tool"]
Polarity = Literal["affirmative", "negative", "hypothetical"]
Tier = Literal["working", "episodic", "semantic", "archival"]
TopK = Annotated[int, Field(ge=1, le=200)]


class Tenant(Body):
    """Whose it is, as the caller says: nobody else's than the key's agent's."""

    user_id: str = DEFAULT
    org_id: str = DEFAULT


class NewFact(Tenant):
    """A fact to record."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": "Deploys go out on Tuesdays.", "category": "procedure"}]
        }
    )
    text: Text
    session_id: Label | None = None
    role: Role | None = None
    category: Label | None = None
    confidence: Fraction = 1.0
    polarity: Polarity = "affirmative"
    tier: Tier = "working"
    valid_from: Day | None = None
    event_date: Day | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class FactSearch(Tenant):
    """What facts are looked for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "when do we deploy"}]})
    query: str
    top_k: TopK = 10


class NewMessage(Tenant):
    """A message, as somebody said it."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"role": "user", "content": "When do we deploy?"}]}
    )
    content: Text
    role: Role = "user"
    timestamp: Day | None = None


class Extraction(Tenant):
    """Messages that facts are to be taken from."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"messages": [{"role": "user", "content": "I moved to Bern."}]}]
        }
    )
    messages: Annotated[list[dict[str, Any]], Field(max_length=BATCH)]
    session_date: Day | None = None
    persist: bool = True


class Fact(Shown):
    """A fact that was recorded."""

    fact_id: str
    text: str


class FactHit(Fact):
    """A fact that was found."""

    score: float
    vector_score: float | None
    keyword_score: float | None
    rerank_score: float | None
    category: str | None
    polarity: str
    event_date: datetime | None


class FactHits(Shown):
    """The facts that were found, best first."""

    hits: list[FactHit]


class Facts(Shown):
    """The facts that were taken from messages."""

    facts: list[Fact]


class FactContext(Shown):
    """What was recalled, ready for a prompt."""

    context: str


class Message(Shown):
    """A message that was kept, and its place in its session."""

    message_id: str
    position: int
