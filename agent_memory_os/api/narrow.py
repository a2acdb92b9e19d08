"""Query parameters that narrow a list, a search, a pack or a timeline."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, ConfigDict, model_validator

from agent_memory_os.api.convert import instant
from agent_memory_os.model.recall import Filter, RecallRequest


class Narrow(BaseModel):
    """What memories are narrowed by."""

    model_config = ConfigDict(extra="forbid")
    type: Annotated[list[str], Query(description="Any of these types.")] = []
    tag: Annotated[list[str], Query(description="All of these tags.")] = []
    owner: str | None = None
    author: str | None = None
    session: str | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    time_field: str = "created"


class Filtering(Narrow):
    """The same, for what is not found by a query."""

    pinned: bool | None = None
    state: str = "active"


class Listing(Filtering):
    """The same, for a list."""

    limit: int = 50
    cursor: str = ""


class Timing(Filtering):
    """The same, for a timeline, and what it is around: a memory's id, or an instant."""

    around: str = ""
    at: AwareDatetime | None = None
    limit: int = 20

    @model_validator(mode="after")
    def _one_anchor(self) -> Timing:
        if bool(self.around) == (self.at is not None):
            raise ValueError("name a memory (around) or an instant (at)")
        return self


class Searching(Narrow):
    """The same, for a search."""

    query: str
    limit: int = 10
    pinned: bool = False
    recent: bool = False
    explain: bool = False


class Packing(Searching):
    """The same, for a context pack."""

    limit: int = 12
    max_tokens: int = 1200
    superseded: bool = False


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
