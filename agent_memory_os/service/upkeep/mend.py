"""Mending: what can be made anew is, and nothing else is touched.

The view and the index are made anew in turns, so that others hardly wait. Whoever dies half way
leaves what was there with what was mended by then, and the rest is mended when it is asked for
again. A file that is damaged as a database is not written to at all: what is damaged is named, and
a backup is the way back. Contents are the one thing that nothing else holds: they are verified, and
never changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from agent_memory_os.errors import DamagedDatabase
from agent_memory_os.service.context import OPERATOR, Context
from agent_memory_os.service.memory.change import UNDO_MS
from agent_memory_os.service.memory.erase import finish
from agent_memory_os.service.upkeep import doctor, home
from agent_memory_os.service.upkeep.report import counted
from agent_memory_os.store import audit, memories
from agent_memory_os.store.database import Snapshot
from agent_memory_os.store.file.copy import remove
from agent_memory_os.store.file.disk import claimed, told_as_refusal
from agent_memory_os.store.upkeep import index, structure, sweep, view
from agent_memory_os.store.upkeep.progress import Progress, part, unwatched
from agent_memory_os.store.upkeep.reindex import rebuild as rebuild_index
from agent_memory_os.store.write import writing

_BATCH = 50

_SHARE_OF_VIEW, _SHARE_OF_INDEX = 0.1, 0.4
"""How much of the time it takes to look at these, about, where the index is to be made anew."""


def mend(context: Context, progress: Progress = unwatched) -> Iterator[str]:
    """Mend what can be mended without loss; yield a line for each thing that was done."""
    with told_as_refusal(context.home), claimed(context.home):
        yield from _close_to_others(context)
        _refuse_damaged(context)
        yield from _make_anew(context, progress)
        yield from _let_go(context)
        yield from _remove_broken(context)


def reindex(context: Context, progress: Progress = unwatched) -> int:
    """Make the index anew from the memories; return how many it holds."""
    _refuse_damaged(context)
    with told_as_refusal(context.home), claimed(context.home):
        return rebuild_index(context.database, progress)


def purge(context: Context) -> int:
    """Erase the memories whose days of undo are over; return how many."""
    ids: list[str] = []
    texts: list[str] = []
    while True:
        with writing(context.database) as writer:
            overdue = memories.overdue(writer.transaction, UNDO_MS, _BATCH)
            for memory_id in overdue:
                texts += writer.erase(memory_id)
                audit.add(writer.transaction, OPERATOR, "purge", memory_id)
        ids += overdue
        if len(overdue) < _BATCH:
            break
    if ids:
        finish(context, ids, texts)
    return len(ids)


def _close_to_others(context: Context) -> Iterator[str]:
    for path in [context.home, *home.private_files(context)]:
        if home.open_to_others(path):
            os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)
            yield f"{path} is yours alone now."


def _refuse_damaged(context: Context) -> None:
    faults = doctor.file_faults(context, thorough=False)
    if faults:
        raise DamagedDatabase(
            f"{' '.join(faults)} The file was left as it is: what is damaged there cannot be made "
            "anew.",
            "restore",
        )


def _make_anew(context: Context, progress: Progress) -> Iterator[str]:
    with context.database.read() as snapshot:
        lost = structure.schema_faults(snapshot)
        _refuse_other_schema(context, lost)
        _refuse_altered(context, snapshot)
        is_view_wrong = bool(view.view_faults(snapshot))
    progress(_SHARE_OF_VIEW)
    watched = part(progress, _SHARE_OF_INDEX)
    is_index_wrong = is_view_wrong or bool(
        index.faults(context.database, thorough=True, progress=watched)
    )
    if not lost and not is_index_wrong:
        return
    if lost:
        with context.database.write() as transaction:
            structure.mend(transaction)
        yield f"What was missing was made again: {'; '.join(lost)}."
    if is_view_wrong:
        view.rebuild(context.database)
        yield "Organisation, grants, lives and links were made anew from their registers."
    if is_index_wrong:
        rest = 1 - _SHARE_OF_VIEW - _SHARE_OF_INDEX
        count = rebuild_index(context.database, part(progress, rest))
        yield f"The search index was made anew; it holds {counted(count)}."


def _refuse_altered(context: Context, snapshot: Snapshot) -> None:
    faults = view.register_faults(snapshot)
    if faults:
        raise DamagedDatabase(
            f"What all else follows from is damaged in {context.database.path} "
            f"({'; '.join(fault.sentence for fault in faults)}); it was left as it is.",
            "restore",
        )


def _refuse_other_schema(context: Context, faults: Sequence[str]) -> None:
    grave = [fault for fault in faults if not structure.is_mendable(fault)]
    if grave:
        raise DamagedDatabase(
            f"The schema of {context.database.path} is not ours ({'; '.join(grave)}); it was left "
            "as it is.",
            "restore",
        )


def _let_go(context: Context) -> Iterator[str]:
    purged = purge(context)
    if purged:
        yield f"Of what was forgotten long ago, {purged:,} are gone for good."
    with context.database.read() as snapshot:
        due = sweep.pending(snapshot)
    if due:
        sweep.sweep(context.database)
        yield "Nothing is left in the file of what was erased."


def _remove_broken(context: Context) -> Iterator[str]:
    for path in home.broken_files(context):
        remove(path)
        yield f"{path}, which was never finished, is removed."
