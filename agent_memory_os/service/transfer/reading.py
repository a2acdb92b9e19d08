"""Reading what is to be imported: which importer takes a path, and where the path lies.

It is done where the files are, which need not be where the node is.
"""

from __future__ import annotations

import os

from agent_memory_os.errors import InvalidInput
from agent_memory_os.importers import by_name, recognise
from agent_memory_os.importers.base import Importer


def importer_for(path: str, format_name: str | None) -> Importer:
    """Return the importer of a format, or the one that recognises a path.

    Raises :class:`InvalidInput` where there is nothing, and :class:`UnknownFormat`.
    """
    if not os.path.exists(path):
        raise InvalidInput(f"There is nothing at {path}.")
    return recognise(path) if format_name is None else by_name(format_name)


def folder_of(path: str) -> str:
    """Return the folder that the names of files are relative to, the same on all one's machines."""
    real = os.path.realpath(path)
    folder = real if os.path.isdir(real) else os.path.dirname(real)
    home = os.path.realpath(os.path.expanduser("~"))
    if folder == home or folder.startswith(home + os.sep):
        return "~" + folder[len(home) :]
    return folder
