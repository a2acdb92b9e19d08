"""What nodes tell each other in bundles beside registers: the kinds of notice, and their forms.

``index``: the index under which the sender numbers its records now, and the terms that its hello
tells. ``want``: how far the sender took in each route of the reader; who knows that the reader has
the rest tells what is new of it, and a sum of the whole. ``again``: the reader did not have the
rest. ``holds``: in which scopes the sender holds what is others', as
salted hashes. ``known``: which of those the sender has and does not serve the reader, and how new
what it has there is. ``asks``: what the sender holds and is not served, by object.
``cursor``: how far the lines before it bring a route, and for its records from where: whoever is
not as far as that has missed something, and stays where it is. ``list``: a part of a list of what
remains.
``head``: what an author put into a scope. ``address``: where a device says that it is reached.
``dropped``: of what the sender had asked the reader about, what it has no content of any more.
``offer``: which routes the reader is served. ``same``: what stands until it is said otherwise is as
it was said last. ``more``: whether there is more to come.

None is critical: whoever does not know one loses nothing by passing over it but what it is for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from agent_memory_os.errors import InvalidInput
from agent_memory_os.federation.address import ADDRESS
from agent_memory_os.federation.bundle import notice
from agent_memory_os.federation.bundle.notice import Notice
from agent_memory_os.federation.exchange import head, repair
from agent_memory_os.federation.exchange.repair import Leaves, Probe, Sketched
from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.kept import Entry, Kept
from agent_memory_os.model.canonical import digest, fits
from agent_memory_os.model.identifier import sha256
from agent_memory_os.model.routing.cursor import Cursor

INDEX = "index"
WANT = "want"
ASKS = "asks"
HOLDS = "holds"
KNOWN = "known"
CURSOR = "cursor"
LIST = "list"
OFFER = "offer"
MORE = "more"
SAME = "same"
AGAIN = "again"
DROPPED = "dropped"
STANDING = frozenset({WANT, HOLDS, OFFER, KNOWN, repair.TOTALS})
"""What a peer that was asked says of how it stands: it is not said again while it is the same."""

KINDS = STANDING | repair.KINDS | {head.HEAD, INDEX, ASKS, CURSOR, LIST, MORE, SAME}
KINDS |= {ADDRESS, AGAIN, DROPPED}

_LIST_PART = 1_000
_MAX_PARTS = 1_000
_ASK_PART = 500
_MAX_ROUTES = 4_096
_MAX_TEXT = 200
_SCOPE_DOMAIN = "agent-memory scope 1"
_HASH_DIGITS = 16
_SUM_DIGITS = 32


class Holds(NamedTuple):
    """Scopes, told in a way that tells nothing to who does not know them."""

    salt: str
    hashes: frozenset[str]

    def has(self, scope: str) -> bool:
        """Say whether a scope is among them."""
        return hashed(scope, self.salt) in self.hashes


def hashed(scope: str, salt: str) -> str:
    """Return what a scope is told as; the salt is drawn for the occasion."""
    return digest([_SCOPE_DOMAIN, salt, scope]).hex()[:_HASH_DIGITS]


class Want(NamedTuple):
    """What a node asks of another: the index that it has, its cursors, and what it asks about.

    ``probes`` and ``leaves`` are questions about routes that the two hold differently, and nothing
    else is asked with them; ``sketches`` are such questions beside the others. ``seen`` is the sum
    of what the other said last that stands.
    """

    index_id: str = ""
    cursors: Mapping[str, Cursor] = {}
    asks: Mapping[str, tuple[str, ...]] = {}
    holds: Holds | None = None
    probes: tuple[Probe, ...] = ()
    leaves: tuple[Leaves, ...] = ()
    sketches: tuple[Sketched, ...] = ()
    seen: str = ""

    @property
    def is_repair(self) -> bool:
        """Whether nothing is wanted but answers to questions about routes."""
        return bool(self.probes or self.leaves)

    @property
    def sum(self) -> str:
        """What tells this want from another: its cursors, and where it holds something."""
        cursors = [[name, *at] for name, at in sorted(self.cursors.items())]
        holds = self.holds or Holds("", frozenset())
        said = [cursors, holds.salt if holds.hashes else "", sorted(holds.hashes)]
        return digest(said).hex()[:_SUM_DIGITS]


def of_index(index: str, terms: str = "") -> bytes:
    """Return the line that says under which index the sender numbers, and its terms."""
    more = {"terms": terms} if terms else {}
    return notice.to_line(Notice(INDEX, {"index": index, **more}))


def of_want(want: Want, known: Want | None = None) -> Iterator[bytes]:
    """Yield the lines of what is wanted; ``known`` is what the reader knows of it."""
    if want.is_repair:
        yield from map(repair.of_probe, want.probes)
        yield from map(repair.of_leaves, want.leaves)
        return
    is_known = known is not None and known.cursors.keys() <= want.cursors.keys()
    had = known if known is not None and is_known else Want()
    cursors = {name: list(at) for name, at in want.cursors.items() if had.cursors.get(name) != at}
    fields: dict[str, object] = {"cursors": cursors}
    if is_known:
        fields["sum"] = want.sum
    if want.seen:
        fields["seen"] = want.seen
    yield notice.to_line(Notice(WANT, fields))
    holds = want.holds or Holds("", frozenset())
    if holds.hashes if not is_known else holds != (had.holds or Holds("", frozenset())):
        fields = {"salt": holds.salt, "scopes": sorted(holds.hashes)}
        yield notice.to_line(Notice(HOLDS, fields))
    asks = sorted(want.asks.items())
    for at in range(0, len(asks), _ASK_PART):
        part = {name: list(digests) for name, digests in asks[at : at + _ASK_PART]}
        yield notice.to_line(Notice(ASKS, {"about": part}))
    yield from map(repair.of_sketch, want.sketches)


def written_want(want: Want) -> str:
    """Return what a peer wants as it is kept."""
    cursors = {name: list(held) for name, held in want.cursors.items()}
    asks = {name: list(digests) for name, digests in want.asks.items()}
    holds = want.holds or Holds("", frozenset())
    said = [holds.salt, sorted(holds.hashes)] if holds.hashes else []
    kept = {"index": want.index_id, "cursors": cursors, "asks": asks, "holds": said}
    return json.dumps(kept, sort_keys=True)


def want_of(text: str) -> Want | None:
    """Return what a peer wanted last, or ``None`` if it has said nothing yet."""
    if not text:
        return None
    found = json.loads(text)
    cursors = {name: Cursor(*held) for name, held in found["cursors"].items()}
    asks = {name: tuple(digests) for name, digests in found["asks"].items()}
    holds = Holds(found["holds"][0], frozenset(found["holds"][1])) if found["holds"] else None
    return Want(found["index"], cursors, asks, holds)


def whole(said: Want, total: str, known: Want | None) -> Want | None:
    """Return what is wanted, of what is new of it and what was known; ``None`` if it is not all."""
    if not total:
        return said
    had = known or Want()
    holds = had.holds if said.holds is None else said.holds
    found = said._replace(cursors={**had.cursors, **said.cursors}, holds=holds)
    return found if found.sum == total else None


def sum_of(lines: Iterable[bytes]) -> str:
    """Return what tells some lines from others."""
    return sha256(b"".join(lines)).hexdigest()[:_SUM_DIGITS]


class Move(NamedTuple):
    """A route, and how far what came brings it: from ``after`` on.

    Without ``after`` it was the frame that came; then the cursor tells how far the sender believes
    that the records were taken in.
    """

    route: str
    cursor: Cursor
    after: int | None = None


def of_move(move: Move) -> bytes:
    """Return the line that says how far the lines before it bring a route."""
    fields: dict[str, object] = {"route": move.route, "cursor": list(move.cursor)}
    if move.after is not None:
        fields["after"] = move.after
    return notice.to_line(Notice(CURSOR, fields))


def of_offer(routes: list[str]) -> bytes:
    """Return the line that says which routes are served."""
    return notice.to_line(Notice(OFFER, {"routes": routes}))


def of_more(*, is_more: bool) -> bytes:
    """Return the line that says whether there is more to come."""
    return notice.to_line(Notice(MORE, {"more": is_more}))


def of_same() -> bytes:
    """Return the line that says that what stands is as it was said last."""
    return notice.to_line(Notice(SAME, {}))


def of_again() -> bytes:
    """Return the line that asks to say all that is wanted: what is new of it was not enough."""
    return notice.to_line(Notice(AGAIN, {}))


def of_dropped(objects: list[str]) -> bytes:
    """Return the line that says what was dropped, of what the reader was asked about."""
    return notice.to_line(Notice(DROPPED, {"objects": objects}))


def dropped_of(fields: Mapping[str, Any]) -> list[str]:
    """Return what a sender dropped."""
    return [_route(one) for one in _array(fields, "objects")[:_ASK_PART]]


def of_list(listed: Kept) -> Iterator[bytes]:
    """Yield the lines of a list of what remains, in parts."""
    name = kept.digest(listed)
    count = max(1, -(-len(listed.entries) // _LIST_PART))
    for part in range(count):
        entries = [list(one) for one in listed.entries[part * _LIST_PART :][:_LIST_PART]]
        fields = {
            "list": name,
            "scope": listed.scope,
            "part": part,
            "parts": count,
            "entries": entries,
        }
        yield notice.to_line(Notice(LIST, fields))


class Lists:
    """Puts lists together of their parts; at most one is under way."""

    def __init__(self) -> None:
        self._name = ""
        self._entries: list[Entry] = []
        self._part = 0

    def take(self, fields: Mapping[str, Any]) -> Kept | None:
        """Take the next part; return the list where it is whole, and is what it is named by."""
        name, part, parts = _text(fields, "list"), fields.get("part"), fields.get("parts")
        if not isinstance(parts, int) or not 0 < parts <= _MAX_PARTS:
            raise InvalidInput("a list has no end")
        if part == 0:
            self._name, self._entries, self._part = name, [], 0
        if name != self._name or part != self._part:
            raise InvalidInput("a part of a list is missing")
        self._part += 1
        self._entries += [_entry(one) for one in _array(fields, "entries")]
        if self._part != parts:
            return None
        found = Kept(_text(fields, "scope"), tuple(self._entries))
        if kept.digest(found) != name:
            raise InvalidInput("a list is not what it is named by")
        return found


def index_of(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the index that a sender numbers under, and its terms, if it tells them."""
    return _text(fields, "index"), sum_in(fields, "terms")


def sum_in(fields: Mapping[str, Any], name: str) -> str:
    """Return what a notice tells something from another by; nothing where it does not."""
    found = fields.get(name, "")
    if not isinstance(found, str) or len(found) > _MAX_TEXT:
        raise InvalidInput(f"the {name} of a notice is none")
    return found


def cursors_of(fields: Mapping[str, Any]) -> dict[str, Cursor]:
    """Return how far routes were taken in."""
    found = fields.get("cursors")
    if not isinstance(found, dict) or len(found) > _MAX_ROUTES:
        raise InvalidInput("a notice holds no cursors")
    return {_route(route): _cursor(cursor) for route, cursor in found.items()}


def move_of(fields: Mapping[str, Any]) -> Move:
    """Return a route, and how far it is brought from where."""
    after = fields.get("after")
    if after is not None and not fits(after, "count"):
        raise InvalidInput("a notice moves a cursor from nowhere")
    return Move(_text(fields, "route"), _cursor(fields.get("cursor")), after)


def asks_of(fields: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the digests of what is asked about, by object."""
    found = fields.get("about")
    if not isinstance(found, dict) or len(found) > _ASK_PART:
        raise InvalidInput("a notice asks about nothing")
    asks: dict[str, tuple[str, ...]] = {}
    for name, digests in found.items():
        if not fits(digests, "digests") or len(digests) > _ASK_PART:
            raise InvalidInput("a notice asks about what has no digest")
        asks[_route(name)] = tuple(digests)
    return asks


def of_known(known: Mapping[str, int]) -> bytes:
    """Return the line that says which scopes are known, and how new what is there is."""
    return notice.to_line(Notice(KNOWN, {"scopes": known}))


def holds_of(fields: Mapping[str, Any]) -> Holds:
    """Return the scopes in which a sender holds what is others'."""
    hashes = [_route(one) for one in _array(fields, "scopes")[:_MAX_ROUTES]]
    return Holds(_text(fields, "salt"), frozenset(hashes))


def known_of(fields: Mapping[str, Any]) -> dict[str, int]:
    """Return which of the scopes that were told are known, and how new what is there is."""
    found = fields.get("scopes")
    if not isinstance(found, dict) or not all(fits(at, "count") for at in found.values()):
        raise InvalidInput("a notice says nothing of scopes")
    return dict(found)


def routes_of(fields: Mapping[str, Any]) -> list[str]:
    """Return the routes that are offered."""
    return [_route(one) for one in _array(fields, "routes")[:_MAX_ROUTES]]


def _cursor(value: object) -> Cursor:
    match value:
        case [str(origin), str(token), int(lseq)] if (
            len(origin) <= _MAX_TEXT and len(token) <= _MAX_TEXT and fits(lseq, "count")
        ):
            return Cursor(origin, token, lseq)
    raise InvalidInput("a notice holds no cursor")


def _entry(value: object) -> Entry:
    match value:
        case [str(place), int(stamp), str(name)] if fits(place, "digest") and fits(name, "digest"):
            return Entry(place, stamp, name)
    raise InvalidInput("an entry of a list is none")


def _route(value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_TEXT:
        raise InvalidInput("a notice names no route")
    return value


def _text(fields: Mapping[str, Any], name: str) -> str:
    return _route(fields.get(name))


def _array(fields: Mapping[str, Any], name: str) -> list[Any]:
    found = fields.get(name)
    if not isinstance(found, list):
        raise InvalidInput(f"the {name} of a notice are no array")
    return found
