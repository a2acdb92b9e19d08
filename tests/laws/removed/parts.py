"""What keeps a removed member's node clean, and what takes the place of each part where it is off.

The product has no switch: a part that is off is a patch of the one function that keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from agent_memory_os.federation.exchange import asking
from agent_memory_os.model.authority.judged import View
from agent_memory_os.model.register import Register
from agent_memory_os.model.routing import serve, shown

PARTS = {
    "purge": "what a node was told that it may keep no more it drops",
    "told": "who was removed is sent its removal",
    "ask": "who is not served a scope asks about what it holds of it",
    "recipient": "who is out is served nothing of the scope",
}
"""Each part that can be switched off, by its name, with what it says."""


def switch_off(part: str, patch: pytest.MonkeyPatch) -> None:
    """Put what takes a part's place in for as long as a run lasts; nothing for no part."""
    if part == "purge":
        patch.setattr(shown, "is_spent", _never)
    elif part == "told":
        patch.setattr(serve, "told", lambda *_: [])
    elif part == "ask":
        patch.setattr(asking, "question", lambda *_: None)
    elif part:
        patch.setattr("agent_memory_os.model.routing.ceiling.offered", _ever)


def _never(
    view: View, account: str, memory: str, parked: Iterable[Register] = (), *, trusts: bool = False
) -> bool:
    del view, account, memory, parked, trusts
    return False


def _ever(view: View, account: str, *, is_own: bool = False) -> list[str]:
    agents = view.agents(account)
    once = [one for one in view.scopes() if any(a in view.members.ever(one) for a in agents)]
    return [*dict.fromkeys([*serve.offered(view, account, is_own=is_own), *once])]
