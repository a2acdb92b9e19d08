"""The aliases as read paths: what a served node tells each key in the words of earlier systems.

They are asked over the wire, in a world that is :func:`tests.laws.far.served`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent_memory_os.errors import AgentMemoryError
from agent_memory_os.model.principal import Principal
from agent_memory_os.wire.instant import iso
from tests.laws import path
from tests.laws.each import Each, is_found_by_less, is_readable, is_shown
from tests.laws.far import get, post
from tests.laws.plan import WORDS
from tests.laws.whole import Whole
from tests.laws.world import HOUR, Item, World

MOST = 100
"""So much an alias gives at once."""

DAYS = 1000 * 24 * 3600


def asked(at: str, **params: Any) -> Callable[[World, Principal], Any]:  # noqa: ANN401
    """Return the question of a path with some parameters."""
    return lambda world, principal: get(world, principal, at, **params)


def records(world: World, principal: Principal) -> list[Any]:
    """Return what the list of memories gives, some at a time."""
    found: list[Any] = []
    while True:
        given = get(world, principal, "/api/memories", limit=7, offset=len(found))["memories"]
        found += given
        if not given:
            return found


def ids(shapes: list[Any], name: str = "id") -> list[str]:
    """Return the ids in shapes."""
    return [str(shape[name]) for shape in shapes]


def found(word: str, at: str, ask: Callable[[World, Principal], Any], shapes: str) -> Whole:
    """Return the search for a word by an alias, which finds what a search finds."""
    name = "fact_id" if shapes == "hits" else "id"
    search = path.searched(word, superseded=at.startswith("/api"))
    return search._replace(
        name=at, label=word, ask=ask, ids=lambda answer: ids(answer[shapes], name)
    )


def superseded(world: World, principal: Principal) -> set[str]:
    """Return what an owner has superseded by a memory that is shown: engram tells no such fact."""
    shown = {item.id: item for item in world.shown(principal)}
    return {
        dst
        for src, dst, relation, by in world.links
        if relation == "supersedes" and src in shown and dst in shown
        if by == world.agents[shown[dst].owner]
    }


def facts(word: str, at: str, ask: Callable[[World, Principal], Any]) -> Whole:
    """Return the search for a word by a route of engram."""
    whole = found(word, at, ask, "hits")
    expected = whole.expected or (lambda *_: [])
    return whole._replace(
        expected=lambda w, p: [one for one in expected(w, p) if one not in superseded(w, p)],
        extra=lambda w, p: whole.extra(w, p) | superseded(w, p),
    )


def searched(word: str) -> tuple[Whole, ...]:
    """Return the searches for a word by each alias that searches."""
    memory = "/v1/memory"
    return (
        found(word, "/api/search", asked("/api/search", q=word, limit=MOST), "results"),
        facts(word, f"{memory}/recall", asked(f"{memory}/recall", query=word, top_k=200)),
        facts(word, f"{memory}/raw_facts", asked(f"{memory}/raw_facts", query=word, top_k=200)),
        facts(
            word,
            f"{memory}/search",
            lambda w, p: post(w, p, f"{memory}/search", {"query": word, "top_k": 200}),
        ),
    )


def packed(at: str, **params: Any) -> Whole:  # noqa: ANN401
    """Return the path of a text for a prompt."""
    return Whole(at, "all words", asked(at, **params))


def around(world: World, principal: Principal) -> Any:  # noqa: ANN401
    """Return a timeline around the middle of time."""
    at = iso(world.clock.now)
    return get(world, principal, "/api/timeline", around=at, limit=MOST, window_seconds=DAYS)


def numbers_of(answer: dict[str, Any]) -> list[str]:
    """Return counts in words, as the oracle says them."""
    counts = [f"{name} {answer[name]}" for name in ("expired", "forgotten", "pinned")]
    counts += [f"teams {answer['teams']}", f"projects {answer['projects']}"]
    kinds = [f"{name} {count}" for name, count in answer["by_type"].items()]
    return [f"shown {answer['memories']}", *counts, *kinds]


def numbers(world: World, principal: Principal) -> list[str]:
    """Return the counts that a principal must be given, but for those of owners."""
    owners = {item.owner for item in world.items.values()}
    every = path.numbers(world, principal)
    return [line for line in every if line.partition(" ")[0] not in owners]


def claims(world: World) -> list[tuple[str, str, dict[str, str]]]:
    """Return what a request may say of who asks: where, and in whose name."""
    agents = [text for pair in world.agents.items() for text in pair] + ["nobody"]
    teams = [group for group in world.groups.values() if not group.team]
    names = [text for group in teams for text in (group.name, group.scope.partition(":")[2])]
    ways = (
        *(("/api/memories", name) for name in ("owner", "requester_agent_id")),
        *(("/v1/memory/context", name) for name in ("user_id", "org_id")),
    )
    query = {"/v1/memory/context": {"query": "x"}}
    said = [(at, who, {**query.get(at, {}), name: who}) for at, name in ways for who in agents]
    return said + [("/api/memories", team, {"requester_team_id": team}) for team in names]


def claimed(world: World, principal: Principal) -> list[tuple[str, str]]:
    """Return each claim with the words in which it is refused, or with none where it holds."""
    told = []
    for at, who, params in claims(world):
        if principal.is_operator and "owner" in params:
            continue  # the operator may narrow to any owner
        try:
            get(world, principal, at, **params)
        except AgentMemoryError as error:
            told.append(("", str(error)))
        else:
            told.append((who, ""))
    return told


def rightly(world: World, principal: Principal) -> list[str]:
    """Return the names of the claims that hold: of the agent itself, and of its teams."""
    name = world.name_of(principal)
    own = {name, principal.agent} - {"", None}
    for group in world.groups.values():
        if not group.team and world.is_in(name, group):
            own |= {group.name, group.scope.partition(":")[2]}
    return [who for _, who, _ in claims(world) if who in own]


ALIASES: tuple[Whole, ...] = (
    Whole(
        "/api/memories",
        "some at a time",
        records,
        ids,
        lambda world, principal: path.newest_first(world.shown(principal)),
        in_order=True,
    ),
    Whole(
        "/api/memories",
        "facts of a scope that none has",
        asked("/api/memories", type="fact", scope="team"),
        lambda answer: ids(answer["memories"]),
        lambda *_: [],
    ),
    Whole(
        "/api/timeline",
        "around now",
        around,
        lambda answer: ids(answer["memories"]),
        None,
    ),
    Whole("/api/stats", "all", asked("/api/stats"), numbers_of, numbers),
    *(one for word in WORDS[:2] for one in searched(word)),
    Whole(
        "aliases",
        "who asks, as a request says",
        claimed,
        lambda told: [who for who, words in told if not words],
        rightly,
    ),
    packed("/api/context-pack", q=" ".join(WORDS), max_tokens=32_000),
    packed("/v1/memory/context", query=" ".join(WORDS), token_budget=20_000),
)


def link_ends(world: World, principal: Principal, item: Item, answer: Any) -> list[str]:  # noqa: ANN401
    """Return what is wrong with the links of a memory."""
    ends = {
        key[:2]
        for key in world.links
        if item.id in key[:2]
        and is_shown(world, principal, world.items[key[1] if key[0] == item.id else key[0]])
    }
    told = {(one["src_id"], one["dst_id"]) for one in answer["links"]}
    return [] if told == ends else [f"the links are {told}, and should be {ends}"]


EACH_ALIAS: tuple[Each, ...] = (
    Each("/api/memories", lambda w, p, i: get(w, p, f"/api/memories/{i}"), is_readable),
    Each(
        "/api/memories",
        lambda w, p, i: get(w, p, f"/api/memories/{i}"),
        is_found_by_less,
        length=20,
    ),
    Each(
        "/api/memories/links",
        lambda w, p, i: get(w, p, f"/api/memories/{i}/links"),
        is_readable,
        link_ends,
    ),
    Each(
        "/api/timeline",
        lambda w, p, i: get(w, p, "/api/timeline", anchor_id=i, window_seconds=HOUR),
        is_readable,
    ),
)
