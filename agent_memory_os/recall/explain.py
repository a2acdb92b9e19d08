"""Recall in plain lines: how a memory was found, what made its score, and what was left out.

Only memories that the reader was given are named, and none is counted that was not: what did not
come through the gate leaves no trace here.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_memory_os.model.recall import ContextPack, Hit, RecallState

NOTHING = "Nothing was found."


def explain(state: RecallState) -> tuple[str, ...]:
    """Return what was looked for, each hit with the parts of its score, and the notes."""
    looked = ", ".join(state.terms) or "no words"
    return (f"Looked for: {looked}.", *_hits(state.hits), *state.notes)


def explain_pack(packed: ContextPack) -> tuple[str, ...]:
    """Return what the pack costs, each hit with the decision about it, and the notes."""
    decisions = [
        f"{one.memory_id}: {one.outcome.replace('_', ' ')}, {one.tokens:,} tokens. {one.reason}"
        for one in packed.decisions
    ]
    spent = f"{packed.tokens:,} of {packed.budget:,} tokens."
    return (spent, *(decisions or (NOTHING,)), *packed.notes)


def _hits(hits: Iterable[Hit]) -> list[str]:
    lines = [_line(place, hit) for place, hit in enumerate(hits, 1)]
    return lines or [NOTHING]


def _line(place: int, hit: Hit) -> str:
    """Return one hit: place, id, score, marks, who found it, and the parts, largest first."""
    parts = sorted(hit.parts.items(), key=lambda part: (-abs(part[1]), part[0]))
    reasons = ", ".join(f"{name} {value:+.3f}" for name, value in parts)
    marks = "".join(f" {mark.upper()}" for mark in hit.marks)
    found = " and ".join(hit.providers)
    return f"{place}. {hit.memory.id} {hit.score:.3f}{marks} (by {found}): {reasons}"
