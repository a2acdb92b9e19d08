"""Whether what is shown of others' memories and links is what the rules make of their registers.

Where nothing came from another device, the longest register says what is shown. Where something
did, a register may not count: its author was removed, or its device revoked. So the rules are asked
as they are when something comes, and what is shown otherwise is judged anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.model.routing.shown import shown, shown_link
from agent_memory_os.store import memories
from agent_memory_os.store.database import Database, Snapshot, Transaction
from agent_memory_os.store.exchange import chart as charts
from agent_memory_os.store.exchange import organise as organisation
from agent_memory_os.store.exchange import settle
from agent_memory_os.store.exchange.chart import Chart
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from agent_memory_os.store.exchange.known import Known
from agent_memory_os.store.file.value import VALUE_ERRORS
from agent_memory_os.store.queries import Queries

_sql = Queries("upkeep")
_exchange_sql = Queries("exchange")
_BATCH = 250


def is_needed(snapshot: Snapshot) -> bool:
    """Say whether anything here may have come from another device."""
    return bool(snapshot.value(_exchange_sql["any_source"]))


def organise(source: Snapshot, target: Transaction) -> None:
    """Make the organisation in ``target`` follow from the rules, as ``source`` holds it."""
    if source is not target:
        # After them the agents of other accounts are called.
        target.many(_sql["put_peers"], source.rows(_sql["ground_peers"]))
    organisation.organise(target, charts.read(source))


def wrong(snapshot: Snapshot, flagged: Iterable[str] = ()) -> list[str]:
    """Return the memories and links that are shown otherwise than the rules would have it.

    Looked at are all that others have a say in, and of the account's own memories those that are
    ``flagged``. What waits to be judged again is not wrong.
    """
    names = sorted({row[0] for row in snapshot.rows(_sql["judged"])}.union(flagged))
    chart = charts.read(snapshot)
    found: list[str] = []
    for at in range(0, len(names), _BATCH):
        found += _wrong_among(snapshot, chart, names[at : at + _BATCH])
    return found


def rebuild(database: Database, names: Sequence[str]) -> None:
    """Judge memories and links anew."""
    if not names:
        return
    with database.write() as transaction:
        transaction.many(_exchange_sql["mark_stale"], [(name,) for name in names])
    settle.refresh(database)


def _wrong_among(snapshot: Snapshot, chart: Chart, names: list[str]) -> Iterator[str]:
    known = Known(snapshot, names)
    for name, held in _read(snapshot, names):
        if name in known.stale:
            continue
        if name.startswith("lnk_"):
            is_right = _is_right_link(snapshot, chart, name, held)
        else:
            is_right = _is_right(snapshot, chart, known, name, held)
        if not is_right:
            yield name


def _read(snapshot: Snapshot, names: list[str]) -> Iterator[tuple[str, list[HeldRegister]]]:
    """Yield what is held of each; what cannot be read is told where contents are looked at."""
    try:
        yield from Reader(snapshot).of(names).items()
    except (DamagedDatabase, *VALUE_ERRORS):
        for name in names if len(names) > 1 else ():
            yield from _read(snapshot, [name])


def _is_right(
    snapshot: Snapshot, chart: Chart, known: Known, memory: str, held: list[HeldRegister]
) -> bool:
    view = chart.view.about({one.name: one.register for one in held})
    trusts = view.held.proof(memory)[0] in chart.trusted
    parked = known.parked.get(memory, ())
    found = shown(view, chart.account, memory, trusts=trusts, parked=parked)
    place = known.places.get(memory)
    if place is None:
        return found.content is None or found.is_spent
    if found.content is None or found.is_spent:
        return found.is_dead and not found.is_spent and place.state == "forgotten"
    return place.state == "active" and memories.granted(snapshot, place.row) == found.scopes


def _is_right_link(snapshot: Snapshot, chart: Chart, link: str, held: list[HeldRegister]) -> bool:
    proof = held[0].register.proof
    ends = Reader(snapshot).of(proof[:2]).values()
    registers = [*held, *(one for end in ends for one in end)]
    view = chart.view.about({one.name: one.register for one in registers})
    found = shown_link(view, chart.account, link)
    # What is not shown has no row that a link could lead to.
    is_shown = found is not None and len(Known(snapshot, proof[:2]).places) == len(set(proof[:2]))
    weight = snapshot.value(_sql["link_weight"], (link,))
    return bool(weight == (found[1].value["weight"] if found and is_shown else None))
