"""Whether a file is sound in every way that can be told: asked where something went wrong in it."""

from __future__ import annotations

from collections.abc import Callable

from agent_memory_os.errors import Damaged, ForeignDatabase, NewerSchema
from agent_memory_os.store.database import Database
from agent_memory_os.store.file import migrate
from agent_memory_os.store.upkeep import index, structure, view


def is_sound(path: str, clock: Callable[[], int], chance: Callable[[], float]) -> bool:
    """Say whether pages, references, contents, registers, the view and the index are as they were.

    It looks and changes nothing. A file that is none of ours is not judged.
    """
    database = Database(path, clock, chance, is_doubted=True)
    try:
        with database.read() as snapshot:
            migrate.version_of(snapshot, path)
            return not (
                structure.page_faults(snapshot, thorough=True)
                or structure.reference_faults(snapshot)
                or view.content_faults(snapshot)
                or view.register_faults(snapshot)
                or view.view_faults(snapshot)
                or index.entry_faults(snapshot, thorough=True)
            )
    except (ForeignDatabase, NewerSchema):
        return True
    except Damaged:
        return False
    finally:
        database.close()
