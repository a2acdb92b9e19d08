"""A command line for every command that works on a home, and what lies in one.

The lines name a file to import (``notes.md``) and a backup (``backup.db``) beside the home.
"""

from __future__ import annotations

from pathlib import Path

ID = "mem_" + "a" * 32
LINES = (
    "init",
    "init --new-device",
    "init --agent kim",
    "whoami",
    "add tea",
    f"get {ID}",
    "list",
    f"edit {ID} tea",
    f"pin {ID}",
    f"forget {ID}",
    f"history {ID}",
    "timeline now",
    "search tea",
    "pack tea",
    f"share {ID} global",
    f"revoke {ID}",
    f"link {ID} {ID}",
    f"unlink {ID} {ID}",
    f"supersede {ID} {ID}",
    *(f"agent {words}" for words in ("list", "add kim", "rename kim tom", "remove kim")),
    *(f"team {words}" for words in ("list", "create a", "rename a b", "delete a")),
    *(f"team {words} a kim" for words in ("add-member", "remove-member")),
    *(f"project {words}" for words in ("list", "create a/b", "rename a/b c", "delete a/b")),
    *(f"project {words} a/b kim" for words in ("add-member", "remove-member")),
    *(f"owner {words}" for words in ("list", "delete kim --yes")),
    "import notes.md",
    "export",
    "export out.jsonl",
    "backup copy.db",
    "restore backup.db",
    "restore backup.db --force",
    "stats",
    "audit",
    "doctor",
    "doctor --mend",
    "check",
    "reindex",
    *(f"key {words} a" for words in ("rotate", "revoke", "create --agent kim")),
    "key list",
    "init --device-of amc_x",
    "view-as kim",
    "peers add amc_x --name a",
    *(f"peers {words}" for words in ("card", "list", "show a", "preview a")),
    *(f"peers {words}" for words in ("change a --no-address", "remove a --yes")),
    "device invite",
    "device certify a",
    "device revoke a --yes",
    "recovery-key --yes",
    "team hand-over apollo --to kim --yes",
    "team take-back apollo",
    "team move-memories apollo zeus --as-operator --yes",
    "agent move-memories kim lee --as-operator --all --yes",
    "receipts",
    "neighbors",
    "device list",
    "invitation list",
    "invitation withdraw 417",
    "team invite apollo",
    "join 417-orbit-violin-cable --url http://127.0.0.1:9 --yes",
    *(f"sync {words}" for words in ("auto --jitter 0", "pull", "push", "status")),
    *(f"sync {words}" for words in ("export a --out b", "import notes.md")),
    *(f"quarantine {words}" for words in ("list", "show 1 --as-operator")),
    *(f"quarantine {words} --all" for words in ("drop --yes", "retry")),
    "conflicts --sync",
    "serve --port 0",
    "status",
    "usage",
    "watch",
)

ELSEWHERE = {"demo", "logs", "service", "sign-in", "timer"}
"""What makes a home of its own, asks a server, or the system: it does not open the one named."""


def lying(home: Path) -> dict[str, tuple[bytes, int]]:
    """Return what lies in a folder: each file's bytes and time, and the folder's own time."""
    found = {
        str(path): (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns)
        for path in home.rglob("*")
    }
    return found | {".": (b"", home.stat().st_mtime_ns)}
