"""Codes are guessed at a server that runs: three tries an invitation, however they come."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import httpx
import pytest

from agent_memory_os import wiring
from agent_memory_os.errors import BadCode
from agent_memory_os.federation.pairing import code as codes
from agent_memory_os.federation.pairing import message
from agent_memory_os.federation.pairing.code import Code
from agent_memory_os.federation.pairing.handshake import Half
from agent_memory_os.federation.pairing.message import CLOSE_PATH, OPEN_PATH, Closing, Opening
from agent_memory_os.service.peers import Address
from agent_memory_os.service.peers.pairing import Guest, asker
from tests.api.peer.guest import Inviting, inviting, wrong

AT_ONCE = 8
MINUTE_MS = 60_000


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Inviting]:
    """Give a served node with a team, and a stranger's; its clock stands still."""
    with inviting(tmp_path) as found:
        found.served.clock.stop_at(wiring.clock())
        yield found


def guess(two: Inviting, said: str) -> int:
    """Try a code as somebody does who wants in, to the end; return the status that ended it."""
    code: Code = codes.read(said)
    half = Half(code, two.served.url, is_joiner=True)
    opening = message.to_opening(Opening(code.number, two.served.url, half.message))
    first = two.ask(OPEN_PATH, opening)
    if first.status_code != 200:
        return first.status_code
    answer = message.read_opened(first.content)
    keys = half.keys(answer.message)
    sealed = message.seal_done(keys.joiner_seals)
    closing = Closing(answer.session, keys.joiner_shows, sealed)
    last: httpx.Response = two.ask(CLOSE_PATH, message.to_closing(closing))
    assert last.status_code != 200
    return -last.status_code


def at_once(two: Inviting, said: list[str]) -> list[int]:
    """Try codes at one moment; return how each ended, below zero where it was a try."""
    ready = Barrier(len(said))

    def tried(code: str) -> int:
        ready.wait(60)
        return guess(two, code)

    with ThreadPoolExecutor(len(said)) as pool:
        return list(pool.map(tried, said))


def left(two: Inviting, code: str) -> tuple[int, str]:
    """Return how many tries an invitation has left, and what became of it."""
    found = two.served.node.invitations.get(int(code[:3]))
    return found.tries_left, found.state


def test_three_guesses_burn_an_invitation_over_http(two: Inviting) -> None:
    """Each of some invitations is tried three times, and then even by its own code no more."""
    for _ in range(3):
        code = two.invite()
        assert [guess(two, wrong(code)) for _ in range(3)] == [-409] * 3
        assert guess(two, code) == 409
        assert left(two, code) == (0, "burnt")
        with pytest.raises(BadCode, match="No invitation"):
            two.join(code)
        two.served.clock.ahead += MINUTE_MS
    assert two.served.node.peers.list() == ()


def test_guesses_at_one_moment_get_no_more_tries(two: Inviting) -> None:
    """Of eight that come together three are tries; the others are told that none is open."""
    for _ in range(2):
        code = two.invite()
        ended = at_once(two, [wrong(code)] * AT_ONCE)
        assert sorted(ended)[:3] == [-409] * 3
        assert set(sorted(ended)[3:]) <= {409, 503}
        assert left(two, code) == (0, "burnt")
        assert guess(two, code) == 409
        two.served.clock.ahead += MINUTE_MS
    assert two.served.node.peers.list() == ()


def test_a_guess_beside_the_right_code_admits_one_alone(two: Inviting) -> None:
    """Whoever has the code comes in once, whatever is guessed and tried at the same moment."""
    code, address = two.invite(), Address(url=two.served.url)
    guests = [Guest(code, address, asker(address)) for _ in range(2)]
    ready = Barrier(3)

    def come(guest: Guest) -> bool:
        ready.wait(60)
        try:
            guest.join(two.mira.context, ["mira"], "mira")
        except BadCode:
            return False
        return True

    def try_it() -> int:
        ready.wait(60)
        return guess(two, wrong(code))

    with ThreadPoolExecutor(3) as pool:
        came = [pool.submit(come, guest) for guest in guests]
        tried = pool.submit(try_it)
        assert sorted(one.result(60) for one in came) == [False, True]
        assert tried.result(60) in (-409, 409)
    [peer] = two.served.node.peers.list()
    assert peer.name == "mira"
    assert left(two, code)[1] == "joined"
