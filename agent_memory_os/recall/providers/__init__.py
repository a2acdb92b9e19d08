"""Candidate providers: each proposes memories inside the principal's scope, and says why.

Adding one is a file here and a line in ``PROVIDERS``.
"""

from __future__ import annotations

from agent_memory_os.recall.providers import dated, lexical, pinned, recent, said
from agent_memory_os.recall.providers.base import Provider

PROVIDERS: tuple[Provider, ...] = (
    lexical.candidates,
    dated.candidates,
    said.candidates,
    pinned.candidates,
    recent.candidates,
)
