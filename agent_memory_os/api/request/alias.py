"""The query parameters of the aliases, in the words of the earlier systems.

An alias takes no word for who asks: what names an agent, a team or a tenant must be what the key
stands for, or is refused in the same words whether there is such a one or not.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from agent_memory_os.api.access import Caller, check_agent
from agent_memory_os.api.door import Door
from agent_memory_os.api.request.convert import instant
from agent_memory_os.api.request.narrow import Named, given, told
from agent_memory_os.errors import NotAllowed
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.service.memory.find import MAX_PAGE
from agent_memory_os.wire.earlier import SCOPE
from agent_memory_os.wire.schema.earlier import Scope
from agent_memory_os.wire.schema.engram import DEFAULT, TopK
from agent_memory_os.wire.schema.field import Closed, Day
from agent_memory_os.wire.schema.field import Type as OfType

MOST = 100
"""So much is listed or found at once."""


def _never(value: bool) -> bool:  # noqa: FBT001 - a validator
    if value:
        raise ValueError("leave it out: nothing of the kind is done here")
    return value


Moment = Annotated[Day | SkipJsonSchema[None], BeforeValidator(given)]
Type = Annotated[OfType | SkipJsonSchema[None], BeforeValidator(given)]
Label = Annotated[Scope | SkipJsonSchema[None], BeforeValidator(given)]
Some = Annotated[int, Field(ge=1, le=MOST)]
Query = Annotated[str, Field(min_length=1)]
Never = Annotated[bool, AfterValidator(_never), told(enum=[False])]
_TIMES = {"created_at": "created", "updated_at": "updated"}


class Requester(Closed):
    """Who asks, as the caller says."""

    requester_agent_id: str = ""
    requester_team_id: str = ""


class Narrow(Requester):
    """The same, and whose memories are asked for, of which scope."""

    owner: str = ""
    scope: Label = None


class Listing(Narrow):
    """The same, for a list."""

    type: Type = None
    limit: Some = 20
    offset: Annotated[int, Field(ge=0, le=MAX_PAGE - MOST)] = 0


class Searching(Narrow):
    """The same, for a search."""

    q: Query
    limit: Some = 10
    since: Moment = None
    until: Moment = None
    time_field: Literal["created_at", "updated_at"] = "created_at"


class Packing(Narrow):
    """The same, for a context pack."""

    q: Query
    max_tokens: Annotated[int, Field(ge=32, le=32_000)] = 1200
    auto_reinforce: Never = False


class Timing(Narrow):
    """The same, for a timeline around a memory or an instant."""

    around: Moment = None
    anchor_id: str = ""
    window_seconds: Annotated[int, Field(ge=0, le=100_000_000_000)] = 3600
    limit: Some = 20

    @model_validator(mode="after")
    def _one_anchor(self) -> Timing:
        if bool(self.anchor_id) == (self.around is not None):
            raise ValueError("name a memory (anchor_id) or an instant (around)")
        return self


class OfTeam(Closed):
    """The team whose projects are asked for; all where none is named."""

    team: Named = None


class Tenant(Closed):
    """Whose it is, as the caller says."""

    user_id: str = DEFAULT
    org_id: str = DEFAULT


class Recalling(Tenant):
    """The same, for what is recalled."""

    query: str
    top_k: TopK = 10


class RecallingMore(Recalling):
    """The same, for more of it."""

    top_k: TopK = 30


class Context(Tenant):
    """The same, for a text within a budget."""

    query: str
    token_budget: Annotated[int, Field(ge=32, le=200_000)] = 2000


class Reading(Tenant):
    """The same, for a session: its page, and whose session it is if not one's own."""

    owner: Named = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 50
    cursor: Annotated[str, told(pattern=r"^(-?[0-9a-f]{1,15}\.[a-z2-7]{32})?$")] = ""


def owner_of(door: Door, caller: Caller, named: str) -> str | None:
    """Return the owner that a request narrows to: the key's own agent, or the operator any."""
    if not named:
        return None
    if not caller.principal.is_operator:
        check_agent(door, caller, named)
    return caller.principal.agent or named


def check_requester(door: Door, caller: Caller, asked: Requester) -> None:
    """Raise :class:`NotAllowed` unless a request is the key's, as far as it says whose it is."""
    check_agent(door, caller, asked.requester_agent_id)
    if asked.requester_team_id and asked.requester_team_id not in _teams(door, caller):
        raise NotAllowed("The key stands for no member of the team that the request names.")


def check_tenant(door: Door, caller: Caller, user: str, org: str) -> None:
    """Raise :class:`NotAllowed` where a request is for another tenant than the key's agent."""
    for named in (user, org):
        if named != DEFAULT:
            check_agent(door, caller, named)


def tags_of(scope: str | None) -> tuple[str, ...]:
    """Return the tag that a scope is here."""
    return () if scope is None else (f"{SCOPE}{scope}",)


def to_filter(asked: Listing, owner: str | None) -> Filter:
    """Return the filter of a list."""
    types = () if asked.type is None else (asked.type,)
    return Filter(types=types, tags=tags_of(asked.scope), owner=owner)


def to_request(asked: Searching | Packing, owner: str | None, now: int) -> RecallRequest:
    """Return the request of a search or a pack."""
    wanted = RecallRequest(asked.q, now, tags=tags_of(asked.scope), owner=owner)
    if isinstance(asked, Packing):
        return wanted._replace(limit=12)
    return wanted._replace(
        limit=asked.limit,
        span=(instant(asked.since), instant(asked.until)),
        time_field=_TIMES[asked.time_field],
    )


def _teams(door: Door, caller: Caller) -> set[str]:
    """Return the teams that an agent is a member of, by name and by id."""
    if caller.principal.agent is None:
        return set()
    organisation = door.node.organisation
    names = organisation.whoami(caller.principal).teams
    scopes = organisation.scopes(caller.principal)
    ids = {scope.partition(":")[2] for scope in scopes if scope.startswith("team:")}
    return ids.union(names)
