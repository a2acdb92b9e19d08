"""Write down what each migration is, once: a released migration is never changed.

Run as `python -m tools.freeze` when a migration was added. A line that is there is left alone, so
that a migration which was changed afterwards fails its test.
"""

from __future__ import annotations

import hashlib
import os

from agent_memory_os.store.file import migrate

SUMS = os.path.join(os.path.dirname(migrate.migrations()[0][1]), "SHA256SUMS")


def frozen() -> dict[str, str]:
    """Return the digests that were written down, by the names of the files."""
    if not os.path.exists(SUMS):
        return {}
    with open(SUMS, encoding="ascii") as file:
        return {name: digest for digest, name in (line.split() for line in file)}


def present() -> dict[str, str]:
    """Return the digests of the migrations as they are."""
    found = {}
    for _, path in migrate.migrations():
        with open(path, "rb") as file:
            found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()
    return found


def main() -> None:
    """Add a line for each migration that has none."""
    held = present() | frozen()
    with open(SUMS, "w", encoding="ascii") as file:
        file.writelines(f"{held[name]}  {name}\n" for name in sorted(held))


if __name__ == "__main__":
    main()
