"""Plain values of Python to those of a node: numbers from 0 to 1, lists, words."""

from __future__ import annotations

from collections.abc import Mapping

from agent_memory_os.errors import InvalidInput
from agent_memory_os.model.canonical import MAX_INTEGER
from agent_memory_os.model.memory import THOUSAND
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.memory.add import NewMemory

_FRACTIONS = ("confidence", "importance")


def to_filter(narrow: Mapping[str, object]) -> Filter:
    """Return a filter of these fields; raise :class:`InvalidInput` for one that there is not."""
    check_known(narrow, Filter._fields)
    return Filter(**listed(narrow))  # type: ignore[arg-type]


def check_known(options: Mapping[str, object], names: tuple[str, ...]) -> None:
    """Raise :class:`InvalidInput` for an option that is none of these."""
    unknown = sorted(set(options) - set(names))
    if unknown:
        raise InvalidInput(f"There is no option {unknown[0]!r} here.")


def listed(options: Mapping[str, object]) -> dict[str, object]:
    """Return options with one type or tag, written as text, as the list of it."""
    return {
        name: (value,) if name in ("types", "tags") and isinstance(value, str) else value
        for name, value in options.items()
    }


def new_memory(content: str, fields: Mapping[str, object]) -> NewMemory:
    """Return a new memory from plain values; raise :class:`InvalidInput` for an unknown field."""
    unknown = sorted(set(fields) - set(NewMemory._fields))
    if unknown:
        raise InvalidInput(f"A memory has no field {unknown[0]!r}.")
    if not isinstance(content, str):
        raise InvalidInput("The content of a memory is text.")
    return NewMemory(content, **scaled(fields))  # type: ignore[arg-type]


def item(given: Mapping[str, object]) -> NewMemory:
    """Return one of many new memories, which has its content among its fields."""
    fields = {name: value for name, value in given.items() if name not in ("content", "share")}
    return new_memory(given.get("content", ""), fields)  # type: ignore[arg-type]


def scaled(fields: Mapping[str, object]) -> dict[str, object]:
    """Return fields with their fractions in thousandths, and lists as tuples."""
    plain = dict(fields)
    for name in _FRACTIONS:
        value = plain.get(name)
        if value is None:
            plain.pop(name, None)
        else:
            plain[name] = thousandths(name, value)
    if isinstance(plain.get("tags"), (list, tuple)):
        plain["tags"] = tuple(plain["tags"])  # type: ignore[arg-type]
    return plain


def text(name: str, value: object) -> str:
    """Return a text; raise :class:`InvalidInput` for what is none."""
    if not isinstance(value, str):
        raise InvalidInput(f"The {name} is text, not {type(value).__name__}.")
    return value


def memory_id(value: object) -> str:
    """Return an id; raise :class:`InvalidInput` for what is no text."""
    return text("id of a memory", value)


def is_whole(value: object) -> bool:
    """Say whether a value is a whole number."""
    return type(value) is int


def milliseconds(seconds: object) -> int:
    """Return seconds in milliseconds; raise :class:`InvalidInput` for what is no window."""
    if isinstance(seconds, (int, float)) and 0 <= seconds < MAX_INTEGER / THOUSAND:
        return round(seconds * THOUSAND)
    raise InvalidInput("A window is a number of seconds.")


def is_span(value: object) -> bool:
    """Say whether a value is a pair of times."""
    return isinstance(value, tuple) and len(value) == len(("since", "until"))


def thousandths(name: str, value: object) -> int:
    """Return a fraction in thousandths; raise :class:`InvalidInput` for what is no number."""
    if isinstance(value, (int, float)) and abs(value) < MAX_INTEGER:
        return round(value * THOUSAND)
    raise InvalidInput(f"The {name} is a number from 0 to 1.")
