"""The command line: one file for each noun or verb.

A command that runs often and must start fast (add, get, list, pack, search) declares its arguments
in a table, a :class:`command.Command`, which ``parse`` reads without Typer. Every other command is
a function that Typer reads. ``app`` makes one Typer program of both kinds, and whatever ``parse``
does not take as it stands (``--help``, a mistake) goes there.
"""

from __future__ import annotations
