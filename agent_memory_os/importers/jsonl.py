"""The export of Agent Memory OS: JSON Lines, format ``agent-memory/1``.

The first line is the header. Each line after it is one record, and ``kind`` says of what: an
``agent``, a ``team``, a ``project``, a ``member`` of a team or project, a ``memory``, a ``version``
of the memory before it that was too much for its line, or a ``link``. Ids are those of the account
that wrote it. A memory that lives is a :class:`base.Found` with the whole line as ``extra``; a
forgotten one, and every other kind, is a :class:`base.Record`, the header being the first. Words
are kept as they stand, so that the way there and back is the identity.

:func:`parse` gives the shape of a line, and :func:`content_of` the content of a memory's value;
both raise :class:`AgentMemoryError` where there is none.
Fields that are not known here are kept in the line, for a newer version may have written them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, cast

from agent_memory_os.errors import AgentMemoryError, InvalidInput, UnknownFormat
from agent_memory_os.importers import stream
from agent_memory_os.importers.base import Finding, Found, Record, Skipped
from agent_memory_os.importers.fit import text_of
from agent_memory_os.model import audience, canonical, link, memory
from agent_memory_os.model.identifier import kind_of

FORMAT = "agent-memory/1"
HEADER = "header"
_FAMILY = "agent-memory/"
STATES = ("active", "forgotten")


class Header(NamedTuple):
    """The first line: when it was written (milliseconds of UTC), by which account and node."""

    format: str
    exported_at: int
    account: str
    node: str = ""


class AgentLine(NamedTuple):
    """An agent; its id commits to the name that it was first made with."""

    id: str
    name: str
    first_name: str = ""
    agent_kind: str = ""
    display_name: str = ""
    notes: str = ""


class TeamLine(NamedTuple):
    """A team; ``founder`` is an account."""

    id: str
    name: str
    nonce: str
    founder: str
    notes: str = ""


class ProjectLine(NamedTuple):
    """A project of a team."""

    id: str
    name: str
    nonce: str
    team: str
    notes: str = ""


class MemberLine(NamedTuple):
    """An agent is a member of ``team:ID`` or ``project:ID``."""

    scope: str
    agent: str


class MemoryLine(NamedTuple):
    """A memory: the value of its content register, its audience, its state and older versions.

    With ``allow_secrets`` its value has what looks like a secret on purpose.
    """

    id: str
    owner: str
    nonce: str
    owner_name: str = ""
    value: Mapping[str, object] = {}
    audience: tuple[str, ...] = ()
    state: str = "active"
    versions: tuple[Mapping[str, object], ...] = ()
    allow_secrets: bool = False


class VersionLine(NamedTuple):
    """One older version of the memory with this id."""

    memory: str
    version: Mapping[str, object]


class LinkLine(NamedTuple):
    """A link between two memories; ``weight`` is in thousandths, ``by`` who asserts it."""

    src: str
    dst: str
    relation: str
    weight: int
    by: str = "operator"


Line = AgentLine | TeamLine | ProjectLine | MemberLine | MemoryLine | VersionLine | LinkLine


def recognises(head: stream.Head) -> bool:
    """Say whether the file begins with a header of this family."""
    first = stream.parse(head.text.partition("\n")[0])
    return isinstance(first, dict) and _is_ours(first)


def read(source: stream.Source) -> Iterator[Finding]:
    """Yield the header and the records, in the order of the file.

    Raises :class:`UnknownFormat` for a file without a header, and for one of a newer version.
    """
    rows = stream.rows(source)
    first = next(rows, None)
    if not isinstance(first, stream.Row):
        raise _no_export(source.file)
    yield header(first.record, source.file, first.line)
    for row in rows:
        yield row if isinstance(row, Skipped) else finding(row.record, source.file, row.line)


def parse(record: Mapping[str, object]) -> Line:
    """Return the shape of a line after the header; raise :class:`InvalidInput` if it has none."""
    shape = _SHAPES.get(text_of(record.get("kind")))
    if shape is None:
        raise InvalidInput("of a kind that is not known")
    canonical.encode(record)
    for name, check in _CHECKS[shape].items():
        if name not in record:
            if name not in shape._field_defaults:
                raise InvalidInput(f"no {name}")
        elif not check(record[name]):
            raise InvalidInput(f"the {name} is not right")
    fields = {name: _frozen(record[name]) for name in shape._fields if name in record}
    return shape(**fields)  # type: ignore[arg-type] # each was checked above


def header(record: Mapping[str, object], file: str, line: int) -> Record:
    """Return the header that a line is; raise :class:`UnknownFormat` where it is none."""
    if not _is_ours(record):
        raise _no_export(file)
    if record["format"] != FORMAT:
        raise UnknownFormat(
            f"{file} is of format {record['format']}, and this program reads {FORMAT}:"
            " update it to import the file."
        )
    if kind_of(str(record.get("account"))) != "account" or not _is_time(record.get("exported_at")):
        raise UnknownFormat(f"{file} does not say of which account it is, or of when.")
    return Record(HEADER, record, f"{file}:{line}")


def _no_export(file: str) -> UnknownFormat:
    return UnknownFormat(f"{file} does not begin as an export of Agent Memory OS does.")


def _is_ours(record: Mapping[str, object]) -> bool:
    format_ = record.get("format")
    return isinstance(format_, str) and format_.startswith(_FAMILY)


def finding(record: Mapping[str, object], file: str, line: int) -> Finding:
    """Return what a line after the header is: skipped, where it is not as it must be."""
    place = f"{file}:{line}"
    try:
        parsed = parse(record)
        if isinstance(parsed, MemoryLine) and parsed.state == "active":
            return _found(parsed, record, file, line)
    except AgentMemoryError as error:
        return Skipped(place, str(error))
    return Record(str(record["kind"]), record, place)


def _found(parsed: MemoryLine, record: Mapping[str, object], file: str, line: int) -> Found:
    content = content_of(parsed.value)
    return Found(
        key=parsed.id,
        content=content.content,
        source={"format": FORMAT, "file": file, "line": line, "record": parsed.id},
        type=content.type,
        summary=content.summary,
        tags=content.tags,
        author=content.author,
        session=content.session,
        position=content.position,
        event_at=content.event_at,
        extra=record,
    )


def content_of(value: Mapping[str, object]) -> memory.Content:
    """Return the content of a register's value; raise :class:`InvalidInput` if it is none."""
    for name, check in _VALUE.items():
        if name in value and not check(value[name]):
            raise InvalidInput(f"the {name} is not right")
    for name in ("content", "created_at", "updated_at"):
        if name not in value:
            raise InvalidInput(f"no {name}")
    content, _ = memory.from_value(value)
    return memory.check(content)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_time(value: object) -> bool:
    return type(value) is int and abs(value) <= canonical.MAX_INTEGER


def _is_time_or_none(value: object) -> bool:
    return value is None or _is_time(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def _is_mappings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _is_nonce(value: object) -> bool:
    return _is_name(value) and str(value).isprintable()


def _is_scope(value: object) -> bool:
    return isinstance(value, str) and audience.is_scope(value)


def _is_id(kind: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and kind_of(value) == kind


_SHAPES: dict[str, type[Line]] = {
    "agent": AgentLine,
    "team": TeamLine,
    "project": ProjectLine,
    "member": MemberLine,
    "memory": MemoryLine,
    "version": VersionLine,
    "link": LinkLine,
}

_CHECKS: dict[type[Line], dict[str, Callable[[object], bool]]] = {
    AgentLine: {
        "id": _is_id("agent"),
        "name": _is_name,
        "first_name": _is_name,
        "agent_kind": _is_text,
        "display_name": _is_text,
        "notes": _is_text,
    },
    TeamLine: {
        "id": _is_id("team"),
        "name": _is_name,
        "nonce": _is_nonce,
        "founder": _is_id("account"),
        "notes": _is_text,
    },
    ProjectLine: {
        "id": _is_id("project"),
        "name": _is_name,
        "nonce": _is_nonce,
        "team": _is_id("team"),
        "notes": _is_text,
    },
    MemberLine: {"scope": _is_scope, "agent": _is_id("agent")},
    MemoryLine: {
        "id": _is_id("memory"),
        "owner": _is_id("agent"),
        "nonce": _is_nonce,
        "owner_name": _is_text,
        "value": _is_mapping,
        "audience": lambda value: (
            _is_texts(value) and all(map(_is_scope, cast("list[str]", value)))
        ),
        "state": lambda value: value in STATES,
        "versions": _is_mappings,
        "allow_secrets": _is_flag,
    },
    VersionLine: {"memory": _is_id("memory"), "version": _is_mapping},
    LinkLine: {
        "src": _is_id("memory"),
        "dst": _is_id("memory"),
        "relation": lambda value: value in link.RELATIONS,
        "weight": lambda value: type(value) is int and 0 < value <= memory.THOUSAND,
        "by": _is_name,
    },
}

_VALUE: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(
        ("content", "type", "summary", "author", "session", "editor", "reason"), _is_text
    ),
    **dict.fromkeys(("created_at", "updated_at", "life", "confidence", "importance"), _is_time),
    **dict.fromkeys(
        ("position", "event_at", "valid_from", "valid_to", "expires_at", "half_life_days"),
        _is_time_or_none,
    ),
    "tags": _is_texts,
    "source": _is_mapping,
    "pinned": _is_flag,
}
