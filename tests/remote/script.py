"""What is done to both nodes of a pair: every method of every noun, in order, faults among them.

A step takes the side that it is done to; what later steps need of it is put by in ``held``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from agent_memory_os.model.principal import Principal
from agent_memory_os.model.recall import Filter, RecallRequest
from agent_memory_os.service.memories import Outcome
from agent_memory_os.service.memory.add import NewMemory
from tests.remote.pair import Side

OPERATOR = Principal.operator()


class Step(NamedTuple):
    """One act: the method that it tries (``noun.method``), what it is about, and the act."""

    method: str
    about: str
    act: Callable[[Side], Any]


def held(name: str, side: Side) -> str:
    """Return the id of a memory that was put by."""
    return str(side.held[name])


def put(name: str, side: Side, outcome: Outcome) -> Outcome:
    """Put a memory's id by."""
    side.held[name] = outcome.memory.id
    return outcome


def adding(name: str, who: str, new: NewMemory, audience: str = "private") -> Step:
    """Return the step that an agent adds something, which is put by under a name."""
    return Step(
        "memories.add",
        name,
        lambda s: put(name, s, s.node.memories.add(s.agent(who), new, audience)),
    )


def asked(side: Side, query: str, **narrow: Any) -> RecallRequest:  # noqa: ANN401 - any field
    """Return a request at the side's time."""
    return RecallRequest(query, side.clock.now, **narrow)


def on(method: str, about: str, *given: Any, who: str = "ann", **more: Any) -> Step:  # noqa: ANN401
    """Return a step on memories that stand in ``given`` as ``@NAME``."""

    def act(side: Side) -> Any:  # noqa: ANN401 - whatever it returns
        principal = OPERATOR if who == "operator" else side.agent(who)
        real = [held(one[1:], side) if str(one).startswith("@") else one for one in given]
        done = attrgetter(method)(side.node)(principal, *real, **more)
        return list(done) if isinstance(done, Iterator) else done

    return Step(method, about, act)


def plain(method: str, *given: Any, **more: Any) -> Step:  # noqa: ANN401 - any of a method's
    """Return a step that takes no principal."""

    def act(side: Side) -> Any:  # noqa: ANN401 - whatever it returns
        done = attrgetter(method)(side.node)(*given, **more)
        return list(done) if isinstance(done, Iterator) else done

    return Step(method, " ".join(map(str, given)), act)


EVERY_FIELD = NewMemory(
    "Früh um 8: deploys go out — “Tuesdays” 🚀 \u2028 and nothing\telse\n\nzweite Zeile",
    type="procedure",
    summary="Wann 发布",
    tags=("ship", "Größe"),
    source={"file": "a/b.md", "line": 3, "nested": {"list": [1, "zwei", None, True]}},
    author="Anna Ö.",
    session="talk/7 ?&#",
    position=-4,
    event_at=-1_000_001,
    confidence=333,
    importance=999,
    pinned=True,
    valid_from=1,
    valid_to=253_402_300_799_999,
    expires_at=253_402_300_799_998,
    half_life_days=90,
)
SECRET = "The key is AKIAZ7QX2MN4PL8RTVWY and stays."
FIELDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("no content", {"content": "  "}),
    ("no text", {"content": 7}),
    ("a type that there is not", {"type": "rumour"}),
    ("a weight beyond", {"importance": 1001}),
    ("a weight that is no number", {"confidence": "much"}),
    ("tags that are no texts", {"tags": (1,)}),
    ("a blank tag", {"tags": (" ",)}),
    ("too many tags", {"tags": tuple(map(str, range(200)))}),
    ("a long author", {"author": "x" * 3000}),
    ("a source that is no JSON", {"source": {"x": {1, 2}}}),
    ("a source that is none", {"source": [1]}),
    ("a deep source", {"source": {"x": {"x": {"x": {"x": {"x": {"x": {"x": {"x": {}}}}}}}}}}),
    ("an order of times", {"valid_from": 5, "valid_to": 4}),
    ("a time beyond", {"event_at": 2**60}),
    ("a time that is none", {"expires_at": "soon"}),
    ("a half-life below", {"half_life_days": -1}),
    ("a position beyond", {"position": 2**70}),
    ("too much", {"content": "x" * 1_048_577}),
    ("too much of a summary", {"summary": "x" * 100_000}),
    ("no flag", {"pinned": "yes"}),
)
ODD_IDS = (
    "",
    " ",
    "mem_",
    "mem_abc",
    "mem_" + "a" * 32,
    "..",
    ".",
    "a/b",
    "a?b",
    "%2e",
    "me\nm",
    "#",
)

ADDS = (
    adding("first", "ann", EVERY_FIELD, "team:apollo, agent:eve"),
    adding("again", "ann", EVERY_FIELD, "team:apollo, agent:eve"),
    adding("second", "ann", NewMemory("The gateway listens on 8000."), "global"),
    adding("third", "bob", NewMemory("The gateway listens on 9000.", key="k /ü"), "team:apollo"),
    adding("repeated", "bob", NewMemory("The gateway listens on 9000.", key="k /ü"), "team:apollo"),
    adding("reused", "bob", NewMemory("Another one.", key="k /ü"), "team:apollo"),
    adding("masked", "ann", NewMemory(SECRET)),
    adding("kept", "ann", NewMemory(SECRET, allow_secrets=True)),
    adding("numbers", "ann", NewMemory("numbers", source={"x": [1.5, 2.0, -0.0, 10**15]})),
    adding("surrogate", "ann", NewMemory("lone \ud800 half\0", tags=("\udfff",), key="x\ud800")),
    adding("of eve", "eve", NewMemory("Eve's own."), "project:apollo/site"),
    *(
        adding(f"refused: {audience}", "ann", NewMemory("never"), audience)
        for audience in ("globl", "team:ghost", "team:apolo", "agent:nobody", "", "project:site")
    ),
    *(
        adding(f"refused: {about}", "ann", NewMemory(**{"content": "never", **fields}))
        for about, fields in FIELDS
    ),
    on("memories.add", "for nobody", NewMemory("whose?"), who="operator"),
    on("memories.add", "for a ghost", NewMemory("whose?"), owner="ghost", who="operator"),
    on("memories.add", "for eve", NewMemory("For Eve."), owner="eve", who="operator"),
    on("memories.add", "another's", NewMemory("Mine."), owner="bob", who="eve"),
    on(
        "memories.add_many",
        "many",
        [(NewMemory(f"note {number}", tags=(f"t{number % 3}",)), "global") for number in range(7)],
    ),
    on("memories.add_many", "none", []),
    on(
        "memories.add_many",
        "one is bad",
        [(NewMemory("fine"), "private"), (NewMemory(""), "global")],
    ),
    on(
        "memories.add_many",
        "for bob",
        [(NewMemory("For Bob.", key="b"), "private")],
        owner="bob",
        who="operator",
    ),
)

READS = (
    *(on("memories.get", who, "@first", who=who) for who in ("ann", "bob", "eve", "operator")),
    on("memories.get", "hidden", "@masked", who="bob"),
    *(on("memories.get", repr(odd), odd) for odd in ODD_IDS),
    Step(
        "memories.get",
        "by less",
        lambda s: s.node.memories.get(s.agent("ann"), held("first", s)[:14]),
    ),
    on("memories.list", "all", Filter(), 3),
    Step(
        "memories.list",
        "the next page",
        lambda s: s.node.memories.list(
            s.agent("ann"),
            Filter(),
            3,
            s.node.memories.list(s.agent("ann"), Filter(), 3).following,
        ),
    ),
    on("memories.list", "no cursor", Filter(), 3, "nothing"),
    on("memories.list", "no limit", Filter(), 0),
    on("memories.list", "a word for a limit", Filter(), "many"),
    *(
        on("memories.list", repr(wanted), wanted, who=who)
        for who in ("ann", "operator")
        for wanted in (
            Filter(types=("procedure", "note"), tags=("ship",)),
            Filter(owner="bob"),
            Filter(owner="nobody"),
            Filter(author="Anna Ö.", session="talk/7 ?&#"),
            Filter(pinned=True),
            Filter(pinned=False, state="all"),
            Filter(since=2_000_000_001_000, until=2_000_000_010_000),
            Filter(since=-(2**62), until=2**62, time_field="event"),
            Filter(types=("rumour",)),
            Filter(state="lost"),
            Filter(time_field="never"),
            Filter(tags=(7,)),  # type: ignore[arg-type]
            Filter(since="now"),  # type: ignore[arg-type]
        )
    ),
    on("memories.session", "one's own", "talk/7 ?&#"),
    on("memories.session", "another's, some of it", "standup", "ann", 1, who="eve"),
    on("memories.session", "of nobody", "standup", "nobody"),
    on("memories.session", "with a slash", "a/b c"),
    on("memories.session", "without a name", " "),
    on("memories.session", "of no size", "standup", None, 0),
    on("memories.session", "by a foreign cursor", "standup", None, 5, "x"),
    on("memories.session", "the operator's", "standup", who="operator"),
    on("memories.timeline", "around a memory", "@second", Filter(), 4),
    on("memories.timeline", "around an instant", 2_000_000_003_000, Filter(), 5),
    on("memories.timeline", "by its event", "@first", Filter(time_field="event"), who="eve"),
    on("memories.timeline", "within a window", "@second", Filter(), 9, 1500),
    on("memories.timeline", "within none", "@second", Filter(), 9, -1),
    on("memories.timeline", "around nothing", "", Filter()),
    on("memories.timeline", "around what is hidden", "@masked", Filter(), who="bob"),
    on("memories.timeline", "in no order", "@first", Filter(), -1),
    on("memories.owners", "ann", who="ann"),
    on("memories.owners", "operator", who="operator"),
    on("memories.history", "short", "@first", who="eve"),
)


def searching(about: str, query: str, who: str = "ann", **narrow: Any) -> tuple[Step, ...]:  # noqa: ANN401
    """Return the steps that search and pack for a query."""

    def principal(side: Side) -> Principal:
        return OPERATOR if who == "operator" else side.agent(who)

    return (
        Step(
            "recall.search",
            about,
            lambda s: s.node.recall.search(principal(s), asked(s, query, **narrow), explain=True),
        ),
        Step(
            "recall.search",
            f"{about}, for a pack",
            lambda s: s.node.recall.search(
                principal(s), asked(s, query, **narrow), superseded=False
            ),
        ),
        Step(
            "recall.pack",
            about,
            lambda s: s.node.recall.pack(principal(s), asked(s, query, **narrow), 300),
        ),
        Step(
            "recall.pack",
            f"{about}, counted",
            lambda s: s.node.recall.pack(
                principal(s), asked(s, query, **narrow), 600, counter=len, superseded=True
            ),
        ),
    )


def packing(budget: Any) -> Step:  # noqa: ANN401 - what is no budget, too
    """Return the step that packs within a budget."""
    return Step(
        "recall.pack",
        f"a budget of {budget!r}",
        lambda s: s.node.recall.pack(s.agent("ann"), asked(s, "x"), budget),
    )


RECALL = (
    *searching("by words", "where does the gateway listen?"),
    *searching("as the operator", "gateway", "operator"),
    *searching("nothing", "zebra"),
    *searching("pinned and recent", "", pinned=True, recent=True, limit=5),
    *searching("narrowed", "gateway deploys", types=("procedure",), tags=("ship",), owner="ann"),
    *searching("by a span", "gateway", span=(2_000_000_000_000, 2_000_000_009_000)),
    *searching("by author", "deploys", author="Anna Ö.", session="talk/7 ?&#"),
    *searching("at length", "发布 gateway " * 3000),
    *searching("with oddities", "\ud800 \0 “x” OR NOT * \u2028"),
    *searching("beyond", "x", limit=0),
    *searching("a type that there is not", "x", types=("rumour",)),
    *searching("no time", "x", time_field="never"),
    *(packing(budget) for budget in (31, 0, 10**9, "much", 1.5)),
)

CHANGES = (
    on("memories.edit", "words", "@second", {"content": "Port 8001."}, "it moved — ü"),
    on("memories.edit", "nothing", "@second", {"content": "Port 8001."}, "again"),
    on(
        "memories.edit",
        "every field",
        "@second",
        {
            "type": "fact",
            "summary": "s",
            "tags": ("a", "b"),
            "source": {"y": 1},
            "author": "A",
            "session": "S",
            "position": 3,
            "event_at": 5,
            "confidence": 1,
            "importance": 2,
            "pinned": True,
            "valid_from": 3,
            "valid_to": 4,
            "expires_at": 2_100_000_000_000,
            "half_life_days": 0,
        },
    ),
    on(
        "memories.edit",
        "back to nothing",
        "@second",
        {"event_at": None, "valid_to": None, "tags": ()},
    ),
    on("memories.edit", "of a version", "@second", {"pinned": False}, version=4),
    on("memories.edit", "of a stale one", "@second", {"pinned": True}, version=1),
    on("memories.edit", "a secret", "@second", {"content": SECRET}),
    on("memories.edit", "a secret on purpose", "@second", {"content": SECRET}, allow_secrets=True),
    on("memories.edit", "another's", "@first", {"content": "mine"}, who="eve"),
    on("memories.edit", "a hidden one", "@masked", {"content": "mine"}, who="bob"),
    on("memories.edit", "as the operator", "@third", {"importance": 7}, "by hand", who="operator"),
    on("memories.edit", "no field", "@second", {"colour": "red"}),
    on("memories.edit", "what is not edited", "@second", {"life": 3}),
    *(
        on("memories.edit", f"refused: {about}", "@second", fields)
        for about, fields in FIELDS
        if about != "an order of times"
    ),
    on("memories.edit", "a long reason", "@second", {"pinned": True}, "x" * 100_000),
    on("memories.history", "long", "@second"),
    on("memories.history", "the operator's", "@third", who="bob"),
    on("memories.history", "a hidden one", "@masked", who="bob"),
    on("memories.as_of", "then", "@second", 2_000_000_004_000),
    on("memories.as_of", "before", "@second", 0),
    on("memories.as_of", "beyond", "@second", 2**62),
    on("memories.share", "wider", "@masked", "agent:bob, team:apollo"),
    on("memories.share", "again", "@masked", "agent:bob"),
    on("memories.share", "with a ghost", "@masked", "agent:bbo"),
    on("memories.share", "with nobody", "@masked", "private"),
    on("memories.share", "another's", "@masked", "global", who="bob"),
    on("memories.revoke", "one", "@masked", "agent:bob"),
    on("memories.revoke", "what it is not", "@masked", "global"),
    on("memories.revoke", "all", "@masked"),
    on("memories.revoke", "nothing", "@masked"),
    on("memories.link", "plain", "@first", "@second"),
    on("memories.link", "weighed", "@first", "@third", "derived_from", 1),
    on("memories.link", "of no kind", "@first", "@second", "likes"),
    on("memories.link", "of no weight", "@first", "@second", "related_to", 0),
    on("memories.link", "of too much", "@first", "@second", "related_to", 1001),
    on("memories.link", "to itself", "@first", "@first"),
    on("memories.link", "to nothing", "@first", "mem_" + "b" * 32),
    on("memories.link", "to no id", "@first", "../x"),
    on("memories.links", "some", "@first"),
    on("memories.graph", "two hops", "@first", 2),
    on("memories.links", "for another", "@first", who="eve"),
    on("memories.unlink", "one", "@first", "@second"),
    on("memories.unlink", "again", "@first", "@second"),
    on("memories.unlink", "another's", "@first", "@third", "derived_from", who="bob"),
    on("memories.supersede", "one's own", "@numbers", "@kept"),
    on("memories.supersede", "another's", "@third", "@first"),
    on("memories.supersede", "with another's", "@first", "@third"),
    on("memories.forget", "one", "@kept"),
    on("memories.forget", "again", "@kept"),
    on("memories.get", "a forgotten one", "@kept"),
    on("memories.list", "forgotten", Filter(state="forgotten")),
    on("memories.bring_back", "it", "@kept"),
    on("memories.bring_back", "what is there", "@kept"),
    on("memories.bring_back", "another's", "@kept", who="bob"),
    Step(
        "memories.erase",
        "two",
        lambda s: s.node.memories.erase(s.agent("ann"), [held("kept", s)[:16], held("numbers", s)]),
    ),
    Step(
        "memories.erase",
        "all or none",
        lambda s: s.node.memories.erase(s.agent("ann"), [held("masked", s), held("third", s)]),
    ),
    on("memories.erase", "none", []),
    on("memories.get", "what was not erased", "@masked"),
    on("memories.forget_owner", "as an agent", "bob"),
    on("memories.forget_owner", "a ghost", "ghost", who="operator"),
    on("memories.forget_owner", "eve", "eve", who="operator"),
    *RECALL[:8],
)
