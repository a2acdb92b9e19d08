"""The schema of memories: what a body may hold, and what an answer holds.

A body with a name that is not known is refused, so that a slip is not passed over. Times are
RFC 3339 with a time zone, fractions lie between 0 and 1.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent_memory_os.model.memory import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    MAX_CONTENT_BYTES,
    MAX_REASON,
    THOUSAND,
)
from agent_memory_os.wire.schema.field import (
    Absent,
    Closed,
    Days,
    Fraction,
    Instant,
    Label,
    Summary,
    Tags,
    Type,
    Whole,
)


class Body(Closed):
    """A body: what is not known in it is refused."""

    model_config = ConfigDict(strict=True)


class MemoryFields(Body):
    """What a memory may be given beside its content."""

    type: Type = "note"
    summary: Summary = ""
    tags: Tags = []  # noqa: RUF012 - pydantic copies it
    source: dict[str, Any] = {}  # noqa: RUF012 - the same
    author: Label = ""
    session: Label = ""
    position: Whole | None = None
    event_at: Instant | None = None
    confidence: Fraction = DEFAULT_CONFIDENCE / THOUSAND
    importance: Fraction = DEFAULT_IMPORTANCE / THOUSAND
    pinned: bool = False
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    expires_at: Instant | None = None
    half_life_days: Days | None = None


class Item(MemoryFields):
    """One of the memories of a batch; the same ``key`` again is the same memory."""

    content: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_BYTES)]
    audience: str = "private"
    allow_secrets: bool = False
    key: str = ""


class NewMemory(Item):
    """A memory to add; the operator says for which agent."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "content": "Deploys go out on Tuesdays.",
                    "type": "procedure",
                    "audience": "private",
                }
            ]
        }
    )
    owner: str | None = None


class Changes(Body):
    """What is to be changed of a memory; what is left out stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"importance": 0.9}]})
    content: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT_BYTES)] | Absent = None
    type: Type | Absent = None
    summary: Summary | Absent = None
    tags: Tags | Absent = None
    source: dict[str, Any] | Absent = None
    author: Label | None = None
    session: Label | None = None
    position: Whole | None = None
    confidence: Fraction | Absent = None
    importance: Fraction | Absent = None
    pinned: bool | Absent = None
    event_at: Instant | None = None
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    expires_at: Instant | None = None
    half_life_days: Days | None = None
    reason: Annotated[str, Field(max_length=MAX_REASON)] = ""
    allow_secrets: bool = False


class Audience(Body):
    """An audience: ``team:NAME``, ``project:TEAM/NAME``, ``agent:NAME``, ``global``, or several."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"audience": "global"}]})
    audience: str


class Revocation(Body):
    """An audience to take back; all of it where none is named."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"audience": "global"}]})
    audience: str | None = None


class Supersession(Body):
    """The memory that replaces another one."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"newer": "mem_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}]}
    )
    newer: str


class NewLink(Body):
    """How a memory is linked to another one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"relation": "caused_by"}]})
    relation: str = "related_to"
    weight: Fraction = 0.5


class Shown(BaseModel):
    """An answer: what a newer version adds to it is no fault."""

    model_config = ConfigDict(defer_build=True)


class Content(Shown):
    """What the owner of a memory wrote."""

    content: str
    type: str
    summary: str
    tags: list[str]
    source: dict[str, Any]
    author: str | None
    session: str | None
    position: int | None
    event_at: datetime | None
    confidence: float
    importance: float
    pinned: bool
    created_at: datetime
    updated_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    half_life_days: int | None
    editor_id: str | None
    reason: str
    life: int


class Memory(Content):
    """A memory, as its reader may see it."""

    id: str
    owner: str
    owner_id: str
    audience: list[str]
    grants: list[str]
    state: Literal["active", "expired", "forgotten"]
    version: int


class Outcome(Shown):
    """What became of a change."""

    memory: Memory
    changed: bool
    notes: list[str]


class Erased(Shown):
    """The ids of what was erased."""

    erased: list[str]


class Page(Shown):
    """Some memories, and the cursor of the page after them."""

    memories: list[Memory]
    cursor: str | None


class Version(Content):
    """A version of a memory: what it said from when until when."""

    number: int
    since: datetime
    until: datetime | None
    editor: str
    audience: list[str]


class History(Shown):
    """The versions of a memory, oldest first."""

    versions: list[Version]


class Link(Shown):
    """A link between two memories."""

    src: str
    dst: str
    relation: str
    weight: float
    by: str
    created_at: datetime


class Links(Shown):
    """The links of a memory."""

    links: list[Link]


class Graph(Shown):
    """What a memory is linked to, itself first, then the nearer before the farther."""

    memories: list[Memory]
    links: list[Link]
    cut: bool


class Moment(Shown):
    """A memory in a timeline, and the instant that it stands at."""

    at: datetime
    memory: Memory


class Timeline(Shown):
    """Memories around a memory or an instant, oldest first."""

    moments: list[Moment]


class Hit(Shown):
    """A memory that was found, with the reasons for it."""

    memory: Memory
    score: float
    parts: dict[str, float]
    providers: list[str]
    marks: list[str]


class Found(Shown):
    """What a search found, best first."""

    query: str
    now: datetime
    hits: list[Hit]
    notes: list[str]
    explanation: list[str] | None = None


class Decision(Shown):
    """Why a memory is in a context pack, or not."""

    id: str
    outcome: str
    reason: str
    tokens: int


class Pack(Shown):
    """A context pack: prompt-ready text within a budget."""

    query: str
    text: str
    tokens: int
    budget: int
    decisions: list[Decision]
    hits: list[Hit]
    notes: list[str]


class Owner(Shown):
    """Whose memories are here, and how many the caller may see."""

    id: str
    name: str
    memories: int
    forgotten: int
    changed_at: datetime | None


class Owners(Shown):
    """The owners of what the caller may see."""

    owners: list[Owner]


class Status(Shown):
    """That the server lives, or is ready."""

    status: Literal["ok"]


class Problem(Shown):
    """A problem document (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str | None = None
    remedy: str | None = None
    about: dict[str, str] | None = None
