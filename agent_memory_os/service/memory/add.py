"""Adding memories: cleaned, masked, checked, given an id, and written as registers.

A key, or the key of an imported record, decides the id: the same key by the same agent is the same
memory. Without one, a memory that says exactly the same, in the same circumstances, for the same
audience is the memory that is there already. Everything else is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from agent_memory_os.errors import Forgotten, InvalidInput, KeyReused
from agent_memory_os.model import memory as model
from agent_memory_os.model.canonical import fits
from agent_memory_os.model.identifier import derived_nonce, memory_id
from agent_memory_os.model.memory import Content, Memory
from agent_memory_os.model.register import CONTENT
from agent_memory_os.service.audience import Scope
from agent_memory_os.store import memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer
from agent_memory_os.text import redact
from agent_memory_os.text.normalise import clean
from agent_memory_os.value import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

BATCH = 500
"""How many memories are added in one transaction at most."""

_BATCH_CHARACTERS = 100_000
"""More than this is not written in one transaction, unless it is one memory: others wait for it."""

_WRITTEN = ("content", "summary", "tags", "source", "author", "session", "reason")
"""The fields of a content in which people and programs write what they like."""


class NewMemory(NamedTuple):
    """What a caller wants remembered. Fractions are thousandths, times milliseconds of UTC.

    ``key`` makes the add idempotent. ``allow_secrets`` stores what looks like a secret as it is.
    """

    content: str
    type: str = "note"
    summary: str = ""
    tags: tuple[str, ...] = ()
    source: Mapping[str, object] = {}
    author: str = ""
    session: str = ""
    position: int | None = None
    event_at: int | None = None
    confidence: int = model.DEFAULT_CONFIDENCE
    importance: int = model.DEFAULT_IMPORTANCE
    pinned: bool = False
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    half_life_days: int | None = None
    key: str = ""
    allow_secrets: bool = False


_CONTENT_FIELDS = NewMemory._fields[: NewMemory._fields.index("key")]


class Placed(NamedTuple):
    """What a memory came to: itself where it is new, else the row of the one that was there.

    ``notes`` are what a person should be told.
    """

    held: int | None
    new: Memory | None
    notes: tuple[str, ...]


def batches(items: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield items in lists that are each written at once; ``size_of`` gives the characters of one.

    No more items are taken up than fill the list that is asked for, and one.
    """
    batch: list[T] = []
    size = 0
    for item in items:
        more = size_of(item)
        if batch and (len(batch) == BATCH or size + more > _BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += more
    if batch:
        yield batch


def characters(item: tuple[NewMemory, str]) -> int:
    """Return how many characters a memory adds to a batch."""
    content: object = item[0].content
    # What is no content, or too much, is refused, and then nothing of its batch is written.
    if isinstance(content, str) and len(content) <= model.MAX_CONTENT_BYTES:
        return len(content)
    return 0


def content_of(new: NewMemory, now: int) -> tuple[Content, tuple[str, ...]]:
    """Return the checked content of a new memory, and notes on what was changed in it."""
    kinds: dict[str, None] = {}
    if not isinstance(new.key, str):
        raise InvalidInput("The key of a memory is text.")
    fields: dict[str, Any] = dict(zip(_CONTENT_FIELDS, new, strict=False))
    fields |= storable(fields, kinds, allow_secrets=new.allow_secrets)
    content = Content(**fields, created_at=now, updated_at=now)
    return model.check(content), notes_on(kinds)


def as_taken(new: NewMemory) -> NewMemory:
    """Return a new memory clean and checked, as a node takes it; secrets are left as they are."""
    content, _ = content_of(new._replace(allow_secrets=True), 0)
    return new._replace(**{name: getattr(content, name) for name in _CONTENT_FIELDS})


def storable(
    fields: Mapping[str, object], kinds: dict[str, None], *, allow_secrets: bool
) -> dict[str, object]:
    """Return those of a content's fields that hold text, clean and without secrets.

    ``kinds`` takes up what kinds of secrets were masked.
    """
    if not fits(fields.get("tags", ()), "texts"):
        raise InvalidInput("The tags of a memory are texts.")
    done: dict[str, Any] = {
        name: field for name, field in fields.items() if type(field) is str and field
    }
    # One look at all of the text is cheaper than one at each piece, and mostly there is no more.
    text = "\n".join(done.values())
    if clean(text) != text:
        done = {name: clean(field) for name, field in done.items()}
        text = "\n".join(done.values())
    is_harmless = allow_secrets or redact.is_harmless(text)

    def plain(text: str) -> str:
        tidy = clean(text)
        if allow_secrets:
            return tidy
        masked = redact.mask(tidy)
        kinds.update(dict.fromkeys(masked.found))
        return masked.text

    if not is_harmless:
        done = {name: plain(text) for name, text in done.items()}
    if "tags" in fields:
        done["tags"] = tuple(dict.fromkeys(map(plain, cast("tuple[str, ...]", fields["tags"]))))
    if fields.get("source"):
        model.check_count(fields["source"])
        done["source"] = _json(fields["source"], plain, model.MAX_SOURCE_DEPTH)
    return done


def without_secrets(content: Content) -> tuple[Content, dict[str, None]]:
    """Return a content clean and masked, as an add keeps it, and the kinds that were masked."""
    kinds: dict[str, None] = {}
    fields = {name: getattr(content, name) for name in _WRITTEN}
    masked: dict[str, Any] = storable(fields, kinds, allow_secrets=False)
    return content._replace(**masked), kinds


def notes_on(kinds: Mapping[str, object]) -> tuple[str, ...]:
    """Return what a person is told about secrets that were masked."""
    if not kinds:
        return ()
    found = ", ".join(kinds)
    return (f"Masked what looks like a secret ({found}).",)


def _json(value: object, plain: Callable[[str], str], room: int) -> object:
    # Numbers in registers are integers: a fraction is kept as the text that it is written as.
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if room == 0:
        raise InvalidInput(f"A source is nested at most {model.MAX_SOURCE_DEPTH} deep.")
    if isinstance(value, Mapping):
        return {plain(str(name)): _json(field, plain, room - 1) for name, field in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(item, plain, room - 1) for item in value]
    raise InvalidInput(f"A source holds JSON; a {type(value).__name__} is none.")


def place(
    writer: Writer, agent: str, new: NewMemory, scopes: tuple[Scope, ...], nonce: str
) -> Placed:
    """Write one memory of ``agent``, or find the one that is there already.

    Raises :class:`KeyReused` where the key was used for another content, and :class:`Forgotten`
    where it leads to a memory that its owner forgot.
    """
    content, notes = content_of(new, writer.transaction.now)
    if new.key:
        nonce = derived_nonce("key", new.key)
    proof = (writer.account, agent, nonce)
    identifier = memory_id(*proof)
    same = memories.same_key(writer.owner_row(agent), content)
    if new.key:
        held = _held(writer.transaction, identifier, content)
    else:
        owner_row = writer.owner_row(agent)
        held = same_memory(writer.transaction, owner_row, content, scopes, same)
    if held is not None:
        return Placed(held, None, (*notes, "This is known already; nothing was added."))
    return Placed(None, put(writer, identifier, proof, content, scopes, same), notes)


def put(
    writer: Writer,
    identifier: str,
    proof: tuple[str, ...],
    content: Content,
    scopes: tuple[Scope, ...],
    same: bytes | None = None,
) -> Memory:
    """Write the registers of a memory that is not here yet; return it as its owner reads it."""
    names = {scope.scope: scope.name for scope in scopes}
    relies = {scope.scope: scope.add or "" for scope in scopes}
    owner = proof[1]
    draft = Draft(identifier, CONTENT, {}, proof, relies)
    writer.put_new(draft, content, names, same)
    grants = sorted(names)
    audience = tuple([names[grant] for grant in grants])
    name = writer.owner_name(owner)
    return Memory(identifier, owner, name, content, audience, "active", 1, tuple(grants))


def _held(snapshot: Snapshot, identifier: str, content: Content) -> int | None:
    if memories.is_erased(snapshot, identifier):
        raise Forgotten("A memory of this key was forgotten for good; use another key.")
    place_held = memories.place_of(snapshot, identifier)
    if place_held is None:
        return None
    if place_held.state != "active":
        raise Forgotten(
            f"The memory of this key was forgotten ({identifier}); it can be brought back.",
            "undo",
            memory=identifier,
        )
    if memories.first_text(snapshot, identifier) != content.content:
        raise KeyReused(
            f"This key was used for another content ({identifier}); use a new key for a new memory."
        )
    return place_held.row


def same_memory(
    snapshot: Snapshot,
    owner_row: int,
    content: Content,
    scopes: tuple[Scope, ...],
    same: bytes | None = None,
    *,
    forgotten: bool = False,
) -> int | None:
    """Return the row of the memory that says exactly this already, for the same audience.

    With ``forgotten`` one that is forgotten, in place of one that is shown.
    """
    wanted = {scope.scope for scope in scopes}
    key = same or memories.same_key(owner_row, content)
    for row in memories.same_rows(snapshot, owner_row, content, key, forgotten=forgotten):
        if memories.granted(snapshot, row) == wanted:
            return row
    return None
