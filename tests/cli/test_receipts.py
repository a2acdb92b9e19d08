"""Taking back over several machines, and waiting until the peers say that it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.acceptance.nodes import NOBODY, meet, node, sync
from tests.cli.program import Program
from tests.server.process import serving


class Shared(NamedTuple):
    """A node that takes back, and where its peer is served."""

    ann: Program
    bea: Program
    url: str


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Give ann's node, in whose team bea's mira is; bea's node is served."""
    folder = tmp_path_factory.mktemp("receipts")
    ann, bea = node(folder, "ann", "scout"), node(folder, "bea", "mira")
    with serving(bea) as server:
        meet(ann, "bea", bea, "--url", server.url, "--introduce", "scout")
        meet(bea, "ann", ann, "--introduce", "mira")
        sync(ann)
        ann.do("team", "create", "apollo")
        ann.do("team", "add-member", "apollo", "scout")
        ann.do("team", "add-member", "apollo", "mira@bea")
        yield Shared(ann, bea, server.url)


def given(shared: Shared, text: str) -> str:
    """Add a memory for the team, and have bea take it; return its id."""
    memory = shared.ann.add(text, "--share", "team:apollo")
    sync(shared.ann)
    return memory


def test_waiting_tells_what_each_peer_says(shared: Shared) -> None:
    """Revoking and erasing end once the peer has dropped the memory, and say so."""
    for words in (("revoke",), ("forget", "--erase", "--yes")):
        memory = given(shared, f"to {words}")
        told = shared.ann.do(words[0], memory, *words[1:], "--wait")
        assert "bea: acknowledged" in told
        assert "What has left a machine cannot be recalled from somebody who copied it." in told


def test_who_cannot_be_reached_is_told(shared: Shared) -> None:
    """The status is 4 while a copy is outstanding, and 0 once it is not; who has no URL is told."""
    ann = shared.ann
    memory = given(shared, "to be reached later")
    ann.do("peers", "change", "bea", "--no-address")
    done = ann.run("revoke", memory, "--wait", "--within", "0")
    assert (done.status, "bea: it comes by itself: not yet" in done.out) == (4, True)
    assert "Waiting for 0 s at most. Ctrl-C ends the waiting alone." in done.err
    assert "Not acknowledged yet: 1 copy, with bea. Later: agent-memory receipts" in done.err
    ann.do("peers", "change", "bea", "--url", NOBODY)
    done = ann.run("receipts", memory, "--wait", "--within", "0")
    assert (done.status, "unreachable" in done.out) == (4, True)
    ann.do("peers", "change", "bea", "--url", shared.url)
    told = ann.json("receipts", memory, "--wait")
    assert [(one["state"], one["peer"]) for one in told["receipts"]] == [("acknowledged", "bea")]


def test_waiting_goes_with_what_takes_back(shared: Shared) -> None:
    """A time without waiting, and waiting for an undoing, are mistakes."""
    assert shared.ann.run("revoke", "mem_x", "--within", "3").status == 2
    assert shared.ann.run("forget", "mem_x", "--undo", "--wait").status == 2


def test_waiting_for_a_member_that_was_taken_out(shared: Shared) -> None:
    """All that it had of the team is gone with it."""
    given(shared, "for the team")
    told = shared.ann.do("team", "remove-member", "apollo", "mira@bea", "--wait")
    assert "bea: acknowledged" in told
