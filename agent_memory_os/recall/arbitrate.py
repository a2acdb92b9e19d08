"""Arbitration: what the hits say about each other, and the cut to the number that was asked for.

- **Superseded.** Where the older memory's own owner superseded it, the newer one is lifted to just
  above it, for whatever was asked for is now said there; the older one stays below, with a mark. A
  supersession that another proposes marks the newer one as a ``proposal`` and the older one as
  ``contested``, and moves nothing; so does one in a circle, for it would hide all of it. Where what
  is superseded is not wanted, it takes no place of the number that was asked for.
- **Duplicates.** Of memories with the same text the best stays and the others are left out, and the
  notes say so. The text is the same only if it is so to the letter, but for white space and for
  the two ways in which Unicode writes an accent: "Use C++" is not "Use C#", nor is one emoji
  another. A private memory is a duplicate only of one by the same owner that is private too, for
  what an agent keeps to itself and what is shared have two fates.
- **Conflicts.** Two memories that answer the same ``claim_key`` of their source with different
  claims are marked, both, and both are shown. What is superseded contradicts nothing any more.

Everything else keeps the order of the ranking. The notes tell which memory supersedes, repeats or
contradicts which, and name none that is not itself a hit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from agent_memory_os.model.memory import Memory
from agent_memory_os.model.recall import Hit, RecallState, Supersession

SUPERSEDED = "superseded"
SUPERSEDES = "supersedes"
PROPOSAL = "proposal"
CONTESTED = "contested"
CONFLICT = "conflict"
DUPLICATE = "duplicate"


def arbitrate(state: RecallState) -> RecallState:
    """Return the state with its hits ordered, marked and cut to the request's limit."""
    found = _without_circles(state.supersessions)
    hits, superseding = _mark_supersessions(state.hits, found)
    hits = _lift_newer(hits, found)
    hits, repeating = _drop_duplicates(hits)
    hits, contradicting = _mark_conflicts(hits)
    return state._replace(
        hits=tuple(_cut(hits, state)),
        notes=(*state.notes, *superseding, *repeating, *contradicting),
    )


def with_mark(hit: Hit, mark: str) -> Hit:
    """Return the hit with one more mark, once."""
    return hit if mark in hit.marks else hit._replace(marks=(*hit.marks, mark))


def _cut(hits: Iterable[Hit], state: RecallState) -> Iterator[Hit]:
    """Yield hits up to the limit; what is superseded takes a place only where it is wanted."""
    places = state.request.limit
    for hit in hits:
        if places == 0:
            return
        yield hit
        if state.wants_superseded or SUPERSEDED not in hit.marks:
            places -= 1


def _without_circles(found: Sequence[Supersession]) -> list[Supersession]:
    """Return supersessions with those that go round in a circle as proposals.

    Each memory of a circle would be hidden by the next, and nothing of it would be left.
    """
    own = {(one.newer, one.older) for one in found if one.by_owner}
    own = _behind(own)
    own = {(newer, older) for older, newer in _behind({(older, newer) for newer, older in own})}
    return [one._replace(by_owner=False) if (one.newer, one.older) in own else one for one in found]


def _behind(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the edges that begin in a circle or behind one."""
    following: dict[str, list[str]] = {}
    for start, end in edges:
        following.setdefault(start, []).append(end)
    arriving = Counter(end for _, end in edges)
    free = [start for start in following if not arriving[start]]
    gone: set[str] = set()
    while free:
        start = free.pop()
        gone.add(start)
        for end in following.get(start, ()):
            arriving[end] -= 1
            if not arriving[end]:
                free.append(end)
    return {(start, end) for start, end in edges if start not in gone}


def _mark_supersessions(
    hits: Iterable[Hit], found: Iterable[Supersession]
) -> tuple[list[Hit], list[str]]:
    by_id = {hit.memory.id: hit for hit in hits}
    notes = []
    for newer, older, by_owner in found:
        said = (SUPERSEDES, SUPERSEDED) if by_owner else (PROPOSAL, CONTESTED)
        for memory_id, mark in zip((newer, older), said, strict=True):
            if memory_id in by_id:
                by_id[memory_id] = with_mark(by_id[memory_id], mark)
        if newer in by_id and older in by_id:
            verb = "supersedes" if by_owner else "is proposed to supersede"
            notes.append(f"{newer} {verb} {older}.")
    return list(by_id.values()), notes


def _lift_newer(hits: Sequence[Hit], found: Iterable[Supersession]) -> list[Hit]:
    """Put each hit below those that supersede it, which otherwise keep their order."""
    by_id = {hit.memory.id: hit for hit in hits}
    newer: dict[str, list[str]] = {}
    for one in found:
        if one.by_owner and one.newer in by_id and one.older in by_id:
            newer.setdefault(one.older, []).append(one.newer)
    if not newer:
        return list(hits)
    rank = {memory_id: place for place, memory_id in enumerate(by_id)}
    ordered: dict[str, Hit] = {}
    for hit in hits:
        for memory_id in _chain(hit.memory.id, newer, rank):
            if memory_id not in ordered:
                ordered[memory_id] = _lifted(by_id[memory_id], hit.score)
    return list(ordered.values())


def _chain(memory_id: str, newer: dict[str, list[str]], rank: dict[str, int]) -> list[str]:
    """Return the ids that stand above ``memory_id``, the newest first, and then itself."""
    above: list[str] = []
    waiting = [(memory_id, False)]
    seen: set[str] = set()
    while waiting:
        here, is_done = waiting.pop()
        if is_done:
            above.append(here)
        elif here not in seen:
            seen.add(here)
            waiting.append((here, True))
            best_last = sorted(newer.get(here, ()), key=rank.__getitem__, reverse=True)
            waiting += [(one, False) for one in best_last]
    return above


def _lifted(hit: Hit, score: float) -> Hit:
    """Return the hit with at least this score, and the difference as a reason of its own."""
    if hit.score >= score:
        return hit
    return hit._replace(score=score, parts={**hit.parts, SUPERSEDES: score - hit.score})


def _drop_duplicates(hits: Iterable[Hit]) -> tuple[list[Hit], list[str]]:
    kept: dict[tuple[str, str], Hit] = {}
    notes = []
    for hit in hits:
        first = kept.setdefault(_identity(hit.memory), hit)
        if first is not hit:
            notes.append(f"{hit.memory.id} says the same as {first.memory.id}, and is left out.")
    return list(kept.values()), notes


def _identity(memory: Memory) -> tuple[str, str]:
    """Return what two memories share when one of them is enough: the text, and who keeps it."""
    text = " ".join(_composed(memory.text).split())
    return text, "" if memory.audience else memory.owner


def _composed(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize  # a cold start seldom needs it

    return normalize("NFC", text)


def _mark_conflicts(hits: Sequence[Hit]) -> tuple[list[Hit], list[str]]:
    claims: dict[str, set[str]] = {}
    answering: dict[str, list[str]] = {}
    for hit in hits:
        if claim := _claim(hit):
            claims.setdefault(claim[0], set()).add(claim[1])
            answering.setdefault(claim[0], []).append(hit.memory.id)
    conflicting = {id_ for key, ids in answering.items() if len(claims[key]) > 1 for id_ in ids}
    notes = [
        f"{', '.join(ids)} make different claims about {key!r}."
        for key, ids in answering.items()
        if len(claims[key]) > 1
    ]
    marked = [with_mark(hit, CONFLICT) if hit.memory.id in conflicting else hit for hit in hits]
    return marked, notes


def _claim(hit: Hit) -> tuple[str, str] | None:
    """Return the question that a hit's source says it answers, and the answer, if it does."""
    source = hit.memory.content.source
    key = source.get("claim_key")
    if not isinstance(key, str) or not key or "claim" not in source or SUPERSEDED in hit.marks:
        return None
    return key, json.dumps(source["claim"], sort_keys=True)
