"""Make agent_memory_os/store/schema.sql: what all migrations together give.

Nothing runs it. It is there to be read, and a change of the schema shows in it at one glance.
"""

from __future__ import annotations

from contextlib import closing

from agent_memory_os.store.file import migrate
from agent_memory_os.store.upkeep.structure import fresh

HEAD = """\
-- What all migrations together give; made from them by `make generate`, do not edit.
-- The files in migrations/ say what a row means.

PRAGMA application_id = {application};
PRAGMA user_version = {version};
"""


def render() -> str:
    """Return the whole file."""
    with closing(fresh()) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        made = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
            " AND name NOT LIKE 'terms\\_%' ESCAPE '\\'"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        ).fetchall()
    head = HEAD.format(application=application, version=migrate.latest_version())
    return head + "".join(f"\n{text};\n" for (text,) in made)
