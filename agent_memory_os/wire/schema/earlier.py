"""The schema of the routes that users of Agent Memory OS 1.10 know: their names, our rules."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from agent_memory_os.model.audience import MAX_GRANTS
from agent_memory_os.model.memory import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    MAX_CONTENT_BYTES,
    THOUSAND,
)
from agent_memory_os.wire.schema.field import Day, Days, Fraction, Summary, Tags, Type
from agent_memory_os.wire.schema.memory import Body, Shown

Scope = Literal["user", "agent", "project", "team", "global", "profile"]
Text = Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_BYTES)]


class NewRecord(Body):
    """A memory to add, in the words of 1.10."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"content": "Deploys go out on Tuesdays.", "type": "procedure"}]
        }
    )
    content: Text
    owner: str = ""
    scope: Scope | None = None
    type: Type = "note"
    summary: Summary = ""
    tags: Tags = Field(default_factory=list)
    visibility: list[str] = Field(default_factory=list, max_length=MAX_GRANTS)
    source: dict[str, Any] = Field(default_factory=dict)
    confidence: Fraction = DEFAULT_CONFIDENCE / THOUSAND
    importance: Fraction = DEFAULT_IMPORTANCE / THOUSAND
    expires_at: Day | None = None
    decay_half_life_days: Days | None = None
    pinned: bool = False


class RecordChanges(Body):
    """What is to be changed of a memory; what is left out or null stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"importance": 0.9}]})
    content: Text | None = None
    type: Type | None = None
    summary: Summary | None = None
    tags: Tags | None = None
    source: dict[str, Any] | None = None
    confidence: Fraction | None = None
    importance: Fraction | None = None
    expires_at: Day | None = None
    decay_half_life_days: Days | None = None
    pinned: bool | None = None


class RecordShare(Body):
    """With whom a memory is shared, or from whom it is taken back."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"to_agent": "planner"}]})
    actor: str = ""
    to_agent: str | None = None
    to_team: str | None = None
    to_project: str | None = None
    deidentify: Literal[False] = False


class NewRecordLink(Body):
    """A link to assert."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "src_id": "mem_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                    "dst_id": "mem_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                }
            ]
        }
    )
    src_id: str
    dst_id: str
    relation: str = "related_to"
    weight: Fraction = 0.5


class Record(Shown):
    """A memory in the words of 1.10, as its reader may see it."""

    id: str
    owner: str
    scope: str
    type: str
    content: str
    summary: str
    tags: list[str]
    visibility: list[str]
    source: dict[str, Any]
    confidence: float
    importance: float
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    decay_half_life_days: int | None
    pinned: bool


class Records(Shown):
    """Some memories, in an order that the operation tells."""

    memories: list[Record]


class RecordDeleted(Shown):
    """The id of what was forgotten."""

    deleted: str


class RecordLink(Shown):
    """A link between two memories."""

    src_id: str
    dst_id: str
    relation: str
    weight: float


class RecordLinks(Shown):
    """The links of a memory."""

    memory_id: str
    links: list[RecordLink]


class RecordHit(Record):
    """A memory that was found."""

    score: float
    reason: str


class RecordHits(Shown):
    """What a search found, best first."""

    query: str
    results: list[RecordHit]


class RecordDecision(Shown):
    """Why a memory is in a context pack, or not."""

    memory_id: str
    selected: bool
    reason: str


class RecordPack(Shown):
    """A context pack."""

    query: str
    text: str
    used_tokens: int
    max_tokens: int
    decisions: list[RecordDecision]


class RecordAgent(Shown):
    """An agent with its teams."""

    id: str
    display_name: str
    kind: str
    teams: list[str]
    notes: str


class RecordAgents(Shown):
    """The agents, by name."""

    agents: list[RecordAgent]


class RecordTeam(Shown):
    """A team with its members."""

    id: str
    name: str
    members: list[str]


class RecordTeams(Shown):
    """The teams, by name."""

    teams: list[RecordTeam]


class RecordProject(RecordTeam):
    """A project with its team and its members."""

    team_id: str


class RecordProjects(Shown):
    """The projects, by team and name."""

    projects: list[RecordProject]


class RecordStats(Shown):
    """How much the caller may read."""

    memories: int
    expired: int
    forgotten: int
    pinned: int
    by_type: dict[str, int]
    agents: int
    teams: int
    projects: int


class RecordNode(Shown):
    """What answers."""

    node_name: str
    version: str
