"""Every way to read memories, and what the oracle says that it must give.

A new read path is one more line in :data:`WHOLE`, or in ``each.EACH``; ``test_surface`` fails until
it is. A whole path answers a principal at once: its answer names some memories, which the oracle
can tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.service.memory.add import NewMemory
from tests.laws.event import HAPPENED
from tests.laws.lost import LOST
from tests.laws.note import AUDIT
from tests.laws.plan import TYPES, WORDS, live, with_error
from tests.laws.receipt import RECEIPTS
from tests.laws.session import SESSIONS
from tests.laws.whole import MANY, Whole
from tests.laws.world import BEGIN, HOUR, SECOND, Item, World, key_of


def ids_of_memories(answer: Iterable[Any]) -> list[str]:
    """Return the ids of memories."""
    return [memory.id for memory in answer]


def newest_first(items: Iterable[Item]) -> list[str]:
    """Return the ids of memories in the order of a list."""
    return [i.id for i in sorted(items, key=lambda i: (i.created_at, i.order))[::-1]]


def listed(label: str, wanted: Filter, keeps: Callable[[World, Item], bool]) -> Whole:
    """Return the list with a filter, of those shown memories that the oracle keeps."""

    def expected(world: World, principal: Principal) -> list[str]:
        return newest_first(i for i in world.shown(principal) if keeps(world, i))

    return Whole(
        "memories.list",
        label,
        lambda world, principal: world.node.memories.list(principal, wanted, MANY),
        lambda page: ids_of_memories(page.memories),
        expected,
        in_order=True,
    )


def in_pages(world: World, principal: Principal) -> list[Any]:
    """Return what the list gives page by page, two at a time, with the cursors."""
    found, cursor = list[Any](), ""
    while True:
        page = world.node.memories.list(principal, Filter(), 2, cursor)
        found += [page]
        cursor = page.following
        if not cursor:
            return found


def in_state(world: World, principal: Principal, state: str) -> list[str]:
    """Return what a list of one state must hold."""
    now = world.clock.now
    readable = world.readable(principal)
    if state == "all":
        return newest_first(readable)
    if state == "expired":
        return newest_first(item for item in readable if not item.is_current(now))
    mine = [item for item in world.items.values() if world.is_own(principal, item)]
    return newest_first(item for item in mine if item.state == "forgotten")


def list_in_state(state: str) -> Whole:
    """Return the list of memories of one state."""
    return Whole(
        "memories.list",
        state,
        lambda world, principal: world.node.memories.list(principal, Filter(state=state), MANY),
        lambda page: ids_of_memories(page.memories),
        lambda world, principal: in_state(world, principal, state),
        in_order=True,
    )


def searched(word: str, *, superseded: bool = True, **narrow: Any) -> Whole:  # noqa: ANN401 - any field of a request
    """Return the search for a word: every shown memory that has it, and what replaces one.

    What stands beside one in its session may be found with it.
    """
    types = narrow.get("types", TYPES)

    def kept(world: World, principal: Principal) -> list[Item]:
        return [item for item in world.shown(principal) if item.fields["type"] in types]

    def expected(world: World, principal: Principal) -> list[str]:
        found = [item for item in kept(world, principal) if item.words == word]
        replaced = with_replacements(world, principal, found)
        return [item.id for item in replaced if item.fields["type"] in types]

    def extra(world: World, principal: Principal) -> set[str]:
        shown = kept(world, principal)
        found = [item for item in shown if item.words == word]
        beside = [one for one in shown if any(is_beside(one, item) for item in found)]
        return {item.id for item in with_replacements(world, principal, beside)}

    return Whole(
        "recall.search",
        f"{word} {narrow}" if narrow else word,
        lambda world, principal: world.node.recall.search(
            principal, request(world, word, **narrow), explain=True, superseded=superseded
        ),
        lambda found: ids_of_memories(hit.memory for hit in found.hits),
        expected,
        extra=extra,
    )


def is_beside(one: Item, other: Item) -> bool:
    """Say whether two memories stand beside each other in a session of their owner."""
    places = [int(str(item.fields["position"])) for item in (one, other)]
    is_session = one.fields["session"] == other.fields["session"] and one.owner == other.owner
    return is_session and abs(places[0] - places[1]) == 1


def with_replacements(world: World, principal: Principal, items: list[Item]) -> list[Item]:
    """Return memories with those that their owners say supersede them, as far as they are shown."""
    shown = {item.id: item for item in world.shown(principal)}
    found = {item.id: item for item in items}
    waiting = list(items)
    while waiting:
        old = waiting.pop()
        for src, dst, relation, by in world.links:
            is_newer = dst == old.id and relation == "supersedes" and src in shown
            if is_newer and by == world.agents[old.owner] and src not in found:
                found[src] = shown[src]
                waiting.append(shown[src])
    return list(found.values())


def request(world: World, query: str, **narrow: Any) -> RecallRequest:  # noqa: ANN401
    """Return a request for many memories at the world's time."""
    return RecallRequest(query, world.clock.now, MANY, **narrow)


def several(world: World, principal: Principal, query: str) -> list[Any]:
    """Return the best two and all that a question of several words finds.

    Which of it is enough to answer the question, the oracle cannot say.
    """
    search = world.node.recall.search
    few = RecallRequest(query, world.clock.now, 2)
    return [search(principal, one, explain=True) for one in (few, request(world, query))]


def some_items(world: World) -> list[Item]:
    """Return some of all memories, of each kind: for what is asked of each and costs much."""
    return [item for item in world.items.values() if item.order % 3 == 0]


def by_author(world: World, principal: Principal) -> list[Any]:
    """Return what is found of the present and the first author of some memories, by name.

    A question that finds nothing is left out: it is about somebody who may not be known.
    """
    authors = [str(item.fields["author"]) for item in some_items(world)]
    authors += [f"author{item.versions[0].canary}" for item in some_items(world)]
    search = world.node.recall.search
    asked = [request(world, f"what did {name} say?") for name in sorted(set(authors))]
    return [found for one in asked if (found := search(principal, one)).hits]


def packed(world: World, principal: Principal) -> Any:  # noqa: ANN401 - a pack
    """Return a pack of everything that there is."""
    return world.node.recall.pack(principal, request(world, "", recent=True), 20_000)


def counted(world: World, principal: Principal) -> list[str]:
    """Return what the counts of owners must say: each owner with how many are shown."""
    owners: dict[str, list[int]] = {}
    for item in world.items.values():
        if item in world.shown(principal):
            owners.setdefault(item.owner, [0, 0])[0] += 1
        elif item.state == "forgotten" and world.is_own(principal, item):
            owners.setdefault(item.owner, [0, 0])[1] += 1
        elif item.state == "active" and world.is_own(principal, item):
            owners.setdefault(item.owner, [0, 0])
    return [f"{name} {shown} {gone}" for name, (shown, gone) in owners.items()]


def numbers_of(stats: Any) -> list[str]:  # noqa: ANN401 - what is counted
    """Return the counts of memories, and of the groups that the principal is in, in words."""
    counts = [f"{name} {getattr(stats, name)}" for name in ("shown", "expired", "forgotten")]
    counts += [f"pinned {stats.pinned}", f"teams {stats.teams}", f"projects {stats.projects}"]
    return counts + [f"{name} {number}" for name, number in (*stats.types, *stats.owners)]


def numbers(world: World, principal: Principal) -> list[str]:
    """Return the counts that a principal must be given."""
    shown = world.shown(principal)
    gone = [i for i in world.items.values() if i.state == "forgotten"]
    mine = [
        g for g in live(world) if principal.is_operator or g.scope in world.sight(principal).scopes
    ]
    counts = {
        "shown": len(shown),
        "expired": len(world.readable(principal)) - len(shown),
        "forgotten": sum(world.is_own(principal, item) for item in gone),
        "pinned": sum(bool(item.fields["pinned"]) for item in shown),
        "teams": sum(not group.team for group in mine),
        "projects": sum(bool(group.team) for group in mine),
    }
    kinds = Counter(str(item.fields["type"]) for item in shown)
    owners = Counter(item.owner for item in shown)
    return [f"{name} {n}" for name, n in (*counts.items(), *kinds.items(), *owners.items())]


def exported(lines: Iterable[str]) -> list[str]:
    """Return the ids of memories in an export, in its order."""
    import json

    records = [json.loads(line) for line in lines]
    return [record["id"] for record in records if record.get("kind") == "memory"]


def users(world: World, principal: Principal) -> list[str]:
    """Return the agents whose use a principal is told: its own, or everybody's."""
    if principal.is_operator:
        return list(world.agents)
    name = world.name_of(principal)
    return [name] if name else []


def misspelt(world: World, principal: Principal) -> list[str]:
    """Return the words with which audiences are refused that are not an agent's."""
    name = world.name_of(principal)
    if not name:
        return []
    mine = [group for group in world.groups.values() if world.is_in(name, group)]
    known = {text for group in mine for text in (group.scope, group.name)}
    known |= {group.name.rpartition("/")[2] for group in mine}
    tries = ["team:tq", "team:tq1z", "project:pq", "project:tq1z/pq2z", "agent:annn", "globl"]
    tries += [text for group in world.groups.values() for text in (group.scope, group.name)]
    unknown = [text for text in tries if not known & {text, text.partition(":")[2]}]
    return [refusal(world, principal, text) for text in unknown]


def refusal(world: World, principal: Principal, audience: str) -> str:
    """Return the words with which an audience is refused, but for what was asked itself."""
    new = NewMemory("never kept")
    words = with_error(lambda: world.node.memories.add(principal, new, audience))
    return words.replace(audience, "THAT").replace(audience.partition(":")[2], "THAT")


def around(world: World, principal: Principal) -> list[str]:
    """Return what a timeline around the middle of time must hold, oldest first."""
    return list(reversed(newest_first(world.shown(principal))))


def timeline_by(name: str) -> Whole:
    """Return the timeline by a time of memories, which must hold all that are shown."""
    wanted = Filter(time_field=name)
    return Whole(
        "memories.timeline",
        f"by {name}",
        lambda world, principal: world.node.memories.timeline(
            principal, world.clock.now + HOUR, wanted, 2 * MANY
        ),
        lambda moments: ids_of_memories(moment.memory for moment in moments),
        lambda world, principal: newest_first(world.shown(principal)),
    )


def questioned(query: str) -> Whole:
    """Return the search for a question of several words."""
    return Whole("recall.search", query, lambda world, principal: several(world, principal, query))


WHOLE: tuple[Whole, ...] = (
    listed("everything", Filter(), lambda _, __: True),
    listed("facts", Filter(types=("fact",)), lambda _, i: i.fields["type"] == "fact"),
    listed("a tag", Filter(tags=("t1",)), lambda _, i: "t1" in i.fields["tags"]),  # type: ignore[operator]
    listed("a session", Filter(session="shared"), lambda _, i: i.fields["session"] == "shared"),
    listed("pinned", Filter(pinned=True), lambda _, i: bool(i.fields["pinned"])),
    listed("not pinned", Filter(pinned=False), lambda _, i: not i.fields["pinned"]),
    listed("ann's", Filter(owner="ann"), lambda _, i: i.owner == "ann"),
    listed("nobody's", Filter(owner="agt_x"), lambda _, __: False),
    listed("no such tag", Filter(tags=("t1", "none")), lambda _, __: False),
    listed(
        "since then",
        Filter(since=BEGIN + 20 * SECOND, until=BEGIN + HOUR),
        lambda _, i: 20 * SECOND <= i.created_at - BEGIN < HOUR,
    ),
    *(list_in_state(state) for state in ("all", "expired", "forgotten")),
    Whole(
        "memories.list",
        "in pages",
        in_pages,
        lambda pages: [memory.id for page in pages for memory in page.memories],
        lambda world, principal: newest_first(world.shown(principal)),
        in_order=True,
    ),
    Whole(
        "memories.timeline",
        "around an instant",
        lambda world, principal: [
            *world.node.memories.timeline(principal, 0, Filter(), 2 * MANY),
            *world.node.memories.timeline(principal, world.clock.now, Filter(), 2 * MANY),
        ],
        lambda moments: ids_of_memories(moment.memory for moment in moments),
        lambda world, principal: around(world, principal) * 2,
        in_order=True,
    ),
    *(timeline_by(name) for name in ("updated", "event", "valid")),
    *SESSIONS,
    Whole(
        "memories.owners",
        "all",
        lambda world, principal: world.node.memories.owners(principal),
        lambda owners: [f"{one.name} {one.shown} {one.forgotten}" for one in owners],
        counted,
    ),
    *(searched(word) for word in WORDS),
    *(searched(word, types=("note",)) for word in WORDS),
    searched(WORDS[0], superseded=False),
    *(questioned(q) for q in ("gateway summary t1", "coffee or deploy t0", "invoice yesterday")),
    questioned("t0 t1"),
    Whole(
        "recall.search",
        "by author",
        by_author,
        lambda found: ids_of_memories(hit.memory for one in found for hit in one.hits),
        lambda world, principal: [i.id for i in some_items(world) if i in world.shown(principal)],
        extra=lambda world, principal: {item.id for item in world.shown(principal)},
    ),
    Whole(
        "recall.search",
        "pinned and recent",
        lambda world, principal: world.node.recall.search(
            principal, request(world, "", pinned=True, recent=True)
        ),
        lambda found: ids_of_memories(hit.memory for hit in found.hits),
        lambda world, principal: newest_first(world.shown(principal)),
    ),
    Whole(
        "recall.search",
        "a word that nobody has",
        lambda world, principal: world.node.recall.search(principal, request(world, "zebra")),
        lambda found: ids_of_memories(hit.memory for hit in found.hits),
        lambda _, __: [],
    ),
    Whole(
        "recall.pack",
        "everything",
        packed,
        lambda pack: [decision.memory_id for decision in pack.decisions],
        lambda world, principal: newest_first(world.shown(principal)),
    ),
    Whole(
        "transfer.export",
        "all",
        lambda world, principal: list(world.node.transfer.export(principal)),
        exported,
        lambda world, principal: sorted(item.id for item in world.readable(principal)),
        in_order=True,
    ),
    Whole(
        "organisation.scopes",
        "all",
        lambda world, principal: world.node.organisation.scopes(principal),
        list,
        lambda world, principal: sorted(world.sight(principal).scopes),
        in_order=True,
    ),
    Whole(
        "upkeep.stats",
        "all",
        lambda world, principal: world.node.upkeep.stats(principal),
        numbers_of,
        numbers,
    ),
    *HAPPENED,
    Whole(
        "keys.usage",
        "all",
        lambda world, principal: world.node.keys.usage(principal, 0),
        lambda used: [row.key for row in used],
        lambda world, principal: [key_of(name) for name in users(world, principal)],
    ),
    Whole("memories.add", "misspelt audiences", misspelt),
    *(*AUDIT, *LOST, *RECEIPTS),
)


COSTLY: tuple[Whole, ...] = (
    Whole("upkeep.doctor", "all", lambda world, principal: world.node.upkeep.doctor(principal)),
)
"""Asked in the one world that has everything, and not in each that is drawn."""
