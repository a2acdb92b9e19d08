"""The kinds of values that bodies and parameters hold."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from agent_memory_os.model.memory import MAX_LABEL, MAX_SUMMARY_BYTES, MAX_TAGS

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_RFC_3339 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})", re.ASCII
)


class Closed(BaseModel):
    """What is asked for: a name that is not known in it is refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _with_one_fault(cls, given: object) -> object:
        # Each name that is not known would be a fault of its own, and a body holds a million.
        known = cls.model_fields
        if not isinstance(given, dict) or len(given) <= len(known):
            return given
        unknown = next(name for name in given if name not in known)
        kept = {name: given[name] for name in known if name in given}
        return {**kept, unknown: None}


def _instant(given: object) -> object:
    # A number would be taken for seconds, or for milliseconds if it is large.
    if isinstance(given, str) and _RFC_3339.fullmatch(given):
        return _read(given.upper())
    if isinstance(given, datetime):
        return given
    raise ValueError("write a time as RFC 3339, such as 2026-05-08T12:00:00Z")


def _read(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("there is no such time") from error


def _day(given: object) -> object:
    if isinstance(given, str) and _DAY.fullmatch(given):
        return _read(given).replace(tzinfo=UTC)
    return _instant(given)


Instant = Annotated[AwareDatetime, BeforeValidator(_instant)]
"""A time with its zone, as RFC 3339 writes it."""

Day = Annotated[
    AwareDatetime,
    BeforeValidator(_day),
    WithJsonSchema(
        {"anyOf": [{"type": "string", "format": form} for form in ("date-time", "date")]}
    ),
]
"""The same, or a day, which begins at midnight of UTC."""

Type = Literal[
    "preference",
    "fact",
    "procedure",
    "environment",
    "decision",
    "warning",
    "note",
    "event",
    "snapshot",
]
Fraction = Annotated[float, Field(ge=0, le=1)]
Whole = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
Label = Annotated[str, Field(max_length=MAX_LABEL)]
Tag = Annotated[Label, Field(pattern=r"\S")]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS)]
Summary = Annotated[str, Field(max_length=MAX_SUMMARY_BYTES)]
Days = Annotated[int, Field(ge=0, le=2**63 - 1)]
Absent = SkipJsonSchema[None]
"""What may be left out of a change, and is never set to nothing."""
