"""The part of the script that is the operator's, and what is told of what happened by all of it.

The operator's are organisation, keys and upkeep. What happens is followed before everything else,
and after it.
"""

from __future__ import annotations

from typing import Any

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.key import Limits
from agent_memory_os.model.recall import Filter
from agent_memory_os.service.events import Event
from agent_memory_os.service.memory.add import NewMemory
from agent_memory_os.service.moves import Chosen
from agent_memory_os.service.peers import NOWHERE, Address, Carried, PeerChange
from agent_memory_os.service.upkeep import AuditFilter
from agent_memory_os.store.peer import peers
from tests.federation.sample import BOB, EVE
from tests.federation.shown import ANNS, BOBS
from tests.laws.lost import shelve
from tests.remote.pair import Side
from tests.remote.script import OPERATOR, Step, held, on, plain

ODD_NAMES = ("", ".", "..", "a/b", "apollo/", "/", "ghost", "Ann", "anm", "a?b#c", "global")

ORGANISATION = (
    plain("organisation.agents"),
    plain("organisation.add_agent", "zoë", "codex", "Zoë", "notes ü"),
    plain("organisation.add_agent", "zoë"),
    *(plain("organisation.add_agent", name) for name in ODD_NAMES[:7]),
    plain("organisation.add_agent", "x", "toaster"),
    plain("organisation.ensure_agent", "zoë"),
    plain("organisation.ensure_agent", "new"),
    plain("organisation.ensure_agent", "not a name"),
    plain("organisation.ensure_agent_or_id", "zoë"),
    plain("organisation.ensure_agent_or_id", "newer"),
    *(plain("organisation.agent", name) for name in ("zoë", "zoe\u0308", *ODD_NAMES)),
    plain("organisation.rename_agent", "zoë", "zoe"),
    plain("organisation.rename_agent", "zoe", "ann"),
    plain("organisation.rename_agent", "zoe", "a b"),
    *(plain("organisation.rename_agent", name, "y") for name in ODD_NAMES),
    plain("organisation.add_team", "gemini", "two of them"),
    plain("organisation.add_team", "gemini"),
    plain("organisation.add_team", "a/b"),
    plain("organisation.rename_team", "gemini", "castor"),
    plain("organisation.rename_team", "castor", "apollo"),
    *(plain("organisation.rename_team", name, "y") for name in ODD_NAMES),
    plain("organisation.add_project", "castor", "site", "another site"),
    plain("organisation.add_project", "castor", "site"),
    *(plain("organisation.add_project", name, "y") for name in ODD_NAMES),
    plain("organisation.rename_project", "castor/site", "web"),
    plain("organisation.rename_project", "castor/web", "apollo/web"),
    plain("organisation.rename_project", "site", "other"),
    *(plain("organisation.rename_project", name, "y") for name in ODD_NAMES),
    plain("organisation.join", "zoe", "team:castor"),
    plain("organisation.join", "zoe", "team:castor"),
    plain("organisation.join", "zoe", "project:castor/web"),
    plain("organisation.join", "eve", "project:web"),
    plain("organisation.join", "ghost", "team:castor"),
    plain("organisation.join", "zoe", "team:ghost"),
    plain("organisation.join", "zoe", "project:castor/ghost"),
    plain("organisation.join", "zoe", "castor"),
    plain("organisation.join", "a/b", "castor"),
    plain("organisation.teams"),
    Step("organisation.whoami", "ann", lambda s: s.node.organisation.whoami(s.agent("ann"))),
    Step("organisation.whoami", "operator", lambda s: s.node.organisation.whoami(OPERATOR)),
    Step("organisation.scopes", "ann", lambda s: s.node.organisation.scopes(s.agent("ann"))),
    Step("organisation.scopes", "operator", lambda s: s.node.organisation.scopes(OPERATOR)),
    plain("organisation.leave", "zoe", "team:castor"),
    plain("organisation.leave", "zoe", "team:castor"),
    plain("organisation.leave", "zoe", "project:castor/web"),
    plain("organisation.remove_project", "castor/web"),
    plain("organisation.remove_project", "castor/web"),
    plain("organisation.remove_team", "castor"),
    *(plain("organisation.remove_team", name) for name in ODD_NAMES),
    plain("organisation.remove_agent", "zoe"),
    *(plain("organisation.remove_agent", name) for name in ODD_NAMES),
    plain("organisation.agents", removed=True),
    plain("organisation.agent", "zoe"),
    plain("organisation.ensure_agent_or_id", "zoe"),
)

UPKEEP = (
    plain("keys.create", "laptop", "reader", "eve", expires_at=2_100_000_000_000),
    plain("keys.create", "laptop", "agent", "eve"),
    plain("keys.create", "all", "operator", limits=Limits(1, 2, 3, 4)),
    plain("keys.create", " ", "agent", "eve"),
    plain("keys.create", "x", "toaster"),
    plain("keys.create", "x", "agent"),
    plain("keys.create", "x", "operator", "eve"),
    plain("keys.create", "x", "agent", "ghost"),
    plain("keys.create", "x", "metrics", limits=Limits(requests=0)),
    plain("keys.rotate", "laptop"),
    plain("keys.rotate", "all", expires_at=2_200_000_000_000),
    plain("keys.rotate", "a/b"),
    plain("keys.revoke", "laptop"),
    plain("keys.revoke", "laptop"),
    plain("keys.revoke", ".."),
    Step(
        "keys.list",
        "but for their use",
        lambda s: [key._replace(last_used_at=None) for key in s.node.keys.list()],
    ),
    on("keys.usage", "the operator's", 4_000_000_000_000, who="operator"),
    on("keys.usage", "an agent's", 4_000_000_000_000),
    on("upkeep.stats", "ann", who="ann"),
    on("upkeep.stats", "eve", who="eve"),
    Step(
        "upkeep.stats",
        "operator",
        lambda s: s.node.upkeep.stats(OPERATOR)._replace(node=()),
    ),
    on("upkeep.audit", "ann", who="ann"),
    on("upkeep.audit", "operator", who="operator"),
    on("upkeep.audit", "narrowed", AuditFilter("ann", "erase", 1, 2**53), 1, who="operator"),
    on("upkeep.audit", "of a ghost", AuditFilter("ghost"), who="operator"),
    on("upkeep.audit", "of no limit", AuditFilter(), 0, who="operator"),
    on("upkeep.audit", "of no time", AuditFilter(since="x"), who="operator"),  # type: ignore[arg-type]
    on("upkeep.audit", "of no cursor", AuditFilter(), 5, "x", who="operator"),
    plain("upkeep.check"),
    Step(
        "upkeep.doctor",
        "names and states",
        lambda s: [(one.name, one.state, one.mend) for one in s.node.upkeep.doctor(OPERATOR)],
    ),
    plain("upkeep.mend"),
    plain("upkeep.reindex"),
    plain("upkeep.purge"),
    plain("upkeep.last_backup"),
    Step("upkeep.sizes", "whole", lambda s: s.node.upkeep.sizes(OPERATOR).memories),
    Step("upkeep.sizes", "for an agent", lambda s: s.node.upkeep.sizes(s.agent("ann"))),
    plain("upkeep.backup", ""),
    plain("upkeep.backup", "/nowhere/at/all.db"),
    plain("upkeep.backup", "/tmp", 0),
)

A_PEER = ("carol", Address(url="http://carol.example:8765/"), None, ("ann",))
ODD_ADDRESSES = (
    Address(url="carol.example"),
    Address(url="https://carol.example", pin="zz"),
    Address(url="http://carol.example", pin="0" * 64),
    Address(folder="somewhere"),
    Address(folder="/nowhere/at/all"),
    Address(url="http://carol.example", folder="/tmp"),
)


def aside(side: Side) -> None:
    """Put lines aside on the node itself: of a peer, of nobody, and one that is too long."""
    with side.local.context.database.write() as transaction:
        for sender, line in ((BOB.id, b"{}\n"), (EVE.id, b"x\n"), (BOB.id, b"y" * 70_000)):
            peers.put_aside(transaction, sender, line, "it is no line")


def lost(side: Side) -> None:
    """Let edits of two agents' memories lose to others."""
    for who in ("ann", "eve"):
        new = NewMemory(f"what {who} has now")
        memory = side.local.memories.add(side.agent(who), new).memory
        content = memory.content._replace(content=f"what {who} said elsewhere", tags=("ü",))
        shelve(side.local.context.database, memory.id, content)


def by_file(method: str, name: str, *given: Any, **more: Any) -> Step:  # noqa: ANN401 - its own
    """Return a step on a file of the side's own folder, which is no part of what is compared."""

    def act(side: Side) -> Any:  # noqa: ANN401 - whatever it returns
        path = str(side.folder / name)
        try:
            done = getattr(side.node.sync, method)(*given, path, **more)
        except AgentMemoryError as error:
            raise type(error)(str(error).replace(path, name), error.remedy) from error
        return done._replace(path=name) if isinstance(done, Carried) else done

    return Step(f"sync.{method}", f"{name} {given}", act)


def no_bundles(side: Side) -> None:
    """Put files into the side's folder that are no bundles, or nobody's."""
    (side.folder / "line").write_bytes(b"[1]\n")
    (side.folder / "nobody").write_bytes(b"{}\n")
    (side.folder / "stranger").write_bytes(f'{{"sender":"{EVE.id}"}}\n'.encode())
    (side.folder / "torn").write_bytes(f'{{"sender":"{BOB.id}"}}\n'.encode())


CARRIED = (
    by_file("export", "one", "carola"),
    by_file("export", "one", "carola"),
    by_file("export", "one", "carola", replace=True),
    by_file("export", "two", "carla"),
    by_file("export", "nowhere/two", "carola"),
    plain("sync.export", "carola", " "),
    Step("sync.take", "put", no_bundles),
    *(by_file("take", name) for name in ("line", "nobody", "stranger", "torn", "missing", "one")),
    plain("sync.take", ""),
)


def newest(side: Side) -> int:
    """Return the number of the invitation that was made last."""
    return side.node.invitations.list()[0].number


PEERS = (
    plain("peers.card"),
    plain("peers.list"),
    plain("peers.add", BOBS, *A_PEER),
    plain("peers.add", f" {BOBS}\n", *A_PEER),
    plain("peers.add", BOBS, "carl"),
    plain("peers.add", ANNS, "carol"),
    plain("peers.add", ANNS, "a b"),
    plain("peers.add", "amc_x", "dora"),
    plain("peers.add", ANNS, "dora", ceiling="full"),
    plain("peers.add", ANNS, "dora", ceiling="team:ghost"),
    plain("peers.add", ANNS, "dora", introduce=("ghost",)),
    plain("peers.add", ANNS, "dora", own=True),
    *(plain("peers.add", ANNS, "dora", address) for address in ODD_ADDRESSES),
    plain("peers.add", ANNS, "dora", ceiling="team:apollo, project:apollo/site"),
    *(plain("peers.get", name) for name in ("carol", BOB.id, "carla", *ODD_NAMES)),
    plain("peers.change", "carol", PeerChange("carola", NOWHERE, "shared", ("bob",))),
    plain("peers.change", "carola", PeerChange("dora")),
    plain("peers.change", "carola", PeerChange("a b")),
    plain("peers.change", "ghost", PeerChange("y")),
    plain("peers.change", "dora", PeerChange(address=ODD_ADDRESSES[0])),
    plain("peers.change", "dora", PeerChange(ceiling="granted")),
    plain("peers.list"),
    *(plain("peers.preview", name) for name in ("carola", BOB.id, "carla", *ODD_NAMES)),
    *(plain("peers.view_as", name) for name in ("ann", "bob", "eve", "zoë", *ODD_NAMES)),
    on("upkeep.audit", "who was shown", AuditFilter(action="view as"), who="operator"),
    plain("sync.run"),
    plain("sync.run", ["carola"]),
    plain("sync.run", [BOB.id], pushes=False),
    plain("sync.run", ["carola", "carla"]),
    plain("sync.run", ["carola"], pulls=False, pushes=False),
    *CARRIED,
    plain("sync.status"),
    *(on("receipts.list", f"of {who}", who=who) for who in ("ann", "eve", "operator")),
    on("receipts.get", "one's own", "@first"),
    on("receipts.get", "another's", "@first", who="eve"),
    on("receipts.get", "as the operator", "@first", who="operator"),
    on("receipts.get", "none", "mem_x"),
    plain("receipts.left", "ann", "team:apollo"),
    plain("receipts.left", "ghost", "team:apollo"),
    plain("receipts.left", "ann", "team:ghost"),
    Step("quarantine.list", "put", aside),
    plain("quarantine.list"),
    on("quarantine.show", "a line", 1, who="operator"),
    on("quarantine.show", "none", 9, who="operator"),
    on("quarantine.show", "as an agent", 1),
    plain("quarantine.retry", [1]),
    plain("quarantine.retry", [2]),
    plain("quarantine.retry", [3]),
    plain("quarantine.retry"),
    plain("quarantine.drop", [9]),
    plain("quarantine.drop", [3]),
    plain("quarantine.drop"),
    plain("quarantine.list"),
    Step("conflicts.list", "put", lost),
    *(on("conflicts.list", who, who=who) for who in ("ann", "eve", "bob", "operator")),
    *(on("conflicts.get", f"{who} 1", 1, who=who) for who in ("ann", "eve", "operator")),
    on("conflicts.swap", "another's", 1, who="eve"),
    on("conflicts.swap", "one's own", 1),
    on("conflicts.swap", "what is gone", 1),
    on("conflicts.swap", "as the operator", 2, who="operator"),
    plain("peers.devices"),
    *(plain("peers.revoke_device", name) for name in ("nobody", "carola", "dev_", *ODD_NAMES)),
    plain("peers.revoke_device", "nobody", 2**46),
    plain("peers.revoke_device", "carola", None, "x", dry_run=True),
    *(plain("peers.certify", name, "x") for name in ("carola", "ghost", *ODD_NAMES)),
    plain("peers.add", ANNS, "dora", own=True, recovery_key="x"),
    *(plain("organisation.hand_over", "apollo", to) for to in ("bob", "carola", "nobody", "")),
    *(plain("organisation.hand_over", name, "bob") for name in ("ghost", *ODD_NAMES)),
    *(plain("organisation.take_back", "apollo", key) for key in ("", "x")),
    *(plain("organisation.take_back", name) for name in ("ghost", *ODD_NAMES)),
    plain("invitations.device", 10, "x"),
    plain("invitations.list"),
    plain("invitations.team", "apollo"),
    plain("invitations.team", "apollo", 60),
    plain("invitations.team", "ghost"),
    *(plain("invitations.team", "apollo", minutes) for minutes in (0, 61, -1)),
    plain("invitations.device"),
    plain("invitations.device", 0),
    plain("invitations.list"),
    Step("invitations.get", "the last", lambda s: s.node.invitations.get(newest(s))),
    Step("invitations.withdraw", "the last", lambda s: s.node.invitations.withdraw(newest(s))),
    *(plain(f"invitations.{act}", at) for act in ("get", "withdraw") for at in (1, 2**70)),
    plain("invitations.list"),
    plain("peers.remove", "carola"),
    plain("peers.remove", "carola"),
    plain("sync.status"),
)

MOVING = (
    *(on("moves.preview", who, "ann", "eve", who=who) for who in ("ann", "operator")),
    *(on("moves.run", who, "ann", "eve", who=who) for who in ("ann", "operator")),
    *(
        on("moves.preview", f"{name} {other}", name, other, who="operator")
        for name, other in (("ann", "ann"), ("ghost", "ann"), ("ann", "ghost"), ("a/b", ".."))
    ),
    *(
        on("moves.preview", str(chosen), "ann", "eve", chosen, who="operator")
        for chosen in (
            Chosen(Filter(types=("procedure",), tags=("ship",), pinned=False)),
            Chosen(Filter(author="Sam", session="s", since=5, until=9, time_field="event")),
            Chosen(Filter(state="all"), "team:apollo", back=True),
            Chosen(Filter(state="forgotten")),
            Chosen(Filter(owner="ann")),
            Chosen(Filter(types=("x",))),
            Chosen(audience="team:ghost"),
            Chosen(audience="us"),
        )
    ),
    on("moves.run", "no cursor", "ann", "eve", cursor="x", who="operator"),
    on("moves.run", "some", "ann", "eve", Chosen(audience="private"), drops=True, who="operator"),
    on("moves.run", "back", "eve", "ann", Chosen(back=True), who="operator"),
    plain("organisation.add_team", "artemis"),
    plain("organisation.join", "ann", "team:artemis"),
    *(
        on(f"moves.{act}", f"{who} {keep}", "apollo", "artemis", keep=keep, who=who)
        for keep in (True, False)
        for who in ("bob", "operator")
        for act in ("preview_team", "run_team")
    ),
    on("moves.preview_team", "itself", "apollo", "apollo", who="operator"),
    on("moves.run_team", "a ghost", "apollo", "ghost", who="operator"),
    on("moves.run_team", "no cursor", "apollo", "artemis", cursor="x", who="operator"),
)

WHO = ("ann", "bob", "eve", "operator")


def asked(side: Side, who: str, after: str) -> list[Event]:
    """Return what somebody is told of after a cursor, and put by where to go on.

    Cursors are sealed at random: they are not compared.
    """
    principal = OPERATOR if who == "operator" else side.agent(who)
    with side.node.events.follow(principal, after, wait=False) as events:
        found = [event._replace(cursor="") for event in events]
        side.held[f"cursor of {who}"] = events.cursor
    return found


def going_on(who: str, whose: str = "") -> Step:
    """Return the step that somebody goes on after a cursor: its own, or another's."""
    name = f"cursor of {whose or who}"
    return Step("events.follow", f"{who} after {name}", lambda s: asked(s, who, held(name, s)))


def refused(cursor: Any) -> Step:  # noqa: ANN401 - what is no text too
    """Return the step that goes on after what is no cursor."""
    return Step("events.follow", f"after {cursor!r}", lambda s: asked(s, "ann", cursor))


BEGIN = tuple(
    Step("events.follow", f"{who} from now on", lambda s, who=who: asked(s, who, ""))  # type: ignore[misc]
    for who in WHO
)
HAPPENED = (
    *(going_on(who) for who in WHO),
    *(going_on(who) for who in WHO),
    going_on("ann", "bob"),
    going_on("eve", "operator"),
    going_on("operator", "ann"),
    *map(refused, ("x", "0", "a b", "é", "\ud800", "\n", "a" * 4000, "../x", 7)),
)
