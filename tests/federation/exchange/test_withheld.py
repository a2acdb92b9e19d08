"""What an author put into a scope and has not come is found out, and told to the operator."""

from __future__ import annotations

from pathlib import Path

from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.bundle.notice import Notice
from agent_memory_os.federation.exchange import head, told
from agent_memory_os.federation.exchange.absorb import SAID_AT_ONCE
from agent_memory_os.federation.exchange.told import Move
from agent_memory_os.federation.statement import signed, to_line
from agent_memory_os.model.identifier import derive
from agent_memory_os.model.routing.cursor import Cursor
from agent_memory_os.service.peers import Withheld
from agent_memory_os.wire.peers import of_status, to_status
from tests.federation.exchange.conftest import Two
from tests.federation.exchange.party import Party, lose, meet, send, settle

HOUR = 3_600_000


def withheld(party: Party) -> tuple[Withheld, ...]:
    """Return what an operator is told."""
    return party.node.sync.status().withheld


def test_a_hub_that_leaves_something_out_is_found_out(two: Two, tmp_path: Path) -> None:
    """The author's head comes along with what the hub passes on, and the hub cannot change it."""
    ann, ben = two
    cat = Party(tmp_path / "cat", "cat")
    meet(ann, cat, ["scout"], ["lynx"])
    cat.agent("lynx")
    settle(ann, cat)
    ann.node.organisation.join("lynx@cat", "team:apollo")
    ben.remember("mira", "passed on", "team:apollo")
    kept = ben.remember("mira", "kept back", "team:apollo")
    settle(ann, ben)
    lose(ann, kept)
    settle(ann, cat)
    (found,) = withheld(cat)
    assert found[:5] == ("team:apollo", ben.account, "", 2, 1)
    cat.time += HOUR
    assert withheld(cat) == (found,)
    status = cat.node.sync.status()
    assert to_status(of_status(status)) == status
    settle(ann, ben)
    settle(ann, cat)
    assert withheld(cat) == ()
    cat.node.close()


def test_what_has_all_come_is_not_told(two: Two) -> None:
    """Neither one's own heads nor those that agree are of interest, nor scopes that were left."""
    ann, ben = two
    ann.remember("scout", "for the team", "team:apollo")
    ben.remember("mira", "for it, too", "team:apollo")
    settle(ann, ben)
    assert withheld(ann) == withheld(ben) == ()
    ann.remember("scout", "not sent yet", "team:apollo")
    assert withheld(ann) == ()
    ann.node.organisation.leave("mira@ben", "team:apollo")
    settle(ann, ben)
    assert withheld(ben) == ()


def test_nothing_is_kept_of_scopes_that_somebody_made_up(two: Two) -> None:
    """A head of a team in which its account never was takes up no room, however many are said."""
    ann, ben = two
    settle(ann, ben)
    before = ann.rows("SELECT count(*) FROM heads")
    lines = []
    for number in range(SAID_AT_ONCE + 2):
        fields = {
            "scope": f"team:{derive('team', str(number))}",
            "account": ben.account,
            "device": ben.local.device.id,
            "stamp": ben.now() << 16,
            "records": 1,
            "mark": f"{number:064x}",
        }
        line = to_line(signed(head.DOMAIN, fields, ben.local.device.sign))
        lines.append(notice.to_line(Notice(head.HEAD, {"line": line.decode().rstrip()})))
    send(ben, ann, [*lines, told.of_move(Move("heads", Cursor("", "", 0)))])
    assert ann.rows("SELECT count(*) FROM heads") == before
    assert ann.aside() == []
