"""Query parameters that narrow a list, a search, a pack or a timeline."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from agent_memory_os.api.request.convert import instant
from agent_memory_os.model.memory import MAX_TIME, TYPES
from agent_memory_os.model.recall import MAX_NAMED, STATES, TIME_FIELDS, Filter, RecallRequest
from agent_memory_os.recall.pack import LEAST_BUDGET, MOST_BUDGET
from agent_memory_os.service.memory.find import MAX_PAGE
from agent_memory_os.service.moves import Chosen
from agent_memory_os.service.recall import MAX_LIMIT
from agent_memory_os.wire.schema.field import Closed, Instant


def given(value: object) -> object:
    """Refuse what is null: what is not given is left out."""
    if value is None:
        raise ValueError("give it a value, or leave it out")
    return value


# What is not given is None here, and null is nothing that can be given.
Named = Annotated[str | SkipJsonSchema[None], BeforeValidator(given)]
Moment = Annotated[Instant | SkipJsonSchema[None], BeforeValidator(given)]
Flag = Annotated[bool | SkipJsonSchema[None], BeforeValidator(given)]


def told(**schema: Any) -> Any:  # noqa: ANN401 - JSON, and a field as pydantic types it
    """Return what the schema says of a value that the façade checks, in words of its own."""
    return Field(json_schema_extra=schema)


Page = Annotated[int, told(minimum=1, maximum=MAX_PAGE)]
Best = Annotated[int, told(minimum=1, maximum=MAX_LIMIT)]
Budget = Annotated[int, told(minimum=LEAST_BUDGET, maximum=MOST_BUDGET)]
Type = Annotated[str, told(enum=list(TYPES))]
Types = Annotated[list[Type], Query(max_length=MAX_NAMED, description="Any of these types.")]
Tags = Annotated[list[str], Query(max_length=MAX_NAMED, description="All of these tags.")]
TimeField = Annotated[str, told(enum=list(TIME_FIELDS))]
State = Annotated[str, told(enum=list(STATES))]


class Owned(Closed):
    """What the memories of one owner are narrowed by."""

    type: Types = []  # noqa: RUF012 - pydantic copies it
    tag: Tags = []  # noqa: RUF012 - the same
    author: Named = None
    session: Named = None
    since: Moment = None
    until: Moment = None
    time_field: TimeField = "created"


class Narrow(Owned):
    """The same, for those of all owners."""

    owner: Named = None


class Filtering(Narrow):
    """The same, for what is not found by a query."""

    pinned: Flag = None
    state: State = "active"


class Listing(Filtering):
    """The same, for a list."""

    limit: Page = 50
    cursor: Annotated[str, told(pattern=r"^(-?[0-9a-f]{1,11}\.[a-z2-7]{32})?$")] = ""


class Timing(Filtering):
    """The same, for a timeline, and what it is around: a memory's id, or an instant."""

    around: str = ""
    at: Moment = None
    limit: Page = 20
    window: Annotated[int | SkipJsonSchema[None], told(minimum=0, maximum=MAX_TIME)] = None

    @model_validator(mode="after")
    def _one_anchor(self) -> Timing:
        if bool(self.around) == (self.at is not None):
            raise ValueError("name a memory (around) or an instant (at)")
        return self


class Choosing(Owned):
    """The same in a body, for what is to be moved from one agent to another."""

    agent: str
    to: str
    pinned: Flag = None
    state: State = "active"
    audience: Named = None
    back: bool = False
    model_config = ConfigDict(
        strict=True,
        json_schema_extra={"examples": [{"agent": "planner", "to": "planner-2"}]},
    )


class Moving(Choosing):
    """The same, to move it."""

    drop_grants: bool = False
    cursor: Annotated[str, told(pattern=r"^(mem_[a-z2-7]{32})?$")] = ""


class Searching(Narrow):
    """What is searched for, and what it is narrowed by."""

    query: str
    limit: Best = 10
    pinned: bool = False
    recent: bool = False
    explain: bool = False
    superseded: bool = True
    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "when do we deploy"}]})


class Packing(Searching):
    """The same, for a context pack."""

    limit: Best = 12
    max_tokens: Budget = 1200
    superseded: bool = False


class LongSearching(Searching):
    """The same, in a body."""

    model_config = ConfigDict(strict=True)


class LongPacking(Packing):
    """The same, in a body."""

    model_config = ConfigDict(strict=True)


def to_filter(narrow: Filtering) -> Filter:
    """Return the filter of a list or a timeline."""
    return Filter(
        tuple(narrow.type),
        tuple(narrow.tag),
        narrow.owner,
        narrow.author,
        narrow.session,
        narrow.pinned,
        instant(narrow.since),
        instant(narrow.until),
        narrow.time_field,
        narrow.state,
    )


def to_chosen(body: Choosing) -> Chosen:
    """Return which memories are to be moved."""
    wanted = Filter(
        tuple(body.type),
        tuple(body.tag),
        None,
        body.author,
        body.session,
        body.pinned,
        instant(body.since),
        instant(body.until),
        body.time_field,
        body.state,
    )
    return Chosen(wanted, body.audience, body.back)


def to_request(narrow: Searching, now: int) -> RecallRequest:
    """Return the request of a search or a pack."""
    return RecallRequest(
        narrow.query,
        now,
        narrow.limit,
        tuple(narrow.type),
        tuple(narrow.tag),
        narrow.owner,
        (instant(narrow.since), instant(narrow.until)),
        narrow.time_field,
        narrow.pinned,
        narrow.recent,
        narrow.author,
        narrow.session,
    )
