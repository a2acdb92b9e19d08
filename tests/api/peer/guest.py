"""A node that answers strangers with a code, and what asks it as they do, and as they do not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from agent_memory_os import settings, wiring
from agent_memory_os.federation.pairing import code as codes
from agent_memory_os.federation.pairing.handshake import Half
from agent_memory_os.federation.pairing.message import OPEN_PATH, Opening, to_opening
from agent_memory_os.service.node import LocalNode
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.answer import peering_of
from agent_memory_os.service.peers.pairing import Guest, Joined, asker
from tests.api.served import Served, listening, opened

JSON = {"content-type": "application/json"}


class Inviting(NamedTuple):
    """A served node with a team, and a stranger's node that is not."""

    served: Served
    mira: LocalNode

    def invite(self) -> str:
        """Invite somebody into the team; return the code."""
        return self.served.node.invitations.team("apollo").code

    def join(self, code: str) -> Joined:
        """Have the stranger join by a code."""
        address = Address(url=self.served.url)
        return Guest(code, address, asker(address)).join(self.mira.context, ["mira"], "mira")

    def try_code(self, code: str, path: str = OPEN_PATH, **more: Any) -> httpx.Response:  # noqa: ANN401
        """Ask the first question with a code, by headers of one's own."""
        return self.ask(path, question(code, self.served.url), **more)

    def ask(self, path: str, body: bytes, **more: Any) -> httpx.Response:  # noqa: ANN401
        """Send a body to a path."""
        headers = JSON | more.pop("headers", {})
        return httpx.post(f"{self.served.url}{path}", content=body, headers=headers, **more)


def question(code: str, url: str) -> bytes:
    """Return the first question with a code."""
    said = codes.read(code)
    return to_opening(Opening(said.number, url, Half(said, url, is_joiner=True).message))


def wrong(code: str) -> str:
    """Return a code with the same number and other words."""
    said = codes.read(code)
    other = next(word for word in codes.words() if word not in said.words)
    return said._replace(words=(other, *said.words[1:])).text


@contextmanager
def inviting(folder: Path) -> Iterator[Inviting]:
    """Serve a node with a team, as a server that answers peers does."""
    mira = wiring.open_node(settings.read(str(folder / "mira"), None, {}))
    mira.organisation.add_agent("mira")
    with opened() as served:
        door = served.door._replace(peering=peering_of(served.node.context))
        with listening(door) as url:
            served.url = url
            yield Inviting(served, mira)
    mira.close()
