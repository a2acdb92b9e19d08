"""The page of settings tells what the code reads, takes and does by itself, and nothing else."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import agent_memory_os
from agent_memory_os.cli import add, link, search, timeline
from agent_memory_os.cli import list as listing
from agent_memory_os.cli import pack as packing
from agent_memory_os.model import link as link_model
from agent_memory_os.model import memory
from agent_memory_os.model.organisation import AGENT_KINDS
from agent_memory_os.recall import decay
from agent_memory_os.service.fleet import Declared
from agent_memory_os.settings import NodeFile

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "settings.md").read_text("utf-8")
PACKAGE = Path(agent_memory_os.__file__).parent
READ = re.compile(r"(?<!\w)environ(?:ment)?(?:\.get\(|\[)(\"?\w+)|(\w+) in os\.environ")
LIMIT = re.compile(r"_?(?:MAX|MOST|LEAST|SHORTEST|UNDO)_[A-Z_]+|_PATIENCE_SECONDS")

LIMITS = {
    "model.memory.MAX_CONTENT_BYTES": "the content of a memory",
    "model.memory.MAX_SUMMARY_BYTES": "its summary",
    "model.memory.MAX_SOURCE_BYTES": "its source, as JSON",
    "model.memory.MAX_SOURCE_DEPTH": "its source, as JSON",
    "model.memory.MAX_TAGS": "its tags",
    "model.memory.MAX_LABEL": "author, session",
    "model.memory.MAX_REASON": "the reason of an edit",
    "model.organisation.MAX_NAME": "the name of an agent, team or project",
    "model.audience.MAX_GRANTS": "an audience",
    "model.recall.MAX_NAMED": "tags and types that narrow a search or a list",
    "recall.pack.LEAST_BUDGET": "a token budget",
    "recall.pack.MOST_BUDGET": "a token budget",
    "service.recall.MAX_LIMIT": "`--limit` of `search` and `pack`",
    "service.recall.MAX_QUERY": "a question",
    "service.memory.find.MAX_PAGE": "`--limit` of `list`, `timeline` and `audit`",
    "service.memory.find._SHORTEST_PREFIX": "the beginning of an id, instead of the whole",
    "service.memory.change.UNDO_DAYS": "days in which a forgotten memory can be brought back",
    "importers.base.MAX_RECORD_BYTES": "a line or record of a file that is imported",
    "importers.stream.MAX_TEXT_BYTES": "a text file that is imported",
    "importers.fit.MAX_SUMMARY": "a summary that an import takes from a source",
    "exporters.jsonl.MAX_LINE_BYTES": "a line of an export",
    "store.database._PATIENCE_SECONDS": "waiting for another process that writes",
    "service.memory.graph.MAX_HOPS": "what a memory is linked to",
    "service.memory.graph.MAX_MEMORIES": "what a memory is linked to",
    "model.key.MAX_NAME": "the name of a key",
    "api.door.MAX_BODY": "the body of a request, but for a file",
    "api.stream.streams.MAX_STREAMS": "streams of events that a server keeps open",
    "api.stream.streams.MAX_OF_ONE": "streams of events that a server keeps open",
    "server.protocol.MOST_CONNECTIONS": "connections to the port of a server at once",
    "api.peer.entry.MOST_AT_ONCE": "requests of one peer that are answered at once",
    "api.peer.entry.MOST_AT_WORK": "threads that work for peers",
    "api.peer.pairing.MOST_TRIES": "codes that are tried at a server, of everybody together",
    "api.peer.pairing.MOST_AT_ONCE": "questions of those who pair that are answered at once",
    "api.peer.pairing.MOST_WAITING": "such questions that are held",
    "federation.pairing.message.MOST_BYTES": "the body of such a question",
    "federation.pairing.message.MOST_AGENTS": "agents that join by one code",
    "service.peers.pairing.invitations.MOST_MINUTES": "for how long an invitation is good",
    "store.peer.invitations.MOST_TRIES": "tries of an invitation",
    "wire.schema.peers.MAX_NAMED": "agents introduced, or lines or peers named, at once",
    "federation.transport.outward.MAX_URL": "a URL that another node tells",
    "store.peer.addresses.MAX_DEVICES": (
        "devices of an account of which it is kept where they are reached"
    ),
    "service.peers.mesh.learned.MAX_LEARNED": "peers that nobody added",
    "store.peer.peers.MOST_MINUTES": "a peer that cannot be reached is tried",
    "service.peers.mesh.near.MAX_PORTS": "ports of this machine that `neighbors` asks",
    "service.peers.mesh.near.MAX_RECORDED": "and those that peers were reached at",
    "federation.discovery.multicast.MAX_HEARD": "announcements in the network that are looked at",
    "federation.discovery.identity.MAX_BYTES": "what a neighbor answers",
    "store.peer.peers.MAX_ASIDE": "lines in quarantine",
    "store.peer.peers.MAX_ASIDE_BYTES": "a line in quarantine",
    "api.door.MAX_HELD": "all such bodies that a server holds at once",
    "federation.hello.MAX_LINE_BYTES": "the body of a peer's hello",
    "api.guard.MAX_BUNDLE_BYTES": "a bundle that is imported over HTTP",
    "api.spool.LEAST_FREE": "a file that is imported or exported over HTTP",
}
"""Each limit that a person may meet, and its row in the page."""

INWARD = """
federation.address.MAX_LINE_BYTES federation.card.MAX_LINE_BYTES
federation.exchange.head.MAX_LINE_BYTES
federation.recovery.MOST_CHARACTERS
federation.card.MAX_LINE_BYTES federation.exchange.head.MAX_LINE_BYTES
federation.exchange.repair.MOST_BRANCHES federation.exchange.session.MAX_ROUNDS
federation.bundle.chunk.MAX_BODY_BYTES federation.bundle.chunk.MAX_HEADER_BYTES
federation.bundle.chunk.MAX_LINE_BYTES federation.bundle.chunk.MAX_PLAIN_BYTES
federation.bundle.chunk.MAX_SCOPE federation.bundle.manifest.MAX_LINE_BYTES
federation.bundle.manifest.MAX_RECIPIENTS federation.bundle.notice.MAX_LINE_BYTES
federation.pairing.message.MOST_PAYLOAD_BYTES federation.requests.MAX_HEADER
federation.signing.MAX_LINE_BYTES federation.statement.MAX_VALUES
importers.front.MAX_LINES importers.section.MAX_LEAD
model.canonical.MAX_DEPTH model.canonical.MAX_INTEGER
model.memory.MAX_LIFE model.register.MAX_MILLISECONDS model.register.MAX_STAMP
recall.pack.LEAST_PIECE recall.quote.MOST_GRANTS recall.rank.LEAST_COVERAGE recall.rank.MOST_ADDED
service.events.events.MAX_EVENTS
service.memory.change.UNDO_MS service.transfer.incoming.MAX_VERSION settings.MAX_PORT
remote.memories.MAX_BATCH_BYTES wire.transfer.MAX_LINE_BYTES
""".split()
"""Bounds of how the code goes about its work, and of the bytes in docs/protocol.md: no settings."""


def cells(heading: str) -> list[list[str]]:
    """Give the rows of the tables below a heading, as cells without the marks of code."""
    part = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip(" `") for cell in row] for row in rows if "---" not in row[0]]


def modules() -> Iterator[str]:
    """Yield the names of the package's modules, without the package's own."""
    for found in pkgutil.walk_packages([str(PACKAGE)], "agent_memory_os."):
        yield found.name.removeprefix("agent_memory_os.")


def variables() -> set[str]:
    """Return the environment variables that the code reads."""
    found = set()
    for name in modules():
        module = importlib.import_module(f"agent_memory_os.{name}")
        for read in READ.finditer(inspect.getsource(module)):
            word = read[1] or read[2]
            found.add(word.strip('"') if word.startswith('"') else str(getattr(module, word)))
    return found


def limits() -> dict[str, int]:
    """Return the limits that stand in the code, by module and name."""
    found = {}
    for name in modules():
        module = importlib.import_module(f"agent_memory_os.{name}")
        source = inspect.getsource(module)
        for constant, value in vars(module).items():
            is_its_own = re.search(rf"^{constant}\b", source, re.MULTILINE)
            if LIMIT.fullmatch(constant) and is_its_own and isinstance(value, (int, float)):
                found[f"{name}.{constant}"] = round(value)
    return found


def default(function: object, option: str) -> str:
    """Return the default of a command's option, as a person reads it."""
    assert callable(function)
    value = inspect.signature(function).parameters[option].default
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def test_every_variable_is_told() -> None:
    """The page has each environment variable that the code reads, and no other."""
    assert {row[0] for row in cells("Environment")[1:]} == variables()


def test_every_key_of_the_node_file_is_told() -> None:
    """The page has each key of node.toml, and no other."""
    assert [row[0] for row in cells("`node.toml`")[1:]] == list(NodeFile._fields)


def test_every_field_of_the_fleet_file_is_told() -> None:
    """The page has each field of an agent in agents.toml, and each kind of agent."""
    told = [row[1] for row in cells("`agents.toml`")[1:]]
    fields = [field for field in Declared._fields if field != "name"]
    assert told == [*fields, "notes", "notes"]
    kinds = " ".join(row[2] for row in cells("`agents.toml`") if row[1] == "kind")
    assert set(re.findall(r"`?([a-z-]+)`[,; ]", f"{kinds} ")) - {"or"} == set(AGENT_KINDS)


def test_every_limit_is_told() -> None:
    """The page has each limit that a person may meet, with its value."""
    rows = {row[0].replace("`", ""): row[1] for row in cells("Limits")}
    found = limits()
    for name, what in LIMITS.items():
        assert re.search(rf"\b{found[name]:,}\b", rows[what.replace("`", "")]), name


def test_no_limit_is_forgotten() -> None:
    """A public limit in the code is in the page, or known to be of no concern to a person."""
    public = {name for name in limits() if not name.rpartition(".")[2].startswith("_")}
    unknown = public - set(LIMITS) - set(INWARD)
    assert not unknown, "tell them in the page and in LIMITS, or list them in INWARD"


def test_every_default_is_told() -> None:
    """The page has the defaults that the commands have."""
    assert {row[0].replace("`", ""): row[1] for row in cells("Defaults")[1:13]} == {
        "audience": default(add.run, "share"),
        "type": default(add.run, "type"),
        "importance": default(add.run, "importance"),
        "confidence": default(add.run, "confidence"),
        "weight of a link": default(link.link, "weight"),
        "relation of a link": default(link.link, "relation"),
        "search --limit": default(search.run, "limit"),
        "pack --limit": default(packing.run, "limit"),
        "pack --max-tokens": default(packing.run, "budget"),
        "list --limit": default(listing.run, "limit"),
        "timeline --limit": default(timeline.timeline, "limit"),
        "--time-field": default(search.run, "time_field"),
    }


def test_every_type_and_relation_is_told() -> None:
    """The page has each type with its half-life, and each relation."""
    told = {row[0]: int(row[1]) for row in cells("Defaults")[14:]}
    assert told == decay.HALF_LIFE_DAYS
    assert list(told) == list(memory.TYPES)
    assert re.findall(r"`(\w+)`", PAGE.rpartition("Relations of links:")[2]) == list(
        link_model.RELATIONS
    )
