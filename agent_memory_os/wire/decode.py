"""JSON to values: the way back from ``wire.encode``, so that a remote node answers as a local one.

What a newer node adds is passed over. What is not as it must be is no answer of a node:
:class:`Unreachable` is raised for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from agent_memory_os.errors import Unreachable
from agent_memory_os.model.link import Link
from agent_memory_os.model.memory import THOUSAND, Content, Memory
from agent_memory_os.model.recall import ContextPack, Decision, Hit
from agent_memory_os.service.memories import Outcome, Owner
from agent_memory_os.service.memory.find import Moment, Page
from agent_memory_os.service.memory.graph import Graph
from agent_memory_os.service.memory.history import Version
from agent_memory_os.service.recall import Found
from agent_memory_os.wire.instant import milliseconds

Shape = Mapping[str, Any]
T = TypeVar("T")
_INSTANTS = ("event_at", "created_at", "updated_at", "valid_from", "valid_to", "expires_at")


def read(reader: Callable[[Shape], T], shape: object) -> T:
    """Return what ``reader`` makes of a shape; raise :class:`Unreachable` where it is none."""
    try:
        return reader(shape)  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreachable("What answers is no node of Agent Memory OS, or a newer one.") from error


def to_content(shape: Shape) -> Content:
    """Return what the owner wrote."""
    fields = {name: shape[name] for name in Content._fields if name in shape}
    fields |= {name: milliseconds(shape[name]) for name in _INSTANTS}
    fields |= {name: _thousandths(shape[name]) for name in ("confidence", "importance")}
    fields |= {"author": shape["author"] or "", "session": shape["session"] or ""}
    fields |= {"editor": shape["editor_id"] or "", "reason": shape["reason"], "life": shape["life"]}
    return Content(**fields | {"tags": tuple(shape["tags"])})


def to_memory(shape: Shape) -> Memory:
    """Return a memory as its reader may see it."""
    state = "forgotten" if shape["state"] == "forgotten" else "active"
    return Memory(
        shape["id"],
        shape["owner_id"],
        shape["owner"],
        to_content(shape),
        tuple(shape["audience"]),
        state,
        shape["version"],
        tuple(shape["grants"]),
    )


def to_outcome(shape: Shape) -> Outcome:
    """Return what became of a change."""
    return Outcome(to_memory(shape["memory"]), shape["changed"], tuple(shape["notes"]))


def to_page(shape: Shape) -> Page:
    """Return some memories, and the cursor of the page after them."""
    return Page(tuple(map(to_memory, shape["memories"])), shape["cursor"] or "")


def to_moments(shape: Shape) -> tuple[Moment, ...]:
    """Return a timeline."""
    return tuple(Moment(_at(one["at"]), to_memory(one["memory"])) for one in shape["moments"])


def to_hit(shape: Shape) -> Hit:
    """Return a memory that was found."""
    return Hit(
        to_memory(shape["memory"]),
        shape["score"],
        shape["parts"],
        tuple(shape["providers"]),
        tuple(shape["marks"]),
    )


def to_found(shape: Shape) -> Found:
    """Return what a search found."""
    hits = tuple(map(to_hit, shape["hits"]))
    return Found(hits, tuple(shape["notes"]), tuple(shape.get("explanation") or ()))


def to_pack(shape: Shape) -> ContextPack:
    """Return a context pack."""
    decisions = tuple(
        Decision(one["id"], one["outcome"], one["reason"], one["tokens"])
        for one in shape["decisions"]
    )
    hits = tuple(map(to_hit, shape["hits"]))
    text, tokens, budget = shape["text"], shape["tokens"], shape["budget"]
    return ContextPack(text, tokens, budget, hits, decisions, tuple(shape["notes"]))


def to_link(shape: Shape) -> Link:
    """Return a link between two memories."""
    ends = (shape["src"], shape["dst"], shape["relation"])
    return Link(*ends, _thousandths(shape["weight"]), shape["by"], _at(shape["created_at"]))


def to_graph(shape: Shape) -> Graph:
    """Return what a memory is linked to."""
    memories, links = map(to_memory, shape["memories"]), map(to_link, shape["links"])
    return Graph(tuple(memories), tuple(links), shape["cut"])


def to_owner(shape: Shape) -> Owner:
    """Return an owner of memories."""
    counts = (shape["memories"], shape["forgotten"])
    return Owner(shape["id"], shape["name"], *counts, milliseconds(shape["changed_at"]))


def to_version(shape: Shape) -> Version:
    """Return a version of a memory."""
    return Version(
        shape["number"],
        _at(shape["since"]),
        milliseconds(shape["until"]),
        to_content(shape),
        tuple(shape["audience"]),
        shape["editor"],
    )


def _at(text: str) -> int:
    found = milliseconds(text)
    if found is None:
        raise ValueError(text)
    return found


def _thousandths(fraction: float) -> int:
    return round(fraction * THOUSAND)
