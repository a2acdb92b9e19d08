"""The schema of what moves memories, keeps a node well and opens it: transfer, upkeep, keys."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from agent_memory_os.service.memory.add import BATCH
from agent_memory_os.service.memory.find import MAX_PAGE
from agent_memory_os.wire.schema.field import Instant, Whole
from agent_memory_os.wire.schema.memory import Body, Item, Outcome, Shown


class Batch(Body):
    """Memories to add in one transaction; the operator says for which agent."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"memories": [{"content": "Deploys go out on Tuesdays."}]}]}
    )
    memories: Annotated[list[Item], Field(min_length=1, max_length=BATCH)]
    owner: str | None = None


class Outcomes(Shown):
    """What became of each memory of a batch, in order."""

    outcomes: list[Outcome]


class Erasure(Body):
    """Memories to erase for good: all of them, or none."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"memories": ["mem_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}]}
    )
    memories: Annotated[list[str], Field(max_length=MAX_PAGE)]


class Forgotten(Shown):
    """How many memories of an owner were forgotten."""

    forgotten: int


class Passed(Shown):
    """What was not taken of an import: where it stands, and why."""

    place: str
    reason: str


class Imported(Shown):
    """What became of an import; ``sample`` are some of what is new, as an importer finds them."""

    files: int
    found: int
    added: int
    known: int
    forgotten: int
    restored: int
    skipped: list[Passed]
    skipped_count: int
    ignored: list[Passed]
    ignored_count: int
    masked: list[str]
    by_format: dict[str, int]
    sample: list[dict[str, Any]]
    is_dry: bool


class Examined(Shown):
    """What a check of the doctor found, and how to mend it."""

    name: str
    state: Literal["ok", "warning", "fault"]
    detail: str
    mend: str


class Examination(Shown):
    """What the doctor found."""

    findings: list[Examined]


class Check(Shown):
    """Whether a node's file is sound, and a line for each check."""

    ok: bool
    lines: list[str]


class Mended(Shown):
    """What was mended, a line each."""

    mended: list[str]


class Count(Shown):
    """How many memories were concerned."""

    memories: int


class Sizes(Shown):
    """How much the whole node holds: memories, and bytes of the file and of its log."""

    memories: int
    file_bytes: int
    log_bytes: int


class LastBackup(Shown):
    """When and where the last backup was made on the node's machine; ``null`` if none is known."""

    at: datetime | None
    path: str | None


class Owned(Shown):
    """How many memories of an owner are shown."""

    name: str
    memories: int


class Stats(Shown):
    """How much the caller may read, and of the whole node what the operator is told."""

    shown: int
    expired: int
    forgotten: int
    pinned: int
    types: dict[str, int]
    owners: list[Owned]
    agents: int
    teams: int
    projects: int
    node: dict[str, int]


class Entry(Shown):
    """An act that was audited."""

    at: datetime
    actor: str
    action: str
    object: str
    detail: str


class Audit(Shown):
    """Some entries of the audit, newest first, and the cursor of the page after them."""

    entries: list[Entry]
    cursor: str | None


class Limits(Body):
    """How much a key may be used for; what is not set has no limit."""

    requests: Whole | None = None
    writes: Whole | None = None
    bytes: Whole | None = None
    memories: Whole | None = None


class NewKey(Body):
    """A key to make."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "laptop", "kind": "reader", "agent": "planner"}]}
    )
    name: str
    kind: str = "agent"
    agent: str | None = None
    expires_at: Instant | None = None
    limits: Limits = Limits()


class Rotation(Body):
    """When a key that gets another secret ends; where nothing is said, when it did before."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}]})
    expires_at: Instant | None = None


class Key(Shown):
    """A key, without its secret."""

    id: str
    name: str
    kind: str
    agent: str | None
    agent_id: str | None
    state: Literal["live", "expired", "revoked"]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    limits: dict[str, int | None]


class MadeKey(Shown):
    """A key that was just made, and its token: it is shown now and never again."""

    key: Key
    token: str


class Keys(Shown):
    """All keys, newest first."""

    keys: list[Key]


class Used(Shown):
    """What was used on a day through a key by an agent."""

    day: datetime
    key: str
    agent: str | None
    agent_id: str | None
    teams: list[str]
    requests: int
    writes: int
    bytes: int


class Usage(Shown):
    """What was used, by day, key and agent."""

    usage: list[Used]
