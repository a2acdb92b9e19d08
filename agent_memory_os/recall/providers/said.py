"""What somebody said, where a question asks for nothing else: "what did Priya say?", "priya".

Who says a thing is seldom a word of it. So a question that is a name, with or without a verb of
saying, is answered with the newest memories by the author of that name, whatever their words. With
the verb it is meant: they match it whole. A bare name is first of all a word: what has it stands
above. A role of a conversation (``user``) is nobody's name, and needs the verb.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent_memory_os.model.recall import Candidate, RecallState
from agent_memory_os.recall.providers.base import filter_of
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.gate import Gate
from agent_memory_os.text.segment import terms

PROVIDER = "said"

SAYING = frozenset(
    "say said tell told think thought mention talk ask answer suggest write wrote written".split()
)
"""Verbs of saying, as stems, with the forms that no stem gives."""

ROLES = frozenset({"user", "assistant", "system", "human"})

_LONGEST = 3
"""Words of a name at most, and verbs beside it."""

_BARE = {"author": 1.0, "coverage": 1.0, "breadth": 1.0}
_MEANT = {**_BARE, "bm25": 1.0, "session": 1.0}


def candidates(
    snapshot: Snapshot, gate: Gate, state: RecallState, limit: int
) -> Sequence[Candidate]:
    """Return the newest memories by the one author whom the question names, and nothing else."""
    asked = state.terms
    if not asked or len(asked) > 2 * _LONGEST:
        return ()
    naming = frozenset(asked) - SAYING
    if not 1 <= len(naming) <= _LONGEST:
        return ()
    name = _name(state.request.query, naming)
    is_meant = len(naming) < len(asked)
    if not name or (name.casefold() in ROLES and not is_meant):
        return ()
    from agent_memory_os.store.memory import page  # most searches do not come here

    features = _MEANT if is_meant else _BARE
    rows = page.said_by(snapshot, gate, filter_of(state), name, limit)
    return [Candidate(row, rank, PROVIDER, features) for rank, row in enumerate(rows, 1)]


def _name(query: str, naming: frozenset[str]) -> str:
    """Return the words of a question that are made of these terms, as they are written."""
    words = [word.strip(".,;:!?\"'()[]") for word in query.split()]
    return " ".join(word for word in words if word and naming.issuperset(terms(word)))
