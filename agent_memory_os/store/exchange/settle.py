"""What came from a peer, taken into the file: one short transaction for a few hundred registers.

Everything here was verified before the transaction began. Registers of the organisation and lists
come first, for records are judged by them; then each record that anything has come of; and what the
organisation's change made doubtful is judged again, in transactions of its own (:func:`refresh`),
so that agents' writes are never held up for long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from agent_memory_os.model.authority import kept
from agent_memory_os.model.authority.device import UNKNOWN, signer
from agent_memory_os.model.authority.kept import Kept
from agent_memory_os.model.authority.park import due_at, moves_clock, waits
from agent_memory_os.model.authority.write import again
from agent_memory_os.model.identifier import kind_named
from agent_memory_os.model.memory import from_value
from agent_memory_os.model.register import CONTENT, DEVICE
from agent_memory_os.model.routing.slot import displaced, slot_of
from agent_memory_os.store.database import Database, Snapshot, Transaction
from agent_memory_os.store.exchange import organise, route
from agent_memory_os.store.exchange.arrival import Arrival
from agent_memory_os.store.exchange.chart import Chart, Charts
from agent_memory_os.store.exchange.chart import read as chart_of
from agent_memory_os.store.exchange.held import HeldRegister, Reader
from agent_memory_os.store.exchange.known import Known, placed
from agent_memory_os.store.exchange.log import Logger
from agent_memory_os.store.exchange.record import Records
from agent_memory_os.store.file.pace import Pace
from agent_memory_os.store.queries import Queries
from agent_memory_os.store.registers import Draft
from agent_memory_os.store.write import Writer
from agent_memory_os.value import NamedTuple

_sql = Queries("exchange")

BATCH, MOST = 250, 2_000
"""How much is judged in one transaction, at first and at most (:mod:`pace`)."""

_LITTLE = 20
"""So many registers that were written here are placed by the way."""

_ORGANISATION = ("acc_", "agt_", "team_", "prj_")


class Parcel(NamedTuple):
    """What is taken in at once: registers, and lists."""

    arrivals: list[Arrival]
    lists: list[Kept]


class Refused(NamedTuple):
    """A register that can never be taken, and why."""

    arrival: Arrival
    reason: str


def take(
    transaction: Transaction, parcel: Parcel, source: int | None, charts: Charts
) -> list[Refused]:
    """Take a parcel in; return what of it was refused, which changed nothing."""
    refused: list[Refused] = []
    sound: list[Arrival] = []
    for arrival in parcel.arrivals:
        if arrival.fault:
            refused.append(Refused(arrival, arrival.fault))
        else:
            sound.append(arrival)
    chart = charts.read(transaction)
    is_placed = _catch_up(transaction, chart)
    logger = Logger(transaction, source)
    first = logger.number + 1
    sound = _vouched(chart, sound, refused)
    about = [one for one in sound if one.register.object.startswith(_ORGANISATION)]
    if about or parcel.lists:
        chart = _organise(transaction, chart, about, parcel.lists, logger)
    records: dict[str, list[Arrival]] = {}
    stamp = 0
    for arrival in sound:
        register = arrival.register
        if register.stamp > stamp and moves_clock(register, transaction.now):
            stamp = register.stamp
        if register.object.startswith(_ORGANISATION):
            continue
        if waits(register, transaction.now):
            line = bytearray(arrival.line)
            value = arrival.said.decode()
            row = (arrival.name, due_at(register), register.object, register.group, value, line)
            transaction.execute(_sql["park"], row)
            # What waits may keep a content that would be dropped else.
            transaction.execute(_sql["mark_stale"], (register.object,))
        else:
            records.setdefault(register.object, []).append(arrival)
    if stamp:
        transaction.execute(_sql["raise_stamp"], (stamp,))
    behind = settle(transaction, chart, records, logger)
    if is_placed:
        transaction.execute(_sql["set_placed"], (route.newest(transaction),))
    logger.keep_arrival(first)
    _sign_again(transaction, chart, behind)
    return refused


def _sign_again(transaction: Transaction, chart: Chart, behind: list[str]) -> None:
    """Sign the newest content of memories of this account for the scopes that have another one.

    An edit and a share on two devices had not seen each other: each scope is to have the edit.
    """
    if not behind:
        return
    writer, held = Writer(transaction), Reader(transaction).of(behind)
    for memory in behind:
        view = chart.view.about({one.name: one.register for one in held[memory]})
        newest = view.memories.own(memory)
        if newest is not None:
            content, _ = from_value(newest[1].value)
            draft = Draft(memory, CONTENT, {}, newest[1].proof, again(view, memory))
            writer.put_content(draft, content, is_again=True)
    writer.close()


def _vouched(chart: Chart, arrivals: list[Arrival], refused: list[Refused]) -> list[Arrival]:
    """Return what was signed by devices that their authors' accounts have certified.

    The others are refused for now: their certificates may still come.
    """
    held, certified = chart.view.held, set[tuple[str, str]]()
    found: list[Arrival] = []
    for arrival in arrivals:
        register = arrival.register
        by = (register.author, register.device)
        if by not in certified:
            if signer(register) == "device" and not held.of(by[0], DEVICE + by[1]):
                refused.append(Refused(arrival, UNKNOWN))
                continue
            if signer(register) == "device":
                certified.add(by)
        found.append(arrival)
    return found


def _organise(
    transaction: Transaction,
    chart: Chart,
    arrivals: list[Arrival],
    lists: list[Kept],
    logger: Logger,
) -> Chart:
    """Take in what is about the organisation; return the chart that follows."""
    is_new = False
    for one in lists:
        name = kept.digest(one)
        if name not in chart.view.held.lists:
            body = bytearray(kept.entries_bytes(one))
            transaction.execute(_sql["keep_list"], (name, one.scope, body))
            is_new = True
    for arrival in arrivals:
        held = chart.entries.get(arrival.name)
        if held is not None:
            logger.sign(held, arrival.signature)
            continue
        is_new = True
        beside = [
            one
            for one in chart.entries.values()
            if (one.register.object, one.register.group)
            == (arrival.register.object, arrival.register.group)
        ]
        _log(chart, arrival, beside, logger)
    if not is_new:
        return chart
    logger.flush()
    after = chart_of(transaction)
    organise.organise(transaction, after)
    organise.mark_stale(transaction, chart, after)
    return after


def _log(chart: Chart, arrival: Arrival, beside: list[HeldRegister], logger: Logger) -> None:
    slot = slot_of(arrival.register)
    now = logger.transaction.now
    if slot is not None and not waits(arrival.register, now):
        rivals = [
            one for one in beside if slot_of(one.register) == slot and not waits(one.register, now)
        ]
        versions = [(one.name, one.register) for one in rivals]
        versions.append((arrival.name, arrival.register))
        gone = set(displaced(versions, frozenset()))
        if arrival.name in gone:
            return
        for one in rivals:
            if one.name in gone:
                logger.drop(one)
                chart.entries.pop(one.name, None)
        beside = [one for one in beside if one.name not in gone]
    logger.keep_proof(arrival.register)
    chart.entries[arrival.name] = logger.put(arrival, beside)


def settle(
    transaction: Transaction, chart: Chart, records: Mapping[str, list[Arrival]], logger: Logger
) -> list[str]:
    """Settle some objects with what has come of them, memories before links.

    Return the memories of this account that have to be signed again for some scope.
    """
    knows = Known(transaction, records)
    held = Reader(transaction).of(knows.met) if knows.met else {}
    at_work = Records(transaction, chart, logger, knows)
    for object_id in sorted(records, key=lambda name: (name.startswith("lnk_"), name)):
        known, new = held.get(object_id, []), records[object_id]
        if kind_named(object_id) is None:
            at_work.keep(object_id, known, new)
            continue
        ends: list[HeldRegister] = []
        if object_id.startswith("lnk_"):
            at_work.flush()
            proofs = [one.register.proof for one in known] + [one.register.proof for one in new]
            found = Reader(transaction).of(proofs[0][:2] if proofs else ())
            ends = [one for registers in found.values() for one in registers]
            for one in new:
                logger.keep_proof(one.register)
        at_work.settle(object_id, known, new, ends)
    at_work.close()
    return at_work.behind


def call_again(transaction: Transaction) -> None:
    """Have the agents of other accounts called as those accounts' peers are called now."""
    organise.organise(transaction, chart_of(transaction))


def refresh(database: Database) -> int:
    """Judge again what became doubtful, and place what was written here; return how many.

    In short transactions, so that agents' writes come in between.
    """
    count, charts, pace = 0, Charts(), Pace(database, BATCH, MOST)
    _ripen(database)
    while _is_behind(database):
        with pace.write() as transaction:
            objects = [row[0] for row in transaction.rows(_sql["stale"], (pace.size,))]
            if objects:
                chart, logger = charts.read(transaction), Logger(transaction)
                behind = settle(transaction, chart, {one: [] for one in objects}, logger)
                _sign_again(transaction, chart, behind)
            else:
                objects = _unplaced(transaction, pace.size)
                place(transaction, charts.read(transaction), objects)
        pace.done(len(objects))
        count += len(set(objects))
    return count


def _is_behind(database: Database) -> bool:
    """Say whether there is anything to judge or place: for nothing nobody else has to wait."""
    with database.read() as snapshot:
        is_placed = snapshot.value(_sql["placed"]) >= route.newest(snapshot)
        return not is_placed or bool(snapshot.rows(_sql["stale"], (1,)))


def _ripen(database: Database) -> None:
    """Make the organisation follow from what was ahead of the clock and is due by now."""
    with database.read() as snapshot:
        at = snapshot.value(_sql["ripens_at"])
        if at is None or at > snapshot.now:
            return
    with database.write() as transaction:
        at = transaction.value(_sql["ripens_at"])
        if at is not None and at <= transaction.now:
            after = chart_of(transaction)
            organise.organise(transaction, after)
            organise.mark_stale(transaction, chart_of(transaction, at - 1), after)


def place(transaction: Transaction, chart: Chart, objects: list[str]) -> None:
    """Place what was written here: the view shows it already."""
    reader, logger = Reader(transaction), Logger(transaction)
    at_work = Records(transaction, chart, logger, placed(transaction, objects))
    wanted = dict.fromkeys(objects)
    for name, plain in reader.plain(wanted, chart.view.plains).items():
        if at_work.place_plain(name, plain):
            del wanted[name]
    for object_id, held in reader.of(wanted).items() if wanted else ():
        registers = {one.name: one.register for one in held}
        if object_id.startswith("lnk_"):
            ends = reader.of(held[0].register.proof[:2])
            registers |= {one.name: one.register for found in ends.values() for one in found}
        view = chart.view.about(registers)
        at_work.place(view, object_id, {one.name: one for one in held})
    at_work.close()


def _catch_up(transaction: Transaction, chart: Chart) -> bool:
    """Place what was written here meanwhile, where it is little; say whether all is placed."""
    if transaction.value(_sql["placed"]) < route.newest(transaction):
        place(transaction, chart, _unplaced(transaction, _LITTLE))
    return bool(transaction.value(_sql["placed"]) >= route.newest(transaction))


def _unplaced(transaction: Transaction, limit: int) -> list[str]:
    """Return what is to be placed next, by its registers; it counts as placed from now on."""
    placed, newest = transaction.value(_sql["placed"]), route.newest(transaction)
    if placed >= newest:
        return []
    rows = transaction.rows(_sql["unplaced"], (placed, limit))
    until = newest if len(rows) < limit else rows[-1][1]
    transaction.execute(_sql["set_placed"], (until,))
    return [row[0] for row in rows]


def due(snapshot: Snapshot) -> list[tuple[str, bytes]]:
    """Return parked registers whose time has come: the digest and the line of each."""
    return [(row[0], row[1]) for row in snapshot.rows(_sql["due"], (snapshot.now,))]


def unpark(transaction: Transaction, names: Iterable[str]) -> None:
    """Forget parked registers that were taken in."""
    transaction.many(_sql["unpark"], [(name,) for name in names])


def account_of(snapshot: Snapshot) -> Callable[[str], str | None]:
    """Return what looks up the account of a device that is certified, and not revoked."""

    def found(device: str) -> str | None:
        account: str | None = snapshot.value(_sql["account_of"], (device,))
        return account

    return found


def is_revoked(snapshot: Snapshot, device: str) -> bool:
    """Say whether a device was revoked by its account, as far as is known here."""
    return bool(snapshot.value(_sql["device_state"], (device,)) == "revoked")


def keep_signatures(transaction: Transaction, made: Iterable[tuple[int, bytes]]) -> None:
    """Keep signatures that were made when registers were first sent, by their numbers."""
    rows = [(bytearray(signature), lseq) for lseq, signature in made]
    transaction.many(_sql["keep_signature"], rows)


def known_source(snapshot: Snapshot, device: str, index: str) -> int | None:
    """Return the number of a device that brought registers under an index, if it has one."""
    found: int | None = snapshot.value(_sql["source"], (device, index))
    return found


def source_of(transaction: Transaction, device: str, index: str) -> int:
    """Return the number of a device that brings registers, with the index that it has now."""
    found: int | None = transaction.value(_sql["source"], (device, index))
    return found or transaction.execute(_sql["add_source"], (device, index))
